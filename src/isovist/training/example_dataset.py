"""The examples of a mix or data folder by their places, read from the Parquet files when they are asked for.

Nothing is copied: what is held are a number for each example and the row groups that were read last. Neighbours in `ordered` come
from few row groups, so each is read about once an epoch.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isovist.core.rng import Rng
from isovist.dataset import parquet
from isovist.dataset.load import chosen
from isovist.dataset.manifest import MANIFEST, Manifest
from isovist.dataset.mixture import MIX, Mix
from isovist.dataset.rows import rows
from isovist.dataset.training_examples import TrainingExample, examples, of_row
from isovist.errors import UserError
from isovist.training.settings import Data

_AGAIN = "make the data again"
_WINDOW = 128 << 20
"""Bytes of the row groups among which examples are shuffled; a worker holds at most twice as many."""


@dataclass(frozen=True, slots=True)
class Group:
    """A row group of a file."""

    file: Path
    number: int
    """From 0 in the file."""
    size: int
    """Bytes in memory."""
    rows: Sequence[int]
    """The rows of it, from 0, that are wanted."""


@dataclass(slots=True)
class ExampleDataset:
    """The examples of a folder. `__getitem__` takes a place from 0; it raises UserError for an example that cannot be read."""

    data: Data
    manifest: Path
    """The manifest of the folder."""
    groups: list[Group]
    counts: dict[str, int]
    """How many examples there are of each source and kind."""
    mix: bool
    _starts: list[int] = field(default_factory=list[int])
    _held: OrderedDict[int, pa.Table] = field(default_factory=OrderedDict[int, pa.Table])
    _bytes: int = 0

    def __post_init__(self) -> None:
        self._starts = [0, *np.cumsum([len(group.rows) for group in self.groups]).tolist()]

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def digest(self) -> str:
        """A hash of the manifest, which holds the hash of every file."""
        return sha256(self.manifest.read_bytes()).hexdigest()[:16]

    def __getitem__(self, place: int) -> TrainingExample:
        number = int(np.searchsorted(self._starts, place, side="right")) - 1
        group = self.groups[number]
        row = group.rows[place - self._starts[number]]
        (batch,) = self._table(number).slice(row, 1).combine_chunks().to_batches()
        try:
            if self.mix:
                return next(examples(batch))
            return of_row(next(rows(batch)), self.data.kind, self.data.style or None)
        except (TypeError, KeyError, ValueError) as error:
            raise UserError(f"{group.file}: an example cannot be read ({parquet.line(error)}); {_AGAIN}.") from error

    def longest(self) -> list[int]:
        """Of each source of the project's own the place of the example with the most words."""
        longest: dict[str, tuple[int, int]] = {}
        columns = ["source", "kind", "turns"] if self.mix else ["task", "prompt", "metadata"]
        for number, group in enumerate(self.groups):
            listed = self._read(group, columns).to_pylist()
            for place, row in enumerate(group.rows, self._starts[number]):
                source, length = (_words_of_example if self.mix else _words_of_row)(listed[row])
                longest[source] = max(longest.get(source, (0, place)), (length, place))
        return [place for source, (_, place) in longest.items() if source]

    def ordered(self, seed: int, count: int) -> list[int]:
        """`count` places, each epoch in another order: row groups are shuffled, and examples among so many of them as fit a window."""
        places: list[int] = []
        epoch = 0
        while len(places) < count:
            places += self._epoch(Rng("training order", seed, epoch))
            epoch += 1
        return places[:count]

    def _epoch(self, rng: Rng) -> Iterator[int]:
        window: list[int] = []
        size = 0
        for number in [*rng.at("groups").shuffled(range(len(self.groups))), None]:
            if number is None or (window and size + self.groups[number].size > _WINDOW):
                yield from rng.at("rows", window[0]).shuffled(window)
                window, size = [], 0
            if number is not None:
                window += range(self._starts[number], self._starts[number + 1])
                size += self.groups[number].size

    def forget(self) -> None:
        """Lets go of what was read."""
        self._held.clear()
        self._bytes = 0

    def _table(self, number: int) -> pa.Table:
        """A row group, and it becomes the last that is thrown away."""
        if number in self._held:
            self._held.move_to_end(number)
            return self._held[number]
        table = self._read(self.groups[number], None)
        self._held[number] = table
        self._bytes += table.nbytes
        while self._bytes > 2 * _WINDOW and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].nbytes
        return table

    def _read(self, group: Group, columns: list[str] | None) -> pa.Table:
        with parquet.opened(group.file, _AGAIN, buffer=0) as file:
            return file.read_row_group(group.number, columns=columns)  # pyright: ignore[reportUnknownMemberType]


