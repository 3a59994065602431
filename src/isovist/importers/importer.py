"""From the records of a published set to a data folder, in one go: all of it is there at the end, or nothing.

Rows are written as they are read, so that a set of any size fits into memory. Whatever does not become an item is put
down with its place and its reason: the records read are the imported and the rejected.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path

import pyarrow.parquet as pq

from isovist import json_lines, prompts
from isovist.atomic_write import write_atomically
from isovist.dataset import external_rows
from isovist.dataset.data_card import card
from isovist.dataset.external_rows import SPLIT, VERSION
from isovist.dataset.manifest import ROWS_PER_FILE, DataPart, Manifest
from isovist.dataset.partial_output import LOCK, locked, remove_empty
from isovist.dataset.rows import SCHEMA, ImageOrder, ItemRow, orders_json, table
from isovist.errors import UserError
from isovist.importers.benchmark_format import Format, ImportedItem, Record, RecordError, Unusable
from isovist.importers.image_loader import Pictures
from isovist.importers.record_reader import Found, find, records

REJECTED = "rejected.jsonl"
DUPLICATES = "duplicates.jsonl"

_MOST_PARTS = 64
_ROWS = 64  # in memory at most for each part
_LONGEST = 200_000  # bytes of all that is kept of a record beside its picture
_BYTES = 64 << 20  # of pictures in memory at most, about

Progress = Callable[[], object]


@dataclass(slots=True)
class ImportSummary:
    """What came of an import."""

    read: int = 0
    imported: Counter[str] = field(default_factory=Counter[str])
    """Items of each task."""
    used: int = 0
    """Records that became an item, or several."""
    orders: Counter[str] = field(default_factory=Counter[str])
    """Records that became another order of an item, by its name."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Records by the reason why they are no item."""
    duplicates: int = 0
    """Items whose picture and words were there before; they are imported all the same."""
    contradictions: int = 0
    """Those of them that have another key."""
    passed_over: tuple[tuple[str, str], ...] = ()
    """Files that are not of the set, and why."""


def import_benchmark(
    source: Format, path: Path, out: Path, *, everything: bool = False, progress: Progress = lambda: None
) -> ImportSummary:
    """Reads the published set in `path` and writes the data folder `out`, which must be new or empty.

    `progress` is told of each record. Raises UserError if there is no such set, if a file of it is damaged, or if not one
    record can be used; then nothing has been written.
    """
    check_new(out)
    location = find(source, path)
    with aside(out) as folder:
        outcome, parts = _taken(source, location, folder, everything, progress)
        if not parts:
            reasons = ", ".join(f"{count} {reason}" for reason, count in outcome.rejected.most_common(3)) or "there is none"
            raise UserError(f"{path}: no record of {source.title} can be used ({reasons}).")
        finish(folder, parts)
    return outcome


