"""Frontal alignment: view parallelism and directional facing (sections 3.1, 6 and 13 of the paper).

View parallelism: the angle between the front and the image plane, or at the coarse level toward, away or sideways. Directional facing:
the direction of the front, with its side. Both concern the rotation about the vertical axis only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Reported, Task, identity, renamed
from isovist.suites.dori import facing_classes, option_angles
from isovist.suites.dori.facing_classes import FRONT, INDETERMINABLE, PAIR, Classes, key_of
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
    attributes,
    from_another_side,
    in_a_mirror,
    shows_front,
)
from isovist.world.scenes.scene_transforms import across_and_back, flat_camera, marked

_ROOT = 0.7071067811865476  # cosine of 45 degrees

PARALLEL_COARSE = ("Toward the camera", "Away from the camera", "Sideways, toward the left or the right")
PARALLEL_GRANULAR = ("0 to 45 degrees", "45 to 90 degrees", "90 to 135 degrees", "135 to 180 degrees", UNKNOWN)
FACING_COARSE = ("Toward the camera", "Away from the camera", "Toward the left of the image", "Toward the right of the image", UNKNOWN)
FACING_GRANULAR = (
    "Toward the camera (0 degrees)",
    "About 30 degrees to the left",
    "About 30 degrees to the right",
    "Another direction, more than 45 degrees from the camera direction",
    UNKNOWN,
)

_STEPS = (
    "Locate {it} and identify what kind of object it is.",
    "Identify the parts that distinguish its front from its back and sides, if it has a single front.",
    "Determine the direction of its front relative to the camera.",
)

PARALLEL = {
    "coarse": Classes(
        PARALLEL_COARSE,
        (((-45, 45),), ((135, 225),), ((45, 135), (-135, -45))),
        "Determine the facing direction of {it} relative to the camera.",
        f"{FRONT} The object faces toward the camera if its front is within 45 degrees of the camera direction. It faces away from the "
        "camera if its front is within 45 degrees of the opposite direction. Otherwise it faces sideways. An object may be a pair of "
        "identical objects that both face the same direction.",
        _STEPS,
        "A car that drives toward the camera, with both headlights visible, faces toward the camera.",
    ),
    "granular": Classes(
        PARALLEL_GRANULAR,
        (((-45, 45),), ((45, 90), (-90, -45)), ((90, 135), (-135, -90)), ((135, 225),)),
        "Determine by how many degrees the front of {it} is rotated out of the image plane.",
        f"{FRONT} At 0 degrees, the front is parallel to the image plane and faces the camera. At 90 degrees, the front points to one "
        "side. At 180 degrees, the front points directly away from the camera. Only the rotation about the vertical axis counts. "
        f"{PAIR} {INDETERMINABLE}",
        _STEPS,
        "A chair that is seen from behind, with a little of one side visible, is rotated by 135 to 180 degrees.",
    ),
}

FACING = {
    "coarse": Classes(
        FACING_COARSE,
        (((-45, 45),), ((135, 225),), ((-135, -45),), ((45, 135),)),
        "Determine in which direction the front of {it} points, relative to the camera.",
        f"{FRONT} Left and right are those of the image. Choose the nearest of the four directions. {PAIR} {INDETERMINABLE}",
        _STEPS,
        "A horse that is seen from the side, with its head on the left, faces toward the left of the image.",
    ),
    "granular": Classes(
        FACING_GRANULAR,
        (((-15, 15),), ((-45, -15),), ((15, 45),), ((45, 315),)),
        "Determine the precise direction of the front of {it}, relative to the camera.",
        f"{FRONT} Angles are measured from the camera direction. Left and right are those of the image: a front that is rotated to the "
        f"left points past the camera on the left side of the image. {PAIR} {INDETERMINABLE}",
        _STEPS,
        "A person whose chest points slightly to the left of the camera is rotated about 30 degrees to the left.",
    ),
}


def _front_components(pictures: tuple[Scene3D, ...]) -> tuple[float, float] | None:
    """The components of the marked front to the right and out of the image, see `across_and_back`; None without a visible front."""
    (picture,) = pictures
    solid = marked(picture)
    return across_and_back(flat_camera(picture), solid) if shows_front(picture, solid) else None


def read_parallel(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from the component of the front out of the image plane."""
    components = _front_components(pictures)
    if components is None:
        return UNKNOWN
    back = components[1]
    if PARALLEL_GRANULAR[3] not in words:
        return PARALLEL_COARSE[0 if back > _ROOT else 1 if back < -_ROOT else 2]
    return PARALLEL_GRANULAR[sum(back < edge for edge in (_ROOT, 0.0, -_ROOT))]


