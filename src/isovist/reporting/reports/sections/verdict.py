"""The first table of a report: the overall results of each model, and its chance-corrected accuracy by suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.repeated_epochs import mean_majority, mean_pass_at
from isovist.reporting.analysis.run_names import short_names
from isovist.reporting.analysis.standings import Standings, accuracy_difference, standings
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import count_of, join_names, pluralize
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED, accuracy_range, may_reverse
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.summary import build_rows
from isovist.reporting.reports.table import RUN, Column, N, Table
from isovist.stats.paired_differences import Difference

ALL = "all"
_MAJORITY = "majority"  # the column
_NOTE = (
    "Accuracy and chance-corrected accuracy (0 = chance, 100 = perfect) are means over tasks, each task with the same weight, the same in a summary, a "
    "leaderboard and a comparison. Refused, filtered and unparsed responses are incorrect. Items that are not scored (request errors) widen the "
    "interval. Unparsed: responses without a parsed answer. Tasks above chance: those whose accuracy exceeds chance "
    f"in a test that is adjusted for the number of tasks, of the tasks without {MANY_UNPARSED}."
)


_RENDERED = ("cospace", "dori", "srbench")
_ON_EPOCHS = (
    " Accuracy is that of the first response to each item; pass@k counts an item if at least one of k responses is correct, maj@k scores the "
    "most frequent answer."
)
_ON_RENDERS = " Scenes of CoSpace, DORI and SRBench are rendered or drawn: a score on them does not estimate accuracy on photographs."


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Models with the highest overall score first."""
    is_rendered = any(task.task.partition("/")[0] in _RENDERED for run in runs for task in run.tasks)
    whole = table(runs)
    has_epochs = any(column.name == _MAJORITY for column in whole.columns)
    note = _NOTE + (_ON_EPOCHS if has_epochs else "") + (_ON_RENDERS if is_rendered else "")
    standing = standings([run.tasks for run in runs])
    takeaway = build_rows(runs)[0].overall if len(runs) == 1 else " ".join(_comparison(runs, standing))
    return [Section("Overall results", whole, note, takeaway=takeaway, files={"overall.csv": by_suite(runs)})]


def table(runs: Sequence[RunResults]) -> Table:
    """A row for each model in order."""
    standing = standings([run.tasks for run in runs])
    columns = [RUN, N, Column("accuracy", "Accuracy", "interval"), Column("chance_corrected", "Chance-corrected", "points")]
    epochs = [_epochs(run) for run in runs]
    if n_epochs := max((n for n, _ in epochs), default=0):
        columns += [Column("pass_at_all", f"pass@{n_epochs}", "interval"), Column(_MAJORITY, f"maj@{n_epochs}", "interval")]
    columns += [Column("above_chance", "Tasks above chance"), Column("unparsed", "Unparsed", "percent")]
    rows = [
        (
            *(runs[place].name, count_of(*standing.n(place)) if standing.runs[place] else runs[place].n),
            *_means(standing, place, runs[place]),
            *(epochs[place][1] if epochs[place][0] == n_epochs else (None, None))[: 2 * bool(n_epochs)],
            *(_above_chance(runs[place]), _unparsed(runs[place].tasks)),
        )
        for place in standing.order
    ]
    return Table(columns, rows)


def _epochs(run: RunResults) -> tuple[int, tuple[object, object]]:
    """The number of epochs, pass@k for this number and the majority vote; 0 if not all tasks have these epochs."""
    every = [task.repeated_epochs for task in run.tasks if task.accuracy]
    tasks = [each for each in every if each]
    if not tasks or len(tasks) < len(every) or len({each.n_epochs for each in tasks}) > 1:
        return 0, (None, None)
    return tasks[0].n_epochs, (mean_pass_at(tasks, tasks[0].n_epochs), mean_majority(tasks))


