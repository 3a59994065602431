"""Generating a data folder: in parallel, file by file, resumable, the same pixels for any number of workers.

Finished files wait in a hidden folder inside the data folder. Only when all are there do they move to their places, and
the manifest, without which nothing is a data set, is written last. A run that was killed goes on where it stopped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq

from isovist import render
from isovist.dataset.card import card
from isovist.dataset.documents import PARTIAL
from isovist.dataset.manifest import MANIFEST, Manifest, Part, write_atomically
from isovist.dataset.rows import SCHEMA, row, table
from isovist.dataset.unfinished import REQUEST, claim, usable
from isovist.dataset.workers import done, prepare
from isovist.errors import BadInput

_BATCH = 250  # rows held in memory at a time, and the size of a row group

Progress = Callable[[int], object]


def generate(parts: Sequence[Part], out: Path, workers: int = 1, progress: Progress = lambda rows: None) -> Manifest:
    """Writes the items of `parts` to the data folder `out`, which may hold other tasks already.

    `progress` is told of finished rows. Raises BadInput if `out` cannot be used; then nothing has been written.
    """
    before = _manifest_before(out)
    partial = out / PARTIAL
    _tidy(before, partial)
    parts = [part for part in parts if not _there(before, part, out, progress)]
    if not parts:
        return before
    for part in parts:
        if part.n:
            render.check(part.items()[0], part.renderer)  # before anything is written
    claim(partial, [asdict(part) for part in parts], "run")
    jobs = [(part, i, file) for part in parts for i, file in enumerate(part.files())]
    todo: list[tuple[Part, int, Path]] = []
    for part, i, file in jobs:
        if (partial / file).exists():
            progress(len(part.places(i)))
        else:
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            todo.append((part, i, partial / file))
    for rows in _written(todo, workers):
        progress(rows)
    hashes = {file: sha256((partial / file).read_bytes()).hexdigest() for _, _, file in jobs}
    for _, _, file in jobs:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (partial / file).replace(out / file)
    after = before.with_parts(parts, hashes)
    write_atomically(out / "README.md", card(after))
    after.write(out)
    shutil.rmtree(partial)
    return after


def _manifest_before(out: Path) -> Manifest:
    if (out / MANIFEST).exists():
        return Manifest.read(out)
    usable(out, "a data folder")
    return Manifest(())


def _tidy(before: Manifest, partial: Path) -> None:
    """Removes what a crash after the last step left behind: the manifest has all that was asked for."""
    path = partial / REQUEST
    if path.exists():
        asked: list[object] = json.loads(path.read_text(encoding="utf-8"))
        there: list[object] = [asdict(part) for part in before.parts]
        if all(part in there for part in asked):
            shutil.rmtree(partial)


def _there(before: Manifest, part: Part, out: Path, progress: Progress) -> bool:
    """Whether `part` is in the folder already. Raises BadInput if another part of its task and split is."""
    known = before.part(part.task, part.split)
    if known is None:
        return False
    if known != part:
        names = [name for name in asdict(part) if getattr(part, name) != getattr(known, name)]
        told = ", ".join(f"{name} {getattr(known, name)!r}" for name in names)
        raise BadInput(f"{out}: holds {part.task} ({part.split}) already, with {told}; give another folder.")
    progress(part.n)
    return True


def _written(todo: Sequence[tuple[Part, int, Path]], workers: int) -> Iterator[int]:
    """Writes the files, and tells the rows of each as it is done."""
    if workers > 1 and len(todo) > 1:
        prepare(part for part, _, _ in todo)
    yield from done(_write, todo, workers)


def _write(part: Part, file: int, path: Path) -> int:
    """Writes one file whole or not at all."""
    items = part.items()
    temporary = path.with_suffix(".tmp")
    places = part.places(file)
    try:
        with pq.ParquetWriter(temporary, SCHEMA, compression="snappy", write_page_checksum=True) as writer:
            for batch in _batches(places):
                writer.write_table(table(row(items[place], part.style, part.renderer) for place in batch))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return len(places)


def _batches(places: range) -> Iterable[range]:
    return (places[i : i + _BATCH] for i in range(0, max(1, len(places)), _BATCH))
