"""Marks: circles, squares and upright triangles of one size, drawn flat and told apart again from what was drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from isovist.core.drawing2d import Circle, Point, Polygon, Shape
from isovist.scenes.palette import HUES

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
"""How far from its centre a mark reaches, in radii."""


def shape(mark: Mark) -> Shape:
    """The mark as a drawn shape."""
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
    """The marks of a sheet so wide, right for left."""
    return tuple(replace(mark, center=(round(width - mark.center[0], 4), mark.center[1])) for mark in marks)


def upside_down(marks: Iterable[Mark], height: float) -> tuple[Mark, ...]:
    """The marks of a sheet so high at the places that a flip top to bottom gives them; each stays upright."""
    return tuple(replace(mark, center=(mark.center[0], round(height - mark.center[1], 4))) for mark in marks)


def kind_of(drawn: Shape) -> str:
    """What a drawn shape is, by its own geometry. Raises ValueError for what is no mark."""
    match drawn:
        case Circle():
            return "circle"
        case Polygon(points=points) if len(points) == 3:
            return "triangle"
        case Polygon(points=points) if len(points) == 4:
            return "square"
        case _:
            raise ValueError(f"no mark: {drawn}")


def middle(drawn: Shape) -> Point:
    """The centre of a disc or the centroid of a polygon's corners. Raises ValueError for what is no mark."""
    match drawn:
        case Circle(center=center):
            return center
        case Polygon(points=points):
            return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
        case _:
            raise ValueError(f"no mark: {drawn}")
