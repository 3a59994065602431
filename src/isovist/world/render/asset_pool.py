"""Pool of render assets, cached between images: triangles, materials and textures of all loaded models.

The arrays grow, and an image refers to assets by index. No pixel depends on the loading order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float32]

MOST, MOST_TEXELS = 3_000_000, 96_000_000
"""Maximum numbers of triangles and of texels; above one of them the pool is cleared. The asset pack has 1.8 and 73 million."""
_SIDE = 1024  # maximum side of a texture in pixels


@cache
def linear() -> Floats:
    """Return the linear light, 0 to 1, of the 256 sRGB values."""
    steps = [n / 255 for n in range(256)]
    return np.array([s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in steps], np.float32)


@lru_cache(maxsize=4096)
def colour(text: str) -> tuple[float, float, float]:
    """Return the linear light of an sRGB colour ``"#rrggbb"``."""
    table = linear()
    r, g, b = (float(table[int(text[i : i + 2], 16)]) for i in (1, 3, 5))
    return r, g, b


@dataclass(frozen=True)
class Material:
    """Linear colour, multiplied by the texture of this pool index; -1: no texture."""

    colour: tuple[float, float, float]
    texture: int = -1


@dataclass(frozen=True)
class Mesh:
    """n triangles for the pool: corners (n, 3, 3) in metres, unit normals (n, 3, 3), uvs (n, 3, 2) with v up, and the index of each
    one's material in `materials`, shape (n,).
    """

    corners: Floats
    normals: Floats
    uvs: Floats
    material: NDArray[np.int32]
    materials: tuple[Material, ...]


@dataclass(frozen=True)
class Model:
    """A mesh in the pool: index of its first triangle, number of triangles, and the corners of its bounding box."""

    first: int
    count: int
    low: tuple[float, float, float]
    high: tuple[float, float, float]


Kind = TypeVar("Kind", bound=np.generic)


class _Growing(Generic[Kind]):
    """An array with spare capacity to which rows are appended."""

    def __init__(self, shape: tuple[int, ...], kind: type[Kind]) -> None:
        self._room: NDArray[Kind] = np.zeros((1024, *shape), kind)
        self.n = 0

    def add(self, more: NDArray[Kind]) -> int:
        """Append rows and return the index of the first of them."""
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
        """Of each texture: index of its first texel, width, height, number of mipmap levels."""
        self.means = _Growing((3,), np.float32)
        self.measured = 0
        """Triangles in `means`: see `mean_colours`."""

    def add(self, mesh: Mesh) -> Model:
        """Add a mesh. Raises ValueError for one without triangles."""
        if not len(mesh.corners):
            raise ValueError("a mesh without triangles")
        base = self.colours.add(np.array([m.colour for m in mesh.materials], np.float32))
        self.textures.add(np.array([m.texture for m in mesh.materials], np.int32))
        first = self.corners.add(mesh.corners)
        self.normals.add(mesh.normals)
        self.uvs.add(mesh.uvs)
        self.material.add(mesh.material + np.int32(base))
        rows = np.ascontiguousarray(mesh.corners.reshape(-1, 3).T)  # of which the ends are found much faster
        low, high = rows.min(axis=1), rows.max(axis=1)
        return Model(first, len(mesh.corners), _three(low), _three(high))

    def add_texture(self, image: Image.Image) -> int:
        """Add a texture with its mipmap levels, averaged in linear light. Returns its index."""
        width, height = (1 << min(max(side - 1, 0).bit_length(), _SIDE.bit_length() - 1) for side in image.size)
        image = image.convert("RGB")
        if image.size != (width, height):
            image = image.resize((width, height), Image.Resampling.BOX)
        sheets = [np.asarray(image).reshape(-1, 3)]
        level = linear()[np.asarray(image)]
        while level.size > 3:
            level = _halved(level)
            sheets.append(_texels(level).reshape(-1, 3))
        first = self.texels.add(np.concatenate(sheets))
        return self.table.add(np.array([[first, width, height, len(sheets)]], np.int64))


def _three(row: Floats) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])


def _halved(level: Floats) -> Floats:
    """Return the next mipmap level: each side longer than one texel is halved."""
    if level.shape[0] > 1:
        level = (level[0::2] + level[1::2]) * np.float32(0.5)
    if level.shape[1] > 1:
        level = (level[:, 0::2] + level[:, 1::2]) * np.float32(0.5)
    return level


@cache
def _edges() -> Floats:
    """Return the 255 thresholds of linear light between consecutive sRGB values."""
    steps = [(n + 0.5) / 255 for n in range(255)]
    return np.array([s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in steps], np.float32)


def encoded(light: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the nearest 8-bit sRGB values of linear light, 0 to 1."""
    return np.searchsorted(_edges(), light).astype(np.uint8)


