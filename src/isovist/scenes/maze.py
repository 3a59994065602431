"""Mazes of square blocks without loops, each built around a way with a wanted number of turns.

Blocks count from 0 at the upper left, row by row; the outermost blocks are walls. Free blocks touch along edges only, never at
a corner alone, and exactly one way that visits no block twice leads from any free block to any other. Headings are 0 up,
1 right, 2 down, 3 left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from isovist.core.rng import Rng
from isovist.scenes import compass

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Rows down and columns right of a step with each heading."""

CLEAR = 2  # rows, and columns, that are the least for an end to lie diagonally from its start

_STEPS_TRIED = 400  # of one search, before it is begun anew from another place
_NEWEST = 0.7  # how often a branch goes on where it ends; else it begins elsewhere

Block = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PathConstraints:
    """What a way should be: so many steps, right turns and left turns, and where its end lies from its start.

    `toward` is the direction (as in `scenes.compass`), `apart` the number of rows and columns between the two in all; on a
    diagonal at least `CLEAR` of either.
    """

    steps: int
    rights: int
    lefts: int
    toward: int
    apart: int


def way(rng: Rng, side: int, wanted: PathConstraints, tries: int) -> list[Block] | None:
    """A random way in a maze of so many blocks a side that is as wanted; None if so many searches do not find one."""
    inner = side - 2
    signs = compass.STEPS[wanted.toward]
    for _ in range(tries):
        rise = rng.integer(CLEAR, wanted.apart - CLEAR) if all(signs) else wanted.apart
        down, right = signs[0] * rise, signs[1] * (wanted.apart - rise if all(signs) else rise)
        if max(abs(down), abs(right)) >= inner:
            continue
        row = rng.integer(1 + max(0, -down), inner - max(0, down))
        column = rng.integer(1 + max(0, -right), inner - max(0, right))
        search = _Search(rng, side, (row + down, column + right), [(row, column)])
        if any(search.go(heading, wanted.steps, wanted.rights, wanted.lefts) for heading in rng.shuffled(range(4))):
            return search.blocks
    return None


@dataclass(slots=True)
class _Search:
    """A search in depth for a way to `end`; `blocks` is how far it has come."""

    rng: Rng
    side: int
    end: Block
    blocks: list[Block]
    left: int = _STEPS_TRIED

    def go(self, heading: int, steps: int, rights: int, lefts: int) -> bool:
        """Whether a way with these steps and turns leads on to the end, the first of them with this heading."""
        self.left -= 1
        last, blocks = self.blocks[-1], self.blocks
        block = (last[0] + STEPS[heading][0], last[1] + STEPS[heading][1])
        far = abs(block[0] - self.end[0]) + abs(block[1] - self.end[1])
        steps -= 1
        if self.left < 0 or far > steps or (far == 1 and steps > 1) or (far == 0) != (steps == 0):
            return False
        if not may_open(block, heading, blocks, self.side):
            return False
        blocks.append(block)
        if steps == 0:
            return True
        for turn in _in_turn(self.rng, {0: steps - rights - lefts, 1: rights, -1: lefts}):
            if self.go((heading + turn) % 4, steps, rights - (turn == 1), lefts - (turn == -1)):
                return True
        blocks.pop()
        return False


def _in_turn(rng: Rng, left: dict[int, int]) -> list[int]:
    """The turns of which some are left, in random order: the more are left, the sooner."""
    order: list[int] = []
    while total := sum(left.values()):
        at = rng.integer(1, total)
        for turn in tuple(left):
            at -= left[turn]
            if at <= 0:
                order.append(turn)
                del left[turn]
                break
    return order


# For each heading: where a block lies itself, and the blocks ahead of it, beside it, and diagonally ahead.
_AHEAD = tuple(
    ((0, 0), (fr, fc), (sr, sc), (-sr, -sc), (fr + sr, fc + sc), (fr - sr, fc - sc))
    for (fr, fc), (sr, sc) in zip(STEPS, (*STEPS[1:], STEPS[0]), strict=True)
)


def may_open(block: Block, heading: int, free: Collection[Block], side: int) -> bool:
    """Whether a block that is entered with this heading touches no free block but the one it is entered from."""
    row, column = block
    if not (0 < row < side - 1 and 0 < column < side - 1):
        return False
    for r, c in _AHEAD[heading]:  # noqa: SIM110 - a loop, since this is where the time goes
        if (row + r, column + c) in free:
            return False
    return True


def grown(rng: Rng, side: int, begun: Sequence[Block], most: int) -> set[Block]:
    """The free blocks of a maze: those of a way, and dead ends that branch off it until there are `most` or none fits."""
    free, active = set(begun), rng.shuffled(begun)
    while active and len(free) < most:
        at = len(active) - 1 if rng.chance(_NEWEST) else rng.integer(0, len(active) - 1)
        row, column = active[at]
        near = [((row + r, column + c), heading) for heading, (r, c) in enumerate(STEPS)]
        open_to = [block for block, heading in near if may_open(block, heading, free, side)]
        if not open_to:
            active.pop(at)
            continue
        block = rng.pick(open_to)
        free.add(block)
        active.append(block)
    return free


def corners(free: Collection[Block]) -> int:
    """How many corners the outline of free blocks has: where one or three of four blocks that meet are free."""
    blocks: set[Block] = set()
    for row, column in free:
        blocks ^= {(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)}
    return len(blocks)


def turned(block: Block, side: int) -> Block:
    """Where a block lies after a quarter turn clockwise of the maze."""
    return block[1], side - 1 - block[0]


def mirrored(block: Block, side: int) -> Block:
    """Where a block lies with left and right swapped."""
    return block[0], side - 1 - block[1]
