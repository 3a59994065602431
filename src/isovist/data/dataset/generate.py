"""Generation of a dataset folder: in parallel, file by file, resumable; the pixels do not depend on the number of workers.

Completed files are kept in a hidden folder inside the dataset folder. When all are complete, they are moved to their paths. The manifest
is written last; a folder without it is not a dataset. An interrupted run resumes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.json_decoding import encode
from isovist.common.regular_files import read_regular
from isovist.data.dataset import parquet
from isovist.data.dataset.asset_attribution import Shown, shown_by
from isovist.data.dataset.data_card import card
from isovist.data.dataset.file_notes import (
    Notes,
    content_digits,
    file_hash,
    has_scenes3d,
    notes_path,
    part_content,
    read_notes,
    stored_content,
)
from isovist.data.dataset.hub_benchmark import EVAL_YAML, eval_yaml
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.data.dataset.parallel import Executor, prepare, report, run_parallel
from isovist.data.dataset.partial_output import REQUEST, begin_partial_output, check_output_folder, locked
from isovist.data.dataset.rows import SCHEMA, ItemRow, item_to_row, table
from isovist.world import render

_BATCH = 250  # rows in memory; also the size of a row group
_PRIVATE_BATCH = 25  # private rows are read one by one in another order, each with its row group
_ROWS_2D, _ROWS_3D = 500, 100  # rows per file: at least a fifth of a second and about 15 s of work
_MOST_FILES = 5000  # of a part; files of larger parts have more rows

Progress = Callable[[int], object]
Unit = tuple[DataPart, int]
"""The unit of work: a file, by its part and its number. Its bytes depend on nothing else."""


def generate(
    parts: Sequence[DataPart],
    out: Path,
    workers: int = 1,
    progress: Progress = lambda rows: None,
    executor: Executor = run_parallel,
    *,
    grow: bool = False,
) -> Manifest:
    """Write the items of `parts` to the dataset folder `out`, which may already have other tasks. With `grow`, parts of which it has the first
    items are replaced.

    `progress` is called with numbers of rows. Raises UserError, before anything is written, if `out` cannot be
    used or another command is writing to it.
    """
    stored = manifest_before(out)
    before = stored.without(grown(stored, parts)) if grow else stored
    if not (out / PARTIAL).exists() and not missing_parts(before, parts, out):
        progress(sum(part.n for part in parts))
        return before  # nothing to write: a read-only folder is sufficient
    check_renderers(parts)
    with locked(out):
        stored = manifest_before(out)  # read again under the lock: another command may have changed it
        before = stored.without(grown(stored, parts)) if grow else stored
        remove_finished_partial(before, out / PARTIAL)
        missing = missing_parts(before, parts, out)
        progress(sum(part.n for part in parts) - sum(part.n for part in missing))
        if not missing:
            return before
        begin_partial_output(out / PARTIAL, [part.as_json() for part in missing], "run")
        write_files(units(missing), out, workers, progress, executor)
        after = complete(before, missing, out, workers)
        for file in stored.hashes.keys() - after.hashes.keys():
            (out / file).unlink(missing_ok=True)
        return after


def units(parts: Iterable[DataPart]) -> list[Unit]:
    return [(part, number) for part in parts for number in range(part.file_count)]


def write_files(files: Sequence[Unit], out: Path, workers: int, progress: Progress, executor: Executor = run_parallel) -> None:
    """Write those of the files that are not finished to the hidden folder, with their notes."""
    pending: list[tuple[DataPart, int, Path]] = []
    for part, number in files:
        if is_finished(out, part.file(number)):
            progress(len(part.places(number)))
        else:
            pending.append((part, number, out / PARTIAL / part.file(number)))
    for folder in {path.parent for _, _, path in pending}:
        folder.mkdir(parents=True, exist_ok=True)
    if workers > 1 and len(pending) > 1:
        prepare(part for part, _, _ in pending)
    for rows in executor(_write, pending, workers, progress):
        progress(rows)


def is_finished(out: Path, file: str) -> bool:
    """Whether a file and its notes are complete: in the hidden folder, or at its path after an interruption of `complete`."""
    path = out / PARTIAL / file
    try:
        notes = read_notes(path)
    except (OSError, ValueError):  # missing, or damaged by a failure of the machine
        return False
    return path.exists() or ((out / file).exists() and file_hash(out / file) == notes.sha256)


def complete(before: Manifest, parts: Sequence[DataPart], out: Path, workers: int) -> Manifest:
    """Move the finished files of new parts from the hidden folder to their paths, and write card and manifest."""
    partial = out / PARTIAL
    hashes: dict[str, str] = {}

    def noted(part: DataPart) -> Iterator[tuple[str, Shown]]:
        for file in part.files():
            notes = read_notes(partial / file)
            hashes[file] = notes.sha256
            yield notes.contents, notes.shown

    contents = {part.name: part_content(noted(part)) for part in parts}
    for part in before.parts:
        if not part.imported and part.name not in before.contents:  # from before manifests stated them
            processes = workers if has_scenes3d(part) else 1
            contents[part.name] = stored_content(part, out, lambda work, jobs, processes=processes: run_parallel(work, jobs, processes))
    for file in hashes:
        if (partial / file).exists():
            (out / file).parent.mkdir(parents=True, exist_ok=True)
            (partial / file).replace(out / file)
    after = before.with_parts(parts, hashes, contents)
    write_atomically(out / "README.md", card(after))
    if benchmark := eval_yaml(after.parts):
        write_atomically(out / EVAL_YAML, benchmark)
    after.write(out)
    shutil.rmtree(partial)
    return after


def manifest_before(out: Path) -> Manifest:
    """The manifest of the folder, an empty one if it is new or incomplete. Raises UserError if `out` cannot be used."""
    if (out / MANIFEST).exists():
        return Manifest.read(out)
    check_output_folder(out, "a data folder")
    return Manifest(())


def remove_finished_partial(before: Manifest, partial: Path) -> None:
    """Remove the files of a run that was interrupted after its last step: the manifest contains all requested parts."""
    try:
        request: Any = json.loads(read_regular(partial / REQUEST))
    except (OSError, ValueError):  # nothing is requested, or the request is refused later
        return
    known: list[object] = [part.as_json() for part in before.parts]
    match request:
        case {"parts": [*parts]} | [*parts] if parts and all(part in known for part in parts):  # of shards, of a single command
            shutil.rmtree(partial)
        case _:
            pass


def check_renderers(parts: Iterable[DataPart]) -> None:
    """Raises UserError if the first image of a part cannot be rendered."""
    for part in parts:
        if part.n:
            render.check(part.task, part.items()[0].pictures, part.renderer)


def missing_parts(before: Manifest, parts: Iterable[DataPart], out: Path) -> list[DataPart]:
    """The parts that are not in the folder, with their numbers of rows per file.

    Raises UserError if the folder has another part of the same task and split.
    """
    return [replace(part, rows_per_file=_rows_per_file(part)) for part in parts if not _is_present(before, part, out)]


def grown(stored: Manifest, parts: Iterable[DataPart]) -> list[DataPart]:
    """The stored parts whose items are the first of one of `parts`, which has more."""
    pairs = ((stored.part(part.task, part.split), part) for part in parts)
    return [
        known
        for known, part in pairs
        if known and not part.counts and known.n < part.n and replace(part, n=known.n, ids=part.ids[: known.n]) == known
    ]


def _rows_per_file(part: DataPart) -> int:
    rows = _ROWS_3D if part.n and part.items()[0].scenes3d else _ROWS_2D
    while part.n > rows * _MOST_FILES:
        rows *= 2
    return rows


def _is_present(before: Manifest, part: DataPart, out: Path) -> bool:
    """Whether `part` is already in the folder. Raises UserError if the folder has another part of the same task and split."""
    known = before.part(part.task, part.split)
    if known is None:
        return False
    if known != part:
        names = [
            name for name in (each.name for each in fields(part)) if name != "rows_per_file" and getattr(part, name) != getattr(known, name)
        ]
        if names == ["commitment"] and part.is_private and known.is_private:
            raise UserError(
                f"Dataset folder has items of another secret of {part.release}: {out}. Give their secret, or choose another folder."
            )
        settings = ", ".join(f"{name} {getattr(known, name)!r}" if name != "ids" else "other ids" for name in names)
        raise UserError(f"Dataset folder already has {part.task} ({part.split}) with {settings}: {out}. Choose another folder.")
    return True


def _write(part: DataPart, file: int, path: Path) -> int:
    """Write one file and its notes atomically; return the number of its rows that were not reported."""
    places = part.places(file)
    contents: list[str] = []
    shown: Shown = set()
    size = _PRIVATE_BATCH if part.is_private else _BATCH
    batches = (places[i : i + size] for i in range(0, max(1, len(places)), size))
    tables = (table(_rows(part, batch, contents, shown)) for batch in batches)

    def write_notes(temporary: Path) -> None:
        write_atomically(notes_path(path), encode(Notes(file_hash(temporary), "".join(contents), shown)))

    parquet.write(path, parquet.schema_of_split(SCHEMA, part.split), tables, before=write_notes)
    return 0 if report(0) else len(places)


def _rows(part: DataPart, places: Iterable[int], contents: list[str], shown: Shown) -> Iterator[ItemRow]:
    items, secret = part.items(), part.secret()
    for item in (items[place] for place in places):
        made = item_to_row(item, part.style, part.renderer, secret=secret)
        report(1)
        shown.update(shown_by(item))
        contents.append(content_digits(made))
        yield made
