"""Accuracy by level, and by size for tasks whose levels are problem sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from isovist.reporting.analysis.scored_item import ItemTrials
from isovist.reporting.analysis.text_format import not_scored, reported
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import ConfidenceInterval
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold, interval_text, threshold_text

MIN_SIZES = 4
"""A task with fewer sizes has no psychometric function."""


@dataclass(frozen=True)
class AccuracyTally:
    """The items of one level, size or attribute value, with their results in the standard condition."""

    trials: Sequence[ItemTrials]

    @cached_property
    def _scored(self) -> Sequence[ItemTrials]:
        scored = [trials for trials in self.trials if trials.scored]
        return scored if len(scored) < len(self.trials) else self.trials

    @property
    def n(self) -> int:
        """The number of scored items."""
        return len(self._scored)

    @property
    def n_unscored(self) -> int:
        return len(self.trials) - self.n

    @cached_property
    def values(self) -> list[float]:
        """The credits of the scored items."""
        return [result.credit for trials in self._scored if (result := trials.standard)]

    @cached_property
    def clusters(self) -> list[str]:
        """The clusters of the scored items."""
        return [trials.item.group for trials in self._scored]

    @cached_property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval; None while items are not scored."""
        return clustered_mean(self.values, self.clusters) if self.n and not self.n_unscored else None

    @property
    def published_accuracy(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper; None without one, or while items are not scored."""
        published = [result.published_credit for each in self._scored if (result := each.standard) and result.published_credit is not None]
        return clustered_mean(published, self.clusters) if self.accuracy and len(published) == self.n else None

    @cached_property
    def chance(self) -> float:
        """The mean over the scored items; without any, over all items."""
        chances = [trials.item.chance for trials in self._scored or self.trials]
        return sum(chances) / len(chances)

    @property
    def cells(self) -> tuple[int, object, float, int]:
        """The number of scored items, the accuracy or the reason for its absence, the chance level, and the number of unscored items."""
        return self.n, reported(self.accuracy, self.n_unscored), self.chance, self.n_unscored


@dataclass(frozen=True)
class SizeLevels:
    """One task of one run, or all tasks of a skill together, by size."""

    run: str
    task: str
    tallies: Mapping[int, AccuracyTally]
    """By size, from the smallest."""
    n_tasks: int = 1
    unparsed_responses: UnparsedResponses | None = None
    """None for several tasks together."""

    @property
    def n(self) -> int:
        return sum(tally.n for tally in self.tallies.values())

    @property
    def n_unscored(self) -> int:
        return sum(tally.n_unscored for tally in self.tallies.values())

    @cached_property
    def estimate(self) -> ThresholdEstimate | None:
        """The fitted psychometric function; None if it is not reported, and for several tasks, whose functions differ."""
        if self.reason_not_reported or self.n_tasks > 1:
            return None
        scored = {size: tally for size, tally in self.tallies.items() if tally.n}
        weight = self._effective_share(list(scored.values())) if scored else 1.0
        return fit_threshold(
            [LevelCounts(size, weight * tally.n, weight * sum(tally.values), tally.chance) for size, tally in scored.items()]
        )

    @staticmethod
    def _effective_share(tallies: Sequence[AccuracyTally]) -> float:
        """The effective sample size divided by the number of items: less than 1 where items share an image."""
        means = [sum(tally.values) / tally.n for tally in tallies]
        residuals = [value - mean for tally, mean in zip(tallies, means, strict=True) for value in tally.values]
        clusters = [cluster for tally in tallies for cluster in tally.clusters]
        spread = sum(4 * mean * (1 - mean) for mean in means) / len(means)
        return effective_sample_size(residuals, clusters, spread).items / len(residuals)

    @property
    def reason_not_reported(self) -> str:
        """Why there is no psychometric function; empty if there is one."""
        if self.n_unscored:
            return not_scored(self.n_unscored)
        unparsed = self.unparsed_responses
        return f"{unparsed.total} of {unparsed.n} responses unparsed" if unparsed and unparsed.many else ""

    @property
    def threshold_text(self) -> str:
        estimate = self.estimate
        return f"not reported ({self.reason_not_reported})" if estimate is None else threshold_text(estimate)

    @property
    def interval_text(self) -> str:
        estimate = self.estimate
        return "-" if estimate is None else interval_text(estimate)


def pool_sizes(run: str, name: str, parts: Sequence[SizeLevels]) -> SizeLevels | None:
    """Several tasks as one, each item with the same weight; None without any."""
    trials: dict[int, list[ItemTrials]] = {}
    for part in parts:
        for size_, tally in part.tallies.items():
            trials.setdefault(size_, []).extend(tally.trials)
    tallies = {size_: AccuracyTally(trials[size_]) for size_ in sorted(trials)}
    return SizeLevels(run, name, tallies, len(parts)) if tallies else None
