"""Figures: upright 2-D shapes with common names, and their identification from drawings."""

from __future__ import annotations

from itertools import pairwise

from isovist.core.drawing2d import Circle, Point, Polygon, Shape

_PENTAGON: tuple[Point, ...] = ((0.0, 1.0), (0.9511, 0.309), (0.5878, -0.809), (-0.5878, -0.809), (-0.9511, 0.309))
_NOTCH = 0.45  # radius of a star's inner corners, relative to the outer ones
_ARM, _HALF = 0.945, 0.32  # of a cross

OUTLINES: dict[str, tuple[Point, ...]] = {
    "circle": (),
    "triangle": ((0.0, 1.0), (0.866, -0.5), (-0.866, -0.5)),
    "square": ((0.7071, 0.7071), (0.7071, -0.7071), (-0.7071, -0.7071), (-0.7071, 0.7071)),
    "diamond": ((0.0, 1.0), (0.68, 0.0), (0.0, -1.0), (-0.68, 0.0)),
    "pentagon": _PENTAGON,
    "hexagon": ((1.0, 0.0), (0.5, -0.866), (-0.5, -0.866), (-1.0, 0.0), (-0.5, 0.866), (0.5, 0.866)),
    "star": tuple(
        point
        for outer, inner in zip(_PENTAGON, (*_PENTAGON[3:], *_PENTAGON[:3]), strict=True)
        for point in (outer, (-inner[0] * _NOTCH, -inner[1] * _NOTCH))
    ),
    "cross": (
        (_HALF, _ARM),
        (_HALF, _HALF),
        (_ARM, _HALF),
        (_ARM, -_HALF),
        (_HALF, -_HALF),
        (_HALF, -_ARM),
        (-_HALF, -_ARM),
        (-_HALF, -_HALF),
        (-_ARM, -_HALF),
        (-_ARM, _HALF),
        (-_HALF, _HALF),
        (-_HALF, _ARM),
    ),
}
"""The corners of each figure, clockwise, in a circle of radius 1; a circle has none."""

KINDS = tuple(OUTLINES)
REACH = {
    "circle": 1.0,
    "triangle": 1.3,
    "square": 1.22,
    "diamond": 1.32,
    "pentagon": 1.12,
    "hexagon": 1.08,
    "star": 1.34,
    "cross": 1.22,
}
"""The circumradius of a figure of radius 1, chosen so that figures of one radius look equally large."""


def outline(kind: str, at: Point, reach: float, fill: str) -> Shape:
    """Draw a figure with circumradius `reach`."""
    if kind == "circle":
        return Circle(at, reach, fill)
    x, y = at
    return Polygon(tuple((x + reach * a, y + reach * b) for a, b in OUTLINES[kind]), fill)


def kind_of(drawn: Shape) -> str:
    """The kind of a drawn shape, from its number of corners and, for four, its sides. Raises ValueError if it is not a figure."""
    match drawn:
        case Circle():
            return "circle"
        case Polygon(points=points) if len(points) == 4:
            level = any(abs(a[1] - b[1]) < 1e-6 for a, b in pairwise(points))
            return "square" if level else "diamond"
        case Polygon(points=points) if len(points) in _BY_CORNERS:
            return _BY_CORNERS[len(points)]
        case _:
            raise ValueError(f"not a figure: {drawn}")


_BY_CORNERS = {3: "triangle", 5: "pentagon", 6: "hexagon", 10: "star", 12: "cross"}
