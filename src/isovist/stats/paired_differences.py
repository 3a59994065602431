"""Paired differences between two conditions on the same items."""

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
    """Whether there are too few clusters for a reliable interval (`effective_sample_size.FEW`); tables mark it."""


def paired_difference(differences: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Difference:
    """The mean of per-item differences in [-1, 1], with a CI for the population of clusters.

    The interval is that of Bonett and Price (2012, Journal of Educational and Behavioral Statistics): one pair in favour of each side is
    added, so that the width is positive also for equal differences. With clusters it uses the effective sample size
    (`effective_sample_size`). It is [-1, 1] without differences. Raises ValueError if the lengths differ.
    """
    n = len(differences)
    if n != len(groups):
        raise ValueError(f"{n} differences of items in {len(groups)} groups")
    if not n:
        return Difference(float("nan"), -1.0, 1.0)
    estimate = sum(differences) / n
    square = sum(value * value for value in differences) / n
    sample_size = effective_sample_size([value - estimate for value in differences], groups, square - estimate * estimate)
    size = sample_size.items + 2  # one added pair in favour of each side
    centre = estimate * sample_size.items / size
    variance = (square * sample_size.items + 2) / size - centre * centre
    half = normal(confidence) * sqrt(max(0.0, variance) / size)
    return Difference(
        estimate,
        max(-1.0, min(estimate, centre - half)),
        min(1.0, max(estimate, centre + half)),
        too_few_clusters=sample_size.too_few_clusters,
    )
