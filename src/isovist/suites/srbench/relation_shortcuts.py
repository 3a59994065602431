"""Cheap rules against spatial relations: what the places of both objects in the picture tell, as if each were a flat rectangle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from isovist.core.answers import LETTERS, Choice
from isovist.core.scene3d import Scene3D, SceneObject, project
from isovist.core.task import Question, Shortcut
from isovist.scenes.camera_framing import Extent
from isovist.scenes.environments.bounding_boxes import standing_corners
from isovist.scenes.scene_transforms import flat_camera
from isovist.suites.srbench.relation_types import DEPTHS, KINDS, RelationType


def box(stage: Scene3D, solid: SceneObject) -> Extent:
    """The rectangle around an object in the picture, in heights of it."""
    camera = flat_camera(stage)
    points = [project(camera, corner) for corner in standing_corners(solid)]
    xs, ys = [x / camera.height for x, _, _ in points], [y / camera.height for _, y, _ in points]
    return Extent(min(xs), min(ys), max(xs), max(ys))


def _middle(extent: Extent) -> tuple[float, float]:
    return (extent.left + extent.right) / 2, (extent.top + extent.bottom) / 2


Rule = Callable[[Extent, Extent], int]
"""The place of an option, by the rectangles of red and blue."""


def _higher(red: Extent, blue: Extent) -> int:
    return int(_middle(red)[1] > _middle(blue)[1])


def _base(red: Extent, blue: Extent) -> int:
    return int(red.bottom < blue.bottom)


def _four(red: Extent, blue: Extent) -> int:
    across, down = (a - b for a, b in zip(_middle(red), _middle(blue), strict=True))
    return int(across > 0) if abs(across) > abs(down) else 2 + int(down < 0)


def _overlap(red: Extent, blue: Extent) -> int:
    return int(red.left > blue.right or blue.left > red.right or red.top > blue.bottom or blue.top > red.bottom)


def _inside(red: Extent, blue: Extent) -> int:
    x, y = _middle(red)
    return int(not (blue.left < x < blue.right and blue.top < y < blue.bottom))


def _stands_inside(red: Extent, blue: Extent) -> int:
    return int(not (blue.left < _middle(red)[0] < blue.right and blue.top < red.bottom < blue.bottom))


def _answers(rules: Mapping[str, Rule]) -> Callable[[Any, Question], Collection[str]]:
    """What a rule for each kind of relation answers; nothing for other kinds."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        kind = KINDS[scene.kind]
        kind_rule = rules.get(kind.name)
        if kind_rule is None:
            return ()
        assert isinstance(question.answer, Choice)
        red, blue = (box(scene.scene3d, solid) for solid in scene.solids)
        return LETTERS[question.answer.options.index(kind.options[kind_rule(red, blue)])]

    return rule


def _of(kinds: Collection[RelationType], rule: Rule) -> dict[str, Rule]:
    return {kind.name: rule for kind in kinds}


_DEEP = [kind for kind in KINDS.values() if kind.frame == "viewer" and kind.options in DEPTHS]
_MIDDLES = {
    **_of(_DEEP, lambda red, blue: 1 - _higher(red, blue)),
    "left, right, in front, behind": _four,
    "higher or lower": _higher,
    "touching or apart": _overlap,
    "inside or outside": _inside,
}
_FEET: dict[str, Rule] = {
    **_of(_DEEP, _base),
    "higher or lower": lambda red, blue: 1 - _base(red, blue),
    "inside or outside": _stands_inside,
}
SHORTCUTS: Mapping[str, Shortcut[Any]] = {
    "how the rectangles of both lie in the picture": Shortcut(_answers(_MIDDLES), "depth, support and containment"),
    "how their lower edges lie": Shortcut(_answers(_FEET), "depth, support and containment", partial=True),
    "who is above is on it": Shortcut(_answers({"on or under": _higher, "on, under, left, right": _higher}), "support", partial=True),
}
