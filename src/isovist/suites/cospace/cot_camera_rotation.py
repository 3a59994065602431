"""Chains of thought about the turns of a camera: what two pictures share, where it is seen in either, and the turn between them.

A thing that is seen in both pictures is best; where there is none, the strip tells that comes again at the other side. The verifier
takes the turns from the cameras, and measures each thing, and whether anything stands before it, by the boxes on the stage.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import degrees

from isovist.core.answers import Answer
from isovist.core.rotation import unit, wrapped
from isovist.core.scene3d import Scene3D
from isovist.reasoning.templates import NUMBER, Step, write_chain
from isovist.reasoning.verifier import step_errors, steps_in
from isovist.scenes.environments.bounding_boxes import meets, standing, standing_corners
from isovist.scenes.environments.environment import VisibleObject, once
from isovist.suites.cospace import environments, rederivation
from isovist.suites.cospace.cot_landmarks import NOISE, Sighting, fives, measured, percent, sighted, sighting, template
from isovist.suites.cospace.target_objects import countable
from isovist.suites.cospace.view_sets import Views, stages

_SPARE = 0.25
"""Of its width: what of a thing lies at least within a picture beyond its middle, if a chain goes by it."""
_STRIP = 5.0
"""Degrees: pictures that share less are told to share next to nothing."""
_CLEAR = 0.4
"""The least share of a thing that nothing hides."""

_SHARED = template(
    "The {thing} stands at about {percent} percent of the width of picture {one}, {where}, and at about {again} percent of that of picture {two}, {there}: a turn of about {turn} degrees {sense}.",
    "From picture {one} to picture {two} the {thing} goes from about {percent} percent across ({where}) to about {again} percent ({there}), so the camera turned about {turn} degrees {sense}.",
    "Pictures {one} and {two} share the {thing}: {where} in the former, at about {percent} percent of the width, {there} in the latter, at about {again} percent. The camera turned by about {turn} degrees {sense}.",
)
_EDGE = template(
    "What picture {one} shows to the {side} of about {percent} percent of its width comes again at the {other} of picture {two}: a strip of about {strip} of {fov} degrees, so a turn of about {turn} degrees {sense}.",
    "Pictures {one} and {two} share a strip of about {strip} of {fov} degrees, to the {side} of {percent} percent across in the former, at the {other} edge of the latter. That makes a turn of about {turn} degrees {sense}.",
)
_APART = template(
    "Pictures {one} and {two} share next to nothing: the turn between them is about {fov} degrees or more.",
    "Between pictures {one} and {two} there is hardly anything in common, so they look about {fov} degrees or more apart.",
)
_ANGLE = template(
    "Of the angles on offer, {angle} degrees fits these turns.",
    "The angle on offer that is nearest to every one of them: {angle} degrees.",
)
_EVEN = template(
    "Without picture {odd} every turn is about {turn} degrees clockwise, and with it they are not alike.",
    "Leave out picture {odd}, and each turn is about {turn} degrees clockwise; no other one leaves them even.",
    turn=NUMBER,
)
_PLACES = template(
    "Leave out picture {odd}, and the camera turned about {turn} degrees clockwise from each place to the next; no other one leaves it so.",
    "All but picture {odd} look where turns of about {turn} degrees clockwise, one for each place, would have them look.",
    turn=NUMBER,
)

_Pair = tuple[int, int]
"""Two pictures, from 0."""


def _sense(turn: float) -> str:
    return "clockwise" if turn > 0 else "counterclockwise"


def _shared(pair: _Pair, thing: str, one: Sighting, two: Sighting) -> Step:
    """A thing that is seen in both pictures, and the turn that this makes."""
    turn = one.angle - two.angle
    return _SHARED(
        one=pair[0] + 1,
        two=pair[1] + 1,
        thing=thing,
        percent=one.percent,
        where=one.where,
        again=two.percent,
        there=two.where,
        turn=abs(turn),
        sense=_sense(turn),
    )


def _edge(pair: _Pair, turn: float, fov: int, claim: Step | None = None) -> Step:
    """A turn, and the strip that both pictures share; numbers are rounded as a claim tells them where that holds but for noise."""
    side, other = ("right", "left") if turn > 0 else ("left", "right")
    begins = percent(turn - fov / 2 if turn > 0 else turn + fov / 2, fov)
    far, across = fives(abs(turn), claim and claim.number("turn")), fives(begins, claim and claim.number("percent"))
    strip = {"side": side, "other": other, "percent": across, "strip": fov - far, "fov": fov}
    return _EDGE(one=pair[0] + 1, two=pair[1] + 1, **strip, turn=far, sense=_sense(turn))


def _apart(pair: _Pair, fov: int) -> Step:
    return _APART(one=pair[0] + 1, two=pair[1] + 1, fov=fov)


def _odd(odd: int, turn: int, *, inserted: bool) -> Step:
    return (_EVEN if inserted else _PLACES)(odd=odd + 1, turn=turn)


def _pairs(count: int, odd: int) -> list[_Pair]:
    """Pictures whose turns are told: all neighbours, and those that are neighbours without the odd one."""
    return [*pairwise(range(count)), *([(odd - 1, odd + 1)] if 0 < odd < count - 1 else [])]


@lru_cache(maxsize=16)
def _landmarks(place: environments.Somewhere) -> tuple[VisibleObject, ...]:
    """The things of a place that exist once and are seen well enough."""
    return tuple(thing for thing in once(environments.things(place)) if countable(thing))


def _turn(views: Views, pair: _Pair) -> Step:
    """What tells the turn from a picture to another."""
    turn = wrapped(views.rotations_deg[pair[1]] - views.rotations_deg[pair[0]])
    shared: list[tuple[float, str, float, float]] = []
    for thing in _landmarks(views.place):
        a, b = (wrapped(thing.bearing - views.heading - views.rotations_deg[i]) for i in pair)
        far = max(abs(a), abs(b))
        if far + _SPARE * thing.width <= views.fov / 2:
            shared.append((far, thing.name, a, b))
    if shared:
        _, name, a, b = min(shared)
        return _shared(pair, name, sighting(a, views.fov), sighting(b, views.fov))
    return _apart(pair, views.fov) if abs(turn) > views.fov - _STRIP else _edge(pair, turn, views.fov)


def of_angle(views: Views, key: Answer, phrasing: int) -> str:
    """The chain of the question by what angle the camera was turned after each picture."""
    steps = [_turn(views, pair) for pair in pairwise(range(len(views.rotations_deg)))]
    return write_chain([*steps, _ANGLE(angle=round(views.rotations_deg[1] - views.rotations_deg[0]))], key, phrasing)


def of_odd_one(views: Views, odd: int, key: Answer, phrasing: int, *, inserted: bool) -> str:
    """The chain of the question which picture breaks the even turn; `odd` counts from 0, `inserted`: see `rotation_difference`."""
    pairs = _pairs(len(views.rotations_deg), odd)
    one, two = next((a, b) for a, b in pairs if odd not in (a, b) and (inserted or b - a == 1))
    last = _odd(odd, round(views.rotations_deg[two] - views.rotations_deg[one]), inserted=inserted)
    return write_chain([*(_turn(views, pair) for pair in pairs), last], key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _in_sight(views: Views, name: str) -> bool:
    """Whether there is one thing of that name, and nothing stands before most of it: by rays to points within its box."""
    pictures = stages(views)
    named = rederivation.named(pictures, name)
    if len(named) != 1:
        return False
    eye, (solid,) = rederivation.camera(pictures[0]).eye, named
    target_box = standing(solid, eye)
    others = [box.slabs for other in pictures[0].objects if other is not solid and (box := standing(other, eye)).near < target_box.far]
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


def _turns_again(views: Views, pairs: Sequence[_Pair], text: str) -> list[Step]:
    """The steps about pairs of pictures that are due: of the kind that a text chooses, if it is one that can tell the turn."""
    claims = steps_in(text, _SHARED, _EDGE, _APART)
    return [_turn_again(views, pair, claims[k] if k < len(claims) else None) for k, pair in enumerate(pairs)]


def _turn_again(views: Views, pair: _Pair, claim: Step | None) -> Step:
    pictures = stages(views)
    one, two = (pictures[place] for place in pair)
    turn, fov = _between(pictures, *pair), round(rederivation.camera(one).fov)
    if claim and claim.template is _SHARED and _in_sight(views, claim["thing"]):
        solid = rederivation.only(pictures, claim["thing"])
        if max(abs(measured(picture, solid)) for picture in (one, two)) <= fov / 2 + NOISE:
            return _shared(pair, claim["thing"], sighted(one, solid, claim), sighted(two, solid, claim, "again", "there"))
    if claim and claim.template is _APART and abs(turn) >= fov - _STRIP - NOISE:
        return _apart(pair, fov)
    return _edge(pair, turn, fov, claim if claim and claim.template is _EDGE else None)


def replay_angle(views: Views, offered: Sequence[int], key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about the angle of all turns."""
    pairs = list(pairwise(range(len(views.rotations_deg))))
    steps = _turns_again(views, pairs, text)
    # an angle follows if it is nearest to each told turn
    turns = [step.number("turn") for step in steps if step.template is not _APART]
    nearest = {min(offered, key=lambda angle: abs(angle - turn)) for turn in turns}
    angle = round(_between(stages(views), 0, 1))
    conclusion = f"{angle} degrees" if len(turns) == len(steps) and nearest == {angle} else "no one angle"
    return step_errors(text, [*steps, _ANGLE(angle=angle)], conclusion, key)


def replay_odd_one(views: Views, key: Answer, text: str, *, inserted: bool) -> list[str]:
    """What is wrong with a chain about the picture that breaks the even turn."""
    odd, pictures = int(key.balance_bin()) - 1, stages(views)
    left = [place for place in range(len(pictures)) if place != odd]
    turns = [_between(pictures, a, b) / (1 if inserted else b - a) for a, b in pairwise(left)]
    turn = round(turns[0])
    conclusion = str(odd + 1) if all(abs(other - turn) <= NOISE for other in turns) else "no one picture"
    steps = [*_turns_again(views, _pairs(len(pictures), odd), text), _odd(odd, turn, inserted=inserted)]
    return step_errors(text, steps, conclusion, key)
