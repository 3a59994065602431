"""A release: a frozen definition of a test, so that results with its name have the same design everywhere.

A TOML file defines it; a file beside it has the digests of its items with the public development seed.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.resources import as_file, files
from operator import attrgetter
from pathlib import Path
from typing import Literal, get_args

from isovist.common import private_seeds
from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.core.task import Value
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.data.prompts import STYLES
from isovist.suites import registry

Form = Literal["short", "full"]
FORMS: tuple[Form, ...] = get_args(Form)
SUFFIX = ".toml"
DIGESTS_SUFFIX = ".digests"
DIGEST_DIGITS = 8
"""Digits of an item's digest in the file of digests: the first of the 16 that end its id."""
_SPLIT = "test"

_part_name = attrgetter("name")


@dataclass(frozen=True, slots=True)
class ReleaseTask:
    """A task of a release. The items of a form are the first of those of the other one."""

    id: str
    version: int
    levels: tuple[str, ...]
    short: int
    """The number of items of the short form."""
    full: int
    settings: dict[str, Value] = field(default_factory=dict[str, Value])
    """The settings other than the defaults of the task."""

    def count(self, form: Form) -> int:
        """The number of items of a form."""
        return self.short if form == "short" else self.full


@dataclass(frozen=True, slots=True)
class Release:
    """The content of a definition."""

    name: str
    date: str
    isovist: str
    """The version of Isovist that made it."""
    style: str
    """The prompt style."""
    seed: int
    """The public development seed."""
    tasks: tuple[ReleaseTask, ...]

    def count(self, form: Form) -> int:
        """The number of items of a form."""
        return sum(task.count(form) for task in self.tasks)

    def parts(self, form: Form, *, private: bool) -> list[DataPart]:
        """The parts of a form: with the public development seed or, if `private`, with the seed of the secret file of the environment.

        Raises UserError if a task is not installed in the version of the release, and if `private` without the secret of this release.
        """
        commitment = private_seeds.required(self.name).commitment if private else ""
        for task in self.tasks:
            self._require_installed(task)
        return self.design(form, commitment)

    def design(self, form: Form, commitment: str) -> list[DataPart]:
        """The parts of a form with the public development seed or, with a commitment, with a private one; their tasks may be missing."""
        return [
            DataPart(
                task.id,
                task.version,
                _SPLIT,
                task.count(form),
                0 if commitment else self.seed,
                ",".join(task.levels),
                task.settings,
                self.style,
                package=registry.package_of(task.id),
                release=f"{self.name}/{form}",
                commitment=commitment,
            )
            for task in self.tasks
            if task.count(form)
        ]

    def _require_installed(self, task: ReleaseTask) -> None:
        known = registry.find(task.id)
        if known is None:
            raise UserError(f"Task of {self.name} is not installed: {task.id}. {self.name} was made by isovist {self.isovist}.")
        if known.version != task.version:
            raise UserError(
                f"{self.name} needs version {task.version} of {task.id}, installed is {known.version}. "
                f"Install the version that made it: isovist {self.isovist}."
            )
        try:
            for level in task.levels:
                known.address(_SPLIT, level, self.seed, 0, task.settings)
        except ValueError as error:
            raise UserError(f"{self.name}: {error}. Correct its definition.") from None


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A release and the digests of its items, by task."""

    release: Release
    digests: dict[str, tuple[str, ...]]


def names() -> list[str]:
    """The names of the releases of Isovist, in order."""
    entries = files("isovist.data.releases").iterdir()
    return sorted(file.name.removesuffix(SUFFIX) for file in entries if file.name.endswith(SUFFIX))


def release(name: str) -> Release:
    """The release of this name, or in the TOML file of this path. Raises UserError for an unknown name and an invalid file."""
    return release_file(name, digests=False).release


def release_file(name: str, *, digests: bool = True) -> ReleaseFile:
    """A release as `release` returns it, with the digests of its items, which are left out without `digests`."""
    if name.endswith(SUFFIX):
        return _read(Path(name), digests=digests)
    known = names()
    if name not in known:
        raise UserError(f"Unknown release: {name}. Choose one of {', '.join(known)}, or give the TOML file of a release.")
    with as_file(files("isovist.data.releases") / f"{name}{SUFFIX}") as path:
        return _read(path, digests=digests)


def _read(path: Path, *, digests: bool) -> ReleaseFile:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        read = decode(Release, json.dumps(content, allow_nan=False).encode())
    except OSError as error:
        raise UserError(
            f"Release cannot be read ({error.strerror}): {path}. Name a release (`isovist release list`) or its file."
        ) from None
    except (ValueError, TypeError) as error:
        raise UserError(f"Invalid release ({error}): {path}. `isovist release new` makes a valid one.") from None
    if fault := _fault(read):
        raise UserError(f"Invalid release ({fault}): {path}. Correct the file.")
    return ReleaseFile(read, _read_digests(path.with_suffix(DIGESTS_SUFFIX), read) if digests else {})


def _fault(read: Release) -> str:
    """What is wrong with a definition; "" if nothing is."""
    try:
        private_seeds.require_name(read.name)
    except UserError as error:
        return str(error)
    try:
        date.fromisoformat(read.date)
    except ValueError:
        return f"date = {read.date!r}: give a day such as 2026-12-31"
    if not 0 <= read.seed < 2**63:
        return f"seed = {read.seed}: give a number from 0 to 2^63-1"
    if read.style not in STYLES:
        return f"style = {read.style!r}: choose one of {', '.join(STYLES)}"
    if not read.tasks or len({task.id for task in read.tasks}) < len(read.tasks):
        return "tasks: give each task once, at least one"
    for task in read.tasks:
        if not task.levels or min(task.short, task.full) < 0:
            return f"{task.id}: give levels, and numbers of items from 0"
    return ""


def _read_digests(path: Path, read: Release) -> dict[str, tuple[str, ...]]:
    """The digests of a release by task. Raises UserError if the file does not fit the definition."""
    digests: dict[str, tuple[str, ...]] = {}
    try:
        for line in path.read_text(encoding="ascii").splitlines():
            task, _, text = line.partition(" ")
            digests[task] = tuple(text[i : i + DIGEST_DIGITS] for i in range(0, len(text), DIGEST_DIGITS))
    except (OSError, ValueError) as error:
        raise UserError(f"Digests of {read.name} cannot be read ({error}): {path}. Restore the file.") from None
    if {task.id: max(task.short, task.full) for task in read.tasks} != {task: len(values) for task, values in digests.items()}:
        raise UserError(f"Digests are not those of {read.name}: {path}. Restore the file.")
    return digests


def require_release(data: Path, release: Release, form: Form | None = None) -> list[DataPart]:
    """The parts of a dataset folder, which are those of a form of the release. Raises UserError for other parts."""
    parts = list(Manifest.read(data).parts)
    private = any(part.is_private for part in parts)
    for each in FORMS if form is None else (form,):
        expected = release.parts(each, private=private)
        if sorted(parts, key=_part_name) == sorted(expected, key=_part_name):
            return parts
    wanted = f"form {form} of {release.name}" if form else release.name
    raise UserError(f"Dataset folder is not that of {wanted}: {data}. Generate it with `isovist release generate`.")


def release_of(data: Path, parts: Sequence[DataPart]) -> tuple[str, str]:
    """The release and form of some parts of a dataset folder, and the commitment of their secret.

    Both are empty unless the parts are all parts of the folder, and all of one form of a release. Raises UserError if the manifest states a
    release of Isovist for other parts than those of its definition. Only an organiser can compare the release of a TOML file.
    """
    stored = Manifest.read(data).parts
    designs = {(part.release, part.commitment) for part in stored}
    for stated, commitment in designs:
        name = stated.rpartition("/")[0]
        form: Form = "short" if stated.endswith("/short") else "full"
        claimed = [part for part in stored if (part.release, part.commitment) == (stated, commitment)]
        if name in names() and sorted(claimed, key=_part_name) != sorted(release(name).design(form, commitment), key=_part_name):
            raise UserError(
                f"Data are not those of {stated}, as their manifest states: {data}. Generate them with `isovist release generate`, or "
                f"remove the release from {MANIFEST}."
            )
    return designs.pop() if len(designs) == 1 and sorted(parts, key=_part_name) == sorted(stored, key=_part_name) else ("", "")
