"""The constant-answer baseline: the accuracy of the best constant answer, beside the most frequent answer of the model."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.answers.best_constant import best_constant, constants_by_level
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.constant_responses import candidates, constant_answer, modal_answer
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import RUN, TASK, Column, N, Table
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference

_MIN_RATIO = 1.5
"""The modal answer is at least so many times more frequent than it can be correct."""
_MIN_RATE = 0.4
"""The least proportion of responses with the modal answer."""
_TWO_OPTIONS = 0.4
"""The chance level above which the baseline is always reported: with two options, one answer is correct half of the time."""
ONE_PER_LEVEL = "one answer per level"
CAPTION = (
    "Baseline: the accuracy of the best constant answer (a letter or the text of an option), scored at every item. By level: the same with "
    "the best answer of each level. Both are chosen on these items, which favours them if items are few. The table has tasks with two options, "
    "tasks where one answer makes up 40% of the responses and is given 1.5 times as often as any constant answer is correct, and tasks where the "
    "model gives one answer per level; for these, the gain is over the baseline by level."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, RUN, N, Column("best_answer", "Best constant answer"), Column("baseline_accuracy", "Baseline", "percent")]
    columns += [Column("baseline_accuracy_by_level", "By level", "percent"), Column("accuracy", "Accuracy", "percent")]
    columns += [Column("gain", "Gain", "change"), Column("modal_answer", "Most frequent answer")]
    columns.append(Column("modal_answer_rate", "Rate", "interval"))
    tasks = [task for run in runs for task in run.tasks if not task.unparsed_responses.many]
    rows = [row for task in tasks if (row := _row(task))]
    takeaway = takeaways.counts(
        runs,
        ((str(row[1]), cell.low > 0) for row in rows for cell in row if isinstance(cell, Difference)),
        "listed task",
        "significantly above the constant-answer baseline",
        "95% CIs of the gain, not adjusted",
    )
    return [Section("Constant-answer baseline", Table(columns, rows), CAPTION, takeaway, file="constant_baseline.csv")]


def _row(task: TaskResult) -> tuple[object, ...] | None:
    if task.accuracy is None:
        return None
    given = candidates(task.scored)
    constant, modal = constant_answer(task.scored), modal_answer(given)
    by_level = constant if constant and constant.by == "level" else None
    n_modal = modal.n if modal else 0
    is_choice_of_two = task.chance >= _TWO_OPTIONS
    if not (is_choice_of_two or by_level) and n_modal < _MIN_RATE * task.n:
        return None
    keys, levels = task.scored.keys, task.scored.texts("level")
    best = best_constant(keys)
    if not (is_choice_of_two or by_level) and n_modal < _MIN_RATIO * sum(best.credits):
        return None
    level_credits = constants_by_level(levels, keys) if len(set(levels)) > 1 else None
    baseline = level_credits if level_credits and by_level else best.credits
    gain = paired_difference([value - other for value, other in zip(task.rows.credits, baseline, strict=True)], task.rows.clusters)
    if by_level:
        text, answers = ONE_PER_LEVEL, {place: part.answer for part in by_level.parts for place in part.places}
    else:
        text, answers = (modal.answer.text, dict.fromkeys(range(task.n), modal.answer)) if modal else ("-", {})
    is_modal = [float(place in answers and answers[place] in of_item) for place, of_item in enumerate(given)]
    baseline_by_level = sum(level_credits) / task.n if level_credits else None
    start = (task.task, task.run, task.n, best.reply, best.accuracy, baseline_by_level, task.accuracy.estimate)
    return (*start, gain, text, clustered_mean(is_modal, task.rows.clusters))
