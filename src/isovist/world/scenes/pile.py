"""Piles of cubes: columns of equal cubes on a rectangular floor, without gaps below a cube; their faces, views and canonical form.

`Heights`: the number of cubes of each column, by x, then by y. Frame as in `solid_view`: the front is the side toward +x, the right that
toward +y. Seen from the front, y runs to the right; seen from the right, x runs to the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import floor

from isovist.core.drawing2d import Point
from isovist.world.scenes.solid_view import Projection, Vector

Heights = tuple[tuple[int, ...], ...]
Profile = tuple[int, ...]
SIDES = ("front", "right", "back", "left")
"""The sides of a pile, counterclockwise seen from above."""
_POINTS = ((0.5, 0.5), (0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75))
"""The sample points of a top."""
_HIGHEST = 8
"""Number of cubes of the highest column, and of columns along a side, that can be drawn or read."""
_GRID = tuple((2 * i + 1) / 10 for i in range(5))
"""Coordinates of the sample points of any face."""


@dataclass(frozen=True, slots=True)
class Face:
    """A face toward the eye: its axis, its lattice square, and its corners in the image, in cube edges. The square (x, y, z) of a
    face toward +x has x in its plane, and y and z at its lowest corner; those of the other axes likewise.
    """

    axis: int
    square: tuple[int, int, int]
    corners: tuple[Point, ...]


def width(heights: Heights) -> tuple[int, int]:
    """The number of columns along x and along y."""
    return len(heights), len(heights[0])


def total(heights: Heights) -> int:
    """The number of cubes."""
    return sum(map(sum, heights))


def front(heights: Heights) -> Profile:
    """The highest column of each line of sight from the front, from left to right."""
    return tuple(map(max, zip(*heights, strict=True)))


def right(heights: Heights) -> Profile:
    """The highest column of each line of sight from the right, from left to right."""
    return tuple([max(row) for row in reversed(heights)])


def seen_from(heights: Heights, side: str) -> Profile:
    """The highest column of each line of sight from a side, from left to right."""
    profile = front(heights) if side in ("front", "back") else right(heights)
    return profile if side in ("front", "right") else profile[::-1]


def canonical(heights: Heights) -> Heights:
    """The smallest of the four turns about the vertical axis and their mirror images."""
    transposed = tuple(zip(*heights, strict=True))
    return min(
        turned
        for pile in (heights, transposed)
        for mirrored in (pile, pile[::-1])
        for turned in (mirrored, tuple([row[::-1] for row in mirrored]))
    )


# What is seen -----------------------------------------------------------------------------------------------------------


@cache
def _crossed(projection: Projection, u: float, v: float, reach: int) -> tuple[tuple[int, int, float], ...]:
    """The columns that the ray from the point (u, v) of a column toward the eye crosses: offsets, and the rise until the ray enters."""
    (tx, ty, tz), crossed, i, j = projection.toward, list[tuple[int, int, float]](), 0, 0
    while i < reach and j < reach:
        to_x, to_y = (i + 1 - u) / tx, (j + 1 - v) / ty
        i, j = (i + 1, j) if to_x < to_y else (i, j + 1)
        crossed.append((i, j, min(to_x, to_y) * tz))
    return tuple(crossed)


def is_seen(heights: Heights, projection: Projection, point: Vector) -> bool:
    """Whether nothing is between a point at the surface of a pile and the eye."""
    (x, y, z), (a, b) = point, width(heights)
    i, j = floor(x), floor(y)
    if i < a and j < b and heights[i][j] > z:
        return False
    for di, dj, rise in _crossed(projection, x - i, y - j, max(a, b)):
        if i + di >= a or j + dj >= b:
            return True
        if heights[i + di][j + dj] > z + rise:
            return False
    return True


@cache
def _hiding(projection: Projection) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """The offsets of columns that can hide a top, with the sample points that they hide, as bits, by how much higher they are."""
    hidden: dict[tuple[int, int], list[int]] = {}
    for bit, (u, v) in enumerate(_POINTS):
        for i, j, rise in _crossed(projection, u, v, _HIGHEST):
            masks = hidden.setdefault((i, j), [0] * (_HIGHEST + 1))
            for excess in range(floor(rise) + 1, _HIGHEST + 1):
                masks[excess] |= 1 << bit
    return tuple((i, j, tuple(masks)) for (i, j), masks in sorted(hidden.items()) if any(masks))


def hidden_tops(heights: Heights, projection: Projection, least: int) -> Iterator[tuple[int, int]]:
    """The columns of which fewer than `least` of five points of the top, or of the square of the floor, are seen."""
    a, b = width(heights)
    for i, row in enumerate(heights):
        for j, high in enumerate(row):
            hidden = 0
            for di, dj, masks in _hiding(projection):
                if i + di < a and j + dj < b and (excess := heights[i + di][j + dj] - high) > 0:
                    hidden |= masks[excess]
            if len(_POINTS) - hidden.bit_count() < least:
                yield i, j


def faces(heights: Heights, projection: Projection) -> list[Face]:
    """The faces of which a part is seen, in painting order. A square of the floor without a cube is a face toward +z at z = 0."""
    squares: list[tuple[tuple[int, int, int], int]] = []
    for i, row in enumerate(heights):
        for j, high in enumerate(row):
            ahead = heights[i + 1][j] if i + 1 < len(heights) else 0
            beside = row[j + 1] if j + 1 < len(row) else 0
            squares += [((i + 1, j, z), 0) for z in range(ahead, high)]
            squares += [((i, j + 1, z), 1) for z in range(beside, high)]
            squares.append(((i, j, high), 2))
    cells = sorted(
        squares, key=lambda face: (face[0][0] - (face[1] == 0), face[0][1] - (face[1] == 1), face[0][2] - (face[1] == 2), face[1])
    )
    return [
        Face(axis, square, corners(projection, axis, square))
        for square, axis in cells
        if any(is_seen(heights, projection, point) for point in _points(axis, square))
    ]


def _points(axis: int, square: Sequence[int]) -> Iterator[Vector]:
    for p, q in product(_GRID, repeat=2):
        offsets = [p, q]
        offsets.insert(axis, 0.0)
        x, y, z = (at + offset for at, offset in zip(square, offsets, strict=True))
        yield x, y, z


def corners(projection: Projection, axis: int, square: Sequence[int]) -> tuple[Point, ...]:
    """The corners of a face in the image."""
    outline: list[Point] = []
    for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)):
        offsets = [p, q]
        offsets.insert(axis, 0)
        x, y, z = (at + offset for at, offset in zip(square, offsets, strict=True))
        outline.append(projection.place(x, y, z))
    return tuple(outline)


# What a drawing shows -------------------------------------------------------------------------------------------------------


def read(outlines: Sequence[tuple[int, Sequence[Point]]], projection: Projection, scale: float) -> Heights:
    """The pile of drawn faces, each with its axis. Raises ValueError unless the faces that are seen of it are exactly these.

    The position of a top determines its column and its height, up to one shift of all: rays toward the eye meet the lattice once. The
    lowest edge of the faces is on the floor, and the outermost columns are the first and the last ones.
    """
    centres = [(axis, _centre(outline, scale)) for axis, outline in outlines]
    tops = [centre for axis, centre in centres if axis == 2]
    x0, y0 = tops[0]
    squares = [_lattice((x - x0, y - y0), projection, _HIGHEST) for x, y in tops]
    lows = [min(square[k] for square in squares) for k in (0, 1)]
    columns = {(i - lows[0], j - lows[1]): z for i, j, z in squares}
    a, b = (max(column[k] for column in columns) + 1 for k in (0, 1))
    if len(columns) != len(tops) or len(columns) != a * b:
        raise ValueError(f"{len(tops)} tops are not the tops of {a} times {b} columns")
    for least in range(_HIGHEST):
        heights = tuple([tuple([columns[i, j] - min(columns.values()) + least for j in range(b)]) for i in range(a)])
        seen = faces(heights, projection)
        if len(seen) == len(outlines) and _same(seen, centres):
            return heights
    raise ValueError("the faces are not those of a pile")


def _centre(outline: Sequence[Point], scale: float) -> Point:
    (ax, ay), (bx, by) = outline[0], outline[2]
    return (ax + bx) / 2 / scale, (ay + by) / 2 / scale


def _lattice(place: Point, projection: Projection, most: int) -> tuple[int, int, int]:
    (ax, ay), (bx, by), (_, c) = projection.across
    for i in range(-most, most + 1):
        j = round((place[0] - i * ax) / bx)
        z = round((place[1] - i * ay - j * by) / c)
        x, y = projection.place(i, j, z)
        if max(abs(j), abs(z)) <= most and abs(x - place[0]) < _NEAR and abs(y - place[1]) < _NEAR:
            return i, j, z
    raise ValueError(f"no top is at {place}")


_NEAR = 0.03
"""Tolerance in cube edges: larger than the rounding, smaller than the distance of two lattice squares in the image."""


def _same(seen: Sequence[Face], centres: Sequence[tuple[int, Point]]) -> bool:
    """Whether faces have these axes and, up to one shift, these centres."""
    expected = [(face.axis, _centre(face.corners, 1.0)) for face in seen]
    lowest = [min(places, key=lambda place: (place[0], round(place[1][0], 2), place[1][1]))[1] for places in (expected, centres)]
    dx, dy = lowest[1][0] - lowest[0][0], lowest[1][1] - lowest[0][1]
    return all(
        any(axis == drawn and abs(u - x - dx) < _NEAR and abs(v - y - dy) < _NEAR for drawn, (u, v) in centres) for axis, (x, y) in expected
    )
