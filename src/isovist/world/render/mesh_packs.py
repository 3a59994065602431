"""Sources of meshes: the bundled pack, and user folders with a manifest.

A folder holds ``manifest.json``, ``{"format": 1, "meshes": [...]}`` with one entry per mesh, and for each a file ``<id>.glb``,
``<id>.gltf`` or ``<id>.obj``: metres, right-handed, +Y up, front at +Z, origin at the centre of the footprint on the ground. An entry has
`id`, `category`, `broad` (a class of `scenes.mesh_catalog.Broad`), `size_cm` (width, height, depth), `front` ("clear", "symmetric" or
"none"), `symmetry` (degrees) and optionally `upright`, `licence`, `creator`, `source`; see `scenes.mesh_catalog.Mesh`. Meshes of a user
folder are named ``folder:id``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.world.render import meshes
from isovist.world.scenes.mesh_catalog import Broad, Front, Mesh, metres

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # a file name that cannot lead out of its folder


@dataclass(frozen=True, slots=True)
class Entry:
    """A mesh entry of a manifest."""

    id: str
    category: str
    broad: Broad
    size_cm: tuple[float, float, float]
    front: Front
    symmetry: int
    upright: bool = True
    licence: str = ""
    creator: str = ""
    source: str = ""

    def mesh(self) -> Mesh:
        return Mesh(self.id, self.category, self.broad, metres(self.size_cm), self.front, self.symmetry, self.upright)

    def fault(self) -> str:
        """Return an error that the types cannot exclude, "" if there is none."""
        if not _NAME.fullmatch(self.id):
            return "an id may contain letters, digits, - and _ only"
        if not all(0 < side < 1e6 for side in self.size_cm):  # also excludes NaN
            return "size_cm is three lengths above 0"
        if not 0 <= self.symmetry <= 180:
            return "symmetry is from 0 to 180 degrees"
        return ""


@dataclass(frozen=True)
class _Manifest:
    format: int
    meshes: tuple[Entry, ...]


@dataclass(frozen=True)
class Pack:
    """The meshes of a folder by id."""

    folder: Path
    entries: Mapping[str, Entry]

    def file(self, id: str) -> Path:
        """Return the file of a mesh. Raises UserError if the folder lacks it."""
        path = meshes.file_in(self.folder, id) if id in self.entries else None
        if path is None:
            raise UserError(f"Unknown mesh {id!r}: {self.folder}. Check the manifest.")
        return path


def read(folder: Path) -> Pack:
    """Read the pack in a folder. Raises UserError with a one-line message for an invalid manifest or a mesh without a file."""
    manifest = folder / "manifest.json"
    try:
        contents = decode(_Manifest, manifest.read_bytes(), extra="ignore")
    except OSError as error:
        raise UserError(f"{manifest}: {error.strerror or error}.") from None
    except ValueError as error:
        raise UserError(f"{manifest}: {error}.") from None
    if contents.format != 1:
        raise UserError(f"{manifest}: format {contents.format}; this Isovist reads format 1.")
    entries: dict[str, Entry] = {}
    for entry in contents.meshes:
        if fault := entry.fault() or ("duplicate id" if entry.id in entries else ""):
            raise UserError(f"{manifest}: {entry.id!r}: {fault}.")
        entries[entry.id] = entry
    pack = Pack(folder, entries)
    for id in entries:
        pack.file(id)
    return pack


_kept = lru_cache(maxsize=16)(read)


def bundled() -> Pack:
    return _kept(meshes.ASSETS / "meshes")


def use_folder(name: str, folder: Path) -> Pack:
    """Register a user folder under `name`, for the catalogue and the renderer: its meshes are ``name:id``. Raises UserError as `read`."""
    if not _NAME.fullmatch(name):
        raise UserError(f"Invalid name of a mesh folder: {name!r}. Use letters, digits, - and _.")
    pack = read(folder)
    _kept.cache_clear()
    meshes.use_folder(name, folder)
    return pack


def _resolved(name: str) -> tuple[Pack, str]:
    owner, _, id = name.rpartition(":")
    return _kept(meshes.folder_of(owner)), id


def locate(name: str) -> Path:
    """Return the file of a bundled mesh, or of ``folder:id``. Raises UserError if it does not exist."""
    pack, id = _resolved(name)
    return pack.file(id)


def mesh(name: str) -> Mesh:
    """Return the catalogue data of a bundled mesh, or of ``folder:id``; its `id` is `name`. Raises UserError if it does not exist."""
    pack, id = _resolved(name)
    pack.file(id)
    return replace(pack.entries[id].mesh(), id=name)


def entry(name: str) -> Entry:
    """Return the manifest entry of a mesh, with creator and licence. Raises UserError if it does not exist."""
    pack, id = _resolved(name)
    pack.file(id)
    return pack.entries[id]
