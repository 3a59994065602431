"""The result table of a suite's paper as printed, with the runs on top: a model per row, a part of the benchmark per column.

A column of several tasks pools their items. The last column is the mean of the others, weighted by the paper's numbers of questions, for
runs and published models alike. Chance levels are those of the presented items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from isovist.data.reference import Reference, ReferenceRow, Whole, reference, suites
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows, mean_accuracy
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.takeaways import rate
from isovist.reporting.reports.table import Column, OpenInterval, Table
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites import registry

CAPTION = (
    "A column of several tasks pools their items and requires all of these tasks. The last column is the mean of the others, weighted by the "
    "paper's numbers of questions. Chance levels are those of the presented items. The published results are on other items: compare "
    "patterns, not values."
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A run in one column: its accuracy and chance level."""

    accuracy: ConfidenceInterval
    chance: float


@dataclass(frozen=True, slots=True)
class PaperTable:
    """`runs`: for each run a cell per column, None where a task is incomplete. `figures`: the published ones, in per cent."""

    title: str
    arxiv: str
    suite: str
    columns: tuple[str, ...]
    runs: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    figures: tuple[tuple[str, tuple[float | None, ...]], ...]


def pooled(results: Sequence[TaskResult]) -> Cell | None:
    """The items of some tasks together; None if one of them has no accuracy. Items that share an image are one cluster."""
    if not results or any(result.accuracy is None for result in results):
        return None
    accuracy = mean_accuracy([Rows.together([result.rows for result in results])])
    return Cell(accuracy, Rows.together([result.scored for result in results]).chance)


def covered(run: RunResults, pattern: str) -> list[TaskResult]:
    """The tasks of a run that match a column; none unless all registered ones are present."""
    results = [result for result in run.tasks if fnmatchcase(result.task, pattern)]
    required = {task for task in registry.tasks() if fnmatchcase(task, pattern)}
    return results if required <= {result.task for result in results} else []


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """One for each suite with such a table; the first one has the CSV file of all."""
    tables = build_tables(runs)
    of_suites = [
        Section(
            f"Result table of the paper: {table.suite}",
            Table([Column("", "Model"), *(Column("", column, "number") for column in table.columns)], list(_page_rows(table))),
            f"Per cent. Paper: {table.title}, arXiv {table.arxiv}. {CAPTION}",
            _takeaway(table),
        )
        for table in tables
    ]
    columns = [*map(Column, ("suite", "column", "source", "model")), Column("accuracy", kind="interval"), Column("chance")]
    rows = [row for table in tables for row in _rows(table)]
    return [Section("Result tables", files={"paper_table.csv": Table([*columns, Column("too_few_clusters")], rows)}), *of_suites]


def _takeaway(table: PaperTable) -> str:
    """The last column of the runs and of the published models; empty if no run has it."""
    last = [(name, cells[-1]) for name, cells in table.runs]
    published = [figure for _, figures in table.figures if (figure := figures[-1]) is not None]
    runs = ", ".join(f"{rate(cell.accuracy)} ({name})" for name, cell in last if cell)
    return f"{table.columns[-1]}: {runs}; published results {min(published):.1f}% to {max(published):.1f}%." if runs and published else ""


def build_tables(runs: Sequence[RunResults]) -> list[PaperTable]:
    sources = [(source, source.whole) for suite in suites() if (source := reference(suite)).whole]
    tables = (_table(source, whole, runs) for source, whole in sources if whole)
    return [table for table in tables if any(cell for _, cells in table.runs for cell in cells)]


def _table(source: Reference, whole: Whole, runs: Sequence[RunResults]) -> PaperTable:
    printed, guessing = source.table(whole.table), source.table(whole.guessing)
    counts = {row.label: row.values[0] for row in source.table(whole.counts).rows}
    figures = [
        (model, tuple(row.values[i] for row in table.rows)) for table in (printed, guessing) for i, model in enumerate(table.columns)
    ]
    cells = tuple((run.name, tuple(_cells(run, printed.rows, whole, counts))) for run in runs)
    columns = tuple(row.label for row in printed.rows)
    return PaperTable(str(source.paper["title"]), str(source.paper["arxiv"]), source.suite, columns, cells, tuple(figures))


def _cells(run: RunResults, rows: Sequence[ReferenceRow], whole: Whole, counts: dict[str, float | None]) -> Iterator[Cell | None]:
    parts = {row.label: covered(run, row.task) for row in rows if row.label != whole.label}
    for row in rows:
        yield pooled(parts[row.label]) if row.label in parts else _mean(parts, counts)


def _mean(parts: dict[str, list[TaskResult]], counts: dict[str, float | None]) -> Cell | None:
    """The weighted mean of the columns; items that share an image are one cluster, also across columns."""
    cells = [cell for results in parts.values() if (cell := pooled(results))]
    if len(cells) < len(parts):
        return None
    weights = [counts[label] or 0.0 for label in parts]
    chance = sum(cell.chance * weight for cell, weight in zip(cells, weights, strict=True)) / sum(weights)
    columns = [Rows.together([result.rows for result in results]) for results in parts.values()]
    return Cell(mean_accuracy(columns, weights), chance)


def _page_rows(table: PaperTable) -> Iterator[tuple[object, ...]]:
    """Per cent: for each run its accuracies and chance levels, then the published models."""
    for name, cells in table.runs:
        yield name, *(f"{100 * cell.accuracy.estimate:.1f}" if cell else None for cell in cells)
        yield f"{name}: chance level", *(f"{100 * cell.chance:.1f}" if cell else None for cell in cells)
    for model, figures in table.figures:
        yield f"{model} (published)", *(f"{figure:.2f}" if figure is not None else None for figure in figures)


def _rows(table: PaperTable) -> Iterator[tuple[object, ...]]:
    """One row for each run or published model and column, shares of 1."""
    for name, cells in table.runs:
        for column, cell in zip(table.columns, cells, strict=True):
            values = (cell.accuracy, cell.chance, cell.accuracy.too_few_clusters) if cell else (None, None, None)
            yield table.suite, column, "run", name, *values
    for model, figures in table.figures:
        for column, figure in zip(table.columns, figures, strict=True):
            estimate = None if figure is None else OpenInterval(figure / 100)
            yield table.suite, column, "paper", model, estimate, None, None
