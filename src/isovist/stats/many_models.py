"""Which of many models are better than which on the same items: every pair at once, so that thirty models take seconds.

The tests are those of `separation` where they are quick and can be sure of many pairs at once. Flipped signs of groups are drawn 9,999
times, so that no p-value is below 0.0001, and of 435 pairs none would pass Holm's correction: where many groups differ, the test of
a pair is Student's on the sums of its groups instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isovist.stats.separation import separation

MANY = 50
"""Groups that differ from which on Student's test takes the place of flipped signs."""


def every_pair(scores: NDArray[np.float64], groups: Sequence[Hashable]) -> dict[tuple[int, int], float]:
    """The two-sided p-value of each pair of models, before any correction.

    `scores`: credits in [0, 1], shape (models, items). Raises ValueError without an item, Missing without statsmodels where groups
    of items need it.
    """
    from scipy.stats import binom, ttest_1samp

    if not scores.shape[1] or scores.shape[1] != len(groups):
        raise ValueError(f"{scores.shape[1]} credits of items in {len(groups)} groups")
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
    alone = len(numbers) == len(groups) and bool(np.isin(scores, (0.0, 1.0)).all())
    sums = np.array([np.bincount(codes, weights=own, minlength=len(numbers)) for own in scores])
    found: dict[tuple[int, int], float] = {}
    for a, b in combinations(range(len(scores)), 2):
        difference = sums[b] - sums[a]
        differing = int((difference != 0).sum())
        if alone:  # McNemar's exact test
            fewer = min(int((difference > 0).sum()), int((difference < 0).sum()))
            found[a, b] = min(1.0, 2 * float(binom.cdf(fewer, differing, 0.5))) if differing else 1.0
        elif differing < MANY:
            found[a, b] = separation(list(scores[a]), list(scores[b]), groups).p
        else:
            found[a, b] = float(ttest_1samp(difference, 0.0).pvalue)
    return found
