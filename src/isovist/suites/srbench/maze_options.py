"""The turns of the path through a maze, and the numbers of turns that are options."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from isovist.core.rng import Rng
from isovist.suites.srbench.maze_common import Maze
from isovist.world.scenes import maze as blockmaze


def number_options(rng: Rng, counts: Mapping[int, int], n: int, truth: int) -> list[int]:
    """Return `n` numbers including the correct one, such that the numbers and their frequencies give no information about the key.

    The numbers are arcs of a circle, with lengths proportional to their frequencies (`counts`). A random point in the arc of the correct
    number and `n - 1` further points at equal distances select the options. No arc may be so long that it contains two points.
    """
    spacing = sum(counts.values())
    circle = [number for number, count in counts.items() for _ in range(count * n)]
    point = rng.pick([position for position, number in enumerate(circle) if number == truth])
    return [circle[(point + k * spacing) % len(circle)] for k in range(n)]


def headings(maze: Maze) -> list[int]:
    """Return the heading of each step of the path, as an index in `scenes.maze.STEPS`."""
    return [blockmaze.STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(maze.path)]


def turn_counts(maze: Maze) -> tuple[int, int]:
    """Return the number of right turns and the number of all turns of the path."""
    changes = [(b - a) % 4 for a, b in pairwise(headings(maze))]
    return changes.count(1), len(changes) - changes.count(0)
