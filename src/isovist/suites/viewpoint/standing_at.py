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

from isovist.core.answers import LETTERS, Choice
from isovist.core.reasoning.templates import phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Camera, Scene3D, SceneObject, place, projections, view
from isovist.core.task import (
    Answers,
    Checks,
    Exemption,
    Images,
    Question,
    Reasoning,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Shortcut,
    Task,
    identity,
)
from isovist.suites.viewpoint import cot
from isovist.world.scenes import object_catalog, open_ground, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import Body, standing
from isovist.world.scenes.distractor_types import LEFT_RIGHT, SIDES, VIEWERS_SIDE, direction_types
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.open_ground import DISC, PEOPLE, THINGS, Seen, Spot
from isovist.world.scenes.scene_builder import turn
from isovist.world.scenes.scene_transforms import flat_camera

PERSON, IMAGINED, TURNED = "person", "imagined", "turned"
STEP = 45
_JITTER = 12.0
"""Largest angle to the middle of a side in degrees; its edge is at 22.5."""
_REACH, _DISTANCES = 1.4, (0.75, 4.0)
"""Largest distance of A from the middle, and the range of those of B and C from A, in metres. Both are the same for all sides."""
_GAP, _MOST_HIDDEN = 0.1, 0.3
"""Least space between two objects in metres, and largest share of one that another hides."""
_MOST_BEHIND_PERSON = 0.55
"""The same behind a person, who fills half of the box."""
_SMALL = tuple(thing for thing in THINGS if thing.reach < 0.46)
"""Large objects leave few distances of B and C, so that their distance would tell the side."""
_OTHERS = (3, 5)
_TRIES, _TRIES_OF_OTHERS = 300, 40
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
_DISC_COLOUR, _DISC_NAME = "#d81e3a", "disc"


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
    camera = open_ground.camera(camera_side, rng.uniform(6.4, 7.8), rng.uniform(9.6, 11.0), 45.0)
    ahead = camera_side + 180 - STEP * heading + rng.uniform(-_JITTER, _JITTER)  # heading 0 is away from the camera, clockwise
    off = rng.uniform(-_JITTER, _JITTER)
    things, person = rng.sample(_SMALL, 2 + _OTHERS[1]), rng.pick(PEOPLE)
    places = _triangle(rng, plan.level, camera, (ahead, off), (person, things[0], things[1]))
    others = _around(rng, camera, things[2:], places)
    a, b, possible, standpoint = places.a, places.b, places.possible, places.standpoint
    c = possible[side_of_c]
    bodies = [b, *standpoint, c, *others]
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


@dataclass(frozen=True, slots=True)
class _Triangle:
    """The spot of A, B, C on each side of the line from A to B, and the person at A, if there is one; `seen`: all places of B and C."""

    a: Spot
    b: Body
    possible: list[Body]
    standpoint: list[Body]
    seen: list[Seen]


def _triangle(
    rng: Rng,
    level: str,
    camera: Camera,
    angles: tuple[float, float],
    things: tuple[CatalogObject, CatalogObject, CatalogObject],
) -> _Triangle:
    """Positions at which B could be ahead in each of the eight headings, with C on each side: neither the place of A nor the distances depend
    on the heading or the key. `angles`: azimuth of the heading, and of C off the middle of its side. Raises RejectSample.
    """
    (ahead, off), (person, faced, asked) = angles, things
    yaws = turn(rng), turn(rng)
    for _ in range(_TRIES):
        ab, ac = (exp(rng.uniform(log(_DISTANCES[0]), log(_DISTANCES[1]))) for _ in range(2))
        if abs(ab - ac) < faced.reach + asked.reach + _GAP or min(ab, ac) < person.reach + max(faced.reach, asked.reach) + _GAP:
            continue
        a = open_ground.at((0.0, 0.0), rng.uniform(-180, 180), _REACH * rng.random() ** 0.5)
        bs = [standing(faced, open_ground.at(a, ahead - STEP * k, ab), yaws[0]) for k in range(8)]
        cs = [standing(asked, open_ground.at(a, ahead - STEP * k - off, ac), yaws[1]) for k in range(8)]
        faces = standing(person, a, open_ground.direction(a, open_ground.spot(bs[0])))
        standpoint = [faces] if level == PERSON else []
        seen_bs, seen_cs, seen_a = ([open_ground.seen(camera, body) for body in bodies] for bodies in (bs, cs, standpoint))
        every = [each for each in (*seen_bs, *seen_cs, *seen_a) if each]
        if len(every) < 16 + len(standpoint):
            continue
        at_b, at_c, at_a = every[:8], every[8:16], every[16:]
        if all(_clear(b, c) for b in at_b for c in at_c) and all(
            open_ground.are_clear(p, each, _GAP, _MOST_BEHIND_PERSON) for p in at_a for each in (*at_b, *at_c)
        ):
            return _Triangle(a, bs[0], cs, standpoint, every)
    raise RejectSample


def _clear(one: Seen, other: Seen) -> bool:
    return open_ground.are_clear(one, other, _GAP, _MOST_HIDDEN)


