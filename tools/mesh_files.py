"""Parts of a mesh in memory: read from an OBJ, brought to the stage's pose and size, written as GLB.

Frame of what is written: right-handed, metres, +Y up, the front at +Z, so that the model's own left is at +X; the
origin in the middle of the footprint, on the ground (y = 0 is the lowest point).
"""

# trimesh carries few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import io
import json
import math
import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import fast_simplification
import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image
from trimesh.visual.material import SimpleMaterial
from trimesh.visual.texture import TextureVisuals

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TEXTURE_LIMIT = 512  # pixels of a texture's longer side, if the table says nothing else
CREASE = 35.0  # degrees between faces, from which an edge without normals of its own stays sharp
LIGHT_CREASE = 45.0  # the same where there are fewer triangles, so that round things stay round
FEW_COLOURS = 4096  # with more of them a texture is a photograph, and PNG is no smaller
UNSEEN = 0.05  # parts with less opacity than this are left out
LEAST_SHARE = 0.25  # of a part's triangles that stay when it is lightened
QUANTIZED = "KHR_mesh_quantization"
STEPS = 32767  # of a coordinate, from the origin to the farthest corner; of a normal: 127
BYTE, SHORT, FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5120, 5122, 5126, 5123, 5125  # glTF's numbers for types
VERTICES, INDICES = 34962, 34963  # and for targets
BEHIND_GLASS = np.array([0.36, 0.40, 0.44])  # what glass, made opaque, shows of what lies behind it (sRGB)


@dataclass(frozen=True)
class Part:
    """Triangles of one material. `vertices`, `normals` (n, 3); `faces` (m, 3); `uv` (n, 2), v up; `colour` sRGB 0-1."""

    vertices: Floats
    faces: Ints
    normals: Floats
    colour: tuple[float, float, float]
    uv: Floats | None = None
    image: Image.Image | None = None


def read_obj(path: Path, without_glass: bool = False, pixels: int = TEXTURE_LIMIT) -> tuple[list[Part], list[str]]:
    """The parts of an OBJ file of triangles with textures of at most `pixels`, and what was changed about its materials.

    Nothing is transparent on the stage: glass becomes a plain colour, or is left out with `without_glass`.
    """
    scene: Any = trimesh.load(path, force="scene")
    parts: list[Part] = []
    changes: set[str] = set()
    for mesh in scene.dump():
        textured = isinstance(mesh.visual, TextureVisuals)  # else the file names no material
        material = mesh.visual.material if textured else SimpleMaterial()
        opacity = _opacity(material)
        if opacity < UNSEEN:
            changes.add("invisible helper faces left out")
            continue
        if opacity < 0.99 and without_glass:
            changes.add("glass left out")
            continue
        image = getattr(material, "image", None) if textured and mesh.visual.uv is not None else None
        colour = np.asarray(material.diffuse[:3], float) / 255
        if image is not None:
            image, was_clear = _capped(image, pixels)
            colour = np.ones(3)
            if was_clear:
                changes.add("transparent texture made opaque")
        elif opacity < 0.99:
            colour = opacity * colour + (1 - opacity) * BEHIND_GLASS
            changes.add("glass made opaque")
        shaded = mesh if _has_normals(mesh) else trimesh.graph.smooth_shade(_welded(mesh), math.radians(CREASE), None)
        uv = np.asarray(shaded.visual.uv, float) if image is not None else None
        faces = np.asarray(shaded.faces, np.int64)
        parts.append(Part(np.asarray(shaded.vertices, float), faces, np.array(shaded.vertex_normals), _rgb(colour), uv, image))
    return parts, sorted(changes)


def _opacity(material: Any) -> float:
    opacity = material.kwargs.get("d")
    return 1.0 if opacity is None else float(np.atleast_1d(np.asarray(opacity, float))[0])


def _rgb(colour: Floats) -> tuple[float, float, float]:
    r, g, b = (round(float(v), 4) for v in colour)
    return r, g, b


def _has_normals(mesh: Any) -> bool:
    return "vertex_normals" in mesh._cache  # noqa: SLF001 - trimesh tells in no other way whether the file gave them


def _welded(mesh: Any) -> Any:
    mesh.merge_vertices(merge_norm=True)
    return mesh


