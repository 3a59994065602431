"""Rooms and streets for questions, regenerated from a number on demand.

A scene stores the number and the visible objects. The geometry of a street alone would need several hundred kilobytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Setting, split_of_layout
from isovist.world.scenes.environments.environment import Environment, VisibleObject, sightings
from isovist.world.scenes.environments.rooms import ROOM_COUNTABLE, room
from isovist.world.scenes.environments.streets import STREET_COUNTABLE, street

INDOORS, OUTDOORS = "indoors", "outdoors"
PLACE = Setting("any", "indoors: rooms; outdoors: streets; any: half rooms and half streets", choices=("any", INDOORS, OUTDOORS))
PAPER = "paper"
DESIGN = Setting(
    "balanced",
    "balanced: shortcuts stay near chance; paper: images and options like those of the published benchmark, with its shortcuts",
    choices=("balanced", PAPER),
)
SETTINGS = {"place": PLACE, "design": DESIGN}
_NUMBERS = 2**48
_TRIES = 16
UNFIT = frozenset({"picture"})
"""Names that a question about images cannot use."""


@dataclass(frozen=True, slots=True)
class Place:
    """A room or a street with its number; `repeats`: the category with several objects, and their number."""

    setting: str
    number: int
    repeats: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class PhotographedPlace:
    """A photographed place. `environment` has one proxy for each labelled object."""

    setting: str
    environment: Environment


@dataclass(frozen=True, slots=True)
class PlaceWithWays:
    """A street, park or square whose roads or paths are named surfaces, with its number; `kind`: one of `ways.KINDS`."""

    number: int
    kind: str
    setting: str = OUTDOORS


Somewhere = Place | PlaceWithWays | PhotographedPlace


def where(plan: SamplingContext) -> str:
    """Whether the place of the item is indoors or outdoors."""
    requested = str(plan.settings["place"])
    return requested if requested != "any" else (INDOORS, OUTDOORS)[plan.image_stratum("place", 2)]


def as_published(plan: SamplingContext) -> bool:
    """Whether the item follows the paper's design with its shortcuts."""
    return plan.settings["design"] == PAPER


P = TypeVar("P", Place, PlaceWithWays)


def drawn(plan: SamplingContext, repeats: tuple[str, int] | None = None, nth: int = 0) -> Place:
    """The `nth` sampled place of the item's split. Raises RejectSample."""
    return _drawn(plan, nth, lambda number: Place(where(plan), number, repeats))


def drawn_outdoors(plan: SamplingContext, nth: int = 0) -> Place:
    """`drawn` with an outdoor place, whatever the setting."""
    return _drawn(plan, nth, lambda number: Place(OUTDOORS, number))


def drawn_with_ways(plan: SamplingContext, kind: str, nth: int = 0) -> PlaceWithWays:
    """`drawn` with a place whose roads or paths are named."""
    return _drawn(plan, nth, lambda number: PlaceWithWays(number, kind))


def _drawn(plan: SamplingContext, nth: int, make: Callable[[int], P]) -> P:
    """The split is checked before the place is generated."""
    numbers = plan.image_rng.at("place", nth)
    for _ in range(_TRIES):
        place = make(numbers.integer(0, _NUMBERS - 1))
        if split_of_layout(place) == plan.split:
            return plan.check_split(place)
    raise RejectSample


def countable(kind: str, n: int) -> tuple[str, ...]:
    """The categories of which a place can have up to `n` objects, indoors or outdoors."""
    return tuple(name for name, most in (ROOM_COUNTABLE if kind == INDOORS else STREET_COUNTABLE) if most >= n and name not in UNFIT)


@lru_cache(maxsize=16)
def world(place: Somewhere) -> Environment:
    """Generate the environment of a place. Raises RejectSample for a number without a valid environment."""
    if isinstance(place, PhotographedPlace):
        return place.environment
    rng = Rng("cospace", place.setting, place.number)
    if isinstance(place, PlaceWithWays):
        return street(rng, ways=place.kind)
    return room(rng, place.repeats) if place.setting == INDOORS else street(rng, place.repeats)


@lru_cache(maxsize=16)
def visible_objects(place: Somewhere, name: str = "") -> tuple[VisibleObject, ...]:
    """The named visible objects of a place, or those of one name, with values rounded to 0.01. Raises RejectSample."""
    return tuple(_rounded(visible) for visible in sightings(world(place), name))


def _rounded(visible: VisibleObject) -> VisibleObject:
    rounded = {
        name: round(getattr(visible, name), 2) + 0.0 for name in ("bearing", "left", "right", "low", "high", "distance", "visible_share")
    }
    return replace(visible, **rounded)
