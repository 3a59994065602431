"""Samples: a few items of each task with the responses of a run, for the page. All items are in the item browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.runs import RunPart
from isovist.dataset.load import load
from isovist.dataset.rows import ItemRow
from isovist.run.captions import descriptions
from isovist.run.records import UNREAD, AttemptRecord, scored
from isovist.run.variants import STANDARD

Kind = Literal["incorrect", "open", "correct"]
"""`open`: without a parsed answer."""
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
    n_tasks = sum(len(run.tasks) for run in runs)
    n_kinds = 3 if n_tasks <= _ALL_KINDS else 1 if n_tasks <= _ONE_KIND else 0
    chosen = {(run.name, task.task): _choose(task, n_kinds) for run in runs for task in run.tasks}
    read = {
        run.name: [_read(part, {id for task in run.tasks for id in chosen[run.name, task.task]}) for part in run.run.parts] for run in runs
    }
    return {
        (run, task): [Sample(kind, *rows[id]) for id, kind in kinds.items() for rows in read[run] if id in rows]
        for (run, task), kinds in chosen.items()
    }


def _choose(task: TaskResult, n_kinds: int) -> dict[str, Kind]:
    """The first item of each kind, by its id."""
    kinds: dict[Kind, str] = dict.fromkeys(("incorrect", "open", "correct"), "")
    for item in task.items:
        kind: Kind = "open" if item.outcome in UNREAD else "correct" if item.outcome == "correct" else "incorrect"
        kinds[kind] = kinds[kind] or item.item
    firsts: list[tuple[str, Kind]] = [(id, kind) for kind, id in kinds.items() if id]
    return dict(firsts[:n_kinds])


def _read(part: RunPart, ids: set[str]) -> Mapping[str, tuple[ItemRow, AttemptRecord, tuple[str, ...]]]:
    """The items with these ids, with images, their records and descriptions."""
    folder, info = part.folder, part.info
    results = {trials.item.id: result for trials in part.trials if trials.item.id in ids and (result := trials.scored)}
    where = {trials.item.id: (trials.item.task, trials.item.split) for trials in part.trials if trials.item.id in results}
    notes = descriptions(folder.captions) if results else {}
    samples: dict[str, tuple[ItemRow, AttemptRecord, tuple[str, ...]]] = {}
    for data_part in folder.parts(info):
        wanted = {id for id, place in where.items() if place == (data_part.task, data_part.split)}
        for row in load(folder.data(info), [data_part], info.n) if wanted else ():
            if row.id in wanted:
                samples[row.id] = row, scored(folder.records, results[row.id]), tuple(notes.get((row.id, STANDARD), ()))
                wanted.discard(row.id)
                if not wanted:
                    break
    return samples
