"""Renders and photographs: tasks that a report has both on rendered and on photographed scenes, by model and over models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from isovist.core.canonical_json import PHOTOGRAPHS
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import TASK, Column, Table, ci_text
from isovist.stats.independent_differences import IndependentDifference, Stratum, independent_difference
from isovist.stats.paired_differences import mean_difference, rank_correlation

NATURAL = "natural"
"""Value of the attribute `pictures` of an imported item that shows a photograph."""
ALL_TASKS = "all"
CAPTION = (
    "Photographs minus renders, on different items with the same questions. Each common level has the same weight. Keys may be distributed "
    "differently: upright photographs, for example, never have the key 'It cannot be determined'."
)
CAPTION_OF_MODELS = (
    "Mean of the models' differences with Student's t interval over models; Kendall's tau-b of their accuracies on renders and on "
    "photographs. Few models leave both imprecise. Models of similar accuracy change places by chance alone, which lowers tau."
)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One model on the common levels of one task, or on all tasks (`ALL_TASKS`)."""

    task: str
    model: str
    strata: tuple[Stratum, ...]
    """Set A: photographs, set B: renders."""

    @property
    def difference(self) -> IndependentDifference:
        return independent_difference(self.strata)

    @property
    def row(self) -> tuple[object, ...]:
        result = self.difference
        n_photographs, n_renders = (
            sum(len(credits_) for credits_ in each) for each in zip(*((s.a, s.b) for s in self.strata), strict=True)
        )
        return self.task, self.model, n_renders, n_photographs, result.mean_b, result.mean_a, result.difference


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Empty sections unless one model has scores for the same task on renders and on photographs."""
    comparisons = list(_comparisons(runs))
    tasks = list(dict.fromkeys(comparison.task for comparison in comparisons))
    by_task = [(task, [each for each in comparisons if each.task == task]) for task in tasks]
    over_models = [_over_models(task, each) for task, each in by_task if len(each) > 1]
    columns = [TASK, Column("model", "Model"), Column("n_renders", "Renders", "count"), Column("n_photographs", "Photographs", "count")]
    columns += [
        Column("accuracy_renders", "Accuracy on renders", "percent"),
        Column("accuracy_photographs", "Accuracy on photographs", "percent"),
    ]
    table = Table([*columns, Column("difference", "Difference", "change")], [comparison.row for comparison in comparisons])
    of_models = [TASK, Column("models", "Models", "count"), Column("mean_difference", "Mean difference", "change")]
    of_models += [Column("kendall_tau", "Kendall's tau", "number"), Column("p", "p", "p")]
    return [
        Section("Renders and photographs", table, CAPTION, _takeaway(comparisons), file="photographs.csv"),
        Section(
            "Renders and photographs: agreement of models",
            Table(of_models, over_models),
            CAPTION_OF_MODELS,
            file="photographs_over_models.csv",
        ),
    ]


def _takeaway(comparisons: Sequence[_Comparison]) -> str:
    whole = [each for each in comparisons if each.task == ALL_TASKS] or list(comparisons)
    if not whole:
        return ""
    differences = [each.difference.difference for each in whole]
    significant = sum(each.low > 0 or each.high < 0 for each in differences)
    if len(whole) == 1:
        estimate, _, ends = ci_text(differences[0]).partition(" ")
        return f"Accuracy on photographs minus that on renders: {estimate} percentage points {ends}."
    return f"The 95% CI of the difference excludes 0 for {significant} of {pluralize(len(whole), 'comparison')}."


def _over_models(task: str, comparisons: Sequence[_Comparison]) -> tuple[object, ...]:
    results = [comparison.difference for comparison in comparisons]
    ranks = rank_correlation([each.mean_b for each in results], [each.mean_a for each in results])
    mean = mean_difference([each.difference.estimate for each in results])
    missing = f"{fmean(each.difference.estimate for each in results) * 100:+.1f} pp, too few models"
    return task, len(results), mean or missing, f"{ranks.tau:.2f}" if ranks else None, ranks.p if ranks else None


def _comparisons(runs: Sequence[RunResults]) -> Iterator[_Comparison]:
    """By task, then by model; all tasks together last, for models with several tasks."""
    by_model: dict[str, dict[str, list[Stratum]]] = {}
    for run in runs:
        photographed = {_rendered(task.task): task for task in run.tasks if _is_photographed(task)}
        for task in run.tasks:
            other = photographed.get(task.task)
            if other and task.is_interpretable and other.is_interpretable and (strata := _strata(task, other)):
                by_model.setdefault(run.name, {})[task.task] = strata
    tasks = sorted({task for strata in by_model.values() for task in strata})
    for name in tasks:
        yield from (_Comparison(name, model, tuple(strata[name])) for model, strata in by_model.items() if name in strata)
    if len(tasks) > 1:
        complete = {model: strata for model, strata in by_model.items() if len(strata) == len(tasks)}
        for model, strata in complete.items():
            yield _Comparison(ALL_TASKS, model, tuple(stratum for each in strata.values() for stratum in each))


def _rendered(task: str) -> str:
    """The id of the task whose questions the photographs have."""
    suite, _, name = task.partition("/")
    return f"{suite.removesuffix(PHOTOGRAPHS)}/{name}"


def _is_photographed(task: TaskResult) -> bool:
    return task.task.partition("/")[0].endswith(PHOTOGRAPHS)


def _strata(renders: TaskResult, photographs: TaskResult) -> list[Stratum]:
    """One for each level that both have; a task has the weight 1. Rendered images of imported sets, such as JTA's, are no photographs."""
    is_natural = [dict(attributes).get("pictures", NATURAL) == NATURAL for attributes in photographs.rows.values("attributes")]
    natural = photographs.rows.where(np.array(is_natural, bool)).by("level")
    pairs = [(natural[level], rows) for level, rows in renders.rows.by("level").items() if level in natural]
    scored = [(photo, render) for photo, render in pairs if photo.n and render.n]
    return [Stratum(1 / len(scored), photo.credits, photo.clusters, render.credits, render.clusters) for photo, render in scored]
