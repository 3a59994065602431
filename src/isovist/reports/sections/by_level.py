"""How a model does at each level of the tasks whose levels have names, beside the paper's figures for that level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist import registry
from isovist.analysis.collect import RunResults
from isovist.analysis.level_results import AccuracyTally
from isovist.reference import published
from isovist.reports.tables import as_csv, as_markdown, percents, shares


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One level of one task in one run."""

    run: str
    task: str
    level: str
    tally: AccuracyTally

    @property
    def published(self) -> str:
        """The paper's figures, in words."""
        return "; ".join(f"{model} {value:g}" for model, value in published(self.task, self.level).items())


def build_rows(runs: Sequence[RunResults]) -> list[LevelRow]:
    """All levels of tasks that were asked at several, in the order in which the task names them."""
    all_lines: list[LevelRow] = []
    for run in runs:
        for task in run.tasks:
            known = registry.tasks().get(task.task)
            order = known.levels if known else tuple(task.named)
            if len(task.named) > 1:
                all_lines += [LevelRow(run.name, task.task, level, task.named[level]) for level in order if level in task.named]
    return all_lines


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a task that was asked at several levels."""
    rows: list[tuple[str, ...]] = []
    for line in build_rows(runs):
        by_paper = line.tally.accuracy_as_published
        scored = f"{100 * by_paper.estimate:.1f}" if by_paper else "-"
        chance = f"{100 * line.tally.chance:.1f}"
        cells = (str(len(line.tally.values)), *percents(line.tally.accuracy), chance, scored)
        rows.append((line.task, line.run, line.level, *cells, line.published or "-"))
    head = ("task", "model", "level", "n", "accuracy %", "95 % interval", "chance %", "paper's scorer %", "published %")
    return as_markdown(head, rows) if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and level, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        tally, by_paper = line.tally, line.tally.accuracy_as_published
        scored = by_paper.estimate if by_paper else ""
        rows.append([line.run, line.task, line.level, len(tally.values), *shares(tally.accuracy), tally.chance, scored, tally.missing])
    head = ["run", "task", "level", "n", "accuracy", "low", "high", "chance", "accuracy_by_published_scorer", "missing"]
    return as_csv(head, rows)
