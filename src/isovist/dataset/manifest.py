"""The manifest of a data folder: what was asked for, and which files answer it.

`isovist.json` is written last, so a folder without it is not a data set.
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
    """Some items of one task and one split. Version 0 is no version of a task: those items were imported."""

    task: str
    version: int
    split: str
    n: int
    seed: int = 0
    level: str | None = None
    settings: dict[str, Value] = field(default_factory=dict[str, Value])
    style: str = DEFAULT_STYLE
    renderer: str = RASTER
    """Who drew its pictures: the rasteriser, or Cycles with Blender's version."""
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """How many items of each level, in order, where the items do not go round the levels: those that an adaptive run has asked."""

    @property
    def imported(self) -> bool:
        """Whether the items were published by others and taken in: no task here makes them."""
        return self.version == 0

    def items(self) -> Items:
        task = registry.task(self.task)
        return Items(task, self.n, self.seed, self.split, self.level, tuple(sorted(self.settings.items())), tuple(self.counts.items()))

    def files(self) -> list[str]:
        """The paths of its files inside the data folder, in the Hugging Face layout."""
        count = max(1, -(-self.n // ROWS_PER_FILE))
        return [f"{self.task}/{self.split}-{i:05d}-of-{count:05d}.parquet" for i in range(count)]

    def places(self, file: int) -> range:
        """The places in its items that go into its file of that number."""
        return range(file * ROWS_PER_FILE, min(self.n, (file + 1) * ROWS_PER_FILE))


@dataclass(frozen=True, slots=True)
class Manifest:
    parts: tuple[DataPart, ...]
    hashes: dict[str, str] = field(default_factory=dict[str, str])
    """The SHA-256 of each file by its path."""
    isovist: str = field(default_factory=lambda: package_version("isovist"))
    format: int = FORMAT

    def part(self, task: str, split: str) -> DataPart | None:
        return next((part for part in self.parts if (part.task, part.split) == (task, split)), None)

    def with_parts(self, parts: Iterable[DataPart], hashes: dict[str, str]) -> Manifest:
        """The manifest with more parts, ordered by task and split."""
        every = sorted((*self.parts, *parts), key=lambda part: (part.task, part.split))
        return replace(self, parts=tuple(every), hashes=dict(sorted((self.hashes | hashes).items())))

    def write(self, folder: Path) -> None:
        write_atomically(folder / MANIFEST, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path) -> Manifest:
        """The manifest of a data folder. Raises UserError if there is none, or one that this version cannot read."""
        why = missing_folder_message(folder, MANIFEST, noun="data set", kind="data", command="generate")
        return document(Manifest, folder / MANIFEST, FORMAT, content="data", missing=why, remedy="generate the data again")
