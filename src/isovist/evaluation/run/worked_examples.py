"""Worked examples before a question (variant `shots:K`): items of the train split of the same task, with their keys.

The examples of a dataset folder are its own train items. If it has none, they are generated into the folder `examples` of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from isovist.common.canary import unmarked
from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.data.dataset.generate import generate
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.suites import registry

EXAMPLES = "examples"
MOST = 8
"""The largest number of examples of a request; also the number of generated examples of each level."""
_STORED = 64  # stored train items of imported data from which examples are selected
_SPLIT = "train"

Examples = Callable[[ItemRow, int], Sequence[ItemRow]]
"""The worked examples of an item: their number is the second argument."""


@dataclass(frozen=True, slots=True)
class WorkedExamples:
    """The examples for the items of a dataset folder: its own, or those in the folder `examples`."""

    data: Path
    examples: Path

    def __call__(self, row: ItemRow, k: int) -> list[ItemRow]:
        """The examples of an item, the same each time; those of its level come first, and fewer examples are the first of more.

        Raises UserError if there are fewer.
        """
        rng = Rng("worked examples", row.id)
        # without the canary, which only test images have
        images = tuple(map(unmarked, row.images))
        ungrouped = (other for other in self._pool(row) if other.id != row.id and other.group != row.group)
        pool = [other for other in ungrouped if tuple(map(unmarked, other.images)) != images]
        same_level = rng.at("same level").shuffled([other for other in pool if other.level == row.level])
        others = rng.at("others").shuffled([other for other in pool if other.level != row.level])
        if len(pool) < k:
            raise _too_few(len(pool), row.task, k, self.data)
        return (same_level + others)[:k]

    def _pool(self, row: ItemRow) -> tuple[ItemRow, ...]:
        stored = _stored_part(self.data, row.task, row.split)
        return _rows(self.data, stored.task) if stored else _rows(self.examples, row.task)


def prepare_examples(
    data: Path, parts: Sequence[DataPart], examples: Path, workers: int = 1, progress: Callable[[int], object] = lambda n: None
) -> None:
    """Generate the worked examples that neither folder has. Raises UserError as `missing_examples` does."""
    if missing := missing_examples(parts, data, examples):
        generate(missing, examples, workers, progress)


def missing_examples(parts: Sequence[DataPart], data: Path | None = None, examples: Path | None = None, k: int = 0) -> list[DataPart]:
    """The parts to generate: those without train items in the dataset folder and in the folder of examples.

    Raises UserError for items that no task generates, and for a dataset folder with fewer than `k` train items of a task.
    """
    for part in parts:
        if data is not None and (few := _stored_part(data, part.task, part.split)) is not None and few.n < k:
            raise _too_few(few.n, part.task, k, data)
    stored = Manifest.read(examples) if examples and (examples / MANIFEST).exists() else None
    missing = [part for part in parts if data is None or _stored_part(data, part.task, part.split) is None]
    return [_to_generate(part, data) for part in missing if stored is None or stored.part(part.task, _SPLIT) is None]


def _too_few(n: int, task: str, k: int, data: Path) -> UserError:
    return UserError(f"{n} train items of {task} for {k} worked examples: {data}. Use a lower --shots.")


def _to_generate(part: DataPart, data: Path | None) -> DataPart:
    task = registry.find(part.task)
    if part.imported or task is None or task.version != part.version:
        raise UserError(f"No worked examples: {data} has no train items of {part.task}, and they cannot be generated. Remove --shots.")
    other_seed = part.seed + 1 if part.seed < 2**63 - 1 else 0  # with a private seed it is 1: examples show nothing of that seed
    levels = tuple(dict.fromkeys(part.levels[: part.n]))  # a short run has the first levels only
    return replace(part, split=_SPLIT, n=MOST * len(levels), seed=other_seed, level=",".join(levels), counts={}, release="", commitment="")


def _stored_part(data: Path, task: str, split: str) -> DataPart | None:
    """The train items of a dataset folder that may serve as examples for items of `split`."""
    return None if split == _SPLIT else _manifest(data, (data / MANIFEST).stat().st_mtime_ns).part(task, _SPLIT)


@lru_cache(maxsize=4)
def _manifest(folder: Path, changed: int) -> Manifest:
    del changed
    return Manifest.read(folder)


@lru_cache(maxsize=2)  # the items of a run are in order of their tasks
def _rows(folder: Path, task: str) -> tuple[ItemRow, ...]:
    part = Manifest.read(folder).part(task, _SPLIT)
    if part is None:
        return ()
    return tuple(load(folder, [part], _STORED if part.imported else MOST * len(part.levels)))
