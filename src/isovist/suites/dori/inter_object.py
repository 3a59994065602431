"""Inter-object direction: how two objects face relative to each other, whatever the camera sees (sections 3.1, 6 and 13).

The paper's list of questions asks how far one must turn "to face" the other; its section on the task, and its examples, are
about aligning the two directions. So is this task.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isovist.core.rotation import cosine, sine, wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, RejectSample, SamplingContext, renamed
from isovist.scenes import object_catalog
from isovist.scenes.camera_framing import aimed, extent, standing, viewpoint
from isovist.scenes.mesh_catalog_data import Front
from isovist.scenes.object_catalog import CatalogObject
from isovist.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, crowd, turn
from isovist.scenes.scene_transforms import BLUE, RED, ahead, marked, within
from isovist.suites.dori.facing_classes import Classes
from isovist.suites.dori.task_factory import (
    FACING_SHORTCUTS,
    KNOWN_TWO,
    UNKNOWN,
    UNKNOWN_TWO,
    Scene,
    about_face,
    dori,
    from_another_side,
    has_front,
    in_a_mirror,
    in_twos,
    setting_of,
    staged,
)

COARSE = (
    "In the same direction",
    "Partly in the same direction (about 45 degrees apart)",
    "At right angles (about 90 degrees apart)",
    "Partly in opposite directions (about 135 degrees apart)",
    "In opposite directions",
    UNKNOWN,
)
_RANGES = ("0 to 45 degrees", "45 to 90 degrees", "90 to 135 degrees", "135 to 180 degrees")
GRANULAR = (*(f"{span} clockwise" for span in _RANGES), *(f"{span} counterclockwise" for span in _RANGES), UNKNOWN)
_CONCEPT = (
    "Each object faces where its own front points: the side it is used from or moves towards. What counts are these two directions "
    "on the ground, as if both objects stood on one spot, and not how they look to the camera."
)
_TWO_ALIKE = (
    " An object may consist of two alike things: it has one front if both face the same way. If one of the objects has no one front, this "
    "cannot be told."
)
_STEPS = (
    "Find both objects and the front of each, if it has one.",
    "Imagine the scene from above and draw an arrow for each front.",
    "Compare the two arrows.",
)
CLASSES = {
    "coarse": Classes(
        COARSE,
        (
            ((-22.5, 22.5),),
            ((22.5, 67.5), (-67.5, -22.5)),
            ((67.5, 112.5), (-112.5, -67.5)),
            ((112.5, 157.5), (-157.5, -112.5)),
            ((157.5, 202.5),),
        ),
        "Find out how the object in the red frame and the object in the blue frame face relative to each other.",
        f"{_CONCEPT} Directions less than 22.5 degrees apart are the same.{_TWO_ALIKE}",
        _STEPS,
        "Two cars parked one behind the other on the same side of a street face in the same direction.",
    ),
    "granular": Classes(
        GRANULAR,
        (*(((45.0 * i, 45.0 * i + 45.0),) for i in range(4)), *(((-45.0 * i - 45.0, -45.0 * i),) for i in range(4))),
        "Find out how far the object in the blue frame must turn, the shortest way, to face in the same direction as the object in the "
        "red frame.",
        f"{_CONCEPT} Clockwise and counterclockwise are meant as seen from above.{_TWO_ALIKE}",
        _STEPS,
        "If the front of the blue one is turned 60 degrees counterclockwise from that of the red one, it must turn 45 to 90 degrees "
        "clockwise.",
    ),
}
"""Of the yaw of the object in the blue frame less that of the object in the red frame."""

_ELEVATION, _FOVS, _SHARE = (40.0, 58.0), (20.0, 28.0), (0.36, 0.46)
"""From higher up and further away than elsewhere: the floor tells directions, and both objects are seen from nearly one side."""
MARGIN = 15.0
"""Degrees from the edges of a class: more than for one object, since two directions are judged."""
_TRIES = 8
RATIO = 2.0  # of the diagonals of two objects, at most


def _asked(setting: Setting, frontless: bool, near: float | None = None) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects of a setting without one front, or such as tell at a glance which way they face; of a diagonal like another's."""
    fronts: tuple[Front, ...] = ("none", "symmetric") if frontless else ("clear",)
    groups = object_catalog.chosen(fronts, None if setting == "alone" else setting, near, ratio=RATIO)
    return groups if frontless else object_catalog.plain(groups)


