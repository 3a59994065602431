"""The result table of a suite's paper as it is printed, a model a row and a part of the benchmark a column, with the runs on top.

A column may be of several tasks: their items count together. The last one is the mean of the others by the numbers of questions that
the paper has, for a run as for the paper's models. What chance is comes from the options of the items that were asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain

from isovist import registry
from isovist.analysis.collect import RunResults, TaskResult
from isovist.reference import Reference, ReferenceRow, Whole, reference, suites
from isovist.reports.tables import as_csv, as_markdown, shares
from isovist.stats.clustered_means import clustered_mean, mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval


@dataclass(frozen=True, slots=True)
class Cell:
    """A run in one column: its accuracy, and what guessing gives with the options of its items."""

    accuracy: ConfidenceInterval
    chance: float


@dataclass(frozen=True, slots=True)
class WholeTable:
    """`runs`: for each run a cell a column, None for what was not asked in full. `figures`: the paper's, in per cent."""

    title: str
    arxiv: str
    suite: str
    columns: tuple[str, ...]
    runs: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    figures: tuple[tuple[str, tuple[float | None, ...]], ...]


def pooled(results: Sequence[TaskResult]) -> Cell | None:
    """The items of some tasks together; None if there are none, or if some have no verdict. Items that share a picture count as one group."""
    if not results or any(result.accuracy is None for result in results):
        return None
    chances = list(chain.from_iterable(result.chances for result in results))
    return Cell(clustered_mean(*_items(results)), sum(chances) / len(chances))


def covered(run: RunResults, pattern: str) -> list[TaskResult]:
    """The tasks of a run that a column is about; none as long as one of those that there are is missing."""
    results = [result for result in run.tasks if fnmatchcase(result.task, pattern)]
    wanted = {task for task in registry.tasks() if fnmatchcase(task, pattern)}
    return results if wanted <= {result.task for result in results} else []


def tables(runs: Sequence[RunResults]) -> list[WholeTable]:
    """One for each suite with such a table of which something was asked."""
    known = [(source, source.whole) for suite in suites() if (source := reference(suite)).whole]
    made = (_table(source, whole, runs) for source, whole in known if whole)
    return [table for table in made if any(cell for _, cells in table.runs for cell in cells)]


def _table(source: Reference, whole: Whole, runs: Sequence[RunResults]) -> WholeTable:
    printed, guessing = source.table(whole.table), source.table(whole.guessing)
    counts = {row.label: row.values[0] for row in source.table(whole.counts).rows}
    figures = [(model, tuple(row.values[i] for row in printed.rows)) for i, model in enumerate(printed.columns)]
    figures += [(name, tuple(row.values[i] for row in guessing.rows)) for i, name in enumerate(guessing.columns)]
    lines = tuple((run.name, tuple(_cells(run, printed.rows, whole, counts))) for run in runs)
    return WholeTable(
        str(source.paper["title"]),
        str(source.paper["arxiv"]),
        source.suite,
        tuple(row.label for row in printed.rows),
        lines,
        tuple(figures),
    )


def _cells(run: RunResults, rows: Sequence[ReferenceRow], whole: Whole, counts: dict[str, float | None]) -> Iterator[Cell | None]:
    parts = {row.label: covered(run, row.task) for row in rows if row.label != whole.label}
    for row in rows:
        yield pooled(parts[row.label]) if row.label in parts else _mean(parts, counts)


def _mean(parts: dict[str, list[TaskResult]], counts: dict[str, float | None]) -> Cell | None:
    """The mean of the columns; items that share a picture count together, also across columns."""
    cells = [cell for results in parts.values() if (cell := pooled(results))]
    if len(cells) < len(parts):
        return None
    weights = [counts[label] or 0.0 for label in parts]
    chance = sum(cell.chance * weight for cell, weight in zip(cells, weights, strict=True)) / sum(weights)
    return Cell(mean_of_tasks([_items(results) for results in parts.values()], weights), chance)


def _items(results: Sequence[TaskResult]) -> tuple[list[float], list[str]]:
    """Credits and groups of the items of some tasks together."""
    return [value for result in results for value in result.values], [group for result in results for group in result.grouped]


def rows(table: WholeTable) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Name, whether it is a run, and a cell a column in per cent: for each run its accuracies and its chances, then the paper's models."""
    for name, cells in table.runs:
        yield name, True, tuple(f"{100 * cell.accuracy.estimate:.1f}" if cell else "-" for cell in cells)
        yield f"chance of the items of {name}", False, tuple(f"{100 * cell.chance:.1f}" if cell else "-" for cell in cells)
    for model, figures in table.figures:
        yield model, False, tuple(f"{figure:.2f}" if figure is not None else "-" for figure in figures)


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty where there is no such table."""
    return "\n".join(
        f"{table.title}, arXiv {table.arxiv}, in per cent.\n\n"
        + as_markdown(("model", *table.columns), [(name, *cells) for name, _, cells in rows(table)])
        + f"\n{CAPTION}\n"
        for table in tables(runs)
    )


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run and column, shares of 1, and one a model of the paper and column."""
    lines: list[list[object]] = []
    for table in tables(runs):
        for name, cells in table.runs:
            for column, cell in zip(table.columns, cells, strict=True):
                numbers: list[object] = [*shares(cell.accuracy), cell.chance, int(cell.accuracy.too_few_clusters)] if cell else [""] * 5
                lines.append([table.suite, column, "run", name, *numbers])
        for model, figures in table.figures:
            for column, figure in zip(table.columns, figures, strict=True):
                lines.append([table.suite, column, "paper", model, "" if figure is None else figure / 100, "", "", "", ""])
    return as_csv(["suite", "column", "from", "model", "accuracy", "low", "high", "chance", "few_groups"], lines)


CAPTION = (
    "A column of several tasks counts their items together, and needs all of these tasks; the last column is the mean of the others by the "
    "paper's numbers of questions, and needs all of them. Chance is that of the items' own options. Their items are not ours: compare "
    "patterns, not points."
)
