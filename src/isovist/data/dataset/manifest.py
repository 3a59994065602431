"""The manifest of a dataset folder: the requested parts and their files.

`isovist.json` is written last; a folder without it is not a dataset.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

from isovist.common import private_seeds
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.private_seeds import Secret
from isovist.core.task import Task, Value
from isovist.data.dataset.json_documents import document, missing_folder_message
from isovist.data.dataset.manifest_check import fault
from isovist.data.items import Items, PrivateItems
from isovist.data.prompts import DEFAULT_STYLE, STYLES
from isovist.suites import registry
from isovist.world.render import RASTER

MANIFEST = "isovist.json"
FORMAT = 1
SHOWN_OPTIONS = "shown options"
"""Setting of a part whose questions have at most so many of their options (`isovist study serve --options`)."""
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
    ids: tuple[str, ...] = ()
    """The ids of the items, if they were chosen one by one; then `seed`, `level` and `settings` have their defaults."""
    package: str = field(default="", compare=False)
    """The package and version of the task, if it is a plug-in."""
    rows_per_file: int = field(default=ROWS_PER_FILE, compare=False)
    """The number of rows of each file but the last. It says how the items are stored, not which they are."""
    release: str = ""
    """The release and form of which it is a part, such as "isovist-2026.12/short"."""
    commitment: str = ""
    """The commitment of the secret, if the seed is private; `seed` is then 0."""

    @property
    def name(self) -> str:
        """The task and the split, with which the paths of its files begin."""
        return f"{self.task}/{self.split}"

    @property
    def imported(self) -> bool:
        """Whether the items were imported; no task generates them."""
        return self.version == 0

    @property
    def is_private(self) -> bool:
        """Whether the seed is private: only `secret` states it."""
        return bool(self.commitment)

    @property
    def seeds(self) -> str:
        """The type of the seed of a part of a release, as text."""
        return seeds_text(self.commitment)

    @property
    def can_be_regenerated(self) -> bool:
        """Whether the installed task and, for a private seed, the secret are those of the items. Raises UserError for a malformed secret file."""
        known = registry.find(self.task)
        if self.imported or known is None or known.version != self.version:
            return False
        return not self.is_private or private_seeds.is_available(self._release_name, self.commitment)

    def secret(self) -> Secret | None:
        """The secret of a private seed, else None. Raises UserError if this process does not have it."""
        return private_seeds.required(self._release_name, self.commitment) if self.is_private else None

    @property
    def _release_name(self) -> str:
        return self.release.partition("/")[0]

    def as_json(self) -> dict[str, Any]:
        """The fields by name, without those of releases and of chosen ids where they are empty."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("release", "commitment", "ids")}

    def registered(self) -> Task[Any]:
        """The task. Raises UserError if it is not installed; the message names the package of a plug-in."""
        if self.package and registry.find(self.task) is None:
            raise UserError(f"Task is not installed: {self.task}. Install the package {self.package}.")
        return registry.task(self.task)

    def items(self) -> Items:
        """The items. Raises UserError for an unknown task, and for a private seed without its secret."""
        secret = self.secret()
        return self._items(Items, self.seed) if secret is None else self._items(PrivateItems, secret.seed)

    def require_design(self, path: Path) -> None:
        """Raises UserError, with the `path` of the manifest, for a style that is not installed, and for levels, settings and counts that the
        task, if it is installed in this version, cannot have.
        """
        if self.style not in STYLES:
            raise UserError(f"Prompt style is not installed: {self.style}, for {path}. Install the package that has it.")
        task = None if self.imported else registry.find(self.task)
        if task is not None and task.version == self.version:
            try:
                self._items(Items, self.seed)
            except ValueError as error:
                raise UserError(f"Invalid part ({error}): {path}. Generate the data again.") from None

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the items, in order; they need no secret."""
        return self._items(Items, 0).levels

    def _items(self, kind: type[Items], seed: int) -> Items:
        task = self.registered()
        settings, counts = tuple(sorted(self.settings.items())), tuple(self.counts.items())
        return kind(task, self.n, seed, self.split, self.level, settings, counts, self.ids)

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


def seeds_text(commitment: str) -> str:
    """The type of the seed of a release: private with a commitment, else public."""
    return "private seeds" if commitment else "public development seed"


@dataclass(frozen=True, slots=True)
class PartContent:
    """What the data card states about the rows of a part."""

    distinct: int
    """The number of distinct items: rows with the same prompt and images are the same item."""
    assets: tuple[tuple[str, str], ...]
    """The assets that require attribution, see `isovist.data.dataset.asset_attribution.Shown`."""


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

    def without(self, parts: Sequence[DataPart]) -> Manifest:
        """A copy without some of its parts."""
        files = {file for part in parts for file in part.files()}
        names = {part.name for part in parts}
        return replace(
            self,
            parts=tuple(part for part in self.parts if part.name not in names),
            hashes={file: digest for file, digest in self.hashes.items() if file not in files},
            contents={name: content for name, content in self.contents.items() if name not in names},
        )

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
        entries["parts"] = [{name: value for name, value in part.as_json().items() if value or name != "package"} for part in self.parts]
        write_atomically(folder / MANIFEST, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path, *, names_only: bool = False) -> Manifest:
        """Read the manifest of a dataset folder. Raises UserError if there is none, if this version cannot read it, and for invalid values.

        `names_only`: do not import the tasks to check levels and settings.
        """
        why = missing_folder_message(folder, MANIFEST, noun="data set", kind="data", command="generate")
        path, again = folder / MANIFEST, "generate the data again"
        manifest = document(Manifest, path, FORMAT, content="data", missing=why, remedy=again, check=fault)
        for part in () if names_only else manifest.parts:
            part.require_design(path)
        return manifest
