"""The box around a form, and where a ray meets the box around a solid."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from isovist.core.rotation import Vector, apply, transposed
from isovist.core.solid import Ball, Box, Cone, Cylinder, Form, Group, MeshRef, Part, Solid, Wedge, place, rotation
from isovist.kits.meshes import mesh

Bounds = tuple[Vector, Vector]
"""The lowest and the highest x, y, z."""


@lru_cache(maxsize=4096)
def bounds(form: Form) -> Bounds:
    """The box of a form in its own frame, before scaling, in metres. Raises KeyError for a mesh that the pack does not have."""
    match form:
        case Box() | Wedge():
            return _standing(form.size)
        case Cylinder() | Cone():
            radius = max(form.radius, form.tip if isinstance(form, Cone) else 0.0)
            return _standing((2 * radius, form.height, 2 * radius))
        case Ball():
            return _standing((2 * form.radius, 2 * form.radius, 2 * form.radius))
        case MeshRef():
            return _standing(mesh(form.name).size)
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
    low, high = bounds(part.form)
    at = Solid(part.form, part.pose)
    return [place(at, corner) for corner in corners((_times(low, part.stretch), _times(high, part.stretch)))]


def _times(a: Vector, b: Vector) -> Vector:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def standing_corners(solid: Solid) -> tuple[Vector, ...]:
    """The eight corners of the box of a solid, in the world."""
    return tuple(place(solid, corner) for corner in corners(bounds(solid.form)))


@lru_cache(maxsize=4096)
def _own_eye(solid: Solid, eye: Vector) -> tuple[Vector, Bounds]:
    """The eye in the frame of a solid, in metres before scaling and without the pivot's shift, and the solid's box there."""
    back = transposed(rotation(solid.pose))
    own = apply(back, (eye[0] - solid.pose.at[0], eye[1] - solid.pose.at[1], eye[2] - solid.pose.at[2]))
    low, high = bounds(solid.form)
    scaled = tuple(tuple(solid.scale * (value - shift) for value, shift in zip(end, solid.pivot, strict=True)) for end in (low, high))
    return own, scaled  # pyright: ignore[reportReturnType] - three axes


def meets(solid: Solid, eye: Vector, direction: Vector) -> float | None:
    """How far along a unit vector from the eye a ray enters the box of a solid, in metres; None if it passes it by.

    0 if the eye is in the box.
    """
    own, (low, high) = _own_eye(solid, eye)
    ahead = apply(transposed(rotation(solid.pose)), direction)
    near, far = 0.0, float("inf")
    for start, step, least, most in zip(own, ahead, low, high, strict=True):
        if abs(step) < 1e-12:
            if not least <= start <= most:
                return None
            continue
        a, b = (least - start) / step, (most - start) / step
        near, far = max(near, min(a, b)), min(far, max(a, b))
        if near > far:
            return None
    return near
