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
from isovist.render import full

_TOLD = (
    "suite",
    "task",
    "version",
    "split",
    "seed",
    "index",
    "level",
    "group",
    "prompt",
    "choices",
    "answer",
    "answer_type",
    "chance",
    "skills",
)


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


_ADDRESS = ("suite", "task", "version", "split", "seed", "index", "level")
_KEY = ("choices", "answer", "answer_type")


def key_difference(stored: ItemRow) -> str | None:
    """What of a row's question and key differs from the same item made anew; None if nothing does. Nothing is drawn, which is much
    faster than `difference`, and what may change without a new version of its task is not looked at, such as its facets.
    """
    try:
        remade = item_to_row(items.item(stored.id.partition("#")[0]), stored.metadata.style, pictures=False)
        compared = [(name, getattr(stored, name), getattr(remade, name)) for name in (*_ADDRESS, *_KEY)]
        compared += [(name, getattr(stored.metadata, name), getattr(remade.metadata, name)) for name in ("question", "answer")]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"cannot be made again: {error}"
    if remade.id != stored.id:
        return "its content does not fit its id"
    return next((f"{name} is {_short(value)} instead of {_short(other)}" for name, value, other in compared if value != other), None)


def difference(stored: ItemRow) -> str | None:
    """What differs between a row and the same item made anew; None if nothing does."""
    try:
        remade = item_to_row(items.item(stored.id.partition("#")[0]), stored.metadata.style, stored.metadata.renderer)
    except Unusable as error:
        return f"cannot be asked: {error.why}"
    except (ValueError, KeyError, TypeError) as error:
        return f"cannot be made again: {error}"
    if remade.id != stored.id:
        return "its content does not fit its id"
    for name in _TOLD:
        if getattr(stored, name) != getattr(remade, name):
            return f"{name} is {_short(getattr(stored, name))} instead of {_short(getattr(remade, name))}"
    ours, theirs = json.loads(remade.metadata_json), json.loads(stored.metadata_json)
    for name in ours.keys() | theirs.keys():
        if theirs.get(name) != ours.get(name):
            return f"metadata {name!r} differ"
    if len(stored.images) != len(remade.images):
        return f"has {len(stored.images)} pictures instead of {len(remade.images)}"
    for place, (a, b) in enumerate(zip(stored.images, remade.images, strict=True)):
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
