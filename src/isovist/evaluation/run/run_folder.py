"""A run folder: `run.json` (metadata), `records.jsonl` (responses) and `data/` (items)."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from isovist.common import plug_ins
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.regular_files import read_regular
from isovist.common.shards import Shard
from isovist.data.dataset.json_documents import document
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest, seeds_text
from isovist.data.dataset.manifest_check import MOST_ROWS, broken_texts, part_fault
from isovist.data.dataset.rows import ItemRow
from isovist.data.prompt_template import PromptTemplate
from isovist.data.releases.definition import release_of
from isovist.evaluation.models.base import GenerationConfig
from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.evaluation.run.captions import CAPTIONS
from isovist.evaluation.run.item_selection import Selection, all_rows, one_by_one, rows_of_shard, with_blocks
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.records import RECORDS
from isovist.evaluation.run.renderings import FOLDER as RENDERINGS
from isovist.evaluation.run.renderings import StoredRenderings
from isovist.evaluation.run.study_facts import StudyFacts
from isovist.evaluation.run.variants import BLOCK, Trial, VariantSettings
from isovist.evaluation.run.variants import trials as trials_of
from isovist.evaluation.run.worked_examples import EXAMPLES, WorkedExamples, prepare_examples
from isovist.evaluation.run_spec import ImageMode

RUN = "run.json"
DATA = "data"
FORMAT = 1
SERVER = {"base url"}
"""The setting of `RunMetadata.differing_settings` that names the servers of the model."""
PACKAGES = ("isovist", "inspect-ai", "openai", "transformers", "torch", "aggdraw", "pillow", "numpy", "pyarrow")
"""The packages whose versions a run records."""


@dataclass(frozen=True, slots=True)
class EndpointUsage:
    """The part of one of several endpoints in a run, over all sessions."""

    attempts: int = 0
    """Records whose last request this endpoint had."""
    moved: int = 0
    """Requests that failed here and moved to another endpoint."""
    request_errors: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


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
    endpoints: dict[str, EndpointUsage] = field(default_factory=dict[str, EndpointUsage])
    """By base URL, for a run with several endpoints; without captions."""


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
    study: StudyFacts | None = None
    """The participants and methods of the study, for a run of a study; None in exports of earlier versions."""
    adaptive: AdaptiveSettings | None = None
    """Settings of adaptive testing; then the mean accuracy is not that of the task."""
    prompt_template: str = ""
    """The text of the prompt template, if the run has one; `style` holds its hash."""
    shard: str = ""
    """The shard of the items, such as "3/64"; "" for a whole run. Only `isovist merge` analyses shards."""
    release: str = ""
    """The release and form, such as "isovist-2026.12/short", if the run has exactly its items and prompts."""
    commitment: str = ""
    """The commitment of the secret, if the items of the release have a private seed."""
    format: int = FORMAT

    @property
    def prompt_style(self) -> str | PromptTemplate:
        """The prompt style, or the prompt template."""
        return PromptTemplate(self.prompt_template) if self.prompt_template else self.style

    @property
    def release_text(self) -> str:
        """The release with the type of its seed, such as "isovist-2026.12/short, private seeds"; "" for a run of no release."""
        return f"{self.release}, {seeds_text(self.commitment)}" if self.release else ""

    @property
    def is_human_run(self) -> bool:
        return self.source_tool == BY_STUDY

    @property
    def is_interrupted(self) -> bool:
        """Whether an adaptive run was killed before it wrote its data."""
        return self.adaptive is not None and not self.data_hash

    def differing_settings(self, other: RunMetadata) -> list[str]:
        """The settings that differ, as text: "model", "image mode"."""
        names = ["model", "source_tool", "style", "image_mode", "data_hash", "parts", "n", "shard"]
        differs = [name for name in names if getattr(self, name) != getattr(other, name)]
        differs += ["sampling seed" if name == "seed" else name for name in self.options.differing(other.options)]
        return [name.replace("_", " ") for name in differs]


def resumed(before: RunMetadata, info: RunMetadata, out: Path) -> RunMetadata:
    """The metadata of a run that continues `before` with the settings `info`: more variants and more items are added.

    The servers may differ: they have other addresses after a restart. Raises UserError for other different settings.
    """
    if before.options.base_url and info.options.base_url:  # the servers may have moved
        before = replace(before, options=replace(before.options, base_url=info.options.base_url))
    if before.n is not None and (info.n is None or info.n > before.n) and may_grow(before) and not info.shard:
        before = replace(before, n=info.n, release=info.release, commitment=info.commitment)  # the first items are the same
    if differs := before.differing_settings(info):
        raise UserError(f"Run folder has a different {' and '.join(differs)}: {out}. Choose another --out folder.")
    new = info.options
    changed = {name: getattr(new, name) for name in ("concurrency", "auto_concurrency", "timeout_s", "retries")}
    options = replace(before.options, **changed)
    return replace(before, options=options, variants=before.variants | info.variants, adaptive=info.adaptive)


def may_grow(info: RunMetadata) -> bool:
    """Whether a run may get more items: those of its variants do not depend on the number of items."""
    return not (info.variants.mismatched_image or info.variants.shots)


class RunFolder:
    """A run on disk. Methods raise UserError for a folder that is not a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = path / RECORDS
        self.captions = path / CAPTIONS

    def info(self, *, shard_allowed: bool = False) -> RunMetadata:
        """The metadata. Raises UserError for a shard of a run, unless it is allowed."""
        missing = f"no run ({RUN} is missing); `isovist run` makes one"
        info = document(RunMetadata, self.path / RUN, FORMAT, content="a run", missing=missing, remedy="restore the file", check=_fault)
        if info.prompt_template and PromptTemplate(info.prompt_template).name != info.style:
            raise UserError(f"The prompt template does not have the hash of {info.style}: {self.path / RUN}. Restore the file.")
        if info.shard and not shard_allowed:
            raise UserError(
                f"Run folder has shard {info.shard} of a run: {self.path}. Merge all {Shard.parse(info.shard).count} shards first: "
                "isovist merge OUT SHARD..."
            )
        return info

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
        """The dataset parts. Raises UserError if the metadata state another release than the parts and settings have."""
        data = self.data(info)
        manifest = Manifest.read(data)
        parts = [part for task, split in info.parts if (part := manifest.part(task, split)) is not None]
        if not parts or len(parts) < len(info.parts):
            raise UserError(f"Data have no items of a part of the run: {self.path / RUN}. Restore the file.")
        if info.release and not (has_design_of(parts, info) and release_of(data, parts) == (info.release, info.commitment)):
            raise UserError(f"Run is not of {info.release}, as its metadata state: {self.path / RUN}. Remove the release and commitment.")
        return parts

    def selection(self, info: RunMetadata) -> Selection | None:
        """The rows of the shard; None for a whole run."""
        return rows_of_shard(self.data(info), self.parts(info), info.n, Shard.parse(info.shard)) if info.shard else None

    def rows(self, info: RunMetadata, *, whole: bool = False, pictures: bool = True) -> Iterator[ItemRow]:
        """The items of the run, in order; with `whole`, each is validated first."""
        return load(self.data(info), self.parts(info), info.n, whole=whole, pictures=pictures, wanted=self.selection(info))

    def trials(
        self, info: RunMetadata, *, whole: bool = False, rows: Selection | None = None, recorded: RecordedTrials | None = None,
        keyed: bool = False,
    ) -> Iterator[Trial]:  # fmt: skip
        """All trials of the run: each item in the standard condition and in the variants.

        With `rows`, only trials of these rows; with `recorded`, only trials without a score; with `keyed`, items with a private seed are
        in keyed order over the whole run instead of the order of the data. Variants do not depend on these: the mismatched image is the
        same in every shard and after every interruption. Worked examples that are missing are generated first. Raises UserError as
        `isovist.evaluation.run.variants.trials` does.
        """
        examples = None
        parts, data = self.parts(info), self.data(info)
        if info.variants.shots:
            if info.image_mode != "joint":
                raise UserError(f"Worked examples are incompatible with the image mode {info.image_mode}. Remove one of them.")
            examples = WorkedExamples(data, self.path / EXAMPLES)
            prepare_examples(data, parts, examples.examples)
        renderings = StoredRenderings(self.path / RENDERINGS)

        def of(parts: list[DataPart], selected: Selection) -> Iterator[Trial]:
            read = with_blocks(selected, BLOCK) if info.variants.mismatched_image else selected
            context: set[str] = set()  # items whose images may replace others

            def marked() -> Iterator[ItemRow]:
                flags = (flag for part, others in zip(selected, read, strict=True) for flag in part[others].tolist())
                for row, is_selected in zip(load(data, parts, info.n, whole=whole, wanted=read), flags, strict=False):
                    if not is_selected:
                        context.add(row.id)
                    yield row

            def wanted(row: ItemRow, variant: str) -> bool:
                return row.id not in context and not (recorded is not None and recorded.is_scored((row.id, variant)))

            return trials_of(marked(), info.variants, info.prompt_style, examples, wanted, renderings)

        selected = rows or self.selection(info) or all_rows(parts, info.n)
        if keyed and any(part.is_private for part in parts):
            return (trial for part, row in one_by_one(data, parts, info.n, selected) for trial in of([part], row))
        return of(parts, selected)

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


