"""The final image of a 3-D scene: markers are drawn, then the image is mirrored and rotated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Circle, Label, Polygon, Shape
from isovist.core.scene3d import ObjectMarker, Scene3D
from isovist.core.scene_labels import ImageLabel, ObjectLabel
from isovist.world.render import rasterizer2d, rasterizer3d
from isovist.world.render.visibility import box
from isovist.world.render.zbuffer import Ints

_GAP = 0.012  # gap between a marked object and its frame, relative to the shorter side of the image
_LINE = 0.006
_DISC, _LETTER = 0.027, 0.042  # radius of the disc of a label and em of its letter, relative to the shorter side of the image
_LARGE = 1.6  # size of the label of an image, relative to that of an object


def pixels(stage: Scene3D, size: int) -> NDArray[np.uint8]:
    """Render a scene with `size` pixels on the shorter side, shape (height, width, 3).

    Raises the errors of `rasterizer3d.render`, and ValueError for a marker on an invisible object or a rotation that is not a multiple
    of 90 degrees.
    """
    seen = rasterizer3d.render(stage, size)
    return finished(stage, seen.colour, seen.solid, size)


def finished(stage: Scene3D, colour: NDArray[np.uint8], solid: Ints, size: int) -> NDArray[np.uint8]:
    """Add markers to a rendered image, mirror and rotate it.

    `colour` (height, width, 3) is overwritten; `solid` (height, width): object index of each pixel. Raises ValueError as `pixels`.
    """
    if stage.image_rotation_deg % 90:
        raise ValueError(f"image rotation is not a multiple of 90 degrees: {stage.image_rotation_deg}")
    if stage.markers:
        rasterizer2d.paint(colour, tuple(shape for mark in stage.markers for shape in _shapes(mark, solid, size)), size)
    shown = colour[:, ::-1] if stage.mirrored else colour
    return np.ascontiguousarray(np.rot90(shown, -stage.image_rotation_deg // 90))


def _shapes(mark: ObjectMarker | ObjectLabel | ImageLabel, solid: Ints, size: int) -> tuple[Shape, ...]:
    width, height = solid.shape[1] / size, solid.shape[0] / size
    if isinstance(mark, ImageLabel):
        corner = _LARGE * (_DISC + _LINE)
        return _label(mark.letter, (corner, height - corner), mark.colour, _LARGE)
    edges = box(solid == mark.object_index)
    if edges is None:
        raise ValueError(f"object {mark.object_index} has a marker but is not visible")
    left, top, right, bottom = (v / size for v in edges)
    if isinstance(mark, ObjectLabel):
        edge = _DISC + _LINE
        x = min(max((left + right) / 2, edge), width - edge)
        y = min(height - top + edge, height - edge)
        return _label(mark.letter, (x, y), mark.colour)
    x0, x1, y0, y1 = left - _GAP, right + _GAP, height - bottom - _GAP, height - top + _GAP
    return (Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), None, mark.colour, _LINE),)


def _label(letter: str, at: tuple[float, float], colour: str, scale: float = 1.0) -> tuple[Shape, ...]:
    return Circle(at, scale * _DISC, "#ffffff", colour, _LINE / 2), Label(letter, at, scale * _LETTER, colour)
