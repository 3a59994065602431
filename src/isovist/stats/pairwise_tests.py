"""Whether one model is better than another on the same items, which of several cannot be told apart, and how many items would tell.

Tests are exact: McNemar's where every item stands for itself and credits are 0 or 1, else one that flips the signs of the groups'
differences (of which McNemar's is the special case). Over several tests the p-values are Holm's.
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

from isovist.errors import MissingDependencyError
from isovist.stats.paired_differences import Difference, paired_difference

ALPHA, POWER = 0.05, 0.8
_FLIPS = 9_999  # of the signs of the groups, where credits are broken and not all can be gone through
FEWEST = 6
"""So many groups have to differ, all to one side, before two sides of an exact test come below ALPHA: 2 / 2**6 is 0.03."""
_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two models, A and B, on the same items. `p` is that of one two-sided test, before it stands among others."""

    n: int
    groups: int
    only_a: int
    """Items to which A alone got full credit."""
    only_b: int
    difference: Difference
    """Mean credit of B less that of A."""
    p: float
    test: str
    required_n: int | None
    """Items, in groups as these are, of which a test with ALPHA finds this difference with POWER; None where there is none to be found."""


def compare_paired(a: Sequence[float], b: Sequence[float], groups: Sequence[Hashable]) -> PairedComparison:
    """Compare the credits in [0, 1] of two models on the same items.

    Raises ValueError for different lengths or no item, MissingDependencyError without statsmodels.
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
        _needed(by_group, len(a)),
    )


def _mcnemar(only_a: int, only_b: int) -> float:
    test = _library("contingency_tables").mcnemar([[0, only_a], [only_b, 0]], exact=True)
    return float(test.pvalue)


def _library(part: str) -> Any:
    """A part of statsmodels, which has no types. Raises MissingDependencyError."""
    try:
        return import_module(f"statsmodels.stats.{part}")
    except ImportError:
        raise MissingDependencyError("a comparison", "compare") from None


def _flips(sums: _Array) -> float:
    """The share of all flips of signs, or of many where sums are broken numbers, whose mean is as far from 0 as the one that was seen."""
    from scipy.stats import permutation_test

    sums = sums[sums != 0]  # a flip changes nothing there
    if whole(sums):
        return sign_flip_test(sums)
    if len(sums) < 2:  # both signs of one are as far from 0
        return 1.0

    def distance(x: _Array, y: _Array, axis: int) -> _Array:
        return (x - y).sum(axis=axis)

    # the second sample is the first with its signs changed: where the two change places, a sign is flipped
    rng = np.random.default_rng(0)
    test = permutation_test((sums, -sums), distance, permutation_type="samples", vectorized=True, n_resamples=_FLIPS, batch=500, rng=rng)
    return min(1.0, float(test.pvalue))


def whole(sums: _Array) -> bool:
    """Whether all are whole numbers, as the sums of credits of 0 and 1 are."""
    return all(total.is_integer() for total in sums.tolist())


def sign_flip_test(sums: _Array) -> float:
    """The share of all flips of the signs of whole numbers whose sum is as far from 0 as theirs: exact, however many there are."""
    from scipy.signal import convolve
    from scipy.stats import binom

    share, reach = np.ones(1), 0  # of the flips of the numbers so far, by their sum from -reach to reach
    for size, count in Counter(abs(round(total)) for total in sums.tolist()).items():
        alike = np.zeros(2 * size * count + 1)
        alike[:: 2 * size or 1] = binom.pmf(np.arange(count + 1), count, 0.5) if size else 1.0
        share, reach = convolve(share, alike), reach + size * count
    far = abs(round(float(sums.sum())))
    return min(1.0, max(0.0, float(share[: reach - far + 1].sum() + share[reach + far :].sum())))


def _needed(sums: _Array, n: int) -> int | None:
    """Connor's number (1987, Biometrics) for pairs, its variance that of the groups' sums; never so few that an exact test could not
    find any difference.
    """
    from scipy.stats import norm

    size = n / len(sums)
    means = sums / size
    d = float(means.mean())
    if len(sums) < 2 or abs(d) < 1e-12:
        return None
    spread = float((means**2).mean())  # p10 + p01 where every item is a group
    z_a, z_b = float(norm.ppf(1 - ALPHA / 2)), float(norm.ppf(POWER))
    groups = (z_a * spread**0.5 + z_b * max(0.0, spread - d * d) ** 0.5) ** 2 / (d * d)
    return ceil(size * max(groups, FEWEST / float((means != 0).mean())))


def compact_letter_groups(models: int, apart: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest sets of models, from 0, of which no two are `apart`; each model is in one at least. In the order of their members."""
    separate = {frozenset(pair) for pair in apart}
    alike = {a: {b for b in range(models) if b != a and frozenset((a, b)) not in separate} for a in range(models)}
    cliques: list[tuple[int, ...]] = []

    def grow(chosen: set[int], open_to: set[int], done: set[int]) -> None:
        """Bron and Kerbosch's search for what cannot be made larger. What is like the pivot of Tomita and others is found with it:
        without it, thirty models that are all alike would take 2**30 steps.
        """
        if not open_to and not done:
            cliques.append(tuple(sorted(chosen)))
            return
        pivot = max(sorted(open_to | done), key=lambda model: len(open_to & alike[model]))
        for model in sorted(open_to - alike[pivot]):
            grow(chosen | {model}, open_to & alike[model], done & alike[model])
            open_to, done = open_to - {model}, done | {model}

    grow(set(), set(range(models)), set())
    return sorted(cliques)
