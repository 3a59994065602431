"""Names of objects: which are confusable in a room or street, and which may occur several times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from isovist.world.assets import asset

Where = Literal["rooms", "streets"]

_TABLE = asset("tables", "object_names.json")
CONFUSABLE: dict[Where, tuple[frozenset[str], ...]] = {
    "rooms": tuple(map(frozenset, _TABLE["rooms"])),
    "streets": tuple(map(frozenset, _TABLE["streets"])),
}
"""Sets of confusable names. Two names of one set never occur in the same room or street: the objects look alike, one may contain the other,
as a shelf contains balls, or their colours are confusable with red-green colour blindness.
"""
SEVERAL: frozenset[str] = frozenset(_TABLE["several in a room"])
"""Names that several objects of a room may share even if they are not counted. All other names are unique in a room."""
LOOK_ALIKE: dict[str, list[str]] = _TABLE["look alike"]
"""By counted category: names that are excluded from the room, because such objects could be counted by mistake."""
STREET_COUNTABLE: tuple[tuple[str, int], ...] = tuple(_TABLE["countable in a street"].items())
"""Countable categories with the greatest number of objects."""


def is_confusable(name: str, others: Iterable[str], where: Where) -> bool:
    """Whether a name is confusable with one of `others`: one of the sets contains both."""
    rest = set(others) - {name}
    return any(name in names and not names.isdisjoint(rest) for names in CONFUSABLE[where])
