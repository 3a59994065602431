"""The pipeline of all imports: rows for a new dataset folder, and a reason for each skipped record.

A source yields records; its reader converts a record to items or raises `Unusable`; this module does the rest. Rows are written as
they arrive, so benchmarks of any size fit into memory. The folder is either complete at the end or absent.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import TypeVar

import pyarrow.parquet as pq

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.dataset.data_card import card
from isovist.data.dataset.external_rows import SPLIT, VERSION
from isovist.data.dataset.manifest import ROWS_PER_FILE, DataPart, Manifest
from isovist.data.dataset.parquet import schema_of_split
from isovist.data.dataset.partial_output import LOCK, locked, remove_empty
from isovist.data.dataset.rows import SCHEMA, ItemRow, table
from isovist.data.importers.benchmark_format import Unusable
from isovist.suites.registry import is_named

SKIPPED = "skipped.jsonl"

_ROWS = 64  # maximum number of rows in memory per task
_BYTES = 64 << 20  # approximate maximum size of images in memory, in bytes

Progress = Callable[[], object]
T = TypeVar("T")


# Atomic creation of a folder ------------------------------------------------------------------------------------------


def check_new(out: Path) -> None:
    """Raises UserError if the output folder is not empty."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: {'not empty' if out.is_dir() else 'a file'}; give a new or an empty folder for --out.")


@contextmanager
def atomic_folder(out: Path) -> Generator[Path]:
    """A temporary folder beside `out` that replaces it on success; on failure it is removed with its new parent folders.

    Raises UserError if `out` is not new, or if another command writes to it.
    """
    check_new(out)
    place = out.absolute()
    folder = place.parent / f".{place.name}.isovist-import"
    try:
        with locked(folder, out):
            check_new(out)  # another command may have finished in the meantime
            _empty(folder)  # remains of an import that was killed
            try:
                yield folder
                (folder / LOCK).unlink()  # the lock is still held, and any other command now finds `out`
                folder.replace(place)
            except BaseException:
                _empty(folder)
                raise
    finally:
        remove_empty([folder])


def _empty(folder: Path) -> None:
    """Remove all content of a folder except its lock file."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


# Selection of tasks ---------------------------------------------------------------------------------------------------


def chosen_tasks(globs: Sequence[str], tasks: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tasks whose names match any glob or suite; all tasks without globs.

    `tasks`: names by task. Raises UserError if a glob matches none.
    """
    meant = {glob: [task for task, names in tasks.items() if any(is_named(name, glob) for name in (task, *names))] for glob in globs}
    for glob, fitting in meant.items():
        if not fitting:
            raise UserError(f"--tasks {glob}: there are {', '.join(tasks)}.")
    return [task for task in tasks if not globs or any(task in fitting for fitting in meant.values())]


# Output of an import --------------------------------------------------------------------------------------------------


class ReasonLog:
    """A JSON Lines file of skipped records with reasons, and a count by reason. The file is created with the first line."""

    def __init__(self, path: Path) -> None:
        self.counts = Counter[str]()
        self._path = path

    def add(self, reason: str, entry: Mapping[str, object]) -> None:
        self.counts[reason] += 1
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json_lines.line(entry, escaped=True))

    def most_common(self) -> str:
        """Return the three most frequent reasons with their counts as text; empty if there is none."""
        return ", ".join(f"{count} {reason}" for reason, count in self.counts.most_common(3))


class NewDataFolder:
    """A dataset folder in progress. `items`: number of rows by task, which is the index of the next row."""

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
        """Record why a record is skipped. `place`: fields that identify the record."""
        self.rejections.add(fault.reason, {**place, "reason": fault.reason, "detail": fault.detail})

    def usable(self, files: Iterable[Path], read: Callable[[Path], T], progress: Progress = lambda: None) -> Iterator[T]:
        """Yield the result of `read` for each file; unusable files are skipped with a reason."""
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
        """Rename the files to their final names and write card and manifest. `settings`: origin of the items."""
        self.close()
        parts = [DataPart(task, VERSION, SPLIT, n, seed=seed, settings={**settings}) for task, n in sorted(self.items.items())]
        hashes: dict[str, str] = {}
        for part in parts:
            for i, name in enumerate(part.files()):
                (self.folder / part.task / f"{i}.parquet").replace(self.folder / name)
                with (self.folder / name).open("rb") as file:
                    hashes[name] = file_digest(file, "sha256").hexdigest()
        manifest = Manifest(()).with_parts(parts, hashes)
        write_atomically(self.folder / "README.md", card(manifest))
        manifest.write(self.folder)


@contextmanager
def new_data_folder(out: Path) -> Generator[NewDataFolder]:
    """The dataset folder `out`, which exists only if its writer finished. Raises UserError, see `atomic_folder`."""
    with atomic_folder(out) as folder:
        data = NewDataFolder(folder)
        try:
            yield data
        finally:
            data.close()


class _TaskRows:
    """The rows of one task, written to files of the usual size."""

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
            self._writer = pq.ParquetWriter(
                path, schema_of_split(SCHEMA, self._waiting[0].split), compression="snappy", write_page_checksum=True
            )
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