def by_suite(runs: Sequence[RunResults]) -> Table:
    """One row per model and suite, and one over all."""
    standing = standings([run.tasks for run in runs])
    columns = [RUN, Column("suite", "Suite"), Column("tasks", "Tasks", "count"), N, Column("accuracy", "Accuracy", "interval")]
    columns += [Column("chance_corrected", "Chance-corrected", "points"), Column("unparsed", "Unparsed", "percent")]
    rows: list[tuple[object, ...]] = []
    for place in standing.order:
        suites = _suites(standing.runs[place])
        for suite in (ALL, *(suites if len(suites) > 1 else ())):
            tasks = [task for task in runs[place].tasks if suite == ALL or task.task.startswith(f"{suite}/")]
            names = list(standing.tasks or standing.runs[place]) if suite == ALL else suites[suite]
            n = sum(standing.runs[place][task].n for task in names if task in standing.runs[place])
            rows.append(
                (runs[place].name, suite, len(names), n or runs[place].n, *_means(standing, place, runs[place], names), _unparsed(tasks))
            )
    return Table(columns, rows)


def _suites(tasks: Iterable[str]) -> dict[str, list[str]]:
    suites: dict[str, list[str]] = {}
    for task in tasks:
        suites.setdefault(task.partition("/")[0], []).append(task)
    return suites


def _means(standing: Standings, place: int, run: RunResults, tasks: Sequence[str] = ()) -> tuple[object, object]:
    """Mean accuracy and chance-corrected accuracy over tasks, or the reason for their absence."""
    if means := standing.overall(place, tasks):
        return means.accuracy, means.chance_corrected
    missing = [task for task in standing.tasks if task not in standing.runs[place]]
    reasons = {task.reason_not_reported for task in run.tasks if task.accuracy is None}
    return reasons.pop() if len(reasons) == 1 else f"{len(missing)} of {pluralize(len(standing.tasks), 'task')} missing", None


def _above_chance(run: RunResults) -> str:
    n_tasks = len(run.overall.interpretable)
    return f"{n_tasks - len(run.overall.tasks_at_chance)} of {n_tasks}" if n_tasks else "-"


def _unparsed(tasks: Sequence[TaskResult]) -> float | None:
    n = sum(task.n for task in tasks)
    return sum(task.unparsed_responses.total for task in tasks) / n if n else None


def _comparison(runs: Sequence[RunResults], standing: Standings) -> Iterator[str]:
    """How far the first model is ahead of the others on the same items, and why models have no rank.

    No order is claimed where unparsed responses or missing items could reverse it.
    """
    names = short_names([run.name for run in runs])
    if len(standing.ranked) > 1:
        first, *others = standing.ranked
        ranges = {place: accuracy_range(list(standing.runs[place].values())) for place in standing.ranked}
        uncertain = [names[place] for place in others if may_reverse(ranges[first], ranges[place])]
        differences = [
            (names[place], accuracy_difference(standing.runs[first], standing.runs[place], len(others)))
            for place in others
            if names[place] not in uncertain
        ]
        yield f"{names[first]} has the highest chance-corrected accuracy."
        if differences:
            yield _lead(differences, is_all=len(differences) == len(runs) - 1)
        if uncertain:
            yield f"No order is claimed between {names[first]} and {join_names(uncertain, 'or')}: unparsed or missing responses could reverse it."
    for place, reason in standing.no_rank.items() if standing.tasks else ():
        yield f"{names[place]} has no rank: {reason}."
    if not standing.tasks and sum(map(bool, standing.runs)) > 1:
        yield "The models have no common items, so they have no order."


def _lead(differences: Sequence[tuple[str, Difference]], *, is_all: bool) -> str:
    """How far a model is ahead of others; `is_all`: of all others."""
    if tied := [name for name, difference in differences if difference.low <= 0]:
        return f"Its accuracy is not significantly different from that of {join_names(tied)} on the same items."
    name, smallest = min(differences, key=lambda pair: pair[1].estimate)
    n_others = len(differences)
    if n_others == 1 or not is_all:
        which = join_names([name for name, _ in differences])
    else:
        which = "both other models" if n_others == 2 else f"all {n_others} other models"
    low, high = (f"{100 * end:.1f}" for end in (smallest.low, smallest.high))
    nearest = f"The nearest is {name}:" if n_others > 1 else "The difference is"
    return (
        f"It is significantly more accurate than {which} on the same items (paired 95% CIs, Bonferroni). "
        f"{nearest} {100 * smallest.estimate:+.1f} percentage points [{low}, {high}]."
    )