def _around(rng: Rng, camera: Camera, things: Sequence[CatalogObject], places: _Triangle) -> list[Body]:
    """Other objects, of which none touches or hides B or C at any of their places. Raises RejectSample for fewer than the least number."""
    others: list[Seen] = []
    wanted = rng.integer(*_OTHERS)
    for _ in range(_TRIES_OF_OTHERS):
        spot = open_ground.at((0.0, 0.0), rng.uniform(-180, 180), (_REACH + _DISTANCES[1]) * rng.random() ** 0.5)
        body = standing(things[len(others)], spot, turn(rng))
        seen = open_ground.seen(camera, body)
        apart = open_ground.distance(spot, places.a) > open_ground.DISC_RADIUS + body.thing.reach + _GAP
        if seen and apart and all(_clear(seen, each) for each in (*others, *places.seen)):
            others.append(seen)
        if len(others) == wanted:
            break
    if len(others) < _OTHERS[0]:
        raise RejectSample
    return [each.body for each in others]


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
        (solid,) = [solid for solid in picture.objects if solid.name == DISC]
        return solid
    things = [(solid, object_catalog.of(solid.geometry)) for solid in picture.objects]
    (solid,) = [solid for solid, thing in things if thing and thing.category == name]
    return solid


def _asked(text: str) -> dict[str, str]:
    """The names of A, B and C, and the turn if there is one."""
    (match,) = [match for pattern in _PATTERNS if (match := pattern.search(text))]
    return match.groupdict()


def _read(pictures: tuple[Any, ...], text: str) -> str:
    """The side from the cross and dot products of the lines between the centres of the drawn meshes, on the ground."""
    (picture,) = pictures
    named = _asked(text)
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


# The chain of thought ---------------------------------------------------------------------------------------------------


def _explain(scene: Scene) -> str:
    steps = cot.side_steps(scene.names, _targets(scene), flat_camera(scene.scene3d), scene.turned)
    return write_chain(steps, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    named = _asked(question.text)
    names = [named[name] for name in ("A", "B", "C")]
    centres = [_centre(_named(scene.scene3d, name)) for name in names]
    steps = cot.side_steps(names, centres, flat_camera(scene.scene3d), {"left": -1, "right": 1}.get(named.get("turn") or "", 0))
    return step_errors(text, steps, _read((scene.scene3d,), question.text), question.answer)


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
        VIEWERS_SIDE: _picture_side(scene),
        FORGOT_TURN: (key + 2 * scene.turned) % 8,
        LEFT_RIGHT: -key % 8,
        FROM_TARGET: (_clockwise(ahead, open_ground.direction(b, c)) - 2 * scene.turned) % 8,
    }
    return direction_types(key, scene.options, {name: side for name, side in errors.items() if side != key})


# Rules that take no other standpoint ------------------------------------------------------------------------------------


def _rule(side: Callable[[Scene], int]) -> Callable[[Scene, Question], str]:
    """The rule that answers with a side."""
    return lambda scene, _question: LETTERS[scene.options.index(side(scene) % 8)]


def _from_b(scene: Scene) -> int:
    _, b, c = _targets(scene)
    return _clockwise(_camera_ahead(scene), open_ground.direction(b, c))


def _near_is_front(scene: Scene) -> int:
    """Front if B and C are closer than A and B, else back."""
    a, b, c = _targets(scene)
    return 0 if open_ground.distance(b, c) < open_ground.distance(a, b) else 4


_FRAME_OF_IMAGE, _STANDPOINT = "the frame of the person", "the standpoint"
_SHORTCUTS = {
    "the side in the image": Shortcut(_rule(_picture_side), _FRAME_OF_IMAGE),
    "the side in the image, mirrored": Shortcut(_rule(lambda scene: -_picture_side(scene)), _FRAME_OF_IMAGE),
    "the opposite of the side in the image": Shortcut(_rule(lambda scene: _picture_side(scene) + 4), _FRAME_OF_IMAGE),
    "the side of C from B in the image": Shortcut(_rule(_from_b), _STANDPOINT),
    "front if B and C are close": Shortcut(_rule(_near_is_front), _STANDPOINT, partial=True, bound=0.27),
}


def _two(first: int, second: int) -> Callable[[Scene], list[float]]:
    """The positions of two of A, B and C in the image, and the line between them."""

    def features(scene: Scene) -> list[float]:
        camera = flat_camera(scene.scene3d)
        (x, y, _), (u, v, _) = projections(camera, [(spot[0], 0.0, spot[1]) for spot in map(_targets(scene).__getitem__, (first, second))])
        return [x, y, u, v, u - x, v - y, ((u - x) ** 2 + (v - y) ** 2) ** 0.5]

    return features


_FEATURES = {"the positions of A and B": _two(0, 1), "the positions of A and C": _two(0, 2), "the positions of B and C": _two(1, 2)}
_TRIANGLE = (
    "the sides of the triangle of A, B and C are those of its angle at A, so that no design makes the distance of B and C tell nothing"
)


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
    skills=("perspective taking",),
    levels=(PERSON, IMAGINED, TURNED),
    images=Images(size_px=512, least_px=320),
    sampling=Sampling(layout=lambda scene: scene.scene3d),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(
        symmetries=(_from_another_side, _in_a_mirror),
        shortcuts=_SHORTCUTS,
        features=_FEATURES,
        exemptions={"the positions of B and C (learned)": Exemption(_TRIANGLE, 0.5, {PERSON: 0.68})},
    ),
    reasoning=Reasoning(_explain, _replay),
)
