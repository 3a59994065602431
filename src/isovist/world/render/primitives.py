"""Boxes, wedges, cylinders, cones, spheres and prisms as triangles.

Each unit shape fills the box from (-0.5, 0, -0.5) to (0.5, 1, 0.5) and is scaled when it is rendered. Triangles are counterclockwise
seen from outside.
"""

from __future__ import annotations

import numpy as np

from isovist.core.rotation import Vector, cosine, sine, unit
from isovist.core.scene3d import Box, Cone, Cylinder, Prism, Sphere, Wedge
from isovist.world.render.asset_pool import Material, Mesh

Primitive = Box | Wedge | Cylinder | Cone | Sphere | Prism
_Triangle = tuple[Vector, Vector, Vector]
_RINGS = 24  # rings of a sphere from pole to pole
_EDGED = 8  # a cylinder with more sides has smooth shading


def key(form: Primitive) -> tuple[object, ...]:
    """Return the cache key: geometries with equal keys are one unit shape at different scales."""
    if isinstance(form, Cylinder):
        return ("cone", 1.0, form.sides)
    if isinstance(form, Cone):
        return ("cone", form.tip / form.radius, form.sides)
    if isinstance(form, Prism):
        return ("prism", _unit_outline(form))
    return (form.kind,)


def size(form: Primitive) -> Vector:
    """Return width, height and depth."""
    if isinstance(form, (Box, Wedge)):
        return form.size
    if isinstance(form, Sphere):
        return 2 * form.radius, 2 * form.radius, 2 * form.radius
    if isinstance(form, Prism):
        xs, zs = zip(*form.outline, strict=True)
        return max(xs) - min(xs), form.height, max(zs) - min(zs)
    return 2 * form.radius, form.height, 2 * form.radius


def mesh(form: Primitive) -> Mesh:
    """Return the unit shape of a geometry. Raises ValueError for an invalid number of sides."""
    if isinstance(form, Box):
        corners, normals = _flat(_BOX)
    elif isinstance(form, Wedge):
        corners, normals = _flat(_WEDGE)
    elif isinstance(form, Sphere):
        corners, normals = _ball()
    elif isinstance(form, Prism):
        corners, normals = _prism(_unit_outline(form))
    else:
        corners, normals = _cone(1.0 if isinstance(form, Cylinder) else form.tip / form.radius, form.sides)
    n = len(corners)
    return Mesh(
        np.array(corners, np.float32),
        np.array(normals, np.float32),
        np.zeros((n, 3, 2), np.float32),
        np.zeros(n, np.int32),
        (Material((1.0, 1.0, 1.0)),),
    )


def _corner(name: str) -> Vector:
    """Return a corner of the unit box: ``"lbf"`` is left bottom front; left is -x, front is +z."""
    return -0.5 if name[0] == "l" else 0.5, 0.0 if name[1] == "b" else 1.0, 0.5 if name[2] == "f" else -0.5


_BOX = ("lbf rbf rtf ltf", "rbk lbk ltk rtk", "rbf rbk rtk rtf", "lbk lbf ltf ltk", "ltf rtf rtk ltk", "lbk rbk rbf lbf")
_WEDGE = ("lbf rbf rtk ltk", "rbk lbk ltk rtk", "rbf rbk rtk", "lbk lbf ltk", "lbk rbk rbf lbf")


def _flat(faces: tuple[str, ...]) -> tuple[list[_Triangle], list[_Triangle]]:
    corners: list[_Triangle] = []
    normals: list[_Triangle] = []
    for face in faces:
        points = [_corner(name) for name in face.split()]
        a, b, c = points[:3]
        u, v = np.subtract(b, a), np.subtract(c, a)
        x, y, z = np.cross(u, v)
        normal = unit((float(x), float(y), float(z)))
        for i in range(1, len(points) - 1):
            corners.append((points[0], points[i], points[i + 1]))
            normals.append((normal, normal, normal))
    return corners, normals


