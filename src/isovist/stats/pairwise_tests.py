"""Paired tests of two models on the same items, required sample sizes, and compact letter display.

Tests are exact: McNemar's test if every cluster has one item and credits are 0 or 1, otherwise a sign-flip permutation test of the cluster
sums, of which McNemar's test is a special case. For several tests, Holm-adjust the p-values (`multiple_comparisons.holm`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.common.errors import MissingDependencyError
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


def compare_paired(a: Sequence[float], b: Sequence[float], groups: Sequence[Hashable]) -> PairedComparison:
    """Compare the credits in [0, 1] of two models on the same items.

    `groups`: the cluster of each item. Raises ValueError for different lengths or no item, MissingDependencyError without statsmodels.
    """
    if not a:
        raise ValueError("no items to compare")
    differences = [y - x for x, y in zip(a, b, strict=True)]
    sums: dict[Hashable, float] = {}
    for value, group in zip(differences, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + value
    by_group = np.array(list(sums.values()))
    only_a, only_b = sum(x == 1 > y for x, y in zip(a, b, strict=True)), sum(y == 1 > x for x, y in zip(a, b, strict=True))
    plain = len(sums) == len(a) and {*a, *b} <= {0.0, 1.0}
    return PairedComparison(
        len(a),
        len(sums),
        only_a,
        only_b,
        paired_difference(differences, groups),
        _mcnemar(only_a, only_b) if plain else _flips(by_group),
        "McNemar, exact" if plain else "flipped signs of groups",
        _required_items(by_group, len(a)),
    )


def _mcnemar(only_a: int, only_b: int) -> float:
    test = _library("contingency_tables").mcnemar([[0, only_a], [only_b, 0]], exact=True)
    return float(test.pvalue)


def _library(part: str) -> Any:
    """Import a module of statsmodels as Any, because it has no types. Raises MissingDependencyError if it is not installed."""
    try:
        return import_module(f"statsmodels.stats.{part}")
    except ImportError:
        raise MissingDependencyError("a comparison", "compare") from None


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


def compact_letter_groups(models: int, apart: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The maximal sets of models (indices from 0) without a pair in `apart`, sorted; each model is in at least one set."""
    different_pairs = {frozenset(pair) for pair in apart}
    compatible = {a: {b for b in range(models) if b != a and frozenset((a, b)) not in different_pairs} for a in range(models)}
    cliques: list[tuple[int, ...]] = []

    def grow(chosen: set[int], open_to: set[int], done: set[int]) -> None:
        """Enumerate the maximal cliques (Bron and Kerbosch, 1973) with the pivot rule of Tomita et al. (2006).

        Without a pivot, thirty models without differences would take 2**30 steps.
        """
        if not open_to and not done:
            cliques.append(tuple(sorted(chosen)))
            return
        pivot = max(sorted(open_to | done), key=lambda model: len(open_to & compatible[model]))
        for model in sorted(open_to - compatible[pivot]):
            grow(chosen | {model}, open_to & compatible[model], done & compatible[model])
            open_to, done = open_to - {model}, done | {model}

    grow(set(), set(range(models)), set())
    return sorted(cliques)
