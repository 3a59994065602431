"""What is known of items besides their answers, as columns of a regression: their size or level, and what their task tells of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from isovist.analysis.scored_item import ScoredItem
from isovist.stats.guess_rate_regression import Array, linearly_independent_columns

FEWEST = 40
"""Items without which a task has no regression."""
EACH = 10
"""Items for every column, at least; the knobs with most columns are left out first."""
MOST = 8
"""Values of a knob that is no number; one with more (the kind of a thing, the name of a place) is left out."""
_RARE = 5  # items of a value, with fewer of which it goes to the others
OTHERS = "others"
PLAIN: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("way", "slanted"): "the two lie on a diagonal",
        ("way", "straight"): "they lie in one row or column",
        ("heading", "slanted"): "the heading is slanted",
        ("heading", "straight"): "it points up, down, left or right",
    }
)
"""What values of knobs say in a sentence that is read without their names: "where ..."."""


@dataclass(frozen=True)
class DifficultyFactor:
    """One knob of a task's items."""

    name: str
    values: tuple[str, ...]
    """Of each item."""
    numbers: tuple[float, ...] | None
    """The same as numbers, if it is one."""
    extreme_values: tuple[str, str]
    """The values at 0 and at 1 of a knob with one column: the lowest and the highest number, or the only two values."""
    columns: Array
    """Shape (n, k), each from 0 to 1."""

    @property
    def is_single_column(self) -> bool:
        """Whether one column tells it: it is a number, or has two values."""
        return self.columns.shape[1] == 1


def number(value: str) -> float | None:
    """The number with which a value begins ("45 degrees", "60-83 degrees": 60); None for other words."""
    head = value.split(" ", maxsplit=1)[0].split("-", maxsplit=1)[0]
    return float(head) if head.replace(".", "", 1).isdecimal() else None


def difficulty_factors(items: Sequence[ScoredItem]) -> list[DifficultyFactor]:
    """The knobs that vary among a task's items, none a combination of those before it; empty for too few items."""
    if len(items) < FEWEST:
        return []
    factors: list[DifficultyFactor] = []
    before = np.ones((len(items), 1))
    for name, values in _told(items).items():
        made = _knob(name, values)
        if made is None:
            continue
        kept = linearly_independent_columns(made.columns, before)
        if len(kept) < made.columns.shape[1]:
            continue  # nothing tells it from the knobs before
        factors.append(made)
        before = np.column_stack([before, made.columns])
    while factors and len(items) < EACH * (1 + sum(knob.columns.shape[1] for knob in factors)):
        factors.remove(max(factors, key=lambda knob: knob.columns.shape[1]))
    return factors


def _told(items: Sequence[ScoredItem]) -> Mapping[str, list[str]]:
    """The values of each knob that all items have: the level first, then the facets by name."""
    size = "size" if all(number(item.level) is not None and item.level.isdecimal() for item in items) else "level"
    names = sorted(set[str]().union(*(item.attributes for item in items)))
    knob_values = {size: [item.level for item in items]}
    return knob_values | {
        name: [item.attributes[name] for item in items] for name in names if all(name in item.attributes for item in items)
    }


def _knob(name: str, values: Sequence[str]) -> DifficultyFactor | None:
    counts = Counter(values)
    numbers = [number(value) for value in values]
    known = [value for value in numbers if value is not None]
    if len(known) == len(values):
        low, high = min(known), max(known)
        if low == high:
            return None
        ends = tuple(next(value for value, numeric in zip(values, known, strict=True) if numeric == end) for end in (low, high))
        column = (np.array(known) - low) / (high - low)
        return DifficultyFactor(name, tuple(values), tuple(known), (ends[0], ends[1]), column[:, None])
    if not 2 <= len(counts) <= MOST:
        return None
    rare = {value for value, count in counts.items() if count < _RARE}
    merged = tuple(OTHERS if value in rare else value for value in values)
    kinds = sorted(set(merged))
    if len(set(kinds) - {OTHERS}) < 2:
        return None
    columns = np.column_stack([[float(value == kind) for value in merged] for kind in kinds[1:]])
    return DifficultyFactor(name, merged, None, (kinds[0], kinds[-1]), columns)
