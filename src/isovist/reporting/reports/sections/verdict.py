"""The first table of a report: the overall results of each model, and its chance-corrected accuracy by suite."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.overall_performance import overall
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import join_names
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED, accuracy_range, may_reverse
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.headline import ranked
from isovist.reporting.reports.sections.summary import build_rows
from isovist.reporting.reports.table import RUN, Column, N, Table, ci_text
from isovist.stats.paired_differences import Difference, paired_difference

ALL = "all"
_NOTE = (
    "Accuracy and chance-corrected accuracy (0 = chance, 100 = perfect) are means over tasks, each task with the same weight (as in a leaderboard), without tasks with "
    f"{MANY_UNPARSED}. Unparsed: "
    "responses without a parsed answer, which count as incorrect. Tasks above chance: those whose accuracy exceeds chance in a simultaneous test."
)


_RENDERED = ("cospace", "dori", "srbench")
_ON_RENDERS = " Scenes of CoSpace, DORI and SRBench are rendered or drawn: a score on them does not estimate accuracy on photographs."


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Models with the highest overall score first."""
    by_score = ranked(runs)
    is_rendered = any(task.task.partition("/")[0] in _RENDERED for run in runs for task in run.tasks)
    note = _NOTE + (_ON_RENDERS if is_rendered else "")
    files = {"overall.csv": _long(by_score)}
    return [
        Section(
            "Overall results",
            table(by_score),
            note,
            takeaway=build_rows(runs)[0].overall if len(runs) == 1 else _comparison(by_score),
            files=files,
        )
    ]


def table(runs: Sequence[RunResults]) -> Table:
    """A row for each model, with a column for each suite if there are several."""
    suites = list(dict.fromkeys(suite for run in runs for suite in run.overall.suites))
    shown = suites if len(suites) > 1 else []
    columns = [RUN, N, Column("accuracy", "Accuracy", "interval"), Column("chance_corrected", "Chance-corrected", "points")]
    columns += [Column("above_chance", "Tasks above chance"), Column("unparsed", "Unparsed", "percent")]
    columns += [Column("", suite, "number") for suite in shown]
    rows = [
        (
            *(run.name, run.n, *_means(run, run.overall.interpretable), _above_chance(run)),
            _unparsed(run.tasks),
            *(_suite_text(run, suite) for suite in shown),
        )
        for run in runs
    ]
    return Table(columns, rows)


def _long(runs: Sequence[RunResults]) -> Table:
    """One row per model and suite, and one over all."""
    columns = [RUN, Column("suite"), Column("tasks", kind="count"), N, Column("accuracy", kind="interval")]
    columns += [Column("chance_corrected", kind="points"), Column("unparsed", kind="percent")]
    rows: list[tuple[object, ...]] = []
    for run in runs:
        for suite in (ALL, *(run.overall.suites if len(run.overall.suites) > 1 else ())):
            tasks = [task for task in run.tasks if suite == ALL or task.task.startswith(f"{suite}/")]
            reported = [task for task in run.overall.interpretable if task in tasks]
            n = sum(task.n for task in tasks)
            rows.append((run.name, suite, len(reported), n, *_means(run, reported), _unparsed(tasks)))
    return Table(columns, rows)


def _means(run: RunResults, tasks: Sequence[TaskResult]) -> tuple[object, object]:
    """Mean accuracy and chance-corrected accuracy over tasks, or the reason for their absence."""
    if not tasks:
        reasons = {task.reason_not_reported for task in run.tasks if task.accuracy is None}
        reason = reasons.pop() if len(reasons) == 1 else "many unparsed" if not reasons else "items not scored"
        return reason, None
    means = overall([task.scores for task in tasks])
    return means.accuracy, means.chance_corrected


def _above_chance(run: RunResults) -> str:
    n_tasks = len(run.overall.interpretable)
    return f"{n_tasks - len(run.overall.tasks_at_chance)} of {n_tasks}" if n_tasks else "-"


def _unparsed(tasks: Sequence[TaskResult]) -> float | None:
    n = sum(task.n for task in tasks)
    return sum(task.unparsed_responses.total for task in tasks) / n if n else None


def _suite_text(run: RunResults, suite: str) -> str:
    tasks = [task for task in run.overall.interpretable if task.task.startswith(f"{suite}/")]
    return ci_text(overall([task.scores for task in tasks]).chance_corrected, kind="points") if tasks else "-"


def _comparison(runs: Sequence[RunResults]) -> str:
    """How far the first model is ahead of the others on the same items; empty without another model or common items.

    Only tasks that are interpretable in both runs: an adaptive run, or one with many unparsed responses, has no accuracy to compare. No order
    is claimed where unparsed responses could reverse that on all items.
    """
    reported = [run for run in runs if run.overall.interpretable]
    if len(reported) < 2:
        return ""
    first, *others = reported
    differences = [(other, _difference(first, other, len(others))) for other in others]
    uncertain = [run.name for run in runs if run is not first and _may_be_reversed(first, run)]
    compared = [(other, difference) for other, difference in differences if difference and other.name not in uncertain]
    start, end = f"{first.name} has the highest chance-corrected accuracy", ""
    if uncertain:
        start = f"{start} in tasks with few unparsed responses"
        end = f" No order is claimed between {first.name} and {join_names(uncertain, 'or')}: unparsed responses could reverse it."
    if not compared:
        return f"{start}.{end}" if uncertain else ""
    other, smallest = min(compared, key=lambda pair: pair[1].estimate)
    tied = [other.name for other, difference in compared if difference.low <= 0]
    if tied:
        return f"{start}. Its accuracy is not significantly different from that of {join_names(tied)} on the same items.{end}"
    n_others = len(compared)
    if n_others == 1 or n_others < len(runs) - 1:
        which = join_names([other.name for other, _ in compared])
    else:
        which = "both other models" if n_others == 2 else f"all {n_others} other models"
    low, high = (f"{100 * end:.1f}" for end in (smallest.low, smallest.high))
    nearest = f" The nearest is {other.name}:" if len(compared) > 1 else " The difference is"
    return (
        f"{start}. It is significantly more accurate than {which} on the same items (paired 95% CIs, Bonferroni)."
        f"{nearest} {100 * smallest.estimate:+.1f} percentage points [{low}, {high}].{end}"
    )


def _difference(first: RunResults, other: RunResults, claims: int) -> Difference | None:
    """The difference of the accuracies on the common items of two runs, with a simultaneous interval; None without common items."""
    common = _on_common_items(*(Rows.together([task.rows for task in run.overall.interpretable]) for run in (first, other)))
    if common is None:
        return None
    a, b = common
    return paired_difference((a.column("credit") - b.column("credit")).tolist(), a.clusters, 1 - 0.05 / claims)


def _may_be_reversed(first: RunResults, other: RunResults) -> bool:
    """Whether unparsed responses to the common items could reverse the order of two runs."""
    if first.info.adaptive or other.info.adaptive:
        return False
    common = _on_common_items(first.run.rows.standard.scored, other.run.rows.standard.scored)
    return common is not None and may_reverse(*map(accuracy_range, common))


def _on_common_items(ours: Rows, theirs: Rows) -> tuple[Rows, Rows] | None:
    """The rows of the items of both, in one order; None without any."""
    in_both = set(ours.texts("item_id")).intersection(theirs.texts("item_id"))
    ids = [id for id in ours.texts("item_id") if id in in_both]
    a, b = ours.of_items(ids), theirs.of_items(ids)
    return (a, b) if a and b else None
