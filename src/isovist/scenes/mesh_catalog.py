"""Which meshes the bundled pack has, what a person calls them, how large they are, and whether they have a front.

A mesh stands in metres, +Y up, its front at +Z, so that its own left is at +X; its origin is in the middle of its
footprint, on the ground. Every front and symmetry was judged by eye on contact sheets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isovist.scenes.mesh_catalog_data import ROWS, Broad, Front


@dataclass(frozen=True, slots=True)
class Mesh:
    """`size` is width (x), height (y) and depth (z) in metres.

    `front`: "clear" where people agree which side is the front, and it is +Z; "symmetric" where two or four sides look
    alike, so that none is the front; "none" where no side is agreed to be it.

    `symmetry` is the smallest turn about +Y, in degrees, after which it looks the same or cannot be told by eye; 0 if only a
    full turn does that, 1 if every turn does. `upright` is false where it cannot be seen which way up is right.
    """

    id: str
    category: str
    broad: Broad
    size: tuple[float, float, float]
    front: Front
    symmetry: int
    upright: bool

    def looks_the_same(self, turn: float, margin: float = 0.0) -> bool:
        """Whether a turn about +Y by `turn` degrees, give or take `margin`, cannot be seen."""
        step = self.symmetry or 360
        return abs((turn + step / 2) % step - step / 2) <= margin + (0.5 if self.symmetry == 1 else 1e-9)


MESHES: tuple[Mesh, ...] = tuple(Mesh(*row) for row in ROWS)

_BY_ID = {mesh.id: mesh for mesh in MESHES}


def mesh(id: str) -> Mesh:
    """The mesh of the pack with this id. Raises KeyError if there is none."""
    return _BY_ID[id]


def by_category(meshes: Iterable[Mesh] = MESHES) -> dict[str, tuple[Mesh, ...]]:
    """Meshes by category, categories in alphabetical order."""
    groups: dict[str, tuple[Mesh, ...]] = {}
    for one in sorted(meshes, key=lambda mesh: (mesh.category, mesh.id)):
        groups[one.category] = (*groups.get(one.category, ()), one)
    return groups
