"""Two measurements of the same models, such as accuracy on renders and on photographs: mean difference and agreement of rank order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from isovist.stats.paired_differences import Difference

MIN_MODELS_OF_MEAN, MIN_MODELS_OF_RANKS = 3, 4
"""With fewer models there is no interval of the mean difference, and no rank order can differ significantly from chance."""


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
