"""Marks: circles, squares and upright triangles of equal area, drawn in 2-D, and their identification from drawings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from isovist.core.drawing2d import Circle, Point, Polygon, Shape
from isovist.core.summation import sum_in_order
from isovist.world.scenes.palette import HUES

KINDS = ("circle", "triangle", "square")
_HALF = 0.8862  # half the side of a square with the area of a circle of radius 1: sqrt(pi) / 2
_SIDE, _UP, _DOWN = 1.3468, 1.5551, 0.7776  # half the side and the heights of such a triangle, about its centroid


@dataclass(frozen=True, slots=True)
class Mark:
    """A filled mark; `radius` is that of the circle with the same area."""

    shape: str
    center: Point
    radius: float
    colour: str = "black"


REACH = {"circle": 1.0, "square": 2**0.5 * _HALF, "triangle": _UP}
"""The largest distance of a mark's outline from its centre, in radii."""


def shape(mark: Mark) -> Shape:
    """Draw a mark."""
    (x, y), r, fill = mark.center, mark.radius, HUES[mark.colour]
    if mark.shape == "circle":
        return Circle(mark.center, r, fill)
    if mark.shape == "square":
        h = r * _HALF
        return Polygon(((x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h)), fill)
    return Polygon(((x - r * _SIDE, y - r * _DOWN), (x + r * _SIDE, y - r * _DOWN), (x, y + r * _UP)), fill)


def distance(a: Point, b: Point) -> float:
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def mirrored(marks: Iterable[Mark], width: float) -> tuple[Mark, ...]:
    """Mirror the marks of a sheet of this width left to right."""
    return tuple(replace(mark, center=(round(width - mark.center[0], 4), mark.center[1])) for mark in marks)


def upside_down(marks: Iterable[Mark], height: float) -> tuple[Mark, ...]:
    """Mirror the positions of the marks of a sheet of this height top to bottom; each mark stays upright."""
    return tuple(replace(mark, center=(mark.center[0], round(height - mark.center[1], 4))) for mark in marks)


def kind_of(drawn: Shape) -> str:
    """The kind of a drawn shape, from its geometry. Raises ValueError if it is not a mark."""
    match drawn:
        case Circle():
            return "circle"
        case Polygon(points=points) if len(points) == 3:
            return "triangle"
        case Polygon(points=points) if len(points) == 4:
            return "square"
        case _:
            raise ValueError(f"not a mark: {drawn}")


def middle(drawn: Shape) -> Point:
    """The centre of a circle or the centroid of a polygon's corners. Raises ValueError if it is not a mark."""
    match drawn:
        case Circle(center=center):
            return center
        case Polygon(points=points):
            return sum_in_order(x for x, _ in points) / len(points), sum_in_order(y for _, y in points) / len(points)
        case _:
            raise ValueError(f"not a mark: {drawn}")
