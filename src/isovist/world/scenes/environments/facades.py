"""Sampled houses for streets. Lengths are metres; the front is at +Z, and the origin is the centre of the footprint.

A front is one sheet of glass behind a grid of piers and wall bands, so a house has few parts. Reflections of the sky, curtains and blinds are
sheets in front of it. They have a random stream of their own, so they change nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import Vector
from isovist.core.scene3d import Group, Part, Pose, Texture, Wedge
from isovist.world.scenes.environments.primitives import block, group, mixed, rounded

Style = Literal["town", "office", "flats", "cottage"]
Ground = Literal["shop", "home"]
Range = tuple[float, float]

WALLS = (
    "#b5654a", "#cfc0a0", "#8d98a3", "#d9cdb8", "#a98a72", "#e3d9c0", "#96a48c", "#c98f6a", "#d8b4a0", "#b9b4aa", "#8a5a4a", "#dcdcd6",
    "#c7a85e", "#9fb0b8",
)  # fmt: skip
ROOFS = ("#8a4434", "#5a4a44", "#4c5560", "#a0563c", "#6a3c34")
GLASS = ("#3a4854", "#4c5e6c", "#2f3a44", "#586a70")
DOORS = ("#7a2a22", "#25466b", "#2f5a3c", "#4a3222", "#8a6a2c", "#3a3a3e")
AWNINGS = ("#b8322c", "#2c6a48", "#2a5a9a", "#d8a030", "#7a3a6a", "#d86a3a", "#3a8a90")
FRAMES = ("#efece2", "#e6e0d0", "#4a3a30", "#f4f4f0")
_SKY, _CLOTH, _BLINDS, _LAMPS = "#b4c6d4", ("#d8d0bc", "#c8c8c4", "#b8a890", "#cfd4d8"), ("#dad6ca", "#b4b2aa", "#c4b496"), "#e8d4a0"
_GOODS = (*AWNINGS, *_CLOTH, "#8a6a48")
_DEEP = 0.16
"""Depth in metres of the glass behind the wall of a front."""


@dataclass(frozen=True, slots=True)
class _Build:
    """Dimensions of the houses of a style: height of a storey, width of a bay and window share of a bay; height of the window sill above the
    floor, and total height of a storey without window; roof types.
    """

    storey: Range
    bay: Range
    share: Range
    sill: float
    wall: float
    roofs: tuple[str, ...]


_BUILDS: dict[Style, _Build] = {
    "town": _Build((2.8, 3.3), (1.9, 2.6), (0.36, 0.52), 0.85, 1.4, ("flat", "ridge", "ridge", "gable")),
    "office": _Build((3.4, 3.4), (1.9, 1.9), (0.8, 0.8), 0.25, 0.55, ("flat",)),
    "flats": _Build((2.8, 2.8), (3.0, 3.0), (0.55, 0.55), 0.85, 1.4, ("flat", "flat", "ridge")),
    "cottage": _Build((2.6, 2.6), (2.6, 2.6), (0.42, 0.42), 0.85, 1.4, ("gable", "ridge")),
}


@dataclass(frozen=True, slots=True)
class House:
    """A house with its width, height and depth without roof overhangs. `over`: awnings and balconies as a separate object, so the box of the
    house does not occlude objects under them.
    """

    form: Group
    over: Group | None
    width: float
    height: float
    depth: float


def house(rng: Rng, style: Style, width: float, storeys: int, ground: Ground, plain: bool = False, free: bool = False) -> House:
    """A house. `plain`: a distant house without bars, sills and curtains; `free`: a detached house with side windows."""
    build = _BUILDS[style]
    colour, glass, frame = rng.pick(WALLS), rng.pick(GLASS), rng.pick(FRAMES)
    texture = Texture(rng.pick(("bricks", "bricks", "plaster", "plaster", "concrete")), 2.0) if rng.chance(0.85) else None
    depth = round(rng.uniform(8, 12), 1)
    low = round(rng.uniform(3.3, 3.9), 1) if ground == "shop" else 3.0
    storey = round(rng.uniform(*build.storey), 1)
    height, front = round(low + storey * (storeys - 1) + 0.5, 2), depth / 2
    bays = max(2, round(width / rng.uniform(*build.bay)))
    step = width / bays
    pier = step * (1 - rng.uniform(*build.share))
    foot, tall = low if ground == "shop" else 0.0, storey - build.wall
    floors = ([0.0] if ground == "home" else []) + [low + storey * k for k in range(storeys - 1)]
    piers = [(0.5 * pier, 0.25 * pier), *((pier, k * step) for k in range(1, bays)), (0.5 * pier, width - 0.25 * pier)]  # width, centre
    edges = [foot, *(edge for floor in floors for edge in (floor + build.sill, floor + build.sill + tall)), height]
    parts = [
        block((width, height, depth - 2 * _DEEP), (0, 0, 0), colour, texture),
        block((width - 0.1, height - foot - 0.3, 0.02), (0, foot + 0.1, front - _DEEP), glass),
        *(block((wide, height - foot, _DEEP), (x - width / 2, foot, front - _DEEP / 2), colour, texture) for wide, x in piers),
        *(
            block((width - 0.02, top - lower, _DEEP - 0.02), (0, lower, front - _DEEP / 2 - 0.01), colour, texture)
            for lower, top in zip(edges[::2], edges[1::2], strict=True)
        ),
    ]
    panes = [((k + 0.5) * step - width / 2, floor + build.sill) for floor in floors for k in range(bays)]  # centre, lower edge
    look = rng.at("panes", f"{width} {depth} {pier}")
    for x, y in panes:
        parts += _pane(look, (x, y, front - _DEEP + 0.016), step - pier, tall, glass, plain, style == "office")
    over: list[Part] = []
    if not plain:
        upper = [at for at in panes if at[1] > 1.5]  # a sill on the ground floor would cross the door
        parts += [block((step - pier + 0.16, 0.08, 0.2), (x, y - 0.08, front - 0.02), frame) for x, y in upper]
        for sill in (floor + build.sill for floor in floors):
            parts.append(block((width - 0.1, 0.06, 0.06), (0, sill + tall * 0.62, front - 0.12), frame))
        bar = (0.06, height - foot - 0.4, 0.05)
        parts += [block(bar, ((k + 0.5) * step - width / 2, foot + 0.1, front - 0.12), frame) for k in range(bays)]
    if ground == "shop":
        board = rng.pick(AWNINGS)
        parts += _shop(rng, width, low, front, glass, board, plain)
        over += _awning(rng, width, low, front, board) if not plain and rng.chance(0.6) else []
    else:
        x = (rng.integer(0, bays - 1) + 0.5) * step - width / 2
        parts.append(block((max(1.3, step - pier + 0.2), 2.5, 0.08), (x, 0, front), frame))
        parts.append(block((1.05, 2.2, 0.12), (x, 0.05, front + 0.03), rng.pick(DOORS)))
        parts.append(block((1.5, 0.14, 0.3), (x, 0, front + 0.15), "#b4b0a6"))
    if style == "flats" and not plain:
        over += _balconies(rng, width, [floor for floor in floors if floor], bays, front)
    if free:  # each pane extends through the house: one part for two windows
        for y, z in ((floor + build.sill, share * depth) for floor in floors for share in (-0.22, 0.12)):
            parts.append(block((width + 0.04, tall + 0.16, 1.36), (0, y - 0.08, z), frame))
            parts.append(block((width + 0.07, tall, 1.2), (0, y, z), glass))
    parts += _roof(rng, rng.pick(build.roofs), (width, height, depth), colour, texture)
    return House(group(*parts), group(*over) if over else None, width, height, depth)


def _pane(rng: Rng, at: Vector, width: float, height: float, glass: str, plain: bool, office: bool) -> list[Part]:
    """What a window shows besides dark glass: a reflection of the sky, a blind, curtains, or a net curtain. `at`: centre of the lower edge."""
    kind, share, tone = rng.random(), rng.random(), rng.random()
    x, y, z = at

    def sheet(left: float, right: float, low: float, colour: str, strength: float) -> Part:
        wide, high = (right - left) * width, (1 - low) * height
        return block((wide, high, 0.012), (x + (left + right - 1) / 2 * width, y + low * height, z), mixed(glass, colour, strength))

    cloth = _CLOTH[int(tone * len(_CLOTH))]
    if kind < (0.65 if plain else 0.28):
        return []
    if plain or office or kind < 0.55:
        return [sheet(0, 1, 0.5 * share if kind < 0.8 else 0.0, _SKY, 0.15 + 0.35 * tone)]
    if kind < 0.72:
        return [sheet(0, 1, 0.25 + 0.5 * share, _BLINDS[int(tone * len(_BLINDS))], 0.75)]
    if kind < 0.9:
        side = 0.16 + 0.14 * share
        return [sheet(0, side, 0, cloth, 0.7), sheet(1 - side, 1, 0, cloth, 0.7)]
    return [sheet(0, 1, 0, cloth, 0.45)]


def _shop(rng: Rng, width: float, low: float, front: float, glass: str, board: str, plain: bool) -> list[Part]:
    """A ground-floor shop with panes, a door and a signboard."""
    door = rng.uniform(-0.3, 0.3) * width
    panes = max(2, round(width / 2.2))
    step = (width - 0.8) / panes
    look = rng.at("panes", f"{width} {door}")
    goods: list[Part] = []
    for k in range(0 if plain else panes):
        x, wide = 0.4 + (k + 0.5) * step - width / 2, step - 0.14
        goods += [block((wide, (low - 1.35) * look.uniform(0.45, 0.7), 0.01), (x, 0.55, front - 0.13), mixed(glass, "#1c1c1e", 0.4))]
        for side in (-0.25, 0.22):
            size = wide * look.uniform(0.2, 0.42), look.uniform(0.3, 1.0), 0.02
            goods += [block(size, (x + side * wide, 0.55, front - 0.12), mixed(glass, look.pick(_GOODS), look.uniform(0.25, 0.5)))]
        goods += [block((wide, 0.3, 0.02), (x, low - 1.02, front - 0.125), mixed(glass, _LAMPS, look.uniform(0.1, 0.45)))]
    sign = block((min(0.5 * width, 2.6), 0.2, 0.04), (rng.uniform(-0.15, 0.15) * width, low - 0.52, front + 0.05), "#f4efe0")
    return [
        block((width - 0.8, low - 1.35, 0.06), (0, 0.55, front - _DEEP), glass),
        block((width - 0.7, 0.55, 0.16), (0, 0, front - 0.1), "#5a544c"),
        block((width - 0.3, 0.6, 0.2), (0, low - 0.72, front - 0.06), board),
        block((1.2, 2.35, 0.1), (door, 0, front - 0.06), rng.pick(DOORS)),
        block((0.9, 1.5, 0.12), (door, 0.65, front - 0.05), "#6f838c"),
        block((width + 0.06, 0.14, 0.3), (0, low - 0.1, front - 0.02), "#cfc9bc"),
        *(block((0.14, low - 0.7, 0.12), (0.4 + k * step - width / 2, 0, front - 0.08), "#4a443e") for k in range(panes + 1)),
        *goods,
        *([] if plain else [sign]),
    ]


def _slope(size: Vector, at: Vector, colour: str, yaw: float = 0.0, texture: Texture | None = None) -> Part:
    """A wedge that is low at the front."""
    return Part(Wedge(rounded(size)), Pose(rounded(at), yaw), colour=colour, texture=texture)


def _awning(rng: Rng, width: float, low: float, front: float, colour: str) -> list[Part]:
    """An awning of one colour or with stripes."""
    stripes = max(3, round((width - 0.6) / 0.7)) if rng.chance(0.5) else 1
    wide = (width - 0.6) / stripes
    return [
        _slope((wide, 0.5, 1.1), ((k + 0.5) * wide - (width - 0.6) / 2, low - 1.12, front + 0.55), "#f0ece0" if k % 2 else colour)
        for k in range(stripes)
    ]


def _balconies(rng: Rng, width: float, floors: list[float], bays: int, front: float) -> list[Part]:
    step, colour = width / bays, rng.pick(("#d8d4c8", "#8f979c", "#5a6068", "#c8785a"))
    parts: list[Part] = []
    for x in ((k + 0.5) * step - width / 2 for k in range(0, bays, rng.pick((1, 2)))):
        for floor in floors:
            parts.append(block((step * 0.86, 0.14, 1.1), (x, floor, front + 0.5), "#c4c0b6"))
            parts.append(block((step * 0.86, 0.95, 0.06), (x, floor + 0.14, front + 1.02), colour))
    return parts


def _roof(rng: Rng, kind: str, size: Vector, colour: str, texture: Texture | None) -> list[Part]:
    """A flat roof with a cornice, or a gable roof with its ridge along or across the street."""
    (width, height, depth), tiles = size, rng.pick(ROOFS)
    if kind == "flat":
        return [
            block((width + 0.16, 0.32, depth + 0.16), (0, height, 0), rng.pick(("#c8c2b4", "#8a8f94", colour))),
            block((2.4, 1.1, 2.4), (rng.uniform(-0.2, 0.2) * width, height + 0.3, -1.0), "#8c9094"),
        ]
    parts: list[Part] = []
    if kind == "ridge":
        rise, half = round(min(0.42 * depth, 3.6), 2), depth / 2 + 0.2
        parts += [_slope((width + 0.06, rise, half), (0, height, z), tiles, yaw) for yaw, z in ((0.0, half / 2), (180.0, -half / 2))]
        for x in (-0.25 * width, 0.25 * width) if rng.chance(0.5) else ():  # dormers
            parts.append(block((1.3, 1.3, 1.6), (x, height + 0.4, depth / 4 + 0.4), colour, texture))
            parts.append(block((0.8, 0.8, 0.06), (x, height + 0.65, depth / 4 + 1.2), "#3a4854"))
            parts.append(block((1.5, 0.12, 1.9), (x, height + 1.7, depth / 4 + 0.4), tiles))
    else:
        rise = round(min(0.48 * width, 4.2), 2)
        for side in (1, -1):
            # the tiles are slightly higher and set back from the gable, which they would occlude
            x = side * width / 4
            parts.append(_slope((depth - 0.3, rise, width / 2), (x, height, 0), colour, side * 90.0, texture))
            parts.append(_slope((depth + 0.4, rise, width / 2 + 0.25), (x + side * 0.12, height + 0.16, -0.5), tiles, side * 90.0))
        parts.append(block((0.9, 1.1, 0.06), (0, height + 0.5, depth / 2 - 0.12), "#3a4854"))
    if rng.chance(0.7):
        parts.append(block((0.7, rise + 0.9, 0.7), (rng.pick((-0.36, 0.36)) * width, height, -depth * 0.1), "#8a5a48"))
    return parts
