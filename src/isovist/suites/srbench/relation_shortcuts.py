"""Shortcuts for spatial relations: rules that use only the bounding rectangles of the objects in the image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import combinations
from math import hypot
from typing import Any

from isovist.core.answers import LETTERS, Choice
from isovist.core.scene3d import Scene3D, SceneObject, project
from isovist.core.task import Question, Shortcut
from isovist.suites.srbench.relation_types import DEPTHS, KINDS, RelationType
from isovist.world.scenes.camera_framing import Extent
from isovist.world.scenes.environments.bounding_boxes import standing_corners
from isovist.world.scenes.scene_transforms import flat_camera


def image_rectangle(scene3d: Scene3D, target: SceneObject) -> Extent:
    """Return the bounding rectangle of an object in the image, in units of the image height."""
    camera = flat_camera(scene3d)
    points = [project(camera, corner) for corner in standing_corners(target)]
    xs, ys = [x / camera.height for x, _, _ in points], [y / camera.height for _, y, _ in points]
    return Extent(min(xs), min(ys), max(xs), max(ys))


def _centre(extent: Extent) -> tuple[float, float]:
    return (extent.left + extent.right) / 2, (extent.top + extent.bottom) / 2


Rule = Callable[[Extent, Extent], int]
"""From the rectangles of red and blue to the index of an option."""


def _higher(red: Extent, blue: Extent) -> int:
    return int(_centre(red)[1] > _centre(blue)[1])


def _base(red: Extent, blue: Extent) -> int:
    return int(red.bottom < blue.bottom)


def _four(red: Extent, blue: Extent) -> int:
    across, down = (a - b for a, b in zip(_centre(red), _centre(blue), strict=True))
    return int(across > 0) if abs(across) > abs(down) else 2 + int(down < 0)


def _overlap(red: Extent, blue: Extent) -> int:
    return int(red.left > blue.right or blue.left > red.right or red.top > blue.bottom or blue.top > red.bottom)


def _inside(red: Extent, blue: Extent) -> int:
    x, y = _centre(red)
    return int(not (blue.left < x < blue.right and blue.top < y < blue.bottom))


def _stands_inside(red: Extent, blue: Extent) -> int:
    return int(not (blue.left < _centre(red)[0] < blue.right and blue.top < red.bottom < blue.bottom))


def _near(red: Extent, blue: Extent) -> int:
    """Return 0 if the centres are closer than the rectangles are wide together."""
    (a, b), (c, d) = _centre(red), _centre(blue)
    return int(hypot(a - c, b - d) > red.width + blue.width)


def _higher_part(red: Extent, blue: Extent) -> int:
    """Return 0 if red is in the upper half of blue."""
    return int(_centre(red)[1] > _centre(blue)[1])


def _side(red: Extent, blue: Extent) -> int:
    return int(_centre(red)[0] > _centre(blue)[0])


def _carried(red: Extent, blue: Extent) -> int:
    """Return on the head if red reaches above blue, on the ground if it is in the lowest part of blue, otherwise the hand at that side."""
    if red.bottom < blue.top + 0.3 * blue.height:
        return 2
    if red.bottom > blue.top + 0.85 * blue.height:
        return 3
    return 1 - _side(red, blue)


def _answers(rules: Mapping[str, Rule]) -> Callable[[Any, Question], Collection[str]]:
    """Return a shortcut that applies one rule per relation, and gives no answer for other relations."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        kind = KINDS[scene.kind]
        kind_rule = rules.get(kind.name)
        if kind_rule is None:
            return ()
        assert isinstance(question.answer, Choice)
        red, blue = (image_rectangle(scene.scene3d, target) for target in scene.target_objects)
        return LETTERS[question.answer.options.index(kind.options[kind_rule(red, blue)])]

    return rule


def _of(kinds: Collection[RelationType], rule: Rule) -> dict[str, Rule]:
    return {kind.name: rule for kind in kinds}


_DEPTH_RELATIONS = [kind for kind in KINDS.values() if kind.frame == "viewer" and kind.options in DEPTHS]
_STANCES = [kind for kind in KINDS.values() if kind.scenery == "stances"]
_CENTRE_RULES: dict[str, Rule] = {
    **_of(_DEPTH_RELATIONS, lambda red, blue: 1 - _higher(red, blue)),
    **_of(_STANCES, _side),
    "own left or right of": _side,
    "own front or back of": lambda red, blue: 1 - _higher(red, blue),
    "own left, right, front, back": _four,
    "higher or lower": _higher,
    "touching or apart": _overlap,
    "inside or outside": _inside,
    "next to or far from": _near,
    "attached or in front": _higher_part,
    "held or not": _overlap,
    "left or right hand": lambda red, blue: 1 - _side(red, blue),
}
_LOWER_EDGE_RULES: dict[str, Rule] = {
    **_of(_DEPTH_RELATIONS, _base),
    "higher or lower": lambda red, blue: 1 - _base(red, blue),
    "inside or outside": _stands_inside,
}


def rectangles(scene: Any) -> list[float]:
    """Return x, y, width and height of the rectangle of each target, and for each pair the offset of the centres and the common area."""
    extents = [image_rectangle(scene.scene3d, target) for target in scene.target_objects]
    features = [value for extent in extents for value in (*_centre(extent), extent.width, extent.height)]
    for red, blue in combinations(extents, 2):
        features += [*(a - b for a, b in zip(_centre(red), _centre(blue), strict=True)), red.common(blue)]
    return features


def _middle_of_row(scene: Any, question: Question) -> Collection[str]:
    """Return in the middle if red is between the other two in the image."""
    if KINDS[scene.kind].scenery != "row":
        return ()
    x, *others = (_centre(image_rectangle(scene.scene3d, target))[0] for target in scene.target_objects)
    assert isinstance(question.answer, Choice)
    return LETTERS[question.answer.options.index(KINDS[scene.kind].options[int(not min(others) < x < max(others))])]


SHORTCUTS: Mapping[str, Shortcut[Any]] = {
    "the relative position of both bounding boxes": Shortcut(_answers(_CENTRE_RULES), "depth, support and containment"),
    "the relative position of their lower edges": Shortcut(_answers(_LOWER_EDGE_RULES), "depth, support and containment", partial=True),
    "the side in the image": Shortcut(_answers({"left or right of": _side, "left, right, in front, behind": _side}), "depth", partial=True),
    "the upper object is on the lower one": Shortcut(
        _answers({"on or under": _higher, "on, under, left, right": _higher}), "support", partial=True
    ),
    "the place in the rectangle of the person": Shortcut(
        _answers({"on the head, in a hand, on the ground": _carried}), "own left and right", partial=True
    ),
    "the middle of three in the image": Shortcut(_middle_of_row, "the third dimension", partial=True),
}
