"""Cubes with a mark on each face: their 24 orientations, the faces that are seen, and drawings of them.

Faces are numbered +x, -x, +y, -y, +z, -z, as are directions. In the drawing +x is the left face, +y the right one, and +z the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

from isovist.core.drawing2d import INK, CubeGroup, Point, Polygon
from isovist.world.scenes.cube_marks import BRANCHES, PICTURES, Mark
from isovist.world.scenes.polycube import TURNS
from isovist.world.scenes.solid_view import EVEN, Vector, box_of, face, on_page

Sticker = tuple[str, int]
"""The name of a mark, and the direction in which its top points."""
Cube = tuple[Sticker, ...]
"""The stickers of the six faces."""
Shown = tuple[Sticker, Sticker, Sticker]
"""The stickers on the left face, on the right face and on top."""
Turn = tuple[int, ...]
"""The direction to which each of the six directions is turned."""
SEEN = (0, 2, 4)
MARKS: dict[str, Mark] = {mark.name: mark for mark in (*PICTURES, *BRANCHES)}
SIZE = 0.74
"""The size of a mark on a face, in edges."""
_NEAR = 1e-3


def opposite(direction: int) -> int:
    return direction ^ 1


def _vector(direction: int) -> Vector:
    x, y, z = (float(axis == direction // 2) * (1 - 2 * (direction % 2)) for axis in range(3))
    return x, y, z


@cache
def cross(a: int, b: int) -> int:
    """The direction of the cross product of two perpendicular directions."""
    axis = 3 - a // 2 - b // 2
    is_cyclic = (b // 2 - a // 2) % 3 == 1
    return 2 * axis + (is_cyclic + a + b + 1) % 2


ROTATIONS: tuple[Turn, ...] = tuple(
    tuple(2 * order.index(direction // 2) + ((direction % 2) ^ int(signs[order.index(direction // 2)])) for direction in range(6))
    for order, signs in TURNS
)
"""The 24 rotations."""


def angle(turn: Turn) -> int:
    """The angle of a rotation in degrees: 0, 90, 120 or 180."""
    trace = sum((turn[axis] == axis) - (turn[axis] == axis + 1) for axis in (0, 2, 4))
    return {3: 0, 1: 90, 0: 120, -1: 180}[trace]


def turned(cube: Cube, turn: Turn) -> Cube:
    stickers: list[Sticker] = [("", 0)] * 6
    for direction, (mark, up) in enumerate(cube):
        stickers[turn[direction]] = (mark, turn[up])
    return tuple(stickers)


def shown(cube: Cube) -> Shown:
    left, right, top = (cube[direction] for direction in SEEN)
    return left, right, top


def quarter(cube: Cube, side: int) -> Cube:
    """The mark of a face turned by a quarter."""
    mark, up = cube[side]
    return tuple((mark, cross(side, up)) if k == side else sticker for k, sticker in enumerate(cube))


def exchanged(cube: Cube, a: int, b: int) -> Cube:
    """The marks of two adjacent faces exchanged, with their directions, by a half turn about the axis between the faces."""
    half = next(turn for turn in ROTATIONS if turn[a] == b and turn[b] == a and angle(turn) == 180)
    stickers = list(cube)
    for one, other in ((a, b), (b, a)):
        mark, up = cube[one]
        stickers[other] = (mark, half[up])
    return tuple(stickers)


def can_be_one_cube(one: Shown, other: Shown) -> bool:
    """Whether a rotation takes the shared marks of one view to those of another one, and no other mark to a face that shows a different one."""
    faces: dict[int, Sticker] = dict(zip(SEEN, other, strict=True))
    shared = {mark for mark, _ in one} & {mark for mark, _ in other}

    def agrees(turn: Turn) -> bool:
        for direction, (mark, up) in zip(SEEN, one, strict=True):
            there = faces.get(turn[direction])
            if (there != (mark, turn[up])) if mark in shared else there is not None:
                return False
        return True

    return any(agrees(turn) for turn in ROTATIONS)


# Drawings ----------------------------------------------------------------------------------------------------------------


def edge_in(height: float) -> float:
    """The length of an edge of a cube that is so high in the image."""
    _, bottom, _, top = box_of([_square(direction, 0.5, 4 if direction < 4 else 0) for direction in SEEN])
    return round(height / (top - bottom), 5)


@cache
def point(side: int, up: int, x: float, y: float) -> Point:
    """A point of a face in the image, about the middle of the cube, in edges; `x` and `y` in the frame of a mark that points `up`."""
    n, u, r = _vector(side), _vector(up), _vector(cross(up, side))
    a, b, c = (0.5 * n[k] + x * r[k] + y * u[k] for k in range(3))
    return EVEN.place(a, b, c)


def _square(side: int, half: float, up: int) -> list[Point]:
    return [point(side, up, x, y) for x, y in ((-half, -half), (half, -half), (half, half), (-half, half))]


def drawn(view: Shown, edge: float, middle: Point) -> list[Polygon]:
    """The three faces of a cube, each followed by the polygons of its mark."""
    polygons: list[Polygon] = []
    for side, (mark, up) in zip(SEEN, view, strict=True):
        polygons.append(face(_square(side, 0.5, up), side // 2, edge, middle))
        polygons += [
            Polygon(on_page([point(side, up, x * SIZE, y * SIZE) for x, y in outline], edge, middle)) for outline in MARKS[mark].outlines
        ]
    return polygons


def _place(polygons: Sequence[Polygon]) -> tuple[float, Point]:
    """The length of an edge of a drawn cube, and the place of its middle."""
    left, bottom, right, top = box_of([polygon.points for polygon in polygons if polygon.stroke == INK])
    low, _, high, _ = box_of([_square(side, 0.5, 4 if side < 4 else 0) for side in SEEN])
    return (right - left) / (high - low), ((left + right) / 2, (bottom + top) / 2)


def read(polygons: Sequence[Polygon]) -> Shown:
    """The marks of a drawn cube and their directions, from the outlines on each face. Raises ValueError for an unknown mark."""
    edge, at = _place(polygons)
    outlines: list[list[Polygon]] = []
    for polygon in polygons:
        if polygon.stroke == INK:
            outlines.append([])
        else:
            outlines[-1].append(polygon)
    stickers: list[Sticker] = []
    for side, drawing in zip(SEEN, outlines, strict=True):
        (sticker,) = [
            (mark.name, up)
            for mark, up in product(MARKS.values(), range(6))
            if up // 2 != side // 2 and _fits(mark, side, up, edge, at, drawing)
        ]
        stickers.append(sticker)
    return stickers[0], stickers[1], stickers[2]


def group(polygons: Sequence[Polygon]) -> CubeGroup:
    """A drawn cube for a 3-D scene."""
    edge, (x, y) = _place(polygons)
    u, v = EVEN.place(0.5, 0.5, 0.5)
    return CubeGroup(((0, 0, 0),), (), (x - u * edge, y - v * edge), edge, EVEN.toward)


def _fits(mark: Mark, side: int, up: int, edge: float, at: Point, outlines: Sequence[Polygon]) -> bool:
    if len(outlines) != len(mark.outlines):
        return False
    for outline, polygon in zip(mark.outlines, outlines, strict=True):
        if len(outline) != len(polygon.points):
            return False
        for (x, y), (u, v) in zip(outline, polygon.points, strict=True):
            px, py = point(side, up, x * SIZE, y * SIZE)
            if abs(at[0] + px * edge - u) > _NEAR or abs(at[1] + py * edge - v) > _NEAR:
                return False
    return True
