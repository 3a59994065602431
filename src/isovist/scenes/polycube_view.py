"""Polycubes seen from afar: the fixed viewing direction, turned bodies, what hides what, and the faces to paint.

World frame: right-handed, x and y on the ground, z up, one unit = a cube's edge. The eye is infinitely far away in the
direction `TOWARD`, so the projection is orthographic: x, y and z run down to the left, down to the right and up in the
picture. Turns are degrees, counterclockwise when one looks against the axis, about the fixed axes x, then y, then z.
Sines and cosines are tabulated, so that all machines see the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product

from isovist.core.drawing2d import Point
from isovist.scenes.polycube import Body, Cell

Angles = tuple[int, int, int]
Vector = tuple[float, float, float]

RIGHT: Vector = (-45 / 53, 28 / 53, 0.0)
UP: Vector = (-784 / 2809, -1260 / 2809, 2385 / 2809)
TOWARD: Vector = (1260 / 2809, 2025 / 2809, 1484 / 2809)
"""Right and up in the picture, and toward the eye, 32 degrees above the ground: exact, from the triangle 28-45-53. Of such
directions it is the one from which most turns by 60, 90 and 120 degrees are `clear`.
"""

_HALF_ROOT_3 = 0.8660254037844386
_SIN_COS: dict[int, tuple[float, float]] = {
    0: (0.0, 1.0),
    60: (_HALF_ROOT_3, 0.5),
    90: (1.0, 0.0),
    120: (_HALF_ROOT_3, -0.5),
    180: (0.0, -1.0),
    270: (-1.0, 0.0),
}
_RAYS = 6  # a face is tested at 6 x 6 points
_SPREAD = (0.1, 0.3, 0.5, 0.7, 0.9)  # points along a face's side that are closer than the squares of a grid
_POINTS = tuple((2 * i + 1) / (2 * _RAYS) - 0.5 for i in range(_RAYS))


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned(vector: Vector, angles: Angles) -> Vector:
    """A vector after the turns about x, y and z."""
    x, y, z = vector
    (sx, cx), (sy, cy), (sz, cz) = (_SIN_COS[angle] for angle in angles)
    y, z = cx * y - sx * z, sx * y + cx * z
    x, z = cy * x + sy * z, cy * z - sy * x
    return cz * x - sz * y, sz * x + cz * y, z


def cosine(angles: Angles) -> float:
    """The cosine of the one angle by which the turns together rotate."""
    trace = sum(turned(axis, angles)[i] for i, axis in enumerate(_AXES))
    return max(-1.0, min(1.0, (trace - 1) / 2))


_AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Face:
    """A square of a cube that faces the eye: the axis of the body that it is perpendicular to, the cube's cell, and its
    corners in the picture, in edges of a cube.
    """

    axis: int
    cell: Cell
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class View:
    """How a body is seen after turns by `angles`. For each of the body's axes: its direction in the picture, how much of it comes
    toward the eye, and its direction in the world.
    """

    angles: Angles
    across: tuple[Point, Point, Point]
    toward: Vector
    world: tuple[Vector, Vector, Vector]
    _hides: dict[Cell, tuple[int, int, int]] = field(default_factory=dict[Cell, tuple[int, int, int]], repr=False, compare=False)

    @cached_property
    def signs(self) -> Cell:
        """For each axis whether it runs toward the eye or away from it."""
        a, b, c = self.toward
        return (1 if a > 0 else -1), (1 if b > 0 else -1), (1 if c > 0 else -1)

    def place(self, x: float, y: float, z: float) -> Point:
        """Where a point of the body lies in the picture, in edges of a cube."""
        (ax, ay), (bx, by), (cx, cy) = self.across
        return x * ax + y * bx + z * cx, x * ay + y * by + z * cy

    def back_to_front(self, shape: Body) -> list[Cell]:
        """Cells so that none is painted over by one behind it: a cube in front of another lies toward the eye along no
        axis less than that one.
        """
        a, b, c = self.signs
        return sorted(shape, key=lambda cell: (a * cell[0], b * cell[1], c * cell[2]))

    def faces(self, shape: Body) -> list[Face]:
        """The faces toward the eye that no neighbour touches, in painting order."""
        cells = frozenset(shape)
        signs = self.signs
        faces: list[Face] = []
        for cell in self.back_to_front(shape):
            x, y, z = cell
            px, py = self.place(x, y, z)
            for axis, ahead in enumerate(((x + signs[0], y, z), (x, y + signs[1], z), (x, y, z + signs[2]))):
                if ahead not in cells:
                    (ax, ay), (bx, by), (cx, cy), (dx, dy) = self._squares[axis]
                    corners = ((px + ax, py + ay), (px + bx, py + by), (px + cx, py + cy), (px + dx, py + dy))
                    faces.append(Face(axis, cell, corners))
        return faces

    @cached_property
    def _squares(self) -> list[tuple[Point, Point, Point, Point]]:
        """For each axis, the corners of the face toward the eye of the cube at the origin."""
        squares: list[tuple[Point, Point, Point, Point]] = []
        for axis in range(3):
            at = [0, 0, 0]
            at[axis] = int(self.signs[axis] > 0)
            x, y = self.place(*at)
            (px, py), (qx, qy) = (self.across[other] for other in range(3) if other != axis)
            squares.append(((x, y), (x + px, y + py), (x + px + qx, y + py + qy), (x + qx, y + qy)))
        return squares

    def seen(self, shape: Body) -> Iterator[tuple[float, float, float]]:
        """For each cube, and each axis, the share of its face toward the eye that no cube hides (0 where one touches it)."""
        a, b, c = self.signs
        for x, y, z in shape:
            hides_x = hides_y = hides_z = 0
            for u, v, w in shape:
                dx, dy, dz = u - x, v - y, w - z
                if a * dx >= 0 and b * dy >= 0 and c * dz >= 0 and (dx or dy or dz):  # else it is not in front
                    masks = self._hides.get((dx, dy, dz)) or self._masks((dx, dy, dz))
                    hides_x |= masks[0]
                    hides_y |= masks[1]
                    hides_z |= masks[2]
            yield 1 - hides_x.bit_count() / _RAYS**2, 1 - hides_y.bit_count() / _RAYS**2, 1 - hides_z.bit_count() / _RAYS**2

    def shows(self, shape: Body, share: float) -> bool:
        """Whether every cube shows at least this share of its outline."""
        a, b, c = (abs(v) for v in self.toward)
        least = share * (a + b + c)
        return all(x * a + y * b + z * c >= least for x, y, z in self.seen(shape))

    def _masks(self, cell: Cell) -> tuple[int, int, int]:
        """For each axis, which points of a cube's face toward the eye are hidden by the cube that lies at `cell` from it, as bits."""
        x, y = self.place(*cell)
        masks = [0, 0, 0]
        if x * x + y * y < 3:
            for axis in range(3):
                for bit, (p, q) in enumerate(product(_POINTS, repeat=2)):
                    point = [p, q]
                    point.insert(axis, self.signs[axis] / 2)
                    masks[axis] |= self._meets(point, cell) << bit
        self._hides[cell] = masks[0], masks[1], masks[2]
        return self._hides[cell]

    def _meets(self, point: list[float], cell: Cell) -> bool:
        """Whether the ray from a point toward the eye enters the cube around a cell's centre."""
        enters, leaves = 0.0, float("inf")
        for at, middle, slope in zip(point, cell, self.toward, strict=True):
            ends = sorted(((middle - 0.5 - at) / slope, (middle + 0.5 - at) / slope))
            enters, leaves = max(enters, ends[0]), min(leaves, ends[1])
        return enters < leaves


