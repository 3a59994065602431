"""Verifying a data folder: every row is made again from its id and compared in pixels, words and key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import numpy as np

from isovist import items, registry
from isovist.dataset.load import read
from isovist.dataset.manifest import DataPart, Manifest
from isovist.dataset.parallel import prepare, run_parallel
from isovist.dataset.pictures import opened
from isovist.dataset.rows import ItemRow, Unusable, item_to_row
from isovist.errors import UserError
from isovist.render import RASTER, full

_ADDRESS = ("suite", "task", "version", "split", "seed", "index", "level")
_KEY = ("choices", "answer", "answer_type")
_COLUMNS = (*_ADDRESS, *_KEY, "group", "prompt", "chance", "skills")


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that does not come out as it stands."""

    file: str
    id: str
    description: str


def verify(folder: Path, parts: Sequence[DataPart], workers: int = 1) -> Iterator[tuple[int, list[Difference]]]:
    """For each file, in any order, how many rows it holds and which of them differ. A file of imported items, which
    nothing can make again, has to be the file that was written when they were imported.

    Raises UserError for data of another version of a task, and for files that cannot be read.
    """
    hashes = Manifest.read(folder).hashes if any(part.imported for part in parts) else {}
    for part in parts:
        if part.imported:
            yield from (_unchanged(folder, part, i, hashes) for i in range(len(part.files())))
            continue
        known = registry.tasks().get(part.task)
        if known is None:
            raise UserError(f"{folder}: made by the task {part.task}, which is not installed here; install the package that has it.")
        if known.version != part.version:
            raise UserError(
                f"{folder}: made by version {part.version} of {part.task}, and this Isovist has version {known.version}; "
                "install the Isovist that made it, or generate the data again."
            )
    for renderer in {part.renderer for part in parts}:
        full(renderer)
    prepare(part for part in parts if not part.imported)
    jobs = [(folder, part, i) for part in parts if not part.imported for i in range(len(part.files()))]
    yield from run_parallel(_check, jobs, workers)


def _unchanged(folder: Path, part: DataPart, number: int, hashes: Mapping[str, str]) -> tuple[int, list[Difference]]:
    file = part.files()[number]
    count = sum(1 for _ in read(folder / file, pictures=False))
    with (folder / file).open("rb") as opened:
        same = file_digest(opened, "sha256").hexdigest() == hashes.get(file)
    return count, [] if same else [Difference(file, "-", "has changed since it was imported")]


def _check(folder: Path, part: DataPart, number: int) -> tuple[int, list[Difference]]:
    file = part.files()[number]
    differences: list[Difference] = []
    ids: list[str] = []
    for stored in read(folder / file):
        fault = difference(stored)
        ids.append("" if fault else stored.id)
        if fault is not None:
            differences.append(Difference(file, stored.id, fault))
    expected = part.places(number)
    if len(ids) != len(expected):
        differences.append(Difference(file, "-", f"holds {len(ids)} rows instead of {len(expected)}"))
    else:
        addresses = (str(part.items().address(place)) for place in expected)
        strangers = ((id, address) for id, address in zip(ids, addresses, strict=True) if id and id.partition("#")[0] != address)
        differences += (Difference(file, id, f"stands in the place of {address}") for id, address in strangers)
    return len(ids), differences


def key_difference(stored: ItemRow) -> str | None:
    """What of a row's question and key differs from the same item made anew; None if nothing does. Nothing is drawn, which is much
    faster than `difference`, and what may change without a new version of its task is not looked at, such as its attributes.
    """
    remade = _remade(stored, pictures=False)
    return remade if isinstance(remade, str) else _column_difference(stored, remade, (*_ADDRESS, *_KEY), ("question", "answer"))


def difference(stored: ItemRow) -> str | None:
    """What differs between a row and the same item made anew; None if nothing does."""
    remade = _remade(stored, pictures=True)
    if isinstance(remade, str):
        return remade
    metadata = sorted(json.loads(remade.metadata_json).keys() | json.loads(stored.metadata_json).keys())
    return _column_difference(stored, remade, _COLUMNS, metadata) or _image_difference(stored.images, remade.images)


def _remade(stored: ItemRow, *, pictures: bool) -> ItemRow | str:
    """The row of the same item made anew, or why it cannot be made."""
    try:
        item, metadata = items.item(stored.id.partition("#")[0]), stored.metadata
        remade = item_to_row(item, metadata.style, metadata.renderer if pictures else RASTER, pictures=pictures)
    except Unusable as error:
        return f"cannot be asked: {error.why}"
    except (ValueError, KeyError, TypeError) as error:
        return f"cannot be made again: {error}"
    return remade if remade.id == stored.id else "its content does not fit its id"


def _column_difference(stored: ItemRow, remade: ItemRow, columns: Sequence[str], metadata: Sequence[str]) -> str | None:
    """The first of some columns, and of some names in the metadata, in which two rows differ."""
    for name in columns:
        if getattr(stored, name) != getattr(remade, name):
            return f"{name} is {_short(getattr(stored, name))} instead of {_short(getattr(remade, name))}"
    ours, theirs = json.loads(remade.metadata_json), json.loads(stored.metadata_json)
    return next(
        (_metadata_difference(name, ours.get(name), theirs.get(name)) for name in metadata if ours.get(name) != theirs.get(name)), None
    )


def _metadata_difference(name: str, ours: object, theirs: object) -> str:
    """A text is told, such as a question; other values may be long."""
    both = isinstance(ours, str) and isinstance(theirs, str)
    return f"{name} is {_short(theirs)} instead of {_short(ours)}" if both else f"metadata {name!r} differ"


def _image_difference(stored: Sequence[bytes], remade: Sequence[bytes]) -> str | None:
    if len(stored) != len(remade):
        return f"has {len(stored)} pictures instead of {len(remade)}"
    for place, (a, b) in enumerate(zip(stored, remade, strict=True)):
        try:
            if a != b and not np.array_equal(pixels(a), pixels(b)):
                return f"the pixels of picture {place} differ"
        except ValueError as error:
            return f"picture {place}: {error}"
    return None


def pixels(image: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The decoded pixels of a picture, shape (height, width, 3). Raises ValueError if it does not decode."""
    with opened(image) as picture:
        return np.asarray(picture.convert("RGB"))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
