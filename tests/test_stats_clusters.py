"""Intervals for items in groups, against another library's formula, limits, and simulations with a fixed seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from isovist.stats.clusters import clustered
from isovist.stats.proportions import mean, wilson


def test_items_that_stand_alone_have_the_usual_interval() -> None:
    for values in ([1.0, 0.0, 1.0, 1.0], [0.5, 0.25, 1.0], [1.0] * 8):
        assert clustered(values, range(len(values))) == mean(values)


def test_items_that_always_agree_with_their_group_count_as_one() -> None:
    """Each group three times over, all right or all wrong: as Wilson for the groups, with t in the place of the normal."""
    per_group = [1.0] * 12 + [0.0] * 8
    found = clustered(np.repeat(per_group, 3).tolist(), np.repeat(np.arange(20), 3).tolist())
    t, z = stats.t.ppf(0.975, 19), stats.norm.ppf(0.975)
    expected = wilson(12, 20)
    assert found.estimate == pytest.approx(0.6)
    widened = (t / z) * (20 / 19) ** 0.5
    assert (found.high - found.low) / (expected.high - expected.low) == pytest.approx(widened, rel=0.03)


def test_the_variance_is_the_cluster_robust_one() -> None:
    """By matrices: the sandwich of a regression on a constant, with G / (G - 1)."""
    rng = np.random.default_rng(3)
    values, groups = rng.uniform(0.2, 0.8, 40), rng.integers(0, 9, 40)
    found = clustered(values.tolist(), groups.tolist())
    ones = np.ones((40, 1))
    residual = values - values.mean()
    bread = np.linalg.inv(ones.T @ ones)
    meat = sum(
        (ones[groups == g].T @ residual[groups == g, None] @ residual[groups == g, None].T @ ones[groups == g] for g in range(9)),
        np.zeros((1, 1)),
    )
    error = float((bread @ meat @ bread)[0, 0] * 9 / 8) ** 0.5
    assert found.high - found.estimate == pytest.approx(error * stats.t.ppf(0.975, 8))


def test_groups_never_count_for_more_than_independent_items() -> None:
    """Each group has one right and one wrong: the variance between groups is nothing, and the interval is none the narrower."""
    found = clustered([1.0, 0.0] * 30, np.repeat(np.arange(30), 2).tolist())
    assert found.high - found.low >= mean([1.0, 0.0] * 30).high - mean([1.0, 0.0] * 30).low


def test_all_right_is_as_wide_as_one_item_a_group() -> None:
    found = clustered([1.0] * 40, np.repeat(np.arange(10), 4).tolist())
    assert (found.low, found.high) == (wilson(10, 10).low, 1.0)
    halves = clustered([0.5] * 40, np.repeat(np.arange(10), 4).tolist())
    assert (halves.low, halves.high) == (wilson(5, 10).low, wilson(5, 10).high)


def test_one_group_tells_nothing_of_others() -> None:
    found = clustered([1.0, 1.0, 0.0], ["a", "a", "a"])
    assert (found.estimate, found.low, found.high) == (pytest.approx(2 / 3), 0.0, 1.0)


def test_lengths_that_differ_are_refused() -> None:
    for values, groups in (([1.0], []), ([], []), ([1.0], ["a", "b"])):
        with pytest.raises(ValueError, match="groups"):
            clustered(values, groups)


@pytest.mark.parametrize(
    ("share", "spread", "groups", "size"), [(0.5, 0.35, 40, 4), (0.85, 0.14, 40, 3), (0.3, 0.0, 60, 2), (0.5, 0.49, 25, 6)]
)
def test_the_interval_holds_the_truth_as_often_as_it_says(share: float, spread: float, groups: int, size: int) -> None:
    """Groups with shares of their own around the truth; taking the items for independent misses far more often where they differ."""
    rng = np.random.default_rng(11)
    held = plain = 0
    for _ in range(500):
        own = np.where(rng.random(groups) < 0.5, share - spread, share + spread)
        values = (rng.random((groups, size)) < own[:, None]).astype(float).ravel().tolist()
        found = clustered(values, np.repeat(np.arange(groups), size).tolist())
        held += found.low <= share <= found.high
        plain += mean(values).low <= share <= mean(values).high
    assert held / 500 >= 0.925
    if spread >= 0.3:
        assert plain / 500 < 0.9
