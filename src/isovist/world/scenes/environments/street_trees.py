"""Trees and bushes with textured foliage. Trunk and crown are separate objects, so objects beside a trunk count as visible.

A crown is one mesh with tufts of leaves on it, all inside the bounding box of the mesh: they break its smooth outline and have two shades.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import sqrt

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Group, MeshRef, Part, Pose, Texture
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.primitives import group, mixed, rounded, taper
from isovist.world.scenes.furniture_meshes import BOXES, built

# tints of the texture, which is a dark green itself
LEAVES = ("#f4ffe8", "#ffffe4", "#d4f0d0", "#fffcb8", "#f4f8a8", "#d8f4e0", "#ffe8a8")
AUTUMN = ("#ffc444", "#ff9450", "#ffe868")
_NEEDLES = "#9cc4b8"
_BARK = ("#e8d8c8", "#c8bcb4", "#fff0d8")
_BROAD = ("crown-broad-1", "crown-broad-2", "crown-broad-3")
_KINDS = (*_BROAD, "crown-round", "crown-poplar", "crown-conifer", "birch")
_FOLIAGE, _TRUNK, _BIRCH = Texture("leaves", 2.2), Texture("bark", 0.9), Texture("plaster", 0.7)
_FALLEN = Texture("gravel", 2.2)  # grains of the size of leaves that take any tint: the leaves are green
_TUFT = "bush#leaf"


def tree(rng: Rng, autumn: bool = False, plain: bool = False) -> tuple[Group, Group]:
    """The trunk and crown of a tree with the same origin. `plain`: a distant tree without tufts."""
    kind = rng.pick(_KINDS)
    leaf = _NEEDLES if kind == "crown-conifer" else rng.pick(AUTUMN if autumn else LEAVES)
    high, wide = round(rng.uniform(5.0, 8.0), 1), round(rng.uniform(3.4, 4.6), 1)
    clear = round(rng.uniform(2.1, 2.7), 1)  # metres of free height under the crown
    bark, thick = ("#f4f0e8", 0.1) if kind == "birch" else (rng.pick(_BARK), rng.uniform(0.12, 0.2))
    skin = _BIRCH if kind == "birch" else _TRUNK
    match kind:
        case "crown-round":
            wide, foot, tall = 3.0, clear, 2.9
        case "crown-poplar":
            wide, foot, tall = 1.9, clear - 0.6, high + 3.0 - clear
        case "crown-conifer":
            wide, foot, tall = round(rng.uniform(2.6, 3.6), 1), 1.0, high - 1.0
        case "birch":
            kind, wide, foot, tall = rng.pick(_BROAD), 0.75 * wide, clear, high - clear
        case _:
            foot, tall = clear, high - clear
    crown = _foliage(kind, round(wide, 2), round(tall, 2), leaf, 0 if plain or kind == "crown-conifer" else 28)
    at = round(foot, 2)
    parts = (replace(p, pose=replace(p.pose, position=_raised(p, at))) for p in crown.parts)
    return group(taper(thick * 1.25, thick, clear + 0.9, colour=bark, sides=10, texture=skin)), group(*parts)


def whole(rng: Rng, plain: bool = False) -> Group:
    """A tree as one geometry."""
    trunk, crown = tree(rng, plain=plain)
    return Group((*trunk.parts, *crown.parts))


def bush(rng: Rng) -> Group:
    wide = round(rng.uniform(0.8, 1.4), 2)
    return _foliage("bush", wide, 0.75 * wide, rng.pick(LEAVES), 10)


def _raised(part: Part, by: float) -> tuple[float, float, float]:
    x, y, z = part.pose.position
    return x, round(y + by, 3), z


@lru_cache(maxsize=4096)
def _foliage(kind: str, wide: float, tall: float, leaf: str, tufts: int) -> Group:
    """The mesh `kind` with `tufts` on a spiral on its surface, without change of its bounding box."""
    texture = _FALLEN if leaf in AUTUMN else _FOLIAGE
    body = built(kind, width=wide, depth=wide, height=tall, leaf=mixed(leaf, "#000000", 0.15) if tufts else leaf)
    low, high = bounds(body)
    side, top, _ = BOXES[_TUFT][1]
    parts = [replace(part, texture=texture) for part in body.parts]
    for k in range(tufts):
        rise = (k + 0.5) / tufts  # height in the crown, from 0 to 1
        out = min(rise / 0.37, (1 - rise) / 0.63) if kind == "crown-poplar" else 2 * sqrt(rise * (1 - rise))
        size = wide * (0.14 + 0.09 * (0.618 * k % 1))  # half of its width
        half = size, min(size * (1.5 if kind == "crown-poplar" else 0.8), 0.3 * tall), 0.85 * size
        way = 0.5 + 0.43 * out * sine(137.5 * k), rise, 0.5 + 0.43 * out * cosine(137.5 * k)
        x, y, z = (min(max(a + (b - a) * part, a + r + 0.01), b - r - 0.01) for a, b, part, r in zip(low, high, way, half, strict=True))
        shade = mixed(leaf, "#000000", (0.0, 0.12, 0.06)[k % 3] + 0.1 * (1 - rise))
        scale = (round(half[0] / side, 4), round(2 * half[1] / top, 4), round(half[2] / side, 4))
        parts.append(Part(MeshRef(_TUFT), Pose(rounded((x, y - half[1], z))), scale, shade, texture))
    return Group(tuple(parts))
