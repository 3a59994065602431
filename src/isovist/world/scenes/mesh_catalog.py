"""Catalogue of the bundled meshes: category, size, front and rotational symmetry, from their manifest.

Mesh frame: right-handed, metres, +Y up, front at +Z, so the left of the object is at +X. The origin is the centre of the footprint on
the ground. Every front and symmetry was visually inspected on contact sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from isovist.core.rotation import Vector
from isovist.world.assets import asset

Front = Literal["clear", "symmetric", "none"]
Broad = Literal["Vehicle", "Person", "Animals", "Food", "Containers", "Furniture", "Electronics", "Miscellaneous"]


@dataclass(frozen=True, slots=True)
class Mesh:
    """`size`: width (x), height (y) and depth (z) in metres.

    `front`: "clear" if the front is unambiguous, then it is +Z; "symmetric" if two or four sides look alike, so there is no front; "none"
    if the front is ambiguous. `symmetry`: the smallest rotation about +Y, in degrees, after which the mesh looks the same; 0 if only 360
    degrees, 1 if any rotation. `upright`: false if the upright orientation is not visible.
    """

    id: str
    category: str
    broad: Broad
    size: Vector
    front: Front
    symmetry: int
    upright: bool

    def looks_the_same(self, turn: float, margin: float = 0.0) -> bool:
        """Whether a rotation about +Y by `turn` degrees, within `margin` degrees, is invisible."""
        step = self.symmetry or 360
        return abs((turn + step / 2) % step - step / 2) <= margin + (0.5 if self.symmetry == 1 else 1e-9)


def metres(size_cm: Sequence[float]) -> Vector:
    """Width, height and depth of a manifest, in centimetres there."""
    width, height, depth = (round(side / 100, 4) for side in size_cm)
    return width, height, depth


MESHES: tuple[Mesh, ...] = tuple(
    Mesh(row["id"], row["category"], row["broad"], metres(row["size_cm"]), row["front"], row["symmetry"], row["upright"])
    for row in asset("meshes", "manifest.json")["meshes"]
)
_BY_ID = {mesh.id: mesh for mesh in MESHES}


def mesh(id: str) -> Mesh:
    """Return the mesh of the pack with this id. Raises KeyError if there is none."""
    return _BY_ID[id]


def by_category(meshes: Iterable[Mesh] = MESHES) -> dict[str, tuple[Mesh, ...]]:
    """Return meshes by category; categories in alphabetical order."""
    groups: dict[str, tuple[Mesh, ...]] = {}
    for one in sorted(meshes, key=lambda mesh: (mesh.category, mesh.id)):
        groups[one.category] = (*groups.get(one.category, ()), one)
    return groups
