"""How many independent items some items in groups are worth: items about one scene or picture are right and wrong together.

The variance of a mean of n items in groups of sizes k is that of independent ones times the design effect 1 + (m - 1) r, with
m = sum(k^2) / n and r the correlation of two items of a group (Kish, 1965, Survey Sampling). r is found from the products of the
residuals of such pairs, each group counted by its items and not by its pairs, so that one large group does not decide alone; it is
corrected for the residuals being taken from the mean of the same items.

Few groups tell little of r, and where nearly all answers are right (or wrong) so do many: an estimate of nothing would then be
taken for independence. So r is drawn towards `PRIOR` with the weight of `WEIGHT` groups, against as many as there are that could
have told. Intervals made with r alone held the truth in as few as 78 of 100 simulated runs with one answer in ten right.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

PRIOR, WEIGHT = 0.5, 1.0
FEW = 10.0
"""Groups (as many of one size as would tell as much) below which an interval rests more on `PRIOR` and on Student's t than on
the data: in simulations it then held the truth in anything from 82 to 100 of 100 runs, mostly in more than 97.
"""


@dataclass(frozen=True, slots=True)
class EffectiveSampleSize:
    """What some items in groups are worth."""

    items: float
    """Independent items that would tell as much, from 1 to as many as there are."""
    groups: float
    """Groups of one size that would tell as much, n^2 / sum(k^2)."""
    correlation: float
    """Of two items of a group, in [0, 1]; NaN where every item stands alone."""

    @property
    def too_few_clusters(self) -> bool:
        """Whether items share groups, and these are fewer than an interval needs."""
        return self.correlation == self.correlation and self.groups < FEW


def effective_sample_size(residuals: Sequence[float], groups: Sequence[Hashable], spread: float) -> EffectiveSampleSize:
    """Of items with these residuals from their mean. `spread`: how much could be told of the correlation, from 0 (nothing varies) to 1.

    Raises ValueError if the lengths differ or there is no item.
    """
    if not residuals or len(residuals) != len(groups):
        raise ValueError(f"{len(residuals)} items in {len(groups)} groups")
    members: dict[Hashable, list[float]] = {}
    for residual, group in zip(residuals, groups, strict=True):
        members.setdefault(group, []).append(residual)
    n = len(residuals)
    if len(members) == n:
        return EffectiveSampleSize(n, n, float("nan"))
    if len(members) == 1:
        return EffectiveSampleSize(1.0, 1.0, 1.0)
    shared = [cluster for cluster in members.values() if len(cluster) > 1]
    mates = sum(len(cluster) ** 2 for cluster in members.values()) / n - 1  # m - 1: others in an item's group, on average
    square = sum(residual * residual for residual in residuals) / n
    evidence = min(1.0, spread) * len(shared) if square > 1e-15 else 0.0
    correlation = (_correlation(shared, n, mates, square) * evidence + PRIOR * WEIGHT) / (evidence + WEIGHT) if evidence else PRIOR
    return EffectiveSampleSize(n / (1 + mates * correlation), n / (1 + mates), correlation)


def _correlation(shared: Sequence[Sequence[float]], n: int, mates: float, square: float) -> float:
    """Of two items of a group, by moments: the root of a linear equation, since the mean from which residuals are taken moves with r."""
    products = sum((sum(cluster) ** 2 - sum(value * value for value in cluster)) / (len(cluster) - 1) for cluster in shared) / square
    items = sum(map(len, shared))
    room = sum(len(cluster) * (1 + (mates - 2 * (len(cluster) - 1)) / n) for cluster in shared)
    slope = room + products * mates / n
    return min(1.0, max(0.0, (products * (1 - 1 / n) + items / n) / slope)) if slope > 0 else 1.0
