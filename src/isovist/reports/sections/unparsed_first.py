"""What a report says first of a run of which many replies could not be read: how many, what to do, and the accuracy of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.unparsed_responses import Unreadable, both
from isovist.core.answers import Outcome

_NAMED = 4  # tasks that the sentence lists


def lead(run: RunResults) -> str:
    """Of the whole run, or of the tasks where they are many; empty where nearly all could be read."""
    whole = _unreadable(run.tasks)
    if whole.many:
        return _sentences(run, run.tasks, "")
    tasks = [task for task in run.tasks if task.unreadable.many]
    return _sentences(run, tasks, f"In {_names(tasks)} ") if tasks else ""


def of_task(run: RunResults, task: TaskResult) -> str:
    """The same of one task."""
    return _sentences(run, [task], "") if task.unreadable.many else ""


def _sentences(run: RunResults, tasks: Sequence[TaskResult], where: str) -> str:
    unreadable = _unreadable(tasks)
    first = f"{where}{unreadable.words}: {unreadable.remedy(run.info)}."
    if any(task.is_adaptive or task.faults for task in tasks):
        return first
    return f"{first} {both((item.outcome, item.value, item.chance, item.group) for task in tasks for item in task.evidence).words}"


def _unreadable(tasks: Sequence[TaskResult]) -> Unreadable:
    every: Counter[Outcome] = Counter()
    for task in tasks:
        every.update(task.outcome_counts)
    return Unreadable.of(every)


def _names(tasks: Sequence[TaskResult]) -> str:
    names = [task.task.partition("/")[2] for task in tasks[:_NAMED]]
    more = f" and {len(tasks) - _NAMED} other tasks" if len(tasks) > _NAMED else ""
    return (", ".join(names) + more) if more else " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
