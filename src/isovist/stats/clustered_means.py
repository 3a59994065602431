"""Means of clustered items: responses to items that share an image or a scene are correlated.

The interval is the Wilson score interval for the effective sample size: the number of independent binary items with the same variance
(Korn and Graubard, 1998, Survey Methodology). It is valid near 0 and 1 and for partial credits. `effective_sample_size` defines the
effective sample size.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import ConfidenceInterval, mean, mean_of, score_interval


def clustered_mean(values: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> ConfidenceInterval:
    """The mean of credits in [0, 1] with a confidence interval for the population of clusters.

    If every cluster has one item, it equals `mean`. With a single cluster the interval is [0, 1]. The effective sample size is at
    most the number of items. Raises ValueError if the lengths differ or there is no item.
    """
    if not values or len(values) != len(groups):
        raise ValueError(f"{len(values)} credits of items in {len(groups)} groups")
    n_groups = len(set(groups))
    if n_groups == len(values):
        return mean(values, confidence)
    centre = sum(values) / len(values)
    if n_groups == 1:
        return ConfidenceInterval(centre, 0.0, 1.0, too_few_clusters=True)
    sample_size = effective_sample_size([value - centre for value in values], groups, 4 * centre * (1 - centre))
    return score_interval(values, sample_size.items, confidence, few=sample_size.too_few_clusters)


def mean_of_tasks(
    tasks: Sequence[tuple[Sequence[float], Sequence[Hashable]]], weights: Sequence[float] | None = None
) -> ConfidenceInterval:
    """The mean accuracy over tasks. `tasks`: credits and clusters of the items of each; `weights`: equal by default.

    Tasks that share images have correlated credits. The contribution of the items of one image in one task to the mean is one residual;
    the effective number of residuals decreases with their correlation across tasks. With an assumption of independence, the coverage
    for four such tasks was as low as 70% in simulations.
    """
    intervals = [clustered_mean(values, groups) for values, groups in tasks]
    if len(intervals) == 1:
        return intervals[0]
    weights_or_equal = weights or [1.0] * len(tasks)
    centre = sum(weight * interval.estimate for weight, interval in zip(weights_or_equal, intervals, strict=True)) / sum(weights_or_equal)
    residuals: list[float] = []
    places: list[Hashable] = []
    for interval, weight, (values, groups) in zip(intervals, weights_or_equal, tasks, strict=True):
        sums: dict[Hashable, float] = {}
        for value, group in zip(values, groups, strict=True):
            sums[group] = sums.get(group, 0.0) + weight * (value - interval.estimate) / len(values)
        residuals += sums.values()
        places += sums
    sample_size = effective_sample_size(residuals, places, 4 * centre * (1 - centre))
    return mean_of(intervals, weights, design=len(residuals) / sample_size.items)
