"""One-sided tests of a mean of clustered credits against a level, such as chance.

With one item in each cluster and credits of 0 or 1, these are exact binomial tests. Otherwise the tests use the effective sample size
(`effective_sample_size`), as all intervals of a report do.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from isovist.stats.clustered_means import clustered_mean
from isovist.stats.effective_sample_size import effective_sample_size


@dataclass(frozen=True, slots=True)
class LevelTest:
    """The p-values of two one-sided tests."""

    p_greater: float
    """p-value of the alternative "the mean is above the level"."""
    p_less: float
    """p-value of the alternative "the mean is below the level"."""


def level_test(values: Sequence[float], groups: Sequence[Hashable], level: float) -> LevelTest:
    """Test the mean of credits in [0, 1] against a level in (0, 1). `groups`: the cluster of each item.

    Both p-values are 1 without items and for a single cluster. Raises ValueError if the lengths differ.
    """
    if len(values) != len(groups):
        raise ValueError(f"{len(values)} credits of items in {len(groups)} groups")
    n = len(values)
    if not n or len(set(groups)) < min(n, 2):
        return LevelTest(1.0, 1.0)
    centre = sum(values) / n
    size = effective_sample_size([value - centre for value in values], groups, 4 * centre * (1 - centre)).items
    right = centre * size
    from scipy.special import betainc

    above = float(betainc(right, size - right + 1, level)) if right > 0 else 1.0
    below = float(betainc(size - right, right + 1, 1 - level)) if right < size else 1.0
    return LevelTest(above, below)


def exceeds_level(values: Sequence[float], groups: Sequence[Hashable], level: float, claims: int = 1) -> bool:
    """Whether the mean is significantly above a level at 95% confidence, Bonferroni-corrected for `claims` tests.

    Both the lower confidence limit and the test must exceed the level. The Wilson interval alone is too narrow for few items at low
    chance: after one correct response to one item with chance 1/8, its lower limit is above 1/8.
    """
    each = 0.05 / max(1, claims)
    return clustered_mean(values, groups, 1 - each).low > level and level_test(values, groups, level).p_greater < each
