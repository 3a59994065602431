"""Which letters were chosen, and whether for where they stand: one line for each number of options of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.response_bias import in_one_order
from isovist.core.answers import Choice
from isovist.reports.tables import as_csv
from isovist.stats.position_bias import PositionBias, position_bias


@dataclass(frozen=True, slots=True)
class PositionBiasRow:
    """The choices of a run in the items of a task that have so many options."""

    run: str
    task: str
    options: int
    bias: PositionBias
    ordered: bool
    """Whether options stand in one order in all items: then a letter is an answer and no place, and is not tested."""


def build_rows(runs: Sequence[RunResults]) -> list[PositionBiasRow]:
    """Of every task with choices of which any was read."""
    return [line for run in runs for task in run.tasks for line in _of(task)]


def _of(task: TaskResult) -> list[PositionBiasRow]:
    lines: list[PositionBiasRow] = []
    for options in _options(task):
        items = [item for item in task.evidence if isinstance(item.key, Choice) and len(item.key.options) == options]
        read = [item for item in items if item.chosen is not None]
        if bias := position_bias([str(item.parsed) for item in read], [item.key.canonical() for item in items], options):
            lines.append(PositionBiasRow(task.run, task.task, options, bias, in_one_order(read)))
    return lines


def _options(task: TaskResult) -> list[int]:
    """How many there are to choose among."""
    return sorted({len(item.key.options) for item in task.evidence if isinstance(item.key, Choice)})


def drawn(task: TaskResult) -> PositionBiasRow | None:
    """The line of a task that has one number of options; None for others, and where no choice was read."""
    return next(iter(_of(task)), None) if len(_options(task)) == 1 else None


def caption(line: PositionBiasRow) -> str:
    """What stands below the figure of letters."""
    if line.ordered:
        return "Letters chosen (bars) and right (lines). The options stand in one order in every item: a letter is an answer here, and no place."
    p = "< 0.001" if line.bias.p_value < 0.001 else f"= {line.bias.p_value:.3f}"
    return f"Letters chosen (bars) and right (lines). Preference for a position: Cramer's V = {line.bias.cramers_v:.2f}, chi-square p {p}."


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task, number of options and letter; nothing is tested where options stand in one order."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        n = sum(line.bias.chosen.values())
        test = ("", "", "") if line.ordered else (line.bias.cramers_v**2 * n * (line.options - 1), line.bias.cramers_v, line.bias.p_value)
        rows += [
            [line.run, line.task, line.options, n, letter, chosen, line.bias.key_counts[letter], *test]
            for letter, chosen in line.bias.chosen.items()
        ]
    return as_csv(["run", "task", "options", "n", "letter", "chosen", "right", "chi_square", "cramers_v", "p"], rows)
