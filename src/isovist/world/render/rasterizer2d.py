"""Render 2-D drawings to pixels, anti-aliased by AGG, with the same pixels on every machine.

Text and icons are filled outlines, so no font engine is involved. Each is rendered once as a sprite and then pasted at integer pixel
positions; each background is rendered once and then copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import ceil, cos, radians, sin
from typing import cast

import aggdraw
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.core.drawing2d import Circle, Drawing, IconShape, Label, Line, Polygon, Shape
from isovist.world.render import vector_outlines

Pixels = NDArray[np.uint8]

# exact values at the eight headings, independent of the platform's libm
_ROOT = 0.7071067811865476
_EIGHTHS = ((0.0, 1.0), (_ROOT, _ROOT), (1.0, 0.0), (_ROOT, -_ROOT), (0.0, -1.0), (-_ROOT, -_ROOT), (-1.0, 0.0), (-_ROOT, _ROOT))


def render(drawing: Drawing, size: int) -> Pixels:
    """Render `drawing` to an array, shape (height, width, 3), with `size` pixels per unit. Row 0 is the top."""
    canvas = _backdrop(drawing.backdrop, drawing.background, drawing.width, drawing.height, size).copy()
    paint(canvas, drawing.shapes, size)
    return canvas


def image(drawing: Drawing, size: int) -> Image.Image:
    """Render `drawing` to an RGB image with `size` pixels per unit."""
    return Image.fromarray(render(drawing, size))


@lru_cache(maxsize=64)
def _backdrop(shapes: tuple[Shape, ...], background: str, width: float, height: float, size: int) -> Pixels:
    canvas = np.array(Image.new("RGB", (round(width * size), round(height * size)), background))
    paint(canvas, shapes, size)
    return canvas


def paint(canvas: Pixels, shapes: tuple[Shape, ...], size: int) -> None:
    """Draw shapes over an image, shape (height, width, 3), with `size` pixels per unit."""
    for sprites, run in groupby(shapes, lambda shape: isinstance(shape, (Label, IconShape))):
        if sprites:
            for shape in cast("Iterator[Label | IconShape]", run):
                _paste(canvas, shape, size)
        else:  # AGG has its own pixel buffer, which is copied in and out once per run of plain shapes
            pencil = aggdraw.Draw("RGB", (canvas.shape[1], canvas.shape[0]))
            pencil.frombytes(canvas.tobytes())
            for shape in cast("Iterator[Circle | Polygon | Line]", run):
                _draw(pencil, shape, size, canvas.shape[0])
            canvas[...] = np.frombuffer(pencil.tobytes(), np.uint8).reshape(canvas.shape)


def _draw(pencil: aggdraw.Draw, shape: Circle | Polygon | Line, size: int, bottom: int) -> None:
    if isinstance(shape, Line):
        path = [v for x, y in shape.points for v in (x * size, bottom - y * size)]
        pencil.line(path, aggdraw.Pen(shape.fill, shape.width * size))
        return
    pen = aggdraw.Pen(shape.stroke, shape.width * size) if shape.stroke else None
    brush = aggdraw.Brush(shape.fill) if shape.fill else None
    if isinstance(shape, Circle):
        x, y, r = shape.center[0] * size, bottom - shape.center[1] * size, shape.radius * size
        pencil.ellipse((x - r, y - r, x + r, y + r), pen, brush)
    else:
        path = [v for x, y in shape.points for v in (x * size, bottom - y * size)]
        pencil.polygon(path, pen, brush)


@dataclass(frozen=True, slots=True)
class _Sprite:
    """A sprite: its colours, the coverage of each of their values (0 to 255), both composited on white, and its offset from the centre in pixels.

    The coverage has three equal channels: NumPy takes several times as long to repeat one.
    """

    colours: Pixels
    coverage: Pixels
    on_white: Pixels
    right: int
    down: int


def _paste(canvas: Pixels, shape: Label | IconShape, size: int) -> None:
    sprite = (
        _label(shape.text, shape.size * size, shape.fill)
        if isinstance(shape, Label)
        else _glyph(shape.name, shape.size * size, shape.mirrored, shape.rotation_deg, shape.colour)
    )
    left = round(shape.position[0] * size) + sprite.right
    top = canvas.shape[0] - round(shape.position[1] * size) + sprite.down
    height, width = sprite.on_white.shape[:2]
    under = canvas[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)]
    if under.shape == sprite.on_white.shape and under.min() == 255:
        under[...] = sprite.on_white  # the most frequent case, and the fast path
        return
    # clip to the image
    rows = slice(max(0, -top), max(0, -top) + under.shape[0])
    columns = slice(max(0, -left), max(0, -left) + under.shape[1])
    under[...] = _over(sprite.colours[rows, columns], sprite.coverage[rows, columns], under)


def _over(colours: Pixels, coverage: Pixels, under: Pixels) -> Pixels:
    """Composite colours over an image by their coverage, rounded to the nearest."""
    share = coverage.astype(np.uint16)
    return ((colours * share + under * (255 - share) + 127) // 255).astype(np.uint8)


@lru_cache(maxsize=4096)
def _label(text: str, em: float, fill: str) -> _Sprite:
    contours = vector_outlines.text(text)
    width = max((abs(x) for contour in contours for x in contour[::2]), default=0.0)
    height = max((abs(y) for contour in contours for y in contour[1::2]), default=0.0)
    box = (2 * ceil(width * em) + 2, 2 * ceil(height * em) + 2)
    mask = _coverage(contours, box, em, 0.0, 1.0, 1.0)
    return _cropped(Image.new("RGB", box, fill), mask)


@lru_cache(maxsize=8192)
def _glyph(name: str, diameter: float, mirrored: bool, turn: float, ink: str) -> _Sprite:
    layers = vector_outlines.glyph(name)
    masks = _masks(name, diameter, mirrored, turn)
    if len(masks) == 1:
        return _cropped(Image.new("RGB", masks[0].size, layers[0].fill or ink), masks[0])
    whole = Image.new("RGBA", masks[0].size)
    for mask, layer in zip(masks, layers, strict=True):
        sheet = Image.new("RGBA", mask.size, layer.fill or ink)
        sheet.putalpha(mask)
        whole = Image.alpha_composite(whole, sheet)
    return _cropped(whole.convert("RGB"), whole.getchannel("A"))


@lru_cache(maxsize=2048)
def _masks(name: str, diameter: float, mirrored: bool, turn: float) -> tuple[Image.Image, ...]:
    side = 2 * ceil(diameter / 2) + 2
    s, c = _EIGHTHS[round(turn / 45) % 8] if turn % 45 == 0 else (sin(radians(turn)), cos(radians(turn)))
    mirror = -1.0 if mirrored else 1.0
    return tuple(_coverage(layer.contours, (side, side), diameter, s, c, mirror) for layer in vector_outlines.glyph(name))


def _cropped(colours: Image.Image, mask: Image.Image) -> _Sprite:
    box = mask.getbbox() or (0, 0, 1, 1)
    cut = np.asarray(colours.crop(box))
    coverage = np.asarray(Image.merge("RGB", [mask.crop(box)] * 3))
    white = np.full(cut.shape, 255, np.uint8)
    return _Sprite(cut, coverage, _over(cut, coverage, white), box[0] - mask.width // 2, box[1] - mask.height // 2)


def _coverage(
    contours: tuple[vector_outlines.Contour, ...], box: tuple[int, int], scale: float, s: float, c: float, mirror: float
) -> Image.Image:
    """Return the pixel coverage of contours (nonzero rule).

    Contours are mirrored first, then rotated clockwise by the angle with sine `s` and cosine `c`. Origin: centre of the box.
    """
    coverage = Image.new("L", box, 0)
    pencil = aggdraw.Draw(coverage)
    pencil.settransform((scale * c * mirror, scale * s, box[0] / 2, scale * s * mirror, -scale * c, box[1] / 2))
    pencil.path(_path(contours), None, aggdraw.Brush(255))
    pencil.flush()
    return coverage


@lru_cache(maxsize=1024)
def _path(contours: tuple[vector_outlines.Contour, ...]) -> aggdraw.Path:
    path = aggdraw.Path()
    for contour in contours:
        for i in range(0, len(contour), 2):
            (path.lineto if i else path.moveto)(contour[i], contour[i + 1])
        path.close()
    return path
