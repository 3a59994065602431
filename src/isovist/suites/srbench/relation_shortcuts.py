"""Shortcuts for spatial relations: rules that use only the bounding rectangles of the two objects in the image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
_CENTRE_RULES = {
    **_of(_DEPTH_RELATIONS, lambda red, blue: 1 - _higher(red, blue)),
    "left, right, in front, behind": _four,
    "higher or lower": _higher,
    "touching or apart": _overlap,
    "inside or outside": _inside,
    "next to or far from": _near,
    "attached or in front": _higher_part,
    "held or not": _overlap,
}
_LOWER_EDGE_RULES: dict[str, Rule] = {
    **_of(_DEPTH_RELATIONS, _base),
    "higher or lower": lambda red, blue: 1 - _base(red, blue),
    "inside or outside": _stands_inside,
}
SHORTCUTS: Mapping[str, Shortcut[Any]] = {
    "the relative position of both bounding boxes": Shortcut(_answers(_CENTRE_RULES), "depth, support and containment"),
    "the relative position of their lower edges": Shortcut(_answers(_LOWER_EDGE_RULES), "depth, support and containment", partial=True),
    "the upper object is on the lower one": Shortcut(
        _answers({"on or under": _higher, "on, under, left, right": _higher}), "support", partial=True
    ),
}
