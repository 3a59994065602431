"""Several models on the same tasks and items: what a report, a leaderboard and a comparison print, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isovist.reporting.analysis.overall_performance import Overall, overall, simultaneous
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import MAX_NAMES, pluralize
from isovist.stats.chance_correction import effects_of_missing
from isovist.stats.paired_differences import Difference, paired_difference

Tasks = Mapping[str, Rows]
"""The items of one run in the standard condition by task, with `TaskResult.counted` chance levels."""


@dataclass(frozen=True, slots=True)
class Standings:
    """Runs on the same tasks and items, by their places."""

    tasks: tuple[str, ...]
    """Those that more than half of the runs have. Empty if no run has all of these: then each is shown on its tasks, without an order."""
    runs: tuple[Tasks, ...]
    """The items that all runs with these tasks have; of another run, those of its tasks."""
    no_rank: Mapping[int, str]
    """Why a run has no rank: it lacks tasks, or its missing items could change the order."""
    order: tuple[int, ...]
    """All runs: first those with a rank, the highest chance-corrected accuracy first."""

    @property
    def ranked(self) -> tuple[int, ...]:
        return self.order[: len(self.order) - len(self.no_rank)]

    def n(self, run: int) -> tuple[int, int]:
        """The number of its items with a score, and of all."""
        tasks = self.runs[run]
        rows = [tasks[task] for task in self.tasks or tasks if task in tasks]
        return sum(each.n for each in rows), sum(map(len, rows))

    def overall(self, run: int, tasks: Sequence[str] | None = None) -> Overall | None:
        """Of some tasks, by default `tasks`; None if it has no score in one of them."""
        return _overall(self.runs[run], tasks or self.tasks or tuple(self.runs[run]))


def standings(runs: Sequence[Sequence[TaskResult]]) -> Standings:
    """Of runs by their tasks with their results."""
    by_run = [{task.task: task.counted for task in tasks if task.accuracy} for tasks in runs]
    counts = Counter(task for tasks in by_run for task in tasks)
    usual = [task for task, count in counts.items() if 2 * count > len(runs)]
    complete = [run for run, tasks in enumerate(by_run) if usual and tasks.keys() >= set(usual)]
    same = on_same_items([by_run[run] for run in complete])
    tasks = tuple(task for task in usual if complete and task in same[0])
    if not tasks:
        no_rank = dict.fromkeys(range(len(runs)), "no common items") if len(runs) > 1 else {}
        return Standings((), tuple(by_run), no_rank, tuple(range(len(runs))))
    of_runs = [dict(each) for each in by_run]
    for run, rows in zip(complete, same, strict=True):
        of_runs[run] = {task: rows[task] for task in tasks}
    no_rank = {
        run: f"missing tasks: {_named([task for task in usual if task not in each])}"
        for run, each in enumerate(by_run)
        if run not in complete
    }
    whole = {run: each.chance_corrected for run in complete if (each := _overall(of_runs[run], tasks))}
    ends = {run: _possible(of_runs[run].values(), interval.estimate) for run, interval in whole.items()}
    for run in sorted(ends, key=lambda run: ends[run][0] - ends[run][1]):  # the widest first: it must not take the rank of others
        low, high = ends[run]
        others = (each for other, each in ends.items() if other != run and other not in no_rank)
        if low < high and any(low <= upper and lower <= high for lower, upper in others):
            n_missing = sum(rows.n_unscored for rows in of_runs[run].values())
            no_rank[run] = f"{pluralize(n_missing, 'item')} not scored, which could change its rank"
    order = sorted(range(len(runs)), key=lambda run: (run in no_rank, -whole[run].estimate if run in whole else 2.0))
    return Standings(tasks, tuple(of_runs), no_rank, tuple(order))


def on_same_items(runs: Sequence[Tasks]) -> list[Tasks]:
    """The rows of the items that all runs have, of the tasks in which each run has a score for one of them."""
    ids = [{task: set(rows.texts("item_id")) for task, rows in tasks.items()} for tasks in runs]
    shared = {task: set[str].intersection(*(by_task.get(task, set()) for by_task in ids)) for task in (runs[0] if runs else ())}
    same = [{task: _of_items(tasks[task], shared[task]) for task in shared if shared[task]} for tasks in runs]
    return [{task: rows for task, rows in tasks.items() if all(other[task].n for other in same)} for tasks in same]


def scored_in_all(runs: Sequence[Tasks]) -> list[Rows]:
    """Of runs with the same items, the rows of those that are scored in each run, in one order."""
    together = [Rows.together(list(tasks.values())) for tasks in runs]
    in_all = set[str].intersection(*(set(rows.scored.texts("item_id")) for rows in together))
    ids = [id for id in together[0].texts("item_id") if id in in_all]
    return [rows for each in together if (rows := each.of_items(ids))]


def accuracy_difference(first: Tasks, other: Tasks, claims: int) -> Difference:
    """The difference of the accuracies over the same tasks, on the items that both have a score for, with an interval for one of so many claims."""
    a, b = scored_in_all([first, other])
    weighted = (a.column("credit") - b.column("credit")) * equal_weights(a)
    return paired_difference(weighted.tolist(), a.clusters, simultaneous(claims))


def equal_weights(rows: Rows) -> list[float]:
    """A weight for each scored item with mean 1, with which each task has the same weight; 1 where all have the same number of items."""
    tasks = rows.scored.texts("task")
    counts = Counter(tasks)
    return [len(tasks) / (len(counts) * counts[task]) for task in tasks]


def _named(tasks: Sequence[str]) -> str:
    """The first tasks of many."""
    more = len(tasks) - MAX_NAMES
    return ", ".join(tasks) if more < 2 else f"{', '.join(tasks[:MAX_NAMES])} and {more} more"


def _of_items(rows: Rows, ids: set[str]) -> Rows:
    return rows if len(ids) == len(rows) else rows.where(np.array([id in ids for id in rows.texts("item_id")], bool))


def _overall(tasks: Tasks, names: Sequence[str]) -> Overall | None:
    return overall([tasks[name].scores for name in names]) if names and all(name in tasks for name in names) else None


def _possible(tasks: Iterable[Rows], estimate: float) -> tuple[float, float]:
    """The lowest and highest chance-corrected accuracy that the missing items leave."""
    testable = [scores for rows in tasks if min((scores := rows.scores).chances) < 1]
    down, up = effects_of_missing(testable) if testable else (0.0, 0.0)
    return estimate - down, estimate + up
