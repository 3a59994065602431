"""Accuracy by problem size: thresholds of tasks, and skills that such tasks require."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.level_results import SizeLevels, pool_sizes
from isovist.reporting.analysis.rows import mean_accuracy
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import CHANCE, N_UNSCORED, RUN, TASK, Column, N, OpenInterval, Table
from isovist.stats.proportions import ConfidenceInterval

CAPTION = (
    "The size threshold is the problem size at which accuracy is midway between its upper asymptote and chance: the posterior mean with its 95% "
    "credible interval. The interval is open where it extends beyond the tested sizes."
)
FIGURE_CAPTION = (
    "Accuracy in per cent by problem size. Points: accuracy; band: 95% CI (of up to 4 runs); line: fitted psychometric function. Large mark: size threshold with "
    "its 95% CI; an arrow marks an interval that extends beyond the tested sizes."
)
SKILLS_CAPTION = (
    "Accuracy is the mean over the tasks with sizes that require the skill, each with the same weight. A task may require several skills, so "
    "the rows are not independent. Thresholds in range: tasks whose size threshold is within the tested sizes."
)


@dataclass(frozen=True, slots=True)
class Skill:
    """The tasks with sizes that require one skill, in one run."""

    name: str
    run: str
    tasks: tuple[TaskResult, ...]

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """The mean of the tasks' accuracies; None if one of them is not reported."""
        if not all(task.accuracy for task in self.tasks):
            return None
        return mean_accuracy([task.rows for task in self.tasks])

    @property
    def is_adaptive(self) -> bool:
        return any(task.is_adaptive for task in self.tasks)

    @property
    def sizes(self) -> SizeLevels | None:
        """All its tasks together by size; None for adaptive runs, whose tasks have different numbers of items at a size."""
        return None if self.is_adaptive else pool_sizes(self.run, self.name, [sizes for task in self.tasks if (sizes := task.sizes)])

    @property
    def row(self) -> tuple[object, ...]:
        estimates = [sizes.estimate for task in self.tasks if (sizes := task.sizes)]
        n_in_range = sum(estimate is not None and estimate.range_status == "within" for estimate in estimates)
        n_unscored = sum(task.n_unscored for task in self.tasks)
        reason = "adaptive run" if self.is_adaptive else not_scored(n_unscored)
        chance, n_tasks = sum(task.chance for task in self.tasks) / len(self.tasks), len(self.tasks)
        return self.name, self.run, n_tasks, self.accuracy or reason, chance, n_in_range, f"{n_in_range} of {n_tasks}", n_unscored


def sections(runs: Sequence[RunResults]) -> list[Section]:
    every = [sizes for run in runs for task in run.tasks if (sizes := task.sizes)]
    skills = build_skills(runs)
    levels = [
        (sizes.task, sizes.run, size, rows.n, rows.accuracy, rows.chance, rows.n_unscored)
        for sizes in every
        for size, rows in sizes.rows.items()
    ]
    level_columns = [TASK, RUN, Column("level"), N, Column("accuracy", kind="interval"), CHANCE, N_UNSCORED]
    by_size = Section(
        "Accuracy by size",
        Table(_COLUMNS, [_row(sizes) for sizes in every]),
        CAPTION,
        takeaways.counts(
            runs,
            ((sizes.run, estimate.range_status == "within") for sizes in every if (estimate := sizes.estimate)),
            "task",
            "a size threshold within the tested sizes",
            "posterior mean",
            verb="have",
        ),
        file="thresholds.csv",
        figures=tuple(("size", task) for task in dict.fromkeys(sizes.task for sizes in every)),
        caption=FIGURE_CAPTION,
        panels=True,
        files={"levels.csv": Table(level_columns, levels)},
    )
    columns = [Column("skill", "Skill"), RUN, Column("tasks", "Tasks", "count"), Column("accuracy", "Mean accuracy", "interval"), CHANCE]
    columns += [Column("n_thresholds_within_range"), Column("", "Thresholds in range", "number"), N_UNSCORED]
    by_skill = Section(
        "Accuracy by size and skill",
        Table(columns, [skill.row for skill in skills]),
        SKILLS_CAPTION,
        file="skills.csv",
        figures=tuple(("skill", name) for name in dict.fromkeys(skill.name for skill in skills if skill.sizes)),
        panels=True,
    )
    return [by_size, by_skill]


def build_skills(runs: Sequence[RunResults]) -> list[Skill]:
    """The skills of the tasks with sizes, by name, each in each run."""
    with_sizes = [(run, [task for task in run.tasks if task.sizes]) for run in runs]
    names = sorted({skill for _, tasks in with_sizes for task in tasks for skill in task.skills})
    skills = [Skill(name, run.name, tuple(task for task in tasks if name in task.skills)) for name in names for run, tasks in with_sizes]
    return [skill for skill in skills if skill.tasks]


_COLUMNS = (
    *(TASK, RUN, N, N_UNSCORED, Column("smallest"), Column("largest"), Column("", "Sizes", "number")),
    *(Column("", "At smallest", "percent"), Column("", "At largest", "percent")),
    *(Column("", "Size threshold", "number"), Column("", "95% CI", "number"), Column("range_status"), Column("threshold", kind="units")),
    *map(Column, ("fit_threshold", "fit_slope", "fit_lapse_rate", "fit_scale")),
)


def _row(sizes: SizeLevels) -> tuple[object, ...]:
    smallest, *_, largest = sizes.rows
    ends = [accuracy.estimate if (accuracy := sizes.rows[end].accuracy) else None for end in (smallest, largest)]
    curve = sizes.estimate.curve if sizes.estimate else None
    fit = (curve.halfway, curve.slope, curve.lapse_rate, "ratio" if curve.log_scale else "step") if curve else (None,) * 4
    start = (sizes.task, sizes.run, sizes.n, sizes.n_unscored, smallest, largest, f"{smallest} to {largest}", *ends)
    return (*start, sizes.threshold_text, sizes.interval_text, *threshold_values(sizes), *fit)


def threshold_values(sizes: SizeLevels) -> tuple[str, OpenInterval | None]:
    """The range status and the size threshold."""
    estimate = sizes.estimate
    if estimate is None:
        return "not reported", None
    return estimate.range_status, OpenInterval(estimate.threshold, estimate.low, estimate.high)
