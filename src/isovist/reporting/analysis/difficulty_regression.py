"""Difficulty factors: each task's credits regressed on its levels and item attributes, and the findings on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, sqrt
from statistics import fmean

import numpy as np

from isovist.reporting.analysis.difficulty_factors import PHRASES, DifficultyFactor, difficulty_factors
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import in_tasks, percent
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.guess_rate_regression import (
    Array,
    Fit,
    RegressionData,
    fit_guess_rate_logit,
    predicted_accuracy,
    regression_data,
    score_test_p_value,
    scores,
)

MIN_DIFFERENCE = 0.05
"""The least difference in accuracy between the extreme values of a finding."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its 95% CI."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """The effect of one factor, the other factors of the task held constant."""

    task: str
    factor: str
    n: int
    n_values: int
    extreme_values: tuple[str, str] | None
    """The values between which the effect is given; None for a text factor with more than two values."""
    accuracies: tuple[float, float] | None
    """The observed accuracies at these values."""
    odds_ratio: Estimate | None
    """Of the odds above chance; None if the accuracy is not significantly different from chance or from 1, where odds are unbounded."""
    accuracy_change: Estimate | None
    """The predicted change of accuracy, as a share of 1."""
    p: float
    """Of the score test, not adjusted."""


def factor_effects(tasks: Tasks) -> list[FactorEffect]:
    """The effect of each factor of each task with enough items; none for a task with all items correct or all incorrect."""
    return [effect for task, rows in tasks.items() for effect in _effects(task, rows)]


def _regression_data(rows: Rows, factors: Sequence[DifficultyFactor]) -> RegressionData:
    columns = np.column_stack([factor.columns for factor in factors])
    return regression_data(rows.credits, rows.chances, rows.clusters, columns)


def _effects(task: str, rows: Rows) -> Iterable[FactorEffect]:
    usable = rows.where(rows.column("chance") < 1)
    factors = difficulty_factors(usable)
    if not factors or len(set(usable.credits)) == 1:
        return  # with all credits equal, a fit depends on its prior alone
    data = _regression_data(usable, factors)
    fit = fit_guess_rate_logit(data)
    accuracy = clustered_mean(usable.credits, usable.clusters)
    has_odds = accuracy.low > usable.chance and accuracy.high < 1
    width = _t_quantile(fit)
    place = 1
    for factor in factors:
        indices = list(range(place, place + factor.columns.shape[1]))
        place += len(indices)
        effect = FactorEffect(
            *(task, factor.name, data.n, len(set(factor.values)), None, None, None, None),
            score_test_p_value(scores(data, indices)),
        )
        if factor.is_single_column:
            b, error = float(fit.coefficients[indices[0]]), sqrt(float(fit.covariance[indices[0], indices[0]]))
            effect = replace(
                effect,
                extreme_values=factor.extreme_values,
                accuracies=_extreme_accuracies(usable, factor),
                odds_ratio=Estimate(exp(b), exp(b - width * error), exp(b + width * error)) if has_odds else None,
                accuracy_change=_accuracy_change(data, fit, indices[0]),
            )
        yield effect


def _t_quantile(fit: Fit) -> float:
    """The half-width of a 95% CI in standard errors."""
    from scipy.stats import t

    return float(t.ppf(0.975, fit.freedom))


def _extreme_accuracies(rows: Rows, factor: DifficultyFactor) -> tuple[float, float]:
    """The mean credits at 0 and 1."""
    column = factor.columns[:, 0]
    low, high = (fmean([credit for credit, value in zip(rows.credits, column, strict=True) if value == end]) for end in (0.0, 1.0))
    return low, high


