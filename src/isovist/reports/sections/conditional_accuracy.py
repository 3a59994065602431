"""Questions that build on each other: how often each is right, and how often the second where the first is.

They are the parts of one joint answer, or two tasks with one place in the design asking about the same thing (`Task.given`).
CoSpace calls the latter number conditional accuracy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from isovist import registry
from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.scored_item import ScoredItem
from isovist.core.answers import JointAnswer
from isovist.core.canonical_json import PUBLISHED
from isovist.reports.tables import as_csv, as_markdown, percents, shares
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval


@dataclass(frozen=True, slots=True)
class ConditionalAccuracyRow:
    """One question, alone or after another one."""

    run: str
    task: str
    part: str
    """The name of a part of a joint answer, or the task of the question."""
    n: int
    accuracy: ConfidenceInterval
    given: str = ""
    """The part or task that it builds on."""
    of: int = 0
    """Items on which that one is right."""
    conditional: ConfidenceInterval | None = None
    """The accuracy on those; None if there is none."""
    accuracy_if_wrong: ConfidenceInterval | None = None
    """The accuracy on the others; None if there is none."""


def build_rows(runs: Sequence[RunResults]) -> list[ConditionalAccuracyRow]:
    """Joint answers part by part, each after the first given that one; then pairs of tasks. Only with all verdicts."""
    return [line for run in runs for task in run.tasks if task.accuracy for line in (*_joint(task), *_pair(run, task))]


def _joint(task: TaskResult) -> list[ConditionalAccuracyRow]:
    keys = [item.key for item in task.evidence]
    names = [tuple(name for name, _ in key.parts) for key in keys if isinstance(key, JointAnswer)]
    if len(names) < len(keys) or len(set(names)) != 1:
        return []  # no joint answers, or not the same
    right = [_right(item) for item in task.evidence]
    first, *others = names[0]
    lines = [ConditionalAccuracyRow(task.run, task.task, first, task.n, clustered_mean([scores[0] for scores in right], task.grouped))]
    for place, name in enumerate(others, 1):
        lines.append(
            _given(task, name, first, [(scores[0], scores[place], group) for scores, group in zip(right, task.grouped, strict=True)])
        )
    return lines


def _right(item: ScoredItem) -> list[float]:
    """1 for each part of a joint answer that is right; all 0 if it was not read."""
    if not isinstance(item.key, JointAnswer) or item.parsed is None:
        return [0.0] * len(item.key.parts if isinstance(item.key, JointAnswer) else ())
    answers = json.loads(item.parsed)
    return [float(part.score(str(answers.get(name) or "")).value == 1) for name, part in item.key.parts]


def _pair(run: RunResults, task: TaskResult) -> list[ConditionalAccuracyRow]:
    """The line of a task that builds on another one of the run: items of one group and place are about the same thing."""
    before = next((other for other in run.tasks if other.task == _before(task.task) and other.accuracy), None)
    if before is None:
        return []
    known = {(group, item.index): value for item, value, group in zip(before.evidence, before.values, before.grouped, strict=True)}
    both = [
        (float(known[group, item.index] == 1), value, group)
        for item, value, group in zip(task.evidence, task.values, task.grouped, strict=True)
        if (group, item.index) in known
    ]
    return [_given(task, task.task, before.task, both)] if both else []


def _before(task: str) -> str:
    """The task that one builds on, also for published items of its suite; empty without one."""
    suite, _, name = task.partition("/")
    known = registry.tasks().get(f"{suite.removesuffix(PUBLISHED)}/{name}")
    return f"{suite}/{known.prerequisite.partition('/')[2]}" if known and known.prerequisite else ""


def _given(task: TaskResult, part: str, given: str, both: Sequence[tuple[float, float, str]]) -> ConditionalAccuracyRow:
    """`both`: for each item whether the first is right, the credit of the second, and its group."""

    def accuracy(first: float) -> ConfidenceInterval | None:
        chosen = [(value, group) for right, value, group in both if right == first]
        return clustered_mean([value for value, _ in chosen], [group for _, group in chosen]) if chosen else None

    whole = clustered_mean([value for _, value, _ in both], [group for *_, group in both])
    count = sum(right == 1 for right, *_ in both)
    return ConditionalAccuracyRow(task.run, task.task, part, len(both), whole, given, count, accuracy(1.0), accuracy(0.0))


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without questions that build on each other."""
    head = ("task", "model", "question", "n", "accuracy %", "95 % interval", "given", "of", "right where that is right %")
    rows: list[tuple[str, ...]] = []
    for line in build_rows(runs):
        start = (line.task, line.run, line.part, str(line.n), *percents(line.accuracy))
        rows.append(
            (*start, line.given or "-", str(line.of) if line.given else "-", *_told(line.conditional), *_told(line.accuracy_if_wrong))
        )
    return as_markdown((*head, "95 % interval", "where it is wrong %", "95 % interval"), rows) if rows else ""


def _told(interval: ConfidenceInterval | None) -> tuple[str, str]:
    return percents(interval) if interval else ("-", "-")


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and question, numbers as shares of 1."""
    head = ["run", "task", "question", "n", "accuracy", "low", "high", "given", "of", "conditional", "conditional_low", "conditional_high"]
    rows = [
        [
            line.run,
            line.task,
            line.part,
            line.n,
            *shares(line.accuracy),
            line.given,
            line.of,
            *shares(line.conditional),
            *shares(line.accuracy_if_wrong),
        ]
        for line in build_rows(runs)
    ]
    return as_csv([*head, "otherwise", "otherwise_low", "otherwise_high"], rows)
