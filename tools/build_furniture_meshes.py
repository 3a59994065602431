# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2"]
# ///
"""Builds the furniture of rooms and streets from the parts in `furniture.toml`.

    uv run tools/build_furniture_meshes.py

Written are the GLB file and its manifest in `src/isovist/world/assets/furniture/`, and `ATTRIBUTION.md`. The manifest
holds the box of each part: its lowest and its highest corner, in metres in the frame of the piece. Each piece is a mesh of the file. Materials
are called by the slots that take a colour where the piece is placed, and "own" for the colours that are fixed; a slot is white, or
grey in its darker shades, to be tinted.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import attribution_texts
import numpy as np
from assets_table import ROOT
from numpy.typing import NDArray

FURNITURE = ROOT / "src/isovist/world/assets/furniture"
OWN = "own"
QUANTIZED = "KHR_mesh_quantization"
SHORT, INDEX = 5122, {1: 5121, 2: 5123}  # glTF's numbers for whole numbers, by their bytes
STEPS = 0.0005, 0.001
"""Metres of which coordinates are whole numbers, so that the file is small: of most pieces, and of those that are too large for that."""
LUMP = ((0.55, 0.0), (0.95, 0.25), (1.0, 0.48), (0.84, 0.76), (0.34, 1.0))
"""Radius and height of the rings of a lump, of its own radius and height."""

Floats = NDArray[np.float64]
Triangles = tuple[Floats, NDArray[np.int64]]
"""Corners (n, 3) and faces (m, 3), counterclockwise seen from outside."""


def revolved(rings: Sequence[tuple[float, float]], sides: int) -> Triangles:
    """What rings of a radius and a height, from below, enclose; the first side faces +Z."""
    angles = 2 * math.pi * (np.arange(sides) - 0.5) / sides
    points: list[Floats] = []
    starts: list[NDArray[np.int64]] = []  # the corners of each ring, the same one all around for a point
    for radius, height in rings:
        first = sum(len(ring) for ring in points)
        count = sides if radius else 1
        points.append(np.column_stack([radius * np.sin(angles), np.full(sides, height), radius * np.cos(angles)])[:count])
        starts.append(first + np.arange(sides) % count)
    faces: list[tuple[int, int, int]] = []
    for low, high in pairwise(starts):
        for k in range(sides):
            a, b, c, d = low[k], low[(k + 1) % sides], high[(k + 1) % sides], high[k]
            faces += [(a, b, c), (a, c, d)]
    faces += [(starts[0][0], starts[0][k + 1], starts[0][k]) for k in range(1, sides - 1)]
    faces += [(starts[-1][0], starts[-1][k], starts[-1][k + 1]) for k in range(1, sides - 1)]
    return np.concatenate(points), np.array([face for face in faces if len(set(face)) == 3], np.int64)


def box(width: float, height: float, depth: float) -> Triangles:
    corners, faces = revolved([(math.sqrt(0.5), 0.0), (math.sqrt(0.5), 1.0)], 4)
    return corners * (width, height, depth), faces


def wedge(width: float, height: float, depth: float) -> Triangles:
    """Low at its front."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y, z in ((0, 0.5), (0, -0.5), (1, -0.5))], float)
    faces = [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (0, 3, 5), (0, 5, 2)]
    return corners * (width, height, depth), np.array(faces, np.int64)


def cone(radius: float, tip: float, height: float, sides: float) -> Triangles:
    return revolved([(radius, 0.0), (tip, height)], int(sides))


def tube(radius: float, height: float, sides: float) -> Triangles:
    return cone(radius, radius, height, sides)


