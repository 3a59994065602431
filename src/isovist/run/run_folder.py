"""A run folder: `run.json` (metadata), `records.jsonl` (responses) and `data/` (items)."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
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
from isovist.run.variants import Trial, VariantSettings
from isovist.run.variants import trials as trials_of

RUN = "run.json"
DATA = "data"
FORMAT = 1
ImageMode = Literal["joint", "caption-first"]
PROTOCOLS: tuple[ImageMode, ...] = get_args(ImageMode)
_VERSIONS = ("isovist", "inspect-ai", "openai", "transformers", "torch", "aggdraw", "pillow", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """Tokens, cost and requests of a run, over all sessions."""

    served_by: tuple[str, ...]
    """The model names that the server reported."""
    prompt_hash: str
    """Hash of all recorded prompts, in the order of item ids."""
    trials: int
    """Items in each of their variants."""
    attempts: int
    """Records; retries inside the model layer are not counted."""
    input_tokens: int
    output_tokens: int
    image_sizes: dict[str, int]
    """Number of images by size, such as "200x200"."""
    cost_usd: float | None = None
    """By the table of prices, if given."""
    captions: int = 0
    """Caption requests, in addition to the attempts; tokens and cost include both."""


BY_STUDY = "isovist study"
"""The source tool of runs with answers of participants."""


@dataclass(frozen=True, slots=True)
class RunMetadata:
    """The content of `run.json`."""

    model: str
    style: str
    options: GenerationConfig
    data: str
    """The dataset folder, relative to the run folder if inside it."""
    data_hash: str
    parts: tuple[tuple[str, str], ...]
    """Task and split of each dataset part."""
    n: int | None = None
    """Limit of items of each part."""
    variants: VariantSettings = field(default_factory=VariantSettings)
    """Variants of each item; a later session may add more."""
    started: str = ""
    finished: str = ""
    usage: UsageSummary | None = None
    versions: dict[str, str] = field(default_factory=dict[str, str])
    image_mode: ImageMode = "joint"
    """joint: all images with the question; caption-first: one at a time, described first."""
    source_tool: str = ""
    """The tool that produced imported responses; then `options` are not those of the requests."""
    n_participants: int = 0
    """Number of participants, for a run of a study."""
    adaptive: AdaptiveSettings | None = None
    """Settings of adaptive testing; then the mean accuracy is not that of the task."""
    format: int = FORMAT

    @property
    def is_human_run(self) -> bool:
        return self.source_tool == BY_STUDY

    @property
    def is_interrupted(self) -> bool:
        """Whether an adaptive run was killed before it wrote its data."""
        return self.adaptive is not None and not self.data_hash

    def differing_settings(self, other: RunMetadata) -> list[str]:
        """The settings that differ, as text: "model", "image mode"."""
        names = ["model", "source_tool", "style", "image_mode", "data_hash", "parts", "n"]
        differs = [name for name in names if getattr(self, name) != getattr(other, name)]
        request_options = ("base_url", "temperature", "max_tokens")
        differs += [name for name in request_options if getattr(self.options, name) != getattr(other.options, name)]
        return [name.replace("_", " ") for name in differs]


def resumed(before: RunMetadata, info: RunMetadata, out: Path) -> RunMetadata:
    """The metadata of a run that continues `before` with the settings `info`: more variants are added.

    Raises UserError for different settings.
    """
    if differs := before.differing_settings(info):
        raise UserError(f"Run folder has a different {' and '.join(differs)}: {out}. Choose another --out folder.")
    return replace(before, variants=before.variants | info.variants, adaptive=info.adaptive)


class RunFolder:
    """A run on disk. Methods raise UserError for a folder that is not a run."""

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
        """The dataset folder of the run. Raises UserError if its content has changed."""
        if info.is_interrupted:
            raise UserError(f"Adaptive run is incomplete: {self.path}. Run the same command again to resume.")
        folder = self.path / info.data
        if data_hash(folder) != info.data_hash:
            raise UserError(f"Data have changed since the run: {folder}. Restore them, or run again in a new folder.")
        return folder

    def parts(self, info: RunMetadata) -> list[DataPart]:
        manifest = Manifest.read(self.data(info))
        parts = (manifest.part(task, split) for task, split in info.parts)
        return [part for part in parts if part is not None]

    def rows(self, info: RunMetadata, *, whole: bool = False, pictures: bool = True) -> Iterator[ItemRow]:
        """The items of the run, in order; with `whole`, each is validated first."""
        return load(self.data(info), self.parts(info), info.n, whole=whole, pictures=pictures)

    def trials(self, info: RunMetadata, *, whole: bool = False) -> Iterator[Trial]:
        """All trials of the run: each item in the standard condition and in the variants."""
        return trials_of(self.rows(info, whole=whole), info.variants, info.style)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Lock the folder. Raises UserError if another process uses it."""
        path = self.path / ".lock"
        with path.open("a") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass  # no file locks on this system
            except OSError:
                raise UserError(f"Run folder is in use by another process: {self.path}. Wait, or choose another folder.") from None
            yield


def names(parts: Iterable[DataPart]) -> tuple[tuple[str, str], ...]:
    """The form of dataset parts in `run.json`."""
    return tuple((part.task, part.split) for part in parts)


def data_hash(folder: Path) -> str:
    """A hash of the manifest, which holds the hash of every file."""
    try:
        return sha256((folder / MANIFEST).read_bytes()).hexdigest()[:16]
    except OSError:
        raise UserError(f"Dataset folder does not exist ({MANIFEST} is missing): {folder}. Restore it.") from None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def parser() -> str:
    """A hash of the source of the response parser, which changes more often than the version of Isovist."""
    folders = [files("isovist.core.answers"), files("isovist.core.answers.extraction")]
    sources = [file for folder in folders for file in folder.iterdir() if file.name.endswith(".py")]
    return sha256(b"\0".join(file.read_bytes() for file in sorted(sources, key=lambda file: file.name))).hexdigest()[:12]


def versions() -> dict[str, str]:
    """The versions of Python, the parser and the packages of a run."""
    package_versions = {"python": platform.python_version(), "parser": parser()}
    for name in _VERSIONS:
        try:
            package_versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return package_versions


def stored(data: Path, run: Path) -> str:
    """The path of a dataset folder in `run.json`: relative if inside the run folder, so that the run can be moved."""
    data, run = data.resolve(), run.resolve()
    return os.path.relpath(data, run) if data.is_relative_to(run) else str(data)
