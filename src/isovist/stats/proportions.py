"""Proportions with their uncertainty, and what of them is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its confidence interval, all in [0, 1]."""

    estimate: float
    low: float
    high: float


def wilson(right: int, n: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a proportion; the whole of [0, 1] for n = 0."""
    if n == 0:
        return Interval(float("nan"), 0.0, 1.0)
    from scipy.stats import binomtest

    found = binomtest(right, n).proportion_ci(confidence, method="wilson")
    # rounding must not push the estimate of 0 or n out of its own interval
    return Interval(right / n, min(float(found.low), right / n), max(float(found.high), right / n))


def mean(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """The mean of credits in [0, 1]: Wilson if they are all 0 or 1, else Student's t, cut to [0, 1]."""
    n = len(values)
    if all(value in (0.0, 1.0) for value in values):
        return wilson(round(sum(values)), n, confidence)
    from scipy.stats import t

    centre = sum(values) / n
    variance = sum((value - centre) ** 2 for value in values) / max(1, n - 1)
    if not variance:  # as wide as for credits of 0 and 1 with about that mean, the widest there are
        widest = wilson(round(centre * n), n, confidence)
        return Interval(centre, min(centre, widest.low), max(centre, widest.high))
    half = float(t.ppf((1 + confidence) / 2, max(1, n - 1))) * (variance / n) ** 0.5
    return Interval(centre, max(0.0, centre - half), min(1.0, centre + half))


def mean_of(intervals: Sequence[Interval], weights: Sequence[float] | None = None) -> Interval:
    """The mean of independent shares, each with the same weight unless some are given, with an interval made of theirs.

    The distances to their limits add up as errors do (Zou and Donner, 2008, Statistics in Medicine), so that it is as lopsided
    as they are near 0 and 1.
    """
    given = weights or [1.0] * len(intervals)
    shares = [weight / sum(given) for weight in given]
    estimate = sum(w * it.estimate for w, it in zip(shares, intervals, strict=True))
    below = sum((w * (it.estimate - it.low)) ** 2 for w, it in zip(shares, intervals, strict=True)) ** 0.5
    above = sum((w * (it.high - it.estimate)) ** 2 for w, it in zip(shares, intervals, strict=True)) ** 0.5
    return Interval(estimate, max(0.0, estimate - below), min(1.0, estimate + above))


def above_chance(values: Sequence[float], chances: Sequence[float]) -> float:
    """How much of the way from chance to perfect: sum(value - chance) / sum(1 - chance), each item with its own chance.

    0 is chance, 1 perfect; below chance it is negative.
    """
    room = sum(1 - chance for chance in chances)
    return sum(v - c for v, c in zip(values, chances, strict=True)) / room if room else float("nan")
