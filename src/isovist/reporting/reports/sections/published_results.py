"""The runs beside the results of the suites' papers in the same condition: by task, and by level where the paper reports levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from isovist.core.canonical_json import PUBLISHED
from isovist.data import prompts
from isovist.data.reference import CONDITIONS, STANDARD, TWO_ORDERS, published, reference, scored, suites
from isovist.reporting.analysis.collect import RunResults, every_task
from isovist.reporting.analysis.rows import mean_accuracy
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.figures import published_comparison
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import TASK, Column, Table
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites import registry

SAME, NEW, OTHER = "same items", "new items", "other items"
SAME_ITEMS = "They are on the same items."
CAPTION = "They are on other items: compare patterns, not values."
SOME_ITEMS = f'Except in rows with "{SAME}", they are on other items: compare patterns, not values.'
ITEMS_NOTE = (
    f"Items: {SAME}, of the published set; {NEW}, of the kinds in the paper and in its shares; {OTHER}, which also differ as stated, so that "
    "the values are not comparable."
)
SCORER = "Runs with the paper's prompts are scored by its scorer in the standard condition; DORI's gives soft accuracy, which is a condition of its own."
ORDERS_NOTE = "The paper prints the mean of two image orders for {}: add --image-order start-3 to the run."
_TOLERANCE = 0.02
"""Least deviation of the number of items of a level, as a share of all items, that counts as another share of the levels."""


class _Row(NamedTuple):
    """A task, one of its levels, or the mean of all tasks, in a condition: what its items are relative to the paper's ("" for the mean), the
    accuracy of each run, and the published results.
    """

    task: str
    level: str
    condition: str
    items: str
    accuracies: list[ConfidenceInterval | None]
    results: Mapping[str, float]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """One for each paper with results of the presented tasks."""
    by_suite: dict[str, list[_Row]] = {}
    in_one_order: dict[str, list[str]] = {}
    for task, results in every_task(runs):
        suite = task.partition("/")[0].removesuffix(PUBLISHED)
        by_suite.setdefault(suite, []).extend(_rows(task, runs, results))
        in_images = [result for result in results if result and result.condition == STANDARD]
        if published(task, condition=TWO_ORDERS) and not all(result.in_condition(TWO_ORDERS) for result in in_images):
            in_one_order.setdefault(suite, []).append(task)
    papers = {suite: reference(suite).paper for suite, rows in by_suite.items() if rows and suite in suites()}
    return [
        Section(
            f"Published results: {suite}",
            _table([run.name for run in runs], [*by_suite[suite], *_mean(suite, runs)]),
            " ".join(
                (
                    f"Per cent. Published results: {paper['title']}, arXiv {paper['arxiv']}. {_caption(by_suite[suite])} {ITEMS_NOTE}",
                    f"{SCORER} {_prompts(runs)}",
                    *([ORDERS_NOTE.format(", ".join(in_one_order[suite]))] if suite in in_one_order else ()),
                )
            ),
        )
        for suite, paper in papers.items()
    ]


def _caption(rows: Sequence[_Row]) -> str:
    same = [row.items == SAME for row in rows]
    return SAME_ITEMS if all(same) else SOME_ITEMS if any(same) else CAPTION


def _prompts(runs: Sequence[RunResults]) -> str:
    """Whether the prompts of the runs have the format of the paper."""
    others = [run.name for run in runs if run.info.style != prompts.PUBLISHED]
    if not others:
        return "The prompts have the format of the paper."
    return f"Prompts in another format than the paper's: {', '.join(others)} (--prompt-style published sends the paper's)."


def figures(runs: Sequence[RunResults]) -> list[Section]:
    """Figures of papers that compare tasks, drawn for the runs."""
    return [
        Section(
            drawing.comparison.caption,
            figures=(("published", drawing.paper, drawing.comparison.caption),),
            caption=f"As in {drawing.comparison.name} of {drawing.paper}. Dots: published models, where the paper prints their results.",
        )
        for drawing in published_comparison.build_figures(runs)
    ]


def _table(names: Sequence[str], rows: Sequence[_Row]) -> Table:
    models = dict.fromkeys(model for row in rows for model in row.results)
    decimals = {model: max(len(f"{row.results[model]:g}".partition(".")[2]) for row in rows if model in row.results) for model in models}
    cells = [
        (
            row.task,
            row.level or "all",
            row.condition or "standard",
            *row.accuracies,
            row.items or None,
            *(f"{row.results[model]:.{decimals[model]}f}" if model in row.results else None for model in models),
        )
        for row in rows
    ]
    level = Column("", "Level" if any(row.level for row in rows) else "")
    condition = Column("", "Condition" if any(row.condition for row in rows) else "")
    items = Column("", "Items" if any(row.items not in ("", SAME) for row in rows) else "")
    runs = [Column("", name, "interval") for name in names]
    return Table([TASK, level, condition, *runs, items, *(Column("", model, "number") for model in models)], cells)


def _mean(suite: str, runs: Sequence[RunResults]) -> list[_Row]:
    """The mean over all tasks of a suite, if the paper has it and a run has all of them."""
    figures = reference(suite).published_mean()
    accuracies = [_mean_accuracy(suite, run) for run in runs]
    return [_Row("mean of all tasks", "", STANDARD, "", accuracies, figures)] if figures and any(accuracies) else []


def _mean_accuracy(suite: str, run: RunResults) -> ConfidenceInterval | None:
    required = {task.id for task in registry.tasks().values() if task.suite == suite}
    results = [result for result in run.tasks if result.task in required and result.condition == STANDARD]
    if len(results) < len(required) or any(result.accuracy is None for result in results):
        return None
    return mean_accuracy([result.rows for result in results])


def _rows(task: str, runs: Sequence[RunResults], results: Sequence[TaskResult | None]) -> Iterator[_Row]:
    """A task, and those of its levels for which the paper has results, in each condition that a run has."""
    presented = [result for result in results if result]
    levels = dict.fromkeys(level for result in presented if result.condition == STANDARD for level in result.by_level)
    registered = registry.find(task)
    ordered = (level for level in (registered.levels if registered else levels) if level in levels)
    for level, condition in product(("", *ordered), CONDITIONS):
        figures = published(task, level, condition)
        accuracies = [
            accuracy_in_condition(run, result, level, condition) if figures and result else None
            for run, result in zip(runs, results, strict=True)
        ]
        if any(accuracies):
            yield _Row(task, level, condition, _items(task, () if level else presented), accuracies, figures)


def accuracy_in_condition(run: RunResults, result: TaskResult, level: str, condition: str) -> ConfidenceInterval | None:
    """Return the accuracy of a task, or of one of its levels, in a condition; None if the run does not have it.

    It is by the paper's scorer in the condition that this measures: where that is the standard one, only with the paper's prompts.
    """
    is_standard = result.condition == STANDARD
    rows = result.by_level.get(level) if level else result
    if rows is None or (level and not is_standard):
        return None
    by_paper = rows.published_accuracy if is_standard and condition == scored(result.task) else None
    if by_paper and (condition != STANDARD or run.info.style == prompts.PUBLISHED):
        return by_paper
    if not level:
        return result.in_condition(condition)
    return rows.accuracy if condition == STANDARD else None


def _items(task: str, results: Sequence[TaskResult]) -> str:
    """What the items are relative to those of the paper. `results`: of the runs with all levels; empty for one level."""
    suite = task.partition("/")[0]
    if suite.endswith(PUBLISHED):
        return SAME
    of_paper = reference(suite).difference_of(task)
    shares = "" if all(_has_published_shares(task, result) for result in results) else "other shares of the levels"
    differences = [difference for difference in (of_paper and f"the paper has {of_paper}", shares) if difference]
    return f"{OTHER}: {'; '.join(differences)}" if differences else NEW


def _has_published_shares(task: str, result: TaskResult) -> bool:
    """Whether the shares of the levels are those of the published items. Levels that are sizes are not compared."""
    registered = registry.find(task)
    preset = registered.paper.sizes.get("test") if registered else None
    if registered is None or preset is None or not result.by_level:
        return True
    cycle = preset.levels or registered.levels
    total = sum(map(len, result.by_level.values()))
    expected = Counter(cycle[place % len(cycle)] for place in range(total))
    numbers = {level: len(rows) for level, rows in result.by_level.items()}
    return all(abs(numbers.get(level, 0) - expected[level]) <= max(1, _TOLERANCE * total) for level in {*numbers, *expected})
