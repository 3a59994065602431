"""Comparisons of many models: tests of all pairs, fast enough for 30 models, correction for multiple tests, and compact letter display.

The tests of all pairs are those of `compare_paired`, without Monte Carlo sampling: a p-value from 9,999 random sign flips is at least
0.0001, and after Holm's correction over 435 pairs none would be significant. For partial credits the test is Student's t-test on the
cluster sums.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isovist.stats.pairwise_tests import compare_paired, sign_flip_test, whole

_ENOUGH = 20
"""Minimum number of clusters with a difference for Student's t-test of partial credits."""
_Array = NDArray[np.float64]


def every_pair(scores: _Array, groups: Sequence[Hashable]) -> dict[tuple[int, int], float]:
    """The two-sided p-value of each pair of models (indices), before correction for multiple tests.

    `scores`: credits in [0, 1], or their products with weights, shape (models, items); `groups`: the cluster of each item. Raises ValueError without items or for
    different lengths.
    """
    from scipy.stats import ttest_1samp

    if not scores.shape[1] or scores.shape[1] != len(groups):
        raise ValueError(f"{scores.shape[1]} credits of items in {len(groups)} groups")
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
    sums = np.array([np.bincount(codes, weights=row, minlength=len(numbers)) for row in scores])
    p_values: dict[tuple[int, int], float] = {}
    for a, b in combinations(range(len(scores)), 2):
        difference = sums[b] - sums[a]
        differing = difference[difference != 0]
        if whole(differing):
            p_values[a, b] = sign_flip_test(differing)
        elif len(differing) >= _ENOUGH:
            p_values[a, b] = float(ttest_1samp(difference, 0.0).pvalue)
        else:
            p_values[a, b] = compare_paired(list(scores[a]), list(scores[b]), groups).p
    return p_values


def holm(ps: Sequence[float]) -> list[float]:
    """The Holm-adjusted p-values of a family of tests (Holm, 1979)."""
    corrected, least = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = least
    return corrected


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
