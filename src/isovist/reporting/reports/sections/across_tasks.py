"""Accuracy by item attribute over the tasks of a suite, and by number of options over all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.task_result import OPTIONS, TaskResult
from isovist.reporting.analysis.text_format import reported
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.attributes import MIN_ITEMS, number_first
from isovist.reporting.reports.table import ACCURACY, CHANCE, N_UNSCORED, RUN, Column, N, Table
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval

EVERY_SUITE = "all"
MANY = 16
"""An attribute with more values is closed on the page."""
CAPTION = (
    "Accuracy is the mean over the tasks with such items, each task with the same weight; tasks that show the same images are treated as "
    "one cluster. Tasks differ in more than one attribute: more options, for example, occur in other tasks and levels."
)


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """The items with one value of one attribute in all tasks of a suite, in one run."""

    run: str
    suite: str
    attribute: str
    value: str
    tasks: tuple[Rows, ...]
    """One for each task."""
    has_many_values: bool = False

    @property
    def n(self) -> int:
        return sum(rows.n for rows in self.tasks)

    @property
    def n_unscored(self) -> int:
        return sum(rows.n_unscored for rows in self.tasks)

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """The mean of the tasks' accuracies; None if one of them is not reported."""
        if not all(rows.accuracy for rows in self.tasks):
            return None
        return mean_of_tasks([(rows.credits, rows.clusters) for rows in self.tasks])

    @property
    def row(self) -> tuple[object, ...]:
        chance = sum(rows.chance for rows in self.tasks) / len(self.tasks)
        start = (self.suite, self.run, self.attribute, self.value, len(self.tasks), self.n)
        return (*start, reported(self.accuracy, self.n_unscored), chance, self.n_unscored)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    values = [value for run in runs for value in _values(run)]
    shown = [value for value in values if value.n + value.n_unscored >= MIN_ITEMS]
    many = [value for value in shown if value.has_many_values]
    names = ", ".join(dict.fromkeys(value.attribute for value in many))
    return [
        Section(
            "Accuracy by attribute across tasks",
            _table([value for value in shown if not value.has_many_values]),
            CAPTION,
            folded=((f"Attributes with many values: {names}", _table(many)),) if many else (),
            files={"across_tasks.csv": _table(values)},
        )
    ]


def _table(values: Sequence[AttributeValue]) -> Table:
    columns = [Column("suite", "Suite"), RUN, Column("attribute", "Attribute"), Column("value", "Value"), Column("tasks", "Tasks", "count")]
    return Table([*columns, N, ACCURACY, CHANCE, N_UNSCORED], [value.row for value in values])


def _values(run: RunResults) -> Iterator[AttributeValue]:
    """Attributes that several tasks of a suite have; the number of options over all suites last."""
    suites = list(dict.fromkeys(task.task.partition("/")[0] for task in run.tasks))
    for suite in suites:
        tasks = [task for task in run.tasks if task.task.startswith(f"{suite}/")]
        for attribute in sorted({name for task in tasks for name, _ in task.attributes}):
            yield from _by_attribute(run, suite, attribute, tasks)
        # named levels, if all tasks have the same: papers report their means
        levels = {tuple(sorted(task.by_level)) for task in tasks}
        if len(tasks) > 1 and len(levels) == 1 and len(*levels) > 1:
            for level in tasks[0].by_level:
                yield AttributeValue(run.name, suite, "level", level, tuple(task.by_level[level] for task in tasks))
    if len(suites) > 1:
        yield from _by_attribute(run, EVERY_SUITE, OPTIONS, run.tasks)


def _by_attribute(run: RunResults, suite: str, attribute: str, tasks: Sequence[TaskResult]) -> Iterator[AttributeValue]:
    by_value: dict[str, list[Rows]] = {}
    for task in tasks:
        for (name, value), rows in task.attributes.items():
            if name == attribute:
                by_value.setdefault(value, []).append(rows)
    in_several_tasks = sum(any(name == attribute for name, _ in task.attributes) for task in tasks) > 1
    if in_several_tasks and len(by_value) > 1:
        for value in sorted(by_value, key=number_first):
            yield AttributeValue(run.name, suite, attribute, value, tuple(by_value[value]), len(by_value) > MANY)