def _accuracy_change(data: RegressionData, fit: Fit, column: int) -> Estimate:
    """The mean predicted change over the items when the column goes from 0 to 1, with its interval by the delta method."""

    def design_at(end: float) -> Array:
        design = data.columns.copy()
        design[:, column] = end
        return design

    designs = [design_at(0.0), design_at(1.0)]
    accuracies = [predicted_accuracy(design, data.chances, fit.coefficients) for design in designs]
    gradients: list[Array] = []
    for design, accuracy in zip(designs, accuracies, strict=True):
        height = (accuracy - data.chances) / (1 - data.chances)
        gradients.append((((1 - data.chances) * height * (1 - height))[:, None] * design).mean(axis=0))
    change, gradient = float((accuracies[1] - accuracies[0]).mean()), gradients[1] - gradients[0]
    half_width = _t_quantile(fit) * sqrt(max(0.0, float(gradient @ fit.covariance @ gradient)))
    return Estimate(change, max(-1.0, change - half_width), min(1.0, change + half_width))


def detect_difficulty_factors(tasks: Tasks) -> Iterable[Finding]:
    """One candidate for each single-column factor of each suite, over all tasks that have it; sizes have their own finding."""
    parts: dict[tuple[str, str], list[_TaskPart]] = {}
    for task, rows in tasks.items():
        usable = rows.where(rows.column("chance") < 1)
        factors = difficulty_factors(usable)
        data = _regression_data(usable, factors) if factors else None
        place = 1
        for factor in factors:
            if data is not None and factor.is_single_column and factor.name != "size":
                sums = scores(data, [place])[:, 0]
                clusters = list(dict.fromkeys(usable.clusters))
                part = _TaskPart(task, factor, usable, dict(zip(clusters, sums.tolist(), strict=True)))
                parts.setdefault((task.partition("/")[0], factor.name), []).append(part)
            place += factor.columns.shape[1]
    return [_finding(name, suite_parts) for (_, name), suite_parts in parts.items()]


@dataclass(frozen=True)
class _TaskPart:
    """The contribution of one task to the test of a factor over a suite."""

    task: str
    factor: DifficultyFactor
    rows: Rows
    scores: dict[int, float]
    """By cluster."""


def _finding(name: str, parts: Sequence[_TaskPart]) -> Finding:
    sums: dict[int, float] = {}
    for part in parts:
        for cluster, score in part.scores.items():
            sums[cluster] = sums.get(cluster, 0.0) + score
    by_cluster = np.array(list(sums.values()))[:, None]
    low, high = (fmean([_extreme_accuracies(part.rows, part.factor)[end] for part in parts]) for end in (0, 1))
    is_rising = float(by_cluster.sum()) > 0  # accuracy increases toward 1
    n = sum(part.rows.n for part in parts)
    easy, hard = (high, low) if is_rising else (low, high)
    mean = sum(sum(part.rows.credits) for part in parts) / n
    return Finding(
        kind="difficulty-" + name.replace(" ", "-"),
        tasks=tuple(part.task for part in parts),
        sentence=_sentence(name, parts, (low, high), is_rising=is_rising),
        n=n,
        observed_rate=1 - hard,
        expected_rate=1 - easy,
        p_adjusted=score_test_p_value(by_cluster) if easy - hard >= MIN_DIFFERENCE else 1.0,
        items_affected=max(0.0, n * (easy - mean)),
        is_locational=True,
    )


def _sentence(name: str, parts: Sequence[_TaskPart], accuracies: tuple[float, float], *, is_rising: bool) -> str:
    where = in_tasks((parts[0].task,)) if len(parts) == 1 else f"in {len(parts)} tasks"
    extremes = {part.factor.extreme_values for part in parts}
    values = extremes.pop() if len(extremes) == 1 else ("the lowest value", "the highest value")
    low, high = map(percent, accuracies)
    if parts[0].factor.numbers is not None:
        change = "increases" if is_rising else "decreases"
        return f"Accuracy {change} with {name} {where}: {low} at {values[0]}, {high} at {values[1]}."
    (hard, hard_accuracy), (easy, easy_accuracy) = ((values[0], low), (values[1], high))[:: 1 if is_rising else -1]
    hard_phrase, easy_phrase = (PHRASES.get((name, value), f"{name} = {value!r}") for value in (hard, easy))
    return f"Accuracy is lower for {hard_phrase} than for {easy_phrase} {where}: {hard_accuracy} vs. {easy_accuracy}."