def _capped(image: Image.Image, pixels: int) -> tuple[Image.Image, bool]:
    """The texture as RGB within `pixels`, and whether any of it was transparent."""
    clear = False
    if image.mode in {"RGBA", "LA", "P"}:
        full = image.convert("RGBA")
        clear = full.getextrema()[3][0] < 200
        ground = Image.new("RGBA", full.size, "#8c8c8c")
        image = Image.alpha_composite(ground, full)
    image = image.convert("RGB")
    image.thumbnail((pixels, pixels), Image.Resampling.LANCZOS)
    return image, clear


def turned(parts: Sequence[Part], matrix: Floats) -> list[Part]:
    """The parts after a rotation (3, 3) about the origin, x' = M x."""
    return [replace(p, vertices=p.vertices @ matrix.T, normals=p.normals @ matrix.T) for p in parts]


def yaw(degrees: float) -> Floats:
    """A right-handed turn about +Y: 90 brings +Z to +X."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])


def box(parts: Sequence[Part]) -> tuple[Floats, Floats]:
    """The lowest and highest corner of all vertices that a face uses."""
    used = np.concatenate([p.vertices[np.unique(p.faces)] for p in parts])
    return used.min(axis=0), used.max(axis=0)


def fitted(parts: Sequence[Part], size: Sequence[float]) -> list[Part]:
    """The parts stretched to `size` (w, h, d in metres), the origin in the middle of the footprint on the ground."""
    low, high = box(parts)
    stretch = np.asarray(size, float) / (high - low)
    foot = np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
    return [replace(p, vertices=(p.vertices - foot) * stretch, normals=_unit(p.normals / stretch)) for p in parts]


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1), [0.0, 1.0, 0.0])


def tidied(parts: Sequence[Part]) -> list[Part]:
    """Parts of one material joined, equal vertices welded, and triangles without area or twice there left out."""
    groups: dict[Any, list[Part]] = defaultdict(list)
    for part in parts:
        groups[part.colour, None if part.image is None else (part.image.size, part.image.tobytes())].append(part)
    return [part for group in groups.values() if len((part := _tidy(_joined(group))).faces)]


def _joined(parts: Sequence[Part]) -> Part:
    starts = np.cumsum([0, *(len(p.vertices) for p in parts)])
    uv = None if parts[0].uv is None else np.concatenate([p.uv for p in parts if p.uv is not None])
    faces = np.concatenate([p.faces + start for p, start in zip(parts, starts, strict=False)])
    vertices, normals = (np.concatenate([getattr(p, name) for p in parts]) for name in ("vertices", "normals"))
    return replace(parts[0], vertices=vertices, faces=faces, normals=normals, uv=uv)


def _tidy(part: Part) -> Part:
    a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
    faces = part.faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-12]
    uv = np.zeros((len(part.vertices), 0)) if part.uv is None else part.uv
    row = np.hstack([np.round(part.vertices, 6), np.round(part.normals, 2), np.round(uv, 5)])
    _, first, place = np.unique(row, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # keep the order of the file: it draws and compresses better than a sorted one
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    faces = rank[place.reshape(-1)[faces]]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    _, once = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    faces, kept = faces[np.sort(once)], first[order]
    used = np.unique(faces)
    again = np.full(len(kept), -1)
    again[used] = np.arange(len(used))
    kept = kept[used]
    uv = None if part.uv is None else part.uv[kept]
    return replace(part, vertices=part.vertices[kept], normals=part.normals[kept], uv=uv, faces=again[faces])


def one_sided(parts: Sequence[Part]) -> list[Part]:
    """The parts without triangles that are there from both sides: one of each stays, and the normals are those of the sheet."""
    return [_sheet(part) for part in parts]


def _sheet(part: Part) -> Part:
    _, place = np.unique(np.round(part.vertices, 5), axis=0, return_inverse=True)
    corners = place.reshape(-1)[part.faces]
    _, once = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    if len(once) == len(corners):
        return part
    kept, corners = part.faces[np.sort(once)], corners[np.sort(once)]
    points = np.zeros((corners.max() + 1, 3))
    points[corners.reshape(-1)] = part.vertices[kept.reshape(-1)]
    sheet = trimesh.Trimesh(points, corners, process=False)
    before = np.sort(sheet.faces, axis=1)
    trimesh.repair.fix_winding(sheet)
    assert (before == np.sort(sheet.faces, axis=1)).all()  # the same triangles in the same order
    turned = [[int(np.flatnonzero(old == corner)[0]) for corner in new] for old, new in zip(corners, sheet.faces, strict=True)]
    kept = np.take_along_axis(kept, np.array(turned), axis=1).reshape(-1)
    normals = np.asarray(sheet.vertex_normals, float)[np.asarray(sheet.faces).reshape(-1)]
    uv = None if part.uv is None else part.uv[kept]
    return replace(part, vertices=part.vertices[kept], normals=normals, uv=uv, faces=np.arange(len(kept), dtype=np.int64).reshape(-1, 3))


Shift = tuple[float, float, float]
"""Degrees by which a hue is turned, and factors of saturation and value."""


def repainted(parts: Sequence[Part], paint: Shift, dye: Shift) -> list[Part]:
    """The parts with the colours of the plain ones shifted by `paint`, and those of textures by `dye`."""
    return [
        replace(part, colour=_rgb(_shifted(np.array(part.colour), *paint)))
        if part.image is None
        else replace(part, image=Image.fromarray((255 * _shifted(np.asarray(part.image) / 255, *dye)).round().astype(np.uint8)))
        for part in parts
    ]


def _shifted(rgb: Floats, turn: float, strength: float, light: float) -> Floats:
    """Colours (..., 3), 0 to 1, with another hue, saturation and value."""
    high, spread = rgb.max(axis=-1), np.ptp(rgb, axis=-1)
    r, g, b = (rgb[..., k] for k in range(3))
    part = np.where(spread > 0, spread, 1)
    hue = np.where(high == r, (g - b) / part, np.where(high == g, (b - r) / part + 2, (r - g) / part + 4)) / 6 + turn / 360
    share = np.clip(spread / np.where(high > 0, high, 1) * strength, 0, 1)
    k = (np.array([5, 3, 1]) + 6 * hue[..., None]) % 6
    return np.clip(high * light, 0, 1)[..., None] * (1 - share[..., None] * np.clip(np.minimum(k, 4 - k), 0, 1))


def triangles(parts: Sequence[Part]) -> int:
    return sum(len(p.faces) for p in parts)


def lightened(parts: Sequence[Part], target: int) -> list[Part]:
    """The parts with about `target` triangles in all where that can be had from plain-coloured ones.

    Where a part ends its edge stays as it is, so that no crack opens beside the next; textured parts stay whole.
    """
    share = max(target / max(triangles(parts), 1), LEAST_SHARE)
    return [part if part.image is not None or share >= 1 or len(part.faces) < 200 else _lighter(part, share) for part in parts]


def _lighter(part: Part, share: float) -> Part:
    size = np.ptp(part.vertices, axis=0).max()
    _, first, place = np.unique(np.round(part.vertices / size, 5), axis=0, return_index=True, return_inverse=True)
    faces = place.reshape(-1)[part.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    points = ((part.vertices[first] - part.vertices.mean(axis=0)) / size).astype(np.float32)
    kept, corners = fast_simplification.simplify(
        points, faces.astype(np.int32), target_count=max(round(share * len(faces)), 4), agg=5, preserve_border=True
    )
    mesh = trimesh.Trimesh(kept.astype(float) * size + part.vertices.mean(axis=0), corners, process=True)
    smooth = trimesh.graph.smooth_shade(mesh, angle=math.radians(LIGHT_CREASE), facet_minarea=None)
    return replace(
        part, vertices=np.array(smooth.vertices), faces=np.array(smooth.faces, np.int64), normals=np.array(smooth.vertex_normals)
    )


def glb(parts: Sequence[Part]) -> bytes:
    """The parts as one GLB file; colours stand in it as glTF wants them: factors linear, textures sRGB.

    Corners are whole numbers of two bytes and normals of one, so that the file is half as large; the node's scale gives metres.
    """
    chunk = bytearray()
    views: list[dict[str, int]] = []
    accessors: list[dict[str, Any]] = []
    images: list[dict[str, Any]] = []
    materials: list[dict[str, Any]] = []
    primitives: list[dict[str, Any]] = []
    step = max(float(np.abs(part.vertices).max()) for part in parts) / STEPS

    def view(data: bytes, **more: int) -> int:
        views.append({"buffer": 0, "byteOffset": len(chunk), "byteLength": len(data), **more})
        chunk.extend(data + bytes(-len(data) % 4))
        return len(views) - 1

    def accessor(values: NDArray[Any], kind: str, component: int, target: int, **more: Any) -> int:
        stride = {"byteStride": values.strides[0]} if target == VERTICES else {}
        fields = {"componentType": component, "count": len(values), "type": kind, **more}
        accessors.append({"bufferView": view(values.tobytes(), target=target, **stride), **fields})
        return len(accessors) - 1

    for part in parts:
        at = _four(np.round(part.vertices / step), "<i2")
        ends = {"min": at[:, :3].min(axis=0).tolist(), "max": at[:, :3].max(axis=0).tolist()}
        attributes = {"POSITION": accessor(at, "VEC3", SHORT, VERTICES, **ends)}
        attributes["NORMAL"] = accessor(_four(np.round(127 * part.normals), "i1"), "VEC3", BYTE, VERTICES, normalized=True)
        look: dict[str, Any] = {"metallicFactor": 0, "roughnessFactor": 0.8}
        if part.image is not None and part.uv is not None:
            flipped = np.column_stack([part.uv[:, 0], 1 - part.uv[:, 1]])  # glTF counts v from the top
            attributes["TEXCOORD_0"] = accessor(flipped.astype("<f4"), "VEC2", FLOAT, VERTICES)
            data, kind = _encoded(part.image)
            images.append({"bufferView": view(data), "mimeType": kind})
            look["baseColorTexture"] = {"index": len(images) - 1}
        else:
            look["baseColorFactor"] = [*(_linear(v) for v in part.colour), 1]
        short = len(at) < 65536
        corners = part.faces.reshape(-1).astype("<u2" if short else "<u4")
        indices = accessor(corners, "SCALAR", UNSIGNED_SHORT if short else UNSIGNED_INT, INDICES)
        materials.append({"pbrMetallicRoughness": look, "doubleSided": True})
        primitives.append({"attributes": attributes, "indices": indices, "material": len(materials) - 1})
    tree: dict[str, Any] = {"asset": {"version": "2.0"}, "extensionsUsed": [QUANTIZED], "extensionsRequired": [QUANTIZED]}
    tree |= {"scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "scale": 3 * [step]}]}
    tree |= {"meshes": [{"primitives": primitives}], "materials": materials, "accessors": accessors, "bufferViews": views}
    if images:
        tree |= {"images": images, "textures": [{"source": k, "sampler": 0} for k in range(len(images))], "samplers": [{}]}
    tree["buffers"] = [{"byteLength": len(chunk)}]
    json_bytes = json.dumps(tree, separators=(",", ":")).encode()
    json_bytes += b" " * (-len(json_bytes) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(json_bytes) + len(chunk))
    return head + struct.pack("<I4s", len(json_bytes), b"JSON") + json_bytes + struct.pack("<I4s", len(chunk), b"BIN\0") + bytes(chunk)


def _four(rows: Floats, kind: str) -> NDArray[Any]:
    """Rows of three numbers (n, 3) with a fourth that fills each up to whole words (n, 4)."""
    made = np.zeros((len(rows), 4), kind)
    made[:, :3] = rows
    return made


def _linear(value: float) -> float:
    """An sRGB value, 0 to 1, as linear light."""
    return round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, 5)


def _encoded(image: Image.Image) -> tuple[bytes, str]:
    """The image as JPEG, or as PNG where that takes fewer bytes, and its media type."""
    kinds: list[tuple[str, dict[str, Any]]] = [("jpeg", {"quality": 82})]
    if image.getcolors(FEW_COLOURS):
        kinds.append(("png", {"optimize": True}))
    encodings: list[tuple[bytes, str]] = []
    for kind, options in kinds:
        held = io.BytesIO()
        image.save(held, format=kind, **options)
        encodings.append((held.getvalue(), f"image/{kind}"))
    return min(encodings, key=lambda one: len(one[0]))