def check_new(out: Path) -> None:
    """Raises UserError if there is something in the folder that is to be written."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: {'not empty' if out.is_dir() else 'a file'}; give a new or an empty folder for --out.")


@contextmanager
def aside(out: Path) -> Generator[Path]:
    """A folder beside `out` that takes its place at the end, or goes again with all folders made on the way to it.

    Raises UserError if another command is at work on the same.
    """
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


def _taken(source: Format, location: Found, folder: Path, everything: bool, progress: Progress) -> tuple[ImportSummary, list[DataPart]]:
    outcome = ImportSummary(passed_over=location.passed_over)
    pictures = Pictures(location)
    tasks: dict[str, Rows] = {}
    known: dict[tuple[str, str], tuple[str, str]] = {}
    with (folder / REJECTED).open("w", encoding="utf-8") as rejected, (folder / DUPLICATES).open("w", encoding="utf-8") as duplicates:
        try:
            for record in source.gather(records(source, location)):
                progress()
                others = record.others if isinstance(record, Record) else ()
                outcome.read += 1 + len(others)
                file, number = record if isinstance(record, tuple) else (record.file, record.number)
                try:
                    if isinstance(record, RecordError):
                        raise record.why
                    if isinstance(record, tuple):
                        raise Unusable("no record with named columns")
                    asked = source.read(record, everything)
                    several = asked if isinstance(asked, tuple) else (asked,)
                    made = _rows(source, several, pictures, tasks, folder, record)
                except Unusable as error:
                    faults = [RecordError(file, number, error)]
                    faults += [
                        RecordError(other.file, other.number, Unusable("another order of an item that is rejected")) for other in others
                    ]
                else:
                    faults = [fault for item in several for fault in item.faults]
                    outcome.used += 1
                    outcome.orders.update(name for name in several[0].orders)
                    for task, row in made:
                        tasks[task.name] = task
                        before = known.setdefault((row.task, row.content), (row.id, row.answer))
                        if before[0] != row.id:
                            outcome.duplicates += 1
                            outcome.contradictions += before[1] != row.answer
                            twin = {"id": row.id, "as": before[0], "same_key": before[1] == row.answer}
                            duplicates.write(json_lines.line(twin, escaped=True))
                        task.add(row)
                        outcome.imported[task.name] += 1
                    if sum(other.bytes for other in tasks.values()) > _BYTES:
                        for other in tasks.values():
                            other.flush()
                for fault in faults:
                    why = fault.why
                    outcome.rejected[why.reason] += 1
                    entry = {"file": fault.file, "record": fault.number, "reason": why.reason, "detail": why.detail}
                    rejected.write(json_lines.line(entry, escaped=True))
        finally:
            for task in tasks.values():
                task.close()
    for name, count in ((REJECTED, outcome.rejected.total()), (DUPLICATES, outcome.duplicates)):
        if not count:
            (folder / name).unlink()
    settings = {"source": f"{source.title}, {source.home}"} | ({"revision": location.revision} if location.revision else {})
    return outcome, [DataPart(name, VERSION, SPLIT, len(task), settings={**settings}) for name, task in sorted(tasks.items())]


def _rows(
    source: Format, several: Sequence[ImportedItem], pictures: Pictures, tasks: Mapping[str, Rows], folder: Path, record: Record
) -> list[tuple[Rows, ItemRow]]:
    """The rows of what a record asks, all or none, each with its task. Raises Unusable."""
    rows: list[tuple[Rows, ItemRow]] = []
    for asked in several:
        cells = asked.pictures or (() if asked.picture is None and asked.group else (asked.picture,))
        images = tuple(pictures.get(cell, record.file) for cell in cells)
        name = f"{source.suite}/{asked.part}"
        if name not in tasks and len({*tasks, *(task.name for task, _ in rows), name}) > _MOST_PARTS:
            raise Unusable(f"more than {_MOST_PARTS} parts", asked.part)
        task = tasks.get(name) or Rows(name, folder)
        rows.append((task, _row(task, len(task), asked, images, f"{record.file}:{record.number}")))
    return rows


def _row(task: Rows, index: int, asked: ImportedItem, images: tuple[bytes, ...], where: str) -> ItemRow:
    """The row of a record. Raises Unusable if its words cannot be put into a prompt."""
    if not asked.question.strip():
        raise Unusable("the question is empty")
    metadata = {
        **(
            {"orders": orders_json({name: ImageOrder(order.pictures, order.question) for name, order in asked.orders.items()})}
            if asked.orders
            else {}
        ),
        **({"facets": dict(asked.facets)} if asked.facets else {}),
        "scene": {"published": asked.kept, "record": where.encode(errors="replace").decode()},
    }
    try:
        shown = external_rows.digest(b"".join(images) if images else asked.group.encode())
        group = f"{task.suite}:{external_rows.digest(asked.scene.encode())}" if asked.scene else f"{task.name}:{shown}"
        made = external_rows.row(task.name, index, asked.question, asked.answer, images, metadata, shown=shown, group=group)
        for order in asked.orders.values():
            prompts.prompt(order.question, asked.answer, len(images))
        long = len(made.metadata_json.encode()) > _LONGEST
    except UnicodeEncodeError:
        raise Unusable("a column is no text", "it holds half a character") from None
    except ValueError as error:
        raise Unusable("the question cannot be asked", str(error)) from None
    if long:
        raise Unusable("the columns are too long", f"{len(made.metadata_json)} characters")
    return made


class Rows:
    """The rows of one task on their way to the disk, in files of the usual length."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.bytes = 0
        self._folder = folder / name
        self._waiting: list[ItemRow] = []
        self._written = 0
        self._writer: pq.ParquetWriter | None = None

    @property
    def suite(self) -> str:
        return self.name.partition("/")[0]

    def __len__(self) -> int:
        return self._written + len(self._waiting)

    def add(self, row: ItemRow) -> None:
        self._waiting.append(row)
        self.bytes += sum(map(len, row.images))
        if len(self._waiting) >= _ROWS or not len(self) % ROWS_PER_FILE:
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


def finish(folder: Path, parts: list[DataPart]) -> None:
    """Gives the files of parts the names that their number allows by now, and writes card and manifest."""
    hashes: dict[str, str] = {}
    for part in parts:
        for i, name in enumerate(part.files()):
            (folder / part.task / f"{i}.parquet").replace(folder / name)
            with (folder / name).open("rb") as file:
                hashes[name] = file_digest(file, "sha256").hexdigest()
    manifest = Manifest(()).with_parts(parts, hashes)
    write_atomically(folder / "README.md", card(manifest, set(), {}))
    manifest.write(folder)
