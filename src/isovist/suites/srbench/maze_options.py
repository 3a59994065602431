"""The turns of a way through a maze, and the numbers of turns that are offered."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from isovist.core.rng import Rng
from isovist.scenes import maze as blockmaze
from isovist.suites.srbench.maze_common import Maze


def number_options(rng: Rng, counts: Mapping[int, int], n: int, truth: int) -> list[int]:
    """`n` numbers, the right one among them, so that whoever sees them and knows how often each comes can do no better than guess.

    The numbers lie around a circle, each as long as it comes often; a point is drawn in the right one's part, and what lies under `n` points
    evenly apart is offered. No number may come so often that two points fit into its part.
    """
    around = sum(counts.values())
    parts = [number for number, count in counts.items() for _ in range(count * n)]
    point = rng.pick([at for at, number in enumerate(parts) if number == truth])
    return [parts[(point + k * around) % len(parts)] for k in range(n)]


def headings(maze: Maze) -> list[int]:
    """Of each step of the way, an index of `scenes.maze.STEPS`."""
    return [blockmaze.STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(maze.path)]


def turn_counts(maze: Maze) -> tuple[int, int]:
    """Right turns and all turns of the way."""
    changes = [(b - a) % 4 for a, b in pairwise(headings(maze))]
    return changes.count(1), len(changes) - changes.count(0)
