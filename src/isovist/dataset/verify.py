"""Verification of a dataset folder: each row is regenerated from its id and compared in pixels, text and key."""

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
    """A row that differs from the regenerated row."""

    file: str
    id: str
    description: str


def verify(folder: Path, parts: Sequence[DataPart], workers: int = 1) -> Iterator[tuple[int, list[Difference]]]:
    """For each file, in any order, its number of rows and the rows that differ.

    A file of imported items, which cannot be regenerated, is compared with the hash in the manifest. Raises UserError for data of another
    version of a task, and for unreadable files.
    """
    hashes = Manifest.read(folder).hashes if any(part.imported for part in parts) else {}
    for part in parts:
        if part.imported:
            yield from (_check_hash(folder, part, i, hashes) for i in range(len(part.files())))
            continue
        known = registry.tasks().get(part.task)
        if known is None:
            raise UserError(f"Task is not installed: {part.task}, for {folder}. Install the package that has it.")
        if known.version != part.version:
            raise UserError(
                f"Data are from another task version: {folder} ({part.task} version {part.version}, installed {known.version}). "
                "Install the Isovist that made it, or generate the data again."
            )
    for renderer in {part.renderer for part in parts}:
        full(renderer)
    prepare(part for part in parts if not part.imported)
    jobs = [(folder, part, i) for part in parts if not part.imported for i in range(len(part.files()))]
    yield from run_parallel(_check, jobs, workers)


def _check_hash(folder: Path, part: DataPart, number: int, hashes: Mapping[str, str]) -> tuple[int, list[Difference]]:
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
        mismatches = ((id, address) for id, address in zip(ids, addresses, strict=True) if id and id.partition("#")[0] != address)
        differences += (Difference(file, id, f"is in the place of {address}") for id, address in mismatches)
    return len(ids), differences


def key_difference(stored: ItemRow) -> str | None:
    """The difference in question and key between a row and its regenerated item; None if there is none.

    Images are not rendered, which is much faster than `difference`. Columns that may change without a new task version, such as
    attributes, are not compared.
    """
    regenerated = _regenerated(stored, pictures=False)
    return (
        regenerated if isinstance(regenerated, str) else _column_difference(stored, regenerated, (*_ADDRESS, *_KEY), ("question", "answer"))
    )


def difference(stored: ItemRow) -> str | None:
    """The first difference between a row and its regenerated item; None if there is none."""
    regenerated = _regenerated(stored, pictures=True)
    if isinstance(regenerated, str):
        return regenerated
    metadata = sorted(json.loads(regenerated.metadata_json).keys() | json.loads(stored.metadata_json).keys())
    return _column_difference(stored, regenerated, _COLUMNS, metadata) or _image_difference(stored.images, regenerated.images)


def _regenerated(stored: ItemRow, *, pictures: bool) -> ItemRow | str:
    """The regenerated row of the same item, or the reason why it cannot be regenerated."""
    try:
        item, metadata = items.item(stored.id.partition("#")[0]), stored.metadata
        regenerated = item_to_row(item, metadata.style, metadata.renderer if pictures else RASTER, pictures=pictures)
    except Unusable as error:
        return f"cannot be presented: {error.why}"
    except (ValueError, KeyError, TypeError) as error:
        return f"cannot be regenerated: {error}"
    return regenerated if regenerated.id == stored.id else "its content does not fit its id"


def _column_difference(stored: ItemRow, regenerated: ItemRow, columns: Sequence[str], metadata: Sequence[str]) -> str | None:
    """The first difference of two rows in the given columns and metadata names; None if there is none."""
    for name in columns:
        if getattr(stored, name) != getattr(regenerated, name):
            return f"{name} is {_short(getattr(stored, name))} instead of {_short(getattr(regenerated, name))}"
    ours, theirs = json.loads(regenerated.metadata_json), json.loads(stored.metadata_json)
    return next(
        (_metadata_difference(name, ours.get(name), theirs.get(name)) for name in metadata if ours.get(name) != theirs.get(name)), None
    )


def _metadata_difference(name: str, ours: object, theirs: object) -> str:
    """The difference as text. The values of strings, such as the question, are quoted; others may be long."""
    both = isinstance(ours, str) and isinstance(theirs, str)
    return f"{name} is {_short(theirs)} instead of {_short(ours)}" if both else f"metadata {name!r} differ"


def _image_difference(stored: Sequence[bytes], regenerated: Sequence[bytes]) -> str | None:
    if len(stored) != len(regenerated):
        return f"has {len(stored)} images instead of {len(regenerated)}"
    for place, (a, b) in enumerate(zip(stored, regenerated, strict=True)):
        try:
            if a != b and not np.array_equal(pixels(a), pixels(b)):
                return f"the pixels of image {place} differ"
        except ValueError as error:
            return f"image {place}: {error}"
    return None


def pixels(image: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The decoded pixels of an image, shape (height, width, 3). Raises ValueError if it does not decode."""
    with opened(image) as picture:
        return np.asarray(picture.convert("RGB"))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
