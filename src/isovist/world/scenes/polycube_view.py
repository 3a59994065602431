"""Orthographic views of polycubes: the fixed viewing direction, rotated bodies, occlusion, and the visible faces.

World frame: right-handed, x and y on the ground, z up, in cube edges. The eye is infinitely far away in the
direction `TOWARD`, so the projection is orthographic: in the image, x points down and left, y down and right, and z up.
Rotations are in degrees, counterclockwise seen from the tip of the axis, about the fixed axes x, then y, then z.
Sines and cosines are tabulated, so that results are equal on all machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product

from isovist.core.drawing2d import Point
from isovist.core.summation import sum_in_order
from isovist.world.scenes.polycube import Body, Cell

Angles = tuple[int, int, int]
Vector = tuple[float, float, float]

RIGHT: Vector = (-45 / 53, 28 / 53, 0.0)
UP: Vector = (-784 / 2809, -1260 / 2809, 2385 / 2809)
TOWARD: Vector = (1260 / 2809, 2025 / 2809, 1484 / 2809)
"""Directions right and up in the image, and toward the eye, 32 degrees above the ground: exact, from the triangle 28-45-53.
Of such directions, most rotations by 60, 90 and 120 degrees are `clear` from this one.
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
_RAYS = 6  # visibility of a face is tested at 6 x 6 points
_SPREAD = (0.1, 0.3, 0.5, 0.7, 0.9)  # sample points along the side of a face, closer than the squares of the grid
_POINTS = tuple((2 * i + 1) / (2 * _RAYS) - 0.5 for i in range(_RAYS))


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned(vector: Vector, angles: Angles) -> Vector:
    """Return a vector after the rotations about x, y and z."""
    x, y, z = vector
    (sx, cx), (sy, cy), (sz, cz) = (_SIN_COS[angle] for angle in angles)
    y, z = cx * y - sx * z, sx * y + cx * z
    x, z = cy * x + sy * z, cy * z - sy * x
    return cz * x - sz * y, sz * x + cz * y, z


def cosine(angles: Angles) -> float:
    """Return the cosine of the angle of the combined rotation."""
    trace = sum_in_order(turned(axis, angles)[i] for i, axis in enumerate(_AXES))
    return max(-1.0, min(1.0, (trace - 1) / 2))


_AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Face:
    """A face toward the eye: the axis of the body perpendicular to it, the cell of its cube, and its corners in the image,
    in cube edges.
    """

    axis: int
    cell: Cell
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class View:
    """The view of a body after rotation by `angles`. For each axis of the body: its direction in the image (`across`), its component
    toward the eye (`toward`), and its direction in the world frame (`world`).
    """

    angles: Angles
    across: tuple[Point, Point, Point]
    toward: Vector
    world: tuple[Vector, Vector, Vector]
    _hides: dict[Cell, tuple[int, int, int]] = field(default_factory=dict[Cell, tuple[int, int, int]], repr=False, compare=False)

    @cached_property
    def signs(self) -> Cell:
        """For each axis, 1 if it points toward the eye, otherwise -1."""
        a, b, c = self.toward
        return (1 if a > 0 else -1), (1 if b > 0 else -1), (1 if c > 0 else -1)

    def place(self, x: float, y: float, z: float) -> Point:
        """Return the image position of a point of the body, in cube edges."""
        (ax, ay), (bx, by), (cx, cy) = self.across
        return x * ax + y * bx + z * cx, x * ay + y * by + z * cy

    def back_to_front(self, shape: Body) -> list[Cell]:
        """Return the cells in painting order: a cube in front of another one is not farther from the eye along any axis."""
        a, b, c = self.signs
        return sorted(shape, key=lambda cell: (a * cell[0], b * cell[1], c * cell[2]))

    def faces(self, shape: Body) -> list[Face]:
        """Return the faces toward the eye without an adjacent cube, in painting order."""
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
        """Yield, for each cube and axis, the visible share of the face toward the eye (0 if another cube is adjacent)."""
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
        """Return whether at least this share of the outline of every cube is visible."""
        a, b, c = (abs(v) for v in self.toward)
        least = share * (a + b + c)
        return all(x * a + y * b + z * c >= least for x, y, z in self.seen(shape))

    def _masks(self, cell: Cell) -> tuple[int, int, int]:
        """Return, for each axis, the points of the face toward the eye occluded by a cube at offset `cell`, as bits."""
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
        """Return whether the ray from a point toward the eye intersects the cube centred at `cell`."""
        enters, leaves = 0.0, float("inf")
        for at, middle, slope in zip(point, cell, self.toward, strict=True):
            ends = sorted(((middle - 0.5 - at) / slope, (middle + 0.5 - at) / slope))
            enters, leaves = max(enters, ends[0]), min(leaves, ends[1])
        return enters < leaves


