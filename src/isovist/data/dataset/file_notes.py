"""Notes on finished files of an incomplete dataset folder: what the manifest and the card state about them.

The process that writes a file writes its notes. No other process makes an item again or reads a file again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import file_digest
from itertools import islice
from pathlib import Path

import numpy as np

from isovist.common.json_decoding import decode
from isovist.common.regular_files import require_regular
from isovist.data.dataset.asset_attribution import Shown, shown_by
from isovist.data.dataset.load import read
from isovist.data.dataset.manifest import DataPart, PartContent
from isovist.data.dataset.rows import ItemRow

_FIRST = 8  # number of items of a part that are inspected for 3-D scenes and for the assets of drawings
_DIGITS = 16  # of a content hash: 64 bits, so that the hashes of 10^6 rows take 8 MB


@dataclass(frozen=True, slots=True)
class Notes:
    sha256: str
    contents: str
    """The first digits of the content hash of each row."""
    shown: Shown
    """The assets that require attribution."""


def notes_path(file: Path) -> Path:
    """The path of the notes on a file of the hidden folder."""
    return file.with_suffix(".json")


def read_notes(file: Path) -> Notes:
    return decode(Notes, notes_path(file).read_bytes())


def content_digits(row: ItemRow) -> str:
    return row.content[:_DIGITS]


def file_hash(path: Path) -> str:
    require_regular(path)
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def part_content(notes: Iterable[tuple[str, Shown]]) -> PartContent:
    """The content of a part, from the contents and the assets of its files."""
    shown: Shown = set()
    digests = bytearray()
    for contents, file_shown in notes:
        shown |= file_shown
        digests += bytes.fromhex(contents)
    numbers = np.frombuffer(digests, np.uint64)
    numbers.sort()  # in place: np.unique takes several times the memory
    distinct = int(np.count_nonzero(numbers[1:] != numbers[:-1])) + bool(digests)
    return PartContent(distinct, tuple(sorted(shown)))


Run = Callable[[Callable[..., tuple[str, Shown]], list[tuple[DataPart, int, Path]]], Iterable[tuple[str, Shown]]]


def stored_content(part: DataPart, out: Path, run: Run) -> PartContent:
    """The content of a part of a dataset folder whose manifest does not state it; scenes are generated again, images are not rendered.

    `run` applies a function to several jobs, see `isovist.data.dataset.parallel.run_parallel`.
    """
    return part_content(run(_read_again, [(part, number, out / part.file(number)) for number in range(part.file_count)]))


def _read_again(part: DataPart, file: int, path: Path) -> tuple[str, Shown]:
    items, places = part.items(), part.places(file)
    shown: Shown = set()
    for place in places if has_scenes3d(part) else places[:_FIRST]:
        shown |= shown_by(items[place])
    return "".join(map(content_digits, read(path))), shown


def has_scenes3d(part: DataPart) -> bool:
    """Whether any of the first items shows a 3-D scene."""
    return any(item.scenes3d for item in islice(part.items(), _FIRST))
