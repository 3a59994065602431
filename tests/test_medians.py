"""Medians with bootstrap intervals; how often these hold the truth stands in test_coverage.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from isovist.stats.medians import FEWEST, Median, median


@pytest.mark.parametrize("n", [7, 8, 41])
def test_the_estimate_is_the_usual_median(n: int) -> None:
    values = np.random.default_rng(n).exponential(4, n).tolist()
    assert median(values, range(n)).estimate == pytest.approx(np.median(values))


def test_with_many_items_it_is_scipys_percentile_bootstrap() -> None:
    values = np.random.default_rng(1).lognormal(1, 0.6, 400)
    estimate = median(values.tolist(), range(400), samples=4000)
    theirs = bootstrap((values,), np.median, n_resamples=4000, method="percentile", rng=np.random.default_rng(2)).confidence_interval
    assert estimate.low == pytest.approx(theirs.low, abs=0.03)
    assert estimate.high == pytest.approx(theirs.high, abs=0.03)


def test_items_of_one_group_come_and_go_together() -> None:
    each = np.random.default_rng(3).lognormal(1, 0.6, 30).tolist()
    alone = median(each, range(30))
    five = median([value for value in each for _ in range(5)], [group for group in range(30) for _ in range(5)])
    assert five == alone  # five times the same says nothing new


def test_few_groups_are_marked_and_fewer_have_no_interval() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 11.0]
    assert median(values[: FEWEST - 1], range(FEWEST - 1)) == Median(3.0, None, None)
    assert median(values, [1, 1, 2, 2, 3, 3, 4]) == Median(4.0, None, None)
    estimate = median(values, range(7))
    assert estimate.few
    assert estimate.low is not None
    assert estimate.high is not None
    assert 1.0 <= estimate.low < 4.0 < estimate.high <= 11.0


def test_equal_values_have_an_interval_without_width() -> None:
    assert median([2.0] * 20, range(20)) == Median(2.0, 2.0, 2.0)


def test_what_is_no_sample_is_refused() -> None:
    for values, groups in (([], []), ([1.0], [1, 2])):
        with pytest.raises(ValueError, match="groups"):
            median(values, groups)
