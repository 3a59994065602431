"""Accuracy by value of one numeric difficulty factor, such as an angle, and the midpoint between chance and 100%."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from isovist.reporting.analysis.difficulty_factors import difficulty_factors
from isovist.reporting.analysis.rows import Rows
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.guess_rate_regression import fit_guess_rate_logit, predicted_accuracy, regression_data, score_test_p_value, scores
from isovist.stats.proportions import ConfidenceInterval

MIN_VALUES = 4
"""A factor with fewer values has no curve."""
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Point:
    value: float
    n: int
    accuracy: ConfidenceInterval
    chance: float


@dataclass(frozen=True, slots=True)
class FactorCurve:
    """One factor of one task, without the other factors."""

    task: str
    factor: str
    unit: str
    """The text after the numbers, such as "degrees"; may be empty."""
    points: tuple[Point, ...]
    curve: tuple[tuple[float, float], ...]
    """Values with the fitted accuracy; empty if the factor is not significant."""
    midpoint: float | None
    """The value at which the curve is midway between chance and 1; None outside the tested values."""
    low: float | None
    high: float | None
    """The ends of its 95% CI (Fieller), None outside the tested values."""


def factor_curves(task: str, scored: Rows) -> list[FactorCurve]:
    """The numeric factors of a task except its size; none for too few items or values."""
    rows = scored.where(scored.column("chance") < 1)
    return [
        _curve(task, factor.name, factor.values, factor.numbers, rows)
        for factor in difficulty_factors(rows)
        if factor.numbers is not None and factor.name != "size" and len(set(factor.values)) >= MIN_VALUES
    ]


def _curve(task: str, name: str, values: Sequence[str], numbers: Sequence[float], rows: Rows) -> FactorCurve:
    by_value = [(value, rows.where(np.array(numbers) == value)) for value in sorted(set(numbers))]
    points = tuple(Point(value, part.n, clustered_mean(part.credits, part.clusters), part.chance) for value, part in by_value)
    units = {value.partition(" ")[2] for value in values}
    unit = units.pop() if len(units) == 1 else ""
    smallest, span = points[0].value, points[-1].value - points[0].value
    column = (np.array(numbers) - smallest)[:, None] / span
    data = regression_data(rows.credits, rows.chances, rows.clusters, column)
    if score_test_p_value(scores(data, [1])) >= ALPHA:
        return FactorCurve(task, name, unit, points, (), None, None, None)
    fit = fit_guess_rate_logit(data)
    x = np.linspace(0.0, 1.0, 61)
    accuracies = predicted_accuracy(np.column_stack([np.ones(61), x]), np.full(61, float(data.chances.mean())), fit.coefficients)
    curve = tuple((smallest + span * float(place), float(accuracy)) for place, accuracy in zip(x, accuracies, strict=True))
    a, b = (float(coefficient) for coefficient in fit.coefficients)
    places = (-a / b if b else None, *_fieller(a, b, fit.covariance.tolist(), fit.freedom))
    midpoint, low, high = (smallest + span * place if place is not None and 0 <= place <= 1 else None for place in places)
    return FactorCurve(task, name, unit, points, curve, midpoint, low, high)


def _fieller(a: float, b: float, covariance: Sequence[Sequence[float]], freedom: int) -> tuple[float | None, float | None]:
    """The 95% CI of -a / b, the root of a + b x. None for an open end."""
    from scipy.stats import t

    square = float(t.ppf(0.975, freedom)) ** 2
    (aa, ab), (_, bb) = covariance
    first, second, third = b * b - square * bb, 2 * (a * b - square * ab), a * a - square * aa
    inside = second * second - 4 * first * third
    if first <= 0 or inside < 0:
        return None, None
    root = sqrt(inside)
    return (-second - root) / (2 * first), (-second + root) / (2 * first)
