"""Orthographic drawings of solids: projections with exact coefficients, the tones of faces, and shapes on a page.

World frame: right-handed, x and y on the ground, z up. The eye is infinitely far away; in the image, x points down and left, y down
and right, and z up. So the faces toward the eye are those toward +x, on the left in the image, those toward +y, on the right, and the tops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isovist.core.drawing2d import INK, Point, Polygon

Vector = tuple[float, float, float]
TONES = ("#c3ccd6", "#8e9cab", "#f4f6f8")
"""The fills of faces toward +x, +y and +z."""
EDGE = 0.0045
"""Width of an edge, in units of the page."""


@dataclass(frozen=True, slots=True)
class Projection:
    """`across`: the directions of the axes x, y and z in the image, y up; `toward`: the direction toward the eye, all components positive."""

    across: tuple[Point, Point, Point]
    toward: Vector

    def place(self, x: float, y: float, z: float) -> Point:
        """The image position of a point."""
        (ax, ay), (bx, by), (_, cy) = self.across
        return x * ax + y * bx, x * ay + y * by + z * cy


def _projection(azimuth: tuple[int, int, int], elevation: tuple[int, int, int]) -> Projection:
    """The projection whose angles are those of Pythagorean triples (opposite, adjacent, hypotenuse): no libm, equal on all machines."""
    s, c = azimuth[0] / azimuth[2], azimuth[1] / azimuth[2]
    up, level = elevation[0] / elevation[2], elevation[1] / elevation[2]
    return Projection(((-c, -up * s), (s, -up * c), (0.0, level)), (level * s, level * c, up))


STEEP = _projection((3, 4, 5), (4, 3, 5))
"""From 53 degrees above the ground: a cube hides 0.45 and 0.6 of the top behind it that is one cube lower."""
EVEN = _projection((20, 21, 29), (3, 4, 5))
"""From 37 degrees above the ground: the three faces of a cube look about equally large."""


def box_of(outlines: Iterable[Sequence[Point]]) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of the bounding rectangle of outlines."""
    points = [point for outline in outlines for point in outline]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def on_page(outline: Sequence[Point], scale: float, at: Point) -> tuple[Point, ...]:
    """An outline on a page: scaled, with its origin at a point of the page."""
    return tuple([(round(at[0] + x * scale, 5), round(at[1] + y * scale, 5)) for x, y in outline])


def face(corners: Sequence[Point], axis: int, scale: float, at: Point) -> Polygon:
    """A face of a solid toward an axis."""
    return Polygon(on_page(corners, scale, at), TONES[axis], INK, EDGE)
