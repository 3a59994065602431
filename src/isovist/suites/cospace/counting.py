"""Counting: how many things of a kind there are, where some are seen in two pictures (section 3.2). Each counts once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

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
WHOLE = 0.6
"""Share of its width that at least one picture shows of each."""
_TRIES = 24
_NAMED = re.compile(r"How many (.+?) are there")


@dataclass(frozen=True, slots=True)
class Scene:
    """`kind`: the name of what is counted; `mixed`: the pictures' order when shuffled."""

    views: Views
    kind: str
    mixed: tuple[int, ...]


def _heading(rng: Rng, things: list[Sighting], fov: int) -> float:
    """A heading by which one of the things at least is seen in two pictures, and each well in one. Raises Reject."""
    for _ in range(_TRIES):
        heading = round(rng.uniform(0, 360), 1) % 360
        whole = all(max(share_in(thing, heading + turn, fov) for turn in AROUND) >= WHOLE for thing in things)
        if whole and any(len(pictures_of(thing, heading, fov)) > 1 for thing in things):
            return heading
    raise Reject


def _sample(plan: Plan) -> Scene:
    n = plan.cell + 1
    kinds = places.countable(places.where(plan), MOST)
    kind = kinds[plan.item_cell(places.where(plan), len(kinds))]  # by design, lest a kind be rejected more often where it is many
    scene = about(plan, places.drawn(plan, (kind, n)), kind)
    if sum(thing.name == kind for thing in scene.views.things) != n:
        raise Reject
    return scene


def about(plan: Plan, place: Somewhere, kind: str) -> Scene:
    """A question about how many of a kind there are in a place. Raises Reject."""
    seen = places.things(place)
    things = [thing for thing in seen if thing.name == kind]
    if not 1 <= len(things) <= MOST or not all(map(countable, things)):
        raise Reject
    rng, fov = plan.item, plan.item.pick(FOVS)
    return Scene(Views(place, places.world(place).place, _heading(rng, things, fov), fov, things=seen), kind, shuffled(rng))


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
    seen = [len(pictures_of(t, looked.heading, looked.fov)) for t in looked.things if t.name == scene.kind]
    return facets(looked) | {"kind": scene.kind, "seen in two pictures": str(sum(n > 1 for n in seen))}


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
