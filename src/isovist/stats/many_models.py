"""Which of many models are better than which on the same items: every pair at once, so that thirty models take seconds.

The tests are those of `separation`, but none draws flips of signs by chance: a p-value from 9,999 of them is never below 0.0001, and
of 435 pairs of models none would pass Holm's correction. The distribution of all flips is worked out instead, which is possible
where groups' sums are whole numbers; where very many groups differ, or credits are broken ones, the test is Student's on the sums.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isovist.stats.separation import separation

MANY = 400
"""Groups that differ, up to which all flips of their signs are gone through."""
_ENOUGH = 20
"""Groups that differ from which on broken credits are tested with Student's test."""
_Array = NDArray[np.float64]


def every_pair(scores: _Array, groups: Sequence[Hashable]) -> dict[tuple[int, int], float]:
    """The two-sided p-value of each pair of models, before any correction.

    `scores`: credits in [0, 1], shape (models, items). Raises ValueError without an item, Missing without statsmodels where few
    groups with broken credits need it.
    """
    from scipy.stats import binom, ttest_1samp

    if not scores.shape[1] or scores.shape[1] != len(groups):
        raise ValueError(f"{scores.shape[1]} credits of items in {len(groups)} groups")
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
    sums = np.array([np.bincount(codes, weights=own, minlength=len(numbers)) for own in scores])
    found: dict[tuple[int, int], float] = {}
    for a, b in combinations(range(len(scores)), 2):
        difference = sums[b] - sums[a]
        differing = difference[difference != 0]
        sizes = np.abs(differing)
        if not len(differing):
            found[a, b] = 1.0
        elif set(sizes.tolist()) == {1.0}:  # McNemar's exact test
            fewer = min(int((differing > 0).sum()), int((differing < 0).sum()))
            found[a, b] = min(1.0, 2 * float(binom.cdf(fewer, len(differing), 0.5)))
        elif len(differing) <= MANY and all(size.is_integer() for size in sizes.tolist()):
            found[a, b] = flipped(differing)
        elif len(differing) >= _ENOUGH:
            found[a, b] = float(ttest_1samp(difference, 0.0).pvalue)
        else:
            found[a, b] = separation(list(scores[a]), list(scores[b]), groups).p
    return found


def flipped(sums: _Array) -> float:
    """The share of all flips of the signs of whole numbers whose sum is as far from 0 as theirs: exact, however many there are."""
    reach = int(np.abs(sums).sum())
    share = np.zeros(2 * reach + 1)  # of the flips of the numbers so far, by their sum from -reach to reach
    share[reach] = 1.0
    for size in np.abs(sums).astype(int):
        share = (np.roll(share, size) + np.roll(share, -size)) / 2  # nothing comes round: the sum is never beyond reach
    far = abs(round(float(sums.sum())))
    return min(1.0, float(share[: reach - far + 1].sum() + share[reach + far :].sum()))
