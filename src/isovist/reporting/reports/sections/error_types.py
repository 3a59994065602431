"""Error types: how often errors are of each type that the options offer, against a uniform choice among the distractors.

A distractor may have several types (the left-right mirrored direction can be the opposite one as well). It counts for each of them,
so the proportions of a task can add up to more than 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.systematic_errors import distractors_by_type
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import FEW_MARK, FEW_NOTE, RUN, TASK, Column, Table
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval

CAPTION = (
    "Proportions are of the errors at items with such a distractor. Expected: by a uniform choice among distractors. A distractor with several "
    "types counts for each. The first table has, for each task, the type with the largest excess over the expected number, then the types that "
    "remain significant without its options and the responses that chose them. Items that share an image are treated as one cluster. "
    f"{FEW_MARK}: {FEW_NOTE}."
)


@dataclass(frozen=True, slots=True)
class ErrorTypeRow:
    """One distractor type in one task of one run."""

    run: str
    task: str
    error_type: str
    n_offered: int
    """Distractors of the type, in all items."""
    n_errors: int
    """Errors at items with such a distractor."""
    n_chosen: int
    proportion: ConfidenceInterval | None
    """Of these errors; None without any."""
    lower_bound: float
    """The lower end of the interval with Bonferroni's correction for the types of the task."""
    expected: float

    @property
    def is_significant(self) -> bool:
        return self.n_errors > 0 and self.lower_bound > self.expected

    @property
    def cells(self) -> tuple[object, ...]:
        start = (self.task, self.run, self.error_type, self.n_offered, self.n_errors, self.n_chosen, self.proportion)
        return (*start, *((self.expected, self.proportion.too_few_clusters) if self.proportion else (None, None)))


def sections(runs: Sequence[RunResults]) -> list[Section]:
    tasks = [task for run in runs for task in run.tasks]
    rows = {(task.run, task.task): (build_rows(task), significant_rows(task)) for task in tasks}
    every = Table(_COLUMNS, [row.cells for built, _ in rows.values() for row in built])
    significant = Table(_COLUMNS, [row.cells for _, excess in rows.values() for row in excess])
    return [
        Section(
            "Error types",
            significant,
            CAPTION,
            takeaways.counts(
                runs,
                ((run, bool(excess)) for (run, _), (built, excess) in rows.items() if built),
                "task",
                "an error type that is significantly more frequent than by a uniform choice among distractors",
                "tasks with errors, 95% tests, adjusted within each task",
                verb="have",
            ),
            folded=(("All error types", every),) if every.rows else (),
            files={"error_types.csv": every},
        )
    ]


_COLUMNS = (
    *(TASK, RUN, Column("error_type", "Error type"), Column("n_offered", "Offered", "count")),
    *(Column("n_errors_with_type_offered", "Errors with type offered", "count"), Column("n_chosen", "Chosen", "count")),
    *(Column("proportion", "Proportion", "interval"), Column("expected_proportion", "Expected", "percent"), Column("too_few_clusters")),
)


def build_rows(task: TaskResult, without: Sequence[str] = ()) -> list[ErrorTypeRow]:
    """The types of a task, the most frequent first; none without an error. `without`: types whose options and choices are excluded."""
    offered: Counter[str] = Counter()
    trials: dict[str, list[tuple[bool, float, int]]] = {}
    columns = (task.scored.column(name).tolist() for name in ("key_place", "chosen_place", "cluster"))
    for types, key, chosen, cluster in zip(task.scored.values("distractor_types"), *columns, strict=True):
        options = distractors_by_type(types or (), key)
        excluded = set[int]().union(*(options.pop(name, set[int]()) for name in without))
        for name, places in options.items():
            of_type = places - excluded
            offered[name] += len(of_type)
            if of_type and not isnan(chosen) and chosen not in excluded and chosen != key:
                trials.setdefault(name, []).append((chosen in of_type, len(of_type) / (len(types) - 1 - len(excluded)), cluster))
    if not trials:
        return []
    rows = [_row(task, name, count, trials.get(name, []), len(offered)) for name, count in offered.items()]
    return sorted(rows, key=lambda row: (-row.n_chosen, row.error_type))


def _row(task: TaskResult, name: str, n_offered: int, trials: Sequence[tuple[bool, float, int]], n_types: int) -> ErrorTypeRow:
    if not trials:
        return ErrorTypeRow(task.run, task.task, name, n_offered, 0, 0, None, 0.0, 0.0)
    is_chosen, clusters = [float(is_type) for is_type, _, _ in trials], [cluster for *_, cluster in trials]
    expected = sum(chance for _, chance, _ in trials) / len(trials)
    lower_bound = clustered_mean(is_chosen, clusters, 1 - 0.05 / n_types).low
    counts = (n_offered, len(trials), int(sum(is_chosen)))
    return ErrorTypeRow(task.run, task.task, name, *counts, clustered_mean(is_chosen, clusters), lower_bound, expected)


def significant_rows(task: TaskResult) -> list[ErrorTypeRow]:
    """The significant type with the largest excess, then the same among the options and errors that remain."""
    rows: list[ErrorTypeRow] = []
    while significant := [row for row in build_rows(task, [other.error_type for other in rows]) if row.is_significant]:
        rows.append(max(significant, key=lambda row: row.n_chosen - row.n_errors * row.expected))
    return rows