def _things(plan: SamplingContext, setting: Setting, known: bool) -> tuple[CatalogObject, CatalogObject]:
    """Two objects, at most one of them two of a kind; without one front, where the answer is unknown, mostly because of such two."""
    rng = plan.image_rng
    two = rng.chance(KNOWN_TWO if known else UNKNOWN_TWO)
    odd = plan.image_stratum("frontless", 2)
    by_kind = not known and not two
    first = object_catalog.pick(rng, _asked(setting, by_kind and odd == 0))
    groups = _asked(setting, by_kind and odd == 1, first.span)
    if not groups:
        raise RejectSample
    things = [first, object_catalog.pick(rng, groups)]
    if two:
        if not in_twos(things[odd], setting):
            raise RejectSample
        things[odd] = object_catalog.two_of(rng, things[odd], turn(rng), front=known)
    return things[0], things[1]


def _sample(plan: SamplingContext) -> Scene:
    rng, setting, spans = plan.image_rng, setting_of(plan), CLASSES[plan.level].spans
    known = plan.stratum < len(spans)
    a = turn(rng)
    b = a + (within(rng, spans[plan.stratum], margin=MARGIN) if known else turn(rng))
    first, second = _things(plan, setting, known)
    for _ in range(_TRIES):
        looked = replace(viewpoint(rng, _SHARE, _ELEVATION, off=4.0), fov=round(rng.uniform(*_FOVS), 1))
        # side by side as the camera sees them, so that neither hides the other
        aside = looked.azimuth + rng.pick((90, -90)) + rng.uniform(-30, 30)
        far = (first.reach + second.reach) * rng.uniform(1.05, 1.35)
        targets = (
            standing(first, (0.0, 0.0), a, rng.pick(TINTS)),
            standing(second, (far * sine(aside), far * cosine(aside)), b, rng.pick(TINTS)),
        )
        try:
            camera = aimed(looked, targets)
        except RejectSample:
            continue
        one, two = (extent(camera, body) for body in targets)
        if one.common(two) <= MOST_HIDDEN * min(one.area, two.area):
            return staged(plan, setting, camera, (*targets, *crowd(rng, setting, camera, targets, rng.integer(2, 5))), 2)
    raise RejectSample


def _ask(scene: Scene) -> Question:
    classes = CLASSES[scene.level]
    red, blue = (scene.scenes3d[0].objects[i] for i in scene.targets)
    return classes.question(classes.of(wrapped(blue.pose.yaw - red.pose.yaw)) if has_front(red) and has_front(blue) else UNKNOWN)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the dot and cross product of the two directions."""
    (picture,) = pictures
    red, blue = marked(picture, RED), marked(picture, BLUE)
    if not (has_front(red) and has_front(blue)):
        return UNKNOWN
    (rx, _, rz), (bx, _, bz) = ahead(red), ahead(blue)
    along = rx * bx + rz * bz
    if "counterclockwise" not in words:
        return COARSE[sum(along < cosine(edge) for edge in (22.5, 67.5, 112.5, 157.5))]
    # about +Y, from blue to red: z cross x is y
    counterclockwise = bz * rx - bx * rz > 0
    return GRANULAR[sum(along < cosine(edge) for edge in (45, 90, 135)) + 4 * counterclockwise]


def _other_way(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The first target faces the other way: same becomes opposite, and clockwise counterclockwise."""
    options: tuple[str, ...] = COARSE[:5] if scene.level == "coarse" else GRANULAR[:8]
    return about_face(scene), renamed(dict(zip(options, reversed(options), strict=True)))


def _exchanged(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The frames change their places: clockwise becomes counterclockwise."""
    picture = scene.scenes3d[0]
    red, blue = picture.markers
    marks = (replace(red, object_index=blue.object_index), replace(blue, object_index=red.object_index))
    moved = replace(scene, targets=scene.targets[::-1], scenes3d=(replace(picture, markers=marks),))
    return moved, renamed(dict(zip(GRANULAR[:8], GRANULAR[4:8] + GRANULAR[:4], strict=True)))


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Clockwise becomes counterclockwise."""
    return in_a_mirror(scene), _exchanged(scene)[1]


TASK = dori(
    "inter-object-direction",
    "Determine the relative facing directions of two objects.",
    _sample,
    _ask,
    _read,
    strata=(len(COARSE), len(GRANULAR)),
    colour_vision="partial",
    shortcuts=FACING_SHORTCUTS,
    symmetries=(from_another_side, _other_way, _exchanged, _in_a_mirror),
)
