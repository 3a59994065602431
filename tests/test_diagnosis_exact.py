"""Exact tails, by going through all that can happen."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from isovist.reporting.analysis.exact_tests import poisson_binomial_upper_tail, two_sided
from isovist.reporting.analysis.text_format import in_tasks, percent

CHANCES = (0.5, 1 / 7, 1 / 7, 2 / 3, 0.1, 0.25, 1 / 7, 0.5)


def _likely(seen: range) -> float:
    """The probability of a number of successes in a range, over all outcomes of the trials."""
    outcomes = (outcome for outcome in product((0, 1), repeat=len(CHANCES)) if sum(outcome) in seen)
    return sum(prod(c if hit else 1 - c for hit, c in zip(outcome, CHANCES, strict=True)) for outcome in outcomes)


@pytest.mark.parametrize("seen", range(len(CHANCES) + 1))
def test_a_tail_is_the_sum_of_its_outcomes(seen: int) -> None:
    above, below = _likely(range(seen, 9)), _likely(range(seen + 1))
    assert poisson_binomial_upper_tail(seen, CHANCES) == pytest.approx(above)
    assert two_sided(seen, CHANCES) == pytest.approx(min(1, 2 * min(above, below)))


def test_far_tails_stay_exact() -> None:
    assert poisson_binomial_upper_tail(100, [1 / 7] * 100) == pytest.approx(7.0**-100, rel=1e-6)
    assert poisson_binomial_upper_tail(0, []) == 1


def test_many_tasks_are_counted_and_few_named() -> None:
    assert in_tasks(["cdr/a"]) == "in a"
    assert in_tasks(["cdr/a", "cdr/b", "dori/c", "d"]) == "in a, b, c and d"
    assert in_tasks([f"cdr/{name}" for name in "abcde"]) == "in a, b, c and 2 other tasks"
    assert (percent(0.5), percent(0.004), percent(0)) == ("50%", "0.4%", "0%")
