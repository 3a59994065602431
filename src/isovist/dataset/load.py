"""Reading a data folder, row by row, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from isovist import prompts
from isovist.dataset.manifest import DataPart, Manifest
from isovist.dataset.parquet import RowFormat, line
from isovist.dataset.pictures import opened
from isovist.dataset.rows import SCHEMA, ItemRow, Unusable, item_row
from isovist.errors import UserError

_ROWS = RowFormat(SCHEMA, item_row, "a row", "Isovist rows", "generate the data again")


def chosen(folder: Path, manifest: Manifest, tasks: Sequence[str] = (), split: str | None = None) -> list[DataPart]:
    """The parts of a data folder that ids or globs name (all without any). Raises UserError if a name fits none."""
    parts = [part for part in manifest.parts if split in (None, part.split)]
    for name in tasks:
        if not any(fnmatchcase(part.task, name) for part in parts):
            raise UserError(f"{folder}: holds no task {name!r}; it holds {', '.join(sorted({part.task for part in parts})) or 'none'}.")
    return [part for part in parts if not tasks or any(fnmatchcase(part.task, name) for name in tasks)]


def load(folder: Path, parts: Sequence[DataPart], n: int | None = None, *, whole: bool = False, pictures: bool = True) -> Iterator[ItemRow]:
    """The rows of some parts of a data folder, at most `n` of each, in order; without `pictures`, their images are left
    empty, which is much faster. Raises UserError for a file that cannot be read, for a row with what is no picture or too large a one,
    or without a readable key, and, with `whole`, for one that cannot be asked: a picture that does not decode.
    """
    for part in parts:
        left = part.n if n is None else min(n, part.n)
        for file in part.files():
            if left <= 0:
                break
            for row in islice(read(folder / file, pictures=pictures), left):
                check(row, whole=whole)
                yield row
                left -= 1


def stored(folder: Path, name: str, index: int = 0, split: str | None = None) -> ItemRow:
    """The row of a data folder that an id names, with or without its digest, or the row at a place, from 0, among those of a task.

    Raises UserError if there is none.
    """
    task, at, _ = name.partition("@")
    parts = chosen(folder, Manifest.read(folder), [task], None if at else split)
    rows = load(folder, parts, pictures=False)
    if at:
        item_row = next((row for row in rows if name in (row.id, row.id.partition("#")[0])), None)
        if item_row is None:
            raise UserError(f"{folder}: holds no item {name}.")
    else:
        item_row = next(islice(rows, index, None), None)
        if item_row is None:
            raise UserError(f"{folder}: holds {sum(part.n for part in parts)} items of {task}; there is none at --index {index}.")
    (part,) = (part for part in parts if item_row.file in {folder / name for name in part.files()})
    shown = next(row for row in load(folder, [part]) if row.id == item_row.id)
    check(shown)
    return shown


def check(row: ItemRow, *, whole: bool = True) -> None:
    """Raises Unusable for a row with what is no picture, and without a question and a key; with `whole`, also for a picture that does
    not decode and for words that cannot be put into a prompt.
    """
    for place, image in enumerate(row.images, 1):
        try:
            with opened(image) as picture:
                if whole:
                    picture.load()
        except ValueError as error:
            raise Unusable(row, f"picture {place} of {len(row.images)}: {error}") from None
    metadata, key = row.metadata, row.key
    if not whole:
        return
    try:
        prompts.prompt(metadata.question, key, len(row.images), metadata.style)
        for name, order in metadata.image_orders.items():
            if sorted(order.images) != list(range(len(row.images))):
                raise ValueError(f"{name} is no order of its {len(row.images)} pictures")
            prompts.prompt(order.question, key, len(row.images), metadata.style)
    except ValueError as error:
        raise Unusable(row, line(error)) from error


def read(path: Path, *, pictures: bool = True) -> Iterator[ItemRow]:
    """The rows of one file, with their images if `pictures`. Raises UserError if it is missing, damaged, or of other columns."""
    return (replace(row, file=path) for row in _ROWS.read(path, pictures=pictures))
