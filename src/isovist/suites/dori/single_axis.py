"""Single-axis rotation: the rotation about the vertical axis that makes an object face the camera (sections 3.1, 6 and 13).

Directions are as seen from above. At the granular level the rotation is clockwise and at most 180 degrees, so only objects for which
such a rotation exists are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import atan2, degrees

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
from isovist.world.scenes.scene_transforms import ahead, marked

COARSE = (
    "Clockwise",
    "Counterclockwise",
    "No rotation: it already faces the camera",
    "Rotation by 180 degrees: both directions are equally long",
    UNKNOWN,
)
GRANULAR = ("0 degrees", "45 degrees", "90 degrees", "135 degrees", "180 degrees", UNKNOWN)
_STEP = 45.0
_CONCEPT = (
    f"{FRONT} The object stays in place and rotates about its vertical axis. Clockwise and counterclockwise are as seen from above. The "
    "object faces the camera when its front points toward the camera."
)
_STEPS = (
    "Locate {it} and its front, if it has a single front.",
    "Imagine the scene from above, with the camera at the bottom.",
    "Rotate the object in place until its front points toward the camera.",
)
CLASSES = {
    "coarse": Classes(
        COARSE,
        (((22.5, 157.5),), ((-157.5, -22.5),), ((-22.5, 22.5),), ((157.5, 202.5),)),
        "Determine the direction of the shortest rotation that makes {it} face the camera.",
        f"{_CONCEPT} It already faces the camera if its front is less than 22.5 degrees from the camera direction. It needs a rotation "
        f"by 180 degrees if its front is less than 22.5 degrees from the opposite direction. {PAIR} {INDETERMINABLE}",
        _STEPS,
        "On a map with the camera at the bottom, an object whose front points to the right must rotate clockwise to face the camera.",
    ),
    "granular": Classes(
        GRANULAR,
        tuple(((_STEP * i - _STEP / 2, _STEP * i + _STEP / 2),) for i in range(5)),
        "Determine by how many degrees {it} must rotate clockwise to face the camera. Choose the nearest angle.",
        f"{_CONCEPT} {PAIR} {INDETERMINABLE}",
        _STEPS,
        "An object whose front points exactly toward the right of the image must rotate 90 degrees clockwise.",
        nearest=True,
    ),
}
"""Spans of the angle of the front, counterclockwise from the camera direction: the same angle clockwise is the rotation."""


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from the rotation on a map that makes the front point to the camera."""
    (picture,) = pictures
    solid = marked(picture)
    if not shows_front(picture, solid):
        return UNKNOWN
    (fx, _, fz), (ex, _, ez), (sx, _, sz) = ahead(solid), picture.camera.eye, solid.pose.position
    cx, cz = ex - sx, ez - sz
    # a map from above has x to the right and z downwards: its y is -z
    front, camera = (fx, -fz), (cx, -cz)
    counterclockwise = degrees(atan2(front[0] * camera[1] - front[1] * camera[0], front[0] * camera[0] + front[1] * camera[1]))
    clockwise = -counterclockwise % 360
    if COARSE[2] not in words:
        return GRANULAR[round(clockwise / _STEP) % 8]
    if min(clockwise, 360 - clockwise) < _STEP / 2:
        return COARSE[2]
    if abs(clockwise - 180) < _STEP / 2:
        return COARSE[3]
    return COARSE[0 if clockwise < 180 else 1]


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Clockwise becomes counterclockwise. Granular rotations by 45 to 135 degrees would have no option, so those stay."""
    if scene.level == "granular":
        return (in_a_mirror(scene), identity) if key_of(scene, CLASSES) not in GRANULAR[1:4] else (scene, identity)
    return in_a_mirror(scene), renamed({COARSE[0]: COARSE[1], COARSE[1]: COARSE[0]})


def _turned_further(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Granular: rotate the target 45 degrees counterclockwise, which adds 45 degrees to the key, or by 180 degrees if the key is 180.

    Coarse: rotate it by 180 degrees, which exchanges clockwise and counterclockwise, and none and 180 degrees.
    """
    if scene.level == "coarse":
        a, b, c, d, _ = COARSE
        return about_face(scene), renamed({a: b, b: a, c: d, d: c})
    key = key_of(scene, CLASSES)
    if key == UNKNOWN:
        return about_face(scene), identity
    place = GRANULAR.index(key)
    return about_face(scene, by=_STEP if place < 4 else 180), lambda _: GRANULAR[(place + 1) % 5]


TASK = Task(
    id="dori/single-axis-rotation",
    version=6,
    summary="Determine the rotation about the vertical axis that makes an object face the camera.",
    sample=facing_classes.sampling(CLASSES),
    draw=lambda scene: scene.scenes3d,
    ask=facing_classes.asking(CLASSES),
    rederive=_read,
    answers=Answers(type="choice", strata=(len(COARSE), len(GRANULAR))),
    skills=SKILLS["single-axis-rotation"],
    levels=LEVELS,
    settings=DESIGN,
    images=SQUARE,
    paper=replace(PAPER, scorer=published("single-axis-rotation")),
    reported=Reported(
        attributes=lambda scene: attributes(scene, "single-axis-rotation", (len(COARSE), len(GRANULAR))),
        option_angles=option_angles.angles("single-axis-rotation"),
    ),
    checks=replace(CHECKS, symmetries=(from_another_side, _turned_further, _in_a_mirror), shortcuts=FACING_SHORTCUTS),
    reasoning=facing_classes.reasoning(CLASSES, _read, turn=True),
)
