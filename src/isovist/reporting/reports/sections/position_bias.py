"""Position bias: how often each option label was chosen, for each number of options of a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.response_bias import in_one_order
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, TASK, Column, Table, p_sentence
from isovist.stats.position_bias import PositionBias, position_bias


@dataclass(frozen=True, slots=True)
class PositionBiasRow:
    """The choices among so many options in one task of a run."""

    run: str
    task: str
    n_options: int
    bias: PositionBias
    is_ordered: bool
    """Whether the options have one order in all items: then a label is an answer and not tested as a position."""

    @property
    def caption(self) -> str:
        counts = "Bars: labels chosen. Lines: labels of the key."
        if self.is_ordered:
            return f"{counts} The options have the same order in all items, so position bias is not tested."
        return f"{counts} Position bias: Cramér's V = {self.bias.cramers_v:.2f} (chi-square test, {p_sentence(self.bias.p_value)})."


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """The figures are in the sections of the tasks."""
    columns = [RUN, TASK, *map(Column, ("n_options", "n", "option_label", "n_chosen", "n_key", "chi_square", "cramers_v", "p"))]
    rows: list[tuple[object, ...]] = []
    for row in (row for run in runs for task in run.tasks for row in build_rows(task)):
        n, bias = sum(row.bias.chosen.values()), row.bias
        test = (None, None, None) if row.is_ordered else (bias.cramers_v**2 * n * (row.n_options - 1), bias.cramers_v, bias.p_value)
        rows += [
            (row.run, row.task, row.n_options, n, label, chosen, bias.key_counts[label], *test) for label, chosen in bias.chosen.items()
        ]
    return [Section("Position bias", files={"position_bias.csv": Table(columns, rows)})]


def build_rows(task: TaskResult) -> Iterator[PositionBiasRow]:
    """One row for each number of options; none without a parsed choice."""
    for n_options, rows in sorted(task.scored.by("n_options").items()):
        if bias := position_bias(rows.choices.texts("parsed_answer"), rows.texts("key"), n_options):
            yield PositionBiasRow(task.run, task.task, n_options, bias, in_one_order(rows.choices))


def single_row(task: TaskResult) -> PositionBiasRow | None:
    """The row of a task whose items have the same number of options; None for others."""
    return next(build_rows(task), None) if len(task.scored.by("n_options")) == 1 else None
