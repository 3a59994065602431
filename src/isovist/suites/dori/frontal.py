"""Frontal alignment: view parallelism and directional facing (sections 3.1, 6 and 13 of the paper).

View parallelism asks how far the front is turned out of the picture plane, coarsely for towards, away or sideways; directional
facing to which side. Both are about the turn around the vertical axis alone.
"""

from __future__ import annotations

from collections.abc import Callable

from isovist.core.scene3d import Scene3D
from isovist.core.task import identity, renamed
from isovist.scenes.scene_transforms import across_and_back, flat_camera, marked
from isovist.suites.dori.facing_classes import CANNOT_TELL, TWO_ALIKE, Classes, camera_task, key_of
from isovist.suites.dori.task_factory import UNKNOWN, Scene, about_face, in_a_mirror, shows_front

_ROOT = 0.7071067811865476  # cosine of 45 degrees

PARALLEL_COARSE = ("Towards the camera", "Away from the camera", "Sideways, to the left or the right of the camera")
PARALLEL_GRANULAR = ("0 to 45 degrees", "45 to 90 degrees", "90 to 135 degrees", "135 to 180 degrees", UNKNOWN)
FACING_COARSE = ("Towards the camera", "Away from the camera", "To the left of the picture", "To the right of the picture", UNKNOWN)
FACING_GRANULAR = (
    "Towards the camera (0 degrees)",
    "About 30 degrees to the left",
    "About 30 degrees to the right",
    "Another direction, more than 45 degrees off the camera",
    UNKNOWN,
)

_FRONT = "The front of an object is the side that it is used from or moves towards: a face, headlights, a screen, the open side of a seat."
_NO_DIRECTION = f"{TWO_ALIKE} An object without one front has no such direction{CANNOT_TELL}"
_STEPS = (
    "Find {it} and see what kind of object it is.",
    "Find the parts that tell its front from its back and sides, if it has one front.",
    "Judge how the front is turned against the camera.",
)

PARALLEL = {
    "coarse": Classes(
        PARALLEL_COARSE,
        (((-45, 45),), ((135, 225),), ((45, 135), (-135, -45))),
        "Find out which way the front of {it} is turned, as seen from the camera.",
        _FRONT + " It is turned towards the camera if it is within 45 degrees of it, away if it is within 45 degrees of the opposite direction, and sideways between these. An object may consist of two alike things that both face the same way.",
        _STEPS,
        "A car that drives towards you, with both headlights in view, is turned towards the camera.",
    ),
    "granular": Classes(
        PARALLEL_GRANULAR,
        (((-45, 45),), ((45, 90), (-90, -45)), ((90, 135), (-135, -90)), ((135, 225),)),
        "Find out by how many degrees the front of {it} is turned out of the plane of the picture.",
        _FRONT + " At 0 degrees the front is parallel to the picture and looks at the camera, at 90 degrees it looks to one side, at 180 degrees it looks straight away. Only the turn about the vertical axis counts." + TWO_ALIKE + " An object without one front has no such angle" + CANNOT_TELL,
        _STEPS,
        "A chair seen from behind, and a little of one side too, is turned by 135 to 180 degrees.",
    ),
}  # fmt: skip

FACING = {
    "coarse": Classes(
        FACING_COARSE,
        (((-45, 45),), ((135, 225),), ((-135, -45),), ((45, 135),)),
        "Find out in which direction the front of {it} points, as seen from the camera.",
        _FRONT + " Left and right are those of the picture. The direction is the nearest of the four." + _NO_DIRECTION,
        _STEPS,
        "A horse whose head is at the left and whose tail is at the right of it faces to the left of the picture.",
    ),
    "granular": Classes(
        FACING_GRANULAR,
        (((-15, 15),), ((-45, -15),), ((15, 45),), ((45, 315),)),
        "Find out the precise direction of the front of {it}, as seen from the camera.",
        _FRONT + " Left and right are those of the picture: a front that is turned to the left points past the camera on the left side." + _NO_DIRECTION,
        _STEPS,
        "A person whose chest looks at a point a little left of the camera is turned about 30 degrees to the left.",
    ),
}  # fmt: skip


def _seen(pictures: tuple[Scene3D, ...]) -> tuple[float, float] | None:
    """What the front of the marked object shows to the right and out of the picture, see `across_and_back`."""
    (picture,) = pictures
    solid = marked(picture)
    return across_and_back(flat_camera(picture), solid) if shows_front(picture, solid) else None


def read_parallel(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By how much of the front's direction comes out of the picture plane."""
    seen = _seen(pictures)
    if seen is None:
        return UNKNOWN
    back = seen[1]
    if "135 to 180" not in words:
        return PARALLEL_COARSE[0 if back > _ROOT else 1 if back < -_ROOT else 2]
    return PARALLEL_GRANULAR[sum(back < edge for edge in (_ROOT, 0.0, -_ROOT))]


def read_facing(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the signs and sizes of what the front's direction shows to the right and out of the picture."""
    seen = _seen(pictures)
    if seen is None:
        return UNKNOWN
    right, back = seen
    if "30 degrees" not in words:
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
    """In a mirror nothing is turned further out of the picture plane."""
    return in_a_mirror(scene), identity


def _mirrored_facing(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """In a mirror left becomes right."""
    a, b = FACING_COARSE[2:4] if scene.level == "coarse" else FACING_GRANULAR[1:3]
    return in_a_mirror(scene), renamed({a: b, b: a})


def _faced_about(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """At the granular level half a turn brings the three near directions to the fourth, and where the fourth goes is not told."""
    if scene.level == "granular":
        near = key_of(scene, FACING) in FACING_GRANULAR[:3]
        return (about_face(scene), lambda _: FACING_GRANULAR[3]) if near else (scene, identity)
    a, b, c, d, _ = FACING_COARSE
    return about_face(scene), renamed({a: b, b: a, c: d, d: c})


TASKS = (
    camera_task(
        "view-parallelism",
        "Classify the angle between an object's facing direction and the image plane.",
        PARALLEL,
        read_parallel,
        _back_to_front,
        _mirrored_parallel,
    ),
    camera_task(
        "directional-facing",
        "Name the facing direction of an object relative to the camera.",
        FACING,
        read_facing,
        _faced_about,
        _mirrored_facing,
    ),
)
