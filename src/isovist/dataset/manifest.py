"""The manifest of a dataset folder: the requested parts and their files.

`isovist.json` is written last; a folder without it is not a dataset.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version as package_version
from pathlib import Path

from isovist import registry
from isovist.atomic_write import write_atomically
from isovist.core.task import Value
from isovist.dataset.json_documents import document, missing_folder_message
from isovist.items import Items
from isovist.prompts import DEFAULT_STYLE
from isovist.render import RASTER

MANIFEST = "isovist.json"
FORMAT = 1
ROWS_PER_FILE = 2000


@dataclass(frozen=True, slots=True)
class DataPart:
    """Items of one task and one split. Version 0, which no task has, marks imported items."""

    task: str
    version: int
    split: str
    n: int
    seed: int = 0
    level: str | None = None
    settings: dict[str, Value] = field(default_factory=dict[str, Value])
    style: str = DEFAULT_STYLE
    renderer: str = RASTER
    """The renderer of the images: the rasteriser, or Cycles with the version of Blender."""
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """The number of items of each level, in order, if items are not distributed evenly over levels (adaptive runs)."""

    @property
    def imported(self) -> bool:
        """Whether the items were imported; no task generates them."""
        return self.version == 0

    def items(self) -> Items:
        task = registry.task(self.task)
        return Items(task, self.n, self.seed, self.split, self.level, tuple(sorted(self.settings.items())), tuple(self.counts.items()))

    def files(self) -> list[str]:
        """The relative paths of its files in the dataset folder, in the Hugging Face layout."""
        count = max(1, -(-self.n // ROWS_PER_FILE))
        return [f"{self.task}/{self.split}-{i:05d}-of-{count:05d}.parquet" for i in range(count)]

    def places(self, file: int) -> range:
        """The indices of the items in file number `file`, from 0."""
        return range(file * ROWS_PER_FILE, min(self.n, (file + 1) * ROWS_PER_FILE))


@dataclass(frozen=True, slots=True)
class Manifest:
    parts: tuple[DataPart, ...]
    hashes: dict[str, str] = field(default_factory=dict[str, str])
    """The SHA-256 hash of each file, by its relative path."""
    isovist: str = field(default_factory=lambda: package_version("isovist"))
    format: int = FORMAT

    def part(self, task: str, split: str) -> DataPart | None:
        return next((part for part in self.parts if (part.task, part.split) == (task, split)), None)

    def with_parts(self, parts: Iterable[DataPart], hashes: dict[str, str]) -> Manifest:
        """A copy with additional parts, sorted by task and split."""
        every = sorted((*self.parts, *parts), key=lambda part: (part.task, part.split))
        return replace(self, parts=tuple(every), hashes=dict(sorted((self.hashes | hashes).items())))

    def write(self, folder: Path) -> None:
        write_atomically(folder / MANIFEST, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path) -> Manifest:
        """Read the manifest of a dataset folder. Raises UserError if there is none, or if this version cannot read it."""
        why = missing_folder_message(folder, MANIFEST, noun="data set", kind="data", command="generate")
        return document(Manifest, folder / MANIFEST, FORMAT, content="data", missing=why, remedy="generate the data again")
