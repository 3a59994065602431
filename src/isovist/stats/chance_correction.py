"""Chance-corrected accuracy over several tasks, with cluster-robust intervals; clusters may extend across tasks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval, normal, rescale_to_chance, widened, wilson_of


@dataclass(frozen=True, slots=True)
class Scores:
    """The scored items of a task: their credits in [0, 1], their chance levels, and their clusters."""

    credits: Sequence[float]
    chances: Sequence[float]
    clusters: Sequence[Hashable]
    n_missing: int = 0
    """Further items of the task without a credit, such as request errors. They widen intervals (`proportions.widened`)."""

    @property
    def effects_of_missing(self) -> tuple[float, float]:
        """By how much the accuracy would be lower if all missing items were incorrect, and higher if all were correct."""
        share, accuracy = self.n_missing / (self.n_missing + len(self.credits)), fmean(self.credits)
        return share * accuracy, share * (1 - accuracy)


def effects_of_missing(tasks: Sequence[Scores]) -> tuple[float, float]:
    """The same for the mean chance-corrected accuracy over tasks, whose chance levels are below 1."""
    effects = [[effect / (1 - fmean(task.chances)) for effect in task.effects_of_missing] for task in tasks]
    down, up = map(fmean, zip(*effects, strict=True))
    return down, up


def chance_corrected_score(tasks: Sequence[Scores], confidence: float = 0.95) -> ConfidenceInterval:
    """The chance-corrected accuracy of a model in a report and a leaderboard: the mean over tasks, with equal weights.

    Of a single task, its accuracy with its interval, rescaled. Raises as `chance_corrected_mean` does.
    """
    if len(tasks) != 1:
        return chance_corrected_mean(tasks, confidence)
    (task,) = tasks
    return rescale_to_chance(widened(clustered_mean(task.credits, task.clusters, confidence), *task.effects_of_missing), task.chances)


def chance_corrected_mean(tasks: Sequence[Scores], confidence: float = 0.95) -> ConfidenceInterval:
    """The mean over tasks, with equal weights, of sum(credit - chance) / sum(1 - chance): 0 is chance, 1 is perfect.

    The variance is that of the linearized estimator, from the sums of each cluster over all tasks. The interval is the Wilson score
    interval for the effective number of independent items, at most their actual number, with the t quantile for the number of clusters.
    It is computed for the accuracy at the mean chance level and rescaled. With one cluster it contains all possible values. Raises
    ValueError if there is no task, if a task has no items, or if its chance level is 1.
    """
    from scipy.stats import t

    sums: dict[Hashable, float] = {}
    estimates: list[float] = []
    chances: list[float] = []
    for task in tasks:
        ranges = [1 - chance for chance in task.chances]
        gains = [credit - chance for credit, chance in zip(task.credits, task.chances, strict=True)]
        total_range = sum(ranges)
        if total_range <= 0:
            raise ValueError("a task without items, or with chance level 1, has no chance-corrected accuracy")
        estimate = sum(gains) / total_range
        for cluster, gain, item_range in zip(task.clusters, gains, ranges, strict=True):
            off = gain - estimate * item_range
            sums[cluster] = sums.get(cluster, 0.0) + off / total_range / len(tasks)
        estimates.append(estimate)
        chances.append(1 - total_range / len(ranges))
    if not tasks:
        raise ValueError("no task")
    estimate, chance = sum(estimates) / len(tasks), sum(chances) / len(tasks)
    lowest = -chance / (1 - chance)
    groups, n = len(sums), sum(len(task.credits) for task in tasks)
    if groups == 1:
        return ConfidenceInterval(estimate, min(lowest, estimate), 1.0)
    share = min(1.0, max(0.0, chance + estimate * (1 - chance)))
    variance = groups / (groups - 1) * sum(total * total for total in sums.values()) * (1 - chance) ** 2
    z, quantile = normal(confidence), float(t.ppf((1 + confidence) / 2, groups - 1))
    # without any variance, each cluster counts as one item
    size = min(float(n), share * (1 - share) / variance * (z / quantile) ** 2) if variance > 1e-15 and 0 < share < 1 else float(groups)
    interval = wilson_of(share, size, z)
    low, high = ((edge - chance) / (1 - chance) for edge in (interval.low, interval.high))
    return widened(ConfidenceInterval(estimate, min(low, estimate), max(high, estimate)), *effects_of_missing(tasks), lowest)
