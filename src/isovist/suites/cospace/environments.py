"""A fresh place for a question: a room or a street, made anew from its number wherever it is needed.

A scene tells the number and what is seen of the things there; the solids of a street alone would fill some hundred kilobytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Setting, split_of_layout
from isovist.scenes.environments.environment import Environment, VisibleObject, sightings
from isovist.scenes.environments.rooms import ROOM_COUNTABLE, room
from isovist.scenes.environments.streets import STREET_COUNTABLE, street

INDOORS, OUTDOORS = "indoors", "outdoors"
PLACE = Setting("any", "rooms, streets, or as many of both", choices=("any", INDOORS, OUTDOORS))
PAPER = "paper"
DESIGN = Setting(
    "balanced",
    "balanced: rules without the skill stay near chance; paper: pictures and options as the published set has them, with its shortcuts",
    choices=("balanced", PAPER),
)
SETTINGS = {"place": PLACE, "design": DESIGN}
_NUMBERS = 2**48
_TRIES = 16
UNFIT = frozenset({"picture"})
"""Names that a question about pictures cannot use."""


@dataclass(frozen=True, slots=True)
class Place:
    """A room or a street by its number; `repeats`: the kind of which it has several, and how many."""

    setting: str
    number: int
    repeats: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class PhotographedPlace:
    """A place that is told, not made: `environment` holds a stand-in for each thing of a photograph."""

    setting: str
    environment: Environment


Somewhere = Place | PhotographedPlace


def where(plan: SamplingContext) -> str:
    """Whether the item's place is indoors or outdoors."""
    asked = str(plan.settings["place"])
    return asked if asked != "any" else (INDOORS, OUTDOORS)[plan.image_stratum("place", 2)]


def as_published(plan: SamplingContext) -> bool:
    """Whether the item is made as those of the paper, with their shortcuts."""
    return plan.settings["design"] == PAPER


def drawn(plan: SamplingContext, repeats: tuple[str, int] | None = None, nth: int = 0) -> Place:
    """The first or a further place of the item's split, which is known before it is made. Raises RejectSample."""
    numbers = plan.image_rng.at("place", nth)
    for _ in range(_TRIES):
        place = Place(where(plan), numbers.integer(0, _NUMBERS - 1), repeats)
        if split_of_layout(place) == plan.split:
            return plan.check_split(place)
    raise RejectSample


def countable(kind: str, n: int) -> tuple[str, ...]:
    """The kinds of things of which there can be up to `n` indoors or outdoors."""
    return tuple(name for name, most in (ROOM_COUNTABLE if kind == INDOORS else STREET_COUNTABLE) if most >= n and name not in UNFIT)


@lru_cache(maxsize=16)
def world(place: Somewhere) -> Environment:
    """The place itself. Raises RejectSample for a number that does not work out."""
    if isinstance(place, PhotographedPlace):
        return place.environment
    rng = Rng("cospace", place.setting, place.number)
    return room(rng, place.repeats) if place.setting == INDOORS else street(rng, place.repeats)


@lru_cache(maxsize=16)
def things(place: Somewhere) -> tuple[VisibleObject, ...]:
    """The named things of a place as they are seen, to a hundredth. Raises RejectSample."""
    return tuple(_rounded(thing) for thing in sightings(world(place)))


def _rounded(thing: VisibleObject) -> VisibleObject:
    rounded = {
        name: round(getattr(thing, name), 2) + 0.0 for name in ("bearing", "left", "right", "low", "high", "distance", "visible_share")
    }
    return replace(thing, **rounded)
