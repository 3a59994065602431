"""Differences of accuracy between two independent sets of items from the same strata, such as two seeds of the same tasks.

The estimate is the weighted mean over strata of the difference of means. Its variance is that of the linearized estimator from the sums of
clusters. Residuals are from the mean of a stratum over both sets, which is their common mean if the sets do not differ, and are corrected
for its estimation; so a stratum with one item of each set contributes as well. For the interval and the test, one correct and one
incorrect response are added to each set (Agresti and Caffo, 2000, The American Statistician), so that the variance is positive also for
equal responses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
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
    a, b = _set(strata, 0), _set(strata, 1)
    estimate, freedom = a.mean - b.mean, min(a.clusters, b.clusters) - 1
    if not freedom:
        return IndependentDifference(a.mean, b.mean, Difference(estimate, -1.0, 1.0, too_few_clusters=True), 1.0, 1.0)
    groups = a.influences.keys() | b.influences.keys()
    sums = sorted(a.influences.get(group, 0.0) - b.influences.get(group, 0.0) for group in groups)  # sorted: the same sum each time
    error = sqrt(a.added_variance + b.added_variance + sum(value * value for value in sums))
    centre, quantile = a.centre - b.centre, float(t.ppf((1 + confidence) / 2, freedom))
    low, high = max(-1.0, min(estimate, centre - quantile * error)), min(1.0, max(estimate, centre + quantile * error))
    return IndependentDifference(
        a.mean,
        b.mean,
        Difference(estimate, low, high, too_few_clusters=min(a.size, b.size) < FEW),
        float(t.sf(centre / error, freedom)),
        min(1.0, float(t.isf(ALPHA, freedom) + t.ppf(POWER, freedom)) * error),
    )


@dataclass(frozen=True, slots=True)
class _Set:
    """The weighted mean of one set."""

    mean: float
    centre: float
    """The mean with the added responses."""
    clusters: int
    size: float
    """Effective number of clusters."""
    influences: Mapping[Hashable, float]
    """The contribution of each cluster to the error of the centre."""
    added_variance: float
    """That of the added responses."""


def _set(strata: Sequence[Stratum], which: int) -> _Set:
    total = sum(stratum.weight for stratum in strata)
    mean = 0.0
    shares: dict[Hashable, float] = defaultdict(float)
    residuals: dict[Hashable, float] = defaultdict(float)
    for stratum in strata:
        values, groups = (stratum.a, stratum.groups_a) if which == 0 else (stratum.b, stratum.groups_b)
        common = (sum(stratum.a) + sum(stratum.b)) / (len(stratum.a) + len(stratum.b))
        clusters = max(2, len({*stratum.groups_a, *stratum.groups_b}))
        correction = sqrt(clusters / (clusters - 1))
        share = stratum.weight / total / len(values)
        mean += share * sum(values)
        for value, group in zip(values, groups, strict=True):
            shares[group] += share
            residuals[group] += share * (value - common) * correction
    size = 1 / sum(share * share for share in shares.values())
    centre = (size * mean + 1) / (size + 2)
    added_variance = ((1 - centre) ** 2 + centre**2 + size * (mean - centre) ** 2) / (size + 2) ** 2
    influences = {group: residual * size / (size + 2) for group, residual in residuals.items()}
    return _Set(mean, centre, len(shares), size, influences, added_variance)
