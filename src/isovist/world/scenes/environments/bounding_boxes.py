"""Bounding boxes of geometries, and intersections of rays with the bounding boxes of objects."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import assert_never

from isovist.core.rotation import Matrix, Vector, apply, transposed
from isovist.core.scene3d import Box, Cone, Cylinder, Geometry, Group, MeshRef, Part, Prism, SceneObject, Sphere, Wedge, place, rotation
from isovist.core.summation import sum_in_order
from isovist.world.scenes.furniture_meshes import BOXES
from isovist.world.scenes.mesh_catalog import mesh

Bounds = tuple[Vector, Vector]
"""The lowest and the highest x, y, z."""
Slabs = tuple[tuple[float, float, float, float, float], ...]
"""A box relative to an eye. For each box axis: its unit vector in world coordinates, and the signed distances from the eye to both sides."""


_known: dict[int, tuple[Group, Bounds]] = {}
_MOST_KNOWN = 4096
_ONE = (1.0, 1.0, 1.0)


def bounds(form: Geometry) -> Bounds:
    """The bounding box of a geometry in local coordinates, before scaling, in metres. Raises KeyError for a mesh that is not in the pack."""
    if not isinstance(form, Group):
        return _bounds(form)
    # cached by identity: hashing all parts of a group takes longer than computing its box
    known = _known.get(id(form))
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(form)] = form, _bounds(form)  # the reference keeps the id unique
    return known[1]


def _bounds(form: Geometry) -> Bounds:
    match form:
        case Box() | Wedge():
            return _standing(form.size)
        case Cylinder() | Cone():
            radius = max(form.radius, form.tip if isinstance(form, Cone) else 0.0)
            return _standing((2 * radius, form.height, 2 * radius))
        case Sphere():
            return _standing((2 * form.radius, 2 * form.radius, 2 * form.radius))
        case Prism():
            xs, zs = zip(*form.outline, strict=True)
            return (min(xs), 0.0, min(zs)), (max(xs), form.height, max(zs))
        case MeshRef():
            return BOXES[form.name] if form.name in BOXES else _standing(mesh(form.name).size)
        case Group():
            points = [point for part in form.parts for point in _corners_of(part)]
            return tuple(min(axis) for axis in zip(*points, strict=True)), tuple(max(axis) for axis in zip(*points, strict=True))  # pyright: ignore[reportReturnType] - three axes
        case _:
            assert_never(form)


def _standing(size: Vector) -> Bounds:
    width, height, depth = size
    return (-width / 2, 0.0, -depth / 2), (width / 2, height, depth / 2)


def corners(box: Bounds) -> tuple[Vector, ...]:
    """The eight corners of a box."""
    low, high = box
    return tuple((x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2]))


def _corners_of(part: Part) -> list[Vector]:
    low, high = bounds(part.geometry)
    x, y, z = part.pose.position
    if part.scale != _ONE:
        low, high = _times(low, part.scale), _times(high, part.scale)
    if not (part.pose.yaw or part.pose.pitch or part.pose.roll):
        return [(low[0] + x, low[1] + y, low[2] + z), (high[0] + x, high[1] + y, high[2] + z)]
    at = SceneObject(part.geometry, part.pose)
    return [place(at, corner) for corner in corners((low, high))]


def _times(a: Vector, b: Vector) -> Vector:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def standing_corners(solid: SceneObject) -> tuple[Vector, ...]:
    """The eight corners of the bounding box of an object in world coordinates."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = rotation(solid.pose)
    (x, y, z), (px, py, pz), scale = solid.pose.position, solid.pivot, solid.scale
    (u0, v0, w0), (u1, v1, w1) = bounds(solid.geometry)
    us, vs, ws = (scale * (u0 - px), scale * (u1 - px)), (scale * (v0 - py), scale * (v1 - py)), (scale * (w0 - pz), scale * (w1 - pz))
    # `place` for each corner, inlined for speed: one environment needs thousands of calls
    return tuple([
        (ax * u + ay * v + az * w + x, bx * u + by * v + bz * w + y, cx * u + cy * v + cz * w + z) for u in us for v in vs for w in ws
    ])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Standing:
    """The bounding box of an object for rays from an eye: `eye` in box coordinates, `back` the rotation from world to box coordinates, and
    `low` and `high` the box in its coordinates, in metres.
    """

    eye: Vector
    back: Matrix
    low: Vector
    high: Vector

    @property
    def near(self) -> float:
        """Distance in metres from the eye to the nearest point of the box; 0 inside the box."""
        return sqrt(sum_in_order(max(a - e, e - b, 0.0) ** 2 for e, a, b in zip(self.eye, self.low, self.high, strict=True)))

    @property
    def far(self) -> float:
        """Distance in metres from the eye to the farthest point of the box."""
        return sqrt(sum_in_order(max(abs(a - e), abs(b - e)) ** 2 for e, a, b in zip(self.eye, self.low, self.high, strict=True)))

    @property
    def slabs(self) -> Slabs:
        """The box in the form for `meets`."""
        return tuple((*row, a - e, b - e) for row, e, a, b in zip(self.back, self.eye, self.low, self.high, strict=True))

    def meets(self, direction: Vector) -> float | None:
        """Distance in metres from the eye to the entry point of a ray into the box; None without intersection, 0 from inside."""
        return meets(self.slabs, direction)


def meets(slabs: Slabs, direction: Vector) -> float | None:
    """`Standing.meets` with precomputed slabs, for many rays to one box."""
    x, y, z = direction
    near, far = 0.0, inf
    for a, b, c, least, most in slabs:  # the innermost loop of the generation of environments
        step = a * x + b * y + c * z
        if -1e-12 < step < 1e-12:
            if least > 0.0 or most < 0.0:
                return None
            continue
        enters, leaves = least / step, most / step
        if enters > leaves:
            enters, leaves = leaves, enters
        if enters > near:  # noqa: PLR1730 - a call of `max` doubles the time
            near = enters
        if leaves < far:  # noqa: PLR1730
            far = leaves
        if near > far:
            return None
    return near


def standing(solid: SceneObject, eye: Vector) -> Standing:
    """The bounding box of an object for rays from an eye."""
    back = transposed(rotation(solid.pose))
    local_eye = apply(back, (eye[0] - solid.pose.position[0], eye[1] - solid.pose.position[1], eye[2] - solid.pose.position[2]))
    # the pivot, not the origin of the geometry, is at the position of the pose
    low, high = (_times(_less(end, solid.pivot), (solid.scale, solid.scale, solid.scale)) for end in bounds(solid.geometry))
    return Standing(local_eye, back, low, high)


def _less(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
