"""What all imports share: rows on their way to a new data folder, and a line with its reason for each record that is no item.

A source yields records; its reader makes items of a record, or raises `Unusable`; everything else is here. Rows are written as they
come, so that a set of any size fits into memory. All of the folder is there at the end, or nothing.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from hashlib import file_digest
from pathlib import Path
from typing import TypeVar

import pyarrow.parquet as pq

from isovist import json_lines
from isovist.atomic_write import write_atomically
from isovist.dataset.data_card import card
from isovist.dataset.external_rows import SPLIT, VERSION
from isovist.dataset.manifest import ROWS_PER_FILE, DataPart, Manifest
from isovist.dataset.partial_output import LOCK, locked, remove_empty
from isovist.dataset.rows import SCHEMA, ItemRow, table
from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable

SKIPPED = "skipped.jsonl"

_ROWS = 64  # in memory at most for each task
_BYTES = 64 << 20  # of pictures in memory at most, about

Progress = Callable[[], object]
T = TypeVar("T")


# A folder that is there as a whole ------------------------------------------------------------------------------------


def check_new(out: Path) -> None:
    """Raises UserError if there is something in the folder that is to be written."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: {'not empty' if out.is_dir() else 'a file'}; give a new or an empty folder for --out.")


@contextmanager
def atomic_folder(out: Path) -> Generator[Path]:
    """A folder beside `out` that takes its place at the end, or goes again with all folders made on the way to it.

    Raises UserError if `out` is not new, or if another command is at work on the same.
    """
    check_new(out)
    place = out.absolute()
    folder = place.parent / f".{place.name}.isovist-import"
    try:
        with locked(folder, out):
            check_new(out)  # another command may have finished it meanwhile
            _empty(folder)  # of an import that was killed
            try:
                yield folder
                (folder / LOCK).unlink()  # it is still held, and whoever comes now finds `out`
                folder.replace(place)
            except BaseException:
                _empty(folder)
                raise
    finally:
        remove_empty([folder])


def _empty(folder: Path) -> None:
    """Removes all that a folder holds but its lock."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


# Which tasks ----------------------------------------------------------------------------------------------------------


def chosen_tasks(globs: Sequence[str], tasks: Mapping[str, Sequence[str]]) -> list[str]:
    """Those of `tasks` that names or globs mean; all without any. Each task has other names. Raises UserError for one that means none."""
    meant = {glob: [task for task, names in tasks.items() if any(fnmatchcase(name, glob) for name in (task, *names))] for glob in globs}
    for glob, fitting in meant.items():
        if not fitting:
            raise UserError(f"--tasks {glob}: there are {', '.join(tasks)}.")
    return [task for task in tasks if not globs or any(task in fitting for fitting in meant.values())]


# What an import writes ------------------------------------------------------------------------------------------------


class ReasonLog:
    """JSON Lines on what was left out, each with its reason, and how often each reason came. Without a line there is no file."""

    def __init__(self, path: Path) -> None:
        self.counts = Counter[str]()
        self._path = path

    def add(self, reason: str, entry: Mapping[str, object]) -> None:
        self.counts[reason] += 1
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json_lines.line(entry, escaped=True))

    def most_common(self) -> str:
        """The three most frequent reasons with their counts, in words; empty if there is none."""
        return ", ".join(f"{count} {reason}" for reason, count in self.counts.most_common(3))


class NewDataFolder:
    """A data folder that is being written. `items`: how many rows each task has, which is the index of its next row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.items = Counter[str]()
        self.rejections = ReasonLog(folder / SKIPPED)
        self._tasks: dict[str, _TaskRows] = {}

    def add(self, row: ItemRow) -> None:
        self._tasks.setdefault(row.task, _TaskRows(self.folder / row.task)).add(row)
        self.items[row.task] += 1
        if sum(rows.bytes for rows in self._tasks.values()) > _BYTES:
            for rows in self._tasks.values():
                rows.flush()

    def reject(self, fault: Unusable, **place: object) -> None:
        """Puts down why a record is no item. `place`: what tells which record it is."""
        self.rejections.add(fault.reason, {**place, "reason": fault.reason, "detail": fault.detail})

    def usable(self, files: Iterable[Path], read: Callable[[Path], T], progress: Progress) -> Iterator[T]:
        """What is read from each file; a file that cannot be used is rejected."""
        for file in files:
            progress()
            try:
                content = read(file)
            except Unusable as fault:
                self.reject(fault, file=file.name)
            else:
                yield content

    def close(self) -> None:
        for rows in self._tasks.values():
            rows.close()

    def finish(self, settings: Mapping[str, str | int], seed: int = 0) -> None:
        """Gives the files the names that their number allows by now, and writes card and manifest. `settings`: where the items are from."""
        self.close()
        parts = [DataPart(task, VERSION, SPLIT, n, seed=seed, settings={**settings}) for task, n in sorted(self.items.items())]
        hashes: dict[str, str] = {}
        for part in parts:
            for i, name in enumerate(part.files()):
                (self.folder / part.task / f"{i}.parquet").replace(self.folder / name)
                with (self.folder / name).open("rb") as file:
                    hashes[name] = file_digest(file, "sha256").hexdigest()
        manifest = Manifest(()).with_parts(parts, hashes)
        write_atomically(self.folder / "README.md", card(manifest, set(), {}))
        manifest.write(self.folder)


@contextmanager
def new_data_folder(out: Path) -> Generator[NewDataFolder]:
    """The data folder `out`, which is there when its writer has finished, or not at all. Raises UserError, see `atomic_folder`."""
    with atomic_folder(out) as folder:
        data = NewDataFolder(folder)
        try:
            yield data
        finally:
            data.close()


class _TaskRows:
    """The rows of one task, in files of the usual length."""

    def __init__(self, folder: Path) -> None:
        self.bytes = 0
        self._folder = folder
        self._waiting: list[ItemRow] = []
        self._written = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, row: ItemRow) -> None:
        self._waiting.append(row)
        self.bytes += sum(map(len, row.images))
        if len(self._waiting) >= _ROWS or not (self._written + len(self._waiting)) % ROWS_PER_FILE:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        if self._writer is None:
            path = self._folder / f"{self._written // ROWS_PER_FILE}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(path, SCHEMA, compression="snappy", write_page_checksum=True)
        self._writer.write_table(table(self._waiting))
        self._written += len(self._waiting)
        self._waiting, self.bytes = [], 0
        if not self._written % ROWS_PER_FILE:
            self.close()

    def close(self) -> None:
        self.flush()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
