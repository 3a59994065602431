"""Relative compass reasoning step by step: how each run does at each step, and where the step before is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.subtask_analysis import SubtaskResult, subtask_results
from isovist.reports.figures import dot_plot
from isovist.reports.tables import as_csv, as_markdown, percents, shares
from isovist.suites.cdr.subtasks import SUBTASKS

FEWEST = 3
"""Steps that a run has to be asked to have this table."""


@dataclass(frozen=True, slots=True)
class SubtaskRow:
    run: str
    stage: SubtaskResult


def build_rows(runs: Sequence[RunResults]) -> list[SubtaskRow]:
    """Each step that a run was asked, in order; tasks that cannot be judged are left out."""
    all_lines: list[SubtaskRow] = []
    for run in runs:
        stages = subtask_results({task.task: task.evidence for task in run.tasks if task.judged})
        if len(stages) >= FEWEST:
            all_lines += [SubtaskRow(run.name, stage) for stage in stages]
    return all_lines


def figure(runs: Sequence[RunResults]) -> str:
    """A row a step, from the first one; empty without any."""
    places = {run.name: place for place, run in enumerate(runs)}
    rows: dict[str, list[dot_plot.Dot]] = {step.name: [] for step in SUBTASKS}
    for line in build_rows(runs):
        above, accuracy = line.stage.above_chance, line.stage.accuracy
        words = f"{line.run}: {line.stage.step.success_phrase}, {100 * accuracy.estimate:.1f} % right ({100 * accuracy.low:.1f} to {100 * accuracy.high:.1f})"
        rows[line.stage.step.name].append(dot_plot.Dot(places[line.run], above, f"{words}, n = {line.stage.n}"))
    labels = {step.name: f"{place}. {step.success_phrase}" for place, step in enumerate(SUBTASKS, 1)}
    drawn = tuple(dot_plot.DotRow(labels[name], tuple(dots)) for name, dots in rows.items() if dots)
    return dot_plot.figure([dot_plot.Block("It ...", drawn)], len(runs), "How far above guessing each step is, with 95 % intervals")


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a run that was asked several steps."""
    head = ("step", "it ...", "model", "n", "accuracy %", "95 % interval", "chance %", "given", "of", "right where that is right %")
    rows = [
        (
            line.stage.step.name,
            line.stage.step.success_phrase,
            line.run,
            str(line.stage.n),
            *percents(line.stage.accuracy),
            f"{100 * line.stage.chance:.1f}",
            line.stage.given or "-",
            str(line.stage.prerequisite_correct_n) if line.stage.given else "-",
            *(percents(line.stage.conditional) if line.stage.conditional else ("-", "-")),
        )
        for line in build_rows(runs)
    ]
    return as_markdown((*head, "95 % interval"), rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run and step, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        stage = line.stage
        cells = [line.run, stage.step.name, stage.step.task, stage.n, *shares(stage.accuracy), stage.chance]
        rows.append([*cells, stage.given, stage.prerequisite_correct_n if stage.given else "", *shares(stage.conditional)])
    head = ["run", "step", "task", "n", "accuracy", "low", "high", "chance", "given", "of", "conditional"]
    return as_csv([*head, "conditional_low", "conditional_high"], rows)


CAPTION = (
    "The steps are asked on the same pictures. Where a step has another one given, both are about the same letters, item by item, and "
    '"then right" is its accuracy where that one is right. A step is lost on the first screen if it is, beyond noise, less than half of '
    "the way from chance to all right, while all steps before it are further."
)
