"""What each bundled mesh looks like from its four sides, in few numbers: a turned or exchanged mesh looks otherwise.

    python tests/mesh_views.py  # after all contact sheets were looked at: write the present fronts and views as the pinned ones

Nothing here uses the renderer, so that a change of light or of shading leaves the numbers as they are.
"""

from __future__ import annotations

import json
import string
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isovist.world.render import asset_pool, meshes
from isovist.world.scenes.mesh_catalog import MESHES, Mesh

PINNED = Path(__file__).parent / "fixtures" / "mesh_fronts.json"
CELLS = 6  # of a side of a view
STEPS = 36
_DIGITS = string.digits + string.ascii_lowercase
_POINTS = 60_000  # on the surface of a mesh, evenly spread
_SKIN = 0.06  # of the largest size: what lies so near behind the foremost point of a cell is seen, too

Floats = NDArray[np.float64]


def views(mesh: Mesh) -> NDArray[np.int64]:
    """For the front, the left, the back and the right of a mesh, how near each cell of a grid is, and how bright (0 to STEPS - 1; an
    empty cell is the farthest and the brightest). Shape (4, 2, CELLS, CELLS).
    """
    points, bright = _surface(meshes.load(meshes.locate(mesh.id)))
    asset_pool.forget()
    reach = max(mesh.size) / 2 * 1.001
    x, y, z = (points / reach).T
    y = y - mesh.size[1] / 2 / reach
    seen = [_seen(across, y, ahead, bright) for across, ahead in ((x, z), (-z, x), (-x, -z), (z, -x))]
    return np.minimum(np.array(seen) * STEPS, STEPS - 1).astype(np.int64)


def _surface(mesh: asset_pool.Mesh) -> tuple[Floats, Floats]:
    """Points on the triangles (n, 3), and the brightness of their colours, 0 to 1."""
    corners, uvs = mesh.corners.astype(np.float64), mesh.uvs.astype(np.float64)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    sums = np.cumsum(areas)
    steps = (np.arange(_POINTS) + 0.5) / _POINTS
    at = np.searchsorted(sums, steps * sums[-1])
    a, b = np.sqrt(steps * 7919 % 1), steps * 104729 % 1  # well spread and the same each time
    weights = np.stack([1 - a, a * (1 - b), a * b], axis=1)
    points, uv = (np.einsum("nk,nkd->nd", weights, rows[at]) for rows in (corners, uvs))
    colours = np.array([material.colour for material in mesh.materials])[mesh.material[at]]
    textures = np.array([material.texture for material in mesh.materials])[mesh.material[at]]
    pool = asset_pool.pool()
    for texture in set(textures[textures >= 0].tolist()):
        mine = textures == texture
        first, width, height, _ = pool.table.rows[texture].tolist()
        u, v = (uv[mine] % 1).T
        row, column = np.minimum((1 - v) * height, height - 1).astype(int), np.minimum(u * width, width - 1).astype(int)
        colours[mine] *= asset_pool.linear()[pool.texels.rows[first + row * width + column]]
    return points, np.sqrt(colours.mean(axis=1))


def _seen(across: Floats, up: Floats, ahead: Floats, bright: Floats) -> Floats:
    """Nearness and brightness of the cells, (2, CELLS, CELLS); `across`, `up`, `ahead`: -1 to 1."""
    column, row = (((side + 1) / 2 * CELLS).astype(int) for side in (across, -up))
    cell = row * CELLS + column
    nearest = np.full(CELLS * CELLS, -1.0)
    np.maximum.at(nearest, cell, ahead)
    front = ahead >= nearest[cell] - 2 * _SKIN
    count = np.bincount(cell[front], minlength=CELLS * CELLS)
    total = np.bincount(cell[front], bright[front], minlength=CELLS * CELLS)
    light = np.where(count > 0, total / np.maximum(count, 1), 1.0)
    return np.stack([(nearest + 1) / 2, light]).reshape(2, CELLS, CELLS)


def text(seen: NDArray[np.int64]) -> str:
    return "".join(_DIGITS[value] for value in seen.ravel().tolist())


def numbers(text: str) -> NDArray[np.int64]:
    return np.array([_DIGITS.index(digit) for digit in text]).reshape(4, 2, CELLS, CELLS)


def main() -> None:
    rows = {mesh.id: [mesh.front, mesh.symmetry, mesh.upright, text(views(mesh))] for mesh in MESHES}
    lines = ",\n".join(f"{json.dumps(id)}: {json.dumps(row)}" for id, row in rows.items())
    PINNED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
