"""The results of runs by task. This module sends no requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from isovist.data.reference import DESCRIPTIONS, STANDARD, reference, suites
from isovist.evaluation.run.captions import read as captions
from isovist.evaluation.run.records import Totals, totals
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.difficulty_regression import FactorEffect, factor_effects
from isovist.reporting.analysis.factor_curves import FactorCurve, factor_curves
from isovist.reporting.analysis.findings import Finding, significant_findings
from isovist.reporting.analysis.overall_performance import OverallPerformance
from isovist.reporting.analysis.runs import Run, load_runs
from isovist.reporting.analysis.task_result import TaskResult


@dataclass(frozen=True)
class RunResults:
    """One run with the results of its tasks."""

    run: Run
    tasks: tuple[TaskResult, ...]
    totals: Totals
    """Over all requests for its items, with request errors, variants and captions."""

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def info(self) -> RunMetadata:
        return self.run.info

    @property
    def caveats(self) -> list[str]:
        return self.run.caveats

    @property
    def n(self) -> int:
        return sum(task.n for task in self.tasks)

    @property
    def n_unscored(self) -> int:
        return sum(task.n_unscored for task in self.tasks)

    @cached_property
    def overall(self) -> OverallPerformance:
        return OverallPerformance(self.tasks)

    @cached_property
    def findings(self) -> list[Finding]:
        """The significant findings, by number of items affected."""
        return significant_findings({task.task: task.scored for task in self.tasks}, DETECTORS)

    @cached_property
    def factor_effects(self) -> list[FactorEffect]:
        """The effects of the difficulty factors of each interpretable task."""
        return factor_effects({task.task: task.scored for task in self.tasks if task.is_interpretable})

    @cached_property
    def factor_curves(self) -> list[FactorCurve]:
        """The accuracy by value of each numeric difficulty factor of each interpretable task."""
        return [curve for task in self.tasks if task.is_interpretable for curve in factor_curves(task.task, task.scored)]


def load_results(folders: Sequence[Path], verifier: Verifier | None = None) -> list[RunResults]:
    """The results of some runs by task. Raises as `load_runs` does."""
    return [run_results(run) for run in load_runs(folders, verifier)]


def run_results(run: Run) -> RunResults:
    tasks = run.rows.by("task")
    condition = DESCRIPTIONS if run.info.image_mode == "caption-first" else STANDARD
    results = [
        TaskResult(run.name, task, tasks[task], run.info.is_human_run, run.info.adaptive is not None, condition)
        for task in sorted(tasks, key=order)
    ]
    usage = (part.usage for part in run.parts)
    described = (totals(captions(part.folder.captions)) for part in run.parts)
    return RunResults(run, tuple(results), sum(chain(usage, described), Totals()))


def order(task: str) -> tuple[str, int, str]:
    """The sort key of tasks: suite, place in the published table, name."""
    suite = task.partition("/")[0]
    listed = [row for table in reference(suite).tables for row in table.rows] if suite in suites() else []
    return suite, next((place for place, row in enumerate(listed) if row.covers(task)), len(listed)), task


def every_task(runs: Sequence[RunResults]) -> Iterator[tuple[str, list[TaskResult | None]]]:
    """Each task with its result in each run."""
    names = sorted({result.task for run in runs for result in run.tasks}, key=order)
    for name in names:
        yield name, [next((result for result in run.tasks if result.task == name), None) for run in runs]
