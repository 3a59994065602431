"""Short ways to write the pieces of built things: each stands on its lower face."""

from __future__ import annotations

from itertools import pairwise

from isovist.core.rotation import Vector
from isovist.core.scene3d import Box, Cone, Cylinder, Group, Part, Pose, Sphere, Texture, Wedge


def block(
    size: Vector, at: Vector, colour: str | None = None, texture: Texture | None = None, yaw: float = 0.0, pitch: float = 0.0
) -> Part:
    """A box of width, height and depth."""
    return Part(Box(_mm(size)), Pose(_mm(at), yaw, pitch), colour=colour, texture=texture)


def post(radius: float, height: float, at: Vector = (0.0, 0.0, 0.0), colour: str | None = None, sides: int = 12) -> Part:
    """An upright round bar."""
    return Part(Cylinder(round(radius, 3), round(height, 3), sides), Pose(_mm(at)), colour=colour)


def rod(radius: float, length: float, at: Vector, yaw: float, colour: str | None = None, sides: int = 10) -> Part:
    """A level round bar that begins at a place and runs to where the yaw points."""
    return Part(Cylinder(round(radius, 3), round(length, 3), sides), Pose(_mm(at), yaw, 90.0), colour=colour)


def taper(radius: float, tip: float, height: float, at: Vector = (0.0, 0.0, 0.0), colour: str | None = None, sides: int = 16) -> Part:
    """A cone, cut off where it has the radius `tip`."""
    return Part(Cone(round(radius, 3), round(height, 3), round(tip, 3), sides), Pose(_mm(at)), colour=colour)


def ramp(size: Vector, at: Vector, colour: str | None = None, texture: Texture | None = None, yaw: float = 0.0) -> Part:
    """A wedge: low at its front, high at its back."""
    return Part(Wedge(_mm(size)), Pose(_mm(at), yaw), colour=colour, texture=texture)


def ball(radius: float, at: Vector, colour: str | None = None, stretch: Vector = (1.0, 1.0, 1.0)) -> Part:
    return Part(Sphere(round(radius, 3)), Pose(_mm(at)), stretch, colour=colour)


def lump(radius: float, at: Vector, colour: str | None = None, flat: float = 1.0) -> tuple[Part, ...]:
    """Something round of few triangles, `flat` times as high as wide, for what is many or small."""
    x, y, z = at
    rims = ((0.0, 0.5), (0.5, 0.92), (1.0, 1.0), (1.5, 0.86), (1.9, 0.4))  # height and radius, in radii
    return tuple(
        taper(low * radius, high * radius, (top - base) * radius * flat, (x, y + base * radius * flat, z), colour, 12)
        for (base, low), (top, high) in pairwise(rims)
    )


def group(*parts: Part) -> Group:
    return Group(parts)


def _mm(vector: Vector) -> Vector:
    return round(vector[0], 3), round(vector[1], 3), round(vector[2], 3)
