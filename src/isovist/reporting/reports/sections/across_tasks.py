"""Accuracy by item attribute over the tasks of a suite, and by number of options over all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows, mean_accuracy
from isovist.reporting.analysis.task_result import OPTIONS, TaskResult
from isovist.reporting.analysis.text_format import reported
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.attributes import MIN_ITEMS, number_first
from isovist.reporting.reports.table import ACCURACY, CHANCE, N_UNSCORED, RUN, Column, N, Table

EVERY_SUITE = "all"
MANY = 16
"""An attribute with more values is closed on the page."""
CAPTION = (
    "Accuracy is the mean over the tasks with such items, each task with the same weight; tasks that show the same images are treated as "
    "one cluster. Tasks differ in more than one attribute: more options, for example, occur in other tasks and levels."
)


@dataclass(frozen=True, slots=True)
class _Line:
    """The items with one value of one attribute in all tasks of a suite, in one run."""

    attribute: str
    n_items: int
    has_many_values: bool
    row: tuple[object, ...]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    lines = [line for run in runs for line in _lines(run)]
    shown = [line for line in lines if line.n_items >= MIN_ITEMS]
    many = [line for line in shown if line.has_many_values]
    names = ", ".join(dict.fromkeys(line.attribute for line in many))
    return [
        Section(
            "Accuracy by attribute across tasks",
            _table([line for line in shown if not line.has_many_values]),
            CAPTION,
            folded=((f"Attributes with many values: {names}", _table(many)),) if many else (),
            files={"across_tasks.csv": _table(lines)},
        )
    ]


def _table(lines: Sequence[_Line]) -> Table:
    columns = [Column("suite", "Suite"), RUN, Column("attribute", "Attribute"), Column("value", "Value"), Column("tasks", "Tasks", "count")]
    return Table([*columns, N, ACCURACY, CHANCE, N_UNSCORED], [line.row for line in lines])


def _lines(run: RunResults) -> Iterator[_Line]:
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
                yield _line(run.name, suite, "level", level, [task.by_level[level] for task in tasks])
    if len(suites) > 1:
        yield from _by_attribute(run, EVERY_SUITE, OPTIONS, run.tasks)


def _by_attribute(run: RunResults, suite: str, attribute: str, tasks: Sequence[TaskResult]) -> Iterator[_Line]:
    by_value: dict[str, list[Rows]] = {}
    for task in tasks:
        for (name, value), rows in task.attributes.items():
            if name == attribute:
                by_value.setdefault(value, []).append(rows)
    in_several_tasks = sum(any(name == attribute for name, _ in task.attributes) for task in tasks) > 1
    if in_several_tasks and len(by_value) > 1:
        for value in sorted(by_value, key=number_first):
            yield _line(run.name, suite, attribute, value, by_value[value], has_many_values=len(by_value) > MANY)


def _line(run: str, suite: str, attribute: str, value: str, tasks: Sequence[Rows], *, has_many_values: bool = False) -> _Line:
    """`tasks`: the items of each task. The accuracy is the mean of the tasks' accuracies, and is missing if one of them is not reported."""
    n, n_unscored = sum(rows.n for rows in tasks), sum(rows.n_unscored for rows in tasks)
    accuracy = mean_accuracy(tasks) if all(rows.accuracy for rows in tasks) else None
    start = (suite, run, attribute, value, len(tasks), n, reported(accuracy, n_unscored))
    return _Line(attribute, n + n_unscored, has_many_values, (*start, fmean(rows.chance for rows in tasks), n_unscored))
