"""Difficulty factors: levels and item attributes as columns of a regression."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from isovist.reporting.analysis.rows import Rows
from isovist.stats.guess_rate_regression import Array, linearly_independent_columns

MIN_ITEMS = 40
"""A task with fewer items has no regression."""
ITEMS_PER_COLUMN = 10
"""The least number of items for each column; factors with the most columns are excluded first."""
MAX_VALUES = 8
"""A text factor with more values, such as the category of an object, is excluded."""
_MIN_ITEMS_OF_VALUE = 5  # rarer values are merged
OTHERS = "others"
_NOT_DIFFICULTY = {"wording"}
"""Attributes without a factor: the template of a question is no property of the problem."""
PHRASES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("relation", "diagonal"): "diagonal relations",
        ("relation", "axis-aligned"): "horizontal or vertical relations",
        ("heading", "diagonal"): "diagonal headings",
        ("heading", "axis-aligned"): "horizontal or vertical headings",
    }
)
"""Values of factors in a sentence: "Accuracy is lower for ..."."""


@dataclass(frozen=True)
class DifficultyFactor:
    """One difficulty factor of a task."""

    name: str
    values: tuple[str, ...]
    """The value of each item."""
    numbers: tuple[float, ...] | None
    """The same as numbers, if all values begin with one."""
    extreme_values: tuple[str, str]
    """The values at 0 and 1 of a factor with one column: the lowest and the highest number, or the two values."""
    columns: Array
    """Shape (n, k), each from 0 to 1."""

    @property
    def is_single_column(self) -> bool:
        """Whether the factor is numeric or has two values."""
        return self.columns.shape[1] == 1


def number(value: str) -> float | None:
    """The number with which a value begins ("45 degrees", "60-83 degrees": 60); None without one."""
    head = value.split(" ", maxsplit=1)[0].split("-", maxsplit=1)[0]
    return float(head) if head.replace(".", "", 1).isdecimal() else None


def difficulty_factors(rows: Rows) -> list[DifficultyFactor]:
    """The linearly independent factors that vary among a task's items; empty for too few items."""
    if rows.n < MIN_ITEMS:
        return []
    factors: list[DifficultyFactor] = []
    columns = np.ones((rows.n, 1))
    for name, values in _values_by_factor(rows).items():
        factor = _factor(name, values)
        if factor is None:
            continue
        independent = linearly_independent_columns(factor.columns, columns)
        if len(independent) < factor.columns.shape[1]:
            continue  # a combination of the factors before
        factors.append(factor)
        columns = np.column_stack([columns, factor.columns])
    while factors and rows.n < ITEMS_PER_COLUMN * (1 + sum(factor.columns.shape[1] for factor in factors)):
        factors.remove(max(factors, key=lambda factor: factor.columns.shape[1]))
    return factors


def _values_by_factor(rows: Rows) -> Mapping[str, list[str]]:
    """The values of each factor that all items have: the level first, then the attributes by name."""
    levels, attributes = rows.texts("level"), [dict(pairs) for pairs in rows.values("attributes")]
    size = "size" if all(number(level) is not None and level.isdecimal() for level in levels) else "level"
    names = sorted(set[str]().union(*attributes) - _NOT_DIFFICULTY)
    return {size: levels} | {name: [each[name] for each in attributes] for name in names if all(name in each for each in attributes)}


def _factor(name: str, values: Sequence[str]) -> DifficultyFactor | None:
    counts = Counter(values)
    numbers = [number(value) for value in values]
    numeric = [value for value in numbers if value is not None]
    if len(numeric) == len(values):
        low, high = min(numeric), max(numeric)
        if low == high:
            return None
        ends = tuple(next(value for value, other in zip(values, numeric, strict=True) if other == end) for end in (low, high))
        column = (np.array(numeric) - low) / (high - low)
        return DifficultyFactor(name, tuple(values), tuple(numeric), (ends[0], ends[1]), column[:, None])
    if not 2 <= len(counts) <= MAX_VALUES:
        return None
    rare = {value for value, count in counts.items() if count < _MIN_ITEMS_OF_VALUE}
    merged = tuple(OTHERS if value in rare else value for value in values)
    kinds = sorted(set(merged))
    if len(set(kinds) - {OTHERS}) < 2:
        return None
    columns = np.column_stack([[float(value == kind) for value in merged] for kind in kinds[1:]])
    return DifficultyFactor(name, merged, None, (kinds[0], kinds[-1]), columns)
