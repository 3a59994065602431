"""Differences between two ways to ask the same items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference of credits with its confidence interval, all in [-1, 1]."""

    estimate: float
    low: float
    high: float


def paired(differences: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Difference:
    """The mean of per-item differences in [-1, 1], with items of one group (one picture) taken as one observation.

    The interval is that of Bonett and Price (2012, Statistics in Medicine), which adds one pair in favour of each side
    and therefore has a width also where all differences are equal; with groups, the same on the groups' sums. All of
    [-1, 1] for no differences. Raises ValueError if the lengths differ.
    """
    from scipy.stats import norm

    n = len(differences)
    sums: dict[Hashable, float] = {}
    for value, group in zip(differences, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + value
    if not n:
        return Difference(float("nan"), -1.0, 1.0)
    size = n / len(sums)  # items of a group, on average
    each = [total / size for total in sums.values()] + [1.0, -1.0]
    centre = sum(each) / len(each)
    variance = sum(value * value for value in each) / len(each) - centre * centre
    half = float(norm.ppf((1 + confidence) / 2)) * sqrt(max(0.0, variance) / len(each))
    estimate = sum(differences) / n
    return Difference(estimate, max(-1.0, min(estimate, centre - half)), min(1.0, max(estimate, centre + half)))
