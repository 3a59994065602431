"""Effective sample size of clustered items: responses to items that share an image or a scene are correlated.

The variance of a mean of n items in clusters of sizes k is that of independent items times the design effect 1 + (m - 1) r, with
m = sum(k^2) / n and the intraclass correlation r (Kish, 1965, Survey Sampling). r is estimated from the products of the residuals of
pairs of items. Each cluster is weighted by its number of items, not of pairs, so that a large cluster does not dominate. The estimate
is corrected for the use of the sample mean.

With few clusters, or with nearly all responses correct (or incorrect), the estimate of r is unreliable, and an estimate of 0 would
imply independence. r is therefore shrunk toward `PRIOR`, with a prior weight of `WEIGHT` clusters relative to the number of informative
clusters. Without shrinkage, the coverage was as low as 78% in simulations with 10% of responses correct.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

PRIOR, WEIGHT = 0.5, 1.0
FEW = 10.0
"""Effective number of clusters below which an interval depends more on `PRIOR` and the t quantile than on the data. The coverage of such
intervals was 82% to 100% in simulations, mostly above 97%.
"""


@dataclass(frozen=True, slots=True)
class EffectiveSampleSize:
    """The effective sample size of clustered items."""

    items: float
    """Effective number of independent items, from 1 to the number of items."""
    groups: float
    """Effective number of clusters of equal size: n^2 / sum(k^2)."""
    correlation: float
    """Intraclass correlation in [0, 1]; NaN if every cluster has one item."""

    @property
    def too_few_clusters(self) -> bool:
        """Whether some clusters have several items and the effective number of clusters is below `FEW`."""
        return self.correlation == self.correlation and self.groups < FEW


def effective_sample_size(residuals: Sequence[float], groups: Sequence[Hashable], spread: float) -> EffectiveSampleSize:
    """The effective sample size of items with these residuals from their mean. `groups`: the cluster of each item.

    `spread`: the information about the correlation, from 0 (no variance) to 1. Raises ValueError if the lengths differ or there is no
    item.
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
    others_per_item = (
        sum(len(cluster) ** 2 for cluster in members.values()) / n - 1
    )  # m - 1: mean number of other items in an item's cluster
    square = sum(residual * residual for residual in residuals) / n
    evidence = min(1.0, spread) * len(shared) if square > 1e-15 else 0.0
    correlation = (
        (_correlation(shared, n, others_per_item, square) * evidence + PRIOR * WEIGHT) / (evidence + WEIGHT) if evidence else PRIOR
    )
    return EffectiveSampleSize(n / (1 + others_per_item * correlation), n / (1 + others_per_item), correlation)


def _correlation(shared: Sequence[Sequence[float]], n: int, others_per_item: float, square: float) -> float:
    """The moment estimate of the intraclass correlation r; a linear equation, because the residuals from the sample mean depend on r."""
    products = sum((sum(cluster) ** 2 - sum(value * value for value in cluster)) / (len(cluster) - 1) for cluster in shared) / square
    items = sum(map(len, shared))
    room = sum(len(cluster) * (1 + (others_per_item - 2 * (len(cluster) - 1)) / n) for cluster in shared)
    slope = room + products * others_per_item / n
    return min(1.0, max(0.0, (products * (1 - 1 / n) + items / n) / slope)) if slope > 0 else 1.0


def cluster_sums(values: Sequence[float], groups: Sequence[Hashable]) -> dict[Hashable, float]:
    """The sum of the values of each cluster. Raises ValueError if the lengths differ."""
    sums: dict[Hashable, float] = {}
    for value, group in zip(values, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + value
    return sums
