"""How a model does by what its items show, and which errors the options that it chose stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.level_results import AccuracyTally
from isovist.reports.tables import as_csv, shares
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval

FEWEST = 5
"""Items of a value with fewer are left out of the page; the CSV file has all."""


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """The items of one task with one value of one facet, in one run."""

    run: str
    task: str
    facet: str
    value: str
    tally: AccuracyTally


@dataclass(frozen=True, slots=True)
class Chosen:
    """How often wrong options of one kind were there, and chosen."""

    run: str
    task: str
    error: str
    offered: int
    chosen: int
    share: ConfidenceInterval
    """Of all wrong choices of the task in this run; items of one group count together."""


def build_rows(runs: Sequence[RunResults], fewest: int = FEWEST) -> list[AttributeRow]:
    """Facets by name, values by number where they begin with one, else by name; facets with one value are no facets."""
    all_lines: list[AttributeRow] = []
    for run in runs:
        for task in run.tasks:
            names = sorted({name for name, _ in task.facets})
            for name in names:
                values = sorted((value for facet, value in task.facets if facet == name), key=order)
                if len(values) > 1:
                    tallies = [(value, task.facets[name, value]) for value in values]
                    all_lines += [
                        AttributeRow(run.name, task.task, name, value, tally) for value, tally in tallies if len(tally.values) >= fewest
                    ]
    return all_lines


def order(value: str) -> tuple[float, str]:
    """Values by the number with which they begin, then by name."""
    number = value.split("-", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    return (float(number) if number.replace(".", "", 1).isdecimal() else float("inf"), value)


def chosen(runs: Sequence[RunResults]) -> list[Chosen]:
    """The errors of tasks whose options have names, the most frequent first; none of a task without a wrong choice."""
    choices: list[Chosen] = []
    for run in runs:
        for task in (task for task in run.tasks if task.distractor_choices):
            made = Counter(error for error, _ in task.distractor_choices)
            groups = [group for _, group in task.distractor_choices]
            for error, offered in sorted(task.distractor_offers.items(), key=lambda offer: (-made[offer[0]], offer[0])):
                these = [float(other == error) for other, _ in task.distractor_choices]
                choices.append(Chosen(run.name, task.task, error, offered, made[error], clustered_mean(these, groups)))
    return choices


def facets_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task, facet and value, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs, fewest=0):
        tally = line.tally
        cells = [len(tally.values), *shares(tally.accuracy), tally.chance, tally.missing]
        rows.append([line.run, line.task, line.facet, line.value, *cells])
    return as_csv(["run", "task", "facet", "value", "n", "accuracy", "low", "high", "chance", "missing"], rows)


def errors_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and error."""
    rows = [[choice.run, choice.task, choice.error, choice.offered, choice.chosen, *shares(choice.share)] for choice in chosen(runs)]
    return as_csv(["run", "task", "error", "offered", "chosen", "share_of_wrong_choices", "low", "high"], rows)
