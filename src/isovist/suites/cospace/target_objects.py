"""Things that a question may name: seen well enough, once, and in one direction beyond doubt.

Angles are degrees. An offset is where the middle of a thing stands clockwise of the middle of its direction.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.task import RejectSample
from isovist.scenes.environments.environment import VisibleObject, once
from isovist.suites.cospace.directions import MIDDLE_MARGIN, SIDE_MARGIN, STEP, WIDEST, shown_by
from isovist.suites.cospace.environments import UNFIT
from isovist.suites.cospace.view_sets import AROUND, FOVS, NARROW_FOVS

LEAST_SEEN = 0.6
"""Share of a thing that nothing hides."""
NARROWEST, LEAST_AREA = 4.5, 60.0
"""Degrees, and square degrees: at the middle of a picture of 512 pixels about 15 pixels, and 27 by 27."""
STEEPEST, LEAST_WITHIN = 40.0, 0.7
"""Degrees over or under the horizon up to where every picture reaches, and the share of a thing's height within them."""
IN_BOTH = 0.35
"""What stands aslant shows at least this share of its width in each of two pictures."""
SEEN_IN = 0.15
"""Share of its width from which on a thing counts as seen in a picture."""
_CLEAR = 0.4
"""Degrees between a thing that one picture shows and the edge of the picture that does not show it."""
_ROUNDING = 0.1


def plain(thing: VisibleObject, width: float = NARROWEST, area: float = LEAST_AREA, inside: float = LEAST_WITHIN) -> bool:
    """Whether a thing is large enough, little hidden, little cut off above and below, and has a name that can be used."""
    within = min(thing.high, STEEPEST) - max(thing.low, -STEEPEST)
    return (
        thing.visible_share >= LEAST_SEEN
        and min(thing.width, thing.height) >= width
        and thing.width * thing.height >= area
        and within >= inside * thing.height
        and thing.name not in UNFIT
    )


def countable(thing: VisibleObject) -> bool:
    """The same for one of several of a kind, which the others help to find: it may be smaller, and cut off by half."""
    return plain(thing, 2.6, 30.0, 0.5)


def askable(things: Sequence[VisibleObject]) -> tuple[VisibleObject, ...]:
    """The things that exist once, are seen well and lie in one direction if the first picture looks the right way."""
    return tuple(thing for thing in once(things) if plain(thing) and thing.width <= WIDEST)


def share_in(thing: VisibleObject, looking: float, fov: float) -> float:
    """The share of a thing's width that lies in a picture that looks to `looking`."""
    if thing.width == 0:
        return float(abs(wrapped(thing.bearing - looking)) <= fov / 2)
    middle, half = wrapped(thing.bearing - looking), thing.width / 2
    return max(0.0, min(middle + half, fov / 2) - max(middle - half, -fov / 2)) / thing.width


def pictures_of(thing: VisibleObject, heading: float, fov: float) -> tuple[int, ...]:
    """Which of four pictures all around show it, from 0."""
    return tuple(i for i, turn in enumerate(AROUND) if share_in(thing, heading + turn, fov) >= SEEN_IN)


def widest_once(fov: float) -> float:
    """The width up to which a thing aslant, with all margins, can be seen in one of two neighbouring pictures alone."""
    overlap = fov / 2 - STEP + _CLEAR + _ROUNDING
    return min(2 * (STEP / 2 - MIDDLE_MARGIN - overlap), STEP / 2 - SIDE_MARGIN - overlap)


def heading_once(rng: Rng, thing: VisibleObject, direction: int, picture: int, fov: float) -> float:
    """A heading of the first picture by which a thing lies in a direction with all margins and is seen in one picture alone.

    Straight that is the picture which looks there; aslant `picture` tells which of the two neighbours it is.
    """
    half = thing.width / 2
    most = min(STEP / 2 - MIDDLE_MARGIN, STEP / 2 - SIDE_MARGIN - half) - _ROUNDING
    if direction % 2 == 0:
        off = rng.uniform(-most, most)
    else:
        least = fov / 2 - STEP + _CLEAR + half
        assert least <= most, f"{thing.name} is too wide to be seen once"
        off = rng.uniform(least, most) * (1 if wrapped(AROUND[picture] - STEP * direction) > 0 else -1)
    return round((thing.bearing - STEP * direction - off) % 360, 1) % 360


def heading_twice(rng: Rng, thing: VisibleObject, direction: int, fov: float) -> float:
    """The same with what lies aslant seen in two pictures, as in the paper's design. To a tenth of a degree."""
    half = thing.width / 2
    most = min(STEP / 2 - MIDDLE_MARGIN, STEP / 2 - SIDE_MARGIN - half)
    if direction % 2:
        most = min(most, fov / 2 - STEP + half * (1 - 2 * IN_BOTH))
    most -= _ROUNDING
    assert most > 0, f"{thing.name} is too wide for one direction"
    return round((thing.bearing - STEP * direction - rng.uniform(-most, most)) % 360, 1) % 360


def target(rng: Rng, things: Sequence[VisibleObject], truth: int, four: Sequence[int], *, paper: bool) -> tuple[VisibleObject, float, int]:
    """A thing to ask for, the heading by which it lies in the direction `truth` of the `four` offered, and the field of view.

    Which thing and which field of view do not depend on the direction. Raises RejectSample.
    """
    fov = rng.pick(FOVS if paper else NARROW_FOVS)
    fitting = [thing for thing in things if paper or thing.width <= widest_once(fov)]
    if not fitting:
        raise RejectSample
    thing = rng.pick(fitting)
    if paper:
        return thing, heading_twice(rng, thing, truth, fov), fov
    return thing, heading_once(rng, thing, truth, shown_by(truth, four), fov), fov


def direction_of(thing: VisibleObject, heading: float) -> int:
    """The nearest direction of the middle of a thing."""
    return round(wrapped(thing.bearing - heading) / STEP) % 8


def surely_not(thing: VisibleObject, direction: int, heading: float) -> bool:
    """Whether a thing lies wholly outside a direction, with the margins."""
    off = abs(wrapped(thing.bearing - heading - STEP * direction))
    return off >= STEP / 2 + MIDDLE_MARGIN and off - thing.width / 2 >= STEP / 2 + SIDE_MARGIN
