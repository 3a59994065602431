"""Several models on the same items: paired by item, task by task and over all tasks. Nothing here asks a model or reads a clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from isovist.analysis.collect import of_a_full_design, order
from isovist.analysis.run_names import run_names
from isovist.analysis.unparsed_responses import AccuracyRange, both
from isovist.core.answers import Outcome
from isovist.core.task import ItemAddress
from isovist.errors import UserError
from isovist.run.records import read
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.variants import STANDARD
from isovist.run.verification import Reading, Verifier
from isovist.stats.multiple_comparisons import holm
from isovist.stats.pairwise_tests import ALPHA, PairedComparison, compact_letter_groups, compare_paired

ALL = "all tasks"
"""Stands for the items of all tasks together."""


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """One item of a run with its credit; None for a machine fault or an item that was never asked."""

    task: str
    group: str
    credit: float | None
    chance: float
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of the models, by their places, on one task. `p` stands among all tests of its family, by Holm's method."""

    a: int
    b: int
    comparison: PairedComparison
    p: float
    open: bool
    """Whether many replies of one of the two could not be read: then their difference may come from that, and is not told."""

    @property
    def is_significant(self) -> bool:
        return self.p < ALPHA and not self.open


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """Some models on the items of a task, or of all, that every one of them has a verdict for."""

    task: str
    n: int
    models: tuple[AccuracyRange, ...]
    """Each model's accuracy, and that of its readable replies."""
    pairs: tuple[Pair, ...]
    ties: tuple[tuple[int, ...], ...]
    """The largest sets of models that cannot be told apart, by their places; without those of which many replies could not be read."""

    def letters(self, model: int) -> str:
        """A letter for each set of ties in which a model is: models that share one cannot be told apart."""
        return "".join(
            chr(ord("a") + place) if place < 26 else f"({place + 1})" for place, chosen in enumerate(self.ties) if model in chosen
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared, and what came out. `settings`: what differs between the runs, with each run's value."""

    names: tuple[str, ...]
    infos: tuple[RunMetadata, ...]
    settings: dict[str, tuple[str, ...]]
    shared: int
    """Items that all runs were to ask."""
    alone: tuple[int, ...]
    """Items of each run that some other run does not have."""
    faults: tuple[int, ...]
    """Items of each run, of the shared ones, without a verdict: they are left out of everything."""
    excluded_tasks: tuple[str, ...]
    """Tasks of which no item is left."""
    readings: tuple[Reading, ...]
    changed_images: int
    """Items, of those with a verdict of every run, whose pictures were not the same for all."""
    whole: TaskComparison
    tasks: tuple[TaskComparison, ...]


def compare(folders: Sequence[Path], verifier: Verifier | None = None) -> Comparison:
    """The runs in these folders, beside each other. Raises UserError if they have no items in common, or items of other versions, and
    CheckFailed if one is not what it says it is.
    """
    verifier = verifier or Verifier()
    if len(folders) < 2:
        raise UserError("one run alone cannot be compared; give two or more.")
    opened = [(RunFolder(path), RunFolder(path).info()) for path in folders]
    for folder, info in opened:
        of_a_full_design(folder, info)
    names = run_names(opened)
    readings = [verifier.read(folder, info) for folder, info in opened]
    verifier.conclude()
    asked = [_asked(folder, info, reading) for (folder, info), reading in zip(opened, readings, strict=True)]
    _same_versions(names, asked)
    common = set(asked[0]).intersection(*asked[1:])
    if not common:
        raise UserError(f"{' and '.join(map(str, folders))}: no item in common; ask both about one data folder (`isovist run --data DIR`).")
    listed = [id for id in asked[0] if id in common]
    good = [id for id in listed if all(run[id].credit is not None for run in asked)]
    if not good:
        raise UserError(f"{' and '.join(map(str, folders))}: no item for which every run has a verdict; finish the runs first.")
    by_task: dict[str, list[str]] = {}
    for id in good:
        by_task.setdefault(asked[0][id].task, []).append(id)
    lost = tuple(task for task in dict.fromkeys(item.task for run in asked for item in run.values()) if task not in by_task)
    tasks = [_compared(task, by_task[task], asked) for task in sorted(by_task, key=order)]
    return Comparison(
        tuple(names),
        tuple(info for _, info in opened),
        _settings(opened),
        len(common),
        tuple(len(run) - len(common) for run in asked),
        tuple(sum(run[id].credit is None for id in common) for run in asked),
        tuple(sorted(lost, key=order)),
        tuple(readings),
        _redrawn(opened, set(good)),
        _among([_compared(ALL, good, asked)])[0],
        tuple(_among(tasks)),
    )


def _asked(folder: RunFolder, info: RunMetadata, reading: Reading) -> dict[str, ComparedItem]:
    """Each item of a run by its id, in order."""
    asked: dict[str, ComparedItem] = {}
    for row in folder.rows(info, pictures=False):
        verdict = reading.verdicts.get((row.id, STANDARD))
        outcome = "error" if verdict is None else verdict.outcome
        credit = None if verdict is None or outcome == "error" else verdict.value
        asked[row.id] = ComparedItem(row.task, row.group, credit, row.chance, outcome)
    return asked


def _redrawn(runs: Sequence[tuple[RunFolder, RunMetadata]], ids: Collection[str]) -> int:
    """Of how many items the runs that know what they showed did not show the same pictures."""
    if len({info.data_hash for _, info in runs}) == 1:
        return 0
    shown: dict[str, set[tuple[str, ...]]] = {}
    for folder, _ in runs:
        for record in read(folder.records):
            if record.item_id in ids and record.variant == STANDARD and record.image_hashes:
                shown.setdefault(record.item_id, set()).add(tuple(record.image_hashes))
    return sum(len(pictures) > 1 for pictures in shown.values())


def _same_versions(names: Sequence[str], asked: Sequence[Mapping[str, ComparedItem]]) -> None:
    """Raises UserError where two runs asked a task in other versions: their items are others, whatever their places."""
    versions = [{(item.task, _version(id)) for id, item in run.items()} for run in asked]
    for (i, one), (j, other) in combinations(enumerate(versions), 2):
        for task, version in sorted(one - other):
            others = [v for t, v in other if t == task]
            if others and (task, version) not in other:
                raise UserError(
                    f"{task}: {names[i]} was asked version {version}, {names[j]} version {others[0]}; these are other items. "
                    "Ask both about one data folder (`isovist run --data DIR`)."
                )


def _version(id: str) -> int:
    try:
        return ItemAddress.parse(id).version
    except ValueError:
        return 0  # items from elsewhere


def _compared(task: str, ids: Sequence[str], asked: Sequence[Mapping[str, ComparedItem]]) -> TaskComparison:
    """As it is before the tests of other tasks are known."""
    # a group is one of its task: two tasks of a family show the same pictures, and are right and wrong together there too
    groups = [asked[0][id].group for id in ids]
    scores = [[run[id].credit or 0.0 for id in ids] for run in asked]
    models = [both((item.outcome, item.credit or 0.0, item.chance, item.group) for item in map(run.__getitem__, ids)) for run in asked]
    pairs = [
        Pair(a, b, comparison, comparison.p, models[a].unreadable.many or models[b].unreadable.many)
        for a, b in combinations(range(len(asked)), 2)
        for comparison in (compare_paired(scores[a], scores[b], groups),)
    ]
    return TaskComparison(task, len(ids), tuple(models), tuple(pairs), ())


def _among(compared: Sequence[TaskComparison]) -> list[TaskComparison]:
    """With Holm's p-values over all pairs of models and all tasks, and the ties that follow."""
    ps = iter(holm([pair.p for comparison in compared for pair in comparison.pairs]))
    comparisons: list[TaskComparison] = []
    for comparison in compared:
        pairs = tuple(replace(pair, p=next(ps)) for pair in comparison.pairs)
        known = [place for place, model in enumerate(comparison.models) if not model.unreadable.many]
        apart = [(known.index(pair.a), known.index(pair.b)) for pair in pairs if pair.is_significant]
        ties = [tuple(known[place] for place in chosen) for chosen in (compact_letter_groups(len(known), apart) if known else [])]
        best = sorted(ties, key=lambda chosen: -max(comparison.models[model].strict.estimate for model in chosen))
        comparisons.append(TaskComparison(comparison.task, comparison.n, comparison.models, pairs, tuple(best)))
    return comparisons


def _settings(runs: Sequence[tuple[RunFolder, RunMetadata]]) -> dict[str, tuple[str, ...]]:
    """What was set differently, beside the model: it may be why they differ."""
    settings = [_set(folder, info) for folder, info in runs]
    where = [{"server": _asked_here(info, info.options.base_url or "the provider's"), "served as": _served(info)} for _, info in runs]
    pairs = [(a, b) for a, b in combinations(range(len(runs)), 2) if runs[a][1].model == runs[b][1].model]
    for name in ("server", "served as"):  # other models have others anyway; behind one name there may be two models
        if any(where[a][name] != where[b][name] for a, b in pairs):
            settings = [one | {name: server[name]} for one, server in zip(settings, where, strict=True)]
    names = Counter(name for one in settings for name in one)
    values = {name: tuple(_word(one.get(name)) for one in settings) for name in names}
    return {name: column for name, column in values.items() if len(set(column)) > 1}


def _set(folder: RunFolder, info: RunMetadata) -> dict[str, object]:
    return {
        "asked by": info.source_tool or "Isovist",
        "prompt style": _asked_here(info, info.style),
        "pictures": info.image_mode,
        "pictures drawn by": ", ".join(sorted({part.renderer for part in folder.parts(info)})),
        "temperature": _asked_here(info, info.options.temperature),
        "most tokens of a reply": _asked_here(info, info.options.max_tokens),
        "items of each task": info.n,
        **{f"version of {name}": version for name, version in info.versions.items() if name in ("isovist", "inspect-ai")},
    }


def _asked_here(info: RunMetadata, value: object) -> object:
    """What is known of requests that were sent from here; people and other tools were asked in ways of their own."""
    return "not told" if info.source_tool else value


def _served(info: RunMetadata) -> str:
    return ", ".join(info.usage.served_by) if info.usage and info.usage.served_by else "not told"


def _word(value: object) -> str:
    return "not set" if value is None else str(value)
