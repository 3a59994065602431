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
class ErrorTypeRow:
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


def build_rows(runs: Sequence[RunResults]) -> list[ErrorTypeRow]:
    """The errors of tasks whose options have names, the most frequent first; none of a task without a wrong choice."""
    return [line for run in runs for task in run.tasks for line in _lines(task)]


def _lines(task: TaskResult, without: Sequence[str] = ()) -> list[ErrorTypeRow]:
    """`without`: errors whose options, and those who chose them, are left out."""
    offered: Counter[str] = Counter()
    trials: dict[str, list[tuple[bool, float, str]]] = {}
    for item in task.evidence:
        named = _named(item)
        gone = set[int]().union(*(named.pop(name, set[int]()) for name in without))
        left = len(item.distractor_types) - 1 - len(gone)
        for name, places in named.items():
            ways = places - gone
            offered[name] += len(ways)
            if ways and item.chosen is not None and item.chosen not in gone and item.parsed != item.key.canonical():
                trials.setdefault(name, []).append((item.chosen in ways, len(ways) / left, item.group))
    if not trials:
        return []
    lines = [_line(task, name, count, trials.get(name, []), len(offered)) for name, count in offered.items()]
    return sorted(lines, key=lambda line: (-line.chosen, line.error))


def _line(task: TaskResult, name: str, offered: int, trials: Sequence[tuple[bool, float, str]], errors: int) -> ErrorTypeRow:
    seen, groups = [float(is_chosen) for is_chosen, _, _ in trials], [group for *_, group in trials]
    share = clustered_mean(seen, groups) if trials else wilson(0, 0)
    least = clustered_mean(seen, groups, 1 - 0.05 / errors).low if trials else 0.0
    expected = sum(chance for _, chance, _ in trials) / len(trials) if trials else float("nan")
    return ErrorTypeRow(task.run, task.task, name, offered, len(trials), int(sum(seen)), share, least, expected)


def _named(item: ScoredItem) -> dict[str, set[int]]:
    """The places of the wrong options that stand for each error."""
    places: dict[str, set[int]] = {}
    for place, error in enumerate(item.distractor_types):
        for name in split_types(error) if LETTERS[place] != item.key.canonical() else ():
            places.setdefault(name, set()).add(place)
    return places


def significant_error_types(runs: Sequence[RunResults]) -> list[ErrorTypeRow]:
    """Errors that are made more often than expected, beyond noise: of each task the one that is so by the most choices, then the
    same again among the options and choices that it leaves.
    """
    return [line for run in runs for task in run.tasks for line in _standing_out(task)]


def _standing_out(task: TaskResult) -> list[ErrorTypeRow]:
    lines: list[ErrorTypeRow] = []
    while over := [line for line in _lines(task, [other.error for other in lines]) if line.wrong and line.least > line.expected]:
        lines.append(max(over, key=lambda line: line.chosen - line.wrong * line.expected))
    return lines


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Those that stand out; empty where none does."""
    head = ("task", "model", "wrong option", "wrong choices with it", "chosen", "share %", "95 % interval", "expected %")
    rows = [
        (line.task, line.run, line.error, str(line.wrong), str(line.chosen), *percents(line.share), f"{100 * line.expected:.1f}")
        for line in significant_error_types(runs)
    ]
    return as_markdown(head, rows) if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and error, shares of 1."""
    rows = [
        [
            line.run,
            line.task,
            line.error,
            line.offered,
            line.wrong,
            line.chosen,
            *(shares(line.share) if line.wrong else ("", "", "")),
            line.expected if line.wrong else "",
            int(line.share.too_few_clusters) if line.wrong else "",
        ]
        for line in build_rows(runs)
    ]
    return as_csv(
        ["run", "task", "error", "offered", "wrong_choices_with_it", "chosen", "share", "low", "high", "expected", "few_groups"], rows
    )