@lru_cache(maxsize=256)
def view(angles: Angles) -> View:
    """Return the view of a body after rotation by `angles`."""
    world = tuple(turned(axis, angles) for axis in _AXES)
    x, y, z = world[0], world[1], world[2]
    across = tuple((_dot(RIGHT, axis), _dot(UP, axis)) for axis in (x, y, z))
    return View(angles, (across[0], across[1], across[2]), (_dot(TOWARD, x), _dot(TOWARD, y), _dot(TOWARD, z)), (x, y, z))


def clear(angles: Angles, least_facing: float, least_apart: float, reach: int) -> bool:
    """Return whether a rotation gives an unambiguous view.

    The cosine between each face normal and the viewing direction is at least `least_facing`, and lattice positions up to
    `reach` apart along each axis are at least `least_apart` cube edges apart in the image. Then the image position of a
    face determines its depth.
    """
    body_view = view(angles)
    if min(abs(v) for v in body_view.toward) < least_facing:
        return False
    steps = range(-reach, reach + 1)
    gaps = (body_view.place(x, y, z) for x, y, z in product(steps, repeat=3) if x or y or z)
    return all(x * x + y * y >= least_apart * least_apart for x, y in gaps)


@dataclass(frozen=True)
class Picture:
    """A body in a view."""

    view: View
    body: Body

    @cached_property
    def faces(self) -> list[Face]:
        """The visible faces in painting order."""
        return self.view.faces(self.body)

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the bounding rectangle, in cube edges."""
        xs = [x for face in self.faces for x, _ in face.corners]
        ys = [y for face in self.faces for _, y in face.corners]
        return min(xs), min(ys), max(xs), max(ys)

    @cached_property
    def _middles(self) -> tuple[list[Point], list[Point], list[Point]]:
        """For each axis, the centres of the faces perpendicular to it, relative to the centre of `box`."""
        left, bottom, right, top = self.box
        middles: tuple[list[Point], list[Point], list[Point]] = ([], [], [])
        for face in self.faces:
            (x, y), _, (u, v), _ = face.corners
            middles[face.axis].append(((x + u - left - right) / 2, (y + v - bottom - top) / 2))
        return middles

    @cached_property
    def _ink(self) -> frozenset[tuple[int, int]]:
        """The painted squares of a grid with a quarter of an edge per square, relative to the centre of `box`."""
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
        """Return intersection over union of the two painted areas with their bounding rectangles centred on each other."""
        return len(self._ink & other._ink) / len(self._ink | other._ink)

    def alike(self, other: Picture, near: float) -> float:
        """Return the share of common faces with the bounding rectangles centred on each other: faces with the same edges
        whose centres are nearer than `near` cube edges along both axes of the image.
        """
        common = 0
        for i, j in _slants_in_common(self.view.angles, other.view.angles, near):
            places = other._middles[j]
            common += sum(any(abs(x - u) < near and abs(y - v) < near for u, v in places) for x, y in self._middles[i])
        return common / max(len(self.faces), len(other.faces))


@lru_cache(maxsize=2048)
def picture(angles: Angles, body: Body) -> Picture:
    """Return a body in the view after rotation by `angles`. It is kept, because few bodies of seven cubes are suitable."""
    return Picture(view(angles), body)


@lru_cache(maxsize=1 << 14)
def shows(angles: Angles, body: Body, share: float) -> bool:
    """Return whether at least this share of the outline of every cube of a body is visible after rotation by `angles`."""
    return view(angles).shows(body, share)


@lru_cache(maxsize=4096)
def _slants_in_common(first: Angles, second: Angles, near: float) -> tuple[tuple[int, int], ...]:
    """Return the pairs of axes of two views whose perpendicular faces look the same, because their edges are the same."""
    a, b = view(first).across, view(second).across

    def same(i: int, j: int) -> bool:
        return all(any(_parallel(a[k], b[m], near) for m in range(3) if m != j) for k in range(3) if k != i)

    return tuple((i, j) for i in range(3) for j in range(3) if same(i, j))


def _parallel(p: Point, q: Point, near: float) -> bool:
    """Return whether two edges look the same, regardless of their sense."""
    return any(abs(p[0] - s * q[0]) < near and abs(p[1] - s * q[1]) < near for s in (1, -1))
