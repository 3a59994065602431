"""The regression whose curve ends at chance: against the usual one where chance is 0, against planted coefficients, and on nothing at all."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import t

from isovist.stats.guess_rate_regression import (
    RegressionData,
    fit_guess_rate_logit,
    linearly_independent_columns,
    predicted_accuracy,
    regression_data,
    score_test_p_value,
    scores,
)

sm = pytest.importorskip("statsmodels.api")


def planted(rng: np.random.Generator, b: tuple[float, float, float], chance: float, n: int, per_group: int = 1) -> RegressionData:
    """Credits of items with a number from 0 to 1 and a knob of two values, drawn from the regression itself; groups share the number."""
    groups = np.arange(n) // per_group
    number, two = rng.uniform(0, 1, n)[groups], rng.integers(0, 2, n).astype(float)
    share = chance + (1 - chance) / (1 + np.exp(-(b[0] + b[1] * number + b[2] * two)))
    drawn = (rng.uniform(0, 1, n) < share).astype(float)
    return regression_data(drawn.tolist(), [chance] * n, groups.tolist(), np.column_stack([number, two]))


@pytest.mark.parametrize("per_group", [1, 4])
def test_without_chance_it_is_the_usual_regression_with_clustered_errors(per_group: int) -> None:
    asked = planted(np.random.default_rng(1), (1.0, -2.0, 0.5), 0.0, 2000, per_group)
    fit = fit_guess_rate_logit(asked)
    usual = sm.GLM(asked.credits, asked.columns, family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": asked.groups, "use_correction": True}
    )
    assert fit.coefficients == pytest.approx(usual.params, abs=0.03)  # the weak prior, which the usual one has not
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(usual.bse, rel=0.02)
    assert fit.freedom == len(set(asked.groups.tolist())) - 1


def in_runs(runs: int, b: tuple[float, float, float], chance: float, n: int, per_group: int = 1) -> tuple[float, float]:
    """How often the interval of the first coefficient holds it, and how often its test rejects that it is 0."""
    rng = np.random.default_rng(7)
    held = rejected = 0
    for _ in range(runs):
        asked = planted(rng, b, chance, n, per_group)
        fit = fit_guess_rate_logit(asked)
        error = sqrt(float(fit.covariance[1, 1]))
        held += abs(float(fit.coefficients[1]) - b[1]) < float(t.ppf(0.975, fit.freedom)) * error
        rejected += score_test_p_value(scores(asked, [1])) < 0.05
    return held / runs, rejected / runs


def test_intervals_hold_what_was_planted_and_tests_find_it() -> None:
    held, rejected = in_runs(120, (1.5, -3.0, 0.0), 0.125, 200)
    assert held >= 0.89  # three standard errors below 95 % in 120 runs
    assert rejected >= 0.95


@pytest.mark.parametrize(("b", "chance", "n", "per_group"), [((1.0, 0.0, 1.0), 0.125, 120, 1), ((-20.0, 0.0, 0.0), 0.125, 120, 1), ((0.5, 0.0, 0.0), 0.25, 120, 3)])  # fmt: skip
def test_where_nothing_is_planted_the_test_rejects_as_rarely_as_it_promises(
    b: tuple[float, float, float], chance: float, n: int, per_group: int
) -> None:
    _, rejected = in_runs(120, b, chance, n, per_group)
    assert rejected <= 0.05 + 3 * sqrt(0.05 * 0.95 / 120)


@pytest.mark.slow
@pytest.mark.parametrize(("b", "chance", "n", "per_group"), [
    ((1.0, -2.0, 0.5), 0.125, 200, 1), ((1.5, -3.0, 0.0), 0.25, 200, 1), ((2.0, -4.0, 0.0), 0.125, 250, 1), ((0.5, 1.0, -1.0), 0.5, 400, 4),
])  # fmt: skip
def test_in_a_thousand_runs_intervals_hold_what_was_planted(b: tuple[float, float, float], chance: float, n: int, per_group: int) -> None:
    held, _ = in_runs(1000, b, chance, n, per_group)
    assert 0.93 <= held <= 0.97


@pytest.mark.parametrize("credit", [0.0, 1.0])
def test_all_right_and_all_wrong_tell_nothing_and_break_nothing(credit: float) -> None:
    rng = np.random.default_rng(3)
    asked = regression_data([credit] * 80, [0.25] * 80, range(80), rng.uniform(0, 1, (80, 2)))
    assert np.isfinite(fit_guess_rate_logit(asked).coefficients).all()
    assert score_test_p_value(scores(asked, [1])) > 0.9
    assert score_test_p_value(scores(asked, [1, 2])) > 0.9


def test_a_knob_that_another_explains_is_not_found() -> None:
    """What makes items hard goes along with a knob that does nothing: alone it seems to do it, beside the other it does not."""
    rng = np.random.default_rng(5)
    hard = rng.uniform(0, 1, 1500)
    beside = np.clip(hard + rng.normal(0, 0.2, 1500), 0, 1)
    drawn = (rng.uniform(0, 1, 1500) < 0.25 + 0.75 / (1 + np.exp(-(2 - 4 * hard)))).astype(float).tolist()
    both = regression_data(drawn, [0.25] * 1500, range(1500), np.column_stack([hard, beside]))
    alone = regression_data(drawn, [0.25] * 1500, range(1500), beside[:, None])
    assert score_test_p_value(scores(alone, [1])) < 1e-6
    assert score_test_p_value(scores(both, [2])) > 0.01
    assert score_test_p_value(scores(both, [1])) < 1e-6


def test_the_curve_ends_at_chance() -> None:
    columns = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert predicted_accuracy(columns, np.array([0.25, 0.25]), np.array([0.0, -50.0])) == pytest.approx([0.625, 0.25])


def test_a_column_that_others_make_is_dropped() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.uniform(0, 1, (2, 50))
    assert linearly_independent_columns(np.column_stack([first, second, first - second, np.ones(50)]), np.ones((50, 1))) == [0, 1]


def test_sums_of_groups_on_both_sides_are_around_nothing() -> None:
    assert score_test_p_value(np.array([[1.0], [-1.0], [2.0], [-2.0]])) == pytest.approx(1)
    assert score_test_p_value(np.full((30, 1), 0.5)) < 1e-6
    assert score_test_p_value(np.zeros((5, 2))) == 1
