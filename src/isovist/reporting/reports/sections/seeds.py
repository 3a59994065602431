"""Variation across seeds: mean and standard error over the seeds of the items of a run, and over the decoding seeds of several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import TASK, Column, Table

ITEMS, DECODING = "items", "decoding"
CAPTION = (
    "Mean of the accuracies for each seed; the standard error is their standard deviation divided by the square root of their "
    "number. Seeds of items: different items. Seeds of decoding: the same items, in runs with different --sampling-seed; this standard "
    "error does not include the choice of the items. Three seeds give an imprecise standard deviation; the intervals of the other "
    "sections use every item."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [
        TASK,
        Column("model", "Model"),
        Column("level"),
        Column("", "Level"),
        Column("seeds_of", "Seeds of"),
        Column("seeds", "Seeds"),
    ]
    columns += [Column("mean", "Mean", "percent"), Column("standard_error", "Standard error", "percent")]
    rows = [*_item_seeds(runs), *_decoding_seeds(runs)]
    takeaways: list[str] = []
    for kind in (ITEMS, DECODING):
        errors = [(float(str(error)), str(task)) for task, _, level, _, seeds_of, *_, error in rows if seeds_of == kind and not level]
        if errors:
            largest, task = max(errors)
            takeaways.append(f"Largest standard error across seeds of {kind}: {100 * largest:.1f} percentage points ({task}).")
    return [Section("Variation across seeds", Table(columns, rows), CAPTION, " ".join(takeaways), file="seeds.csv")]


def _item_seeds(runs: Sequence[RunResults]) -> Iterator[tuple[object, ...]]:
    """Tasks of a run with several seeds of items."""
    for run in runs:
        for task in run.tasks:
            if task.accuracy:
                by_seed = {seed: [rows] for seed, rows in sorted(task.rows.by("seed").items())}
                yield from _rows(task.task, run.name, ITEMS, by_seed, list(task.by_level))


def _decoding_seeds(runs: Sequence[RunResults]) -> Iterator[tuple[object, ...]]:
    """Tasks of runs that differ in the sampling seed alone. Runs with the same sampling seed count as one."""
    groups: list[list[tuple[int, RunResults]]] = []
    for run in runs:
        if (seed := run.info.options.seed) is not None:
            group = next((group for group in groups if run.run.differs_in_decoding_seed(group[0][1].run)), None)
            if group is None:
                groups.append(group := [])
            group.append((seed, run))
    groups = [group for group in groups if len({seed for seed, _ in group}) > 1]
    models = Counter(group[0][1].info.model for group in groups)
    for group in groups:
        first = group[0][1]
        is_unique = models[first.info.model] == 1  # otherwise the groups differ in another setting
        name = first.info.model if is_unique else ", ".join(run.name for _, run in group)
        for place, task in enumerate(first.tasks):
            if all(run.tasks[place].accuracy for _, run in group):
                by_seed = {
                    seed: [run.tasks[place].rows for other, run in group if other == seed] for seed in sorted({seed for seed, _ in group})
                }
                yield from _rows(task.task, name, DECODING, by_seed, list(task.by_level))


def _rows(task: str, model: str, seeds_of: str, by_seed: dict[int, list[Rows]], levels: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """One row for all levels together, with an empty level, and one for each of several levels with scored items of all seeds."""
    for level in ("", *(levels if len(levels) > 1 else ())) if len(by_seed) > 1 else ():
        of_seeds = [[rows.having("level", level) if level else rows for rows in each] for each in by_seed.values()]
        accuracies = [[rows.accuracy.estimate for rows in each if rows.accuracy] for each in of_seeds]
        if all(accuracies):
            shares = [fmean(each) for each in accuracies]
            seeds = " ".join(map(str, by_seed))
            yield task, model, level, level or "all", seeds_of, seeds, fmean(shares), stdev(shares) / len(shares) ** 0.5