def opened(data_settings: Data, *, train: bool, keyed: bool, seed: int = 0) -> ExampleDataset:
    """The examples of a folder: `keyed` ones only, where a reward has to judge replies. Raises UserError for a folder that has none,
    and with `train` for a data folder of items that are meant for testing.
    """
    folder = Path(data_settings.path)
    if (folder / MIX).is_file():
        if data_settings.tasks or data_settings.style:
            raise UserError(f"{folder}: a mix, which has its tasks and styles; leave data.tasks and data.style out.")
        groups, counts = _of_mix(folder, keyed=keyed)
        dataset = ExampleDataset(data_settings, folder / MIX, groups, counts, mix=True)
    else:
        groups, counts = _of_data(folder, data_settings, train=train)
        dataset = ExampleDataset(data_settings, folder / MANIFEST, groups, counts, mix=False)
    if not len(dataset):
        raise UserError(f"{folder}: holds no examples{' with a key' if keyed else ''} to train on.")
    if not dataset.mix:
        for start in _first_of_each_file(dataset):  # a task without chains of thought is told now
            _ = dataset[start]
        dataset.forget()
    return _sampled(dataset, data_settings.n, seed) if data_settings.n is not None else dataset


def _of_mix(folder: Path, *, keyed: bool) -> tuple[list[Group], dict[str, int]]:
    mix = Mix.read(folder)
    counts = {name: count for name, count in mix.counts.items() if not (keyed and name.endswith("/general"))}
    return [group for file in mix.files for group in _groups(folder / file, "key" if keyed else None)], counts


def _of_data(folder: Path, data_settings: Data, *, train: bool) -> tuple[list[Group], dict[str, int]]:
    manifest = Manifest.read(folder)
    parts = chosen(folder, manifest, data_settings.tasks, "train" if train else None)
    if not parts:
        raise UserError(f"{folder}: holds no items of the split train, and others are for testing; generate some with --split train.")
    counts: Counter[str] = Counter()
    for part in parts:
        counts[f"{part.task}/{data_settings.kind}"] += part.n
    return [group for part in parts for file in part.files() for group in _groups(folder / file, None)], dict(counts)


def _groups(file: Path, filled: str | None) -> Iterator[Group]:
    """The row groups of a file; of their rows only those in which the column `filled` is not empty, if one is named."""
    with parquet.opened(file, _AGAIN, buffer=0) as parts:
        for number in range(parts.num_row_groups):
            size = parts.metadata.row_group(number).total_byte_size
            wanted: Sequence[int] = range(parts.metadata.row_group(number).num_rows)
            if filled:
                values = _column(file, parts, number, filled)
                wanted = [row for row in wanted if values[row]]
            if wanted:
                yield Group(file, number, size, wanted)


def _column(file: Path, parts: pq.ParquetFile, number: int, name: str) -> list[Any]:
    """The values of a column in a row group. Raises UserError if there is no such column."""
    if name not in parts.schema_arrow.names:
        raise UserError(f"{file}: not a file of training examples (no column {name!r}); {_AGAIN}.")
    read: pa.Table = parts.read_row_group(number, columns=[name])  # pyright: ignore[reportUnknownMemberType]
    return read.column(0).to_pylist()


def _first_of_each_file(dataset: ExampleDataset) -> Iterator[int]:
    place = 0
    seen: set[Path] = set()
    for group in dataset.groups:
        if group.file not in seen:
            seen.add(group.file)
            yield place
        place += len(group.rows)


def _sampled(dataset: ExampleDataset, n: int, seed: int) -> ExampleDataset:
    """The shelf with `n` of its examples, each equally likely."""
    if n > len(dataset):
        raise UserError(f"{dataset.data.path}: holds {len(dataset)} examples, and n asks for {n}; give a smaller n.")
    kept = sorted(Rng("training sample", seed).shuffled(range(len(dataset)))[:n])
    starts = np.cumsum([0, *(len(group.rows) for group in dataset.groups)])
    groups: list[Group] = []
    for group, low, high in zip(dataset.groups, starts, starts[1:], strict=False):
        rows = [group.rows[place - int(low)] for place in _between(kept, int(low), int(high))]
        if rows:
            groups.append(Group(group.file, group.number, group.size, rows))
    return ExampleDataset(dataset.data, dataset.manifest, groups, dataset.counts, dataset.mix)


def _between(places: Sequence[int], low: int, high: int) -> Sequence[int]:
    """The members of sorted `places` from `low` to below `high`."""
    return places[int(np.searchsorted(places, low)) : int(np.searchsorted(places, high))]


def _words_of_example(row: dict[str, Any]) -> tuple[str, int]:
    """Source and characters of a row of a mix; no source for general data."""
    return "" if row["kind"] == "general" else row["source"], sum(len(turn["content"]) for turn in row["turns"])


def _words_of_row(row: dict[str, Any]) -> tuple[str, int]:
    return row["task"], len(row["prompt"]) + len(json.loads(row["metadata"]).get("reasoning", ""))
