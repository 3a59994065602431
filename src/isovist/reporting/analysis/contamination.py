"""Contamination: the accuracy of one model on items of a public seed and on items of a private, or fresh, seed.

Items of both seeds are drawn from the same distribution, so that a higher accuracy on the public items is evidence that the model has
memorised some of them. Tasks have equal weights; within a task, levels are strata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.dataset.manifest import DataPart
from isovist.evaluation.run.run_folder import SERVER, RunFolder, RunMetadata
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.collect import order
from isovist.reporting.analysis.rows import Rows, pooled
from isovist.reporting.analysis.runs import OF_DATA, RunPart, caveats, design, load_runs, require_fixed_design
from isovist.reporting.analysis.text_format import join_names, pluralize
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses
from isovist.stats.independent_differences import IndependentDifference, Stratum, independent_difference
from isovist.stats.multiple_comparisons import holm

SIDES = ("public", "private")
ALL = "all tasks"
_DESIGN = ("version", "levels", "settings", "prompt style", "renderer", "chosen ids")
_REMEDY = "Run the same tasks with the same options and another --seed."


@dataclass(frozen=True, slots=True)
class SeedDifference:
    """The comparison of public (A) and private (B) items of a task, a suite or all tasks."""

    name: str
    n_public: int
    n_private: int
    comparison: IndependentDifference
    p: float
    """One-sided, Holm-adjusted over the tasks, or over the suites."""


@dataclass(frozen=True, slots=True)
class Contamination:
    model: str
    whole: SeedDifference
    suites: tuple[SeedDifference, ...]
    tasks: tuple[SeedDifference, ...]
    n_unscored: tuple[int, int]
    """Items of the public and of the private runs that are not scored; they are excluded."""
    n_unmatched: int
    """Scored items of a level of which the other set has none; they are excluded."""
    unparsed: tuple[UnparsedResponses, UnparsedResponses]
    other_server: bool
    """Whether the runs used several servers, or servers that reported several model names."""
    caveats: tuple[str, ...]


def contamination(public: Sequence[Path], private: Sequence[Path], verifier: Verifier | None = None) -> Contamination:
    """Compare runs of one model on public items with its runs on private items.

    Raises UserError if models, settings or tasks differ, or if the two sets have an item in common, and CheckFailed if the verification
    of a run fails.
    """
    folders = [*public, *private]
    require_fixed_design(folders)
    infos = [RunFolder(path).info() for path in folders]
    for path, info in zip(folders, infos, strict=True):
        _check_settings(folders[0], infos[0], path, info)
    runs = load_runs(folders, verifier, least=len(folders) + 1)  # not pooled
    parts = [part for run in runs for part in run.parts]
    sides = parts[: len(public)], parts[len(public) :]
    _check_designs(*(_designs(side) for side in sides))
    _check_items(parts)
    public_rows, private_rows = (pooled([part.rows for part in side]).standard for side in sides)
    strata = _strata(public_rows, private_rows)
    if not strata:
        raise UserError(f"No level with scored public and private items: {' and '.join(map(str, folders))}. Finish the runs first.")
    tasks = sorted({task for task, _, _ in strata}, key=order)
    suites = list(dict.fromkeys(task.partition("/")[0] for task in tasks))
    by_suite = {suite: [task for task in tasks if task.startswith(f"{suite}/")] for suite in suites}
    whole = _difference(ALL, tasks, strata)
    return Contamination(
        infos[0].model,
        whole,
        tuple(_adjusted(_difference(suite, names, strata) for suite, names in by_suite.items())) if len(suites) > 1 else (),
        tuple(_adjusted(_difference(task, [task], strata) for task in tasks)),
        (public_rows.n_unscored, private_rows.n_unscored),
        public_rows.n + private_rows.n - whole.n_public - whole.n_private,
        (UnparsedResponses.of(public_rows.scored.outcomes), UnparsedResponses.of(private_rows.scored.outcomes)),
        len({info.options.base_url for info in infos}) > 1 or len(set(map(_served_by, infos))) > 1,
        tuple(caveats(runs)),
    )


def _check_settings(first: Path, before: RunMetadata, path: Path, info: RunMetadata) -> None:
    if info.is_human_run:
        raise UserError(f"Run with answers of participants: {path}. Give runs of one model.")
    if differing := sorted(set(before.differing_settings(info)) - OF_DATA - SERVER):
        raise UserError(f"Different {join_names(differing)}: {first} and {path}. {_REMEDY}")


def _designs(parts: Sequence[RunPart]) -> dict[str, DataPart]:
    """The dataset part of each task and split of one side."""
    designs: dict[str, DataPart] = {}
    for part in parts:
        for name, data in part.designs.items():
            _check_design(name, designs.setdefault(name, data), data)
    return designs


def _check_designs(public: Mapping[str, DataPart], private: Mapping[str, DataPart]) -> None:
    if differing := sorted(public.keys() ^ private.keys()):
        side = SIDES[differing[0] in private]
        raise UserError(f"Only the {side} runs have {differing[0]}. {_REMEDY}")
    for name, part in public.items():
        if part.imported:
            raise UserError(f"Imported items of two sets may differ in difficulty: {name}. Give runs on generated items.")
        _check_design(name, part, private[name])


def _check_design(name: str, a: DataPart, b: DataPart) -> None:
    if differing := [field for field, one, other in zip(_DESIGN, design(a), design(b), strict=True) if one != other]:
        raise UserError(f"Different {join_names(differing)} of {name} in the runs. {_REMEDY}")


def _check_items(parts: Sequence[RunPart]) -> None:
    for (i, a), (j, b) in combinations(enumerate(part.ids for part in parts), 2):
        if common := a & b:
            paths = f"{parts[i].folder.path} and {parts[j].folder.path}"
            raise UserError(f"{pluralize(len(common), 'item')} in common: {paths} (such as {min(common)}). {_REMEDY}")


_Name = tuple[str, str, str]  # task, split and level


def _strata(public: Rows, private: Rows) -> dict[_Name, Stratum]:
    """The strata with items of both sets. The weights are those of Mantel and Haenszel, which have the least variance."""
    ours, theirs = (rows.scored.by("task", "split", "level") for rows in (public, private))
    return {
        name: Stratum(a.n * b.n / (a.n + b.n), a.credits, a.scored.texts("cluster"), b.credits, b.scored.texts("cluster"))
        for name, a in ours.items()
        if (b := theirs.get(name))
    }


def _difference(name: str, tasks: Sequence[str], strata: Mapping[_Name, Stratum]) -> SeedDifference:
    """The mean over tasks with equal weights; p is not adjusted."""
    of_tasks: list[Stratum] = []
    for task in tasks:
        of_task = [stratum for (other, _, _), stratum in strata.items() if other == task]
        total = sum(stratum.weight for stratum in of_task)
        of_tasks += [replace(stratum, weight=stratum.weight / total) for stratum in of_task]
    comparison = independent_difference(of_tasks)
    n_public, n_private = sum(len(stratum.a) for stratum in of_tasks), sum(len(stratum.b) for stratum in of_tasks)
    return SeedDifference(name, n_public, n_private, comparison, comparison.p_greater)


def _adjusted(differences: Iterable[SeedDifference]) -> list[SeedDifference]:
    listed = list(differences)
    return [replace(each, p=p) for each, p in zip(listed, holm([each.p for each in listed]), strict=True)]


def _served_by(info: RunMetadata) -> tuple[str, ...]:
    return info.usage.served_by if info.usage else ()
