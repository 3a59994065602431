"""Two measurements: paired differences on the same items, and the difference and rank order of the same models, as on renders and photographs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, stdev

from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import normal

MIN_MODELS_OF_MEAN, MIN_MODELS_OF_RANKS = 3, 4
"""With fewer models there is no interval of the mean difference, and no rank order can differ significantly from chance."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference of credits with its confidence interval, all in [-1, 1]."""

    estimate: float
    low: float
    high: float
    too_few_clusters: bool = field(default=False, compare=False)
    """Whether there are too few clusters for a reliable interval (`effective_sample_size.FEW`); tables mark it."""


def paired_difference(differences: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Difference:
    """The mean of per-item differences in [-1, 1], with a CI for the population of clusters.

    The interval is that of Bonett and Price (2012, Journal of Educational and Behavioral Statistics): one pair in favour of each side is
    added, so that the width is positive also for equal differences. With clusters it uses the effective sample size
    (`effective_sample_size`). It is [-1, 1] without differences. Raises ValueError if the lengths differ.
    """
    n = len(differences)
    if n != len(groups):
        raise ValueError(f"{n} differences of items in {len(groups)} groups")
    if not n:
        return Difference(float("nan"), -1.0, 1.0)
    estimate = sum(differences) / n
    square = sum(value * value for value in differences) / n
    sample_size = effective_sample_size([value - estimate for value in differences], groups, square - estimate * estimate)
    size = sample_size.items + 2  # one added pair in favour of each side
    centre = estimate * sample_size.items / size
    variance = (square * sample_size.items + 2) / size - centre * centre
    half = normal(confidence) * sqrt(max(0.0, variance) / size)
    return Difference(
        estimate,
        max(-1.0, min(estimate, centre - half)),
        min(1.0, max(estimate, centre + half)),
        too_few_clusters=sample_size.too_few_clusters,
    )


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Kendall's tau-b in [-1, 1], and the two-sided p-value of the hypothesis that both orders are unrelated."""

    tau: float
    p: float


def mean_difference(differences: Sequence[float], confidence: float = 0.95) -> Difference | None:
    """The mean over models of differences in [-1, 1], with Student's t interval for the population of models; None for fewer than
    `MIN_MODELS_OF_MEAN` models.

    The spread over models includes the sampling error of the items of each model.
    """
    from scipy.stats import t

    n = len(differences)
    if n < MIN_MODELS_OF_MEAN:
        return None
    centre = fmean(differences)
    half = float(t.ppf((1 + confidence) / 2, n - 1)) * stdev(differences) / sqrt(n)
    return Difference(centre, max(-1.0, centre - half), min(1.0, centre + half))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> RankCorrelation | None:
    """Kendall's tau-b of two measurements of the same models (Kendall 1945, Biometrika), with its exact p-value if there are no ties.

    None for fewer than `MIN_MODELS_OF_RANKS` models, or if all are equal in one measurement. Raises ValueError if the lengths differ.
    """
    from scipy.stats import kendalltau

    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values")
    if len(first) < MIN_MODELS_OF_RANKS or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    result = kendalltau(first, second)
    return RankCorrelation(float(result.statistic), float(result.pvalue))
