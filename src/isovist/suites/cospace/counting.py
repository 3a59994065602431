"""Counting: how many things of a kind there are, where some are seen in two pictures (section 3.2). Each counts once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from isovist.core.answers import Count
from isovist.core.rng import Rng
from isovist.core.solid import Stage
from isovist.core.task import Plan, Question, Reject, same
from isovist.kits.worlds.world import Sighting
from isovist.suites.cospace import places, reading, views
from isovist.suites.cospace.frame import cospace, facets
from isovist.suites.cospace.names import plural
from isovist.suites.cospace.places import Somewhere
from isovist.suites.cospace.targets import countable, pictures_of, share_in
from isovist.suites.cospace.views import AROUND, FOVS, Views, orders, round_told, shuffled

MOST = 5


class Spread(NamedTuple):
    """How the things lie in the pictures: how many are seen twice, how many pictures show any, how many the fullest one shows."""

    twice: int
    showing: int
    most: int


SLOTS = 20
SPREADS: dict[str, tuple[tuple[tuple[int, tuple[int, int, int]], ...], ...]] = {
    places.INDOORS: (
        ((11, (0, 1, 1)), (9, (1, 2, 1))),
        ((3, (0, 2, 1)), (1, (1, 2, 2)), (16, (2, 4, 1))),
        ((1, (0, 2, 2)), (12, (1, 4, 1)), (4, (2, 4, 2)), (3, (3, 4, 2))),
        ((1, (0, 3, 2)), (8, (0, 4, 1)), (3, (1, 3, 2)), (3, (2, 3, 2)), (5, (3, 4, 2))),
        ((4, (0, 4, 2)), (3, (1, 4, 2)), (5, (2, 4, 2)), (8, (3, 4, 2))),
    ),
    places.OUTDOORS: (
        ((10, (0, 1, 1)), (10, (1, 2, 1))),
        ((5, (0, 1, 2)), (4, (0, 2, 1)), (1, (1, 2, 2)), (2, (2, 3, 2)), (8, (2, 4, 1))),
        ((1, (0, 2, 2)), (1, (1, 2, 2)), (8, (1, 4, 1)), (2, (2, 3, 2)), (2, (2, 4, 2)), (6, (3, 4, 2))),
        ((1, (0, 2, 2)), (2, (0, 3, 2)), (1, (0, 4, 1)), (2, (1, 3, 2)), (5, (2, 4, 2)), (4, (3, 3, 3)), (5, (3, 4, 2))),
        ((2, (0, 3, 2)), (2, (0, 4, 2)), (6, (1, 4, 2)), (4, (2, 3, 3)), (5, (2, 4, 2)), (1, (3, 3, 3))),
    ),
}
"""For 1 to 5 things in how many of `SLOTS` items they lie how.

None of: what all pictures show together, the fullest picture, and the number of pictures that show one, is the answer in more than 28 of a
hundred items, whatever whole number is added. Of the tables of which that holds, with three or fewer seen twice, and with ways to lie
that a tenth of the places allow, these are the ones by which the three together tell least of the answer.
"""
_EXACTLY, _TWICE_ONLY = 0.93, 0.98
"""Some kinds never lie in some ways (cars stand along a road). So of many tries of one item some look for the number seen twice alone,
and a few for nothing.
"""
WIDE_FOVS = (105, 110, 115)
WHOLE = 0.6
"""Share of its width that at least one picture shows of each."""
CLEARLY, SLIVER = 0.25, 0.04
"""What is seen in a second picture shows at least the former share of its width there, and what is not at most the latter."""
_STEPS = 300
_TRIES = 24
_PLACES = 3
"""Places tried for one draw: few of them allow the rarer ways to lie."""
_NAMED = re.compile(r"How many (.+?) are there")


@dataclass(frozen=True, slots=True)
class Scene:
    """`kind`: the name of what is counted; `mixed`: the pictures' order when shuffled."""

    views: Views
    kind: str
    mixed: tuple[int, ...]


def _whole(thing: Sighting, heading: float, fov: int) -> bool:
    return max(share_in(thing, heading + turn, fov) for turn in AROUND) >= WHOLE


def _published_heading(rng: Rng, things: Sequence[Sighting], fov: int) -> float:
    """A heading by which one of the things at least is seen in two pictures, and each well in one. Raises Reject."""
    for _ in range(_TRIES):
        heading = round(rng.uniform(0, 360), 1) % 360
        if all(_whole(t, heading, fov) for t in things) and any(len(pictures_of(t, heading, fov)) > 1 for t in things):
            return heading
    raise Reject


def spread(things: Sequence[Sighting], heading: float, fov: float) -> Spread:
    """How things lie in the pictures."""
    seen = [pictures_of(thing, heading, fov) for thing in things]
    shown = Counter(picture for pictures in seen for picture in pictures)
    return Spread(sum(len(pictures) > 1 for pictures in seen), len(shown), max(shown.values(), default=0))


