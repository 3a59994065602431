"""Verification of a dataset folder: each row is regenerated from its id and compared in pixels, text and key."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from isovist.common import private_seeds
from isovist.common.canary import unmarked
from isovist.common.errors import UserError
from isovist.common.shards import Shard
from isovist.core.item_ids import stated_release
from isovist.core.rng import Rng
from isovist.core.task import ItemAddress
from isovist.data.dataset.file_notes import file_hash
from isovist.data.dataset.load import read
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.dataset.parallel import Executor, prepare, run_parallel
from isovist.data.dataset.pictures import as_shown, opened
from isovist.data.dataset.rows import ItemRow, Unusable, item_to_row, regenerated_item
from isovist.suites import registry
from isovist.world.render import RASTER, full

_ADDRESS = ("suite", "task", "version", "split", "seed", "index", "level")
_KEY = ("choices", "answer", "answer_type")
_COLUMNS = (*_ADDRESS, *_KEY, "group", "prompt", "chance", "skills")


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that differs from the regenerated row."""

    file: str
    id: str
    description: str


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A file to verify."""

    part: DataPart
    number: int
    sample: tuple[int, ...] | None = None
    """Only the rows at these positions, and the hash of the file; None: all rows."""

    @property
    def file(self) -> str:
        """Its relative path in the dataset folder."""
        return self.part.file(self.number)

    @property
    def rows(self) -> int:
        """The number of rows to compare."""
        return len(self.part.places(self.number) if self.sample is None else self.sample)


def file_checks(parts: Sequence[DataPart], shard: Shard | None = None, sample: int | None = None) -> Sequence[FileCheck]:
    """The checks of the files of some parts: those of a shard, or all; with `sample`, of that many rows, drawn from all parts together.

    The sample is the same each time and does not depend on the shards. It has no imported rows.
    """
    drawn = None if sample is None else _sample(sum(part.n for part in parts if not part.imported), sample)
    checks: list[FileCheck] = []
    before = 0  # rows of earlier parts that can be drawn
    for part in parts:
        for number in range(part.file_count):
            places = part.places(number)
            if drawn is None:
                rows = None
            elif part.imported:
                rows = ()
            else:
                first, last = (bisect_left(drawn, before + place) for place in (places.start, places.stop))
                rows = tuple(row - before - places.start for row in drawn[first:last])
            checks.append(FileCheck(part, number, rows))
        before += 0 if part.imported else part.n
    return checks if shard is None else shard.of(checks)


def _sample(n: int, k: int) -> list[int]:
    """`k` of the numbers below `n`, in order; all if there are fewer. Memory depends on `k` alone (Floyd's algorithm)."""
    rng = Rng("verify", n, k)
    drawn: set[int] = set()
    for last in range(max(0, n - k), n):
        number = rng.integer(0, last)
        drawn.add(last if number in drawn else number)
    return sorted(drawn)


def verify(
    folder: Path,
    parts: Sequence[DataPart],
    workers: int = 1,
    checks: Sequence[FileCheck] | None = None,
    executor: Executor = run_parallel,
) -> Iterator[tuple[int, list[Difference]]]:
    """For each file, in any order, its number of compared rows and the rows that differ.

    `checks`: those of `file_checks`, all rows by default. A file of imported items, which cannot be regenerated, and a file of which a
    sample is regenerated are compared with the hash in the manifest. Raises UserError for data of another version of a task, and for
    unreadable files.
    """
    checks = file_checks(parts) if checks is None else checks
    for part in parts:
        if not part.imported:
            _require_same_task(folder, part)
    for renderer in {part.renderer for part in parts}:
        full(renderer)
    prepare(check.part for check in checks if check.rows and not check.part.imported)
    has_hashes = any(check.part.imported or check.sample is not None for check in checks)
    hashes = Manifest.read(folder).hashes if has_hashes else {}
    jobs = [(folder, check, hashes.get(check.file, "")) for check in checks]
    yield from executor(_check, jobs, workers)


def _require_same_task(folder: Path, part: DataPart) -> None:
    """Raises UserError if the installed packages, or this process without the secret of a private seed, cannot regenerate a part."""
    known = registry.find(part.task)
    if known is None:
        package = f" {part.package}" if part.package else " that has it"
        raise UserError(f"Task is not installed: {part.task}, for {folder}. Install the package{package}.")
    if known.version != part.version:
        raise UserError(
            f"Data are from another task version: {folder} ({part.task} version {part.version}, installed {known.version}). "
            "Install the Isovist that made it, or generate the data again."
        )
    part.secret()


def _check(folder: Path, check: FileCheck, sha256: str) -> tuple[int, list[Difference]]:
    if check.sample is not None:
        return _check_sample(folder, check, sha256)
    if not check.part.imported:
        return _check_rows(folder, check)
    count = sum(1 for _ in read(folder / check.file, pictures=False))
    return count, [] if file_hash(folder / check.file) == sha256 else [Difference(check.file, "-", "has changed since it was imported")]


def _check_sample(folder: Path, check: FileCheck, sha256: str) -> tuple[int, list[Difference]]:
    path = folder / check.file
    if not path.exists():
        raise UserError(f"Missing file of the manifest: {path}. Generate the data again.")
    if file_hash(path) != sha256:
        return 0, [Difference(check.file, "-", "has changed since it was written")]
    wanted = set(check.sample or ())
    if not wanted:
        return 0, []
    items, start = check.part.items(), check.part.places(check.number).start
    differences: list[Difference] = []
    for row, stored in enumerate(islice(read(path), max(wanted) + 1)):
        if row in wanted:
            wanted.remove(row)
            fault = difference(stored) or _place_difference(items.address(start + row), stored)
            differences += [Difference(check.file, stored.id, fault)] if fault else []
    if wanted:
        differences.append(Difference(check.file, "-", f"has no row {min(wanted)}"))
    return check.rows, differences


def _check_rows(folder: Path, check: FileCheck) -> tuple[int, list[Difference]]:
    differences: list[Difference] = []
    expected = check.part.places(check.number)
    items, rows, places = check.part.items(), 0, list[Difference]()
    for stored in read(folder / check.file):
        if fault := difference(stored):
            differences.append(Difference(check.file, stored.id, fault))
        elif rows < len(expected) and (fault := _place_difference(items.address(expected[rows]), stored)):
            places.append(Difference(check.file, stored.id, fault))
        rows += 1
    if rows != len(expected):
        return rows, [*differences, Difference(check.file, "-", f"holds {rows} rows instead of {len(expected)}")]
    return rows, differences + places


def _place_difference(address: ItemAddress, stored: ItemRow) -> str | None:
    if stated_release(stored.id):  # the message must not state the address
        same = (stored.level, stored.index, stored.metadata.settings) == (address.level, address.index, dict(address.settings))
        return None if same else f"is in the place of item {address.index} of level {address.level}"
    return None if stored.id.partition("#")[0] == str(address) else f"is in the place of {address}"


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
        secret = private_seeds.required(release) if (release := stated_release(stored.id)) else None
        item = regenerated_item(stored)
        metadata = stored.metadata
        renderer = metadata.renderer if pictures else RASTER
        regenerated = item_to_row(item, metadata.style, renderer, pictures=pictures, secret=secret)
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
    regenerated_values, stored_values = json.loads(regenerated.metadata_json), json.loads(stored.metadata_json)
    for name in metadata:
        ours, theirs = regenerated_values.get(name), stored_values.get(name)
        if ours == theirs:
            continue
        if isinstance(ours, str) and isinstance(theirs, str):  # such as the question; other values may be long
            return f"{name} is {_short(theirs)} instead of {_short(ours)}"
        return f"metadata {name!r} differ"
    return None


def _image_difference(stored: Sequence[bytes], regenerated: Sequence[bytes]) -> str | None:
    if len(stored) != len(regenerated):
        return f"has {len(stored)} images instead of {len(regenerated)}"
    for place, (a, b) in enumerate(zip(stored, regenerated, strict=True)):
        try:
            # data from before the canary have images without it
            if unmarked(a or b"") != unmarked(b) and not np.array_equal(pixels(a), pixels(b)):
                return f"the pixels of image {place} differ"
        except ValueError as error:
            return f"image {place}: {error}"
    return None


def pixels(image: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The decoded pixels of an image, shape (height, width, 3). Raises ValueError if it does not decode."""
    with opened(image) as picture:
        return np.asarray(as_shown(picture))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
