"""Variation across seeds: mean and standard error over the items of each seed of a run (as in DORI)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.level_results import AccuracyTally
from isovist.reporting.analysis.scored_item import ItemTrials
from isovist.reporting.analysis.task_result import TaskResult
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
            groups: dict[int, list[ItemTrials]] = {}
            for trials in task.trials:
                groups.setdefault(trials.item.seed, []).append(trials)
            if len(groups) > 1 and task.accuracy:
                yield from _of_task(run.info.model, task, dict(sorted(groups.items())))


def _of_task(model: str, task: TaskResult, by_seed: Mapping[int, Sequence[ItemTrials]]) -> Iterator[tuple[object, ...]]:
    levels = [level for level in task.by_level if all(any(_is_at(trials, level) for trials in group) for group in by_seed.values())]
    for level in ("", *(levels if len(levels) > 1 else ())):
        tallies = [AccuracyTally([trials for trials in group if _is_at(trials, level)]) for group in by_seed.values()]
        shares = [tally.accuracy.estimate for tally in tallies if tally.accuracy]
        yield task.task, model, level, level or "all", " ".join(map(str, by_seed)), fmean(shares), stdev(shares) / len(shares) ** 0.5


def _is_at(trials: ItemTrials, level: str) -> bool:
    return level in ("", trials.item.level)
