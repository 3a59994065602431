"""Shortcuts for spatial relations: rules that use only the bounding rectangles of the objects in the image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from math import hypot
from typing import Any

from isovist.core.answers import LETTERS, Choice
from isovist.core.scene3d import Scene3D, SceneObject, project
from isovist.core.task import Exemption, Question, Shortcut
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


def _answers(rules: Mapping[str, Callable[..., int]]) -> Callable[[Any, Question], Collection[str]]:
    """Return a shortcut that applies one rule per relation, and gives no answer for other relations."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        kind_rule = rules.get(scene.kind)
        if kind_rule is None:
            return ()
        return _letter(scene, question, kind_rule(*(image_rectangle(scene.scene3d, target) for target in scene.target_objects)))

    return rule


def _letter(scene: Any, question: Question, option: int) -> str:
    assert isinstance(question.answer, Choice)
    return LETTERS[question.answer.options.index(KINDS[scene.kind].options[option])]


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


def _matched_rectangles(scene: Any) -> Sequence[float]:
    """Return the relation and the rectangles; nothing for a relation that the rectangles of the objects decide."""
    return [] if scene.kind in _IN_THE_IMAGE else [float(list(KINDS).index(scene.kind)), *rectangles(scene)]


def _block(scene: Any) -> Sequence[float]:
    """Return the relation and the rectangle of a block that the question does not name; nothing if there is none."""
    targets = scene.target_objects
    blocks = [image_rectangle(scene.scene3d, solid) for solid in scene.scene3d.objects if solid.name == "block" and solid not in targets]
    kind = float(list(KINDS).index(scene.kind))
    return [side for box in blocks for side in (kind, box.left, box.right, box.top, box.bottom)]


def _half(red: Extent) -> int:
    return int(_centre(red)[0] > 0.5)


def _lower_half(red: Extent) -> int:
    return int(_centre(red)[1] > 0.5)


def _off_middle(red: Extent) -> int:
    return int(max(abs(at - 0.5) for at in _centre(red)) > _MIDDLE)


def _between(red: Extent, blue: Extent, green: Extent) -> int:
    """Return 0 if red is between the other two in the image."""
    x, *others = (_centre(extent)[0] for extent in (red, blue, green))
    return int(not min(others) < x < max(others))


def _over_block(scene: Any, question: Question) -> Collection[str]:
    """Return the answer by the block below one of two objects: this object is the higher one, and its distance is that of the foot of the block."""
    kind = KINDS[scene.kind]
    deep = kind in _DEPTH_RELATIONS
    if not deep and kind.name != "higher or lower":
        return ()
    (base,) = (image_rectangle(scene.scene3d, solid) for solid in scene.scene3d.objects if solid.name == "block")
    red, blue = (image_rectangle(scene.scene3d, target) for target in scene.target_objects)
    red_off, blue_off = (abs(_centre(each)[0] - _centre(base)[0]) + abs(each.bottom - base.top) for each in (red, blue))
    if not deep:
        return _letter(scene, question, int(red_off > blue_off))
    return _letter(scene, question, int(base.bottom < blue.bottom if red_off < blue_off else red.bottom < base.bottom))


_MIDDLE = 0.15
"""Minimum distance in image heights of the centre of an object in a corner from the centre lines of the image."""
_PLACES: Mapping[str, Callable[[Extent], int]] = {
    "half, left or right": _half,
    "half, upper or lower": _lower_half,
    "quarter": lambda red: _half(red) + 2 * _lower_half(red),
    "middle or corner": _off_middle,
}
_HEAD_OR_GROUND = "on the head, in a hand, on the ground"
_IN_THE_IMAGE = frozenset({
    *_PLACES, "left or right of", "left, right, in front, behind", "on or under", "on, under, left, right", "middle or end of a row",
    _HEAD_OR_GROUND,
})  # fmt: skip
"""Relations that the image rectangles of the objects decide, in whole or in part."""

SHORTCUTS: Mapping[str, Shortcut[Any]] = {
    "the relative position of both bounding boxes": Shortcut(_answers(_CENTRE_RULES), "depth, support and containment"),
    "the relative position of their lower edges": Shortcut(
        _answers(_LOWER_EDGE_RULES), "depth, support and containment", partial=True, bound=0.5
    ),
    "the place in the image": Shortcut(_answers(_PLACES), "the third dimension", partial=True),
    "the side in the image": Shortcut(_answers({"left or right of": _side}), "depth", partial=True),
    "the side in the image, of four directions": Shortcut(
        _answers({"left, right, in front, behind": _side}), "depth", partial=True, bound=0.5
    ),
    "the upper object is on the lower one": Shortcut(_answers({"on or under": _higher}), "support", partial=True),
    "the upper object is on the lower one, of four places": Shortcut(
        _answers({"on, under, left, right": _higher}), "support", partial=True, bound=0.5
    ),
    "the place in the rectangle of the person": Shortcut(
        _answers({_HEAD_OR_GROUND: _carried}), "own left and right", partial=True, bound=0.8
    ),
    "the middle of three in the image": Shortcut(_answers({"middle or end of a row": _between}), "the third dimension", partial=True),
    "the block below an object": Shortcut(_over_block, "the objects: the foot of the block shows its distance", partial=True),
}
FEATURES: Mapping[str, Callable[[Any], Sequence[float]]] = {
    "the relation and the rectangles of its objects": _matched_rectangles,
    "the relation and the rectangle of the block": _block,
}
EXEMPTIONS: Mapping[str, Exemption] = {
    "place": Exemption(
        "the half or the quarter of the image in which an object lies is asked",
        0.25,
        {"one-object-2": 0.75, "one-object-4": 0.55, "": 0.53},
    ),
    "the rectangles of the objects (learned)": Exemption("each level has relations of the image, such as left and right", 1.0),
    "the relation and the rectangles of its objects (learned)": Exemption(
        "an object seen from the side is wider, which leaves two of four facing directions", 0.5, {"one-object-4": 0.32}
    ),
    "the relation and the rectangle of the block (learned)": Exemption(
        "a nearer object that is as high in the image is on a taller block", 0.5, {"two-objects-2": 0.75}
    ),
}
