"""What a machine must have to make the same items as the machine that sends the work, and the check on that machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from isovist.common.errors import UserError
from isovist.suites import registry
from isovist.world.render.meshes import FOLDERS

PACKAGES = ("isovist", "aggdraw", "numpy", "pillow", "pyarrow", "scipy", "zlib-ng", "numba", "trimesh")
"""The packages that determine the bytes of a file. The last two are optional."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A file by which a machine shows that it sees the shared folder."""

    folder: str
    file: str
    """Relative path."""
    sha256: str

    @staticmethod
    def of(folder: Path, file: str) -> Witness:
        return Witness(str(folder), file, _hash(folder / file))


@dataclass(frozen=True, slots=True)
class Requirements:
    """Of the sending machine. Hashable, so that a process is checked once."""

    packages: tuple[tuple[str, str], ...]
    """Name and version."""
    tasks: tuple[tuple[str, int, str], ...]
    """Task id, version, and the package and version of a plug-in."""
    task_files: tuple[str, ...]
    mesh_folders: str
    """The environment variable with the folders of custom meshes."""
    witness: Witness | None = None

    @staticmethod
    def of(versions: Mapping[str, int], witness: Witness | None = None) -> Requirements:
        """`versions`: of the tasks, by id."""
        tasks = sorted((task, number, registry.package_of(task)) for task, number in versions.items())
        files = tuple(str(Path(path).absolute()) for path in registry.loaded_files())
        return Requirements(installed(), tuple(tasks), files, os.environ.get(FOLDERS, ""), witness)


def installed() -> tuple[tuple[str, str], ...]:
    """Name and version of those packages that are installed."""
    return tuple((name, number) for name in PACKAGES if (number := _version(name)))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


@lru_cache(maxsize=8)
def check_node(needs: Requirements) -> None:
    """Check this machine and load the task files. Raises UserError with its name."""
    node = socket.gethostname()
    for name, wanted in needs.packages:
        if (here := _version(name)) != wanted:
            has = f"has {name} {here} instead of" if here else f"does not have {name}"
            raise UserError(f"Node {node} {has} {wanted}. Install the same versions on all nodes.")
    if needs.witness:
        _check_folder(node, needs.witness)
    if needs.mesh_folders:
        os.environ[FOLDERS] = needs.mesh_folders
    for path in needs.task_files:
        if not Path(path).is_file():
            raise UserError(f"Node {node} does not see the task file {path}. Put it into a folder that all nodes share.")
        registry.load_file(path)
    for name, number, package in needs.tasks:
        known = registry.find(name)
        if known is None:
            raise UserError(f"Node {node} does not have the task {name}. Install {package or 'its package'} on all nodes.")
        if (known.version, registry.package_of(name)) != (number, package):
            has = f"version {known.version} {registry.package_of(name)}".strip()
            wanted = f"version {number} {package}".strip()
            raise UserError(f"Node {node} has {name} {has} instead of {wanted}. Install the same versions on all nodes.")


def _check_folder(node: str, witness: Witness) -> None:
    try:
        same = _hash(Path(witness.folder) / witness.file) == witness.sha256
    except OSError:
        same = False
    if not same:
        raise UserError(f"Node {node} does not see {witness.folder}. Choose a folder that all nodes share, at the same path.")


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
