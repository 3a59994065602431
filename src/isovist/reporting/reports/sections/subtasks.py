"""Subtasks of relative compass reasoning: accuracy of each, and its accuracy where the subtask before is correct."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.subtask_analysis import MASTERY_LEVEL, SubtaskResult, subtask_results
from isovist.reporting.reports.figures import dot_plot
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import ACCURACY, CHANCE, RUN, TASK, Column, N, Table, ci_text
from isovist.suites.cdr.subtasks import SUBTASKS

MIN_SUBTASKS = 3
"""A run with fewer subtasks has no such table."""
CAPTION = (
    "The subtasks use the same images. A subtask and its prerequisite are about the same letters, item by item; accuracy if correct is the "
    "accuracy on items with a correct prerequisite. A finding reports a subtask as failed if its chance-corrected accuracy is significantly "
    "below 50, while that of all subtasks before it is significantly above 50."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [Column("subtask", "Subtask"), RUN, TASK, N, ACCURACY, CHANCE, Column("prerequisite", "Prerequisite")]
    columns += [Column("n_prerequisite_correct", "n correct", "count"), Column("accuracy_if_correct", "If correct", "interval")]
    rows = [
        (
            *(result.subtask.name, run, result.subtask.task, result.n, result.accuracy, result.chance, result.prerequisite or None),
            *(result.n_prerequisite_correct if result.prerequisite else None, result.accuracy_if_correct),
        )
        for run, result in _results(runs)
    ]
    return [
        Section(
            "Subtasks of compass reasoning",
            Table(columns, rows),
            CAPTION,
            takeaways.counts(
                runs,
                ((run, result.chance_corrected.high < MASTERY_LEVEL) for run, result in _results(runs)),
                "subtask",
                "significantly below a chance-corrected accuracy of 50",
                "95% CIs, not adjusted",
            ),
            file="subtasks.csv",
            caption="Chance-corrected accuracy (0 = chance, 100 = perfect); bars are 95% CIs. Hollow markers: the 95% CI includes 0.",
            figures=(("subtasks",),) if rows else (),
        )
    ]


def _results(runs: Sequence[RunResults]) -> list[tuple[str, SubtaskResult]]:
    """The subtasks of each run in order, without tasks that are not interpretable."""
    by_run = {run.name: subtask_results({task.task: task.scored for task in run.tasks if task.is_interpretable}) for run in runs}
    return [(name, result) for name, results in by_run.items() if len(results) >= MIN_SUBTASKS for result in results]


def figure(runs: Sequence[RunResults]) -> str:
    """A row for each subtask; empty without any."""
    places = {run.name: place for place, run in enumerate(runs)}
    dots: dict[str, list[dot_plot.Dot]] = {subtask.name: [] for subtask in SUBTASKS}
    for run, result in _results(runs):
        tooltip = f"{run}: {result.subtask.name}, accuracy {ci_text(result.accuracy)} %, n = {result.n}"
        dots[result.subtask.name].append(dot_plot.Dot(places[run], result.chance_corrected, tooltip))
    labels = {subtask.name: f"{place}. {subtask.success_phrase}" for place, subtask in enumerate(SUBTASKS, 1)}
    rows = tuple(dot_plot.DotRow(labels[name], tuple(row)) for name, row in dots.items() if row)
    return dot_plot.figure([dot_plot.Block("The model ...", rows)], len(runs), "Chance-corrected accuracy by subtask with 95% CIs")
