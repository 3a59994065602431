"""Paired tests of two models on the same items, and required sample sizes.

Tests are exact: McNemar's test if every cluster has one item and credits are 0 or 1, otherwise a sign-flip permutation test of the cluster
sums, of which McNemar's test is a special case. For several tests, Holm-adjust the p-values (`multiple_comparisons.holm`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from isovist.stats.effective_sample_size import cluster_sums
from isovist.stats.paired_differences import Difference, paired_difference

ALPHA, POWER = 0.05, 0.8
_FLIPS = 9_999  # random sign flips, if credits are partial and an exhaustive test is not possible
FEWEST = 6
"""Minimum number of clusters with a difference: 6 differences of the same sign have the two-sided p-value 2 / 2**6 = 0.03 < ALPHA."""
_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two models, A and B, on the same items. `p`: the two-sided p-value before correction for multiple tests."""

    n: int
    groups: int
    only_a: int
    """Number of items with full credit for A only."""
    only_b: int
    difference: Difference
    """Mean credit of B minus mean credit of A."""
    p: float
    test: str
    required_n: int | None
    """Required number of items, in clusters like these, to detect this difference with power POWER at level ALPHA; None without a
    difference."""


def compare_paired(
    a: Sequence[float], b: Sequence[float], groups: Sequence[Hashable], weights: Sequence[float] | None = None
) -> PairedComparison:
    """Compare the credits in [0, 1] of two models on the same items.

    `groups`: the cluster of each item; `weights`: that of each item, with mean 1, equal by default. Raises ValueError for different lengths or no item.
    """
    if not a:
        raise ValueError("no items to compare")
    differences = [weight * (y - x) for x, y, weight in zip(a, b, weights or [1.0] * len(a), strict=True)]
    sums = np.array(list(cluster_sums(differences, groups).values()))
    only_a, only_b = sum(x == 1 > y for x, y in zip(a, b, strict=True)), sum(y == 1 > x for x, y in zip(a, b, strict=True))
    plain = len(sums) == len(a) and {*a, *b, *(weights or ())} <= {0.0, 1.0}
    return PairedComparison(
        len(a),
        len(sums),
        only_a,
        only_b,
        paired_difference(differences, groups),
        _mcnemar(only_a, only_b) if plain else _flips(sums),
        "McNemar, exact" if plain else "flipped signs of groups",
        _required_items(sums, len(a)),
    )


def _mcnemar(only_a: int, only_b: int) -> float:
    """The exact p-value of McNemar's test: a binomial test of the items that only one model solves."""
    from scipy.stats import binomtest

    return float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0


def _flips(sums: _Array) -> float:
    """The two-sided p-value of the sign-flip test: exact for integer sums, by random flips for many partial credits."""
    from scipy.stats import permutation_test

    sums = sums[sums != 0]  # a sign flip has no effect on 0
    if whole(sums):
        return sign_flip_test(sums)
    if len(sums) < 2:  # both signs of a single sum are equally extreme
        return 1.0

    def distance(x: _Array, y: _Array, axis: int) -> _Array:
        return (x - y).sum(axis=axis)

    # the second sample is the negative of the first: an exchange of two paired values is a sign flip
    rng = np.random.default_rng(0)
    test = permutation_test((sums, -sums), distance, permutation_type="samples", vectorized=True, n_resamples=_FLIPS, batch=500, rng=rng)
    return min(1.0, float(test.pvalue))


def whole(sums: _Array) -> bool:
    """Whether all sums are integers, as for credits of 0 and 1."""
    return all(total.is_integer() for total in sums.tolist())


def sign_flip_test(sums: _Array) -> float:
    """The exact two-sided p-value of the sign-flip test for integer sums, by convolution: for any number of sums."""
    from scipy.signal import convolve
    from scipy.stats import binom

    share, reach = np.ones(1), 0  # probability distribution of the sum over the values so far, from -reach to reach
    for size, count in Counter(abs(round(total)) for total in sums.tolist()).items():
        compatible = np.zeros(2 * size * count + 1)
        compatible[:: 2 * size or 1] = binom.pmf(np.arange(count + 1), count, 0.5) if size else 1.0
        share, reach = convolve(share, compatible), reach + size * count
    observed = abs(round(float(sums.sum())))
    return min(1.0, max(0.0, float(share[: reach - observed + 1].sum() + share[reach + observed :].sum())))


def _required_items(sums: _Array, n: int) -> int | None:
    """The required number of items (Connor, 1987, Biometrics), with the variance of the cluster sums.

    It is at least the number with which an exact test can be significant. None without a difference.
    """
    from scipy.stats import norm

    size = n / len(sums)
    means = sums / size
    d = float(means.mean())
    if len(sums) < 2 or abs(d) < 1e-12:
        return None
    spread = float((means**2).mean())  # p10 + p01 if every cluster has one item
    z_a, z_b = float(norm.ppf(1 - ALPHA / 2)), float(norm.ppf(POWER))
    groups = (z_a * spread**0.5 + z_b * max(0.0, spread - d * d) ** 0.5) ** 2 / (d * d)
    return ceil(size * max(groups, FEWEST / float((means != 0).mean())))
