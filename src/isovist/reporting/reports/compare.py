"""Paired comparison of models on the same items, by task and over all tasks, each with the same weight. This module sends no requests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.item_ids import stated_design
from isovist.evaluation.models.option_support import named_options
from isovist.evaluation.run.records import read
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.variants import STANDARD
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.ability_map import AbilityMap, ability_map
from isovist.reporting.analysis.collect import order, run_results
from isovist.reporting.analysis.overall_performance import Overall, overall
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.runs import Run, caveats, load_runs, require_fixed_design
from isovist.reporting.analysis.standings import Tasks, equal_weights, on_same_items, scored_in_all, standings
from isovist.reporting.analysis.unparsed_responses import AccuracyRange, accuracy_range, may_reverse
from isovist.stats.multiple_comparisons import compact_letter_groups, holm
from isovist.stats.pairwise_tests import ALPHA, PairedComparison, compare_paired

ALL = "all tasks"
"""The name of the comparison over the items of all tasks."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models, by their places, on one task. `p` is Holm-adjusted."""

    a: int
    b: int
    comparison: PairedComparison
    p: float
    is_inconclusive: bool
    """Whether unparsed responses or missing items could reverse the order of the two."""

    @property
    def is_significant(self) -> bool:
        return self.p < ALPHA and not self.is_inconclusive


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """Models on the items of a task, or of all tasks, that every run has."""

    task: str
    n: int
    """The number of items that are scored in every run, as the paired tests need."""
    overall: tuple[Overall, ...]
    """Each model on those that are scored in its run."""
    models: tuple[AccuracyRange, ...]
    """The accuracy of each model, and that of its parsed responses."""
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[int, ...], ...]
    """The largest sets of models without a significant difference, by their places; without models with many unparsed responses."""

    def letters(self, model: int) -> str:
        """The compact letter display: models that share a letter do not differ significantly."""
        places = [place for place, group in enumerate(self.groups) if model in group]
        return "".join(chr(ord("a") + place) if place < 26 else f"({place + 1})" for place in places)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison. `settings`: the settings that differ between the runs, with the value of each run."""

    names: tuple[str, ...]
    infos: tuple[RunMetadata, ...]
    settings: dict[str, tuple[str, ...]]
    n_shared: int
    """Items of all runs."""
    n_unshared: tuple[int, ...]
    """Items of each run that are not in all runs."""
    n_unscored: tuple[int, ...]
    """Shared items of each run that are not scored; they widen its intervals and are excluded from tests."""
    excluded_tasks: tuple[str, ...]
    """Tasks without a remaining item."""
    caveats: tuple[str, ...]
    """Sentences on what was not verified."""
    changed_images: int
    """Compared items whose images differ between runs."""
    whole: TaskComparison
    tasks: tuple[TaskComparison, ...]
    abilities: AbilityMap


def compare(folders: Sequence[Path], verifier: Verifier | None = None) -> Comparison:
    """Compare the runs in these folders. Raises UserError if they have no items in common, or items of different versions, and CheckFailed
    if the verification of a run fails.
    """
    if len(folders) < 2:
        raise UserError("Too few runs to compare: 1. Give at least two run folders.")
    require_fixed_design(folders)
    loaded = load_runs(folders, verifier, least=2)
    names = [run.name for run in loaded]
    runs = [run.rows.standard for run in loaded]
    ids = [rows.texts("item_id") for rows in runs]
    _check_versions(names, runs, ids)
    common = set(ids[0]).intersection(*ids[1:])
    listed = " and ".join(map(str, folders))
    if not common:
        raise UserError(f"No item in common: {listed}. Evaluate the models on one dataset folder (`isovist run --data DIR`).")
    results = [run_results(run).tasks for run in loaded]
    same = on_same_items([{task.task: task.counted for task in tasks} for tasks in results])
    by_task = {task: [tasks[task] for tasks in same] for task in sorted(same[0], key=order)}
    compared = {task: comparison for task, rows in by_task.items() if (comparison := _compared(task, [{task: each} for each in rows]))}
    if not compared:
        raise UserError(f"No item is scored in every run: {listed}. Finish the runs first.")
    excluded = {task for rows in runs for task in rows.by("task")} - set(compared)
    whole = _compared(ALL, [{task: by_task[task][run] for task in compared} for run in range(len(runs))])
    return Comparison(
        tuple(names),
        tuple(run.info for run in loaded),
        _settings(loaded),
        len(common),
        tuple(len(rows) - len(common) for rows in runs),
        tuple(len(common) - len(common.intersection(rows.scored.texts("item_id"))) for rows in runs),
        tuple(sorted(excluded, key=order)),
        tuple(caveats(loaded)),
        _count_changed_images(loaded, common),
        _adjusted([whole] if whole else [])[0],
        tuple(_adjusted(list(compared.values()))),
        ability_map(names, standings(results)),
    )


def _count_changed_images(runs: Sequence[Run], ids: Collection[str]) -> int:
    """The number of items whose recorded images differ between runs."""
    parts = [part for run in runs for part in run.parts]
    if len({part.info.data_hash for part in parts}) == 1:
        return 0
    images: dict[str, set[tuple[str, ...]]] = {}
    for part in parts:
        for record in read(part.folder.records):
            if record.item_id in ids and record.variant == STANDARD and record.image_hashes:
                images.setdefault(record.item_id, set()).add(tuple(record.image_hashes))
    return sum(len(hashes) > 1 for hashes in images.values())


def _check_versions(names: Sequence[str], runs: Sequence[Rows], ids: Sequence[Sequence[str]]) -> None:
    """Raises UserError if two runs have different versions of a task, that is, different items."""
    versions = [set(zip(rows.texts("task"), map(_version, run_ids), strict=True)) for rows, run_ids in zip(runs, ids, strict=True)]
    for (i, first), (j, second) in combinations(enumerate(versions), 2):
        for task, version in sorted(first - second):
            others = [v for t, v in second if t == task]
            if others and (task, version) not in second:
                raise UserError(
                    f"Different versions of {task}: {version} ({names[i]}) and {others[0]} ({names[j]}). "
                    "Evaluate both models on one dataset folder (`isovist run --data DIR`)."
                )


def _version(id: str) -> int:
    try:
        return stated_design(id).version
    except ValueError:
        return 0  # imported items


def _compared(task: str, runs: Sequence[Tasks]) -> TaskComparison | None:
    """The comparison of the same items in all runs, without adjustment for multiple tests; None if none is scored in all."""
    models = [accuracy_range(list(tasks.values())) for tasks in runs]
    scored = scored_in_all(runs)
    if not scored[0].n:
        return None
    weights, clusters = equal_weights(scored[0]), scored[0].clusters  # a cluster may extend across tasks
    pairs = [
        Pair(a, b, comparison, comparison.p, may_reverse(models[a], models[b]))
        for a, b in combinations(range(len(runs)), 2)
        for comparison in (compare_paired(scored[a].credits, scored[b].credits, clusters, weights),)
    ]
    means = tuple(overall([rows.scores for rows in tasks.values()]) for tasks in runs)
    return TaskComparison(task, scored[0].n, means, tuple(models), tuple(pairs), ())


def _adjusted(compared: Sequence[TaskComparison]) -> list[TaskComparison]:
    """The comparisons with Holm-adjusted p-values over all pairs of models and all tasks, and the resulting groups."""
    ps = iter(holm([pair.p for comparison in compared for pair in comparison.pairs]))
    comparisons: list[TaskComparison] = []
    for comparison in compared:
        pairs = tuple(replace(pair, p=next(ps)) for pair in comparison.pairs)
        tested = [place for place, model in enumerate(comparison.models) if not model.unparsed.many]
        significant = [(pair.a, pair.b) for pair in pairs if pair.is_significant and pair.a in tested and pair.b in tested]
        different = [(tested.index(a), tested.index(b)) for a, b in significant]
        groups = [tuple(tested[place] for place in group) for group in (compact_letter_groups(len(tested), different) if tested else [])]
        groups.sort(key=lambda group: -max(comparison.models[model].strict.estimate for model in group))
        comparisons.append(replace(comparison, pairs=pairs, groups=tuple(groups)))
    return comparisons


def _settings(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """The settings that differ between the runs, besides the model."""
    settings = list(map(_settings_of_run, runs))
    infos = [run.info for run in runs]
    where = [
        {"server": _if_native(info, ", ".join(info.options.base_urls) or "of the provider"), "served as": _served(info)} for info in infos
    ]
    pairs = [(a, b) for a, b in combinations(range(len(runs)), 2) if infos[a].model == infos[b].model]
    for name in ("server", "served as"):  # they differ between models, but one name may stand for two models
        if any(where[a][name] != where[b][name] for a, b in pairs):
            settings = [run_settings | {name: server[name]} for run_settings, server in zip(settings, where, strict=True)]
    names = dict.fromkeys(name for run_settings in settings for name in run_settings)
    values = {name: tuple(_text(run_settings.get(name)) for run_settings in settings) for name in names}
    return {name: column for name, column in values.items() if len(set(column)) > 1}


def _settings_of_run(run: Run) -> dict[str, object]:
    info = run.info
    return {
        "evaluated with": info.source_tool or "Isovist",
        "prompt style": _if_native(info, info.style),
        "release": info.release_text or "none",
        "image mode": info.image_mode,
        "renderer": ", ".join(sorted({design.renderer for part in run.parts for design in part.designs.values()})),
        "temperature": _if_native(info, info.options.shown_temperature),
        "maximum output tokens": _if_native(info, info.options.max_tokens),
        **({} if info.source_tool else named_options(info.options)),
        "items per task": info.n,
        **{f"version of {name}": version for name, version in info.versions.items() if name in ("isovist", "inspect-ai")},
    }


def _if_native(info: RunMetadata, value: object) -> object:
    """A setting of requests by Isovist; unknown for participants and other tools."""
    return "unknown" if info.source_tool else value


def _served(info: RunMetadata) -> str:
    return ", ".join(info.usage.served_by) if info.usage and info.usage.served_by else "unknown"


def _text(value: object) -> str:
    return "not set" if value is None else str(value)
