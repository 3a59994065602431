"""Variation across seeds: mean and standard error over the items of each seed of a run (as in DORI)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import TASK, Column, Table

CAPTION = (
    "Mean of the accuracies for each seed; the standard error is their standard deviation divided by the square root of their "
    "number. Three seeds give an imprecise standard deviation; the intervals of the other sections use every item."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, Column("model", "Model"), Column("level"), Column("", "Level"), Column("seeds", "Seeds")]
    columns += [Column("mean", "Mean", "percent"), Column("standard_error", "Standard error", "percent")]
    rows = list(_rows(runs))
    largest = max(((float(str(error)), str(task)) for task, _, level, *_, error in rows if not level), default=None)
    takeaway = f"Largest standard error across seeds: {100 * largest[0]:.1f} percentage points ({largest[1]})." if largest else ""
    return [Section("Variation across seeds", Table(columns, rows), CAPTION, takeaway, file="seeds.csv")]


def _rows(runs: Sequence[RunResults]) -> Iterator[tuple[object, ...]]:
    """Tasks with several seeds and all items scored; the level is empty for all levels together."""
    for run in runs:
        for task in run.tasks:
            by_seed = dict(sorted(task.rows.by("seed").items()))
            levels = [level for level, rows in task.by_level.items() if len(rows.by("seed")) == len(by_seed)]
            for level in ("", *(levels if len(levels) > 1 else ())) if len(by_seed) > 1 and task.accuracy else ():
                of_seeds = [rows.having("level", level) if level else rows for rows in by_seed.values()]
                shares = [rows.accuracy.estimate for rows in of_seeds if rows.accuracy]
                seeds = " ".join(map(str, by_seed))
                yield task.task, run.info.model, level, level or "all", seeds, fmean(shares), stdev(shares) / len(shares) ** 0.5
