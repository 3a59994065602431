"""World-space triangles of a 3-D scene: geometries from the asset pool, scaled, rotated and translated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Vector
from isovist.core.scene3d import Geometry, Group, MeshRef, Part, SceneObject, rotation
from isovist.world.render import meshes, primitives, zbuffer
from isovist.world.render.asset_pool import Model, Pool, colour, models, pool
from isovist.world.render.zbuffer import Doubles, Ints

GREY = "#b4b4b4"


@dataclass(frozen=True)
class Cast:
    """The triangles of a scene in world space: see `zbuffer.to_world` and `shading.shade`. `owner` (n,): index of the object."""

    pieces: NDArray[np.int64]
    spins: Doubles
    looks: Doubles
    world: Doubles
    piece_of: Ints
    owner: Ints
    ranges: tuple[tuple[int, int], ...]
    """Index of the first triangle of each object, and of the one after its last."""


def _model(form: Geometry) -> tuple[Model, Vector]:
    """Return the model of a geometry in the pool, and its scale."""
    known = models()
    if isinstance(form, MeshRef):
        key: object = ("mesh", form.name)
        if key not in known:
            known[key] = pool().add(meshes.mesh(form.name))
        return known[key], (1.0, 1.0, 1.0)
    assert not isinstance(form, Group)  # noqa: S101 - groups were expanded before
    key = primitives.key(form)
    if key not in known:
        known[key] = pool().add(primitives.mesh(form))
    return known[key], primitives.size(form)


_last: tuple[Pool, tuple[SceneObject, ...], Cast] | None = None


def assemble(solids: Sequence[SceneObject]) -> Cast:
    """Return every triangle of the objects in world space. The arrays are read-only: the last result is cached, because consecutive
    images usually show the same place.
    """
    global _last  # noqa: PLW0603 - the last result in this process
    wanted = tuple(solids)
    if _last is not None and _last[0] is pool() and _last[1] == wanted:
        return _last[2]
    cast = _assembled(wanted)
    _last = pool(), wanted, cast
    return cast


def _assembled(solids: Sequence[SceneObject]) -> Cast:
    pieces: list[tuple[int, int, int, int]] = []
    places: list[tuple[float, ...]] = []
    looks: list[tuple[float, ...]] = []
    ranges: list[tuple[int, int]] = []
    total = 0
    for place, solid in enumerate(solids):
        start = total
        for part in solid.geometry.parts if isinstance(solid.geometry, Group) else (Part(solid.geometry),):
            model, size = _model(part.geometry)
            pieces.append((model.first, model.count, total, place))
            places.append(_place(solid, part, size))
            looks.append(_look(solid, part))
            total += model.count
        ranges.append((start, total))
    table = np.array(pieces, np.int64).reshape(-1, 4)
    matrices, spins = _placed(np.array(places).reshape(-1, _PLACE))
    world, piece_of = np.empty((total, 3, 3)), np.empty(total, np.int32)
    zbuffer.to_world(table, matrices, pool().corners.rows, world, piece_of)
    return Cast(
        table,
        spins,
        np.concatenate([np.array(looks).reshape(-1, 5), matrices[:, :, 3]], axis=1),
        world,
        piece_of,
        np.repeat(np.array([piece[3] for piece in pieces], np.int32), [piece[1] for piece in pieces]),
        tuple(ranges),
    )


_PLACE = 9 + 9 + 3 + 3 + 3 + 3 + 3 + 1


def _place(solid: SceneObject, part: Part, size: Vector) -> tuple[float, ...]:
    """Return the parameters of the pose of a part: see `_placed`."""
    (a, b, c), (d, e, f) = rotation(solid.pose), rotation(part.pose)
    return *a, *b, *c, *d, *e, *f, *part.scale, *size, *part.pose.position, *solid.pivot, *solid.pose.position, solid.scale


def _placed(places: Doubles) -> tuple[Doubles, Doubles]:
    """Return the matrices (n, 3, 4) of the corners of n parts, and (n, 6, 3): those of their normals, stacked on world to part in metres.

    Vectorized, since a scene has hundreds of parts. Sums are evaluated from left to right, which published pixels depend on.
    """
    outer, inner = places[:, :9].reshape(-1, 3, 3), places[:, 9:18].reshape(-1, 3, 3)
    dimensions, size, at, pivot, position = (places[:, first : first + 3] for first in range(18, 33, 3))
    scale = places[:, 33:]
    turn = 0.0 + outer[:, :, 0, None] * inner[:, None, 0, :]  # 0.0 first: a sum is never -0.0
    turn += outer[:, :, 1, None] * inner[:, None, 1, :]
    turn += outer[:, :, 2, None] * inner[:, None, 2, :]
    stretch = dimensions * size
    if not stretch.all():
        raise ValueError("a geometry without width, height or depth: sizes and scales must be above 0")
    from_pivot = at - pivot
    moved = 0.0 + outer[:, :, 0] * from_pivot[:, 0, None]
    moved += outer[:, :, 1] * from_pivot[:, 1, None]
    moved += outer[:, :, 2] * from_pivot[:, 2, None]
    shift = position + scale * moved
    matrices = np.concatenate([turn * (stretch * scale)[:, None, :], shift[:, :, None]], axis=2)
    return matrices, np.concatenate([turn / stretch[:, None, :], turn.transpose(0, 2, 1)], axis=1)


def _look(solid: SceneObject, part: Part) -> tuple[float, ...]:
    """Return the appearance of a part: linear colour, texture index (-1: none) and texture size in metres."""
    texture = part.texture if part.texture is not None or isinstance(part.geometry, MeshRef) else solid.texture
    hex_colour = part.colour or solid.colour or ("#ffffff" if isinstance(part.geometry, MeshRef) else GREY)
    number = meshes.texture(texture.name) if texture is not None else -1
    metres = texture.size_m if texture is not None else 1.0
    return *colour(hex_colour), float(number), metres
