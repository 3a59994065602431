"""Variation across seeds: mean and standard error over runs of one model with different seeds (as in DORI)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from isovist.analysis.collect import RunResults, TaskResult
from isovist.reports.section import Section
from isovist.reports.table import TASK, Column, Table

CAPTION = (
    "Mean of the accuracies of runs with different seeds; the standard error is their standard deviation divided by the square root of their "
    "number. Three seeds give an imprecise standard deviation; the intervals of the other sections use every item."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, Column("model", "Model"), Column("level"), Column("", "Level"), Column("seeds", "Seeds")]
    columns += [Column("mean", "Mean", "percent"), Column("standard_error", "Standard error", "percent")]
    return [Section("Variation across seeds", Table(columns, list(_rows(runs))), CAPTION, file="seeds.csv")]


def _rows(runs: Sequence[RunResults]) -> Iterator[tuple[object, ...]]:
    """Models with several runs of a task, each with another seed and all items scored; the level is empty for all levels together."""
    for model, style in dict.fromkeys((run.info.model, run.info.style) for run in runs):
        of_model = [run for run in runs if (run.info.model, run.info.style) == (model, style)]
        for task in dict.fromkeys(result.task for run in of_model for result in run.tasks):
            results = [result for run in of_model for result in run.tasks if result.task == task]
            by_seed = {next(iter(result.seeds)): result for result in results if len(result.seeds) == 1 and result.accuracy}
            if len(by_seed) > 1 and len(by_seed) == len(results):
                yield from _of_task(model, task, dict(sorted(by_seed.items())))


def _of_task(model: str, task: str, by_seed: dict[int, TaskResult]) -> Iterator[tuple[object, ...]]:
    results = list(by_seed.values())
    levels = [level for level in results[0].by_level if all(level in result.by_level for result in results)]
    for level in ("", *(levels if len(levels) > 1 else ())):
        accuracies = [(result.by_level[level] if level else result).accuracy for result in results]
        shares = [accuracy.estimate for accuracy in accuracies if accuracy]
        yield task, model, level, level or "all", " ".join(map(str, by_seed)), fmean(shares), stdev(shares) / len(shares) ** 0.5
