"""Furniture of the bundled pack: pieces with a size and colours that are set at placement.

A piece is a group of meshes, one for each coloured part. It stands on y = 0 with its front at +Z; a piece for a wall has its back at
z = 0. Lengths are in metres.
"""

from __future__ import annotations

from functools import lru_cache

from isovist.core.rotation import Vector
from isovist.core.scene3d import Group, MeshRef, Part
from isovist.world.assets import asset

_TABLE = asset("furniture", "manifest.json")["boxes"]
BOXES: dict[str, tuple[Vector, Vector]] = {
    f"{piece}#{part}": (tuple(low), tuple(high)) for piece, parts in _TABLE.items() for part, (low, high) in parts.items()
}
"""The lowest and the highest corner of each part, by mesh name."""
PARTS: dict[str, tuple[str, ...]] = {piece: tuple(parts) for piece, parts in _TABLE.items()}
"""The parts of each piece. The part "own" keeps its own colours."""


@lru_cache(maxsize=4096)
def built(piece: str, *, width: float = 0.0, height: float = 0.0, depth: float = 0.0, **colours: str) -> Group:
    """Return a piece scaled to the given lengths, with colours by part. Raises KeyError for an unknown piece or part."""
    parts = PARTS[piece]
    if missing := set(colours) - set(parts):
        raise KeyError(f"{piece} has no part {sorted(missing)}")
    lows, highs = zip(*(BOXES[f"{piece}#{part}"] for part in parts), strict=True)
    whole = [max(high[axis] for high in highs) - min(low[axis] for low in lows) for axis in range(3)]
    x, y, z = (round(wanted / length, 4) if wanted else 1.0 for wanted, length in zip((width, height, depth), whole, strict=True))
    return Group(tuple(Part(MeshRef(f"{piece}#{part}"), scale=(x, y, z), colour=colours.get(part, "#ffffff")) for part in parts))


def tinted(mesh: str, colour: str) -> Group:
    """Return a mesh of the pack with its colours multiplied by another colour."""
    return Group((Part(MeshRef(mesh), colour=colour),))
