"""What makes items hard for a model: each task's credits regressed on what is known of its items, and what is beyond noise in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from isovist.analysis.difficulty_factors import PLAIN, DifficultyFactor, difficulty_factors
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import percent
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.guess_rate_regression import (
    Array,
    Fit,
    RegressionData,
    fit_guess_rate_logit,
    items,
    predicted_accuracy,
    score_test_p_value,
    scores,
)

LEAST = 0.05
"""A smaller difference in accuracy between the ends of a knob is told in no sentence."""


@dataclass(frozen=True, slots=True)
class Estimate:
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """What one knob does, all others of the task held as they are."""

    task: str
    knob: str
    n: int
    values: int
    """How many it has."""
    ends: tuple[str, str] | None
    """From which value to which the effect is told; None for more than two values that are no numbers."""
    accuracies: tuple[float, float] | None
    """Right at these ends, as they are."""
    odds_ratio: Estimate | None
    """By which factor the odds change from the one end to the other, above chance; None for a model that may guess everywhere, or may
    be right everywhere: there odds have no bounds."""
    accuracy_change: Estimate | None
    """By how much the accuracy changes, as a share, by the regression."""
    p: float
    """Of the score test that it does nothing, before it stands among others."""


def factor_effects(tasks: Tasks) -> list[FactorEffect]:
    """Of each knob of each task with enough items, in the tasks' order; none of a task that is all right, or all wrong."""
    return [effect for task, evidence in tasks.items() for effect in _of(task, evidence)]


def _columns(evidence: Sequence[ScoredItem], factors: Sequence[DifficultyFactor]) -> RegressionData:
    columns = np.column_stack([knob.columns for knob in factors])
    return items([item.value for item in evidence], [item.chance for item in evidence], [item.group for item in evidence], columns)


def _usable(evidence: Sequence[ScoredItem]) -> list[ScoredItem]:
    return [item for item in evidence if item.chance < 1]


def _of(task: str, evidence: Sequence[ScoredItem]) -> Iterable[FactorEffect]:
    used = _usable(evidence)
    factors = difficulty_factors(used)
    if not factors or len({item.value for item in used}) == 1:
        return  # where all are right, or all wrong, a fit tells of its own penalty alone
    asked = _columns(used, factors)
    fitted = fit_guess_rate_logit(asked)
    is_between = _between(used)
    width = _width(fitted)
    place = 1
    for knob in factors:
        indices = list(range(place, place + knob.columns.shape[1]))
        place += len(indices)
        p = score_test_p_value(scores(asked, indices))
        values = len(set(knob.values))
        if not knob.is_single_column:
            yield FactorEffect(task, knob.name, asked.n, values, None, None, None, None, p)
            continue
        b, error = float(fitted.coefficients[indices[0]]), sqrt(float(fitted.covariance[indices[0], indices[0]]))
        odds = Estimate(exp(b), exp(b - width * error), exp(b + width * error)) if is_between else None
        yield FactorEffect(
            task, knob.name, asked.n, values, knob.extreme_values, _at_ends(used, knob), odds, _points(asked, fitted, indices[0]), p
        )


def _between(used: Sequence[ScoredItem]) -> bool:
    """Whether the accuracy is surely above chance and below 1."""
    interval = clustered_mean([item.value for item in used], [item.group for item in used])
    return interval.low > _mean([item.chance for item in used]) and interval.high < 1


def _width(fitted: Fit) -> float:
    """Standard errors to each side of an estimate."""
    from scipy.stats import t

    return float(t.ppf(0.975, fitted.freedom))


def _at_ends(evidence: Sequence[ScoredItem], knob: DifficultyFactor) -> tuple[float, float]:
    """The mean credits at 0 and at 1."""
    places = knob.columns[:, 0]
    low, high = (_mean([item.value for item, at in zip(evidence, places, strict=True) if at == end]) for end in (0.0, 1.0))
    return low, high


