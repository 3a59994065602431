"""Whether a mean of credits is above a level, or below it: one-sided tests that know that items come in groups.

Where every item is a group of its own and credits are 0 or 1, these are the exact binomial tests. Else the items count as the
fewer independent ones that they are worth (see `effective`), as in every interval of a report.
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
    """That the mean is at most the level: small if it is above."""
    p_less: float
    """That the mean is at least the level: small if it is below."""


def level_test(values: Sequence[float], groups: Sequence[Hashable], level: float) -> LevelTest:
    """The mean of credits in [0, 1] against a level between 0 and 1. Without items, and for one group, both are 1.

    Raises ValueError if the lengths differ.
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
    """Whether the mean is above a level, as one of so many claims that are to hold together at 95 % (Bonferroni).

    The interval and the test both have to say so. Wilson's interval alone is too sure of itself where a guesser is seldom right and items
    are few: one guess in eight is right, and then the interval of the one item lies above 1/8.
    """
    each = 0.05 / max(1, claims)
    return clustered_mean(values, groups, 1 - each).low > level and level_test(values, groups, level).p_greater < each
