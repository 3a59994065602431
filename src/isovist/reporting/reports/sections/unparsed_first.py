"""The first statement about a run with many unparsed responses: their number, the remedy, and the accuracy of the parsed responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from isovist.core.answers import Outcome
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.second_reading import second_readings
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import in_tasks
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses, accuracy_range, by_prompt_style


def unparsed_sentences(run: RunResults) -> str:
    """Of the whole run, or of the tasks with many; empty for few."""
    if _unparsed_responses(run.tasks).many:
        return " ".join((_sentences(run, run.tasks, ""), *(result.sentence for result in second_readings(run.run))))
    tasks = [task for task in run.tasks if task.unparsed_responses.many]
    return _sentences(run, tasks, f" {in_tasks([task.task for task in tasks])}") if tasks else ""


def of_task(run: RunResults, task: TaskResult) -> str:
    """The same of one task."""
    return _sentences(run, [task], "") if task.unparsed_responses.many else ""


def _sentences(run: RunResults, tasks: Sequence[TaskResult], where: str) -> str:
    unparsed = _unparsed_responses(tasks)
    by_variant = run.run.rows.scored.having("task", *(task.task for task in tasks)).by("variant")
    styles = by_prompt_style(run.info, {name: rows.outcomes for name, rows in by_variant.items()})
    first = f"Unparsed responses{where}: {unparsed.counts_text}.{styles} {unparsed.remedy(run.info)}"
    accuracies = [task.counted for task in tasks if task.accuracy]
    return f"{first} {accuracy_range(accuracies).sentence}" if accuracies else first


def _unparsed_responses(tasks: Sequence[TaskResult]) -> UnparsedResponses:
    counts: Counter[Outcome] = Counter()
    for task in tasks:
        counts.update(task.outcome_counts)
    return UnparsedResponses.of(counts)
