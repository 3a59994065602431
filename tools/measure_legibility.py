"""Measures mean colours and heading changes of the meshes, and mean colours of the textures, for `isovist.world.scenes.legibility`.

    uv run tools/measure_legibility.py

Needs the extra `scene`. Run it after every change of the pack; a test compares the rows with the catalogue.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.audit import legibility
from isovist.core.scene3d import Camera, Light, MeshRef, Pose, Scene3D, SceneObject, Sky
from isovist.world.render import rasterizer3d
from isovist.world.render.asset_pool import linear
from isovist.world.scenes.mesh_catalog import MESHES, Mesh

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "src/isovist/world/assets"
TARGET = ASSETS / "tables/legibility.json"


def camera(mesh: Mesh) -> Camera:
    """A camera 15 degrees above the centre of a mesh that shows all of it."""
    w, h, d = mesh.size
    far = 2.2 * (w * w + h * h + d * d) ** 0.5
    return Camera((0.0, h / 2 + 0.26 * far, 0.97 * far), (0.0, h / 2, 0.0), 30.0)


def encoded(light: NDArray[np.floating]) -> str:
    """The sRGB colour whose linear light is nearest to a mean in linear light."""
    return "#" + "".join(f"{int(np.abs(linear() - part).argmin()):02x}" for part in light)


def mean_colour(mesh: Mesh) -> str:
    """Mean over four sides in even light."""
    pixels: list[NDArray[np.float32]] = []
    for yaw in (0, 90, 180, 270):
        scene = Scene3D(
            (SceneObject(MeshRef(mesh.id), Pose(yaw=yaw)),),
            camera(mesh),
            None,
            Light(ambient=1.1, shadows=False),
            Sky("#d8dce0", "#d8dce0"),
        )
        buffers = rasterizer3d.render(scene, 128)
        pixels.append(linear()[buffers.colour[buffers.solid == 0]])
    return encoded(np.concatenate(pixels).mean(axis=0))


def row(mesh: Mesh) -> str:
    least = [-1] * legibility.HEADINGS
    if mesh.front == "clear":
        changes = legibility.changes(SceneObject(MeshRef(mesh.id)), camera(mesh)).min(axis=1)
        least = [int(100 * change) for change in changes]
    return f'"{mesh.id}": {json.dumps({"colour": mean_colour(mesh), "changes": least})}'


def main() -> None:
    meshes = ",\n".join(row(mesh) for mesh in sorted(MESHES, key=lambda mesh: mesh.id))
    textures = ",\n".join(
        f'"{file.stem}": "{encoded(linear()[np.asarray(Image.open(file).convert("RGB"))].mean(axis=(0, 1)))}"'
        for file in sorted((ASSETS / "textures").glob("*.jpg"))
    )
    TARGET.write_text(f'{{"meshes": {{\n{meshes}\n}}, "textures": {{\n{textures}\n}}}}\n', encoding="utf-8", newline="\n")
    print(f"{TARGET.relative_to(ROOT)}: {len(MESHES)} meshes")


if __name__ == "__main__":
    main()
