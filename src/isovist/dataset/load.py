"""Reading a data folder, row by row, in bounded memory."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from PIL import Image

from isovist import prompts
from isovist.dataset.manifest import Manifest, Part
from isovist.dataset.parquet import Kind, line
from isovist.dataset.rows import SCHEMA, Row, rows
from isovist.errors import BadInput

_ROWS = Kind(SCHEMA, rows, "a row", "Isovist rows", "generate the data again")


def chosen(folder: Path, manifest: Manifest, tasks: Sequence[str] = (), split: str | None = None) -> list[Part]:
    """The parts of a data folder that ids or globs name (all without any). Raises BadInput if a name fits none."""
    parts = [part for part in manifest.parts if split in (None, part.split)]
    for name in tasks:
        if not any(fnmatchcase(part.task, name) for part in parts):
            raise BadInput(f"{folder}: holds no task {name!r}; it holds {', '.join(sorted({part.task for part in parts})) or 'none'}.")
    return [part for part in parts if not tasks or any(fnmatchcase(part.task, name) for name in tasks)]


def load(folder: Path, parts: Sequence[Part], n: int | None = None, *, whole: bool = False, pictures: bool = True) -> Iterator[Row]:
    """The rows of some parts of a data folder, at most `n` of each, in order; without `pictures`, their images are left
    empty, which is much faster. Raises BadInput for a file that cannot be read and, with `whole`, for a row that cannot
    be asked and judged: a picture that does not decode, no readable key.
    """
    for part in parts:
        left = part.n if n is None else min(n, part.n)
        for file in part.files():
            if left <= 0:
                break
            for found in islice(read(folder / file, pictures=pictures), left):
                if whole:
                    _check(folder / file, found)
                yield found
                left -= 1


def stored(folder: Path, name: str, index: int = 0, split: str | None = None) -> Row:
    """The row of a data folder that an id names, with or without its digest, or the row at a place, from 0, among those of a task.

    Raises BadInput if there is none.
    """
    task, at, _ = name.partition("@")
    parts = chosen(folder, Manifest.read(folder), [task], None if at else split)
    rows = load(folder, parts, pictures=False)
    if at:
        found = next((row for row in rows if name in (row.id, row.id.partition("#")[0])), None)
        if found is None:
            raise BadInput(f"{folder}: holds no item {name}.")
    else:
        found = next(islice(rows, index, None), None)
        if found is None:
            raise BadInput(f"{folder}: holds {sum(part.n for part in parts)} items of {task}; there is none at --index {index}.")
    return next(row for row in load(folder, chosen(folder, Manifest.read(folder), [found.task])) if row.id == found.id)


def _check(path: Path, row: Row) -> None:
    try:
        prompts.prompt(row.told["question"], row.key, len(row.images), row.told["style"])
        for name, order in row.orders.items():
            if sorted(order.pictures) != list(range(len(row.images))):
                raise ValueError(f"{name} is no order of its {len(row.images)} pictures")
            prompts.prompt(order.question, row.key, len(row.images), row.told["style"])
        for image in row.images:
            with Image.open(io.BytesIO(image)) as opened:
                opened.load()
    except (TypeError, KeyError, ValueError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadInput(f"{path}: {row.id} cannot be asked ({line(error)}); generate the data again.") from error


def read(path: Path, *, pictures: bool = True) -> Iterator[Row]:
    """The rows of one file, with their images if `pictures`. Raises BadInput if it is missing, damaged, or of other columns."""
    return _ROWS.read(path, pictures=pictures)
