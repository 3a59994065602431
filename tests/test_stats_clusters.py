"""Intervals for items in groups, against the textbook's formula, limits, and simulations with a fixed seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from simulated_runs import names, right

from isovist.stats.clustered_means import clustered_mean, mean_of_tasks
from isovist.stats.effective_sample_size import PRIOR, effective_sample_size
from isovist.stats.paired_differences import paired_difference
from isovist.stats.proportions import mean, mean_of, wilson


def test_items_that_stand_alone_have_the_usual_interval() -> None:
    for values in ([1.0, 0.0, 1.0, 1.0], [0.5, 0.25, 1.0], [1.0] * 8):
        assert clustered_mean(values, range(len(values))) == mean(values)


def test_items_that_always_agree_with_their_group_count_as_one() -> None:
    """Two hundred groups three times over, all right or all wrong: as Wilson for the groups."""
    per_group = [1.0] * 120 + [0.0] * 80
    interval, expected = clustered_mean(np.repeat(per_group, 3).tolist(), np.repeat(np.arange(200), 3).tolist()), wilson(120, 200)
    assert interval.estimate == pytest.approx(0.6)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=2e-3)


def test_with_many_groups_it_is_the_cluster_robust_interval() -> None:
    """By matrices: the sandwich of a regression on a constant, with G / (G - 1)."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(400), 4)
    values = np.clip(rng.normal(0.5, 0.1, 400)[groups] + rng.normal(0, 0.15, 1600), 0, 1)
    interval = clustered_mean(values.tolist(), groups.tolist())
    ones = np.ones((1600, 1))
    residual = values - values.mean()
    bread = np.linalg.inv(ones.T @ ones)
    meat = sum(
        (ones[groups == g].T @ residual[groups == g, None] @ residual[groups == g, None].T @ ones[groups == g] for g in range(400)),
        np.zeros((1, 1)),
    )
    error = float((bread @ meat @ bread)[0, 0] * 400 / 399) ** 0.5
    assert interval.high - interval.estimate == pytest.approx(error * stats.t.ppf(0.975, 399), rel=0.02)


@pytest.mark.parametrize("sizes", [[2] * 300, [5] * 200, [1, 9] * 150, [1] * 100 + [3] * 200])
@pytest.mark.parametrize("together", [0.0, 0.3, 0.8])
def test_the_correlation_of_a_group_is_found_again(sizes: list[int], together: float) -> None:
    """The mean over many data sets, of shares of 0.3: without the correction for the mean of the same items it would lie below."""
    rng, listed = np.random.default_rng(4), np.array(sizes, float)
    correlations: list[float] = []
    for _ in range(60):
        values = right(rng, 0.3, listed, together)
        centre = sum(values) / len(values)
        correlations.append(
            effective_sample_size([value - centre for value in values], names(listed), 4 * centre * (1 - centre)).correlation
        )
    expected = together or 0.02  # an estimate below 0 is none
    assert np.mean(correlations) == pytest.approx(expected, abs=0.02)


