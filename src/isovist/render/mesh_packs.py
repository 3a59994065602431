"""Where meshes come from: the bundled pack, and folders of a user's own with a manifest.

A folder holds ``manifest.json``, ``{"format": 1, "meshes": [...]}`` with one entry a mesh, and for each the file
``<id>.glb``, ``<id>.gltf`` or ``<id>.obj``: metres, +Y up, the front at +Z, the origin in the middle of the footprint on
the ground. An entry has `id`, `category`, `broad` (a class of `scenes.mesh_catalog_data.Broad`), `size_cm` (width, height, depth),
`front` ("clear", "symmetric" or "none"), `symmetry` (degrees) and, if they can be told, `upright`, `licence`, `creator`,
`source`; `scenes.mesh_catalog.Mesh` says what they mean. Its meshes are named ``folder:id``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from isovist.errors import UserError
from isovist.json_decoding import decode
from isovist.render import meshes
from isovist.scenes.mesh_catalog import Mesh
from isovist.scenes.mesh_catalog_data import Broad, Front

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # a file name, and nothing that leads out of its folder


@dataclass(frozen=True, slots=True)
class Entry:
    """A mesh as a manifest tells it."""

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
        width, height, depth = (round(side / 100, 4) for side in self.size_cm)
        return Mesh(self.id, self.category, self.broad, (width, height, depth), self.front, self.symmetry, self.upright)

    def fault(self) -> str:
        """What its types alone cannot forbid, "" if nothing is wrong."""
        if not _NAME.fullmatch(self.id):
            return "an id is letters, digits, - and _"
        if not all(0 < side < 1e6 for side in self.size_cm):  # not a number is no size either
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
    """The meshes of a folder by their ids."""

    folder: Path
    entries: Mapping[str, Entry]

    def file(self, id: str) -> Path:
        """Raises UserError if the folder has no such mesh."""
        path = meshes.file_in(self.folder, id) if id in self.entries else None
        if path is None:
            raise UserError(f"{self.folder}: no mesh {id!r}.")
        return path


def read(folder: Path) -> Pack:
    """The pack in a folder. Raises UserError, in one line, for a manifest that cannot be used or a mesh without its file."""
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
        if fault := entry.fault() or ("this id stands twice" if entry.id in entries else ""):
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
    """From now on ``name:id`` is the mesh of that id in a folder of the user's own, here and for the renderer. Raises UserError
    as `read` does.
    """
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} names no folder of meshes: use letters, digits, - and _.")
    pack = read(folder)
    _kept.cache_clear()
    meshes.use_folder(name, folder)
    return pack


def _resolved(name: str) -> tuple[Pack, str]:
    owner, _, id = name.rpartition(":")
    return _kept(meshes.folder_of(owner)), id


def locate(name: str) -> Path:
    """The file of a mesh of the bundled pack, or of ``folder:id``. Raises UserError if there is none."""
    pack, id = _resolved(name)
    return pack.file(id)


def mesh(name: str) -> Mesh:
    """What is known of a mesh of the bundled pack, or of ``folder:id``; its `id` is `name`. Raises UserError if there is none."""
    pack, id = _resolved(name)
    pack.file(id)
    return replace(pack.entries[id].mesh(), id=name)


def entry(name: str) -> Entry:
    """The entry of a mesh in its manifest: whose it is. Raises UserError if there is none."""
    pack, id = _resolved(name)
    pack.file(id)
    return pack.entries[id]