def _cone(tip: float, sides: int) -> tuple[list[_Triangle], list[_Triangle]]:
    """Return a frustum of radius 0.5 at the bottom and 0.5 * `tip` at the top."""
    if sides < 3 or tip < 0:
        raise ValueError(f"invalid cone: {sides} sides, tip ratio {tip}")
    corners: list[_Triangle] = []
    normals: list[_Triangle] = []
    step = 360.0 / sides
    down, upward = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)

    def rim(k: float, radius: float, y: float) -> Vector:
        # an edge at the front would be visible as a crease: the first side faces it
        angle = (k - 0.5) * step
        return radius * sine(angle), y, radius * cosine(angle)

    for k in range(sides):
        a, b = rim(k, 0.5, 0.0), rim(k + 1, 0.5, 0.0)
        d, c = rim(k, 0.5 * tip, 1.0), rim(k + 1, 0.5 * tip, 1.0)
        middle = unit(rim(k + 0.5, 1.0, 0.5 * (1 - tip)))
        left, right = (unit(rim(k + i, 1.0, 0.5 * (1 - tip))) for i in (0, 1)) if sides > _EDGED else (middle, middle)
        corners.append((a, b, c if tip else (0.0, 1.0, 0.0)))
        normals.append((left, right, right if tip else middle))
        if tip:
            corners.append((a, c, d))
            normals.append((left, right, left))
            corners.append(((0.0, 1.0, 0.0), d, c))
            normals.append((upward, upward, upward))
        corners.append(((0.0, 0.0, 0.0), b, a))
        normals.append((down, down, down))
    return corners, normals


def _unit_outline(form: Prism) -> tuple[tuple[float, float], ...]:
    """Return the outline in a square of side 1, counterclockwise seen from above. Rounded, so that equal shapes of any size are one."""
    width, _, depth = size(form)
    unit_size = tuple((round(x / width, 4), round(z / depth, 4)) for x, z in form.outline)
    turn = sum(a * w - b * z for (a, z), (b, w) in zip(unit_size, (*unit_size[1:], unit_size[0]), strict=True))
    return unit_size if turn < 0 else unit_size[::-1]


def _prism(outline: tuple[tuple[float, float], ...]) -> tuple[list[_Triangle], list[_Triangle]]:
    corners: list[_Triangle] = []
    normals: list[_Triangle] = []
    x, z = (sum(axis) / len(outline) for axis in zip(*outline, strict=True))

    def put(normal: Vector, *points: Vector) -> None:
        corners.append((points[0], points[1], points[2]))
        normals.append((normal, normal, normal))

    for (ax, az), (bx, bz) in zip(outline, (*outline[1:], outline[0]), strict=True):
        put((0.0, 1.0, 0.0), (x, 1.0, z), (ax, 1.0, az), (bx, 1.0, bz))
        put((0.0, -1.0, 0.0), (x, 0.0, z), (bx, 0.0, bz), (ax, 0.0, az))
        outward = unit((az - bz, 0.0, bx - ax))
        put(outward, (ax, 0.0, az), (bx, 0.0, bz), (bx, 1.0, bz))
        put(outward, (ax, 0.0, az), (bx, 1.0, bz), (ax, 1.0, az))
    return corners, normals


def _ball() -> tuple[list[_Triangle], list[_Triangle]]:
    corners: list[_Triangle] = []
    normals: list[_Triangle] = []
    turns = 2 * _RINGS

    def at(ring: int, turn: int) -> Vector:
        high, around = 180.0 * ring / _RINGS, 360.0 * turn / turns
        return sine(high) * sine(around), -cosine(high), sine(high) * cosine(around)

    def put(*points: Vector) -> None:
        a, b, c = ((0.5 * x, 0.5 + 0.5 * y, 0.5 * z) for x, y, z in points)
        corners.append((a, b, c))
        normals.append((points[0], points[1], points[2]))

    for ring in range(_RINGS):
        for k in range(turns):
            a, b, c, d = at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)
            if ring > 0:
                put(a, b, c)
            if ring < _RINGS - 1:
                put(a, c, d)
    return corners, normals
