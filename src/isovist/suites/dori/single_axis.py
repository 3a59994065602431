"""Single-axis rotation: how an object must be turned about the vertical axis to face the camera (sections 3.1, 6 and 13).

Seen from above throughout. At the granular level the rotation asked for is clockwise and at most half a turn, so only objects
are shown that such a turn brings to the camera.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, degrees

from isovist.core.scene3d import Scene3D
from isovist.core.task import identity, renamed
from isovist.scenes.scene_transforms import ahead, marked
from isovist.suites.dori.facing_classes import CANNOT_TELL, TWO_ALIKE, Classes, camera_task, key_of
from isovist.suites.dori.task_factory import UNKNOWN, Scene, about_face, in_a_mirror, shows_front

COARSE = ("Clockwise", "Counterclockwise", "None: it faces the camera already", "Half a turn: both ways are equally long", UNKNOWN)
GRANULAR = ("0 degrees", "45 degrees", "90 degrees", "135 degrees", "180 degrees", UNKNOWN)
_STEP = 45.0
_CONCEPT = (
    "The object stays where it is and turns about a vertical axis, like a dancer on the spot. Clockwise and counterclockwise are "
    "meant as seen from above. It faces the camera when its front, the side it is used from or moves towards, looks at it."
)
_NO_FRONT = f"{TWO_ALIKE} An object without one front cannot be turned to face anything{CANNOT_TELL}"
_STEPS = (
    "Find {it} and its front, if it has one.",
    "Imagine the scene from above, with the camera at the lower edge.",
    "Turn the object on the spot until its front looks at the camera.",
)
CLASSES = {
    "coarse": Classes(
        COARSE,
        (((22.5, 157.5),), ((-157.5, -22.5),), ((-22.5, 22.5),), ((157.5, 202.5),)),
        "Find the shortest way to turn {it} so that it faces the camera.",
        f"{_CONCEPT} A front less than 22.5 degrees off the camera faces it already; one less than 22.5 degrees off the opposite "
        f"direction needs half a turn.{_NO_FRONT}",
        _STEPS,
        "An object seen from above whose front points to the right of the picture must turn clockwise to face the camera below.",
    ),
    "granular": Classes(
        GRANULAR,
        tuple(((_STEP * i - _STEP / 2, _STEP * i + _STEP / 2),) for i in range(5)),
        "Find out by how many degrees {it} must turn clockwise to face the camera; choose the nearest angle.",
        f"{_CONCEPT}{_NO_FRONT}",
        _STEPS,
        "An object whose front points exactly to the right of the picture needs a turn of 90 degrees clockwise.",
        nearest=True,
    ),
}
"""The front is turned counterclockwise off the camera by its angle, so it must turn back clockwise."""


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the turn that brings the front, laid out on a map, to the direction of the camera."""
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
    if "degrees clockwise" in words:
        return GRANULAR[round(clockwise / _STEP) % 8]
    if min(clockwise, 360 - clockwise) < _STEP / 2:
        return COARSE[2]
    if abs(clockwise - 180) < _STEP / 2:
        return COARSE[3]
    return COARSE[0 if clockwise < 180 else 1]


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Clockwise becomes counterclockwise. Granular turns of 45 to 135 degrees would leave the options, so those stay."""
    if scene.level == "granular":
        return (in_a_mirror(scene), identity) if key_of(scene, CLASSES) not in GRANULAR[1:4] else (scene, identity)
    return in_a_mirror(scene), renamed({COARSE[0]: COARSE[1], COARSE[1]: COARSE[0]})


def _turned_further(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """An eighth of a turn counterclockwise takes an eighth more to turn back, and half a turn from half a turn none.

    At the coarse level half a turn: clockwise becomes counterclockwise, none half a turn.
    """
    if scene.level == "coarse":
        a, b, c, d, _ = COARSE
        return about_face(scene), renamed({a: b, b: a, c: d, d: c})
    key = key_of(scene, CLASSES)
    if key == UNKNOWN:
        return about_face(scene), identity
    place = GRANULAR.index(key)
    return about_face(scene, by=_STEP if place < 4 else 180), lambda _: GRANULAR[(place + 1) % 5]


TASK = camera_task(
    "single-axis-rotation",
    "Determine the rotation about the vertical axis that makes an object face the camera.",
    CLASSES,
    _read,
    _turned_further,
    _in_a_mirror,
    turn=True,
)
