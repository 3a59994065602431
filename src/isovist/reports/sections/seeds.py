"""One model in several runs with different seeds: mean and standard error over the runs, as DORI prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from isovist.analysis.collect import RunResults, TaskResult
from isovist.reports.tables import as_csv, as_markdown


@dataclass(frozen=True, slots=True)
class SeedRow:
    """One task, or one of its levels, of one model; `level` is empty for all levels together."""

    model: str
    task: str
    level: str
    seeds: tuple[int, ...]
    accuracies: tuple[float, ...]
    """In the order of the seeds."""

    @property
    def mean(self) -> float:
        return fmean(self.accuracies)

    @property
    def error(self) -> float:
        """The standard error of the mean: the standard deviation over the seeds, by the root of their number."""
        return stdev(self.accuracies) / len(self.accuracies) ** 0.5


def build_rows(runs: Sequence[RunResults]) -> list[SeedRow]:
    """Models that were asked a task in several runs, each with one seed of its own and a verdict on every item."""
    all_lines: list[SeedRow] = []
    for model, style in dict.fromkeys((run.info.model, run.info.style) for run in runs):
        of_model = [run for run in runs if (run.info.model, run.info.style) == (model, style)]
        for task in dict.fromkeys(result.task for run in of_model for result in run.tasks):
            results = [result for run in of_model for result in run.tasks if result.task == task]
            by_seed = {next(iter(result.seeds)): result for result in results if len(result.seeds) == 1 and result.accuracy}
            if len(by_seed) > 1 and len(by_seed) == len(results):
                all_lines += _of(model, task, dict(sorted(by_seed.items())))
    return all_lines


def _of(model: str, task: str, by_seed: dict[int, TaskResult]) -> list[SeedRow]:
    results = list(by_seed.values())
    lines = [SeedRow(model, task, "", tuple(by_seed), tuple(result.accuracy.estimate for result in results if result.accuracy))]
    levels = [level for level in results[0].named if all(level in result.named for result in results)]
    if len(levels) > 1:
        for level in levels:
            shares = tuple(accuracy.estimate for result in results if (accuracy := result.named[level].accuracy))
            lines.append(SeedRow(model, task, level, tuple(by_seed), shares))
    return lines


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without several seeds of one model."""
    rows = [
        (line.task, line.level or "all", line.model, ", ".join(map(str, line.seeds)), f"{100 * line.mean:.1f}", f"{100 * line.error:.1f}")
        for line in build_rows(runs)
    ]
    return as_markdown(("task", "level", "model", "seeds", "mean %", "standard error"), rows) if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a model, task and level, numbers as shares of 1."""
    rows = [[line.model, line.task, line.level, " ".join(map(str, line.seeds)), line.mean, line.error] for line in build_rows(runs)]
    return as_csv(["model", "task", "level", "seeds", "mean", "standard_error"], rows)
