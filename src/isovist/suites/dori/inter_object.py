"""Inter-object direction: the facing directions of two objects relative to each other, in the world frame (sections 3.1, 6 and 13).

The paper's list of questions has "to face" the other object; its section on the task and its examples align the two directions. This
task aligns the directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from isovist.core.rotation import cosine, sine, wrapped
from isovist.core.scene3d import Camera, Scene3D, facing
from isovist.core.task import Answers, Question, RejectSample, Reported, SamplingContext, Task, renamed
from isovist.suites.dori import option_angles
from isovist.suites.dori.facing_classes import FRONT, PAIR, Classes
from isovist.suites.dori.published_scorer import published
from isovist.suites.dori.shared_parts import (
    CHECKS,
    DESIGN,
    FACING_SHORTCUTS,
    LEVELS,
    PAPER,
    SKILLS,
    SQUARE,
    UNKNOWN,
    Scene,
    about_face,
    as_published,
    attributes,
    build_scene,
    from_another_side,
    has_front,
    in_a_mirror,
    in_twos,
    place_of,
    setting_of,
)
from isovist.world.scenes import habitats, object_catalog
from isovist.world.scenes.camera_framing import Body, aimed, extent, standing, viewpoint
from isovist.world.scenes.habitats import Habitat
from isovist.world.scenes.mesh_catalog import Front
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, crowd, turn
from isovist.world.scenes.scene_transforms import BLUE, RED, ahead, marked, within

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
    f"{FRONT} Each object faces the direction in which its front points. Compare these two directions on the ground, as if both "
    "objects stood at the same position. The position of the camera does not matter."
)
_INDETERMINABLE = "The answer cannot be determined if one of the two marked objects has no single front."
_STEPS = (
    "Locate both objects and the front of each, if it has a single front.",
    "Imagine the scene from above and draw an arrow for each front.",
    "Compare the directions of the two arrows.",
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
        "Determine how the object in the red frame and the object in the blue frame face relative to each other.",
        f"{_CONCEPT} Same means 0 degrees apart, and opposite means 180 degrees apart. Choose the nearest option. {PAIR} {_INDETERMINABLE}",
        _STEPS,
        "Two cars parked one behind the other on the same side of a street face in the same direction.",
    ),
    "granular": Classes(
        GRANULAR,
        (*(((45.0 * i, 45.0 * i + 45.0),) for i in range(4)), *(((-45.0 * i - 45.0, -45.0 * i),) for i in range(4))),
        "Determine the shortest rotation that makes the object in the blue frame face in the same direction as the object in the red "
        "frame.",
        f"{_CONCEPT} Clockwise and counterclockwise are as seen from above. {PAIR} {_INDETERMINABLE}",
        _STEPS,
        "If the front of the object in the blue frame is 60 degrees counterclockwise from the front of the other object, the answer is 45 "
        "to 90 degrees clockwise.",
    ),
}
"""Spans of the yaw of the object in the blue frame minus the yaw of the object in the red frame."""

_ELEVATION, _FOVS, _SHARE = (24.0, 36.0), (7.0, 11.0), (0.36, 0.48)
"""Raised cameras with a long lens, so that both objects are seen from similar directions."""
MOST_APART = 5.0
"""Maximum angle between the lines of sight to the two objects, in degrees: equal directions then look equal, and the difference that a
viewer sees is in the class of the true one.
"""
MARGIN = 15.0
"""Minimum angle to the edges of a class, in degrees; larger than for one object, because two directions are judged."""
_TRIES = 12
_LEAST_LARGE = 0.23
"""Minimum square root of the image box of each object, in image heights; of a pair, of two such boxes."""
_KNOWN_TWO, _UNKNOWN_TWO = 7, 8
"""Items of ten with a pair of objects, if the answer is known and if it is unknown. They do not depend on how many samples are rejected."""
RATIO = 2.0  # maximum ratio of the diagonals of the two objects


_FRONTLESS: tuple[Front, ...] = ("none", "symmetric")


def _candidates(frontless: bool, groups: Mapping[bool, object_catalog.Groups]) -> object_catalog.Groups:
    """Objects by category, without a single front or with an obvious one."""
    return groups[True] if frontless else object_catalog.plain(groups[False])


def _things(plan: SamplingContext, setting: Setting, known: bool) -> tuple[CatalogObject, CatalogObject, Habitat]:
    """Two objects of a habitat. If the answer is unknown, one has no single front, in most cases because it is a pair facing opposite
    directions. The paper's design has no pairs.
    """
    rng = plan.image_rng
    two = not as_published(plan) and plan.image_stratum("two", 10) < (_KNOWN_TWO if known else _UNKNOWN_TWO)
    odd = plan.image_stratum("frontless", 2)
    by_category = not known and not two
    place = place_of(setting)
    either = {frontless: object_catalog.chosen(_FRONTLESS if frontless else ("clear",), place) for frontless in (False, True)}
    first = object_catalog.pick(rng, _candidates(by_category and odd == 0, either))
    habitat = habitats.draw(rng, first, place)
    fitting = {
        frontless: habitats.residents(habitat, _FRONTLESS if frontless else ("clear",), first.span, RATIO) for frontless in (False, True)
    }
    groups = _candidates(by_category and odd == 1, fitting)
    if not groups:
        raise RejectSample
    things = [first, object_catalog.pick(rng, groups)]
    if two:
        if not in_twos(things[odd], setting):
            raise RejectSample
        things[odd] = object_catalog.two_of(rng, things[odd], turn(rng), front=known)
    return things[0], things[1], habitat


def _sample(plan: SamplingContext) -> Scene:
    rng, setting, spans = plan.image_rng, setting_of(plan), CLASSES[plan.level].spans
    known = plan.stratum < len(spans)
    a = turn(rng)
    b = a + (within(rng, spans[plan.stratum], margin=MARGIN) if known else turn(rng))
    first, second, habitat = _things(plan, setting, known)
    for _ in range(_TRIES):
        view = replace(viewpoint(rng, _SHARE, _ELEVATION, off=4.0), fov=round(rng.uniform(*_FOVS), 1))
        # side by side as seen from the camera, so that neither occludes the other
        aside = view.azimuth + rng.pick((90, -90)) + rng.uniform(-30, 30)
        far = (first.reach + second.reach) * rng.uniform(1.05, 1.35)
        targets = (
            standing(first, (0.0, 0.0), a, rng.pick(TINTS)),
            standing(second, (far * sine(aside), far * cosine(aside)), b, rng.pick(TINTS)),
        )
        try:
            camera = aimed(view, targets)
        except RejectSample:
            continue
        if _apart(camera, targets) > MOST_APART:
            continue
        one, two = (extent(camera, body) for body in targets)
        if any(box.area < (1 + bool(body.thing.made)) * _LEAST_LARGE**2 for box, body in zip((one, two), targets, strict=True)):
            continue
        most_common = 0.0 if first.category == second.category else MOST_HIDDEN * min(one.area, two.area)
        if one.common(two) <= most_common:
            around = crowd(rng, setting, camera, targets, rng.integer(2, 5), habitat=habitat)
            return build_scene(plan, setting, camera, (*targets, *around), 2, habitat)
    raise RejectSample


def _apart(camera: Camera, targets: Sequence[Body]) -> float:
    """The angle between the lines of sight to two objects in degrees, seen from above."""
    red, blue = (wrapped(facing(camera, body.solid.pose) - body.solid.pose.yaw) for body in targets)
    return abs(wrapped(blue - red))


def _ask(scene: Scene) -> Question:
    classes = CLASSES[scene.level]
    red, blue = (scene.scenes3d[0].objects[i] for i in scene.targets)
    return classes.question(classes.of(wrapped(blue.pose.yaw - red.pose.yaw)) if has_front(red) and has_front(blue) else UNKNOWN)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from the dot and cross products of the two directions."""
    (picture,) = pictures
    red, blue = marked(picture, RED), marked(picture, BLUE)
    if not (has_front(red) and has_front(blue)):
        return UNKNOWN
    (rx, _, rz), (bx, _, bz) = ahead(red), ahead(blue)
    along = rx * bx + rz * bz
    if GRANULAR[4] not in words:
        return COARSE[sum(along < cosine(edge) for edge in (22.5, 67.5, 112.5, 157.5))]
    # about +Y, from blue to red: z cross x is y
    counterclockwise = bz * rx - bx * rz > 0
    return GRANULAR[sum(along < cosine(edge) for edge in (45, 90, 135)) + 4 * counterclockwise]


