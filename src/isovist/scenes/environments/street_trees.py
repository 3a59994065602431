"""Trees with few triangles. Trunk and crown are separate objects, so objects beside a trunk count as visible."""

from __future__ import annotations

from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.scene3d import Group, Pose
from isovist.scenes.environments.primitives import group, taper
from isovist.scenes.furniture_meshes import built

LEAVES = ("#4f7f3c", "#5d8f42", "#3f6f3a", "#6f9a48", "#7c9a3e", "#4a7a4a", "#8a9a3c")
AUTUMN = ("#c8862c", "#b85a2a", "#d0a838")
_NEEDLES = "#35603f"
_BARK = ("#6b4a2f", "#5a4434", "#7a5c40")
_BROAD = ("crown-broad-1", "crown-broad-2", "crown-broad-3")
_KINDS = (*_BROAD, "crown-round", "crown-poplar", "crown-conifer", "birch")


def tree(rng: Rng, autumn: bool = False) -> tuple[Group, Group]:
    """The trunk and crown of a tree with the same origin."""
    kind = rng.pick(_KINDS)
    leaf = _NEEDLES if kind == "crown-conifer" else rng.pick(AUTUMN if autumn else LEAVES)
    high, wide = round(rng.uniform(5.0, 8.0), 1), round(rng.uniform(3.4, 4.6), 1)
    clear = round(rng.uniform(2.1, 2.7), 1)  # metres of free height under the crown
    bark, thick = ("#d8d4c8", 0.1) if kind == "birch" else (rng.pick(_BARK), rng.uniform(0.12, 0.2))
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
    crown = built(kind, width=round(wide, 2), depth=round(wide, 2), height=round(tall, 2), leaf=leaf)
    at = Pose((0.0, round(foot, 2), 0.0))
    return group(taper(thick * 1.25, thick, clear + 0.9, colour=bark, sides=10)), group(*(replace(p, pose=at) for p in crown.parts))


def whole(rng: Rng) -> Group:
    """A tree as one geometry."""
    trunk, crown = tree(rng)
    return Group((*trunk.parts, *crown.parts))


def bush(rng: Rng) -> Group:
    wide = round(rng.uniform(0.8, 1.4), 2)
    return built("bush", width=wide, depth=wide, height=0.75 * wide, leaf=rng.pick(LEAVES))
