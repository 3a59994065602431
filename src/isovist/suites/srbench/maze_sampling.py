"""The mazes of navigation questions: how long the way is, how far the exit lies from the start, and how many blocks are free are drawn
first; then a way with the wanted turns that fits them, so that none of them tells the answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import RejectSample, SamplingContext, Split, split_of_layout
from isovist.scenes import maze as blockmaze
from isovist.scenes.maze import PathConstraints
from isovist.suites.srbench.maze_common import Maze, Sheet

_FEW = 7  # blocks a side: so few mazes that the same would come again and again
_GROWN = 4  # mazes around a way
_TRIES = 60  # searches for a way with one length and end, before all is drawn anew


@dataclass(frozen=True, slots=True)
class Reach:
    """What is drawn before the turns, and says nothing of them."""

    steps: int  # of the way
    apart: int  # rows and columns from start to exit, in all
    free: int  # blocks of the maze


Turned = tuple[int, int]
"""How many right and how many left turns a way makes."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Ways whose last step has one heading as seen from the first: the difference of right and left turns is the same, up to fours.

    Whoever looks at both ends of a way knows this. Therefore how long ways are, and what is offered as their turns, depends on nothing
    else: every reach goes with every way of turning, and turns are all even or all odd.
    """

    turned: tuple[Turned, ...]  # as often as they come
    straight: tuple[Reach, ...]  # start and exit in one row or column
    diagonal: tuple[Reach, ...]

    def counts(self, *, rights_only: bool) -> dict[int, int]:
        """How often each number of right turns, or of all turns, comes."""
        return dict(sorted(Counter(right if rights_only else right + left for right, left in self.turned).items()))


@dataclass(frozen=True, slots=True)
class Size:
    """What ways are like in mazes of one size."""

    side: int
    corners: int  # of the outline of a maze, about: else more turns make more of them, and a larger file
    options: int
    ends: tuple[Ends, ...]  # each as often

    @property
    def cells(self) -> tuple[tuple[Ends, int], ...]:
        """The ends and, of their ways of turning, the one with this number: each as often."""
        return tuple((ends, nth) for ends in self.ends for nth in range(len(ends.turned)))


def _ends(
    fewest: int, straight: tuple[Reach, ...], diagonal: tuple[Reach, ...], ahead: tuple[tuple[Reach, ...], tuple[Reach, ...]] | None = None
) -> tuple[Ends, ...]:
    """Ends of all four kinds, with four even and four odd numbers of turns, each as often."""
    even, odd = (range(first, first + 8, 2) for first in (fewest + fewest % 2, fewest + 1 - fewest % 2))
    *some, most = even
    # many turns with as many to the right as to the left do not fit
    same = [(turns, more) for turns in some for more in (0, 0, 4, -4)] + [(most, more) for more in (4, 4, -4, -4)]
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
    """The maze of an index: the same for all three questions, and in all forms. Of a small size none comes twice while there are others."""
    size = LEVELS[plan.level]
    ends, nth = size.cells[plan.image_stratum("turns", len(size.cells))]
    toward = plan.image_stratum("direction", 8)
    reaches = ends.diagonal if toward % 2 else ends.straight
    # of the design, not of the stream: a way that is hard to find must not become rare
    nearer = plan.image_stratum("reach", len(reaches))
    kind = _Kind(plan.level, plan.split, ends.turned[nth], toward, reaches[nearer])
    if size.side > _FEW:
        maze = kind.draw(plan.image_rng)
    else:
        # cells of the same turns share a deck
        same = [k for k, turned in enumerate(ends.turned) if turned == ends.turned[nth]]
        place = plan.rank(("turns", len(size.cells)), ("direction", 8), ("reach", len(reaches))) * len(same) + same.index(nth)
        rights, lefts = ends.turned[nth]
        maze, _ = _deck(plan.stream("maze", rights, lefts, toward, len(reaches), nearer).key, kind).at(place)
    if maze is None:
        raise RejectSample
    return Sheet(plan.check_split(maze), not plan.level.endswith(UNMARKED), str(plan.settings["form"]))


@dataclass(frozen=True, slots=True)
class _Kind:
    """Mazes of one split that are wanted alike."""

    level: str
    split: Split
    turned: Turned
    toward: int
    reach: Reach

    def draw(self, rng: Rng) -> Maze | None:
        """A maze around a fresh way: of a few, the one whose number of corners is nearest to that of its size."""
        size, reach = LEVELS[self.level], self.reach
        way = blockmaze.random_path(rng, size.side, PathConstraints(reach.steps, *self.turned, self.toward, reach.apart), _TRIES)
        if way is None:
            return None
        grown = [blockmaze.with_branches(rng, size.side, way, reach.free) for _ in range(_GROWN)]
        for free in sorted(grown, key=lambda free: abs(blockmaze.count_corners(free) - size.corners)):
            maze = Maze(size.side, tuple(way), tuple(sorted(free)))
            if len(free) == reach.free and split_of_layout(maze) == self.split:
                return maze
        return None


@lru_cache(maxsize=1024)
def _deck(key: bytes, kind: _Kind) -> Deck[Maze]:
    return Deck(Rng.of(key), kind.draw, lambda maze: (maze,))
