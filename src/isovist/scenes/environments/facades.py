"""Houses for the sides of streets, every one different. Metres, the front at +Z, the middle of the footprint on the ground.

A front is a sheet of glass under a grid of piers and bands of wall, so that a house of any size has few parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.scene3d import Group, Part, Pose, Texture, Wedge
from isovist.scenes.environments.primitives import block, group

Style = Literal["town", "office", "flats", "cottage"]
Ground = Literal["shop", "home"]

WALLS = (
    "#b5654a",
    "#cfc0a0",
    "#8d98a3",
    "#d9cdb8",
    "#a98a72",
    "#e3d9c0",
    "#96a48c",
    "#c98f6a",
    "#d8b4a0",
    "#b9b4aa",
    "#8a5a4a",
    "#dcdcd6",
    "#c7a85e",
    "#9fb0b8",
)
ROOFS = ("#8a4434", "#5a4a44", "#4c5560", "#a0563c", "#6a3c34")
GLASS = ("#3a4854", "#4c5e6c", "#2f3a44", "#586a70")
DOORS = ("#7a2a22", "#25466b", "#2f5a3c", "#4a3222", "#8a6a2c", "#3a3a3e")
AWNINGS = ("#b8322c", "#2c6a48", "#2a5a9a", "#d8a030", "#7a3a6a", "#d86a3a", "#3a8a90")
FRAMES = ("#efece2", "#e6e0d0", "#4a3a30", "#f4f4f0")
_DEEP, _STEP = 0.16, 3.0


@dataclass(frozen=True, slots=True)
class House:
    """A house and what it takes up: width, height and depth without the roof's edge. `over`: awnings and balconies, which are
    a solid of their own, so that the box around the house does not hide what stands under them.
    """

    form: Group
    over: Group | None
    width: float
    height: float
    depth: float


def house(rng: Rng, style: Style, width: float, storeys: int, ground: Ground, plain: bool = False, free: bool = False) -> House:
    """A house; a `plain` one is for the distance, where bars and sills are not seen. A `free` one has windows at its sides too."""
    colour, glass, frame = rng.pick(WALLS), rng.pick(GLASS), rng.pick(FRAMES)
    texture = Texture(rng.pick(("bricks", "bricks", "plaster", "plaster", "concrete")), 2.0) if rng.chance(0.85) else None
    depth = round(rng.uniform(8, 12), 1)
    low = round(rng.uniform(3.3, 3.9), 1) if ground == "shop" else 3.0
    storey = {"office": 3.4, "flats": 2.8, "cottage": 2.6}.get(style, round(rng.uniform(2.8, 3.3), 1))
    height = round(low + storey * (storeys - 1) + 0.5, 2)
    bay = {"office": 1.9, "flats": 3.0, "cottage": 2.6}.get(style, round(rng.uniform(1.9, 2.6), 2))
    bays = max(2, round(width / bay))
    share = {"office": 0.8, "flats": 0.55, "cottage": 0.42}.get(style, round(rng.uniform(0.36, 0.52), 2))
    front = depth / 2
    parts = [block((width, height, depth - 2 * _DEEP), (0, 0, 0), colour, texture)]
    upper = low if ground == "shop" else 0.0
    over: list[Part] = []
    parts.append(block((width - 0.1, height - upper - 0.3, 0.02), (0, upper + 0.1, front - _DEEP), glass))
    step = width / bays
    pier = step * (1 - share)
    for k in range(bays + 1):
        wide = pier if 0 < k < bays else pier / 2
        x = -width / 2 + k * step + (wide / 2 if k == 0 else -wide / 2 if k == bays else 0.0)
        parts.append(block((wide, height - upper, _DEEP), (x, upper, front - _DEEP / 2), colour, texture))
    first = 0 if ground == "home" else 1
    sill = 0.25 if style == "office" else 0.85
    tall = storey - sill - (0.3 if style == "office" else 0.55)
    floors = [0.0 if k == 0 else low + storey * (k - 1) for k in range(first, storeys)]
    edges = [upper]
    for floor in floors:
        edges += [floor + sill, floor + sill + tall]
    edges.append(height)
    for lower, top in zip(edges[::2], edges[1::2], strict=True):
        parts.append(block((width - 0.02, top - lower, _DEEP - 0.02), (0, lower, front - _DEEP / 2 - 0.01), colour, texture))
    if not plain:
        for floor in floors:
            parts.append(block((width + 0.02, 0.09, 0.24), (0, floor + sill - 0.09, front - 0.02), frame))
            parts.append(block((width - 0.1, 0.06, 0.06), (0, floor + sill + tall * 0.62, front - 0.12), frame))
        parts += [
            block((0.06, height - upper - 0.4, 0.05), (-width / 2 + (k + 0.5) * step, upper + 0.1, front - 0.12), frame)
            for k in range(bays)
        ]
    if ground == "shop":
        board = rng.pick(AWNINGS)
        parts += _shop(rng, width, low, front, glass, board, plain)
        over += _awning(rng, width, low, front, board) if not plain and rng.chance(0.6) else []
    else:
        at = rng.integer(0, bays - 1)
        x = -width / 2 + (at + 0.5) * step
        parts.append(block((max(1.3, step * share + 0.2), 2.5, 0.08), (x, 0, front + 0.0), frame))
        parts.append(block((1.05, 2.2, 0.12), (x, 0.05, front + 0.03), rng.pick(DOORS)))
        parts.append(block((1.5, 0.14, 0.3), (x, 0, front + 0.15), "#b4b0a6"))
    if style == "flats" and not plain:
        over += _balconies(rng, width, floors[1:] if ground == "home" else floors, bays, front)
    if free:
        parts += _sides(width, depth, floors, sill, tall, glass, frame)
    parts += _roof(rng, style, width, height, depth, colour, texture)
    return House(group(*parts), group(*over) if over else None, width, height, depth)


def _shop(rng: Rng, width: float, low: float, front: float, glass: str, board: str, plain: bool) -> list[Part]:
    """The ground floor as a shop: panes, a door and a board over them."""
    door = rng.uniform(-0.3, 0.3) * width
    panes = max(2, round(width / 2.2))
    step = (width - 0.8) / panes
    parts = [
        block((width - 0.8, low - 1.35, 0.06), (0, 0.55, front - _DEEP), glass),
        block((width - 0.7, 0.55, 0.16), (0, 0, front - 0.1), "#5a544c"),
        block((width - 0.3, 0.6, 0.2), (0, low - 0.72, front - 0.06), board),
        block((1.2, 2.35, 0.1), (door, 0, front - 0.06), rng.pick(DOORS)),
        block((0.9, 1.5, 0.12), (door, 0.65, front - 0.05), "#6f838c"),
        block((width + 0.06, 0.14, 0.3), (0, low - 0.1, front - 0.02), "#cfc9bc"),
        *(block((0.14, low - 0.7, 0.12), (-width / 2 + 0.4 + k * step, 0, front - 0.08), "#4a443e") for k in range(panes + 1)),
    ]
    if not plain:
        parts.append(block((min(0.5 * width, 2.6), 0.2, 0.04), (rng.uniform(-0.15, 0.15) * width, low - 0.52, front + 0.05), "#f4efe0"))
    return parts


def _awning(rng: Rng, width: float, low: float, front: float, colour: str) -> list[Part]:
    stripes = max(3, round((width - 0.6) / 0.7)) if rng.chance(0.5) else 1
    wide = (width - 0.6) / stripes
    form = Wedge((round(wide, 3), 0.5, 1.1))
    at = [Pose((round(-(width - 0.6) / 2 + (k + 0.5) * wide, 3), round(low - 1.12, 3), round(front + 0.55, 3))) for k in range(stripes)]
    return [Part(form, pose, colour=colour if k % 2 == 0 else "#f0ece0") for k, pose in enumerate(at)]


def _sides(width: float, depth: float, floors: list[float], sill: float, tall: float, glass: str, frame: str) -> list[Part]:
    """Windows at both sides: each pane goes through the whole house, so that one part makes two of them."""
    parts: list[Part] = []
    for floor in floors:
        for z in (-0.22 * depth, 0.12 * depth):
            parts.append(block((width + 0.04, tall + 0.16, 1.36), (0, floor + sill - 0.08, z), frame))
            parts.append(block((width + 0.07, tall, 1.2), (0, floor + sill, z), glass))
    return parts


def _balconies(rng: Rng, width: float, floors: list[float], bays: int, front: float) -> list[Part]:
    step, colour = width / bays, rng.pick(("#d8d4c8", "#8f979c", "#5a6068", "#c8785a"))
    wide = step * 0.86
    every = rng.pick((1, 2))
    parts: list[Part] = []
    for floor in floors:
        for k in range(0, bays, every):
            x = -width / 2 + (k + 0.5) * step
            parts.append(block((wide, 0.14, 1.1), (x, floor, front + 0.5), "#c4c0b6"))
            parts.append(block((wide, 0.95, 0.06), (x, floor + 0.14, front + 1.02), colour))
    return parts


def _roof(rng: Rng, style: Style, width: float, height: float, depth: float, colour: str, texture: Texture | None) -> list[Part]:
    """Flat with a cornice, a ridge along the street, or a gable to it."""
    tiles = rng.pick(ROOFS)
    kind = {"office": "flat", "flats": rng.pick(("flat", "flat", "ridge")), "cottage": rng.pick(("gable", "ridge"))}.get(
        style, rng.pick(("flat", "ridge", "ridge", "gable"))
    )
    if kind == "flat":
        return [
            block((width + 0.16, 0.32, depth + 0.16), (0, height, 0), rng.pick(("#c8c2b4", "#8a8f94", colour))),
            block((2.4, 1.1, 2.4), (rng.uniform(-0.2, 0.2) * width, height + 0.3, -1.0), "#8c9094"),
        ]
    rise = round(min(0.42 * depth, 3.6) if kind == "ridge" else min(0.48 * width, 4.2), 2)
    parts: list[Part] = []
    if kind == "ridge":
        for yaw, z in ((0.0, depth / 4 + 0.1), (180.0, -depth / 4 - 0.1)):
            form = Wedge((round(width + 0.06, 3), rise, round(depth / 2 + 0.2, 3)))
            parts.append(Part(form, Pose((0.0, round(height, 3), round(z, 3)), yaw), colour=tiles))
        if rng.chance(0.5):  # dormers
            for x in (-0.25, 0.25):
                parts.append(block((1.3, 1.3, 1.6), (x * width, height + 0.4, depth / 4 + 0.4), colour, texture))
                parts.append(block((0.8, 0.8, 0.06), (x * width, height + 0.65, depth / 4 + 1.2), "#3a4854"))
                parts.append(block((1.5, 0.12, 1.9), (x * width, height + 1.7, depth / 4 + 0.4), tiles))
    else:
        for yaw, x in ((90.0, width / 4), (-90.0, -width / 4)):
            form = Wedge((round(depth - 0.3, 3), rise, round(width / 2, 3)))
            parts.append(Part(form, Pose((round(x, 3), round(height, 3), 0.0), yaw), colour=colour, texture=texture))
            over = Wedge((round(depth + 0.4, 3), rise, round(width / 2 + 0.25, 3)))
            # the tiles as a second, higher ramp set back from the gable would hide it: a thin edge is enough from the street
            parts.append(
                Part(over, Pose((round(x * 1.0 + (0.12 if x > 0 else -0.12), 3), round(height + 0.16, 3), -0.5), yaw), colour=tiles)
            )
        parts.append(block((0.9, 1.1, 0.06), (0, height + 0.5, depth / 2 - 0.12), "#3a4854"))
    if rng.chance(0.7):
        parts.append(block((0.7, rise + 0.9, 0.7), (rng.pick((-0.36, 0.36)) * width, height, -depth * 0.1), "#8a5a48"))
    return parts
