"""Differences of accuracy between two independent sets of items from the same strata, such as two seeds of the same tasks.

The estimate is the weighted mean over strata of the difference of means. Its variance is that of the linearized estimator from the sums of
clusters. Residuals are from the mean of a stratum over both sets, which is their common mean if the sets do not differ, and are corrected
for its estimation; so a stratum with one item of each set contributes as well. For the interval and the test, one correct and one
incorrect response are added to each set (Agresti and Caffo, 2000, The American Statistician), so that the variance is positive also for
equal responses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

from isovist.stats.effective_sample_size import FEW
from isovist.stats.paired_differences import Difference
from isovist.stats.pairwise_tests import ALPHA, POWER


@dataclass(frozen=True, slots=True)
class Stratum:
    """The credits in [0, 1] of the items of two sets, A and B, in one stratum, with the cluster of each item; both sets have items."""

    weight: float
    """Relative to other strata."""
    a: Sequence[float]
    groups_a: Sequence[Hashable]
    b: Sequence[float]
    groups_b: Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class IndependentDifference:
    """The weighted mean of A, that of B, and their difference."""

    mean_a: float
    mean_b: float
    difference: Difference
    """A minus B, with its 95% CI."""
    p_greater: float
    """One-sided p-value of the alternative "A is above B", before correction for multiple tests."""
    detectable: float
    """The smallest difference that this test detects with power POWER at level ALPHA; 1 if no difference can be significant."""


def independent_difference(strata: Sequence[Stratum], confidence: float = 0.95) -> IndependentDifference:
    """Compare two sets of items. A cluster may extend across strata and sets.

    The t quantile has one degree of freedom less than the smaller number of clusters of a set. With a single cluster in a set the
    interval is [-1, 1]. Raises ValueError for no stratum, or a stratum without items of both sets.
    """
    from scipy.stats import t

    if not strata or not all(stratum.a and stratum.b for stratum in strata):
        raise ValueError("no stratum, or a stratum without items of both sets")
    total = sum(stratum.weight for stratum in strata)
    means: list[float] = []
    centre = variance = 0.0
    counts: list[int] = []
    sizes: list[float] = []
    influences: dict[Hashable, float] = defaultdict(float)
    for sign in (1, -1):
        mean = 0.0
        shares: dict[Hashable, float] = defaultdict(float)  # of each cluster in the mean
        residuals: dict[Hashable, float] = defaultdict(float)
        for stratum in strata:
            own, groups = (stratum.a, stratum.groups_a) if sign > 0 else (stratum.b, stratum.groups_b)
            common = (sum(stratum.a) + sum(stratum.b)) / (len(stratum.a) + len(stratum.b))
            clusters = max(2, len({*stratum.groups_a, *stratum.groups_b}))
            share = stratum.weight / total / len(own)
            mean += share * sum(own)
            for value, group in zip(own, groups, strict=True):
                shares[group] += share
                residuals[group] += share * (value - common) * sqrt(clusters / (clusters - 1))
        size = 1 / sum(share * share for share in shares.values())  # effective number of clusters
        added = (size * mean + 1) / (size + 2)
        centre += sign * added
        variance += ((1 - added) ** 2 + added**2 + size * (mean - added) ** 2) / (size + 2) ** 2
        for group, residual in residuals.items():
            influences[group] += sign * residual * size / (size + 2)
        means.append(mean)
        counts.append(len(shares))
        sizes.append(size)
    estimate = means[0] - means[1]
    fewest = min(counts)
    if fewest < 2:
        return IndependentDifference(means[0], means[1], Difference(estimate, -1.0, 1.0, too_few_clusters=True), 1.0, 1.0)
    error = sqrt(variance + sum(total * total for total in influences.values()))
    quantile = float(t.ppf((1 + confidence) / 2, fewest - 1))
    low, high = max(-1.0, min(estimate, centre - quantile * error)), min(1.0, max(estimate, centre + quantile * error))
    return IndependentDifference(
        *means,
        Difference(estimate, low, high, too_few_clusters=min(sizes) < FEW),
        float(t.sf(centre / error, fewest - 1)),
        min(1.0, float(t.isf(ALPHA, fewest - 1) + t.ppf(POWER, fewest - 1)) * error),
    )
