"""Accuracy at each named level, beside the published results for that level."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.data.reference import published
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import ACCURACY, CHANCE, N_UNSCORED, RUN, TASK, Column, N, Table
from isovist.suites import registry


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """All levels of tasks with several named levels, in the order of the registry."""
    rows: list[tuple[object, ...]] = []
    for task in (task for run in runs for task in run.tasks if len(task.by_level) > 1):
        registered = registry.find(task.task)
        for level in (level for level in (registered.levels if registered else task.by_level) if level in task.by_level):
            at_level = task.by_level[level]
            figures = "; ".join(f"{model} {value:g}" for model, value in published(task.task, level, task.condition).items())
            rows.append((task.task, task.run, level, *at_level.cells, at_level.published_accuracy, figures))
    columns = [TASK, RUN, Column("level", "Level"), N, ACCURACY, CHANCE, N_UNSCORED]
    columns += [Column("accuracy_published_scorer", "Published scorer", "interval"), Column("", "Published results (%)")]
    for place in (-1, -2):
        if not any(row[place] for row in rows):
            columns[place] = Column(columns[place].name, "")
    takeaway = takeaways.counts(
        runs,
        ((task.run, _differ(task)) for run in runs for task in run.tasks if len(task.by_level) > 1),
        "task",
        "a significant difference between two levels",
        "95% CIs that do not overlap",
        verb="have",
    )
    return [Section("Accuracy by level", Table(columns, rows), takeaway=takeaway, file="by_level.csv")]


def _differ(task: TaskResult) -> bool:
    accuracies = [accuracy for rows in task.by_level.values() if (accuracy := rows.accuracy)]
    return bool(accuracies) and max(accuracy.low for accuracy in accuracies) > min(accuracy.high for accuracy in accuracies)