def _heading(rng: Rng, things: Sequence[Sighting], fov: int, wanted: Callable[[Spread], bool]) -> float:
    """A heading by which the things lie as `wanted`; each is clearly seen in two pictures or in one alone. Raises Reject."""
    first = rng.uniform(0, 360)
    for step in rng.shuffled(range(_STEPS)):
        heading = round(first + 360 / _STEPS * step, 1) % 360
        seconds = [sorted(share_in(thing, heading + turn, fov) for turn in AROUND)[-2] for thing in things]
        if any(SLIVER < share < CLEARLY for share in seconds) or not all(_whole(thing, heading, fov) for thing in things):
            continue
        if wanted(spread(things, heading, fov)):
            return heading
    raise Reject


def _anyhow(lie: Spread) -> bool:
    return lie.twice >= 0


def _wanted(plan: Plan) -> Callable[[Spread], bool]:
    """Whether the things lie as they are to by design."""
    cells = SPREADS[places.where(plan)][plan.cell]
    slot, tried = plan.item_cell("spread", SLOTS), plan.item.at("spread").uniform(0, 1)
    due = Spread(*next(cell for (_, cell), reached in zip(cells, accumulate(n for n, _ in cells), strict=True) if slot < reached))
    if tried < _EXACTLY:
        return lambda lie: lie == due
    return (lambda lie: lie.twice == due.twice) if tried < _TWICE_ONLY else _anyhow


def _sample(plan: Plan) -> Scene:
    n = plan.cell + 1
    kinds = places.countable(places.where(plan), MOST)
    kind = kinds[plan.item_cell(places.where(plan), len(kinds))]  # by design, lest a kind be rejected more often where it is many
    for nth in range(_PLACES):
        try:
            scene = about(plan, places.drawn(plan, (kind, n), nth), kind, _wanted(plan))
        except Reject:
            continue
        if sum(thing.name == kind for thing in scene.views.things) == n:
            return scene
    raise Reject


def about(plan: Plan, place: Somewhere, kind: str, wanted: Callable[[Spread], bool] = _anyhow) -> Scene:
    """A question about how many of a kind there are in a place, which lie as `wanted`. Raises Reject."""
    seen = places.things(place)
    things = [thing for thing in seen if thing.name == kind]
    if not 1 <= len(things) <= MOST or not all(map(countable, things)):
        raise Reject
    rng = plan.item
    if places.as_published(plan):
        fov = rng.pick(FOVS)
        heading = _published_heading(rng, things, fov)
    else:
        fov = WIDE_FOVS[plan.item_cell("wide", len(WIDE_FOVS))]  # by design, lest the rejected ones tell how they lie
        heading = _heading(rng, things, fov, wanted)
    return Scene(Views(place, places.world(place).place, heading, fov, things=seen), kind, shuffled(rng))


def _asked(scene: Scene, opening: str) -> str:
    return (
        f"{opening}\nHow many {plural(scene.kind)} are there around the place where the pictures were taken? "
        "Count each once, even if two pictures show it."
    )


def _ask(scene: Scene) -> Question:
    n = sum(thing.name == scene.kind for thing in scene.views.things)
    return Question(_asked(scene, round_told(scene.views.fov, range(4))), Count(n, 1, MOST))


def _read(pictures: tuple[Stage, ...], words: str) -> str:
    """How many different solids of the kind the pictures show, one picture after the other."""
    found = _NAMED.search(words)
    assert found
    names = {solid.name for solid in pictures[0].solids if solid.name}
    (kind,) = [name for name in names if plural(name) == found[1]]
    seen = {solid for picture in pictures for solid in reading.named(pictures, kind) if reading.shows(picture, solid)}
    return str(len(seen))


def _facets(scene: Scene) -> dict[str, str]:
    looked = scene.views
    twice = spread([thing for thing in looked.things if thing.name == scene.kind], looked.heading, looked.fov).twice
    return facets(looked) | {"kind": scene.kind, "seen in two pictures": str(twice)}


def _turned(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, views=views.turned(scene.views)), same


def _one_is_gone(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Without one of several there is one fewer."""
    if sum(thing.name == scene.kind for thing in scene.views.things) == 1:
        return scene, same
    return replace(scene, views=views.without_one(scene.views, scene.kind)), lambda told: str(int(told) - 1)


TASK = cospace(
    "counting",
    "Count the things of a kind in four pictures all around, some of which show the same thing.",
    _sample,
    _ask,
    _read,
    skills=("counting", "counting across pictures"),
    paper=200,
    chance=1 / MOST,
    cells=MOST,
    answer_type="count",
    symmetries=(_turned, _one_is_gone),
    orders=lambda scene: orders(scene.views.fov, scene.mixed, lambda opening: _asked(scene, opening), starts=True),
    facets=_facets,
)
