"""Single-axis rotation: how an object must be turned about the vertical axis to face the camera (sections 3.1, 6 and 13).

Seen from above throughout. At the granular level the rotation asked for is clockwise and at most half a turn, so only objects
are shown that such a turn brings to the camera.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, degrees

from isovist.core.scene3d import Camera, Scene3D, facing
from isovist.core.task import Question, SamplingContext, identity
from isovist.reasoning.templates import phrasing
from isovist.scenes.scene_transforms import Span, ahead, marked
from isovist.suites.dori import cot_facing
from isovist.suites.dori.task_factory import (
    FACING_SHORTCUTS,
    UNKNOWN,
    Scene,
    about_face,
    dori,
    from_another_side,
    has_front,
    in_a_mirror,
    named,
    question,
    sample_one,
    shows_front,
)

COARSE = ("Clockwise", "Counterclockwise", "None: it faces the camera already", "Half a turn: both ways are equally long", UNKNOWN)
GRANULAR = ("0 degrees", "45 degrees", "90 degrees", "135 degrees", "180 degrees", UNKNOWN)
_STEP = 45.0
SPANS: dict[str, tuple[Span, ...]] = {
    "coarse": ((22.5, 157.5), (-157.5, -22.5), (-22.5, 22.5), (157.5, 202.5)),
    "granular": tuple((_STEP * i - _STEP / 2, _STEP * i + _STEP / 2) for i in range(5)),
}
"""Of the angle of the front to the line to the camera, option by option; the last option has none."""
_EDGES = {"coarse": (0.0, 22.5, 157.5, 180.0), "granular": ()}
"""Degrees off the camera at which the options change; at the granular level the nearest angle counts."""
_CONCEPT = (
    "The object stays where it is and turns about a vertical axis, like a dancer on the spot. Clockwise and counterclockwise are "
    "meant as seen from above. It faces the camera when its front, the side it is used from or moves towards, looks at it. "
)
_WORDS = {
    "coarse": (
        "Find the shortest way to turn {it} so that it faces the camera.",
        _CONCEPT + "A front less than 22.5 degrees off the camera faces it already; one less than 22.5 degrees off the opposite "
        "direction needs half a turn. An object may consist of two alike things: it has one front if both face the same way, and none if they face opposite ways. An object without one front cannot be turned to face anything, and where so much is hidden that its front may be on either side, it "
        "cannot be told.",
        "An object seen from above whose front points to the right of the picture must turn clockwise to face the camera below.",
    ),
    "granular": (
        "Find out by how many degrees {it} must turn clockwise to face the camera; choose the nearest angle.",
        _CONCEPT
        + "An object may consist of two alike things: it has one front if both face the same way, and none if they face opposite ways. An object without one front cannot be turned to face anything, and where so much is hidden that its front may be on either side, it "
        "cannot be told.",
        "An object whose front points exactly to the right of the picture needs a turn of 90 degrees clockwise.",
    ),
}


def _sample(plan: SamplingContext) -> Scene:
    spans = SPANS[plan.level]
    return sample_one(plan, spans[plan.stratum : plan.stratum + 1] or None)


def _ask(scene: Scene) -> Question:
    """The front is turned counterclockwise off the camera by its angle, so it must turn back clockwise."""
    options = COARSE if scene.level == "coarse" else GRANULAR
    picture, subject = scene.stages[0], named(scene)
    solid = picture.solids[scene.targets[0]]
    truth = len(options) - 1
    if has_front(solid) and not scene.hidden:
        angle = facing(picture.camera, solid.pose)
        (truth,) = [i for i, (low, high) in enumerate(SPANS[scene.level]) if (angle - low) % 360 < high - low]
    task, concept, example = _WORDS[scene.level]
    steps = (
        f"Find {subject} and its front, if it has one.",
        "Imagine the scene from above, with the camera at the lower edge.",
        "Turn the object on the spot until its front looks at the camera.",
    )
    return question(task.format(it=subject), concept, steps, example, options, truth)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the turn that brings the front, laid out on a map, to the direction of the camera."""
    (picture,) = pictures
    solid = marked(picture)
    assert isinstance(picture.camera, Camera)
    if not shows_front(picture, solid):
        return UNKNOWN
    (fx, _, fz), (ex, _, ez), (sx, _, sz) = ahead(solid), picture.camera.eye, solid.pose.at
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


def _explain(scene: Scene) -> str:
    return cot_facing.chain(scene, _ask(scene).answer, _EDGES[scene.level], phrasing(scene), turn=True)


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    answer = _read(scene.stages, f"{question.text}\n{question.answer.options_text()}")
    return cot_facing.replay(scene.stages[0], answer, question.answer, _EDGES[scene.level], text, turn=True)


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Clockwise becomes counterclockwise. Granular turns of 45 to 135 degrees would leave the options, so those stay."""
    if scene.level == "granular":
        key = _ask(scene).answer.balance_bin()
        return (in_a_mirror(scene), identity) if key in (GRANULAR[0], GRANULAR[4], UNKNOWN) else (scene, identity)
    swapped = {COARSE[0]: COARSE[1], COARSE[1]: COARSE[0]}
    return in_a_mirror(scene), lambda answer: swapped.get(answer, answer)


def _turned_further(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """An eighth of a turn counterclockwise takes an eighth more to turn back, and half a turn from half a turn none.

    At the coarse level half a turn: clockwise becomes counterclockwise, none half a turn.
    """
    key = _ask(scene).answer.balance_bin()
    if scene.level == "coarse":
        a, b, c, d, _ = COARSE
        swapped = {a: b, b: a, c: d, d: c}
        return about_face(scene), lambda answer: swapped.get(answer, answer)
    if key == UNKNOWN:
        return about_face(scene), identity
    place = GRANULAR.index(key)
    return about_face(scene, by=_STEP if place < 4 else 180), lambda _: GRANULAR[(place + 1) % 5]


TASK = dori(
    "single-axis-rotation",
    "Determine the rotation about the vertical axis that makes an object face the camera.",
    _sample,
    _ask,
    _read,
    chain_of_thought=_explain,
    verify_chain=_replay,
    strata=(len(COARSE), len(GRANULAR)),
    shortcuts=FACING_SHORTCUTS,
    symmetries=(from_another_side, _turned_further, _in_a_mirror),
)
