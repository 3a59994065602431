"""Means of items that come in groups: items about one scene or picture are right and wrong together, so they count as fewer.

The variance is the usual cluster-robust one, from the sums of the residuals of each group, with Student's t for the number of
groups. Where all credits are 0 or 1 it becomes Wilson's interval for as many independent items as have that variance (the
"effective sample size" of surveys; Korn and Graubard, 1998, Survey Methodology), so that it behaves near 0 and 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt

from isovist.stats.proportions import Interval, mean, wilson


def clustered(values: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Interval:
    """The mean of credits in [0, 1] with the interval that holds for other groups, not for other items of the same ones.

    Where every item is a group of its own it is `mean`. One group alone tells nothing of others: all of [0, 1]. Groups are never
    taken to tell more than as many independent items. Raises ValueError if the lengths differ or there is no item.
    """
    if not values or len(values) != len(groups):
        raise ValueError(f"{len(values)} credits of items in {len(groups)} groups")
    members: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(value)
    n, m = len(values), len(members)
    if m == n:
        return mean(values, confidence)
    from scipy.stats import norm, t

    centre = sum(values) / n
    if m == 1:
        return Interval(centre, 0.0, 1.0)
    variance = m / (m - 1) * sum((sum(own) - centre * len(own)) ** 2 for own in members.values()) / n**2
    quantile = float(t.ppf((1 + confidence) / 2, m - 1))
    if not variance:  # all groups alike: as wide as for one independent item a group
        alike = wilson(round(centre * m), m, confidence)
        return Interval(centre, min(centre, alike.low), max(centre, alike.high))
    if any(value not in (0.0, 1.0) for value in values):
        half = quantile * sqrt(variance)
        return Interval(centre, max(0.0, centre - half), min(1.0, centre + half))
    z = float(norm.ppf((1 + confidence) / 2))
    size = min(n, centre * (1 - centre) / variance * (z / quantile) ** 2)
    return _wilson(centre, size, z)


def _wilson(share: float, n: float, z: float) -> Interval:
    """Wilson's interval of a share of `n` items, which need not be a whole number."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))