def _fault(info: RunMetadata) -> str:
    """The first field with an invalid value; "" if there is none."""
    usage = info.usage and replace(info.usage, served_by=())  # it may be any text of a server
    options = replace(info.options, system_prompt="", stop_seqs=(), model_args={})
    stated = asdict(replace(info, prompt_template="", options=options, usage=usage))
    if broken := next(broken_texts(stated), None):
        return f"{broken}: give a text on one line"
    limits = {
        "n": (info.n or 0, MOST_ROWS),
        "n_participants": (info.n_participants, MOST_ROWS),
        "variants.epochs": (info.variants.epochs, 1000),
    }
    if info.study:
        limits |= {f"study.{name}": (count, MOST_ROWS) for name, count in asdict(info.study).items() if isinstance(count, int)}
    if wrong := next((name for name, (count, most) in limits.items() if count not in range(most + 1)), None):
        return f"{wrong}: give a number from 0 to {limits[wrong][1]:,}"
    try:
        Shard.parse(info.shard or "0/1")
    except UserError as error:
        return f"shard: {str(error).rstrip('.')}"
    pool = info.adaptive.pool if info.adaptive else ()
    return next((f"adaptive.pool.{number}.{fault}" for number, part in enumerate(pool) if (fault := part_fault(part))), "")


