"""Image of an item: a photograph with coloured frames around the objects in question, as in rendered images."""

from __future__ import annotations

from isovist.core.drawing2d import Polygon
from isovist.data.importers.image_loader import Photo
from isovist.data.importers.object_pose.annotated_objects import Box
from isovist.world.render import rasterizer2d
from isovist.world.render.image_encoding import png

_GAP, _LINE = 0.012, 0.006  # relative to the shorter side of the image, as around rendered objects


def framed(photo: Photo, frames: tuple[tuple[Box, str], ...]) -> bytes:
    """Return a PNG of the photograph with frames. Boxes are in pixels of the file."""
    pixels = photo.pixels.copy()
    height, width = pixels.shape[:2]
    short = min(height, width)
    rasterizer2d.paint(pixels, tuple(_frame(box, colour, photo.scale / short, height / short) for box, colour in frames), short)
    return png(pixels)


def _frame(box: Box, colour: str, unit: float, height: float) -> Polygon:
    x0, x1 = box.left * unit - _GAP, box.right * unit + _GAP
    y0, y1 = height - box.bottom * unit - _GAP, height - box.top * unit + _GAP
    return Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), None, colour, _LINE)
