"""Chains of thought about where a front points: what is seen of it, by how much it is turned, and what that means.

The verifier takes the object and the camera from the drawn stage, and measures the front with a dot and a cross product on a map
seen from above. Whether the front is hidden it finds out by rays from the eye.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import atan2, degrees, floor

from isovist.core.answers import Answer
from isovist.core.scene3d import Camera, Scene3D, SceneObject, facing
from isovist.reasoning.templates import NUMBER, StepTemplate, one_of
from isovist.reasoning.verifier import Due, render_chain, step_errors
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.scenes.scene_transforms import ahead, marked
from isovist.suites.dori.task_factory import UNKNOWN, Scene, has_front, named, shows_front

Edges = tuple[float, ...]
"""Degrees off the camera at which the options change."""

_SEATS = frozenset({"armchair", "bidet", "chair", "high chair", "office chair", "sofa", "toilet", "wheelchair"})
_DOORS = frozenset({
    "bedside table", "bookcase", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove", "wardrobe", "washing machine",
})  # fmt: skip
_PARTS = {
    "arrow": "its tip",
    "camera": "its lens",
    "computer": "its screen",
    "helmet": "its opening for the face",
    "laptop": "its screen",
    "rocking horse": "the head end",
    "snowman": "its face",
    "stop sign": "the side with the sign",
    "teddy bear": "its face",
    "TV": "its screen",
}
_BROAD = {"Person": "the face and the chest", "Animals": "the head end", "Vehicle": "the end that leads when it moves"}
_SIDE = "the side that it is used from"
_ROUND = ("all the way round", "after half a turn", "after a quarter turn")


def part(thing: CatalogObject) -> str:
    """What is the front of an object that has one."""
    if thing.category in _SEATS:
        return "the open side of its seat"
    if thing.category in _DOORS:
        return "the side that opens or is reached into"
    return _PARTS.get(thing.category) or _BROAD.get(thing.broad, _SIDE)


def article(name: str) -> str:
    """A name with "a" or "an" before it."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def called(thing: CatalogObject) -> str:
    """An object, or two of a kind, as a chain names it."""
    return f"{article(thing.category)}{' twice' if thing.made else ''}"


THING = r"an? [A-Za-z ]+"
_IT = "the object in the red frame|the object"
PART = one_of((*_PARTS.values(), *_BROAD.values(), _SIDE, "the open side of its seat", "the side that opens or is reached into"))
_MEANS = r"[A-Z0-9][^.]+"
_EDGE = r"\d+(?:\.5)?"

_TOWARDS, _AWAY = "towards the viewer", "away from the viewer"
_LOOKS = (
    "straight {near}",
    "almost straight {near}, a little to the {side}",
    *["mostly {near}, and to the {side}"] * 3,
    *["mostly to the {side}, and {near}"] * 3,
    "almost straight to the {side}, a little {near}",
    "straight to the {side}",
)
"""What is seen of a front, ten degrees at a time from the camera to one side."""
_LOOK = one_of({look.format(near=near, side=side) for look in _LOOKS for near in (_TOWARDS, _AWAY) for side in ("left", "right")})

