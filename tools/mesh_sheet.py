# /// script
# requires-python = ">=3.11"
# dependencies = ["embreex==4.4.0.post1", "numpy>=2", "pillow>=11", "trimesh==5.2.0"]
# ///
"""Draws contact sheets of the meshes: each from the front, three-quarter left, side, back and top, beside its name.

    uv run tools/mesh_sheet.py FOLDER                    # the bundled pack
    uv run tools/mesh_sheet.py FOLDER ID... --glb OTHER   # some of them, or the GLB files of another folder

The camera of "front" stands on +Z; that of "side" on +X, the model's own left, so that its front points to the LEFT of
that picture; in "top" the front points down. Look at them after any change to the pack: a wrong front makes every item
that shows the mesh wrong.
"""

# trimesh carries few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parent.parent
MESHES = ROOT / "src/isovist/world/assets/meshes"

# name, yaw of the camera about +Y from +Z towards +X, its height angle
VIEWS = (("front", 0, 8), ("three-quarter", 40, 25), ("side", 90, 8), ("back", 180, 8), ("top", 0, 89.9))
FINE = 2  # rays a pixel's side has
ROWS = 8
SUN = np.array([-0.35, 0.8, 0.5]) / np.linalg.norm([-0.35, 0.8, 0.5])


class Model:
    """A GLB ready for rays: all triangles in one mesh, and the colour of each where a ray meets it."""

    def __init__(self, path: Path) -> None:
        scene: Any = trimesh.load(path, force="scene")
        self.parts: list[Any] = list(scene.dump())
        self.whole: Any = trimesh.util.concatenate([trimesh.Trimesh(p.vertices, p.faces, process=False) for p in self.parts])
        self.normals = np.concatenate([p.vertex_normals[p.faces] for p in self.parts])
        self.owner = np.concatenate([np.full(len(p.faces), i) for i, p in enumerate(self.parts)])
        self.first = np.cumsum([0, *(len(p.faces) for p in self.parts)])
        self.triangles = len(self.whole.faces)

    def colours(self, hit: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """sRGB 0-1 of each hit triangle at its barycentric weights."""
        rgb = np.zeros((len(hit), 3))
        for i, part in enumerate(self.parts):
            mine = self.owner[hit] == i
            if not mine.any():
                continue
            material = part.visual.material
            picture = material.baseColorTexture
            if picture is None:
                linear = np.asarray(material.baseColorFactor[:3], float) / 255
                rgb[mine] = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
                continue
            texture = np.asarray(picture.convert("RGB"), float) / 255
            uv = (part.visual.uv[part.faces[hit[mine] - self.first[i]]] * weights[mine][:, :, None]).sum(axis=1) % 1
            height, width = texture.shape[:2]
            rgb[mine] = texture[((1 - uv[:, 1]) * height).astype(int) % height, (uv[:, 0] * width).astype(int) % width]
        return rgb


def picture(model: Model, yaw: float, pitch: float, size: int) -> Image.Image:
    """The model seen from a camera at these angles, orthographic, filling `size` pixels; white behind."""
    low, high = model.whole.bounds
    middle, reach = (low + high) / 2, float(np.linalg.norm(high - low)) / 2
    a, b = math.radians(yaw), math.radians(pitch)
    back = np.array([math.sin(a) * math.cos(b), math.sin(b), math.cos(a) * math.cos(b)])
    right = np.array([math.cos(a), 0.0, -math.sin(a)])
    up = np.cross(back, right)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]) - middle
    half = 1.04 * max(np.abs(corners @ right).max(), np.abs(corners @ up).max())
    n = size * FINE
    steps = ((np.arange(n) + 0.5) / n * 2 - 1) * half
    u, v = np.meshgrid(steps, -steps)
    origins = middle + 2 * reach * back + u.reshape(-1, 1) * right + v.reshape(-1, 1) * up
    hits, rays, _ = model.whole.ray.intersects_id(origins, np.tile(-back, (len(origins), 1)), multiple_hits=False, return_locations=True)
    image = np.ones((n * n, 3))
    if len(hits):
        corner = model.whole.triangles[hits]
        t = ((corner[:, 0] - origins[rays]) * model.whole.face_normals[hits]).sum(axis=1)
        slope = (-back * model.whole.face_normals[hits]).sum(axis=1)
        at = origins[rays] - back * (t / np.where(np.abs(slope) > 1e-9, slope, 1e-9))[:, None]
        weights = np.clip(trimesh.triangles.points_to_barycentric(corner, at), 0, 1)
        normal = (model.normals[hits] * weights[:, :, None]).sum(axis=1)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
        normal *= np.sign((normal * back).sum(axis=1, keepdims=True))  # both sides of a face are painted
        light = 0.5 + 0.5 * np.clip(normal @ SUN, 0, 1)
        image[rays] = model.colours(hits, weights) * light[:, None]
    pixels = image.reshape(size, FINE, size, FINE, 3).mean(axis=(1, 3))
    return Image.fromarray((pixels * 255).round().astype(np.uint8))


def row(path: Path, caption: str, size: int) -> Image.Image:
    model = Model(path)
    line = Image.new("RGB", (len(VIEWS) * (size + 4), size + 16), "white")
    for i, (_, yaw, pitch) in enumerate(VIEWS):
        line.paste(picture(model, yaw, pitch, size), (i * (size + 4), 14))
    width, height, depth = (100 * model.whole.extents).tolist()
    text = f"{path.stem}  {caption}  {width:.0f} x {height:.0f} x {depth:.0f} cm (w h d)  {model.triangles} triangles"
    ImageDraw.Draw(line).text((2, 1), text, fill="#444444")
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the PNG files go")
    parser.add_argument("ids", nargs="*", help="only these meshes")
    parser.add_argument("--glb", type=Path, default=MESHES, help="the folder of the GLB files")
    parser.add_argument("--image-size", type=int, default=150, help="pixels of one view")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    manifest = arguments.glb / "manifest.json"
    captions = {}
    if manifest.exists():
        entries = json.loads(manifest.read_text(encoding="utf-8"))["meshes"]
        captions = {m["id"]: f"{m['category']}, {m['broad']}, front {m['front']}, symmetry {m['symmetry']}" for m in entries}
    paths = [p for p in sorted(arguments.glb.glob("*.glb")) if not arguments.ids or p.stem in arguments.ids]
    for start in range(0, len(paths), ROWS):
        lines = [row(path, captions.get(path.stem, ""), arguments.image_size) for path in paths[start : start + ROWS]]
        sheet = Image.new("RGB", (lines[0].width, sum(line.height for line in lines)), "white")
        y = 0
        for line in lines:
            sheet.paste(line, (0, y))
            y += line.height
        sheet.save(arguments.folder / f"meshes-{start // ROWS:02}.png")


if __name__ == "__main__":
    main()
