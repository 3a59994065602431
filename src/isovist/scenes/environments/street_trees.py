"""Trees of few triangles, as a trunk and a crown: two solids in a row of trees, so that what stands behind a trunk counts as seen."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Group, Part
from isovist.scenes.environments.primitives import group, post, taper

LEAVES = ("#4f7f3c", "#5d8f42", "#3f6f3a", "#6f9a48", "#7c9a3e", "#4a7a4a", "#8a9a3c")
AUTUMN = ("#c8862c", "#b85a2a", "#d0a838")
_BARK = ("#6b4a2f", "#5a4434", "#7a5c40")


def tree(rng: Rng, autumn: bool = False) -> tuple[Group, Group]:
    """Trunk and crown of a tree; they stand at one place."""
    kind = rng.pick(("broad", "broad", "broad", "round", "poplar", "conifer", "birch"))
    leaf = rng.pick(AUTUMN) if autumn and kind != "conifer" else rng.pick(LEAVES)
    bark = "#d8d4c8" if kind == "birch" else rng.pick(_BARK)
    high = round(rng.uniform(5.0, 8.0), 1)
    clear = round(rng.uniform(2.1, 2.7), 1)  # what is free under the crown
    thick = 0.1 if kind == "birch" else round(rng.uniform(0.12, 0.2), 2)
    trunk = group(taper(thick * 1.25, thick, clear + 0.9, colour=bark, sides=10))
    if kind == "conifer":
        base = round(rng.uniform(1.3, 1.8), 2)
        tiers = [
            taper(base * (1 - 0.24 * k), 0.0 if k == 3 else 0.2, (high - 1.0) * 0.4, (0, 1.0 + (high - 1.0) * 0.2 * k, 0), "#35603f", 14)
            for k in range(4)
        ]
        return trunk, group(*tiers)
    if kind == "poplar":
        tall = high + 3.0 - clear
        return trunk, group(
            taper(0.45, 0.95, tall * 0.35, (0, clear - 0.6, 0), leaf, 14),
            taper(0.95, 0.12, tall * 0.65, (0, clear - 0.6 + tall * 0.35, 0), leaf, 14),
        )
    if kind == "round":
        return trunk, group(*_blob(1.5, 2.9, (0.0, clear, 0.0), leaf))
    wide = round(rng.uniform(1.0, 1.35), 2) * (0.75 if kind == "birch" else 1.0)
    tall = high - clear
    parts = [*_blob(wide * 0.95, tall * 0.75, (0.0, clear + tall * 0.25, 0.0), leaf)]
    start = rng.uniform(0, 90)
    for k in range(4):
        angle = start + 90 * k + rng.uniform(-20, 20)
        out = wide * rng.uniform(0.6, 0.85)
        parts += _blob(
            wide * rng.uniform(0.7, 0.85),
            tall * rng.uniform(0.5, 0.65),
            (out * sine(angle), clear + tall * rng.uniform(0.0, 0.2), out * cosine(angle)),
            leaf,
        )
    return trunk, group(*parts)


def whole(rng: Rng, autumn: bool = False) -> Group:
    """A tree as one solid."""
    trunk, crown = tree(rng, autumn)
    return Group((*trunk.parts, *crown.parts))


def _blob(radius: float, height: float, at: tuple[float, float, float], colour: str) -> list[Part]:
    """A rounded mass of leaves."""
    x, y, z = at
    return [
        taper(radius * 0.55, radius * 0.95, height * 0.25, (x, y, z), colour, 12),
        taper(radius * 0.95, radius, height * 0.2, (x, y + height * 0.25, z), colour, 12),
        taper(radius, radius * 0.8, height * 0.3, (x, y + height * 0.45, z), colour, 12),
        taper(radius * 0.8, radius * 0.3, height * 0.25, (x, y + height * 0.75, z), colour, 12),
    ]


def bush(rng: Rng) -> Group:
    wide, colour = round(rng.uniform(0.4, 0.7), 2), rng.pick(LEAVES)
    return group(*_blob(wide, wide * 1.5, (0.0, 0.0, 0.0), colour), post(0.06, 0.1, colour="#5a4434", sides=6))
