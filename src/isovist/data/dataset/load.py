"""Reading of a dataset folder, row by row, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isovist.common.errors import UserError
from isovist.data import prompts
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.dataset.parquet import RowFormat, line
from isovist.data.dataset.parquet import column as parquet_column
from isovist.data.dataset.parquet import opened as parquet_opened
from isovist.data.dataset.pictures import opened
from isovist.data.dataset.rows import SCHEMA, ItemRow, Unusable, item_row
from isovist.suites import registry

_ROWS = RowFormat(SCHEMA, item_row, "a row", "Isovist rows", "generate the data again")


def chosen(folder: Path, manifest: Manifest, tasks: Sequence[str] = (), split: str | None = None) -> list[DataPart]:
    """The parts of a dataset folder that ids, globs or suites name; all parts without any. Raises UserError if a name has no match."""
    parts = [part for part in manifest.parts if split in (None, part.split)]
    for name in tasks:
        if not any(registry.is_named(part.task, name) for part in parts):
            tasks_text = ", ".join(sorted({part.task for part in parts})) or "none"
            raise UserError(f"Dataset folder has no task {name!r}: {folder}. Its tasks: {tasks_text}.")
    return [part for part in parts if not tasks or any(registry.is_named(part.task, name) for name in tasks)]


def evaluated(folder: Path, tasks: Sequence[str], split: str | None) -> tuple[list[DataPart], int]:
    """The parts of a dataset folder to evaluate: those of `split`, else those of the test split if there is one.

    Returns the parts, and the number of items of other splits that are skipped. Raises UserError if no part remains, and for a missing file
    or one with another number of rows.
    """
    selected = chosen(folder, Manifest.read(folder), tasks, split)
    if not selected:
        raise UserError(f"Dataset folder has no items{f' of split {split}' if split else ''}: {folder}. Run `isovist generate` first.")
    tests = [part for part in selected if part.split == "test"]
    parts = selected if split or not tests else tests
    for part in parts:
        for number, file in enumerate(part.files()):
            with parquet_opened(folder / file, _ROWS.again, n_rows=len(part.places(number))):
                pass  # before anything is written or counted
    return parts, sum(part.n for part in selected) - sum(part.n for part in parts)


def load(
    folder: Path,
    parts: Sequence[DataPart],
    n: int | None = None,
    *,
    whole: bool = False,
    pictures: bool = True,
    wanted: Sequence[NDArray[np.bool_]] | None = None,
) -> Iterator[ItemRow]:
    """The rows of the parts of a dataset folder, in order, at most `n` of each part.

    `wanted` states for each row of each part whether it is read; files and row groups without such a row are skipped. Without `pictures`,
    images are left empty, which is much faster. Raises UserError for an unreadable file, for a row without a valid key, and for a row with
    an image that is invalid or too large. With `whole`, all images are decoded and all prompts are checked.
    """
    for number, part in enumerate(parts):
        n_rows = part.n if n is None else min(n, part.n)
        for place, file in enumerate(part.files()):
            places = part.places(place)
            if places.start >= n_rows:
                break
            here = None if wanted is None else wanted[number][places.start : places.stop]
            if here is not None and not here.any():
                continue
            for row in islice(read(folder / file, pictures=pictures, wanted=here, n_rows=len(places)), n_rows - places.start):
                check(row, whole=whole)
                yield row


def column(folder: Path, part: DataPart, name: str, n: int | None = None) -> pa.ChunkedArray[Any]:
    """A column of the first `n` rows of a part, without its images. Raises UserError for an unreadable file."""
    n_rows = part.n if n is None else min(n, part.n)
    chunks: list[pa.Array[Any]] = []
    for place, file in enumerate(part.files()):
        if part.places(place).start < n_rows:
            chunks += parquet_column(folder / file, name, _ROWS.again).chunks
    values = pa.chunked_array(chunks, pa.string()).slice(0, n_rows)
    if len(values) < n_rows:
        raise UserError(f"{len(values)} items of {part.task} instead of {n_rows}: {folder}. {_ROWS.again.capitalize()}.")
    return values


def stored(folder: Path, name: str, index: int = 0, split: str | None = None) -> ItemRow:
    """The row with this item id, with or without its hash, or the row at an index, from 0, among those of a task.

    Raises UserError if there is none.
    """
    task, at, _ = name.partition("@")
    parts = chosen(folder, Manifest.read(folder), [task], None if at else split)
    rows = load(folder, parts, pictures=False)
    if at:
        item_row = next((row for row in rows if name in (row.id, row.id.partition("#")[0])), None)
        if item_row is None:
            raise UserError(f"Dataset folder has no item {name}: {folder}. Check the id.")
    else:
        item_row = next(islice(rows, index, None), None)
        if item_row is None:
            raise UserError(f"No item at --index {index}: {folder}. It has {sum(part.n for part in parts)} items of {task}, from index 0.")
    (part,) = (part for part in parts if item_row.file in {folder / name for name in part.files()})
    shown = next(row for row in load(folder, [part]) if row.id == item_row.id)
    check(shown)
    return shown


def check(row: ItemRow, *, whole: bool = True) -> None:
    """Check that a row has valid images, a question and a key; with `whole`, also that its images decode and its prompts can be formatted.

    Raises Unusable otherwise.
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
        prompts.prompt(metadata.question, key, len(row.images), metadata.style, row.task)
        for name, order in metadata.image_orders.items():
            if sorted(order.images) != list(range(len(row.images))):
                raise ValueError(f"{name} is not an order of its {len(row.images)} images")
            prompts.prompt(order.question, key, len(row.images), metadata.style, row.task)
    except ValueError as error:
        raise Unusable(row, line(error)) from error


def read(
    path: Path, *, pictures: bool = True, wanted: NDArray[np.bool_] | None = None, n_rows: int | None = None
) -> Iterator[ItemRow]:  # fmt: skip
    """The rows of one file, with their images if `pictures`; `wanted`, `n_rows` and errors as in `RowFormat.read`."""
    return (replace(row, file=path) for row in _ROWS.read(path, pictures=pictures, wanted=wanted, n_rows=n_rows))
