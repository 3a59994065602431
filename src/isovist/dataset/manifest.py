"""The manifest of a dataset folder: the requested parts and their files.

`isovist.json` is written last; a folder without it is not a dataset.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

from isovist import registry
from isovist.atomic_write import write_atomically
from isovist.core.task import Task, Value
from isovist.dataset.json_documents import document, missing_folder_message
from isovist.errors import UserError
from isovist.items import Items
from isovist.prompts import DEFAULT_STYLE
from isovist.render import RASTER

MANIFEST = "isovist.json"
FORMAT = 1
ROWS_PER_FILE = 2000
"""Rows of each file of imported items, and of data from before manifests stated the number."""


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
    package: str = field(default="", compare=False)
    """The package and version of the task, if it is a plug-in."""
    rows_per_file: int = field(default=ROWS_PER_FILE, compare=False)
    """The number of rows of each file but the last. It says how the items are stored, not which they are."""

    def __post_init__(self) -> None:
        if self.rows_per_file < 1:
            raise ValueError(f"Invalid rows_per_file: {self.rows_per_file}")

    @property
    def name(self) -> str:
        """The task and the split, with which the paths of its files begin."""
        return f"{self.task}/{self.split}"

    @property
    def imported(self) -> bool:
        """Whether the items were imported; no task generates them."""
        return self.version == 0

    def registered(self) -> Task[Any]:
        """The task. Raises UserError if it is not installed; the message names the package of a plug-in."""
        if self.package and registry.find(self.task) is None:
            raise UserError(f"Task is not installed: {self.task}. Install the package {self.package}.")
        return registry.task(self.task)

    def items(self) -> Items:
        task = self.registered()
        return Items(task, self.n, self.seed, self.split, self.level, tuple(sorted(self.settings.items())), tuple(self.counts.items()))

    @property
    def file_count(self) -> int:
        """The number of its files; a part without items has one."""
        return max(1, -(-self.n // self.rows_per_file))

    def file(self, number: int) -> str:
        """The relative path of file `number`, from 0, in the dataset folder, in the Hugging Face layout."""
        return f"{self.name}-{number:05d}-of-{self.file_count:05d}.parquet"

    def files(self) -> list[str]:
        """The relative paths of its files in the dataset folder."""
        return [self.file(number) for number in range(self.file_count)]

    def places(self, file: int) -> range:
        """The indices of the items in file number `file`, from 0."""
        return range(file * self.rows_per_file, min(self.n, (file + 1) * self.rows_per_file))


@dataclass(frozen=True, slots=True)
class PartContent:
    """What the data card states about the rows of a part."""

    distinct: int
    """The number of distinct items: rows with the same prompt and images are the same item."""
    assets: tuple[tuple[str, str], ...]
    """The assets that require attribution, see `isovist.dataset.asset_attribution.Shown`."""


@dataclass(frozen=True, slots=True)
class Manifest:
    parts: tuple[DataPart, ...]
    hashes: dict[str, str] = field(default_factory=dict[str, str])
    """The SHA-256 hash of each file, by its relative path."""
    contents: dict[str, PartContent] = field(default_factory=dict[str, PartContent])
    """The content of each part, by its name; imported parts have none."""
    isovist: str = field(default_factory=lambda: package_version("isovist"))
    format: int = FORMAT

    def part(self, task: str, split: str) -> DataPart | None:
        return next((part for part in self.parts if (part.task, part.split) == (task, split)), None)

    def with_parts(self, parts: Iterable[DataPart], hashes: dict[str, str], contents: dict[str, PartContent] | None = None) -> Manifest:
        """A copy with additional parts, sorted by task and split."""
        every = sorted((*self.parts, *parts), key=lambda part: (part.task, part.split))
        return replace(
            self,
            parts=tuple(every),
            hashes=dict(sorted((self.hashes | hashes).items())),
            contents=dict(sorted((self.contents | (contents or {})).items())),
        )

    def write(self, folder: Path) -> None:
        entries = asdict(self)
        for part in entries["parts"]:
            if not part["package"]:
                del part["package"]
        write_atomically(folder / MANIFEST, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path) -> Manifest:
        """Read the manifest of a dataset folder. Raises UserError if there is none, or if this version cannot read it."""
        why = missing_folder_message(folder, MANIFEST, noun="data set", kind="data", command="generate")
        return document(Manifest, folder / MANIFEST, FORMAT, content="data", missing=why, remedy="generate the data again")
