"""Whether a mean is above a level, beyond doubt: how often a guesser is taken for better than one."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from isovist.stats.clustered_means import exceeds_level
from isovist.stats.proportions import wilson


def false_alarms(chance: float, n: int, claims: int) -> float:
    """Of a guesser who is asked so many tasks of n items: how often one task or more is told as better, worked out without chance."""
    one = sum(
        float(binom.pmf(right, n, chance))
        for right in range(n + 1)
        if exceeds_level([1.0] * right + [0.0] * (n - right), range(n), chance, claims)
    )
    return 1 - (1 - one) ** claims


@pytest.mark.parametrize("chance", [1 / 20, 1 / 8, 1 / 4, 1 / 2])
@pytest.mark.parametrize("claims", [1, 11, 30])
def test_a_guesser_is_seldom_taken_for_better(chance: float, claims: int) -> None:
    assert max(false_alarms(chance, n, claims) for n in (1, 2, 3, 5, 10, 20, 40, 60)) < 0.05


def test_the_interval_alone_would_not_do() -> None:
    assert wilson(1, 1).low > 1 / 8
    assert not exceeds_level([1.0], ["a"], 1 / 8)


def test_one_who_is_better_is_told_so() -> None:
    assert exceeds_level([1.0] * 2, range(2), 1 / 8)
    assert exceeds_level([1.0] * 5, range(5), 1 / 8, claims=11)
    assert exceeds_level([1.0] * 20 + [0.0] * 20, range(40), 1 / 4, claims=11)


def test_items_of_one_picture_count_as_fewer() -> None:
    values = [1.0] * 20 + [0.0] * 20
    assert exceeds_level(values, range(40), 0.3)
    assert not exceeds_level(values, [place // 10 for place in range(40)], 0.3)
    assert not exceeds_level([1.0] * 40, ["one"] * 40, 0.3)
