"""The accuracy of every task: its figure, its table and CSV files."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.answers import OUTCOMES
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import count_of
from isovist.reporting.analysis.unparsed_responses import MARK, MARK_NOTE
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import ACCURACY, CHANCE, FEW_MARK, FEW_NOTE, RUN, TASK, Column, N, Table, ci_text, percent

_OF_UNPARSED = (
    "Accuracy counts every unparsed response as incorrect. The range gives the accuracy if all unparsed responses were incorrect or all "
    "correct. Parsed only: the accuracy of the parsed responses, which may be easier items. "
    f"{MARK}: {MARK_NOTE}; the report makes no claims about chance level, size thresholds and difficulty factors of such tasks. "
)
_OF_PUBLISHED_SCORER = "Published scorer: the scorer of the suite's paper, which scores responses in another format as incorrect. "
_CAPTION = (
    "Intervals are Wilson intervals, wider where items share an image. "
    f"{FEW_MARK}: {FEW_NOTE}. "
    "Best shortcut: the accuracy of the best rule without the claimed skill or a part of it (docs/validity.md). "
    "Chance-corrected accuracy is (accuracy - chance) / (1 - chance): 0 at chance level, 100 for a perfect model; each item has its own "
    "chance level. Items that are not scored (request errors) are left out: n is 39 of 40, and the interval is wide enough for either answer."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    results = [result for run in runs for result in run.tasks if not result.is_adaptive]
    has_unparsed, has_published = (
        any(result.unparsed_responses.total for result in results),
        any(result.published_accuracy for result in results),
    )
    note = f"{_OF_UNPARSED if has_unparsed else ''}{_OF_PUBLISHED_SCORER if has_published else ''}{_CAPTION}"
    return [
        Section(
            "Accuracy",
            _page_table(results, has_unparsed=has_unparsed, has_published=has_published),
            note,
            takeaway=_takeaway(runs),
            figures=(("accuracy",),) if results else (),
            caption="Markers: accuracy. Lines: 95% CI." + (" Pale bands: range if unparsed." if has_unparsed else ""),
            files={"results.csv": _results(runs), "confusion.csv": _confusion(runs)},
        )
    ]


def _takeaway(runs: Sequence[RunResults]) -> str:
    tested = [(task, test.tasks_at_chance) for test in (run.overall for run in runs) for task in test.interpretable]
    above = ((task.run, task.task not in at_chance) for task, at_chance in tested)
    return takeaways.counts(runs, above, "task", "significantly above chance", "simultaneous 95% tests")


def _page_table(results: Sequence[TaskResult], *, has_unparsed: bool, has_published: bool) -> Table:
    columns = [TASK, RUN, N, ACCURACY, CHANCE, Column("", "Best shortcut", "percent"), Column("", "Chance-corrected", "number")]
    columns += [Column("", "Range if unparsed", "number"), Column("", "Parsed only", "number"), Column("", "Published scorer", "percent")]
    used = [True] * 7 + [has_unparsed, has_unparsed, has_published]
    rows = [
        (
            result.task,
            result.run,
            count_of(result.n, result.n + result.n_unscored),
            result.accuracy or result.reason_not_reported,
            result.chance,
            result.shortcut,
            ci_text(result.chance_corrected, kind="points") if result.chance_corrected else None,
            " to ".join(map(percent, result.accuracy_range)),
            parsed_only(result),
            result.published_accuracy.estimate if result.published_accuracy else None,
            outcome_counts(result),
        )
        for result in results
    ]
    kept = [*(place for place, is_used in enumerate(used) if is_used), len(columns)]
    columns.append(Column("", "Outcomes"))
    marked = {place for place, result in enumerate(results) if result.unparsed_responses.many}
    return Table([columns[place] for place in kept], [[row[place] for place in kept] for row in rows], marked)


def outcome_counts(result: TaskResult) -> str:
    counts = [
        f"{result.outcome_counts[outcome]}\u00a0{outcome.replace('_', ' ')}" for outcome in OUTCOMES if result.outcome_counts[outcome]
    ]
    return ", ".join(counts + ([f"{result.n_not_presented}\u00a0not presented"] if result.n_not_presented else []))


def parsed_only(result: TaskResult) -> str | None:
    """The accuracy of the parsed responses, if some responses are unparsed."""
    if result.parsed_accuracy is None:
        return "none" if result.accuracy and result.unparsed_responses.total else None
    return f"{ci_text(result.parsed_accuracy)}, n = {result.n_parsed:,}"


def _results(runs: Sequence[RunResults]) -> Table:
    names = ("accuracy_if_unparsed_incorrect", "accuracy_if_unparsed_correct", "n_clusters", "n_parsed")
    columns = [RUN, Column("model"), TASK, N, ACCURACY, CHANCE, Column("best_shortcut"), Column("chance_corrected", kind="points")]
    columns += [*map(Column, names), Column("accuracy_parsed", kind="interval"), *map(Column, OUTCOMES)]
    columns += map(Column, ("n_not_presented", "accuracy_published_scorer", "too_few_clusters"))
    rows = [
        (
            *(result.run, run.info.model, result.task, result.n, result.accuracy, result.chance, result.shortcut, result.chance_corrected),
            *((None, None) if result.is_adaptive else result.accuracy_range),
            *(len(set(result.rows.clusters)), result.n_parsed, result.parsed_accuracy),
            *(result.outcome_counts[outcome] for outcome in OUTCOMES),
            result.n_not_presented,
            result.published_accuracy.estimate if result.published_accuracy else None,
            result.accuracy.too_few_clusters if result.accuracy else None,
        )
        for run in runs
        for result in run.tasks
    ]
    return Table(columns, rows)


def _confusion(runs: Sequence[RunResults]) -> Table:
    """How often each answer was given for each key; "(unparsed)" counts responses without an answer."""
    rows = [
        (result.run, result.task, key, answer, count)
        for run in runs
        for result in run.tasks
        for (key, answer), count in (
            *sorted(result.answers_by_key.items()),
            *(((key, "(unparsed)"), count) for key, count in sorted(result.unparsed_by_key.items())),
        )
    ]
    return Table([RUN, TASK, *map(Column, ("key", "answer", "count"))], rows)
