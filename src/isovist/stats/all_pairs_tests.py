"""Which of many models are better than which on the same items: every pair at once, so that thirty models take seconds.

The tests are those of `compare_paired`, but none draws flips of signs by chance: a p-value from 9,999 of them is never below 0.0001, and
of 435 pairs of models none would pass Holm's correction. Where credits are broken ones, the test is Student's on the groups' sums.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isovist.stats.pairwise_tests import compare_paired, sign_flip_test, whole

_ENOUGH = 20
"""Groups that differ from which on broken credits are tested with Student's test."""
_Array = NDArray[np.float64]


def every_pair(scores: _Array, groups: Sequence[Hashable]) -> dict[tuple[int, int], float]:
    """The two-sided p-value of each pair of models, before any correction.

    `scores`: credits in [0, 1], shape (models, items). Raises ValueError without an item, Missing without statsmodels where few
    groups with broken credits need it.
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
