"""A square grid on the unit square: rows count from 0 at the top, columns from 0 at the left."""

from __future__ import annotations

from functools import lru_cache

from isovist.core.drawing2d import Line, Point, Shape
from isovist.world.scenes.compass import STEPS

RULE = "#c8ccd0"


def center(row: int, column: int, n: int = 3) -> Point:
    """The centre of a cell, x to the right and y up."""
    return (column + 0.5) / n, 1 - (row + 0.5) / n


def cell_at(point: Point, n: int = 3) -> tuple[int, int]:
    """The row and column of the cell that contains `point`."""
    return min(n - 1, int((1 - point[1]) * n)), min(n - 1, int(point[0] * n))


@lru_cache(maxsize=64)
def neighbours(n: int = 3) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each of the eight directions, all pairs (cell, neighbour in that direction); a cell is row * n + column."""
    return tuple(
        tuple(
            (row * n + column, (row + down) * n + column + right)
            for row in range(n)
            for column in range(n)
            if 0 <= row + down < n and 0 <= column + right < n
        )
        for down, right in STEPS
    )


@lru_cache(maxsize=1024)
def direction_between(cell: int, neighbour: int, n: int = 3) -> int:
    """The direction from a cell to its neighbour. Raises ValueError if the two are not neighbours."""
    for direction, pairs in enumerate(neighbours(n)):
        if (cell, neighbour) in pairs:
            return direction
    raise ValueError(f"Cells {cell} and {neighbour} are not neighbours")


@lru_cache(maxsize=64)
def rules(n: int = 3, width: float = 0.006) -> tuple[Shape, ...]:
    """The lines of the grid, including the frame."""
    edge = width / 2  # the frame is inside the drawing
    places = [edge, *(i / n for i in range(1, n)), 1 - edge]
    across = [Line(((0.0, y), (1.0, y)), width, RULE) for y in places]
    down = [Line(((x, 0.0), (x, 1.0)), width, RULE) for x in places]
    return (*across, *down)
