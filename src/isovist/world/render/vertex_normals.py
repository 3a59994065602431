"""Vertex normals for meshes without normals: smooth at small angles between faces, sharp edges elsewhere."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import cosine
from isovist.world.render.asset_pool import Floats
from isovist.world.render.jit import kernel

CREASE = 40.0
"""Angle in degrees between two faces from which their edge is sharp."""


def normals(corners: NDArray[np.float64], vertex: NDArray[np.int64]) -> Floats:
    """Return a unit normal for each corner of n triangles, shape (n, 3, 3): the area-weighted mean of faces at its vertex that are nearly
    coplanar with its own. `corners` (n, 3, 3); `vertex` (n, 3): corners with equal numbers share a vertex.
    """
    order = np.argsort(vertex.ravel(), kind="stable")
    starts = np.searchsorted(vertex.ravel()[order], np.arange(int(vertex.max(initial=0)) + 2))
    out = np.zeros((len(corners), 3, 3), np.float32)
    _smooth(corners, vertex, order // 3, starts, cosine(CREASE), out)
    return out


@kernel
def _smooth(
    corners: NDArray[np.float64], vertex: NDArray[np.int64], faces: NDArray[np.int64], starts: NDArray[np.int64], least: float, out: Floats
) -> None:
    n = len(corners)
    across = np.zeros((n, 4))  # normal of each face scaled by twice its area, and this length
    for t in range(n):
        ux, uy, uz = corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1], corners[t, 1, 2] - corners[t, 0, 2]
        vx, vy, vz = corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1], corners[t, 2, 2] - corners[t, 0, 2]
        across[t, 0], across[t, 1], across[t, 2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        across[t, 3] = sqrt(across[t, 0] ** 2 + across[t, 1] ** 2 + across[t, 2] ** 2)
    for t in range(n):
        for k in range(3):
            x, y, z = across[t, 0], across[t, 1], across[t, 2]
            for i in range(starts[vertex[t, k]], starts[vertex[t, k] + 1]):
                f = faces[i]
                if f == t:
                    continue
                together = across[t, 0] * across[f, 0] + across[t, 1] * across[f, 1] + across[t, 2] * across[f, 2]
                if together > least * across[t, 3] * across[f, 3]:
                    x, y, z = x + across[f, 0], y + across[f, 1], z + across[f, 2]
            length = sqrt(x * x + y * y + z * z)
            if length > 0:
                out[t, k, 0], out[t, k, 1], out[t, k, 2] = x / length, y / length, z / length
