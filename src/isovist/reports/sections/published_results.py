"""The runs beside the results of the suites' papers: by task, and by level where the paper reports levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from isovist import prompts, registry
from isovist.analysis.collect import RunResults, TaskResult, every_task
from isovist.core.canonical_json import PUBLISHED
from isovist.reference import published, reference, suites
from isovist.reports.figures import published_comparison
from isovist.reports.section import Section
from isovist.reports.sections import takeaways
from isovist.reports.table import TASK, Column, Table
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval

CAPTION = "They are on other items: compare patterns, not values."
_Row = tuple[str, str, list[ConfidenceInterval | None], Mapping[str, float]]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """One for each paper with results of the presented tasks."""
    by_suite: dict[str, list[_Row]] = {}
    for task, results in every_task(runs):
        by_suite.setdefault(task.partition("/")[0].removesuffix(PUBLISHED), []).extend(_rows(task, results))
    papers = {suite: reference(suite).paper for suite, rows in by_suite.items() if rows and suite in suites()}
    return [
        Section(
            f"Published results: {suite}",
            _table([run.name for run in runs], [*by_suite[suite], *_mean(suite, runs)]),
            f"Per cent. Published results: {paper['title']}, arXiv {paper['arxiv']}. {CAPTION} {_prompts(runs)}",
            takeaways.counts(
                runs,
                (
                    (run.name, 100 * accuracy.estimate > max(figures.values()))
                    for _, _, accuracies, figures in by_suite[suite]
                    for run, accuracy in zip(runs, accuracies, strict=True)
                    if accuracy
                ),
                "result",
                "above the highest published result",
                "on other items, not tested",
            ),
        )
        for suite, paper in papers.items()
    ]


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
    models = dict.fromkeys(model for *_, results in rows for model in results)
    decimals = {model: max(len(f"{results[model]:g}".partition(".")[2]) for *_, results in rows if model in results) for model in models}
    cells = [
        (
            task,
            level or "all",
            *(f"{100 * accuracy.estimate:.1f}" if accuracy else None for accuracy in accuracies),
            *(f"{results[model]:.{decimals[model]}f}" if model in results else None for model in models),
        )
        for task, level, accuracies, results in rows
    ]
    level = Column("", "Level" if any(level for _, level, *_ in rows) else "")
    return Table([TASK, level, *(Column("", name, "number") for name in (*names, *models))], cells)


def _mean(suite: str, runs: Sequence[RunResults]) -> list[_Row]:
    """The mean over all tasks of a suite, if the paper has it and a run has all of them."""
    figures = reference(suite).published_mean()
    accuracies = [_mean_accuracy(suite, run) for run in runs]
    return [("mean of all tasks", "", accuracies, figures)] if figures and any(accuracies) else []


def _mean_accuracy(suite: str, run: RunResults) -> ConfidenceInterval | None:
    required = {task.id for task in registry.tasks().values() if task.suite == suite}
    results = [result for result in run.tasks if result.task in required]
    if len(results) < len(required) or any(result.accuracy is None for result in results):
        return None
    return mean_of_tasks([(result.values, result.clusters) for result in results])


def _rows(task: str, results: Sequence[TaskResult | None]) -> Iterator[_Row]:
    """A task, or one of its levels: the accuracy of each run, and the published results in per cent."""
    if figures := published(task):
        yield task, "", [result.accuracy if result else None for result in results], figures
    registered = registry.find(task)
    presented = dict.fromkeys(level for result in results if result for level in result.by_level)
    for level in (level for level in (registered.levels if registered else presented) if level in presented):
        if figures := published(task, level):
            tallies = [result.by_level.get(level) if result else None for result in results]
            yield task, level, [tally.accuracy if tally else None for tally in tallies], figures
