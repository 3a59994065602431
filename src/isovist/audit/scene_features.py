"""Features of the 3-D scenes of an item that must not predict its key, for a rule that is fitted to them.

They are an upper bound of what an image tells without the skill: where the objects in question lie in it, and how large they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isovist.audit.legibility import asked
from isovist.core.scene3d import Camera, Scene3D, project
from isovist.data.item import Item
from isovist.world.scenes import object_catalog
from isovist.world.scenes.environments.bounding_boxes import standing_corners

_OBJECTS = 3  # in each image
_IMAGES = 4
_LEAST = 0.15  # share of a box in the frame: counted objects show at least a quarter of their width, or almost nothing
Box = tuple[float, float, float, float]
"""Left, right, top and bottom in pixels."""
_NONE: Box = (-1.0, -1.0, -1.0, -1.0)


def rectangles(item: Item) -> Sequence[float]:
    """Left, right, top and bottom in pixels of the boxes of the objects in question in each 3-D image; -1 for an object outside its frame.

    Marked objects come in the order of their markers, others in that of the data. Where the question names no object, all of the catalogue count.
    """
    values: list[float] = []
    for picture in _stages(item):
        known = (place for place, solid in enumerate(picture.objects) if object_catalog.of(solid.geometry))
        boxes = [_box(picture, place) or _NONE for place in (asked(picture, item.question.text) or tuple(known))[:_OBJECTS]]
        values += [side for box in (boxes + [_NONE] * _OBJECTS)[:_OBJECTS] for side in box]
    return values


def numbers(item: Item) -> Sequence[float]:
    """The number of objects in the frame of each 3-D image whose name is in the question."""
    text = item.question.text
    return [
        float(sum(bool(one.name) and one.name in text and _box(picture, place) is not None for place, one in enumerate(picture.objects)))
        for picture in _stages(item)
    ]


def _stages(item: Item) -> Iterator[Scene3D]:
    return (picture for picture in item.pictures[:_IMAGES] if isinstance(picture, Scene3D))


def _box(stage: Scene3D, place: int) -> Box | None:
    """The box of an object in the image, hidden or not; None if the frame holds too little of it, or a part is behind the camera."""
    camera = stage.camera
    try:
        xs, ys, _ = zip(*(project(camera, corner) for corner in standing_corners(stage.objects[place])), strict=True)
    except ValueError:
        return None
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    height = camera.height if isinstance(camera, Camera) else camera.width / 2
    inside = max(0.0, min(right, camera.width) - max(left, 0.0)) * max(0.0, min(bottom, height) - max(top, 0.0))
    return (left, right, top, bottom) if inside > _LEAST * (right - left) * (bottom - top) else None