def has_design_of(parts: Sequence[DataPart], info: RunMetadata) -> bool:
    """Whether a run has all items of some parts, as these present them: otherwise it is not of the release of the parts."""
    presented = {part.style for part in parts} == {info.style} and info.image_mode == "joint" and not info.prompt_template
    return presented and info.n is None and info.adaptive is None


def folder_name(model: str, longest: int) -> str:
    """The name of a folder for a run of a model, of at most `longest` characters."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip(".-")[:longest] or "model"


def names(parts: Iterable[DataPart]) -> tuple[tuple[str, str], ...]:
    """The form of dataset parts in `run.json`."""
    return tuple((part.task, part.split) for part in parts)


def data_hash(folder: Path) -> str:
    """A hash of the manifest, which holds the hash of every file."""
    try:
        return sha256(read_regular(folder / MANIFEST)).hexdigest()[:16]
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
    """The versions of Python, the parser, the packages of a run and the installed plug-ins."""
    package_versions = {"python": platform.python_version(), "parser": parser()}
    for name in PACKAGES:
        try:
            package_versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return package_versions | {plug_in.package: plug_in.version for group in plug_ins.GROUPS for plug_in in plug_ins.installed(group)}


def stored(data: Path, run: Path) -> str:
    """The path of a dataset folder in `run.json`: relative if inside the run folder, so that the run can be moved."""
    data, run = data.resolve(), run.resolve()
    return os.path.relpath(data, run) if data.is_relative_to(run) else str(data)
