"""A run's folder: `run.json` says what was asked of which model, `records.jsonl` what came back, `data/` the items."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from isovist.atomic_write import write_atomically
from isovist.dataset.json_documents import document
from isovist.dataset.load import load
from isovist.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.models.base import GenerationConfig
from isovist.run.adaptive_settings import AdaptiveSettings
from isovist.run.captions import CAPTIONS
from isovist.run.records import RECORDS
from isovist.run.variants import Trial, VariantSettings, trials

RUN = "run.json"
DATA = "data"
FORMAT = 1
ImageMode = Literal["joint", "caption-first"]
PROTOCOLS: tuple[ImageMode, ...] = get_args(ImageMode)
_VERSIONS = ("isovist", "inspect-ai", "openai", "transformers", "torch", "aggdraw", "pillow", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """What a run came to, over all its sessions."""

    served_by: tuple[str, ...]
    """The model as the server calls it."""
    prompt_hash: str
    """Of all prompts on record, in the order of their items' ids."""
    trials: int
    """Items, each in each of its variants."""
    attempts: int
    """Records; a request that the model layer sent again counts once."""
    input_tokens: int
    output_tokens: int
    image_sizes: dict[str, int]
    """How many pictures of each size, such as "200x200"."""
    cost_usd: float | None = None
    """By the user's table of prices, if there was one."""
    captions: int = 0
    """Requests for descriptions of pictures, beside the attempts; tokens and cost are of both."""


BY_STUDY = "isovist study"
"""Who asked, in runs whose answers are people's."""


@dataclass(frozen=True, slots=True)
class RunMetadata:
    """What stands in `run.json`."""

    model: str
    style: str
    options: GenerationConfig
    data: str
    """The data folder, relative to the run's folder if it lies inside."""
    data_hash: str
    parts: tuple[tuple[str, str], ...]
    """Task and split of each part of the data that is asked."""
    n: int | None = None
    """At most so many items of each part."""
    variants: VariantSettings = field(default_factory=VariantSettings)
    """How else each item is asked; more may be added later."""
    started: str = ""
    finished: str = ""
    usage: UsageSummary | None = None
    versions: dict[str, str] = field(default_factory=dict[str, str])
    image_mode: ImageMode = "joint"
    """How an item's pictures are shown: all with the question, or one at a time, to be described first."""
    source_tool: str = ""
    """The other tool that asked, for replies that were taken in; then the options above are not those of the requests."""
    participants: int = 0
    """Whose answers it holds, for a run of a study: so many people's."""
    adaptive: AdaptiveSettings | None = None
    """How the items were chosen, where the answers before decided; then the shares of right answers are none of the task."""
    format: int = FORMAT

    @property
    def is_human_run(self) -> bool:
        return self.source_tool == BY_STUDY

    @property
    def is_interrupted(self) -> bool:
        """Whether it chooses its items and has not come to write them down: its data are there when it leaves off by itself."""
        return self.adaptive is not None and not self.data_hash

    def differing_settings(self, other: RunMetadata) -> list[str]:
        """The settings that differ, as words for a message: "model", "image mode"."""
        names = ["model", "source_tool", "style", "image_mode", "data_hash", "parts", "n"]
        differs = [name for name in names if getattr(self, name) != getattr(other, name)]
        asked = ("base_url", "temperature", "max_tokens")  # how fast is no part of what
        differs += [name for name in asked if getattr(self.options, name) != getattr(other.options, name)]
        return [name.replace("_", " ") for name in differs]


class RunFolder:
    """A run on disk. Opening one that is no run raises UserError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = path / RECORDS
        self.captions = path / CAPTIONS

    def info(self) -> RunMetadata:
        return document(
            RunMetadata, self.path / RUN, FORMAT, content="a run", missing=f"no run ({RUN} is missing); `isovist run` makes one"
        )

    def write(self, info: RunMetadata) -> None:
        write_atomically(self.path / RUN, json.dumps(asdict(info), indent=1, ensure_ascii=False) + "\n")

    def exists(self) -> bool:
        return (self.path / RUN).exists()

    def data(self, info: RunMetadata) -> Path:
        """The folder of the run's items. Raises UserError if its content is not what the run was made with."""
        if info.is_interrupted:
            raise UserError(f"{self.path}: an adaptive run that was broken off; the same command finishes it.")
        folder = self.path / info.data
        if data_hash(folder) != info.data_hash:
            raise UserError(f"{self.path}: the data in {folder} have changed since the run; restore them, or run again in a new folder.")
        return folder

    def parts(self, info: RunMetadata) -> list[DataPart]:
        manifest = Manifest.read(self.data(info))
        parts = (manifest.part(task, split) for task, split in info.parts)
        return [part for part in parts if part is not None]

    def rows(self, info: RunMetadata, *, whole: bool = False, pictures: bool = True) -> Iterator[ItemRow]:
        """The items of the run, in order; with `whole`, each is looked at before it is given out."""
        return load(self.data(info), self.parts(info), info.n, whole=whole, pictures=pictures)

    def askings(self, info: RunMetadata, *, whole: bool = False) -> Iterator[Trial]:
        """All that the run asks: each item as it is, and in the run's variants."""
        return trials(self.rows(info, whole=whole), info.variants, info.style)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Holds the folder against a second run. Raises UserError if one is at work in it."""
        path = self.path / ".lock"
        with path.open("a") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass  # no file locks on this system
            except OSError:
                raise UserError(f"{self.path}: another run is writing here; wait for it, or give another folder.") from None
            yield


def names(parts: Iterable[DataPart]) -> tuple[tuple[str, str], ...]:
    """How `run.json` names parts of the data."""
    return tuple((part.task, part.split) for part in parts)


def data_hash(folder: Path) -> str:
    """A hash of the manifest, which holds the hash of every file."""
    try:
        return sha256((folder / MANIFEST).read_bytes()).hexdigest()[:16]
    except OSError:
        raise UserError(f"{folder}: the data are gone ({MANIFEST} is missing); put the folder back.") from None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def parser() -> str:
    """Names the version of what makes a verdict of a reply, by its source: one version of Isovist in development has several."""
    folders = [files("isovist.core.answers"), files("isovist.core.answers.extraction")]
    sources = [file for folder in folders for file in folder.iterdir() if file.name.endswith(".py")]
    return sha256(b"\0".join(file.read_bytes() for file in sorted(sources, key=lambda file: file.name))).hexdigest()[:12]


def versions() -> dict[str, str]:
    """The versions of what took part."""
    package_versions = {"python": platform.python_version(), "parser": parser()}
    for name in _VERSIONS:
        try:
            package_versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return package_versions


def stored(data: Path, run: Path) -> str:
    """How `run.json` names a data folder: relative if it lies inside the run's folder, so that the run can be moved."""
    data, run = data.resolve(), run.resolve()
    return os.path.relpath(data, run) if data.is_relative_to(run) else str(data)
