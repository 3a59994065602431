"""Conditional accuracy: questions that depend on the answer to another question (CoSpace).

They are the parts of one joint answer, or two tasks whose items of one place are about the same scene (`Task.reported.prerequisite`), in
the standard condition and with shuffled images.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from isovist.core.answers import Answer, JointAnswer
from isovist.core.canonical_json import PUBLISHED
from isovist.data.reference import SHUFFLED
from isovist.evaluation.run.variants import STANDARD
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows
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
_CONDITIONS = {STANDARD: "", "order:shuffled": SHUFFLED}
"""By family of variants."""
_Row = tuple[object, ...]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """The parts of joint answers, each after the first part; then pairs of tasks. Only tasks with a reported accuracy."""
    columns = [
        TASK,
        RUN,
        Column("condition", "Condition"),
        Column("question", "Question"),
        N,
        ACCURACY,
        Column("prerequisite", "Prerequisite"),
    ]
    columns.append(Column("n_prerequisite_correct", "n correct", "count"))
    columns += [Column(f"accuracy_if_{name}", f"If {name}", "interval") for name in ("correct", "incorrect")]
    rows: list[_Row] = []
    for run in runs:
        for task in (task for task in run.tasks if task.accuracy):
            for family, condition in _CONDITIONS.items():
                if scored := _scored(task, family):
                    start = (task.task, task.run, condition or None)
                    rows += ((*start, *row) for row in (*_joint_answer(scored), *_task_pair(run, task.task, family, scored)))
    if not any(row[2] for row in rows):
        columns[2] = Column("condition", "")
    pairs = [(str(row[1]), row[-2], row[-1]) for row in rows]
    takeaway = takeaways.counts(
        runs,
        ((run, yes.low > no.high) for run, yes, no in pairs if isinstance(yes, ConfidenceInterval) and isinstance(no, ConfidenceInterval)),
        "question",
        "more accurate if the prerequisite is correct",
        "the two 95% CIs do not overlap",
    )
    return [Section("Conditional accuracy", Table(columns, rows), CAPTION, takeaway, file="conditional_accuracy.csv")]


def _scored(task: TaskResult, family: str) -> Rows | None:
    """The scored trials of a family of variants, one for each item; None if the run has none, or not of all items."""
    if family == STANDARD:
        return task.rows.scored
    trials = task.trials.by("variant_family").get(family)
    return trials if trials is not None and not trials.n_unscored and len(trials) == len(task.rows) else None


def _joint_answer(scored: Rows) -> Iterator[_Row]:
    keys = scored.keys
    names = [tuple(name for name, _ in key.parts) for key in keys if isinstance(key, JointAnswer)]
    if len(names) < len(keys) or len(set(names)) != 1:
        return  # no joint answers, or different ones
    part_credits = [_part_credits(key, parsed) for key, parsed in zip(keys, scored.values("parsed_answer"), strict=True)]
    first, *others = names[0]
    yield first, len(keys), clustered_mean([parts[0] for parts in part_credits], scored.clusters), None, None, None, None
    for place, name in enumerate(others, 1):
        trials = [(parts[0], parts[place], cluster) for parts, cluster in zip(part_credits, scored.clusters, strict=True)]
        yield _dependent(name, first, trials)


def _part_credits(key: Answer, parsed_answer: str | None) -> list[float]:
    """1 for each correct part of a joint answer; all 0 for an unparsed response."""
    parts = key.parts if isinstance(key, JointAnswer) else ()
    if parsed_answer is None:
        return [0.0] * len(parts)
    answers = json.loads(parsed_answer)
    return [float(part.score(str(answers.get(name) or "")).credit == 1) for name, part in parts]


def _task_pair(run: RunResults, task: str, family: str, scored: Rows) -> Iterator[_Row]:
    """The row of a task with a prerequisite task in the run: items of one cluster and place are about the same scene."""
    prerequisite = next((other for other in run.tasks if other.task == _prerequisite(task) and other.accuracy), None)
    before = _scored(prerequisite, family) if prerequisite else None
    if prerequisite is None or before is None:
        return
    credits_by_scene = dict(zip(before.scenes, before.credits, strict=True))
    trials = [
        (float(credits_by_scene[scene] == 1), credit, scene[0])
        for scene, credit in zip(scored.scenes, scored.credits, strict=True)
        if scene in credits_by_scene
    ]
    if trials:
        yield _dependent(task, prerequisite.task, trials)


def _prerequisite(task: str) -> str:
    """The prerequisite of a task, also for imported items of its suite; empty without one."""
    suite, _, name = task.partition("/")
    registered = registry.find(f"{suite.removesuffix(PUBLISHED)}/{name}")
    return f"{suite}/{registered.reported.prerequisite.partition('/')[2]}" if registered and registered.reported.prerequisite else ""


def _dependent(question: str, prerequisite: str, trials: Sequence[tuple[float, float, int]]) -> _Row:
    """`trials`: for each item whether the prerequisite is correct, the credit of the question, and the cluster."""

    def accuracy(*outcomes: float) -> ConfidenceInterval | None:
        chosen = [(value, cluster) for correct, value, cluster in trials if correct in outcomes]
        return clustered_mean([value for value, _ in chosen], [cluster for _, cluster in chosen]) if chosen else None

    n_correct = sum(correct == 1 for correct, *_ in trials)
    return question, len(trials), accuracy(0.0, 1.0), prerequisite, n_correct, accuracy(1.0), accuracy(0.0)
