"""The triangles of a stage where they stand: forms from the pool, moved, turned and stretched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, Vector
from isovist.core.solid import Form, Group, MeshRef, Part, Solid, rotation
from isovist.render import meshes, primitives, zbuffer
from isovist.render.pool import Model, Pool, colour, models, pool
from isovist.render.zbuffer import Doubles, Ints

GREY = "#b4b4b4"


@dataclass(frozen=True)
class Cast:
    """The triangles of a stage in the world: see `zbuffer.to_world` and `shading.shade`. `owner` (n,): the solid of each."""

    pieces: NDArray[np.int64]
    spins: Doubles
    looks: Doubles
    world: Doubles
    piece_of: Ints
    owner: Ints
    ranges: tuple[tuple[int, int], ...]
    """First triangle, and first one no more, of each solid."""


def _model(form: Form) -> tuple[Model, Vector]:
    """What a form is in the pool, and the size to which it is stretched."""
    known = models()
    if isinstance(form, MeshRef):
        key: object = ("mesh", form.name)
        if key not in known:
            known[key] = pool().add(meshes.load(meshes.locate(form.name)))
        return known[key], (1.0, 1.0, 1.0)
    assert not isinstance(form, Group)  # noqa: S101 - groups are taken apart before
    key = primitives.key(form)
    if key not in known:
        known[key] = pool().add(primitives.mesh(form))
    return known[key], primitives.size(form)


_last: tuple[Pool, tuple[Solid, ...], Cast] | None = None


def assemble(solids: Sequence[Solid]) -> Cast:
    """Every triangle of the solids, where it stands. Its arrays are not to be written to: the last ones are kept, because
    several pictures of one place are mostly drawn one after the other.
    """
    global _last  # noqa: PLW0603 - what was assembled last in this process
    wanted = tuple(solids)
    if _last is not None and _last[0] is pool() and _last[1] == wanted:
        return _last[2]
    cast = _assembled(wanted)
    _last = pool(), wanted, cast
    return cast


def _assembled(solids: Sequence[Solid]) -> Cast:
    pieces: list[tuple[int, int, int, int]] = []
    rows: list[tuple[Doubles, Doubles, tuple[float, ...]]] = []
    ranges: list[tuple[int, int]] = []
    total = 0
    for place, solid in enumerate(solids):
        start = total
        for part in solid.form.parts if isinstance(solid.form, Group) else (Part(solid.form),):
            model, size = _model(part.form)
            pieces.append((model.first, model.count, total, place))
            rows.append(_placed(solid, part, size))
            total += model.count
        ranges.append((start, total))
    table = np.array(pieces, np.int64).reshape(-1, 4)
    matrices = np.array([row[0] for row in rows]).reshape(-1, 3, 4)
    world, piece_of = np.empty((total, 3, 3)), np.empty(total, np.int32)
    zbuffer.to_world(table, matrices, pool().corners.rows, world, piece_of)
    return Cast(
        table,
        np.array([row[1] for row in rows]).reshape(-1, 6, 3),
        np.array([row[2] for row in rows]).reshape(-1, 8),
        world,
        piece_of,
        np.repeat(np.array([piece[3] for piece in pieces], np.int32), [piece[1] for piece in pieces]),
        tuple(ranges),
    )


def _times(a: Matrix, b: Matrix) -> Matrix:
    columns = tuple(zip(*b, strict=True))
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in columns) for row in a)  # pyright: ignore[reportReturnType] - 3 x 3


def _placed(solid: Solid, part: Part, size: Vector) -> tuple[Doubles, Doubles, tuple[float, ...]]:
    """Of a piece: the matrix (3, 4) of its corners; that of its normals over the one from the world to its own metres (6, 3); and its look."""
    outer, inner = rotation(solid.pose), rotation(part.pose)
    turn = np.array(_times(outer, inner))
    stretch = np.array(part.stretch) * np.array(size)
    pivot = tuple(a - b for a, b in zip(part.pose.at, solid.pivot, strict=True))
    shift = np.array([solid.pose.at[i] + solid.scale * sum(outer[i][k] * pivot[k] for k in range(3)) for i in range(3)])
    matrix = np.concatenate([turn * (stretch * solid.scale), shift[:, None]], axis=1)
    spins = np.concatenate([turn / stretch, turn.T])
    texture = part.texture if part.texture is not None or isinstance(part.form, MeshRef) else solid.texture
    own = part.colour or solid.colour or ("#ffffff" if isinstance(part.form, MeshRef) else GREY)
    named = texture is not None and not isinstance(part.form, MeshRef)
    number = meshes.texture(texture.name) if texture is not None and named else -1
    metres = texture.metres if texture is not None else 1.0
    return matrix, spins, (*colour(own), float(number), metres, *map(float, shift))
