"""The first sentences of a report. Claims about several suites, skills or tasks are simultaneous (Bonferroni, 95%)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.findings import Finding
from isovist.reporting.analysis.overall_performance import OverallPerformance, Part
from isovist.reporting.analysis.text_format import join_names, pluralize, task_name
from isovist.reporting.analysis.variants import IMAGE_ABLATIONS, family_label
from isovist.reporting.reports import participants
from isovist.reporting.reports.figures import threshold_plot
from isovist.reporting.reports.sections.unparsed_first import unparsed_sentences
from isovist.stats.clustered_means import exceeds_level
from isovist.stats.proportions import ConfidenceInterval

GOOD = 0.9
"""An accuracy from which performance in a task is good."""
_MAX_TASKS = 12  # in a sentence
_MAX_PARTS = 4  # suites or skills in a sentence
_FEW = "few unparsed and missing responses"
_INCONCLUSIVE = 0.5  # an interval from 0 or less to this or more is too wide for a claim


def headline_sentence(run: RunResults, findings: Sequence[Finding]) -> str:
    """The first sentences of a report: the overall chance-corrected accuracy, its test against chance, and what may remain undetected.

    For an adaptive run, the size thresholds. Empty without either. `findings`: those that the report shows below.
    """
    performance = run.overall
    reported = [task for task in run.tasks if task.accuracy]
    if performance.whole is None:
        return threshold_plot.lead(run)
    tasks = f"mean of {len(reported)} tasks" if len(reported) > 1 else task_name(reported[0].task)
    unparsed = "; unparsed responses are incorrect" if unparsed_sentences(run) else ""
    sentences = [f"Overall chance-corrected accuracy: {_points(performance.whole)} (0 = chance, 100 = perfect; {tasks}, 95% CI{unparsed})."]
    claimed = performance.with_few_unparsed
    if claimed and len(performance.interpretable) < len(reported):
        n_claimed = len(performance.interpretable)
        where = f"the {n_claimed} tasks" if n_claimed > 1 else task_name(performance.interpretable[0].task)
        sentences.append(f"In {where} with {_FEW}: {_points(claimed)}.")
    return " ".join((*sentences, *(_meaning(performance, claimed, findings) if claimed else ())))


def _meaning(performance: OverallPerformance, whole: ConfidenceInterval, findings: Sequence[Finding]) -> Iterator[str]:
    """What the overall score means, in sentences."""
    tasks, at_chance = performance.interpretable, performance.tasks_at_chance
    if whole.low <= 0 or len(at_chance) == len(tasks) == 1:
        yield "This is significantly below chance." if whole.high < 0 else "This is not significantly different from chance."
        above = [task.task for task in tasks if task.task not in at_chance]
        if at_chance and above:
            yield f"{_count(above, len(tasks), 'significantly above chance')}."
        if whole.low > 0:
            yield f"The exact test with {pluralize(tasks[0].n, 'item')} is not significant."
        return
    yield "This is significantly above chance."
    if low := [part for part in performance.parts if part.above_chance.low <= 0]:
        yield f"{weakest_areas_sentence(low, skills=len(performance.suites) == 1)} ({_part_scores(low)})."
        if at_chance:
            yield f"{len(at_chance)} of {pluralize(len(tasks), 'task')} {_are(len(at_chance))} not significantly above chance."
    elif not at_chance and not findings:
        if not all(task.accuracy and task.accuracy.estimate >= GOOD for task in tasks):
            yield "All tasks are significantly above chance."
        yield f"No deficit was detected. {_detection_limit(performance)}"


def weakest_areas_sentence(parts: Sequence[Part], *, skills: bool) -> str:
    """The suites or skills that are not significantly above chance."""
    names = [part.name for part in parts[:_MAX_PARTS]] + ([f"{len(parts) - _MAX_PARTS} more"] if len(parts) > _MAX_PARTS else [])
    where = f"in tasks that require {join_names(names, 'or')}" if skills else f"in {join_names(names)}"
    if all(part.above_chance.high < 0 for part in parts):
        return f"Performance is significantly below chance {where}"
    if all(part.above_chance.high >= _INCONCLUSIVE for part in parts):
        return f"Too few items to test against chance {where}"
    some_below = ", or below chance," if any(part.above_chance.high < 0 for part in parts) else ""
    return f"Performance is not significantly different from chance{some_below} {where}"


def _part_scores(parts: Sequence[Part]) -> str:
    return ", ".join(f"{part.name}: {_points(part.above_chance)}" for part in parts[:_MAX_PARTS])


def _detection_limit(performance: OverallPerformance) -> str:
    n = min(task.n for task in performance.interpretable)
    items = f"{n:,} items per task" if all(task.n == n for task in performance.interpretable) else f"as few as {n:,} items per task"
    loss = max(1, round(100 * performance.minimum_detectable_loss))
    return f"With {items}, a deficit that affects fewer than {loss}% of a task's items may remain undetected."


def headline(run: RunResults) -> str:
    """The numbers of items and tasks, the tasks at chance level, those with high accuracy, and what is missing."""
    return " ".join(_headline(run))


def _headline(run: RunResults) -> Iterator[str]:
    performance = run.overall
    n_tasks = len(performance.interpretable)
    is_one_of_several = n_tasks == 1 < len(run.tasks)
    yield f"{run.name}: {pluralize(run.n, 'item')} in {pluralize(len(run.tasks), 'task')}."
    if run.info.is_human_run:
        yield f"The run contains {participants.contents(run.info)}."
    if k := run.run.shown_options:
        yield f"Questions with more than {k} options were reduced to {k}: accuracy and chance level are higher than with all options."
    if is_one_of_several:
        yield f"Only {task_name(performance.interpretable[0].task)} has {_FEW}."
    elif performance.tasks_at_chance:
        yield f"{_count(performance.tasks_at_chance, n_tasks, 'not significantly above chance')}."
    elif n_tasks:
        yield f"All {'tasks' if n_tasks == len(run.tasks) else f'{n_tasks} tasks with {_FEW}'} are significantly above chance."
    good = [task for task, low in performance.lows.items() if low >= GOOD]
    if good and not is_one_of_several:
        yield f"Accuracy is at least {100 * GOOD:.0f}% (lower end of the CI) in {_names(good, n_tasks)}."
    yield from _above_chance_without_image(run)
    yield from _missing(run)
    if run.info.adaptive:
        yield "This is an adaptive run: its size thresholds are estimates, its overall accuracy is not."


def _missing(run: RunResults) -> Iterator[str]:
    """What to do about items that are not scored."""
    if not run.n_unscored:
        return
    items = pluralize(run.n_unscored, "item")
    if run.info.is_human_run:
        yield f"{items} {_are(run.n_unscored)} not answered, which widens the intervals of their tasks."
        yield "While `isovist study serve` runs, participants resume with their codes at the first unanswered question."
        yield "Then export the study again."
    elif run.info.source_tool:
        yield f"{items} {_are(run.n_unscored)} not scored, which widens the intervals. Evaluate them with {run.info.source_tool} and import the responses again."
    else:
        yield f"{items} {_are(run.n_unscored)} not scored, which widens the intervals. Run the same command again."


def _above_chance_without_image(run: RunResults) -> Iterator[str]:
    """Tasks whose accuracy is above chance although the image content was removed."""
    for name in IMAGE_ABLATIONS:
        complete = [task for task in run.tasks if name in task.variant_results and not task.variant_results[name].n_unscored]
        above = [
            task.task
            for task in complete
            if exceeds_level(task.variant_results[name].variant, task.variant_results[name].clusters, task.chance, len(complete))
        ]
        if above:
            tasks = _names(above, len(complete))
            yield f"Accuracy is above chance without the image content ({family_label(name)}) in {tasks}: these can be solved partly from text."


def _points(interval: ConfidenceInterval) -> str:
    """Chance-corrected accuracy with its 95% CI, from 0 (chance) to 100 (perfect)."""
    estimate, low, high = (round(100 * edge) for edge in (interval.estimate, interval.low, interval.high))
    return f"{estimate} [{low}, {high}]"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _count(tasks: Sequence[str], total: int, predicate: str) -> str:
    """For example "2 of 3 tasks are significantly above chance: A, B"; without names if it applies to all tasks."""
    if len(tasks) == total:
        return f"{'No task is' if predicate.startswith('not ') else 'All tasks are'} {predicate.removeprefix('not ')}"
    return f"{len(tasks)} of {total} tasks {_are(len(tasks))} {predicate}: {_listed(tasks)}"


def _names(tasks: Sequence[str], total: int) -> str:
    return f"all {total} tasks" if len(tasks) == total > 1 else f"{len(tasks)} of {pluralize(total, 'task')}: {_listed(tasks)}"


def _listed(tasks: Sequence[str]) -> str:
    names = ", ".join(map(task_name, tasks[:_MAX_TASKS]))
    return f"{names} and {len(tasks) - _MAX_TASKS} more" if len(tasks) > _MAX_TASKS else names
