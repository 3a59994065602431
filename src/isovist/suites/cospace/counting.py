"""Counting: how many things of a kind there are, where some are seen in two pictures (section 3.2). Each counts once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from isovist.core.answers import Count
from isovist.core.rng import Rng
from isovist.core.scene3d import Scene3D
from isovist.core.task import RejectSample, SamplingContext, identity
from isovist.scenes.environments.environment import VisibleObject
from isovist.suites.cospace import environments, rederivation, shortcuts
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.plurals import plural
from isovist.suites.cospace.target_objects import countable, pictures_of, share_in
from isovist.suites.cospace.task_factory import cospace, facets, four_views
from isovist.suites.cospace.view_sets import AROUND, FOVS, Views, shuffled, without_one

MOST = 5

Shown = tuple[int, ...]
"""How many of the things each of the four pictures shows, clockwise; of its turned and mirrored forms the greatest."""

ONE, TWO, THREE, FOUR = (1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0), (2, 1, 0, 1)
_FIVE, _SIX = (2, 2, 1, 0), (2, 2, 1, 1)
_AROUND = ((1, 1, 1, 1), (2, 1, 1, 1), _SIX, (2, 2, 2, 1))
_MANY: dict[str, tuple[Shown, Shown, Shown, Shown]] = {
    "car": (FOUR, _FIVE, _FIVE, (2, 2, 2, 1)),
    "street lamp": (FOUR, _FIVE, (3, 2, 0, 1), (3, 2, 0, 2)),
    "tree": (FOUR, _FIVE, _SIX, (2, 2, 2, 1)),
    "flag": (FOUR, _FIVE, _SIX, (2, 2, 2, 1)),
    "traffic cone": (FOUR, _FIVE, _FIVE, _FIVE),
    "person": (THREE, (2, 1, 1, 1), _SIX, (2, 2, 2, 1)),
}
"""By kind: what the pictures show where that is four, five, six or seven together, or fewer where the kind seldom lies so. All other kinds
are all around.
"""

SLOTS = 20
_SLOTS: tuple[tuple[int, ...], ...] = (
    (2, 18, 0, 0, 0, 0, 0),
    (0, 18, 1, 1, 0, 0, 0),
    (0, 0, 1, 1, 12, 6, 0),
    (0, 0, 0, 0, 12, 7, 1),
    (0, 0, 0, 0, 12, 7, 1),
)
"""For 1 to 5 things in how many of `SLOTS` items the pictures show one to seven together, those seen twice counted twice.

What the pictures show is the same for one thing and for two, and for three, four and five: so it tells which of the two groups it is, and
little more. Who knows all of it is right in 42 of 100 items. With as many items of each number 40 is the least that is possible: one thing
is never shown more than twice, three never less than three times, so these two can always be told apart.
"""
WIDE_FOVS = (105, 110)
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
    """`category`: the name of what is counted; `shuffled_order`: the pictures' order when shuffled."""

    views: Views
    category: str
    shuffled_order: tuple[int, ...]


def _whole(thing: VisibleObject, heading: float, fov: int) -> bool:
    return max(share_in(thing, heading + turn, fov) for turn in AROUND) >= WHOLE


def _published_heading(rng: Rng, things: Sequence[VisibleObject], fov: int) -> float:
    """A heading by which one of the things at least is seen in two pictures, and each well in one. Raises RejectSample."""
    for _ in range(_TRIES):
        heading = round(rng.uniform(0, 360), 1) % 360
        if all(_whole(t, heading, fov) for t in things) and any(len(pictures_of(t, heading, fov)) > 1 for t in things):
            return heading
    raise RejectSample


def alike(shown: Sequence[int]) -> Shown:
    """Of what the pictures show, turned and mirrored, the greatest form."""
    turned = [tuple(shown[(i + k) % 4] for k in range(4)) for i in range(4)]
    return max(form for one in turned for form in (one, one[::-1]))


def seen_by(things: Sequence[VisibleObject], heading: float, fov: float) -> Shown:
    """How many of the things each picture shows."""
    pictures = [picture for thing in things for picture in pictures_of(thing, heading, fov)]
    return tuple(pictures.count(picture) for picture in range(4))


