"""Chains of thought about the turns of a camera: what two pictures share, where it is seen in either, and the turn between them.

A thing that is seen in both pictures is best; where there is none, the strip tells that comes again at the other side. The verifier
takes the turns from the cameras, and measures each thing, and whether anything stands before it, by the boxes on the stage.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import degrees, radians, tan

from isovist.core.answers import Answer
from isovist.core.rotation import unit, wrapped
from isovist.core.scene3d import Scene3D
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, parse_chain
from isovist.reasoning.verifier import Due, render_chain
from isovist.scenes.environments.bounding_boxes import meets, standing, standing_corners
from isovist.scenes.environments.environment import VisibleObject, once
from isovist.suites.cospace import environments, rederivation
from isovist.suites.cospace.cot_landmarks import FIVES, NOISE, THING, WHERE, amiss, fives, percent, signed, where
from isovist.suites.cospace.target_objects import countable
from isovist.suites.cospace.view_sets import Views, stages

_SPARE = 0.25
"""Of its width: what of a thing lies at least within a picture beyond its middle, if a chain goes by it."""
_STRIP = 5.0
"""Degrees: pictures that share less are told to share next to nothing."""
_CLEAR = 0.4
"""The least share of a thing that nothing hides."""

_PAIR = {"one": "[1-5]", "two": "[1-5]", "turn": FIVES, "sense": "clockwise|counterclockwise"}

_SHARED = StepTemplate(
    "shared",
    (
        "The {thing} stands at about {percent} percent of the width of picture {one}, {where}, and at about {again} percent of that of picture {two}, {there}: a turn of about {turn} degrees {sense}.",
        "From picture {one} to picture {two} the {thing} goes from about {percent} percent across ({where}) to about {again} percent ({there}), so the camera turned about {turn} degrees {sense}.",
        "Pictures {one} and {two} share the {thing}: {where} in the former, at about {percent} percent of the width, {there} in the latter, at about {again} percent. The camera turned by about {turn} degrees {sense}.",
    ),
    _PAIR | {"thing": THING, "percent": FIVES, "again": FIVES, "where": WHERE, "there": WHERE},
)
_EDGE = StepTemplate(
    "edge",
    (
        "What picture {one} shows to the {side} of about {percent} percent of its width comes again at the {other} of picture {two}: a strip of about {strip} of {fov} degrees, so a turn of about {turn} degrees {sense}.",
        "Pictures {one} and {two} share a strip of about {strip} of {fov} degrees, to the {side} of {percent} percent across in the former, at the {other} edge of the latter. That makes a turn of about {turn} degrees {sense}.",
    ),
    _PAIR | {"side": "right|left", "other": "right|left", "percent": FIVES, "strip": FIVES, "fov": NUMBER},
)
_APART = StepTemplate(
    "apart",
    (
        "Pictures {one} and {two} share next to nothing: the turn between them is about {fov} degrees or more.",
        "Between pictures {one} and {two} there is hardly anything in common, so they look about {fov} degrees or more apart.",
    ),
    {"one": "[1-5]", "two": "[1-5]", "fov": NUMBER},
)
_ANGLE = StepTemplate(
    "angle",
    (
        "Of the angles on offer, {angle} degrees fits these turns.",
        "The angle on offer that is nearest to every one of them: {angle} degrees.",
    ),
    {"angle": NUMBER},
)
_EVEN = StepTemplate(
    "even",
    (
        "Without picture {odd} every turn is about {turn} degrees clockwise, and with it they are not alike.",
        "Leave out picture {odd}, and each turn is about {turn} degrees clockwise; no other one leaves them even.",
    ),
    {"odd": "[1-5]", "turn": NUMBER},
)
_PLACES = StepTemplate(
    "places",
    (
        "Leave out picture {odd}, and the camera turned about {turn} degrees clockwise from each place to the next; no other one leaves it so.",
        "All but picture {odd} look where turns of about {turn} degrees clockwise, one for each place, would have them look.",
    ),
    {"odd": "[1-5]", "turn": NUMBER},
)


def _sense(turn: float) -> str:
    return "clockwise" if turn > 0 else "counterclockwise"


@lru_cache(maxsize=16)
def _landmarks(place: environments.Somewhere) -> tuple[VisibleObject, ...]:
    """The things of a place that exist once and are seen well enough."""
    return tuple(thing for thing in once(environments.things(place)) if countable(thing))


def _turn(views: Views, one: int, two: int) -> Due:
    """What tells the turn from a picture to another, both from 0."""
    half, turn = views.fov / 2, wrapped(views.turns[two] - views.turns[one])
    pair = {"one": one + 1, "two": two + 1}
    shared: list[tuple[float, str, float, float]] = []
    for thing in _landmarks(views.place):
        a, b = (wrapped(thing.bearing - views.heading - views.turns[i]) for i in (one, two))
        far = max(abs(a), abs(b))
        if far + _SPARE * thing.width <= half:
            shared.append((far, thing.name, a, b))
    if shared:
        _, name, a, b = min(shared)
        fields = {"percent": percent(a, views.fov), "where": where(a), "again": percent(b, views.fov), "there": where(b)}
        turn_deg = signed(where(a)) - signed(where(b))
        return _SHARED, pair | fields | {"thing": name, "turn": abs(turn_deg), "sense": _sense(turn_deg)}
    if abs(turn) > views.fov - _STRIP:
        return _APART, pair | {"fov": views.fov}
    side, other = ("right", "left") if turn > 0 else ("left", "right")
    far, begins = fives(abs(turn)), percent(turn - half if turn > 0 else turn + half, views.fov)
    strip = {"side": side, "other": other, "percent": begins, "strip": views.fov - far, "fov": views.fov}
    return _EDGE, pair | strip | {"turn": far, "sense": _sense(turn)}


def of_angle(views: Views, key: Answer, phrasing: int) -> str:
    """The chain of the question by what angle the camera was turned after each picture."""
    steps = [_turn(views, *pair) for pair in pairwise(range(len(views.turns)))]
    return render_chain([*steps, (_ANGLE, {"angle": round(views.turns[1] - views.turns[0])})], key, phrasing)


def of_odd_one(views: Views, odd: int, key: Answer, phrasing: int, *, inserted: bool) -> str:
    """The chain of the question which picture breaks the even turn; `odd` counts from 0, `inserted`: see `rotation_difference`."""
    pairs = _pairs(len(views.turns), odd)
    steps = [_turn(views, *pair) for pair in pairs]
    one, two = next((a, b) for a, b in pairs if odd not in (a, b) and (inserted or b - a == 1))
    fields = {"odd": odd + 1, "turn": round(views.turns[two] - views.turns[one])}
    return render_chain([*steps, (_EVEN if inserted else _PLACES, fields)], key, phrasing)


def _pairs(count: int, odd: int) -> list[tuple[int, int]]:
    """Pictures whose turns are told: all neighbours, and those that are neighbours without the odd one."""
    return [*pairwise(range(count)), *([(odd - 1, odd + 1)] if 0 < odd < count - 1 else [])]


# ---- the verifier ------------------------------------------------------------------------------------------------------

_ALL = (_SHARED, _EDGE, _APART, _ANGLE, _EVEN, _PLACES)


@lru_cache(maxsize=256)
def _in_sight(views: Views, name: str) -> bool:
    """Whether there is one thing of that name, and nothing stands before most of it: by rays to points within its box."""
    pictures = stages(views)
    named = rederivation.named(pictures, name)
    if len(named) != 1:
        return False
    eye, (solid,) = rederivation.camera(pictures[0]).eye, named
    target_box = standing(solid, eye)
    others = [box.slabs for other in pictures[0].solids if other is not solid and (box := standing(other, eye)).near < target_box.far]
    points = standing_corners(solid)
    sides = [(min(axis), max(axis)) for axis in zip(*points, strict=True)]
    rays = hits = 0
    for at in product((0.1, 0.5, 0.9), repeat=3):
        ray = unit(tuple(low + share * (high - low) - e for share, (low, high), e in zip(at, sides, eye, strict=True)))  # pyright: ignore[reportArgumentType] - three
        far = meets(target_box.slabs, ray)
        if far is not None:
            rays += 1
            hits += all((hit := meets(box, ray)) is None or hit >= far for box in others)
    return rays > 0 and hits >= _CLEAR * rays


def _between(pictures: Sequence[Scene3D], one: int, two: int) -> float:
    """The turn from one camera to the other, clockwise, above -180 up to 180 degrees."""
    (step,) = rederivation.quarter_steps((pictures[one], pictures[two]))
    return degrees(phase(step))


def _told_turn(views: Views, step: Step, pair: tuple[int, int]) -> tuple[str, float | None]:
    """A fault of a step about two pictures, from 0, and the turn that it tells, clockwise; None where they share nothing."""
    pictures = stages(views)
    one, two = pair
    if step.statement not in ("shared", "edge", "apart") or (step.number("one"), step.number("two")) != (one + 1, two + 1):
        return f"{step.line!r}: pictures {one + 1} and {two + 1} are due", None
    turn = _between(pictures, one, two)
    fov = round(rederivation.camera(pictures[one]).fov)
    if step.statement == "apart":
        fits = abs(turn) >= fov - _STRIP - NOISE and step.number("fov") == fov
        return "" if fits else f"{step.line!r}: they look {abs(turn):.0f} degrees apart", None
    turn_deg = step.number("turn") * (1 if step["sense"] == "clockwise" else -1)
    if abs(turn_deg - turn) > 5 + 2 * NOISE:
        return f"{step.line!r}: the camera turned {turn:.0f} degrees", turn_deg
    if step.statement == "shared":
        return _shared_fault(views, step, pair, turn_deg), turn_deg
    right = turn > 0
    half = fov / 2
    begins = 50 + 50 * tan(radians(turn - half if right else turn + half)) / tan(radians(half))
    fits = (
        (step["side"], step["other"]) == (("right", "left") if right else ("left", "right"))
        and abs(step.number("percent") - begins) <= 2.5 + NOISE
        and step.number("fov") == fov
        and step.number("strip") + abs(turn_deg) == fov
    )
    return "" if fits else f"{step.line!r}: another strip is shared", turn_deg


def _shared_fault(views: Views, step: Step, pair: tuple[int, int], turn_deg: int) -> str:
    """What is wrong with a step that goes by a thing in two pictures."""
    pictures = stages(views)
    if not _in_sight(views, step["thing"]):
        return f"{step.line!r}: no one {step['thing']} is in sight"
    if signed(step["where"]) - signed(step["there"]) != turn_deg:
        return f"{step.line!r}: that is not the difference"
    solid = rederivation.only(pictures, step["thing"])
    one, two = (pictures[place] for place in pair)
    return amiss(step, one, solid, "percent", "where") or amiss(step, two, solid, "again", "there")


def _turns(views: Views, steps: Sequence[Step], pairs: Sequence[tuple[int, int]]) -> tuple[list[str], list[float | None]]:
    turns = [_told_turn(views, step, pair) for step, pair in zip(steps, pairs, strict=True)]
    return [fault for fault, _ in turns if fault], [turn for _, turn in turns]


def replay_angle(views: Views, offered: Sequence[int], key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about the angle of all turns."""
    steps, faults = parse_chain(text, _ALL, key)
    pairs = list(pairwise(range(len(views.turns))))
    if not faults and len(steps) != len(pairs) + 1:
        faults.append(f"it takes {len(steps)} steps, not {len(pairs) + 1}")
    if faults:
        return faults
    faults, turns = _turns(views, steps[:-1], pairs)
    last = steps[-1]
    nearest = {min(offered, key=lambda angle: abs(angle - turn)) if turn is not None else None for turn in turns}
    if last.statement != "angle" or nearest != {last.number("angle")} or key.balance_bin() != f"{last.number('angle')} degrees":
        faults.append(f"{last.line!r} does not follow")
    return faults


def replay_odd_one(views: Views, key: Answer, text: str, *, inserted: bool) -> list[str]:
    """What is wrong with a chain about the picture that breaks the even turn."""
    steps, faults = parse_chain(text, _ALL, key)
    if not faults and (not steps or steps[-1].statement != ("even" if inserted else "places")):
        faults.append("it does not tell which picture is left out")
    if faults:
        return faults
    last = steps[-1]
    odd, pictures = last.number("odd") - 1, stages(views)
    pairs = _pairs(len(pictures), odd)
    if len(steps) != len(pairs) + 1:
        return [f"it takes {len(steps)} steps, not {len(pairs) + 1}"]
    faults, _ = _turns(views, steps[:-1], pairs)
    left = [place for place in range(len(pictures)) if place != odd]
    even = [_between(pictures, *pair) / (1 if inserted else pair[1] - pair[0]) for pair in pairwise(left)]
    if any(abs(turn - last.number("turn")) > NOISE for turn in even) or key.balance_bin() != str(odd + 1):
        faults.append(f"{last.line!r}: the turns without it are {[round(turn) for turn in even]}")
    return faults