@lru_cache(maxsize=256)
def view(angles: Angles) -> View:
    """How a body is seen after the turns."""
    world = tuple(turned(axis, angles) for axis in _AXES)
    x, y, z = world[0], world[1], world[2]
    across = tuple((_dot(RIGHT, axis), _dot(UP, axis)) for axis in (x, y, z))
    return View(angles, (across[0], across[1], across[2]), (_dot(TOWARD, x), _dot(TOWARD, y), _dot(TOWARD, z)), (x, y, z))


def clear(angles: Angles, least_facing: float, least_apart: float, reach: int) -> bool:
    """Whether a turn shows every kind of face at a slant of at least `least_facing` (1 is face to face), and no two places
    of the lattice up to `reach` apart along each axis less than `least_apart` edges from each other in the picture: then
    where a face is drawn tells how deep it lies.
    """
    seen = view(angles)
    if min(abs(v) for v in seen.toward) < least_facing:
        return False
    steps = range(-reach, reach + 1)
    gaps = (seen.place(x, y, z) for x, y, z in product(steps, repeat=3) if x or y or z)
    return all(x * x + y * y >= least_apart * least_apart for x, y in gaps)


@dataclass(frozen=True)
class Picture:
    """A body in a view."""

    view: View
    body: Body

    @cached_property
    def faces(self) -> list[Face]:
        """What is painted, in painting order."""
        return self.view.faces(self.body)

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top, in edges of a cube."""
        xs = [x for face in self.faces for x, _ in face.corners]
        ys = [y for face in self.faces for _, y in face.corners]
        return min(xs), min(ys), max(xs), max(ys)

    @cached_property
    def _middles(self) -> tuple[list[Point], list[Point], list[Point]]:
        """For each axis, the centres of the faces across it, from the middle of the box."""
        left, bottom, right, top = self.box
        middles: tuple[list[Point], list[Point], list[Point]] = ([], [], [])
        for face in self.faces:
            (x, y), _, (u, v), _ = face.corners
            middles[face.axis].append(((x + u - left - right) / 2, (y + v - bottom - top) / 2))
        return middles

    @cached_property
    def _ink(self) -> frozenset[tuple[int, int]]:
        """The squares of a grid, a quarter of an edge wide, that are painted, from the middle of the box."""
        left, bottom, right, top = self.box
        x0, y0 = (left + right) / 2, (bottom + top) / 2
        cells: set[tuple[int, int]] = set()
        for face in self.faces:
            (ax, ay), (bx, by), _, (dx, dy) = face.corners
            for p, q in product(_SPREAD, repeat=2):
                x, y = ax + p * (bx - ax) + q * (dx - ax) - x0, ay + p * (by - ay) + q * (dy - ay) - y0
                cells.add((round(4 * x), round(4 * y)))
        return frozenset(cells)

    def outline_shared(self, other: Picture) -> float:
        """The share of what either picture paints that both paint when the boxes around them are laid on each other."""
        return len(self._ink & other._ink) / len(self._ink | other._ink)

    def alike(self, other: Picture, near: float) -> float:
        """The share of faces that two pictures have in common when the boxes around them are laid on each other: faces
        of one slant whose centres are nearer than `near` edges along both axes of the picture.
        """
        common = 0
        for i, j in _slants_in_common(self.view.angles, other.view.angles, near):
            places = other._middles[j]
            common += sum(any(abs(x - u) < near and abs(y - v) < near for u, v in places) for x, y in self._middles[i])
        return common / max(len(self.faces), len(other.faces))


@lru_cache(maxsize=4096)
def _slants_in_common(first: Angles, second: Angles, near: float) -> tuple[tuple[int, int], ...]:
    """Which axes of two views are so that faces across one look like faces across the other: their edges are the same."""
    a, b = view(first).across, view(second).across

    def same(i: int, j: int) -> bool:
        return all(any(_parallel(a[k], b[m], near) for m in range(3) if m != j) for k in range(3) if k != i)

    return tuple((i, j) for i in range(3) for j in range(3) if same(i, j))


def _parallel(p: Point, q: Point, near: float) -> bool:
    """Whether two edges look the same, whichever way they run."""
    return any(abs(p[0] - s * q[0]) < near and abs(p[1] - s * q[1]) < near for s in (1, -1))
