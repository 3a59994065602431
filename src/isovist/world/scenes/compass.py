"""The eight directions of an image and of a compass.

A direction is an index 0-7 in steps of 45 degrees **clockwise**. Image directions: 0 is up, 2 right, 4 down, 6 left. Compass
directions: 0 is North, 2 East, 4 South, 6 West.
"""

from __future__ import annotations

from isovist.core.drawing2d import Point

IMAGE_DIRECTIONS = ("up", "upper right", "right", "lower right", "down", "lower left", "left", "upper left")
TOWARD = tuple(f"toward the {name} of the image" for name in ("top", *IMAGE_DIRECTIONS[1:4], "bottom", *IMAGE_DIRECTIONS[5:]))
"""Image directions as phrases: "points {...}"."""
COMPASS_DIRECTIONS = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")

# The fixed order of the options in the paper (CDR, Table I).
PAPER_SPATIAL = ("down", "left", "lower left", "lower right", "right", "up", "upper left", "upper right")
PAPER_COMPASS = ("East", "West", "South", "North", "Northeast", "Northwest", "Southeast", "Southwest")

STEPS: tuple[tuple[int, int], ...] = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""The grid step of each direction: rows down, columns to the right."""


def opposite(direction: int) -> int:
    """Return the direction at 180 degrees."""
    return (direction + 4) % 8


def bearing(origin: Point, target: Point) -> int:
    """Return the direction of `target` from `origin` (x right, y up), the nearest of eight.

    The comparison of coordinates does not depend on how a platform rounds an arc tangent. Raises ValueError if the two
    points are the same.
    """
    dx, dy = target[0] - origin[0], target[1] - origin[1]
    if dx == dy == 0:
        raise ValueError("Origin and target are the same point")
    half = 0.41421356237309503  # the tangent of 22.5 degrees: a sector is 45 degrees wide
    vertical = 0 if abs(dy) < half * abs(dx) else (1 if dy > 0 else -1)
    horizontal = 0 if abs(dx) < half * abs(dy) else (1 if dx > 0 else -1)
    return STEPS.index((-vertical, horizontal))
