"""Generation of a dataset folder: in parallel, file by file, resumable; the pixels do not depend on the number of workers.

Completed files are kept in a hidden folder inside the dataset folder. When all are complete, they are moved to their paths. The manifest
is written last; a folder without it is not a dataset. An interrupted run resumes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from isovist import render
from isovist.atomic_write import write_atomically
from isovist.dataset import parquet
from isovist.dataset.asset_attribution import Shown, shown_by
from isovist.dataset.data_card import card
from isovist.dataset.json_documents import PARTIAL
from isovist.dataset.load import read
from isovist.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.dataset.parallel import prepare, run_parallel
from isovist.dataset.partial_output import REQUEST, begin_partial_output, check_output_folder, locked
from isovist.dataset.rows import SCHEMA, ItemRow, item_to_row, table
from isovist.errors import UserError
from isovist.items import Item
from isovist.json_decoding import decode, encode

_FIRST = 8  # number of items of a part that are inspected for 3-D scenes and for the assets of drawings
_BATCH = 250  # rows in memory; also the size of a row group

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Notes:
    """Information on a file for the data card: the assets that require attribution, and a content hash for each row."""

    shown: Shown
    contents: list[str]


def generate(parts: Sequence[DataPart], out: Path, workers: int = 1, progress: Progress = lambda rows: None) -> Manifest:
    """Write the items of `parts` to the dataset folder `out`, which may already have other tasks.

    `progress` is called with the number of rows of each completed file. Raises UserError, before anything is written, if `out` cannot be
    used or another command is writing to it.
    """
    before = _manifest_before(out)
    if not (out / PARTIAL).exists() and all(_is_present(before, part, out) for part in parts):
        progress(sum(part.n for part in parts))
        return before  # nothing to write: a read-only folder is sufficient
    for part in parts:
        if part.n:
            render.check(part.task, part.items()[0].pictures, part.renderer)  # raises an error before anything is written
    with locked(out):
        return _generate_locked(parts, out, workers, progress)


def _generate_locked(parts: Sequence[DataPart], out: Path, workers: int, progress: Progress) -> Manifest:
    before = _manifest_before(out)  # read again under the lock: another command may have changed it
    partial = out / PARTIAL
    _remove_finished_partial(before, partial)
    finished = [part for part in parts if _is_present(before, part, out)]
    progress(sum(part.n for part in finished))
    parts = [part for part in parts if part not in finished]
    if not parts:
        return before
    begin_partial_output(partial, [asdict(part) for part in parts], "run")
    jobs = [(part, i, file) for part in parts for i, file in enumerate(part.files())]
    pending: list[tuple[DataPart, int, Path]] = []
    for part, i, file in jobs:
        if (partial / file).exists() and _notes_path(partial / file).exists():
            progress(len(part.places(i)))
        else:
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            pending.append((part, i, partial / file))
    if workers > 1 and len(pending) > 1:
        prepare(part for part, _, _ in pending)
    for rows in run_parallel(_write, pending, workers):
        progress(rows)
    hashes = {file: sha256((partial / file).read_bytes()).hexdigest() for _, _, file in jobs}
    notes = [(part, decode(Notes, _notes_path(partial / file).read_bytes())) for part, _, file in jobs]
    notes += _notes_on_existing_parts(before, out, workers)
    for _, _, file in jobs:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (partial / file).replace(out / file)
    after = before.with_parts(parts, hashes)
    write_atomically(out / "README.md", _card(after, notes))
    after.write(out)
    shutil.rmtree(partial)
    return after


def _card(manifest: Manifest, notes: Sequence[tuple[DataPart, Notes]]) -> str:
    shown: Shown = set()
    contents: dict[tuple[str, str], set[str]] = {}
    for part, note in notes:
        shown |= note.shown
        contents.setdefault((part.task, part.split), set()).update(note.contents)
    return card(manifest, shown, {part: len(different) for part, different in contents.items()})


def _notes_on_existing_parts(before: Manifest, out: Path, workers: int) -> list[tuple[DataPart, Notes]]:
    """The notes on the parts already in the folder. They are not stored; scenes are regenerated, images are not rendered."""
    jobs = [(part, i, out / file) for part in before.parts if not part.imported for i, file in enumerate(part.files())]
    return list(run_parallel(_notes_on_file, jobs, workers if any(_has_scenes3d(part) for part, _, _ in jobs) else 1))


def _has_scenes3d(part: DataPart) -> bool:
    return any(item.scenes3d for item in islice(part.items(), _FIRST))


def _notes_on_file(part: DataPart, file: int, path: Path) -> tuple[DataPart, Notes]:
    items, places = part.items(), part.places(file)
    shown: Shown = set()
    for place in places if _has_scenes3d(part) else places[:_FIRST]:
        shown |= shown_by(items[place])
    return part, Notes(shown, [row.content for row in read(path)])


def _manifest_before(out: Path) -> Manifest:
    if (out / MANIFEST).exists():
        return Manifest.read(out)
    check_output_folder(out, "a data folder")
    return Manifest(())


def _remove_finished_partial(before: Manifest, partial: Path) -> None:
    """Remove the files of a run that was interrupted after its last step: the manifest contains all requested parts."""
    path = partial / REQUEST
    if path.exists():
        requested_parts: list[object] = json.loads(path.read_text(encoding="utf-8"))
        known: list[object] = [asdict(part) for part in before.parts]
        if all(part in known for part in requested_parts):
            shutil.rmtree(partial)


def _is_present(before: Manifest, part: DataPart, out: Path) -> bool:
    """Whether `part` is already in the folder. Raises UserError if the folder has another part of the same task and split."""
    known = before.part(part.task, part.split)
    if known is None:
        return False
    if known != part:
        names = [name for name in asdict(part) if getattr(part, name) != getattr(known, name)]
        settings = ", ".join(f"{name} {getattr(known, name)!r}" for name in names)
        raise UserError(f"Dataset folder already has {part.task} ({part.split}) with {settings}: {out}. Choose another folder.")
    return True


def _write(part: DataPart, file: int, path: Path) -> int:
    """Write one file and its notes atomically; return its number of rows."""
    items, places = part.items(), part.places(file)
    notes = Notes(set(), [])
    batches = (places[i : i + _BATCH] for i in range(0, max(1, len(places)), _BATCH))
    tables = (table(_rows(part, (items[place] for place in batch), notes)) for batch in batches)
    parquet.write(path, SCHEMA, tables, before=lambda: write_atomically(_notes_path(path), encode(notes)))
    return len(places)


def _notes_path(path: Path) -> Path:
    """The path of the notes on an incomplete or completed file in the hidden folder."""
    return path.with_suffix(".json")


def _rows(part: DataPart, items: Iterable[Item], notes: Notes) -> Iterator[ItemRow]:
    for item in items:
        made = item_to_row(item, part.style, part.renderer)
        notes.shown.update(shown_by(item))
        notes.contents.append(made.content)
        yield made
