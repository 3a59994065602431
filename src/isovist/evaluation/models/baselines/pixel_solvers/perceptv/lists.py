"""List Colours, List Shapes, Colours Present, Identifying Shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion, find_objects, label

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture
from isovist.suites.perceptv.identifying_shapes import ROW_HUES
from isovist.suites.perceptv.lists import COLOUR_NAMES, MANY, OVER_HUES
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.shape_outlines import KINDS, OUTLINES

_LEAST = 200  # minimum number of pixels of a figure, without mixed edge pixels
_CORE = 3  # erosion in pixels that removes mixed edge pixels and not a figure


def packed(picture: Picture) -> NDArray[np.int32]:
    """The colour of each pixel as one 24-bit integer."""
    red, green, blue = (picture[:, :, i].astype(np.int32) for i in range(3))
    return (red << 16) | (green << 8) | blue


def hued(picture: Picture, hues: dict[str, str]) -> dict[str, NDArray[np.bool_]]:
    """The masks of the pixels with exactly these colours, for the colours that the image contains."""
    whole = packed(picture)
    masks = {hue: whole == int(colour[1:], 16) for hue, colour in hues.items()}
    return {hue: mask for hue, mask in masks.items() if mask.sum() > _LEAST}


def _visible_hues(picture: Picture, hues: dict[str, str], words: tuple[str, ...]) -> str:
    seen = [hue for hue, mask in hued(picture, hues).items() if binary_erosion(mask, iterations=_CORE).any()]
    return ", ".join(word for word in words if word in seen)


def _inside(kind: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether points are inside a figure (even-odd rule). x and y: relative to its centre, in units of its circumradius."""
    points = OUTLINES[kind]
    if not points:
        return x**2 + y**2 <= 1
    inside = np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        if ay != by:
            inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside


def _places(n: int) -> NDArray[np.float64]:
    """The coordinates of `n` pixel centres relative to their midpoint."""
    return np.linspace(0.5 - n / 2, n / 2 - 0.5, n)


def kind_of(blob: NDArray[np.bool_]) -> str:
    """The figure with the largest intersection over union with a component, given as the mask of its bounding box."""
    height, width = blob.shape
    best: dict[str, float] = {}
    for kind, points in OUTLINES.items():
        xs, ys = [x for x, _ in points] or [-1.0, 1.0], [y for _, y in points] or [-1.0, 1.0]
        reach = (width / (max(xs) - min(xs)) + height / (max(ys) - min(ys))) / 2
        x = _places(width) / reach + (max(xs) + min(xs)) / 2
        y = -_places(height) / reach + (max(ys) + min(ys)) / 2
        template = _inside(kind, x[None, :], y[:, None])
        best[kind] = float((template & blob).sum() / (template | blob).sum())
    return max(best, key=best.__getitem__)


def figures(picture: Picture, hues: dict[str, str]) -> list[tuple[str, float, float]]:
    """The figures in these colours: type, and the centre of the bounding box in pixels, y down."""
    shapes: list[tuple[str, float, float]] = []
    for mask in hued(picture, hues).values():
        labelled, _ = label(mask)
        for i, box in enumerate(find_objects(labelled), 1):
            blob = np.asarray(labelled[box] == i)
            if min(blob.shape) > 12 and binary_erosion(blob, iterations=_CORE).any():
                shapes.append((kind_of(blob), (box[1].start + box[1].stop) / 2, (box[0].start + box[0].stop) / 2))
    return shapes


def _colours(images: list[Picture], prompt: str) -> str:
    del prompt
    return _visible_hues(images[0], HUES, OVER_HUES)


def _shapes(images: list[Picture], prompt: str) -> str:
    del prompt
    kinds = {kind for kind, _, _ in figures(images[0], {hue: HUES[hue] for hue in OVER_HUES})}
    return ", ".join(kind for kind in KINDS if kind in kinds)


def _present(images: list[Picture], prompt: str) -> str:
    del prompt
    return _visible_hues(images[0], MANY, COLOUR_NAMES)


def _rows(images: list[Picture], prompt: str) -> str:
    del prompt
    shapes = figures(images[0], {hue: HUES[hue] for hue in ROW_HUES})
    return ", ".join(kind for kind, _, _ in sorted(shapes, key=lambda shape: shape[2]))


SOLVERS = {
    "List every colour of the shapes": _colours,
    "List every kind of shape": _shapes,
    "List the colours that at least one shape has": _present,
    "Name the shape in each row": _rows,
}
