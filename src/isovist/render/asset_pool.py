"""What scenes are drawn from, kept between pictures: triangles, materials and textures of every model seen so far.

Growing arrays, so that a picture only names what it shows by numbers. No pixel depends on the order of what was loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float32]

MOST = 3_000_000
"""Triangles after which everything is forgotten and loaded anew."""
_SIDE = 1024  # of a texture at most


@cache
def linear() -> Floats:
    """Linear light, 0 to 1, of the 256 steps of sRGB."""
    steps = [n / 255 for n in range(256)]
    return np.array([s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in steps], np.float32)


def colour(text: str) -> tuple[float, float, float]:
    """The linear light of an sRGB colour ``"#rrggbb"``."""
    table = linear()
    r, g, b = (float(table[int(text[i : i + 2], 16)]) for i in (1, 3, 5))
    return r, g, b


@dataclass(frozen=True)
class Material:
    """Linear colour, and the number of a texture in the pool that it is multiplied with, -1 for none."""

    colour: tuple[float, float, float]
    texture: int = -1


@dataclass(frozen=True)
class Mesh:
    """Triangles as they enter the pool. n triangles: corners (n, 3, 3) in metres, normals (n, 3, 3) of length 1, uvs (n, 3, 2)
    with v up, and the place of each one's material in `materials`, shape (n,).
    """

    corners: Floats
    normals: Floats
    uvs: Floats
    material: NDArray[np.int32]
    materials: tuple[Material, ...]


@dataclass(frozen=True)
class Model:
    """A mesh in the pool: its first triangle there, their number, and the lowest and highest corner of its box."""

    first: int
    count: int
    low: tuple[float, float, float]
    high: tuple[float, float, float]


Kind = TypeVar("Kind", bound=np.generic)


class _Growing(Generic[Kind]):
    """An array to whose end more is copied, with room to spare."""

    def __init__(self, shape: tuple[int, ...], kind: type[Kind]) -> None:
        self._room: NDArray[Kind] = np.zeros((1024, *shape), kind)
        self.n = 0

    def add(self, more: NDArray[Kind]) -> int:
        """Adds rows; tells where the first of them lies."""
        first, need = self.n, self.n + len(more)
        if need > len(self._room):
            room = np.zeros((max(need, 2 * len(self._room)), *self._room.shape[1:]), self._room.dtype)
            room[:first] = self._room[:first]
            self._room = room
        self._room[first:need] = more
        self.n = need
        return first

    @property
    def rows(self) -> NDArray[Kind]:
        return self._room


class Pool:
    def __init__(self) -> None:
        self.corners = _Growing((3, 3), np.float32)
        self.normals = _Growing((3, 3), np.float32)
        self.uvs = _Growing((3, 2), np.float32)
        self.material = _Growing((), np.int32)
        self.colours = _Growing((3,), np.float32)
        self.textures = _Growing((), np.int32)
        self.texels = _Growing((3,), np.uint8)
        self.table = _Growing((4,), np.int64)
        """Of each texture: its first texel, width, height, number of halved levels."""

    def add(self, mesh: Mesh) -> Model:
        """Takes a mesh in. Raises ValueError for one without triangles."""
        if not len(mesh.corners):
            raise ValueError("a mesh without triangles")
        base = self.colours.add(np.array([m.colour for m in mesh.materials], np.float32))
        self.textures.add(np.array([m.texture for m in mesh.materials], np.int32))
        first = self.corners.add(mesh.corners)
        self.normals.add(mesh.normals)
        self.uvs.add(mesh.uvs)
        self.material.add(mesh.material + np.int32(base))
        flat = mesh.corners.reshape(-1, 3)
        low, high = flat.min(axis=0), flat.max(axis=0)
        return Model(first, len(mesh.corners), _three(low), _three(high))

    def add_texture(self, image: Image.Image) -> int:
        """Takes a picture in with its halved levels, averaged in linear light; tells its number."""
        width, height = (1 << min(max(side - 1, 0).bit_length(), _SIDE.bit_length() - 1) for side in image.size)
        image = image.convert("RGB")
        if image.size != (width, height):
            image = image.resize((width, height), Image.Resampling.BOX)
        level = linear()[np.asarray(image)]
        sheets: list[NDArray[np.uint8]] = []
        while True:
            sheets.append(_encoded(level).reshape(-1, 3))
            if level.shape[0] == level.shape[1] == 1:
                break
            level = _halved(level)
        first = self.texels.add(np.concatenate(sheets))
        return self.table.add(np.array([[first, width, height, len(sheets)]], np.int64))


def _three(row: Floats) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])


def _halved(level: Floats) -> Floats:
    """Each side of more than one texel halved."""
    if level.shape[0] > 1:
        level = (level[0::2] + level[1::2]) * np.float32(0.5)
    if level.shape[1] > 1:
        level = (level[:, 0::2] + level[:, 1::2]) * np.float32(0.5)
    return level


@cache
def _edges() -> Floats:
    """The linear light between each step of sRGB and the next: 255 edges."""
    steps = [(n + 0.5) / 255 for n in range(255)]
    return np.array([s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in steps], np.float32)


def _encoded(light: Floats) -> NDArray[np.uint8]:
    return np.searchsorted(_edges(), light).astype(np.uint8)


FINE = 8192


@cache
def encoding() -> NDArray[np.uint8]:
    """The step of sRGB for linear light 0 to 1 in `FINE` steps, both ends included."""
    return _encoded(np.arange(FINE + 1, dtype=np.float32) / np.float32(FINE))


_pool = Pool()
_models: dict[object, Model] = {}
_textures: dict[object, int] = {}


def pool() -> Pool:
    return _pool


def models() -> dict[object, Model]:
    """What of the pool is which form or file."""
    return _models


def textures() -> dict[object, int]:
    """What of the pool is which texture."""
    return _textures


def make_room() -> None:
    """Forgets everything once there is too much of it; called between pictures."""
    if _pool.corners.n > MOST:
        forget()


def forget() -> None:
    """Forgets everything: the next picture loads anew what it shows."""
    global _pool  # noqa: PLW0603 - one pool a process
    _pool = Pool()
    _models.clear()
    _textures.clear()
