"""Points and drawn creases."""

from __future__ import annotations

from isovist.core.drawing2d import Line, Point


def mirrored(spot: Point, line: Line) -> Point:
    """Return the mirror image of a point in a drawn line."""
    (ax, ay), (bx, by) = line.points
    ex, ey = bx - ax, by - ay
    along = ((spot[0] - ax) * ex + (spot[1] - ay) * ey) / (ex * ex + ey * ey)
    return 2 * (ax + along * ex) - spot[0], 2 * (ay + along * ey) - spot[1]


def offset(spot: Point, line: Line) -> float:
    """Return a number whose sign gives the side of a drawn line on which a point is."""
    (ax, ay), (bx, by) = line.points
    return (bx - ax) * (spot[1] - ay) - (by - ay) * (spot[0] - ax)


def near(a: Point, b: Point) -> bool:
    """Return whether two points of a drawing coincide."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) < 1e-4