def test_what_items_are_worth() -> None:
    alone = effective_sample_size([0.5, -0.5, 0.5, -0.5], "abcd", 1)
    assert (alone.items, alone.groups, alone.too_few_clusters) == (4, 4, False)
    one = effective_sample_size([0.5, -0.5], "aa", 1)
    assert (one.items, one.groups, one.too_few_clusters) == (1, 1, True)
    same = effective_sample_size([0.0] * 40, [nr // 4 for nr in range(40)], 0.0)  # nothing varies: nothing is known of the correlation
    assert same.correlation == PRIOR
    assert same.items == pytest.approx(40 / (1 + 3 * PRIOR))
    assert same.groups == pytest.approx(10)
    unequal = effective_sample_size([0.5, -0.5] * 30, [0] * 30 + list(range(1, 31)), 1)
    assert unequal.groups == pytest.approx(60**2 / (900 + 30))
    assert unequal.too_few_clusters


def test_intervals_from_few_groups_say_so() -> None:
    for groups, few in ((6, True), (9, True), (10, False), (60, False)):
        values, labels = [1.0, 0.0] * groups, np.repeat(np.arange(groups), 2).tolist()
        assert clustered_mean(values, labels).too_few_clusters == few
        assert paired_difference(values, labels).too_few_clusters == few
        assert mean_of([clustered_mean(values, labels), wilson(3, 9)]).too_few_clusters == few
    assert clustered_mean([1.0, 0.0], [0, 0]).too_few_clusters
    assert not clustered_mean([1.0, 0.0], [0, 1]).too_few_clusters  # items that stand alone are no groups, however few


def test_groups_never_count_for_more_than_independent_items() -> None:
    """Each group has one right and one wrong: the variance between groups is nothing, and the interval is none the narrower."""
    interval = clustered_mean([1.0, 0.0] * 30, np.repeat(np.arange(30), 2).tolist())
    assert interval.high - interval.low >= mean([1.0, 0.0] * 30).high - mean([1.0, 0.0] * 30).low


def test_all_right_is_as_wide_as_if_the_items_of_a_group_were_half_alike() -> None:
    """Nothing varies, so nothing tells whether they are."""
    interval = clustered_mean([1.0] * 40, np.repeat(np.arange(10), 4).tolist())
    assert (interval.low, interval.high) == pytest.approx((wilson(16, 16).low, 1.0))  # 40 / (1 + 3 / 2)
    halves = clustered_mean([0.5] * 40, np.repeat(np.arange(10), 4).tolist())
    assert (halves.low, halves.high) == pytest.approx((wilson(8, 16).low, wilson(8, 16).high))


def test_one_group_tells_nothing_of_others() -> None:
    interval = clustered_mean([1.0, 1.0, 0.0], ["a", "a", "a"])
    assert (interval.estimate, interval.low, interval.high) == (pytest.approx(2 / 3), 0.0, 1.0)


def test_lengths_that_differ_are_refused() -> None:
    for values, groups in (([1.0], []), ([], []), ([1.0], ["a", "b"])):
        with pytest.raises(ValueError, match="groups"):
            clustered_mean(values, groups)


@pytest.mark.parametrize(
    ("share", "spread", "groups", "size"), [(0.5, 0.35, 40, 4), (0.85, 0.14, 40, 3), (0.3, 0.0, 60, 2), (0.5, 0.49, 25, 6)]
)
def test_the_interval_holds_the_truth_as_often_as_it_says(share: float, spread: float, groups: int, size: int) -> None:
    """Groups with shares of their own around the truth; taking the items for independent misses far more often where they differ."""
    rng = np.random.default_rng(11)
    held = plain = 0
    for _ in range(500):
        shares = np.where(rng.random(groups) < 0.5, share - spread, share + spread)
        values = (rng.random((groups, size)) < shares[:, None]).astype(float).ravel().tolist()
        interval = clustered_mean(values, np.repeat(np.arange(groups), size).tolist())
        held += interval.low <= share <= interval.high
        plain += mean(values).low <= share <= mean(values).high
    assert held / 500 >= 0.925
    if spread >= 0.3:
        assert plain / 500 < 0.9


def test_the_mean_of_tasks_is_less_sure_where_they_show_the_same_pictures() -> None:
    rng = np.random.default_rng(6)
    one = right(rng, 0.6, np.ones(80), 0.0)
    shared = [(one, list(range(80)))] * 3
    apart = [(one, [(task, picture) for picture in range(80)]) for task in range(3)]
    independent = mean_of([mean(one)] * 3)
    assert mean_of_tasks(apart) == independent
    interval = mean_of_tasks(shared)  # three times the same: no more than one task tells
    assert interval.estimate == pytest.approx(independent.estimate)
    assert interval.high - interval.low == pytest.approx(mean(one).high - mean(one).low, rel=0.03)
    assert mean_of_tasks([(one, list(range(80)))]).low == pytest.approx(mean(one).low)


def test_the_mean_of_tasks_has_weights() -> None:
    rng = np.random.default_rng(3)
    tasks = [(right(rng, share, np.ones(60), 0.0), [(share, place) for place in range(60)]) for share in (0.3, 0.8)]
    plain = [clustered_mean(*task) for task in tasks]
    assert mean_of_tasks(tasks, [1, 1]) == mean_of_tasks(tasks)
    assert mean_of_tasks(tasks, [3, 1]) == mean_of(plain, [3, 1])  # no picture is shared
    held = width = 0.0
    for _ in range(300):
        is_high = rng.random(60) < 0.5
        shared = [
            ((rng.random(60) < np.where(is_high, share + 0.3, share - 0.3)).astype(float).tolist(), list(range(60))) for share in (0.4, 0.6)
        ]
        interval = mean_of_tasks(shared, [2, 1])
        held += interval.low <= (2 * 0.4 + 0.6) / 3 <= interval.high
        width += interval.high - interval.low - (alone := mean_of([clustered_mean(*task) for task in shared], [2, 1])).high + alone.low
    assert held / 300 > 0.91
    assert width > 0
