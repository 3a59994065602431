"""Mean colour of the surfaces of each material, for images without textures."""

from __future__ import annotations

import numpy as np

from isovist.world.render.asset_pool import Floats, Pool, linear

_POINTS = tuple(((3 * i + k) / 12, (3 * j + k) / 12) for k, most in ((1, 4), (2, 3)) for i in range(most) for j in range(most - i))
"""Barycentric coordinates of the second and third corner: the centroids of the 16 equal parts of a triangle, four a side."""


def mean_colours(store: Pool) -> Floats:
    """Return the linear colour of each material of the pool, shape (n, 3): its own colour times the mean of its texture.

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
    for b, c in _POINTS:
        u, v = np.moveaxis(uvs[:, 0] * (1 - b - c) + uvs[:, 1] * b + uvs[:, 2] * c, 1, 0)
        x, y = np.floor(u * width).astype(np.int64) & (width - 1), np.floor((1 - v) * height).astype(np.int64) & (height - 1)
        light += linear()[store.texels.rows[start + y * width + x]]
    weights = np.bincount(material, areas, len(colours)) * len(_POINTS)
    sums = np.stack([np.bincount(material, areas * light[:, i], len(colours)) for i in range(3)], axis=1)
    means = np.divide(sums, weights[:, None], out=np.ones(sums.shape), where=weights[:, None] > 0)
    return (colours * means).astype(np.float32)