_BINS = 8192  # so many that none contains two thresholds


@cache
def _bins() -> tuple[NDArray[np.uint8], Floats]:
    """Return the number of thresholds below the start of each bin of linear light, and the thresholds followed by infinity."""
    starts = np.arange(_BINS + 1, dtype=np.float32) / np.float32(_BINS)
    return encoded(starts), np.append(_edges(), np.float32(np.inf))


def _texels(light: Floats) -> NDArray[np.uint8]:
    """Return the values of `encoded`, which a table gives at a tenth of the cost."""
    below, edges = _bins()
    values = below[(light * np.float32(_BINS)).astype(np.int16)]
    values += light > edges[values]
    return values


_pool = Pool()
_models: dict[object, Model] = {}
_textures: dict[object, int] = {}


def pool() -> Pool:
    return _pool


def models() -> dict[object, Model]:
    """Models in the pool by geometry or file."""
    return _models


def textures() -> dict[object, int]:
    """Texture indices in the pool by texture."""
    return _textures


def make_room() -> None:
    """Clear the pool if it exceeds `MOST` or `MOST_TEXELS`; called between images."""
    if _pool.corners.n > MOST or _pool.texels.n > MOST_TEXELS:
        forget()


def forget() -> None:
    """Clear the pool: assets are loaded again on use."""
    global _pool  # noqa: PLW0603 - one pool per process
    _pool = Pool()
    _models.clear()
    _textures.clear()


_CENTROIDS = tuple(((3 * i + k) / 12, (3 * j + k) / 12) for k, most in ((1, 4), (2, 3)) for i in range(most) for j in range(most - i))
"""Barycentric coordinates of the second and third corner: the centroids of the 16 equal parts of a triangle, four a side."""


def mean_colours(store: Pool) -> Floats:
    """Return the linear colour of each material of the pool, shape (n, 3): its own colour times the mean of its texture,
    for images without textures.

    The mean is over the surfaces that have the material, weighted by area, so unused parts of a texture do not count. Kept in the pool.
    """
    first, known = store.measured, store.means.n
    if known < store.colours.n:
        store.means.add(_measured(store, first, known))
        store.measured = store.corners.n
    return store.means.rows


def _measured(store: Pool, first: int, known: int) -> Floats:
    """Return the colours of the materials from index `known` on, which the triangles from index `first` on have."""
    part = slice(first, store.corners.n)
    colours, textures = store.colours.rows[known : store.colours.n], store.textures.rows[known : store.colours.n]
    material = store.material.rows[part] - known
    textured = np.flatnonzero(textures[material] >= 0)
    material, corners, uvs = material[textured], store.corners.rows[part][textured].astype(np.float64), store.uvs.rows[part][textured]
    start, width, height = (store.table.rows[textures[material], i] for i in range(3))
    areas = np.sqrt((np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) ** 2).sum(axis=1))
    light = np.zeros((len(material), 3))
    for b, c in _CENTROIDS:
        u, v = np.moveaxis(uvs[:, 0] * (1 - b - c) + uvs[:, 1] * b + uvs[:, 2] * c, 1, 0)
        x, y = np.floor(u * width).astype(np.int64) & (width - 1), np.floor((1 - v) * height).astype(np.int64) & (height - 1)
        light += linear()[store.texels.rows[start + y * width + x]]
    weights = np.bincount(material, areas, len(colours)) * len(_CENTROIDS)
    sums = np.stack([np.bincount(material, areas * light[:, i], len(colours)) for i in range(3)], axis=1)
    means = np.divide(sums, weights[:, None], out=np.ones(sums.shape), where=weights[:, None] > 0)
    return (colours * means).astype(np.float32)
