"""Conditional accuracy: questions that depend on the answer to another question (CoSpace).

They are the parts of one joint answer, or two tasks whose items of one place are about the same scene (`Task.reported.prerequisite`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from isovist.core.answers import Answer, JointAnswer
from isovist.core.canonical_json import PUBLISHED
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import ACCURACY, RUN, TASK, Column, N, Table
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites import registry

CAPTION = (
    "An unparsed joint response is incorrect in all its parts. Accuracy if correct: the accuracy on items with a correct prerequisite "
    "(CoSpace: conditional accuracy). Accuracy if incorrect: the accuracy on the other items."
)
_Row = tuple[object, ...]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """The parts of joint answers, each after the first part; then pairs of tasks. Only tasks with a reported accuracy."""
    columns = [TASK, RUN, Column("question", "Question"), N, ACCURACY, Column("prerequisite", "Prerequisite")]
    columns.append(Column("n_prerequisite_correct", "n correct", "count"))
    columns += [Column(f"accuracy_if_{name}", f"If {name}", "interval") for name in ("correct", "incorrect")]
    rows = [row for run in runs for task in run.tasks if task.accuracy for row in (*_joint_answer(task), *_task_pair(run, task))]
    pairs = [(str(row[1]), row[-2], row[-1]) for row in rows]
    takeaway = takeaways.counts(
        runs,
        ((run, yes.low > no.high) for run, yes, no in pairs if isinstance(yes, ConfidenceInterval) and isinstance(no, ConfidenceInterval)),
        "question",
        "more accurate if the prerequisite is correct",
        "the two 95% CIs do not overlap",
    )
    return [Section("Conditional accuracy", Table(columns, rows), CAPTION, takeaway, file="conditional_accuracy.csv")]


def _joint_answer(task: TaskResult) -> Iterator[_Row]:
    scored = task.rows.scored
    keys = scored.keys
    names = [tuple(name for name, _ in key.parts) for key in keys if isinstance(key, JointAnswer)]
    if len(names) < len(keys) or len(set(names)) != 1:
        return  # no joint answers, or different ones
    part_credits = [_part_credits(key, parsed) for key, parsed in zip(keys, scored.values("parsed_answer"), strict=True)]
    first, *others = names[0]
    yield task.task, task.run, first, task.n, clustered_mean([parts[0] for parts in part_credits], scored.clusters), None, None, None, None
    for place, name in enumerate(others, 1):
        trials = [(parts[0], parts[place], cluster) for parts, cluster in zip(part_credits, scored.clusters, strict=True)]
        yield _dependent(task, name, first, trials)


def _part_credits(key: Answer, parsed_answer: str | None) -> list[float]:
    """1 for each correct part of a joint answer; all 0 for an unparsed response."""
    parts = key.parts if isinstance(key, JointAnswer) else ()
    if parsed_answer is None:
        return [0.0] * len(parts)
    answers = json.loads(parsed_answer)
    return [float(part.score(str(answers.get(name) or "")).credit == 1) for name, part in parts]


def _task_pair(run: RunResults, task: TaskResult) -> Iterator[_Row]:
    """The row of a task with a prerequisite task in the run: items of one cluster and place are about the same scene."""
    prerequisite = next((other for other in run.tasks if other.task == _prerequisite(task.task) and other.accuracy), None)
    if prerequisite is None:
        return
    credits_by_scene = dict(zip(prerequisite.scored.scenes, prerequisite.scored.credits, strict=True))
    trials = [
        (float(credits_by_scene[scene] == 1), credit, scene[0])
        for scene, credit in zip(task.scored.scenes, task.scored.credits, strict=True)
        if scene in credits_by_scene
    ]
    if trials:
        yield _dependent(task, task.task, prerequisite.task, trials)


def _prerequisite(task: str) -> str:
    """The prerequisite of a task, also for imported items of its suite; empty without one."""
    suite, _, name = task.partition("/")
    registered = registry.find(f"{suite.removesuffix(PUBLISHED)}/{name}")
    return f"{suite}/{registered.reported.prerequisite.partition('/')[2]}" if registered and registered.reported.prerequisite else ""


def _dependent(task: TaskResult, question: str, prerequisite: str, trials: Sequence[tuple[float, float, int]]) -> _Row:
    """`trials`: for each item whether the prerequisite is correct, the credit of the question, and the cluster."""

    def accuracy(*outcomes: float) -> ConfidenceInterval | None:
        chosen = [(value, cluster) for correct, value, cluster in trials if correct in outcomes]
        return clustered_mean([value for value, _ in chosen], [cluster for _, cluster in chosen]) if chosen else None

    n_correct = sum(correct == 1 for correct, *_ in trials)
    return task.task, task.run, question, len(trials), accuracy(0.0, 1.0), prerequisite, n_correct, accuracy(1.0), accuracy(0.0)
