"""The overall performance of a model: means over tasks, each with the same weight. Claims about several suites, skills or tasks are simultaneous (Bonferroni, 95%).

`overall` is the one definition of overall accuracy, and `analysis.standings` of the tasks and items of several models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

from isovist.reporting.analysis.skill_taxonomies import TAXONOMIES
from isovist.stats.chance_correction import Scores, chance_corrected_score
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval

if TYPE_CHECKING:
    from isovist.reporting.analysis.task_result import TaskResult


@dataclass(frozen=True, slots=True)
class Overall:
    """Means over tasks."""

    accuracy: ConfidenceInterval
    chance: float
    chance_corrected: ConfidenceInterval
    """0 for tasks with chance level 1."""


def overall(tasks: Sequence[Scores]) -> Overall:
    """The means over tasks, at least one: the overall result of a report, a summary, a leaderboard and a comparison.

    Refused, filtered, truncated, empty and unparsed responses are incorrect. Request errors and items that were not presented are missing:
    they widen the intervals.
    """
    testable = [task for task in tasks if min(task.chances) < 1]
    return Overall(
        mean_of_tasks([(task.credits, task.clusters) for task in tasks], missing=[task.n_missing for task in tasks]),
        fmean(fmean(task.chances) for task in tasks),
        chance_corrected_score(testable) if testable else ConfidenceInterval(0.0, 0.0, 0.0),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A suite, or a skill."""

    name: str
    above_chance: ConfidenceInterval
    """From 0 (chance) to 1 (perfect), with an interval that is simultaneous over all parts."""


@dataclass(frozen=True)
class OverallPerformance:
    """One run, by its tasks."""

    tasks: tuple[TaskResult, ...]
    """All tasks of the run."""

    @cached_property
    def interpretable(self) -> list[TaskResult]:
        """The tasks with an accuracy, a chance level below 1 and few unparsed responses: claims are about these."""
        return [task for task in self.tasks if task.is_interpretable and task.chance < 1]

    @cached_property
    def whole(self) -> ConfidenceInterval | None:
        """The mean chance-corrected accuracy of all tasks with an accuracy; None without one."""
        reported = [task.counted.scores for task in self.tasks if task.accuracy]
        return overall(reported).chance_corrected if reported else None

    @cached_property
    def with_few_unparsed(self) -> ConfidenceInterval | None:
        """The mean of the interpretable tasks; None without one."""
        return overall([task.counted.scores for task in self.interpretable]).chance_corrected if self.interpretable else None

    @cached_property
    def lows(self) -> dict[str, float]:
        """The lower end of each task's simultaneous interval."""
        return {task.task: task.within(simultaneous(len(self.interpretable))).low for task in self.interpretable}

    @cached_property
    def tasks_at_chance(self) -> list[str]:
        """The tasks that are not significantly above chance."""
        return [task.task for task in self.interpretable if not task.exceeds_chance(len(self.interpretable))]

    @cached_property
    def suites(self) -> list[str]:
        return list(dict.fromkeys(task.task.partition("/")[0] for task in self.interpretable))

    @cached_property
    def parts(self) -> list[Part]:
        """The suites if there are several; else the skills of the suite's taxonomy."""
        if len(self.suites) > 1:
            groups = {suite: [task for task in self.interpretable if task.task.startswith(f"{suite}/")] for suite in self.suites}
        else:
            taxonomies = [taxonomy for taxonomy in TAXONOMIES if any(taxonomy.covers(task.task) for task in self.interpretable)]
            groups = {
                skill: [task for task in self.interpretable if task.skills & names]
                for taxonomy in taxonomies
                for skill, names in taxonomy.skills.items()
            }
        nonempty = {name: tasks for name, tasks in groups.items() if tasks}
        return (
            [
                Part(name, chance_corrected_score([task.counted.scores for task in tasks], simultaneous(len(nonempty))))
                for name, tasks in nonempty.items()
            ]
            if len(nonempty) > 1
            else []
        )

    @property
    def minimum_detectable_loss(self) -> float:
        """The largest loss of accuracy that an interval leaves undetected: from the estimate to the lower end, over all tasks."""
        return max(task.accuracy.estimate - self.lows[task.task] for task in self.interpretable if task.accuracy)


def simultaneous(claims: int) -> float:
    """The confidence level of each of several intervals that are simultaneous at 95%."""
    return 1 - 0.05 / max(1, claims)
