"""Sampling of the mazes of navigation tasks.

The length of the path, the distance from start to exit and the number of free blocks are sampled first. A path with the required turns is
then sampled to match them, so that these quantities give no information about the answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import RejectSample, SamplingContext, Split, split_of_layout
from isovist.suites.srbench.maze_common import Maze, Sheet
from isovist.world.scenes import maze as blockmaze
from isovist.world.scenes.maze import PathConstraints

_FEW = 7  # blocks per side: so few mazes exist that independent sampling would repeat them
_GROWN = 4  # mazes grown around a path
_TRIES = 60  # searches for a path with one length and end before everything is sampled again


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

    def counts(self, *, rights_only: bool) -> dict[int, int]:
        """Return the frequency of each number of right turns, or of all turns."""
        return dict(sorted(Counter(right if rights_only else right + left for right, left in self.turned).items()))


@dataclass(frozen=True, slots=True)
class Size:
    """The design of mazes of one size."""

    side: int
    corners: int  # approximate number of corners of the outline: otherwise more turns would give more corners and a larger file
    options: int
    ends: tuple[Ends, ...]  # equally frequent

    @property
    def cells(self) -> tuple[tuple[Ends, int], ...]:
        """The pairs of a class of ends and the index of one of its turn counts, equally frequent."""
        return tuple((ends, nth) for ends in self.ends for nth in range(len(ends.turned)))


def _ends(
    fewest: int, straight: tuple[Reach, ...], diagonal: tuple[Reach, ...], ahead: tuple[tuple[Reach, ...], tuple[Reach, ...]] | None = None
) -> tuple[Ends, ...]:
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
    reaches = [ahead or (straight, diagonal), *[(straight, diagonal)] * 3]
    return tuple(
        Ends(tuple(((turns + more) // 2, (turns - more) // 2) for turns, more in kind), *reach)
        for kind, reach in zip(kinds, reaches, strict=True)
    )


_BACK = ((0, 2), (2, 0), (1, 3), (3, 1), (2, 4), (4, 2))
_ASIDE = ((0, 3), (0, 3), (1, 4), (3, 2), (2, 5), (2, 5))
SIZES = (
    Size(
        7, 16, 3,
        (
            Ends(_BACK * 2, (Reach(10, 4, 13), Reach(10, 4, 14), Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(9, 5, 13), Reach(9, 5, 14), Reach(10, 6, 13), Reach(10, 6, 14))),
            Ends(_ASIDE, (Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(11, 5, 13), Reach(11, 5, 14))),
            Ends(tuple((left, right) for right, left in _ASIDE), (Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(11, 5, 13), Reach(11, 5, 14))),
        ),
    ),
    Size(9, 30, 4, _ends(3, (Reach(14, 4, 26), Reach(16, 4, 26)), (Reach(14, 6, 26),), ((Reach(16, 4, 26),), (Reach(16, 6, 26),)))),
    Size(11, 48, 4, _ends(5, (Reach(22, 4, 44), Reach(24, 4, 44)), (Reach(22, 8, 44), Reach(24, 8, 44)))),
    Size(15, 98, 4, _ends(9, (Reach(38, 6, 90), Reach(38, 8, 90)), (Reach(36, 10, 90), Reach(38, 12, 90), Reach(38, 10, 90)))),
)  # fmt: skip

UNMARKED = "-unmarked"
LEVELS = {f"{size.side}x{size.side}{more}": size for more in ("", UNMARKED) for size in SIZES}


def drawn_sheet(plan: SamplingContext) -> Sheet:
    """Return the maze of an index: the same for all three tasks and in all forms. Small mazes are sampled without replacement."""
    size = LEVELS[plan.level]
    ends, nth = size.cells[plan.image_stratum("turns", len(size.cells))]
    toward = plan.image_stratum("direction", 8)
    reaches = ends.diagonal if toward % 2 else ends.straight
    # a stratum rather than a random draw: a path that is hard to find must not become rare
    reach_index = plan.image_stratum("reach", len(reaches))
    kind = _Kind(plan.level, plan.split, ends.turned[nth], toward, reaches[reach_index])
    if size.side > _FEW:
        maze = kind.draw(plan.image_rng)
    else:
        # cells with the same turn counts share a deck
        same_turns = [k for k, turned in enumerate(ends.turned) if turned == ends.turned[nth]]
        place = plan.rank(("turns", len(size.cells)), ("direction", 8), ("reach", len(reaches))) * len(same_turns) + same_turns.index(nth)
        rights, lefts = ends.turned[nth]
        maze, _ = _deck(plan.stream("maze", rights, lefts, toward, len(reaches), reach_index).key, kind).at(place)
    if maze is None:
        raise RejectSample
    return Sheet(plan.check_split(maze), not plan.level.endswith(UNMARKED), str(plan.settings["form"]))


@dataclass(frozen=True, slots=True)
class _Kind:
    """Specification of the mazes of one deck."""

    level: str
    split: Split
    turned: TurnCounts
    toward: int
    reach: Reach

    def draw(self, rng: Rng) -> Maze | None:
        """Return a maze around a new path: of several, the one whose number of corners is nearest to that of its size."""
        size, reach = LEVELS[self.level], self.reach
        path = blockmaze.random_path(rng, size.side, PathConstraints(reach.steps, *self.turned, self.toward, reach.apart), _TRIES)
        if path is None:
            return None
        grown = [blockmaze.with_branches(rng, size.side, path, reach.free) for _ in range(_GROWN)]
        for free in sorted(grown, key=lambda free: abs(blockmaze.count_corners(free) - size.corners)):
            maze = Maze(size.side, tuple(path), tuple(sorted(free)))
            if len(free) == reach.free and split_of_layout(maze) == self.split:
                return maze
        return None


@lru_cache(maxsize=1024)
def _deck(key: bytes, kind: _Kind) -> Deck[Maze]:
    return Deck(Rng.of(key), kind.draw, lambda maze: (maze,))
