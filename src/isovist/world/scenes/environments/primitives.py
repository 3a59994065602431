"""Functions for the parts of built objects, each with its origin on its lower face, and for mixed colours."""

from __future__ import annotations

from isovist.core.rotation import Vector
from isovist.core.scene3d import Box, Cone, Group, Part, Pose, Texture


def block(size: Vector, at: Vector, colour: str | None = None, texture: Texture | None = None) -> Part:
    """A box with `size` (width, height, depth) in metres."""
    return Part(Box(rounded(size)), Pose(rounded(at)), colour=colour, texture=texture)


def taper(
    radius: float, tip: float, height: float, at: Vector = (0.0, 0.0, 0.0), colour: str | None = None, sides: int = 16,
    texture: Texture | None = None,
) -> Part:  # fmt: skip
    """A truncated cone with the upper radius `tip`."""
    return Part(Cone(round(radius, 3), round(height, 3), round(tip, 3), sides), Pose(rounded(at)), colour=colour, texture=texture)


def group(*parts: Part) -> Group:
    return Group(parts)


def rounded(vector: Vector) -> Vector:
    """Round to millimetres."""
    return round(vector[0], 3), round(vector[1], 3), round(vector[2], 3)


def mixed(a: str, b: str, share: float) -> str:
    """The linear mixture of two colours: `a` for a share of 0, `b` for 1."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)