def _points(asked: RegressionData, fitted: Fit, column: int) -> Estimate:
    """The mean over the items of what the knob's going from 0 to 1 does, with the interval of its linear approximation."""

    def at(end: float) -> Array:
        moved = asked.columns.copy()
        moved[:, column] = end
        return moved

    ends = [at(0.0), at(1.0)]
    means = [predicted_accuracy(design, asked.chances, fitted.coefficients) for design in ends]
    slopes: list[Array] = []
    for moved, share in zip(ends, means, strict=True):
        standing = (share - asked.chances) / (1 - asked.chances)
        slopes.append((((1 - asked.chances) * standing * (1 - standing))[:, None] * moved).mean(axis=0))
    change, slope = float((means[1] - means[0]).mean()), slopes[1] - slopes[0]
    error = sqrt(max(0.0, float(slope @ fitted.covariance @ slope)))
    return Estimate(change, max(-1.0, change - _width(fitted) * error), min(1.0, change + _width(fitted) * error))


def detect_difficulty_factors(tasks: Tasks) -> Iterable[Finding]:
    """For each suite and each of its knobs that one column tells, but for sizes: one candidate over all tasks that have it."""
    parts_by_knob: dict[tuple[str, str], list[_Part]] = {}
    for task, evidence in tasks.items():
        used = _usable(evidence)
        factors = difficulty_factors(used)
        place = 1
        asked = _columns(used, factors) if factors else None
        for knob in factors:
            if asked is not None and knob.is_single_column and knob.name != "size":
                sums = scores(asked, [place])[:, 0]
                groups = list(dict.fromkeys(item.group for item in used))
                part = _Part(task, knob, used, dict(zip(groups, sums.tolist(), strict=True)))
                parts_by_knob.setdefault((task.partition("/")[0], knob.name), []).append(part)
            place += knob.columns.shape[1]
    return [_candidate(name, parts) for (_, name), parts in parts_by_knob.items()]


@dataclass(frozen=True)
class _Part:
    """One task's share in what a knob does to a suite."""

    task: str
    knob: DifficultyFactor
    used: Sequence[ScoredItem]
    scores: dict[str, float]
    """By group."""


def _candidate(name: str, parts: Sequence[_Part]) -> Finding:
    sums: dict[str, float] = {}
    for part in parts:
        for group, score in part.scores.items():
            sums[group] = sums.get(group, 0.0) + score
    each = np.array(list(sums.values()))[:, None]
    low, high = (_mean([_at_ends(part.used, part.knob)[end] for part in parts]) for end in (0, 1))
    rising = float(each.sum()) > 0  # towards the end at 1 it is right more often
    n = sum(len(part.used) for part in parts)
    easy, hard = (high, low) if rising else (low, high)
    mean = sum(item.value for part in parts for item in part.used) / n
    return Finding(
        kind="harder-with-" + name.replace(" ", "-"),
        tasks=tuple(part.task for part in parts),
        sentence=_words(name, parts, (low, high), rising=rising),
        n=n,
        observed_rate=1 - hard,
        expected_rate=1 - easy,
        p_adjusted=score_test_p_value(each) if easy - hard >= LEAST else 1.0,
        items_affected=max(0.0, n * (easy - mean)),
        is_locational=True,
    )


def _words(name: str, parts: Sequence[_Part], at: tuple[float, float], *, rising: bool) -> str:
    where = f"in {parts[0].task.partition('/')[2]}" if len(parts) == 1 else f"in {len(parts)} tasks"
    ends = {part.knob.extreme_values for part in parts}
    shared = ends.pop() if len(ends) == 1 else ("its lowest", "its highest")
    first, last = (f"{percent(share)} right" for share in at)
    if parts[0].knob.numbers is None:
        easy, hard = ((shared[1], last), (shared[0], first)) if rising else ((shared[0], first), (shared[1], last))
        bad, good = (PLAIN.get((name, side[0])) for side in (hard, easy))
        if not (bad and good):
            bad, good = f'"{name}" is "{hard[0]}"', f'it is "{easy[0]}"'
        return f"It does worse where {bad} than where {good}, {where}: {hard[1]} against {easy[1]}."
    more = "the smaller" if rising else "the larger"
    return f"It gets worse {more} the {name} is, {where}: {first} at {shared[0]}, {last} at {shared[1]}."


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
