"""Proportions and means with confidence intervals, and chance correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """An estimate with its confidence interval, in [0, 1]; chance-corrected values may be below 0."""

    estimate: float
    low: float
    high: float
    too_few_clusters: bool = field(default=False, compare=False)
    """Whether there are too few groups of items for a reliable interval; tables mark it."""


def wilson(right: int, n: int, confidence: float = 0.95) -> ConfidenceInterval:
    """The Wilson score interval of a proportion; [0, 1] for n = 0."""
    if n == 0:
        return ConfidenceInterval(float("nan"), 0.0, 1.0)
    return wilson_of(right / n, n, normal(confidence))


def mean(values: Sequence[float], confidence: float = 0.95) -> ConfidenceInterval:
    """The mean of credits in [0, 1] of independent items, with the Wilson score interval; partial credits as in `score_interval`."""
    if all(value in (0.0, 1.0) for value in values):
        return wilson(round(sum(values)), len(values), confidence)
    return score_interval(values, len(values), confidence)


def score_interval(values: Sequence[float], worth: float, confidence: float = 0.95, *, few: bool = False) -> ConfidenceInterval:
    """The Wilson score interval of a mean of credits in [0, 1] with an effective sample size of `worth` independent items.

    It is computed for the number of binary items with the same variance, with the t quantile for `worth` - 1 degrees of freedom. For
    partial credits the variance is estimated with one additional credit at the maximum variance, so that nearly equal credits do not
    yield a width near 0; equal credits have the width of binary credits.
    """
    from scipy.special import stdtrit

    n = len(values)
    centre = sum(values) / n
    widest = centre * (1 - centre)  # the variance of binary credits with the same mean
    z = normal(confidence)
    squares = sum((value - centre) ** 2 for value in values)
    if squares < 1e-12 * n:
        return wilson_of(centre, worth, z, few=few)
    whole = all(value in (0.0, 1.0) for value in values)
    size = worth if whole else worth * widest * n / (squares + widest)
    student = float(stdtrit(max(1.0, worth - 1), (1 + confidence) / 2))
    return wilson_of(centre, size * (z / student) ** 2, z, few=few)


def normal(confidence: float) -> float:
    """The normal quantile of a two-sided confidence level: 1.96 for 0.95."""
    from scipy.special import ndtri  # ten times as fast as scipy.stats; a report has thousands of intervals

    return float(ndtri((1 + confidence) / 2))


def wilson_of(share: float, n: float, z: float, *, few: bool = False) -> ConfidenceInterval:
    """The Wilson score interval of the proportion `share` of `n` items; `n` need not be an integer. `z`: the normal quantile."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    return ConfidenceInterval(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)), too_few_clusters=few)


def widened(interval: ConfidenceInterval, down: float, up: float, lowest: float = 0.0) -> ConfidenceInterval:
    """The interval of a mean with missing items: by so much the mean would be lower if all of them were incorrect, higher if all were correct.

    These are the bounds of Manski (1989, Journal of Human Resources) around the interval for the population. `lowest`: the least possible mean.
    """
    return replace(interval, low=max(min(lowest, interval.low), interval.low - down), high=min(1.0, interval.high + up))


def mean_of(
    intervals: Sequence[ConfidenceInterval], weights: Sequence[float] | None = None, confidence: float = 0.95, *, design: float = 1.0
) -> ConfidenceInterval:
    """The weighted mean of proportions, with equal weights by default, and its CI from theirs. `design`: the ratio of the variance to
    that of independent proportions (`clustered_means.mean_of_tasks` estimates it).

    The interval is the Wilson score interval for the number of items with the variance of the mean. The variance of each proportion is
    that at the midpoint of its interval, for the sample size of the interval. The alternative, sums of squared half-widths (Zou and Donner,
    2008, Statistics in Medicine), adds up the asymmetry of the intervals: its coverage for eight tasks with accuracy 90% was 91% in
    simulations.
    """
    weights_or_equal = weights or [1.0] * len(intervals)
    shares = [weight / sum(weights_or_equal) for weight in weights_or_equal]
    z = normal(confidence)
    estimate = min(
        1.0, sum(w * interval.estimate for w, interval in zip(shares, intervals, strict=True))
    )  # shares may add up to more than 1
    middle = sum(w * (interval.low + interval.high) / 2 for w, interval in zip(shares, intervals, strict=True))
    variance = design * sum(w * w * _variance(interval, z) for w, interval in zip(shares, intervals, strict=True))
    return wilson_of(estimate, middle * (1 - middle) / variance, z, few=any(interval.too_few_clusters for interval in intervals))


def _variance(interval: ConfidenceInterval, z: float) -> float:
    """The variance of a proportion at the midpoint of its Wilson interval; the sample size follows from the longer half of the interval."""
    middle = (interval.low + interval.high) / 2
    far = interval.low if interval.estimate - interval.low > interval.high - interval.estimate else interval.high
    if not 0 < far < 1:  # an interval without information
        return ((interval.high - interval.low) / (2 * z)) ** 2
    return middle * (1 - middle) * (far - interval.estimate) ** 2 / (z * z * far * (1 - far))


def chance_corrected_accuracy(values: Sequence[float], chances: Sequence[float]) -> float:
    """Chance-corrected accuracy: sum(value - chance) / sum(1 - chance), each item with its own chance.

    0 is chance, 1 is perfect; accuracy below chance gives a negative value.
    """
    room = sum(1 - chance for chance in chances)
    return sum(v - c for v, c in zip(values, chances, strict=True)) / room if room else float("nan")


def rescale_to_chance(accuracy: ConfidenceInterval, chances: Sequence[float]) -> ConfidenceInterval:
    """Chance-corrected accuracy with its interval, from that of the accuracy of the same items. Chance levels have no error.

    Values below chance are negative. All values are NaN if the mean chance is 1 or there are no items.
    """
    chance = sum(chances) / len(chances) if chances else float("nan")
    if not chance < 1:
        return ConfidenceInterval(float("nan"), float("nan"), float("nan"), too_few_clusters=accuracy.too_few_clusters)
    rescaled = [(share - chance) / (1 - chance) for share in (accuracy.estimate, accuracy.low, accuracy.high)]
    return ConfidenceInterval(*rescaled, too_few_clusters=accuracy.too_few_clusters)
