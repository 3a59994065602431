"""How a model does at each level, and at each size, for tasks whose levels are sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isovist.analysis.unparsed_responses import Unreadable
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import ConfidenceInterval
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold

FEWEST = 4
"""Sizes without which a task has no curve."""
_SIZE = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def size(level: str) -> int | None:
    """The size that a level stands for, a whole number from 1; None for a level that is a name."""
    return int(level) if _SIZE.fullmatch(level) else None


@dataclass(slots=True)
class AccuracyTally:
    """The items of one size, as they come in."""

    missing: int = 0
    """Items without a verdict."""
    values: list[float] = field(default_factory=list[float])
    chances: list[float] = field(default_factory=list[float])
    chances_of_all: list[float] = field(default_factory=list[float])
    groups: list[str] = field(default_factory=list[str])
    """Those of the items with a verdict."""
    as_published: list[float] = field(default_factory=list[float])
    """Credits by the scorer of the task's paper."""

    def add(self, value: float | None, chance: float, as_published: float | None, group: str) -> None:
        """An item with its credit; None if it has no verdict. `as_published`: that by the scorer of the paper, if there is one."""
        self.chances_of_all.append(chance)
        if value is not None and as_published is not None:
            self.as_published.append(as_published)
        if value is None:
            self.missing += 1
        else:
            self.values.append(value)
            self.groups.append(group)
            self.chances.append(chance)

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval; None as long as there are items without a verdict."""
        return clustered_mean(self.values, self.groups) if self.values and not self.missing else None

    @property
    def accuracy_as_published(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper; None without one, or as long as there are items without a verdict."""
        return clustered_mean(self.as_published, self.groups) if self.accuracy and len(self.as_published) == len(self.values) else None

    @property
    def chance(self) -> float:
        chances = self.chances or self.chances_of_all
        return sum(chances) / len(chances)


@dataclass(frozen=True, slots=True)
class SizeLevels:
    """One task of one run, or all tasks of a skill together, size by size."""

    run: str
    task: str
    tallies: Mapping[int, AccuracyTally]
    """By size, from the smallest."""
    tasks: int = 1
    unreadable: Unreadable | None = None
    """Replies that could not be read; None for several tasks together."""

    @property
    def n(self) -> int:
        return sum(len(tally.values) for tally in self.tallies.values())

    @property
    def missing(self) -> int:
        return sum(tally.missing for tally in self.tallies.values())

    @property
    def fall(self) -> ThresholdEstimate | None:
        """The fitted curve; None while it is withheld, and for several tasks: theirs differ."""
        if self.withheld or self.tasks > 1:
            return None
        asked = {at: tally for at, tally in self.tallies.items() if tally.values}
        share = self._worth(list(asked.values())) if asked else 1.0
        return fit_threshold(
            [LevelCounts(at, share * len(tally.values), share * sum(tally.values), tally.chance) for at, tally in asked.items()]
        )

    @staticmethod
    def _worth(asked: Sequence[AccuracyTally]) -> float:
        """How much an item tells, as a share of what it would standing alone: less than 1 where items share a picture."""
        means = [sum(tally.values) / len(tally.values) for tally in asked]
        residuals = [value - mean for tally, mean in zip(asked, means, strict=True) for value in tally.values]
        groups = [group for tally in asked for group in tally.groups]
        spread = sum(4 * mean * (1 - mean) for mean in means) / len(means)
        return effective_sample_size(residuals, groups, spread).items / len(residuals)

    @property
    def withheld(self) -> str:
        """Why there is no curve: a curve of replies that could not be read tells nothing of what is seen."""
        if self.missing:
            return f"{self.missing} without a verdict"
        return f"{self.unreadable.total} of {self.unreadable.n} replies unread" if self.unreadable and self.unreadable.many else ""

    @property
    def halfway(self) -> str:
        """The half-way size in words."""
        estimate = self.fall
        return f"withheld: {self.withheld}" if estimate is None else halfway(estimate)

    @property
    def interval(self) -> str:
        """Its interval in words, open where it goes beyond the sizes that were asked."""
        estimate = self.fall
        return "-" if estimate is None else interval(estimate)


def halfway(estimate: ThresholdEstimate) -> str:
    """A half-way size in words."""
    return {
        "within": f"{estimate.threshold or 0:.1f}",
        "above": f"above {estimate.largest}",
        "below": f"below {estimate.smallest}",
        "unknown": "cannot be told",
    }[estimate.range_status]


def interval(estimate: ThresholdEstimate) -> str:
    """Its interval in words."""
    if estimate.low is None and estimate.high is None:
        return "-"
    if estimate.low is None:
        return f"below {estimate.high:.1f}"
    if estimate.high is None:
        return f"above {estimate.low:.1f}"
    return f"{estimate.low:.1f} to {estimate.high:.1f}"


def together(run: str, name: str, parts: Sequence[SizeLevels]) -> SizeLevels | None:
    """Several tasks as one, each item with the same weight; None where nothing is left to draw."""
    tallies: dict[int, AccuracyTally] = {}
    for part in parts:
        for at, tally in part.tallies.items():
            whole = tallies.setdefault(at, AccuracyTally())
            whole.missing += tally.missing
            whole.values += tally.values
            whole.groups += tally.groups
            whole.chances += tally.chances
            whole.chances_of_all += tally.chances_of_all
    return SizeLevels(run, name, dict(sorted(tallies.items())), len(parts)) if tallies else None


def sizes(run: str, task: str, tallies: Mapping[int, AccuracyTally], unreadable: Unreadable) -> SizeLevels | None:
    """None for a task with too few sizes for a curve."""
    return SizeLevels(run, task, dict(sorted(tallies.items())), unreadable=unreadable) if len(tallies) >= FEWEST else None
