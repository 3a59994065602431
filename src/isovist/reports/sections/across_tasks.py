"""How a model does over the tasks of a suite by what their items show, and over all tasks by the number of options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isovist.analysis.collect import OPTIONS, RunResults, TaskResult
from isovist.analysis.level_results import AccuracyTally
from isovist.reports.sections.attributes import FEWEST, order
from isovist.reports.tables import as_csv, as_markdown, percents, shares
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval

EVERY_SUITE = "all"
MANY = 16
"""A facet with more values than these is folded away on the page."""


@dataclass(frozen=True, slots=True)
class AcrossTasksRow:
    """The items with one value of one facet in all tasks of a suite, in one run."""

    run: str
    suite: str
    facet: str
    value: str
    tallies: tuple[AccuracyTally, ...]
    """One a task."""
    many: bool
    """Whether the facet has many values."""

    @property
    def n(self) -> int:
        return sum(len(tally.values) for tally in self.tallies)

    @property
    def missing(self) -> int:
        """Items without a verdict."""
        return sum(tally.missing for tally in self.tallies)

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """The mean of the tasks' accuracies, each task with the same weight; None while one of them is withheld."""
        if not all(tally.accuracy for tally in self.tallies):
            return None
        return mean_of_tasks([(tally.values, tally.groups) for tally in self.tallies])

    @property
    def chance(self) -> float:
        """The mean of the tasks' chances."""
        return sum(tally.chance for tally in self.tallies) / len(self.tallies)


def build_rows(runs: Sequence[RunResults], fewest: int = FEWEST) -> list[AcrossTasksRow]:
    """Facets that several tasks of a suite have, with several values in all; the number of options over all suites last."""
    return [line for run in runs for line in _of(run) if line.n + line.missing >= fewest]


def _of(run: RunResults) -> Iterator[AcrossTasksRow]:
    suites = list(dict.fromkeys(task.task.partition("/")[0] for task in run.tasks))
    for suite in suites:
        tasks = [task for task in run.tasks if task.task.startswith(f"{suite}/")]
        for facet in sorted({name for task in tasks for name, _ in task.facets}):
            yield from _by(run, suite, facet, tasks)
        yield from _by_level(run, suite, tasks)
    if len(suites) > 1:
        yield from _by(run, EVERY_SUITE, OPTIONS, run.tasks)


def _by_level(run: RunResults, suite: str, tasks: Sequence[TaskResult]) -> Iterator[AcrossTasksRow]:
    """Levels that have names, if all tasks have the same: their means are what papers print as averages."""
    levels = {tuple(sorted(task.named)) for task in tasks}
    if len(tasks) > 1 and len(levels) == 1 and len(*levels) > 1:
        for level in tasks[0].named:
            yield AcrossTasksRow(run.name, suite, "level", level, tuple(task.named[level] for task in tasks), many=False)


def _by(run: RunResults, suite: str, facet: str, tasks: Sequence[TaskResult]) -> Iterator[AcrossTasksRow]:
    tallies: dict[str, list[AccuracyTally]] = {}
    for task in tasks:
        for (name, value), tally in task.facets.items():
            if name == facet:
                tallies.setdefault(value, []).append(tally)
    several = sum(any(name == facet for name, _ in task.facets) for task in tasks) > 1
    if several and len(tallies) > 1:
        for value in sorted(tallies, key=order):
            yield AcrossTasksRow(run.name, suite, facet, value, tuple(tallies[value]), len(tallies) > MANY)


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a facet that several tasks have."""
    rows = [
        (
            line.suite,
            line.run,
            line.facet,
            line.value,
            str(len(line.tallies)),
            str(line.n),
            *percents(line.accuracy),
            f"{100 * line.chance:.1f}",
        )
        for line in build_rows(runs)
        if not line.many
    ]
    head = ("suite", "model", "facet", "value", "tasks", "n", "mean accuracy %", "95 % interval", "chance %")
    return as_markdown(head, rows) + "\n" + ACROSS_NOTE + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, suite, facet and value, numbers as shares of 1; the suite "all" stands for all tasks of the run."""
    rows = [
        [line.run, line.suite, line.facet, line.value, len(line.tallies), line.n, *shares(line.accuracy), line.chance, line.missing]
        for line in build_rows(runs, fewest=0)
    ]
    return as_csv(["run", "suite", "facet", "value", "tasks", "n", "accuracy", "low", "high", "chance", "missing"], rows)


ACROSS_NOTE = (
    "Mean accuracy is the mean over the tasks that have such items, each with the same weight; its interval is made of theirs, tasks that "
    "show the same pictures taken together. "
    "Tasks differ in more than a facet tells: more options, say, come with other tasks and levels."
)
