"""Standing at a place: on which of eight sides of a person something is (after the Spatial Orientation Test, Kozhevnikov and Hegarty 2001).

The person stands at A and faces B; the question is about C. The side is crossed with the heading relative to the camera, so that the
side in the image is the answer in one of eight items. A scene is used only if C could stand on each of the eight sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import atan2, degrees, exp, log
from typing import Any

from isovist.core.answers import Choice
from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Camera, Scene3D, SceneObject, place, view
from isovist.core.task import (
    Answers,
    Checks,
    Images,
    Question,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Task,
    identity,
)
from isovist.world.scenes import object_catalog, open_ground, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import Body, standing
from isovist.world.scenes.distractor_types import LEFT_RIGHT, OTHER_REFERENCE_FRAME, SIDES, direction_types
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.open_ground import DISC, PEOPLE, THINGS, Spot
from isovist.world.scenes.scene_builder import turn
from isovist.world.scenes.scene_transforms import flat_camera

PERSON, IMAGINED, TURNED = "person", "imagined", "turned"
STEP = 45
_JITTER = 12.0
"""Largest angle to the middle of a side in degrees; its edge is at 22.5."""
_REACH, _DISTANCES = 1.7, (1.0, 3.4)
"""Largest distance of A from the middle, and the range of those of B and C from A, in metres. Both are the same for all sides."""
_LEAST_APART = 0.15
"""Least space between two objects, in metres."""
_MOST_HIDDEN, _OTHERS = 0.3, (3, 5)
_TRIES = 40
FROM_TARGET = "from the faced object"
"""The side of C as seen from B, with the same heading."""
FORGOT_TURN = "forgot the turn"

_FRAME = (
    "Directions are those of the person who stands there, not of the image. Front is the way the person faces. Each of the other four "
    "directions is halfway between two of these."
)
_WORDINGS = {
    PERSON: (
        "The {A} faces the {B}. On which side of the {A} is the {C}?",
        "Imagine that you are the {A}, who looks at the {B}. In which direction from you is the {C}?",
        "The {A} in the image looks straight at the {B}. Where is the {C}, seen by the {A}?",
    ),
    IMAGINED: (
        "You stand on the {A} and face the {B}. On which side of you is the {C}?",
        "Imagine standing on the {A}, looking at the {B}. Where is the {C}, seen from there?",
        "Someone on the {A} looks straight at the {B}. In which direction from this person is the {C}?",
    ),
    TURNED: (
        "You stand on the {A} and face the {B}. Then you make a quarter turn to your {turn}. On which side of you is the {C} now?",
        "Imagine standing on the {A}, looking at the {B}, and then turning 90 degrees to your {turn}. Where is the {C}, seen from there?",
        "Someone on the {A} looks straight at the {B}, then turns by a quarter to the {turn}. In which direction from this person is the {C} now?",
    ),
}
_DISC_COLOUR, _DISC_NAME = "#d81e3a", "red disc"


def _pattern(wording: str) -> re.Pattern[str]:
    text = re.escape(wording)
    for name, of in (("A", r"[\w -]+"), ("B", r"[\w -]+"), ("C", r"[\w -]+"), ("turn", "left|right")):
        text = text.replace(rf"\{{{name}\}}", f"(?P<{name}>{of})", 1).replace(rf"\{{{name}\}}", f"(?P={name})")
    return re.compile(text)


_PATTERNS = [_pattern(wording) for wordings in _WORDINGS.values() for wording in wordings]


@dataclass(frozen=True, slots=True)
class Scene:
    """`places`: indices of A, B and C in the 3-D scene; `names`: their names; `turned`: a quarter turn, 1 to the right, -1 to the left;
    `options`: the sides in the order shown, as indices in `SIDES`.
    """

    level: str
    wording: int
    places: tuple[int, int, int]
    names: tuple[str, str, str]
    turned: int
    options: tuple[int, ...]
    scene3d: Scene3D


def _sample(plan: SamplingContext) -> Scene:
    rng = plan.image_rng
    key, heading = divmod(plan.image_stratum("side and heading", 64), 8)
    turned = (1, -1)[plan.item_stratum("turn", 2)] if plan.level == TURNED else 0
    side_of_c = (key + 2 * turned) % 8  # relative to the line from A to B
    camera_side = turn(rng)
    camera = open_ground.camera(camera_side, rng.uniform(8.6, 10.2), rng.uniform(6.4, 8.0), 45.0)
    ahead = camera_side + 180 - STEP * heading + rng.uniform(-_JITTER, _JITTER)  # heading 0 is away from the camera, clockwise
    off = rng.uniform(-_JITTER, _JITTER)
    things, person = rng.sample(THINGS, 2 + _OTHERS[1]), rng.pick(PEOPLE)
    a, fixed, possible = _triangle(rng, plan.level, camera, ahead, off, (person, *things[:2]))
    others = _around(rng, camera, a, things[2:], fixed, possible)
    b, *standpoint = fixed
    c = possible[side_of_c]
    bodies = [*fixed, c, *others]
    land, sky = open_ground.ground(rng, bodies)
    light = open_ground.sun(rng, camera_side)
    solids = [body.solid for body in bodies]
    first = standpoint[0].solid if standpoint else open_ground.disc(a, _DISC_COLOUR)
    shown = rng.shuffled([*solids, *(() if standpoint else (first,))])
    places = tuple(shown.index(solid) for solid in (first, b.solid, c.solid))
    names = (person.category if standpoint else _DISC_NAME, things[0].category, things[1].category)
    options = with_key_at(plan.stratum, key, [other for other in range(8) if other != key], plan.item_rng)
    wording = plan.item_stratum("wording", 3)
    return Scene(plan.level, wording, places, names, turned, options, Scene3D(tuple(shown), camera, land, light, sky))  # pyright: ignore[reportArgumentType] - three places


def _triangle(
    rng: Rng, level: str, camera: Camera, ahead: float, off: float, things: tuple[CatalogObject, CatalogObject, CatalogObject]
) -> tuple[Spot, list[Body], list[Body]]:
    """The spot of A, B with the person at A if there is one, and C on each of the eight sides; C could stand on each of them, so that
    nothing about A and B depends on the key. Raises RejectSample.
    """
    person, faced, asked = things
    yaws = turn(rng), turn(rng)
    least = faced.reach + asked.reach + _LEAST_APART
    for _ in range(_TRIES):
        ab, ac = (exp(rng.uniform(log(_DISTANCES[0]), log(_DISTANCES[1]))) for _ in range(2))
        a = open_ground.at((0.0, 0.0), rng.uniform(-180, 180), _REACH * rng.random() ** 0.5)
        if abs(ab - ac) < least:  # B and C would touch if both were ahead
            continue
        b = standing(faced, open_ground.at(a, ahead, ab), yaws[0])
        possible = [standing(asked, open_ground.at(a, ahead - STEP * side - off, ac), yaws[1]) for side in range(8)]
        fixed = [b, *([standing(person, a, open_ground.direction(a, _spot(b)))] if level == PERSON else [])]
        if _fits(camera, fixed) and all(_fits(camera, [*fixed, c]) for c in possible):
            return a, fixed, possible
    raise RejectSample


def _around(
    rng: Rng, camera: Camera, a: Spot, things: Sequence[CatalogObject], fixed: Sequence[Body], possible: Sequence[Body]
) -> list[Body]:
    """Other objects, of which none touches or hides C on any side. Raises RejectSample for fewer than the least number."""
    others: list[Body] = []
    wanted = rng.integer(*_OTHERS)
    for _ in range(_TRIES):
        spot = open_ground.at((0.0, 0.0), rng.uniform(-180, 180), (_REACH + _DISTANCES[1]) * rng.random() ** 0.5)
        body = standing(things[len(others)], spot, turn(rng))
        apart = open_ground.distance(spot, a) > open_ground.DISC_RADIUS + body.thing.reach + _LEAST_APART
        if apart and _fits(camera, [*others, body]) and all(_fits(camera, [*fixed, c, body]) for c in possible):
            others.append(body)
        if len(others) == wanted:
            return others
    if len(others) < _OTHERS[0]:
        raise RejectSample
    return others


def _spot(body: Body) -> Spot:
    x, _, z = body.solid.pose.position
    return x, z


def _fits(camera: Camera, bodies: Sequence[Body]) -> bool:
    """Whether all bodies are in the image, apart on the ground, and none hides much of another."""
    for i, body in enumerate(bodies):
        if not open_ground.is_in_image(camera, body):
            return False
        for other in bodies[:i]:
            if open_ground.distance(_spot(body), _spot(other)) < body.thing.reach + other.thing.reach + _LEAST_APART:
                return False
    return all(open_ground.hidden(camera, body, [other for other in bodies if other is not body]) <= _MOST_HIDDEN for body in bodies)


# The key -----------------------------------------------------------------------------------------------------------


def _targets(scene: Scene) -> tuple[Spot, Spot, Spot]:
    spots = [scene.scene3d.objects[i].pose.position for i in scene.places]
    return tuple((x, z) for x, _, z in spots)  # pyright: ignore[reportReturnType] - three


def _clockwise(ahead: float, to: float) -> int:
    """The side, clockwise seen from above, of the azimuth `to` for one who faces the azimuth `ahead`."""
    return round(wrapped(ahead - to) / STEP) % 8


def _key(scene: Scene) -> int:
    a, b, c = _targets(scene)
    return (_clockwise(open_ground.direction(a, b), open_ground.direction(a, c)) - 2 * scene.turned) % 8


def _ask(scene: Scene) -> Question:
    a, b, c = scene.names
    wording = _WORDINGS[scene.level][scene.wording].format(A=a, B=b, C=c, turn="right" if scene.turned > 0 else "left")
    options = tuple(SIDES[i] for i in scene.options)
    return Question(f"{_FRAME}\n{wording}", Choice(options, scene.options.index(_key(scene))))


# The second key ------------------------------------------------------------------------------------------------------------


def _named(picture: Scene3D, name: str) -> SceneObject:
    if name == _DISC_NAME:
        (found,) = [solid for solid in picture.objects if solid.name == DISC]
        return found
    things = [(solid, object_catalog.of(solid.geometry)) for solid in picture.objects]
    (found,) = [solid for solid, thing in things if thing and thing.category == name]
    return found


def _read(pictures: tuple[Any, ...], text: str) -> str:
    """The side from the cross and dot products of the lines between the centres of the drawn meshes, on the ground."""
    (picture,) = pictures
    (asked,) = [match for pattern in _PATTERNS if (match := pattern.search(text))]
    named = asked.groupdict()
    centres = [_centre(_named(picture, named[name])) for name in ("A", "B", "C")]
    (ax, az), (bx, bz), (cx, cz) = centres
    fx, fz, tx, tz = bx - ax, bz - az, cx - ax, cz - az
    clockwise = degrees(atan2(fz * tx - fx * tz, fx * tx + fz * tz)) * -1  # +X is to the left of one who faces +Z
    by = {"left": 90, "right": -90}.get(named.get("turn") or "", 0)
    return SIDES[round((clockwise + by) / STEP) % 8]


def _centre(solid: SceneObject) -> Spot:
    low, high = bounds(solid.geometry)
    x, _, z = place(solid, ((low[0] + high[0]) / 2, 0.0, (low[2] + high[2]) / 2))
    return x, z


# Errors, attributes, symmetries -------------------------------------------------------------------------------------


def _picture_side(scene: Scene) -> int:
    """The side of C from A in the frame of the image: away from the camera is the front."""
    a, _, c = _targets(scene)
    return _clockwise(_camera_ahead(scene), open_ground.direction(a, c))


def _camera_ahead(scene: Scene) -> float:
    x, _, z = view(flat_camera(scene.scene3d))[2]
    return open_ground.direction((x, z), (0.0, 0.0))


def _errors(scene: Scene) -> Sequence[str]:
    key, (a, b, c) = _key(scene), _targets(scene)
    ahead = open_ground.direction(a, b)
    errors = {
        OTHER_REFERENCE_FRAME: _picture_side(scene),
        FORGOT_TURN: (key + 2 * scene.turned) % 8,
        LEFT_RIGHT: -key % 8,
        FROM_TARGET: (_clockwise(ahead, open_ground.direction(b, c)) - 2 * scene.turned) % 8,
    }
    return direction_types(key, scene.options, {name: side for name, side in errors.items() if side != key})


def _disparity(scene: Scene) -> int:
    """The angle between the heading and the viewing direction, in steps of 45 degrees, unsigned."""
    a, b, _ = _targets(scene)
    return abs(round(wrapped(open_ground.direction(a, b) - _camera_ahead(scene)) / STEP))


def _attributes(scene: Scene) -> dict[str, str]:
    turn_ = {"turn": "right" if scene.turned > 0 else "left"} if scene.turned else {}
    return {"angular disparity": f"{STEP * _disparity(scene)}", "side": SIDES[_key(scene)], "wording": str(scene.wording + 1)} | turn_


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, scene3d=scene_transforms.from_another_side(scene.scene3d)), identity


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    mirrored = replace(scene, scene3d=scene_transforms.in_a_mirror(scene.scene3d), turned=-scene.turned)
    return mirrored, lambda answer: SIDES[-SIDES.index(answer) % 8]


TASK = Task(
    id="viewpoint/standing-at",
    version=1,
    summary="Name the side of a person, who stands at one place and faces another, on which something is.",
    sample=_sample,
    draw=lambda scene: (scene.scene3d,),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=8, balance=lambda answer: answer.canonical()),
    skills=("perspective taking", "viewpoint"),
    levels=(PERSON, IMAGINED, TURNED),
    images=Images(size_px=512, least_px=320, colour_vision="partial"),
    sampling=Sampling(layout=lambda scene: scene.scene3d),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_from_another_side, _in_a_mirror)),
)
