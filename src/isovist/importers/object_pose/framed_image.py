"""The picture of an item: a photograph with frames around what is asked about, as the rendered pictures have them."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from isovist.core.drawing2d import Polygon
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose.annotated_objects import Box
from isovist.render import rasterizer2d
from isovist.render.image_encoding import png
from isovist.render.rasterizer2d import Pixels

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF")
LARGEST = 768
"""Pixels of the shorter side: larger photographs are scaled down."""
_MOST_BYTES = 64 << 20
_MOST_PIXELS = 80_000_000
_GAP, _LINE = 0.012, 0.006  # in shorter sides of the picture, as around rendered objects


@dataclass(frozen=True, slots=True)
class Opened:
    """A photograph: its pixels, shape (height, width, 3) in sRGB, a fingerprint of its file, and how much it was scaled."""

    pixels: Pixels
    digest: str
    scale: float


def size(path: Path, *, upright: bool = False) -> tuple[int, int]:
    """Width and height of a picture, from the head of its file. Raises Unusable. `upright`: as the camera's note turns it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow warns of is checked here, or does not matter
            if path.stat().st_size > _MOST_BYTES:
                raise Unusable("the picture is too large", f"{path.stat().st_size} bytes")
            with Image.open(path, formats=FORMATS) as opened:
                turned = upright and opened.getexif().get(0x0112, 1) in (5, 6, 7, 8)
                width, height = opened.size
    except FileNotFoundError:
        raise Unusable("the picture is missing", ascii(path.name[:80])) from None
    except Image.DecompressionBombError:
        raise Unusable("the picture is too large") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, IndexError) as error:
        raise Unusable("the picture does not decode", str(error).partition("\n")[0][:80]) from None
    if width * height > _MOST_PIXELS:
        raise Unusable("the picture is too large", f"{width} x {height} pixels")
    return (height, width) if turned else (width, height)


def opened(path: Path, *, upright: bool = False, largest: int = LARGEST) -> Opened:
    """A photograph, scaled down if its shorter side has more than `largest` pixels. Raises Unusable.

    `upright`: turned as the camera noted. Annotations are in pixels of the file, so they need it as it is.
    """
    size(path, upright=upright)
    data = path.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as file:
                image = (ImageOps.exif_transpose(file) if upright else file).convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, MemoryError, IndexError) as error:
        raise Unusable("the picture does not decode", str(error).partition("\n")[0][:80]) from None
    scale = min(1.0, largest / min(image.size))
    if scale < 1:
        width, height = image.size
        image = image.resize((max(1, round(width * scale)), max(1, round(height * scale))), Image.Resampling.LANCZOS)
    return Opened(np.array(image), blake2b(data, digest_size=8).hexdigest(), scale)


def framed(photo: Opened, frames: tuple[tuple[Box, str], ...]) -> bytes:
    """A PNG of a photograph with boxes, told in pixels of its file, in colours."""
    pixels = photo.pixels.copy()
    height, width = pixels.shape[:2]
    short = min(height, width)
    rasterizer2d.paint(pixels, tuple(_frame(box, colour, photo.scale / short, height / short) for box, colour in frames), short)
    return png(pixels)


def _frame(box: Box, colour: str, unit: float, height: float) -> Polygon:
    x0, x1 = box.left * unit - _GAP, box.right * unit + _GAP
    y0, y1 = height - box.bottom * unit - _GAP, height - box.top * unit + _GAP
    return Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), None, colour, _LINE)
