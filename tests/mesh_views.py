"""What each bundled mesh looks like from its four sides, in few numbers: a turned or exchanged mesh looks otherwise.

python tests/mesh_views.py  # after all contact sheets were looked at: write the present fronts and views as the pinned ones
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Camera, Light, MeshRef, Scene3D, SceneObject, Sky
from isovist.render import asset_pool, rasterizer3d
from isovist.scenes.mesh_catalog import MESHES, Mesh

PINNED = Path(__file__).parent / "fixtures" / "mesh_fronts.json"
CELLS = 6  # of a side of a view
_PIXELS = 8  # of a side of a cell


def views(mesh: Mesh) -> NDArray[np.int64]:
    """Brightness from 0 to 15 of the mesh on white, in shape (4, CELLS, CELLS): from its front, its left, its back and its right.

    The light comes from the viewer, so that the views differ by nothing but the mesh.
    """
    width, height, depth = mesh.size
    span, far = 1.02 * max(width, height, depth), 2 * (width + height + depth)
    seen: list[NDArray[np.float64]] = []
    for yaw in (0, 90, 180, 270):
        towards = (sine(yaw), 0.25, cosine(yaw))
        eye = (far * towards[0], height / 2 + 0.25 * far, far * towards[2])
        camera = Camera(eye, (0.0, height / 2, 0.0), span=span, width=CELLS * _PIXELS, height=CELLS * _PIXELS)
        scene = Scene3D((SceneObject(MeshRef(mesh.id)),), camera, ground=None, light=Light(towards), sky=Sky("#ffffff", "#ffffff"))
        grey = rasterizer3d.render(scene).colour.mean(axis=2)
        seen.append(grey.reshape(CELLS, _PIXELS, CELLS, _PIXELS).mean(axis=(1, 3)))
    asset_pool.forget()
    return (np.stack(seen) / 256 * 16).astype(np.int64)


def text(seen: NDArray[np.int64]) -> str:
    return "".join(f"{value:x}" for value in seen.ravel())


def numbers(text: str) -> NDArray[np.int64]:
    return np.array([int(digit, 16) for digit in text]).reshape(4, CELLS, CELLS)


def main() -> None:
    rows = {mesh.id: [mesh.front, mesh.symmetry, mesh.upright, text(views(mesh))] for mesh in MESHES}
    lines = ",\n".join(f"{json.dumps(id)}: {json.dumps(row)}" for id, row in rows.items())
    PINNED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