_FRONT = StepTemplate(
    "front",
    (
        "{it} is {thing}, and its front is {part}.",
        "I see that {it} is {thing}; what counts as its front is {part}.",
        "{it}: {thing}. Its front is {part}.",
    ),
    {"it": _IT, "thing": THING, "part": PART},
)
_POINTS = StepTemplate(
    "points",
    ("In the picture this front points {look}.", "That front is turned {look}.", "Here it looks {look}."),
    {"look": _LOOK},
)
_OFF = StepTemplate(
    "off",
    (
        "So it is about {degrees} degrees off the direction to the camera.",
        "From the line to the camera that is a turn of about {degrees} degrees.",
        "I take that for about {degrees} degrees between the front and the line to the camera.",
    ),
    {"degrees": NUMBER},
)
_BETWEEN = StepTemplate(
    "between",
    (
        "Between {low} and {high} degrees off means: {option}.",
        "From {low} up to {high} degrees the fitting description is: {option}.",
        "{option}: that is what {low} to {high} degrees off the camera are called.",
    ),
    {"low": _EDGE, "high": _EDGE, "option": _MEANS},
)
_RANGE = StepTemplate(
    "range",
    (
        "Of the ranges on offer, {degrees} degrees falls into {option}.",
        "About {degrees} degrees belongs to {option}.",
        "The range that holds {degrees} degrees is {option}.",
    ),
    {"degrees": NUMBER, "option": rf"{NUMBER} to {NUMBER} degrees"},
)
_TURN = StepTemplate(
    "turn",
    (
        "Seen from above with the camera below, it has to turn by about {degrees} degrees {sense} to face the camera.",
        "On a map with the camera at the lower edge, about {degrees} degrees {sense} bring the front round to the camera.",
        "Looking down from above, the camera below: the way back to the camera is about {degrees} degrees {sense}.",
    ),
    {"degrees": NUMBER, "sense": "clockwise|counterclockwise|either way round"},
)
_NEAREST = StepTemplate(
    "nearest",
    ("Of the clockwise turns on offer, {option} comes nearest.", "The clockwise turn on offer that is closest: {option}."),
    {"option": rf"{NUMBER} degrees"},
)
_ALIKE = StepTemplate(
    "alike",
    (
        "{it} is {thing}. It looks the same {turned}, so no side of it is its one front.",
        "I see that {it} is {thing}, which looks just as before {turned}; none of its sides is the front alone.",
    ),
    {"it": _IT, "thing": THING, "turned": one_of(_ROUND)},
)
_FRONTLESS = StepTemplate(
    "frontless",
    (
        "{it} is {thing}, a kind of thing that has no front.",
        "I see that {it} is {thing}; no side of such a thing is called its front.",
    ),
    {"it": _IT, "thing": THING},
)
_HIDDEN = StepTemplate(
    "hidden",
    (
        "A screen stands before {it} and leaves only its top in sight.",
        "Of {it} no more than the top is seen over a screen.",
    ),
    {"it": _IT},
)
_EITHER = StepTemplate(
    "either",
    (
        "Seen from there it could face one way as well as the opposite one.",
        "That top looks the same whether the front is on this side or on the far one.",
    ),
)
_CANNOT = StepTemplate(
    "cannot",
    ("So nobody can tell where a front of it points.", "Therefore what is asked of its front has no certain reply."),
)


def _no_front(subject: str, thing: CatalogObject) -> list[Due]:
    values = {"it": subject, "thing": called(thing)}
    if thing.turns:
        turned = _ROUND[{1: 0, 180: 1, 90: 2}[thing.turns]]
        return [(_ALIKE, values | {"turned": turned}), (_CANNOT, {})]
    return [(_FRONTLESS, values), (_CANNOT, {})]


def _hidden(subject: str) -> list[Due]:
    return [(_HIDDEN, {"it": subject}), (_EITHER, {}), (_CANNOT, {})]


def _look(tens: int, side: str) -> str:
    """What is seen of a front that is so many tens of degrees off the camera."""
    near, place = (_TOWARDS, tens) if tens <= 9 else (_AWAY, 18 - tens)
    return _LOOKS[place].format(near=near, side=side)


def _looked(subject: str, thing: CatalogObject, tens: int, side: str) -> list[Due]:
    return [
        (_FRONT, {"it": subject, "thing": called(thing), "part": part(thing)}),
        (_POINTS, {"look": _look(tens, side)}),
        (_OFF, {"degrees": 10 * tens}),
    ]


def _turned(tens: int, side: str) -> Due:
    sense = "either way round" if tens in (0, 18) else "clockwise" if side == "right" else "counterclockwise"
    return _TURN, {"degrees": 10 * tens, "sense": sense}


def _tidy(edge: float) -> str:
    return f"{edge:g}"


def _target(scene: Scene) -> tuple[SceneObject, CatalogObject]:
    solid = scene.stages[0].solids[scene.targets[0]]
    thing = object_catalog.of(solid.form)
    assert thing is not None
    return solid, thing


def _told(scene: Scene) -> tuple[list[Due], float]:
    """The steps up to the angle off the camera, and that angle; all steps and no angle (-1) where there is no front to be told."""
    subject, (solid, thing) = named(scene), _target(scene)
    if scene.hidden:
        return _hidden(subject), -1
    if not has_front(solid):
        return _no_front(subject, thing), -1
    angle = facing(scene.stages[0].camera, solid.pose)
    return _looked(subject, thing, floor(abs(angle) / 10 + 0.5), "right" if angle > 0 else "left"), abs(angle)


