"""The page of a mental rotation item: the original in a frame on top, the options with their letters below.

All bodies of a page have one scale. Easy pages are coloured, with the box of unit squares behind each body; hard ones
are white with black edges, on nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from isovist.core.drawing2d import INK, PAPER, Drawing, Line, Point, Polygon, Shape
from isovist.core.summation import sum_in_order
from isovist.world.scenes.option_page import HEIGHT, MARGIN, PANEL, frame, letters, places
from isovist.world.scenes.polycube import Body
from isovist.world.scenes.polycube_view import RIGHT, UP, Angles, Picture, Vector, View, view

Style = Literal["easy", "hard"]
Shown = tuple[Body, Angles]

PIXELS = 440  # a unit has by default
LEAST_PIXELS = 200  # the shortest edge that is drawn has 8 then on an easy page, 5 on a hard one
_EDGE = 0.0045
_LARGEST = 0.1  # an edge of a cube of a hard page, at most
_GRID_LINE, _GRID_FRAME = "#d5dae0", "#aab2bc"
_OUTLINE = "#2c333b"  # of coloured cubes

HUES: dict[str, tuple[int, int, int]] = {
    "blue": (110, 164, 214),
    "green": (124, 184, 128),
    "amber": (232, 184, 92),
    "coral": (228, 132, 112),
    "violet": (164, 140, 206),
    "teal": (96, 182, 178),
}
_LIGHT: Vector = (0.36, 0.14, 0.68)
_SHADOW = 0.52


def _tint(hue: str, normal: Vector) -> str:
    """The colour of a face whose outward normal is given in the world, under a fixed light from above and the left."""
    bright = _SHADOW + sum_in_order(max(0.0, n) * light for n, light in zip(normal, _LIGHT, strict=True))
    return "#" + "".join(f"{min(255, round(v * bright)):02x}" for v in HUES[hue])


def _box_edge(side: int) -> float:
    """The edge of a cube, in units, when a box of so many cubes each way fills the height of a panel."""
    return round((PANEL - 2 * MARGIN) / (side * (UP[2] - UP[0] - UP[1])), 5)


def _in_box(shape: Body, seen: View, side: int) -> Point:
    """How to move a picture, in edges, so that its body stands on the ground in the middle of the box, and the middle of
    the box's picture is the origin. The turn must be one of the lattice.
    """
    far = [max(cell[i] for cell in shape) + 1 for i in range(3)]
    corner = [sum_in_order(f * axis[k] for f, axis in zip(far, seen.world, strict=True)) for k in range(3)]
    low, high = [min(0.0, v) for v in corner], [max(0.0, v) for v in corner]
    free = [side - round(high[k] - low[k]) for k in range(2)]
    shift = (free[0] // 2 - low[0], free[1] // 2 - low[1], -low[2])
    middle = (side / 2,) * 3
    return tuple(sum_in_order((s - m) * e for s, m, e in zip(shift, middle, edge, strict=True)) for edge in (RIGHT, UP))  # pyright: ignore[reportReturnType] - two


def _polys(picture: Picture, scale: float, shift: Point, at: Point, hue: str) -> list[Shape]:
    stroke = _OUTLINE if hue else INK
    fills = [
        _tint(hue, (sign * x, sign * y, sign * z)) if hue else PAPER
        for sign, (x, y, z) in zip(picture.view.signs, picture.view.world, strict=True)
    ]
    left, bottom = at[0] + shift[0] * scale, at[1] + shift[1] * scale
    return [
        Polygon(
            tuple([(round(left + x * scale, 5), round(bottom + y * scale, 5)) for x, y in face.corners]), fills[face.axis], stroke, _EDGE
        )
        for face in picture.faces
    ]


def page(original: Body, options: Sequence[Shown], hue: str, side: int) -> Drawing:
    """The page; a hard one, without colour and box, if `hue` is empty. The box of an easy one
    is `side` cubes long each way.
    """
    below, top = places(len(options))
    shown: list[tuple[Shown, Point]] = [((original, (0, 0, 0)), top), *zip(options, below, strict=True)]
    painted = [(Picture(view(angles), cells), at) for (cells, angles), at in shown]
    boxes = [picture.box for picture, _ in painted]
    scale = _box_edge(side)
    if not hue:
        longest = max(max(right - left, top - bottom) for left, bottom, right, top in boxes)
        scale = min(_LARGEST, (PANEL - 3 * MARGIN) / longest)
    shapes: list[Shape] = []
    for (picture, at), (left, bottom, right, upper) in zip(painted, boxes, strict=True):
        shift = _in_box(picture.body, picture.view, side) if hue else (-(left + right) / 2, -(bottom + upper) / 2)
        shapes += _polys(picture, scale, shift, at, hue)
    return Drawing((*shapes, *letters(len(options))), _ground(len(options), side if hue else 0), len(options) * PANEL, HEIGHT)


@lru_cache(maxsize=8)
def _ground(k: int, side: int) -> tuple[Shape, ...]:
    """What is the same on all pages: the frame, and the boxes of unit squares."""
    below, top = places(k)
    boxes = [line for at in [*below, top] for line in _box(at, side)] if side else []
    return (*boxes, frame(k))


def _box(at: Point, side: int) -> list[Line]:
    """The ground and the two walls behind, in unit squares, with their middle at a point of the page."""

    def place(corner: tuple[int, int, int]) -> Point:
        x, y = (sum_in_order((v - side / 2) * e for v, e in zip(corner, edge, strict=True)) for edge in (RIGHT, UP))
        return round(at[0] + x * _box_edge(side), 5), round(at[1] + y * _box_edge(side), 5)

    lines: list[Line] = []
    for i in range(side, -1, -1):  # what is at an edge of the box is drawn last
        ends = [((i, 0, 0), (i, side, 0)), ((0, i, 0), (side, i, 0))]
        ends += [((i, 0, 0), (i, 0, side)), ((0, 0, i), (side, 0, i))]
        ends += [((0, i, 0), (0, i, side)), ((0, 0, i), (0, side, i))]
        rim = i in (0, side)
        lines += [Line((place(a), place(b)), 0.003 if rim else 0.0023, _GRID_FRAME if rim else _GRID_LINE) for a, b in ends]
    return sorted(lines, key=lambda line: line.fill == _GRID_FRAME)