def ball(radius: float, sides: float) -> Triangles:
    turns = [2 * math.pi * k / sides for k in range(int(sides) // 2 + 1)]
    return revolved([(round(radius * math.sin(turn), 6), radius * (1 - math.cos(turn))) for turn in turns], int(sides))


def lump(radius: float, height: float, sides: float) -> Triangles:
    return revolved([(r * radius, h * height) for r, h in LUMP], int(sides))


SHAPES = {shape.__name__: shape for shape in (box, wedge, cone, tube, ball, lump)}


def rotation(yaw: float, pitch: float, roll: float) -> Floats:
    """Roll is applied first, then pitch, then yaw, as for poses."""
    (sy, cy), (sp, cp), (sr, cr) = ((math.sin(math.radians(angle)), math.cos(math.radians(angle))) for angle in (yaw, pitch, roll))
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    return about_y @ about_x @ about_z


def places(text: str) -> Iterator[tuple[float, ...]]:
    """The places of ``"±0.4 0 1; 0 0 2"``."""
    for place in text.split(";"):
        axes = [((-float(word[1:]), float(word[1:])) if word.startswith("±") else (float(word),)) for word in place.split()]
        yield from product(*axes)


def built(part: str) -> Iterator[Triangles]:
    """The shapes of one line of the table."""
    shape, _, rest = part.partition(" at ")
    rest, _, stretch = rest.partition(" stretch ")
    at, _, turn = rest.partition(" turn ")
    name, *sizes = shape.split()
    corners, faces = SHAPES[name](*map(float, sizes))
    corners = corners * ([float(word) for word in stretch.split()] or 1.0)
    if turn:
        corners = corners @ rotation(*map(float, turn.split())).T
    for place in places(at):
        yield corners + place, faces


def joined(parts: Sequence[str]) -> Triangles:
    shapes = [shape for part in parts for shape in built(part)]
    starts = np.cumsum([0, *(len(corners) for corners, _ in shapes)])
    return np.concatenate([corners for corners, _ in shapes]), np.concatenate(
        [f + start for (_, f), start in zip(shapes, starts, strict=False)]
    )


def material(colour: str) -> tuple[str, tuple[float, ...]]:
    """The name of a colour's material, and its factor as linear light."""
    if colour.startswith("#"):
        return OWN, tuple(_linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    slot, _, shade = colour.partition(" ")
    return slot, 3 * (_linear(float(shade or 1)),)


def _linear(value: float) -> float:
    return round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, 4)


Piece = Mapping[str, Triangles]
"""Its triangles by colour, as the table has it."""


def step(piece: Piece) -> float:
    """The metres of which its coordinates are whole numbers of two bytes."""
    return STEPS[max(float(np.abs(corners).max()) for corners, _ in piece.values()) > 32767 * STEPS[0]]


def glb(pieces: Mapping[str, Piece]) -> bytes:
    """A GLB of one mesh for each piece, with one primitive for each colour. It holds no normals: who reads it finds the edges again,
    and it is half as large.
    """
    chunks = bytearray(), bytearray()
    accessors: list[dict[str, Any]] = []
    materials: dict[tuple[str, tuple[float, ...]], int] = {}
    meshes = [
        {"name": id, "primitives": [_primitive(chunks, accessors, materials, step(piece), *one) for one in piece.items()]}
        for id, piece in pieces.items()
    ]
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": len(chunks[0]), "byteStride": 8},
        {"buffer": 0, "byteOffset": len(chunks[0]), "byteLength": len(chunks[1])},
    ]
    looks = [{"name": name, "pbrMetallicRoughness": {"baseColorFactor": [*light, 1], "metallicFactor": 0}} for name, light in materials]
    data = b"".join(chunks)
    tree: dict[str, Any] = {"asset": {"version": "2.0"}, "extensionsUsed": [QUANTIZED], "extensionsRequired": [QUANTIZED]}
    tree |= {
        "scene": 0,
        "scenes": [{"nodes": [*range(len(meshes))]}],
        "nodes": [{"mesh": k, "scale": 3 * [step(piece)]} for k, piece in enumerate(pieces.values())],
    }
    tree |= {"meshes": meshes, "materials": looks, "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}]}
    text = json.dumps(tree, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def _primitive(
    chunks: tuple[bytearray, bytearray],
    accessors: list[dict[str, Any]],
    materials: dict[tuple[str, tuple[float, ...]], int],
    step: float,
    colour: str,
    triangles: Triangles,
) -> dict[str, Any]:
    """One colour of a piece; its numbers go to the chunks of corners and of indices."""
    corners, faces = triangles
    at = np.zeros((len(corners), 4), "<i2")  # a fourth number fills each corner up to whole words
    at[:, :3] = np.round(corners / step)
    indices = faces.reshape(-1).astype("u1" if len(corners) < 255 else "<u2")
    ends = {"min": at[:, :3].min(axis=0).tolist(), "max": at[:, :3].max(axis=0).tolist()}
    accessors += [
        {"bufferView": 0, "byteOffset": len(chunks[0]), "componentType": SHORT, "count": len(at), "type": "VEC3", **ends},
        {"bufferView": 1, "byteOffset": len(chunks[1]), "componentType": INDEX[indices.itemsize], "count": indices.size, "type": "SCALAR"},
    ]
    for chunk, numbers in zip(chunks, (at, indices), strict=True):
        chunk.extend(numbers.tobytes() + bytes(-numbers.nbytes % 4))
    look = materials.setdefault(material(colour), len(materials))
    return {"attributes": {"POSITION": len(accessors) - 2}, "indices": len(accessors) - 1, "material": look}


def boxes(piece: Piece) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """The lowest and the highest corner of each part."""
    parts: dict[str, list[Floats]] = {}
    for colour, (corners, _) in piece.items():
        parts.setdefault(material(colour)[0], []).append(np.round(corners / step(piece)) * step(piece))
    ends = {name: np.concatenate(corners) for name, corners in parts.items()}
    return {name: (_rounded(points.min(axis=0)), _rounded(points.max(axis=0))) for name, points in ends.items()}


def _rounded(corner: Floats) -> tuple[float, ...]:
    return tuple(round(float(v), 4) + 0.0 for v in corner)


def main() -> None:
    table: dict[str, dict[str, list[str]]] = tomllib.loads((ROOT / "tools/furniture.toml").read_text(encoding="utf-8"))
    pieces = {id: {colour: joined(lines) for colour, lines in parts.items()} for id, parts in sorted(table.items())}
    made = glb(pieces)
    FURNITURE.mkdir(parents=True, exist_ok=True)
    (FURNITURE / "furniture.glb").write_bytes(made)
    row = {"id": "furniture", "title": f"{len(pieces)} pieces", "licence": "CC0-1.0", "creator": "Isovist"}
    row |= {"source": "tools/furniture.toml", "changes": "made in code", "sha256": hashlib.sha256(made).hexdigest()}
    rows = ",\n".join(f'"{id}": {json.dumps(boxes(piece))}' for id, piece in pieces.items())
    manifest = f'{{"format": 1, "furniture": [\n{json.dumps(row)}\n], "boxes": {{\n{rows}\n}}}}\n'
    (FURNITURE / "manifest.json").write_text(manifest, encoding="utf-8", newline="\n")
    attribution_texts.write()
    print(f"{len(pieces)} pieces, {len(made) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
