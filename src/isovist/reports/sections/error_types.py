"""Error geometry: among the wrong choices that could show an error, how many do, against what the options offered.

An option may stand for several errors (left for right is also the opposite direction there): it counts for each of them, so that
shares of one task can add up to more than all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.scored_item import ScoredItem
from isovist.core.answers import LETTERS
from isovist.reports.tables import FEW_MARK, FEW_WORDS, as_csv, as_markdown, percents, shares
from isovist.scenes.distractor_types import split_types
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval, wilson

GEOMETRY_NOTE = (
    "Of the wrong choices where such an option was there. Expected: of one who chooses among the wrong options alike. An option may "
    "stand for several errors and then counts for each; the first table tells, of each task, the error that is made too often by the most "
    "choices, and then what still is without its options and those who chose them. Intervals take items of one group together. "
    f"{FEW_MARK}: {FEW_WORDS}."
)


@dataclass(frozen=True, slots=True)
class Line:
    """One error in one task of one run."""

    run: str
    task: str
    error: str
    offered: int
    """Wrong options that stand for it, in all items."""
    wrong: int
    """Wrong choices of items that have one."""
    chosen: int
    share: ConfidenceInterval
    """Of those choices."""
    least: float
    """The lower end of an interval that is wider by the number of errors that the task's options offer (Bonferroni)."""
    expected: float


def lines(runs: Sequence[RunResults]) -> list[Line]:
    """The errors of tasks whose options have names, the most frequent first; none of a task without a wrong choice."""
    return [line for run in runs for task in run.tasks for line in _lines(task)]


def _lines(task: TaskResult, without: Sequence[str] = ()) -> list[Line]:
    """`without`: errors whose options, and those who chose them, are left out."""
    offered: Counter[str] = Counter()
    trials: dict[str, list[tuple[bool, float, str]]] = {}
    for it in task.evidence:
        named = _named(it)
        gone = set[int]().union(*(named.pop(name, set[int]()) for name in without))
        left = len(it.distractor_types) - 1 - len(gone)
        for name, places in named.items():
            ways = places - gone
            offered[name] += len(ways)
            if ways and it.chosen is not None and it.chosen not in gone and it.parsed != it.key.canonical():
                trials.setdefault(name, []).append((it.chosen in ways, len(ways) / left, it.group))
    if not trials:
        return []
    found = [_line(task, name, count, trials.get(name, []), len(offered)) for name, count in offered.items()]
    return sorted(found, key=lambda it: (-it.chosen, it.error))


def _line(task: TaskResult, name: str, offered: int, trials: Sequence[tuple[bool, float, str]], errors: int) -> Line:
    seen, groups = [float(it) for it, _, _ in trials], [group for *_, group in trials]
    share = clustered_mean(seen, groups) if trials else wilson(0, 0)
    least = clustered_mean(seen, groups, 1 - 0.05 / errors).low if trials else 0.0
    expected = sum(chance for _, chance, _ in trials) / len(trials) if trials else float("nan")
    return Line(task.run, task.task, name, offered, len(trials), int(sum(seen)), share, least, expected)


def _named(it: ScoredItem) -> dict[str, set[int]]:
    """The places of the wrong options that stand for each error."""
    found: dict[str, set[int]] = {}
    for place, error in enumerate(it.distractor_types):
        for name in split_types(error) if LETTERS[place] != it.key.canonical() else ():
            found.setdefault(name, set()).add(place)
    return found


def significant_error_types(runs: Sequence[RunResults]) -> list[Line]:
    """Errors that are made more often than expected, beyond noise: of each task the one that is so by the most choices, then the
    same again among the options and choices that it leaves.
    """
    return [line for run in runs for task in run.tasks for line in _standing_out(task)]


def _standing_out(task: TaskResult) -> list[Line]:
    found: list[Line] = []
    while over := [it for it in _lines(task, [other.error for other in found]) if it.wrong and it.least > it.expected]:
        found.append(max(over, key=lambda it: it.chosen - it.wrong * it.expected))
    return found


def markdown(runs: Sequence[RunResults]) -> str:
    """Those that stand out; empty where none does."""
    head = ("task", "model", "wrong option", "wrong choices with it", "chosen", "share %", "95 % interval", "expected %")
    rows = [
        (it.task, it.run, it.error, str(it.wrong), str(it.chosen), *percents(it.share), f"{100 * it.expected:.1f}")
        for it in significant_error_types(runs)
    ]
    return as_markdown(head, rows) if rows else ""


def csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and error, shares of 1."""
    rows = [
        [
            it.run,
            it.task,
            it.error,
            it.offered,
            it.wrong,
            it.chosen,
            *(shares(it.share) if it.wrong else ("", "", "")),
            it.expected if it.wrong else "",
            int(it.share.too_few_clusters) if it.wrong else "",
        ]
        for it in lines(runs)
    ]
    return as_csv(
        ["run", "task", "error", "offered", "wrong_choices_with_it", "chosen", "share", "low", "high", "expected", "few_groups"], rows
    )
