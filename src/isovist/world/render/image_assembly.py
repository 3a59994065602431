"""Assembly of images from samples and from views: objects at pixels, and panoramas of six views."""

from __future__ import annotations

from math import pi

import numpy as np

from isovist.world.render.jit import kernel
from isovist.world.render.zbuffer import Floats, Ints


@kernel
def settle_shared_edges(seen: Ints, owner: Ints, solid: Ints, triangle: Ints) -> None:
    """Choose for each pixel the object of most of its samples (for equal counts the first) and one of its triangles.

    `seen` (2 height, 2 width); `owner` (n,): object of each triangle; `solid` and `triangle` (height, width) are written.
    """
    height, width = solid.shape
    four = np.zeros(4, np.int64)
    for row in range(height):
        for column in range(width):
            t = seen[2 * row, 2 * column]
            if t == seen[2 * row, 2 * column + 1] and t == seen[2 * row + 1, 2 * column] and t == seen[2 * row + 1, 2 * column + 1]:
                solid[row, column] = owner[t] if t >= 0 else t
                triangle[row, column] = t
                continue
            for i in range(4):
                t = seen[2 * row + (i >> 1), 2 * column + (i & 1)]
                four[i] = owner[t] if t >= 0 else t
            best, most = 0, 0
            for i in range(4):
                same = 0
                for j in range(4):
                    same += four[i] == four[j]
                if same > most:
                    best, most = i, same
            solid[row, column] = four[best]
            triangle[row, column] = seen[2 * row + (best >> 1), 2 * column + (best & 1)]


@kernel
def around(faces: Floats, solids: Ints, triangles: Ints, half: float, heading: float, out: Floats, solid: Ints, triangle: Ints) -> None:
    """Combine six cube faces into one equirectangular image.

    `faces` (6, n, n, 3) look toward +X, -X, +Y, -Y, +Z, -Z; `half`: pixels from the centre of a face to 45 degrees. Colours are
    interpolated bilinearly, objects and triangles (both (6, n, n)) by the nearest neighbour.
    """
    height, width = solid.shape
    n = faces.shape[1]
    for row in range(height):
        high = (0.5 - (row + 0.5) / height) * pi
        for column in range(width):
            turn = ((column + 0.5) / width - 0.5 + heading / 360.0) * 2.0 * pi
            x, y, z = np.cos(high) * np.sin(turn), np.sin(high), -np.cos(high) * np.cos(turn)
            if abs(x) >= max(abs(y), abs(z)):
                face, across, down, ahead = (0, z, -y, x) if x > 0 else (1, -z, -y, -x)
            elif abs(y) >= abs(z):
                face, across, down, ahead = (2, x, -z, y) if y > 0 else (3, x, z, -y)
            else:
                face, across, down, ahead = (4, -x, -y, z) if z > 0 else (5, x, -y, -z)
            u, v = n / 2.0 + half * across / ahead, n / 2.0 + half * down / ahead
            i, j = min(max(np.int64(v), 0), n - 1), min(max(np.int64(u), 0), n - 1)
            solid[row, column] = solids[face, i, j]
            triangle[row, column] = triangles[face, i, j]
            p, q = min(max(np.int64(u - 0.5), 0), n - 2), min(max(np.int64(v - 0.5), 0), n - 2)
            a, b = u - 0.5 - p, v - 0.5 - q
            for k in range(3):
                upper = faces[face, q, p, k] * (1 - a) + faces[face, q, p + 1, k] * a
                lower = faces[face, q + 1, p, k] * (1 - a) + faces[face, q + 1, p + 1, k] * a
                out[row, column, k] = upper * (1 - b) + lower * b
