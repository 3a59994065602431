"""The colours of a room. They are sampled together, so the furniture of a room matches and rooms differ."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.rng import Rng

WALLS = (
    "#efe9dc", "#e6dccb", "#dfe5e3", "#cfd9d3", "#b9c9b4", "#c9d7e0", "#a9bccb", "#f0dcc6", "#e7c9b0", "#e9d6d2", "#d8c0b4",
    "#f0e4b8", "#c6c0d2", "#d7d7d7", "#9fb3a2", "#d3a98c", "#8fa6b8", "#f4f2ec",
)  # fmt: skip
FEATURES = ("#3f5a4a", "#2f4a66", "#8c3f34", "#b5713f", "#56486a", "#3d3d42", "#b89a3f", "#6f8f86", "#a8566a", "#4f6f8f")
WOODS = ("#c8a06a", "#a8784a", "#7a5230", "#5a3d28", "#d9bf94", "#f2efe8", "#b58a5f", "#8a8578", "#3f3833")
FABRICS = (
    "#6f7f8f",
    "#8a4a3f",
    "#3f5f4f",
    "#c8b79a",
    "#2f4468",
    "#b8862f",
    "#7a6a8a",
    "#a8a8a4",
    "#4a4a4f",
    "#5f8f96",
    "#c07a6a",
    "#d8d2c4",
)
ACCENTS = ("#d8a03f", "#c0503f", "#3f7f8f", "#7f9f4f", "#b06a9a", "#e0c8a0", "#4a6ab0", "#e8e0d0", "#d87f4f", "#6a4f8f")
POTS = ("#b8623f", "#e8e4da", "#3f3f44", "#5f8f96", "#c8a24a")


@dataclass(frozen=True, slots=True)
class Style:
    """Colours: `cover` for blankets and curtains, `front` for doors and drawers, `metal` for lamps and legs."""

    wall: str
    wood: str
    front: str
    fabric: str
    accent: str
    cover: str
    metal: str
    pot: str


def style(rng: Rng) -> Style:
    """Sample the colours of a room."""
    wood = rng.pick(WOODS)
    fabric = rng.pick(FABRICS)
    accent, cover = rng.sample(ACCENTS, 2)
    front = rng.pick((wood, wood, "#f4f2ec", rng.pick(FEATURES)))
    return Style(rng.pick(WALLS), wood, front, fabric, accent, cover, rng.pick(("#3a3a3d", "#a9adb0", "#b59a5a")), rng.pick(POTS))
