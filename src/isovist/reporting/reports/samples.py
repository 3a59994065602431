"""Samples: a few items of each task with the responses of a run, for the page, and the items of the item browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from isovist.data.dataset.load import load
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.run.captions import descriptions
from isovist.evaluation.run.records import UNREAD, AttemptRecord, at
from isovist.evaluation.run.variants import STANDARD
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Array
from isovist.reporting.analysis.runs import RunPart
from isovist.reporting.analysis.task_result import TaskResult

Kind = Literal["incorrect", "open", "correct"]
"""`open`: without a parsed answer."""
MOST_BROWSED = 20_000
"""Items of the item browser, over all runs; of more items it has a sample."""
_ALL_KINDS, _ONE_KIND = 24, 60
"""The numbers of tasks, over all runs, up to which a task has a sample of each kind, or one sample."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One item with its response."""

    kind: Kind
    row: ItemRow
    record: AttemptRecord
    notes: tuple[str, ...]
    """The descriptions of its images by the model, in caption-first mode."""


def samples(runs: Sequence[RunResults]) -> dict[tuple[str, str], list[Sample]]:
    """The samples by run and task: incorrect responses first. Reports with many tasks have fewer or none."""
    chosen = _chosen(runs)
    read = {
        run.name: [sample_rows(part, {id for task in run.tasks for id in chosen[run.name, task.task]}) for part in run.run.parts]
        for run in runs
    }
    return {
        (run, task): [Sample(kind, *rows[id]) for id, kind in kinds.items() for rows in read[run] if id in rows]
        for (run, task), kinds in chosen.items()
    }


def _chosen(runs: Sequence[RunResults]) -> dict[tuple[str, str], dict[str, Kind]]:
    n_tasks = sum(len(run.tasks) for run in runs)
    n_kinds = 3 if n_tasks <= _ALL_KINDS else 1 if n_tasks <= _ONE_KIND else 0
    return {(run.name, task.task): _choose(task, n_kinds) for run in runs for task in run.tasks}


def _choose(task: TaskResult, n_kinds: int) -> dict[str, Kind]:
    """The first item of each kind, by its id."""
    firsts: list[tuple[str, Kind]] = [(ids[0], kind) for kind, ids in ids_by_kind(task).items() if ids]
    return dict(firsts[:n_kinds])


def ids_by_kind(task: TaskResult) -> dict[Kind, list[str]]:
    """The ids of the scored items of each kind."""
    is_open, is_correct = task.scored.has("outcome", *UNREAD), task.scored.has("outcome", "correct")
    masks: dict[Kind, Array] = {"incorrect": ~(is_open | is_correct), "open": is_open, "correct": is_correct}
    return {kind: task.scored.where(mask).texts("item_id") for kind, mask in masks.items()}


def sample_rows(part: RunPart, ids: set[str]) -> Mapping[str, tuple[ItemRow, AttemptRecord, tuple[str, ...]]]:
    """The items with these ids, with images, their records and descriptions."""
    folder, info = part.folder, part.info
    rows = part.rows.standard.scored
    known = zip(rows.texts("item_id"), zip(rows.texts("task"), rows.texts("split"), strict=True), rows.places.tolist(), strict=True)
    where = {id: (data, place) for id, data, place in known if id in ids}
    notes = descriptions(folder.captions) if where else {}
    samples: dict[str, tuple[ItemRow, AttemptRecord, tuple[str, ...]]] = {}
    for data_part in folder.parts(info):
        wanted = {id for id, (data, _) in where.items() if data == (data_part.task, data_part.split)}
        for row in load(folder.data(info), [data_part], info.n) if wanted else ():
            if row.id in wanted:
                if record := record_of(part, where[row.id][1]):
                    samples[row.id] = row, record, tuple(notes.get((row.id, STANDARD), ()))
                wanted.discard(row.id)
                if not wanted:
                    break
    return samples


def record_of(part: RunPart, place: int) -> AttemptRecord | None:
    """The record of the trial at a place of the table, with its score there; None for a trial without a record."""
    names = ("outcome", "credit", "parsed_answer", "published_credit")
    offset, *score = (part.rows.trials[name][place].as_py() for name in ("record_place", *names))
    if offset is None:
        return None
    record = at(part.folder.records, offset)
    return replace(record, **dict(zip(names, score, strict=True))) if score[1] is not None else record  # not of a request error


def n_items(runs: Sequence[RunResults]) -> int:
    """The number of items of all runs; an item of several runs counts once for each."""
    return sum(len(run.run.rows.items) for run in runs)


def browser_sample(runs: Sequence[RunResults]) -> set[str] | None:
    """The ids of the items of the item browser: random, the same for all runs, equally many of each task; None for all items.

    The items that the report shows are among them.
    """
    if n_items(runs) <= MOST_BROWSED:
        return None
    tasks: dict[str, Counter[str]] = {}
    for task, rows in (group for run in runs for group in run.run.rows.standard.by("task").items()):
        tasks.setdefault(task, Counter()).update(rows.texts("item_id"))
    shown = {id for kinds in _chosen(runs).values() for id in kinds}
    ids: set[str] = set()
    left = MOST_BROWSED
    for place, counts in enumerate(sorted(tasks.values(), key=lambda counts: counts.total())):
        room = left // (len(tasks) - place)  # small tasks leave room for large ones
        for id in sorted(counts, key=lambda id: (id not in shown, sha256(id.encode()).digest())):
            if (room := room - counts[id]) < 0:
                break
            ids.add(id)
            left -= counts[id]
    return ids
