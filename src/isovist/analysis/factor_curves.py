"""Accuracy against one numeric knob, such as an angle, and where it has fallen half of the way from all right to chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from isovist.analysis.difficulty_factors import difficulty_factors
from isovist.analysis.scored_item import ScoredItem
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.guess_rate_regression import fit_guess_rate_logit, items, predicted_accuracy, score_test_p_value, scores
from isovist.stats.proportions import ConfidenceInterval

FEWEST = 4
"""Values of a knob without which it has no curve."""
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Point:
    value: float
    n: int
    accuracy: ConfidenceInterval
    chance: float


@dataclass(frozen=True, slots=True)
class FactorCurve:
    """One knob of one task, alone."""

    task: str
    knob: str
    unit: str
    """What stands behind the numbers, such as "degrees"; may be empty."""
    points: tuple[Point, ...]
    curve: tuple[tuple[float, float], ...]
    """Values with the fitted accuracy; empty where the knob does nothing beyond noise."""
    halfway: float | None
    """Where the fitted curve is half of the way from chance to all right, if that is within the values asked and the knob does
    something beyond noise."""
    low: float | None
    high: float | None
    """The ends of its 95 % interval (Fieller's), None where that goes beyond the values asked."""


def slopes(task: str, evidence: Sequence[ScoredItem]) -> list[FactorCurve]:
    """The numeric knobs of a task but for its size, each alone; none for too few items or values."""
    used = [item for item in evidence if item.chance < 1]
    factors = [
        knob for knob in difficulty_factors(used) if knob.numbers is not None and knob.name != "size" and len(set(knob.values)) >= FEWEST
    ]
    return [_slope(task, knob.name, knob.values, knob.numbers, used) for knob in factors if knob.numbers is not None]


def _slope(task: str, name: str, values: Sequence[str], numbers: Sequence[float], used: Sequence[ScoredItem]) -> FactorCurve:
    by_value: dict[float, list[ScoredItem]] = {}
    for number, item in zip(numbers, used, strict=True):
        by_value.setdefault(number, []).append(item)
    points = tuple(_point(value, group) for value, group in sorted(by_value.items()))
    units = {value.partition(" ")[2] for value in values}
    unit = units.pop() if len(units) == 1 else ""
    least, span = points[0].value, points[-1].value - points[0].value
    column = (np.array(numbers) - least)[:, None] / span
    asked = items([item.value for item in used], [item.chance for item in used], [item.group for item in used], column)
    if score_test_p_value(scores(asked, [1])) >= ALPHA:
        return FactorCurve(task, name, unit, points, (), None, None, None)
    fitted = fit_guess_rate_logit(asked)
    chance = float(asked.chances.mean())
    places = np.linspace(0.0, 1.0, 61)
    curve = predicted_accuracy(np.column_stack([np.ones(61), places]), np.full(61, chance), fitted.coefficients)
    drawn = tuple((least + span * float(at), float(share)) for at, share in zip(places, curve, strict=True))
    a, b = (float(coefficient) for coefficient in fitted.coefficients)
    edges = _fieller(a, b, fitted.covariance.tolist(), fitted.freedom)
    middle = -a / b if b else None
    within = middle is not None and 0 <= middle <= 1
    low, high = (least + span * edge if edge is not None and 0 <= edge <= 1 else None for edge in edges)
    return FactorCurve(task, name, unit, points, drawn, least + span * middle if within and middle is not None else None, low, high)


def _point(value: float, evidence: Sequence[ScoredItem]) -> Point:
    accuracy = clustered_mean([item.value for item in evidence], [item.group for item in evidence])
    return Point(value, len(evidence), accuracy, sum(item.chance for item in evidence) / len(evidence))


def _fieller(a: float, b: float, covariance: Sequence[Sequence[float]], freedom: int) -> tuple[float | None, float | None]:
    """The interval of -a / b: the places where a + b x may be 0. None for an end that is open."""
    from scipy.stats import t

    square = float(t.ppf(0.975, freedom)) ** 2
    (aa, ab), (_, bb) = covariance
    first, second, third = b * b - square * bb, 2 * (a * b - square * ab), a * a - square * aa
    inside = second * second - 4 * first * third
    if first <= 0 or inside < 0:
        return None, None
    root = sqrt(inside)
    return (-second - root) / (2 * first), (-second + root) / (2 * first)
