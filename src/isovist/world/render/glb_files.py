"""Read the bundled meshes: GLB files as `tools/build_meshes.py` and `tools/build_furniture_meshes.py` write them.

Every node scales one mesh and does not turn or move it. Positions are in rows of 8 bytes, other data in rows without gaps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from struct import unpack_from
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


@dataclass(frozen=True)
class Primitive:
    """Triangles of one material: vertices (n, 3) and normals (n, 3) without the scale of the node, uvs (n, 2) with v down, faces (m, 3)."""

    mesh: str
    material: str
    scale: float
    vertices: NDArray[Any]
    faces: NDArray[Any]
    normals: NDArray[Any] | None
    uvs: NDArray[Any] | None
    colour: tuple[float, ...]
    """Linear light, red, green and blue; 1 with an image."""
    image: Image.Image | None


@dataclass(frozen=True)
class _File:
    tree: dict[str, Any]
    data: bytes

    def view(self, index: int) -> tuple[int, int, int]:
        """Return start, length and row length (0: no gaps) of a buffer view."""
        view = self.tree["bufferViews"][index]
        return view.get("byteOffset", 0), view["byteLength"], view.get("byteStride", 0)

    def numbers(self, index: int | None) -> NDArray[Any] | None:
        """Return an accessor, shape (rows, columns)."""
        if index is None:
            return None
        accessor = self.tree["accessors"][index]
        start, _, stride = self.view(accessor["bufferView"])
        kind, width, rows = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]], accessor["count"]
        shape, strides = (rows, width), (stride or width * kind.itemsize, kind.itemsize)
        return np.ndarray(shape, kind, self.data, start + accessor.get("byteOffset", 0), strides)

    def image(self, texture: dict[str, int] | None) -> Image.Image | None:
        if texture is None:
            return None
        start, length, _ = self.view(self.tree["images"][self.tree["textures"][texture["index"]]["source"]]["bufferView"])
        return Image.open(BytesIO(self.data[start : start + length]))


def read(path: Path) -> Iterator[Primitive]:
    """Yield every primitive of a file."""
    content = path.read_bytes()
    (length,) = unpack_from("<I", content, 12)
    file = _File(json.loads(content[20 : 20 + length]), content[28 + length :])
    for node in file.tree["nodes"]:
        mesh = file.tree["meshes"][node["mesh"]]
        for primitive in mesh["primitives"]:
            attributes, material = primitive["attributes"], file.tree["materials"][primitive["material"]]
            look = material["pbrMetallicRoughness"]
            vertices, faces = file.numbers(attributes["POSITION"]), file.numbers(primitive["indices"])
            assert vertices is not None  # noqa: S101 - for the types
            assert faces is not None  # noqa: S101
            yield Primitive(
                mesh.get("name", ""),
                material.get("name", ""),
                node["scale"][0],
                vertices,
                faces.reshape(-1, 3),
                file.numbers(attributes.get("NORMAL")),
                file.numbers(attributes.get("TEXCOORD_0")),
                tuple(round(255 * value) / 255 for value in look.get("baseColorFactor", (1, 1, 1))[:3]),
                file.image(look.get("baseColorTexture")),
            )