def _within(angle: float, edges: Edges, option: str) -> Due:
    """What an angle means; of options that are ranges themselves, which one holds it."""
    if option[0].isdecimal():
        return _RANGE, {"degrees": 10 * floor(angle / 10 + 0.5), "option": option}
    above = next(place for place, edge in enumerate(edges) if angle < edge or edge == edges[-1])
    return _BETWEEN, {"low": _tidy(edges[above - 1]), "high": _tidy(edges[above]), "option": option}


def classes(scene: Scene, key: Answer, edges: Edges, phrasing: int) -> str:
    """The chain of a question whose options are spans of angles off the camera, to either side; they change at the edges."""
    steps, angle = _told(scene)
    if angle >= 0:
        steps.append(_within(angle, edges, key.balance_bin()))
    return render_chain(steps, key, phrasing)


def turn(scene: Scene, key: Answer, edges: Edges, phrasing: int) -> str:
    """The chain of a question for the turn to the camera: by its kind where there are edges, else by the nearest angle on offer."""
    steps, angle = _told(scene)
    if angle >= 0:
        solid, _ = _target(scene)
        signed = facing(scene.stages[0].camera, solid.pose)
        steps.append(_turned(floor(angle / 10 + 0.5), "right" if signed > 0 else "left"))
        steps.append(_within(angle, edges, key.balance_bin()) if edges else (_NEAREST, {"option": key.balance_bin()}))
    return render_chain(steps, key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


def _measured(picture: Scene3D, solid: SceneObject) -> float:
    """By how many degrees the front is turned counterclockwise, seen from above, from the line to the camera."""
    assert isinstance(picture.camera, Camera)
    (fx, _, fz), eye, at = ahead(solid), picture.camera.eye, solid.pose.at
    cx, cz = eye[0] - at[0], eye[2] - at[2]
    return degrees(atan2(fx * cz - fz * cx, fx * cx + fz * cz))


@lru_cache(maxsize=64)  # whether a front is hidden takes long to find out
def _seen(picture: Scene3D) -> tuple[tuple[Due, ...], float | None]:
    """The steps up to the angle, and the angle, as the stage has them."""
    solid = marked(picture)
    thing = object_catalog.of(solid.form)
    assert thing is not None
    subject = "the object in the red frame" if picture.marks else "the object"
    if not has_front(solid):
        return tuple(_no_front(subject, thing)), None
    if not shows_front(picture, solid):
        return tuple(_hidden(subject)), None
    angle = _measured(picture, solid)
    return tuple(_looked(subject, thing, floor(abs(angle) / 10 + 0.5 + 1e-6), "right" if angle > 0 else "left")), angle


def _between(angle: float, edges: Sequence[float], option: str) -> Due:
    if re.match(r"\d", option):
        return _RANGE, {"degrees": 10 * floor(abs(angle) / 10 + 0.5 + 1e-6), "option": option}
    low = max(edge for edge in edges[:-1] if edge <= abs(angle))
    high = min(edge for edge in edges if edge > low)
    return _BETWEEN, {"low": _tidy(low), "high": _tidy(high), "option": option}


def replay_classes(picture: Scene3D, read: str, key: Answer, edges: Edges, text: str) -> list[str]:
    """What is wrong with a chain; `read` is the option that the picture gives by itself."""
    opening, angle = _seen(picture)
    steps = [*opening, *([] if angle is None else [_between(angle, edges, read)])]
    return [*step_errors(text, steps, key), *_other(read, key, angle)]


def replay_turn(picture: Scene3D, read: str, key: Answer, edges: Edges, text: str) -> list[str]:
    """The same for the turn to the camera."""
    opening, angle = _seen(picture)
    steps = list(opening)
    if angle is not None:
        steps.append(_turned(floor(abs(angle) / 10 + 0.5 + 1e-6), "right" if angle > 0 else "left"))
        steps.append(_between(angle, edges, read) if edges else (_NEAREST, {"option": read}))
    return [*step_errors(text, steps, key), *_other(read, key, angle)]


def _other(read: str, key: Answer, angle: float | None) -> list[str]:
    if read != key.balance_bin() or (read == UNKNOWN) != (angle is None):
        return [f"its steps lead to {read!r}, not to the key"]
    return []
