"""Sampling of the mazes of navigation tasks.

The length of the path, the distance from start to exit and the number of free blocks are sampled first. A path with the required turns is
then sampled to match them, so that these quantities give no information about the answer. Paths with more turns have more even numbers of
blocks in rows and columns; paths are accepted with a probability that makes this profile equally distributed for all numbers of turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.maze_common import Maze, Sheet
from isovist.world.scenes import maze as blockmaze
from isovist.world.scenes.maze import Block, PathConstraints

_GROWN = 60  # mazes grown around a path
_TRIES = 60  # searches for a path with one length and end
_PATHS = 12  # paths before everything is sampled again


@dataclass(frozen=True, slots=True)
class Reach:
    """Quantities that are sampled before the turns and are independent of them."""

    steps: int  # of the path
    apart: int  # differences in rows and columns between start and exit, summed
    free: int  # free blocks of the maze


TurnCounts = tuple[int, int]
"""The numbers of right turns and left turns of a path."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Paths with the same heading of the last step relative to the first: right minus left turns is the same modulo four.

    The two ends of a path reveal this class. Therefore the lengths and the options depend on the class alone: every `Reach` occurs with
    all turn counts of the class, and the numbers of turns are all even or all odd.
    """

    turned: tuple[TurnCounts, ...]  # repeated by frequency
    straight: tuple[Reach, ...]  # start and exit in one row or column
    diagonal: tuple[Reach, ...]

    @property
    def totals(self) -> set[int]:
        """The numbers of all turns."""
        return {right + left for right, left in self.turned}

    def counts(self, *, rights_only: bool) -> dict[int, int]:
        """Return the frequency of each number of right turns, or of all turns."""
        return dict(sorted(Counter(right if rights_only else right + left for right, left in self.turned).items()))


@dataclass(frozen=True, slots=True)
class Profile:
    """The distribution of the profile of random paths: about normal, with a mean for each number of turns, from the smallest one.

    The profile sums over rows and columns: the squared number of blocks of the path, plus 4 if there is any, plus 7 if there are two. Of
    all such sums, it predicts the turns best.
    """

    fewest: int
    means: tuple[float, ...]
    deviation: float

    def acceptance(self, path: Sequence[Block], ends: Ends) -> float:
        """Return the probability to accept a path, so that accepted paths of all numbers of turns of `ends` have the same profile."""
        lines = Counter((axis, block[axis]) for block in path for axis in (0, 1))
        value = sum(number * number + 4 + 7 * (number == 2) for number in lines.values())
        turns = blockmaze.count_turns(path)
        offsets = {total: (value - self.means[total - self.fewest]) / self.deviation for total in ends.totals}
        return exp(min(offsets[turns] ** 2 - offset**2 for offset in offsets.values()) / 2)


@dataclass(frozen=True, slots=True)
class Size:
    """The design of mazes of one size."""

    side: int
    corners: int  # of the outline: otherwise more turns would give more corners and a larger file
    profile: Profile
    ends: tuple[Ends, ...]  # equally frequent

    @property
    def cells(self) -> tuple[tuple[Ends, int], ...]:
        """The pairs of a class of ends and the index of one of its turn counts, equally frequent."""
        return tuple((ends, nth) for ends in self.ends for nth in range(len(ends.turned)))


def _ends(fewest: int, straight: tuple[Reach, ...], diagonal: tuple[Reach, ...]) -> tuple[Ends, ...]:
    """Return the four classes of ends, with four even and four odd numbers of turns, equally frequent."""
    even, odd = (range(first, first + 8, 2) for first in (fewest + fewest % 2, fewest + 1 - fewest % 2))
    *smaller, largest = even
    # the largest number of turns, half of them to the right, does not fit
    same = [(turns, more) for turns in smaller for more in (0, 0, 4, -4)] + [(largest, more) for more in (4, 4, -4, -4)]
    kinds = (
        same,
        [(turns, more) for turns in odd for more in (1, 1, -3, -3)],
        [(turns, more) for turns in even for more in (2, 2, -2, -2)],
        [(turns, more) for turns in odd for more in (-1, -1, 3, 3)],
    )
    return tuple(Ends(tuple(((turns + more) // 2, (turns - more) // 2) for turns, more in kind), straight, diagonal) for kind in kinds)


OPTIONS = 4
SIZES = (
    Size(13, 74, Profile(15, (488.5, 481.6, 475.3, 469.5, 464.3, 459.6, 455.4, 451.9), 21.7), _ends(15, (Reach(38, 4, 62), Reach(38, 6, 62)), (Reach(38, 6, 62), Reach(38, 8, 62)))),
    Size(15, 106, Profile(15, (527.4, 520.5, 514.0, 507.9, 502.3, 497.1, 492.3, 487.9), 25.1), _ends(15, (Reach(40, 6, 90), Reach(40, 8, 90)), (Reach(40, 8, 90), Reach(40, 10, 90)))),
    Size(19, 176, Profile(21, (824.0, 814.7, 806.2, 798.5, 791.5, 785.4, 780.0, 775.4), 42.2), _ends(21, (Reach(58, 8, 150), Reach(58, 10, 150)), (Reach(58, 10, 150), Reach(58, 12, 150)))),
)  # fmt: skip

UNMARKED = "-unmarked"
LEVELS = {f"{size.side}x{size.side}{more}": size for more in ("", UNMARKED) for size in SIZES}


def drawn_sheet(plan: SamplingContext) -> Sheet:
    """Return the maze of an index: the same for all three tasks and in all forms."""
    rng, size = plan.image_rng, LEVELS[plan.level]
    ends, nth = size.cells[plan.image_stratum("turns", len(size.cells))]
    toward = plan.image_stratum("direction", 8)
    reaches = ends.diagonal if toward % 2 else ends.straight
    # a stratum rather than a random draw: a path that is hard to find must not become rare
    reach = reaches[plan.image_stratum("reach", len(reaches))]
    constraints = PathConstraints(reach.steps, *ends.turned[nth], toward, reach.apart)
    paths = (blockmaze.random_path(rng, size.side, constraints, _TRIES) for _ in range(_PATHS))
    path = next((path for path in paths if path and rng.chance(size.profile.acceptance(path, ends))), None)
    if path is None:
        raise RejectSample
    plan.check_split(blockmaze.canonical(path))
    grown = (blockmaze.with_branches(rng, size.side, path, reach.free) for _ in range(_GROWN))
    for free in grown:
        if len(free) == reach.free and blockmaze.count_corners(free) == size.corners:
            maze = Maze(size.side, tuple(path), tuple(sorted(free)))
            return Sheet(maze, not plan.level.endswith(UNMARKED), str(plan.settings["form"]))
    raise RejectSample