def due(kind: str, n: int, slot: int) -> Shown:
    """What the pictures show of `n` things of a kind in a slot of the design."""
    shown = (ONE, TWO, THREE, *_MANY.get(kind, _AROUND))
    return next(one for one, reached in zip(shown, accumulate(_SLOTS[n - 1]), strict=True) if slot < reached)


def _heading(rng: Rng, things: Sequence[VisibleObject], fov: int, wanted: Shown | None) -> float:
    """A heading by which the pictures show what is `wanted`; each thing is clearly seen in two pictures or in one alone. Raises RejectSample."""
    first = rng.uniform(0, 360)
    for step in rng.shuffled(range(_STEPS)):
        heading = round(first + 360 / _STEPS * step, 1) % 360
        if wanted is not None and alike(seen_by(things, heading, fov)) != wanted:
            continue
        seconds = [sorted(share_in(thing, heading + turn, fov) for turn in AROUND)[-2] for thing in things]
        if not any(SLIVER < share < CLEARLY for share in seconds) and all(_whole(thing, heading, fov) for thing in things):
            return heading
    raise RejectSample


def _sample(plan: SamplingContext) -> Scene:
    n = plan.stratum + 1
    kinds = environments.countable(environments.where(plan), MOST)
    kind = kinds[plan.item_stratum(environments.where(plan), len(kinds))]  # by design, lest a kind be rejected more often where it is many
    wanted = None if environments.as_published(plan) else due(kind, n, plan.item_stratum("slot", SLOTS))
    for nth in range(_PLACES):
        try:
            scene = about(plan, environments.drawn(plan, (kind, n), nth), kind, wanted)
        except RejectSample:
            continue
        if sum(thing.name == kind for thing in scene.views.objects) == n:
            return scene
    raise RejectSample


def about(plan: SamplingContext, place: Somewhere, kind: str, wanted: Shown | None = None) -> Scene:
    """A question about how many of a kind there are in a place, of which the pictures show what is `wanted`. Raises RejectSample."""
    seen = environments.things(place)
    things = [thing for thing in seen if thing.name == kind]
    if not 1 <= len(things) <= MOST or not all(map(countable, things)):
        raise RejectSample
    rng = plan.item_rng
    if environments.as_published(plan):
        fov = rng.pick(FOVS)
        heading = _published_heading(rng, things, fov)
    else:
        fov = WIDE_FOVS[plan.item_stratum("wide", len(WIDE_FOVS))]  # by design, lest the rejected ones tell how they lie
        heading = _heading(rng, things, fov, wanted)
    return Scene(Views(place, environments.world(place).place, heading, fov, objects=seen), kind, shuffled(rng))


def _asked(scene: Scene, opening: str) -> str:
    return (
        f"{opening}\nHow many {plural(scene.category)} are there around the place where the pictures were taken? "
        "Count each once, even if two pictures show it."
    )


def _counted(scene: Scene) -> Count:
    return Count(sum(thing.name == scene.category for thing in scene.views.objects), 1, MOST)


_ask, _orders = four_views(_asked, _counted)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """How many different solids of the kind the pictures show, one picture after the other."""
    names = {solid.name for solid in pictures[0].objects if solid.name}
    (kind,) = [name for name in names if plural(name) == rederivation.asked(_NAMED, words)]
    seen = {solid for picture in pictures for solid in rederivation.named(pictures, kind) if rederivation.shows(picture, solid)}
    return str(len(seen))


def _facets(scene: Scene) -> dict[str, str]:
    looked = scene.views
    things = [thing for thing in looked.objects if thing.name == scene.category]
    shown = sum(seen_by(things, looked.heading, looked.fov))
    return facets(looked) | {"kind": scene.category, "seen in two pictures": str(shown - len(things)), "shown together": str(shown)}


def _one_is_gone(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Without one of several there is one fewer."""
    if _counted(scene).truth == 1:
        return scene, identity
    return replace(scene, views=without_one(scene.views, scene.category)), lambda answer: str(int(answer) - 1)


TASK = cospace(
    "counting",
    "Count objects of one category in four overlapping views.",
    _sample,
    _ask,
    _read,
    _one_is_gone,
    skills=("counting", "counting across pictures"),
    paper=200,
    chance=1 / MOST,
    strata=MOST,
    answer_type="count",
    image_orders=_orders,
    attributes=_facets,
    shortcuts=shortcuts.COUNTS,
    category=lambda scene: scene.category,
)