def _reversed_target(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the first target by 180 degrees: same becomes opposite, and clockwise becomes counterclockwise."""
    options: tuple[str, ...] = COARSE[:5] if scene.level == "coarse" else GRANULAR[:8]
    return about_face(scene), renamed(dict(zip(options, reversed(options), strict=True)))


def _exchanged(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange the frames: clockwise becomes counterclockwise."""
    picture = scene.scenes3d[0]
    red, blue = picture.markers
    marks = (replace(red, object_index=blue.object_index), replace(blue, object_index=red.object_index))
    moved = replace(scene, targets=scene.targets[::-1], scenes3d=(replace(picture, markers=marks),))
    return moved, renamed(dict(zip(GRANULAR[:8], GRANULAR[4:8] + GRANULAR[:4], strict=True)))


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Mirror the scene: clockwise becomes counterclockwise."""
    return in_a_mirror(scene), _exchanged(scene)[1]


TASK = Task(
    id="dori/inter-object-direction",
    version=6,
    summary="Determine the relative facing directions of two objects.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=(len(COARSE), len(GRANULAR))),
    skills=SKILLS["inter-object-direction"],
    levels=LEVELS,
    settings=DESIGN,
    images=replace(SQUARE, colour_vision="partial"),
    paper=replace(PAPER, scorer=published("inter-object-direction")),
    reported=Reported(
        attributes=lambda scene: attributes(scene, "inter-object-direction", (len(COARSE), len(GRANULAR))),
        option_angles=option_angles.angles("inter-object-direction"),
    ),
    checks=replace(CHECKS, symmetries=(from_another_side, _reversed_target, _exchanged, _in_a_mirror), shortcuts=FACING_SHORTCUTS),
)
