"""Scene files for Blender: world-space triangles, materials, lights and camera.

The triangles are those of the rasterizer, so both renderers show the same geometry. Frame and units are those of `core.solid`; colours
are linear light. `blender_worker` reads the files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.core.rotation import tangent, unit
from isovist.core.scene3d import NEAR, Camera, Panorama, Scene3D, view
from isovist.world.render import ambient_light, meshes
from isovist.world.render.assembly import Cast, assemble
from isovist.world.render.asset_pool import Floats, colour, pool
from isovist.world.render.rasterizer3d import ground_albedo, pixels_of

SCENE, TRIANGLES, LIGHT, SOLIDS = "scene.json", "triangles.npz", "light.npy", "solids.npy"
_BLACK = 0.02  # albedo of the darkest surface, as in the rasterizer


def write(stage: Scene3D, size: int | None, folder: Path, pictures: Path) -> None:
    """Write `SCENE` and `TRIANGLES` to a folder, and missing textures to `pictures`.

    `TRIANGLES`: corners and normals (n, 3, 3), uvs (n, 3, 2), object and material indices (n,). Raises UserError for an unknown mesh
    or texture, as `rasterizer3d.render`.
    """
    cast = assemble(stage.objects)
    looks, look = _looks(cast, pictures)
    np.savez(
        folder / TRIANGLES,
        corners=cast.world.astype(np.float32),
        normals=_normals(cast),
        uvs=_uvs(cast),
        solid=cast.owner,
        look=look,
    )
    scene = {
        "solids": [{"first": a, "last": b, "casts": s.casts_shadow} for (a, b), s in zip(cast.ranges, stage.objects, strict=True)],
        "looks": looks,
        "camera": _camera(stage.camera, size),
        "light": _light(stage, pictures),
        "ground": _ground(stage, pictures),
    }
    (folder / SCENE).write_text(json.dumps(scene), encoding="utf-8")


def _sources(cast: Cast) -> NDArray[np.int64]:
    """Return the pool index of each triangle, shape (n,)."""
    pieces = cast.pieces[cast.piece_of]
    return pieces[:, 0] + np.arange(len(cast.piece_of)) - pieces[:, 2]


def _normals(cast: Cast) -> Floats:
    """Return the world-space normal of each corner, on the side where the corners are counterclockwise."""
    normals = pool().normals.rows[_sources(cast)]
    turned = np.einsum("nij,nkj->nki", cast.spins[cast.piece_of][:, :3], normals)
    flat = np.cross(cast.world[:, 1] - cast.world[:, 0], cast.world[:, 2] - cast.world[:, 0])[:, None]
    length = np.linalg.norm(turned, axis=2, keepdims=True)
    turned = np.where(length > 1e-9, turned, flat)
    turned = np.where((turned * flat).sum(axis=2, keepdims=True) < 0, -turned, turned)
    length = np.linalg.norm(turned, axis=2, keepdims=True)
    return np.divide(turned, length, out=np.zeros_like(turned), where=length > 0).astype(np.float32)


def _uvs(cast: Cast) -> Floats:
    """Return the uvs of the file, or box-projected uvs for a texture of the scene."""
    sources = _sources(cast)
    uvs = pool().uvs.rows[sources].astype(np.float64)
    looks = cast.looks[cast.piece_of]
    laid = looks[:, 3] >= 0
    if laid.any():
        spins = cast.spins[cast.piece_of][laid][:, 3:]
        at = np.einsum("nij,nkj->nki", spins, cast.world[laid] - looks[laid][:, None, 5:8])
        x, y, z = np.moveaxis(pool().normals.rows[sources[laid]].sum(axis=1), 1, 0)
        level = np.abs(y) >= np.maximum(np.abs(x), np.abs(z))
        aside = ~level & (np.abs(x) >= np.abs(z))
        p, q, r = at[:, :, 0], at[:, :, 1], at[:, :, 2]
        u, v = p * np.where(z > 0, 1.0, -1.0)[:, None], q.copy()
        u[aside] = (r * np.where(x > 0, -1.0, 1.0)[:, None])[aside]
        u[level], v[level] = p[level], -r[level]
        uvs[laid] = np.stack([u, v], axis=2) / looks[laid][:, 4][:, None, None]
    return uvs.astype(np.float32)


def _looks(cast: Cast, pictures: Path) -> tuple[list[dict[str, Any]], NDArray[np.int32]]:
    """Return the distinct materials and the index of each triangle's.

    A material has a `colour` and the file of a texture that multiplies it.
    """
    stuff = pool().material.rows[_sources(cast)]
    looks = cast.looks[cast.piece_of]
    overrides = looks[:, 3].astype(np.int64)
    textures = np.where(overrides >= 0, overrides, pool().textures.rows[stuff])
    colours = pool().colours.rows[stuff] * looks[:, :3]
    table = np.concatenate([colours, textures[:, None]], axis=1)
    rows, which = np.unique(table, axis=0, return_inverse=True)
    entries = [
        {"colour": [float(v) for v in row[:3]], "picture": _picture(int(row[3]), pictures) if row[3] >= 0 else None, "black": _BLACK}
        for row in rows
    ]
    return entries, which.ravel().astype(np.int32)


def _picture(number: int, pictures: Path) -> str:
    """Return the file of a texture of the pool, named by a content hash."""
    first, width, height, _ = (int(v) for v in pool().table.rows[number])
    texels = pool().texels.rows[first : first + width * height].reshape(height, width, 3)
    path = pictures / f"{sha256(texels.tobytes()).hexdigest()[:20]}-{width}.png"
    if not path.exists():
        Image.fromarray(texels).save(path, compress_level=1)
    return str(path)


def _camera(camera: Camera | Panorama, size: int | None) -> Mapping[str, Any]:
    width, height = pixels_of(camera, size)
    if isinstance(camera, Panorama):
        return {"kind": "panorama", "eye": camera.eye, "heading": camera.heading, "width": width, "height": width // 2}
    axes = view(camera)
    fields = {"eye": camera.eye, "right": axes[0], "up": axes[1], "back": axes[2], "width": width, "height": height, "near": NEAR}
    if camera.span is not None:
        return {"kind": "orthographic", "span": camera.span, **fields}
    return {"kind": "perspective", "half": tangent(camera.fov / 2), **fields}


def _light(stage: Scene3D, pictures: Path) -> Mapping[str, Any]:
    """Return sun, light of the surroundings and background."""
    sky = stage.sky
    above = ambient_light.radiance(stage)
    below = ambient_light.from_below(stage, above, ground_albedo(stage))
    half = (ambient_light.ROWS, ambient_light.COLUMNS, 3)
    colours = ambient_light.backdrop(stage)[0]
    return {
        "towards": unit(stage.light.sun_direction),
        "sun": (np.array(ambient_light.SUN) * stage.light.strength).tolist(),
        "shadows": stage.light.shadows,
        # rows from below to above, columns counterclockwise from +Z
        "around": np.concatenate([np.broadcast_to(below, half), above.reshape(half)]).tolist(),
        "top": colours[0].tolist(),
        "bottom": colours[1].tolist(),
        "picture": None if sky.image is None else _picture(meshes.sky(sky.image), pictures),
        "heading": sky.heading,
    }


def _ground(stage: Scene3D, pictures: Path) -> Mapping[str, Any] | None:
    ground = stage.ground
    if ground is None:
        return None
    texture = ground.texture
    return {
        "colour": colour(ground.colour),
        "picture": None if texture is None else _picture(meshes.texture(texture.name), pictures),
        "metres": 1.0 if texture is None else texture.size_m,
        "haze": ground.haze,
        "black": _BLACK,
    }
