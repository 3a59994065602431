"""Differences between two ways to ask the same items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import normal


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference of credits with its confidence interval, all in [-1, 1]."""

    estimate: float
    low: float
    high: float
    too_few_clusters: bool = field(default=False, compare=False)
    """Whether it rests on fewer groups of items than an interval needs (`effective.FEW`): tables mark it."""


def paired_difference(differences: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Difference:
    """The mean of per-item differences in [-1, 1]; items of one group (one picture) count as the fewer that they are worth.

    The interval is that of Bonett and Price (2012, Journal of Educational and Behavioral Statistics), which adds one pair in favour of each side
    and therefore has a width also where all differences are equal; with groups, that of as many independent items as tell as much
    (`effective`). All of [-1, 1] for no differences. Raises ValueError if the lengths differ.
    """
    n = len(differences)
    if n != len(groups):
        raise ValueError(f"{n} differences of items in {len(groups)} groups")
    if not n:
        return Difference(float("nan"), -1.0, 1.0)
    estimate = sum(differences) / n
    square = sum(value * value for value in differences) / n
    sample_size = effective_sample_size([value - estimate for value in differences], groups, square - estimate * estimate)
    size = sample_size.items + 2  # with one pair in favour of each side
    centre = estimate * sample_size.items / size
    variance = (square * sample_size.items + 2) / size - centre * centre
    half = normal(confidence) * sqrt(max(0.0, variance) / size)
    return Difference(
        estimate,
        max(-1.0, min(estimate, centre - half)),
        min(1.0, max(estimate, centre + half)),
        too_few_clusters=sample_size.too_few_clusters,
    )
