"""Features of the 3-D scenes of an item that must not predict its key, for a rule that is fitted to them.

They are an upper bound of what an image tells without the skill: where the objects in question lie in it, and how large they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.audit.legibility import asked
from isovist.core.scene3d import Scene3D, project
from isovist.data.item import Item
from isovist.world.scenes import object_catalog
from isovist.world.scenes.environments.bounding_boxes import standing_corners

_OBJECTS = 3  # in each image
_IMAGES = 4
_NONE = (-1.0, -1.0, -1.0, -1.0)


def rectangles(item: Item) -> Sequence[float]:
    """Left, right, top and bottom in pixels of the boxes of the objects in question in each 3-D image; -1 for an object behind the camera.

    Marked objects come in the order of their markers, others in that of the data. Where the question names no object, all of the catalogue count.
    """
    values: list[float] = []
    for picture in item.pictures[:_IMAGES]:
        boxes: list[tuple[float, float, float, float]] = []
        if isinstance(picture, Scene3D):
            known = (place for place, solid in enumerate(picture.objects) if object_catalog.of(solid.geometry))
            objects = asked(picture, item.question.text) or tuple(known)
            boxes = [_box(picture, place) for place in objects[:_OBJECTS]]
        values += [side for box in (boxes + [_NONE] * _OBJECTS)[:_OBJECTS] for side in box]
    return values


def _box(stage: Scene3D, place: int) -> tuple[float, float, float, float]:
    try:
        xs, ys, _ = zip(*(project(stage.camera, corner) for corner in standing_corners(stage.objects[place])), strict=True)
    except ValueError:
        return _NONE
    return min(xs), max(xs), min(ys), max(ys)