def read_facing(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from the signs and sizes of the components of the front to the right and out of the image."""
    components = _front_components(pictures)
    if components is None:
        return UNKNOWN
    right, back = components
    if FACING_GRANULAR[3] not in words:
        if abs(back) > abs(right):
            return FACING_COARSE[0 if back > 0 else 1]
        return FACING_COARSE[3 if right > 0 else 2]
    if back < abs(right):
        return FACING_GRANULAR[3]
    aside = right / back
    return FACING_GRANULAR[0 if abs(aside) < 0.2679 else 2 if aside > 0 else 1]  # the tangent of 15 degrees


def _back_to_front(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    options = PARALLEL_COARSE[:2] if scene.level == "coarse" else PARALLEL_GRANULAR[:4]
    return about_face(scene), renamed(dict(zip(options, reversed(options), strict=True)))


def _mirrored_parallel(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Mirroring does not change the angle to the image plane."""
    return in_a_mirror(scene), identity


def _mirrored_facing(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Mirroring exchanges left and right."""
    a, b = FACING_COARSE[2:4] if scene.level == "coarse" else FACING_GRANULAR[1:3]
    return in_a_mirror(scene), renamed({a: b, b: a})


def _faced_about(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the target by 180 degrees. At the granular level this changes the three near directions to the fourth; others stay unused."""
    if scene.level == "granular":
        near = key_of(scene, FACING) in FACING_GRANULAR[:3]
        return (about_face(scene), lambda _: FACING_GRANULAR[3]) if near else (scene, identity)
    a, b, c, d, _ = FACING_COARSE
    return about_face(scene), renamed({a: b, b: a, c: d, d: c})


TASKS = (
    Task(
        id="dori/view-parallelism",
        version=6,
        summary="Classify the angle between an object's facing direction and the image plane.",
        sample=facing_classes.sampling(PARALLEL),
        draw=lambda scene: scene.scenes3d,
        ask=facing_classes.asking(PARALLEL),
        rederive=read_parallel,
        answers=Answers(type="choice", strata=(len(PARALLEL_COARSE), len(PARALLEL_GRANULAR))),
        skills=SKILLS["view-parallelism"],
        levels=LEVELS,
        settings=DESIGN,
        images=SQUARE,
        paper=replace(PAPER, scorer=published("view-parallelism")),
        reported=Reported(
            attributes=lambda scene: attributes(scene, "view-parallelism", (len(PARALLEL_COARSE), len(PARALLEL_GRANULAR))),
            option_angles=option_angles.angles("view-parallelism"),
        ),
        checks=replace(CHECKS, symmetries=(from_another_side, _back_to_front, _mirrored_parallel), shortcuts=FACING_SHORTCUTS),
        reasoning=facing_classes.reasoning(PARALLEL, read_parallel),
    ),
    Task(
        id="dori/directional-facing",
        version=6,
        summary="Name the facing direction of an object relative to the camera.",
        sample=facing_classes.sampling(FACING),
        draw=lambda scene: scene.scenes3d,
        ask=facing_classes.asking(FACING),
        rederive=read_facing,
        answers=Answers(type="choice", strata=(len(FACING_COARSE), len(FACING_GRANULAR))),
        skills=SKILLS["directional-facing"],
        levels=LEVELS,
        settings=DESIGN,
        images=SQUARE,
        paper=replace(PAPER, scorer=published("directional-facing")),
        reported=Reported(
            attributes=lambda scene: attributes(scene, "directional-facing", (len(FACING_COARSE), len(FACING_GRANULAR))),
            option_angles=option_angles.angles("directional-facing"),
        ),
        checks=replace(CHECKS, symmetries=(from_another_side, _faced_about, _mirrored_facing), shortcuts=FACING_SHORTCUTS),
        reasoning=facing_classes.reasoning(FACING, read_facing),
    ),
)
