"""Mazes of square blocks without loops, each built around a path with a given number of turns.

A block is (row, column), counted from 0 at the upper left; the outermost blocks are walls. Free blocks touch along edges only, never at
a corner alone. Exactly one path that visits no block twice connects any two free blocks. Headings are 0 up, 1 right, 2 down, 3 left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from isovist.core.rng import Rng
from isovist.world.scenes import compass

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Change of row and column of a step with each heading."""

CLEAR = 2  # minimum difference in rows, and in columns, between start and end of a diagonal path

_STEPS_TRIED = 120  # steps of one search before a new search starts
_NEWEST = 0.7  # probability that a branch continues at its end; otherwise it starts elsewhere

Block = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PathConstraints:
    """Constraints on a path: the numbers of steps, right turns and left turns, and the position of the end relative to the start.

    `toward` is the direction from start to end (an index as in `scenes.compass`). `apart` is the sum of the differences in rows and in
    columns; in a diagonal direction, each difference is at least `CLEAR`.
    """

    steps: int
    rights: int
    lefts: int
    toward: int
    apart: int


def random_path(rng: Rng, side: int, constraints: PathConstraints, tries: int) -> list[Block] | None:
    """Return a random path that meets the constraints in a maze of `side` x `side` blocks; None after `tries` unsuccessful searches."""
    inner = side - 2
    signs = compass.STEPS[constraints.toward]
    for _ in range(tries):
        rise = rng.integer(CLEAR, constraints.apart - CLEAR) if all(signs) else constraints.apart
        down, right = signs[0] * rise, signs[1] * (constraints.apart - rise if all(signs) else rise)
        if max(abs(down), abs(right)) >= inner:
            continue
        row = rng.integer(1 + max(0, -down), inner - max(0, down))
        column = rng.integer(1 + max(0, -right), inner - max(0, right))
        end = (row + down, column + right)
        for heading in rng.shuffled(range(4)):
            last = (heading + constraints.rights - constraints.lefts) % 4
            before = (end[0] - STEPS[last][0], end[1] - STEPS[last][1])
            around = _around(side)
            search = _Search(rng, around, before, frozenset(around[last][end]), [(row, column)], {(row, column)})
            if before in around[last] and search.go((0,), heading, constraints.steps, constraints.rights, constraints.lefts):
                return [*search.blocks, end]
    return None


@dataclass(slots=True)
class _Search:
    """A depth-first search for a path to the block before the end; `blocks` is the path so far, `free` its blocks.

    Start, first heading and turns determine the last heading. Therefore the block before the end is known, and the blocks that the path may
    not enter because the end would touch them (`shut`). `around` is `_around` of the maze. `left` is the number of remaining steps of the search.
    """

    rng: Rng
    around: tuple[dict[Block, tuple[Block, ...]], ...]
    before: Block
    shut: frozenset[Block]
    blocks: list[Block]
    free: set[Block]
    left: int = _STEPS_TRIED

    def go(self, turns: Sequence[int], heading: int, steps: int, rights: int, lefts: int) -> bool:
        """Extend the path, after one of `turns`, by these numbers of steps and turns to the end; return whether it succeeded."""
        if steps == 1:
            return True
        self.left -= 1
        (row, column), (last_row, last_column) = self.blocks[-1], self.before
        steps -= 1
        possible: list[tuple[int, int, Block]] = []
        for turn in turns:
            number = rights if turn == 1 else lefts if turn else steps + 1 - rights - lefts
            down, right = STEPS[(heading + turn) % 4]
            block = (row + down, column + right)
            far = abs(block[0] - last_row) + abs(block[1] - last_column)
            if not number or block in self.shut or far >= steps or (far == 0 and steps > 1):
                continue
            around = self.around[(heading + turn) % 4].get(block)
            if around is not None and self.free.isdisjoint(around):  # as `may_open`, whose call would double the time
                possible.append((number, turn, block))
        while possible and self.left > 0:
            # a turn is chosen with probability proportional to its remaining number
            point = self.rng.integer(1, sum(number for number, _, _ in possible)) if len(possible) > 1 else 1
            index = 0
            while (point := point - possible[index][0]) > 0:
                index += 1
            _, turn, block = possible.pop(index)
            self.blocks.append(block)
            self.free.add(block)
            if self.go((0, 1, -1), (heading + turn) % 4, steps, rights - (turn == 1), lefts - (turn == -1)):
                return True
            self.free.remove(self.blocks.pop())
        return False


# For each heading, the offsets of a block itself and of the blocks ahead of it, beside it, and diagonally ahead.
_AHEAD = tuple(
    ((0, 0), (fr, fc), (sr, sc), (-sr, -sc), (fr + sr, fc + sc), (fr - sr, fc - sc))
    for (fr, fc), (sr, sc) in zip(STEPS, (*STEPS[1:], STEPS[0]), strict=True)
)


@cache
def _around(side: int) -> tuple[dict[Block, tuple[Block, ...]], ...]:
    """Return, for each heading and each block inside the outer walls, the block and those that `_AHEAD` lists."""
    inner = range(1, side - 1)
    return tuple({(row, column): tuple((row + r, column + c) for r, c in ahead) for row in inner for column in inner} for ahead in _AHEAD)


def may_open(block: Block, heading: int, free: set[Block], side: int) -> bool:
    """Return whether a block entered with this heading touches no free block except the one before it."""
    around = _around(side)[heading].get(block)
    return around is not None and free.isdisjoint(around)


def with_branches(rng: Rng, side: int, path: Sequence[Block], most: int) -> set[Block]:
    """Return the free blocks of a maze: those of a path, and dead ends that branch off it, up to `most` blocks or until none fits."""
    free, active = set(path), rng.shuffled(path)
    while active and len(free) < most:
        index = len(active) - 1 if rng.chance(_NEWEST) else rng.integer(0, len(active) - 1)
        row, column = active[index]
        near = [((row + r, column + c), heading) for heading, (r, c) in enumerate(STEPS)]
        open_to = [block for block, heading in near if may_open(block, heading, free, side)]
        if not open_to:
            active.pop(index)
            continue
        block = rng.pick(open_to)
        free.add(block)
        active.append(block)
    return free


def count_corners(free: Collection[Block]) -> int:
    """Count the corners of the outline of free blocks: points where one or three of the four blocks that meet are free."""
    blocks: set[Block] = set()
    for row, column in free:
        blocks ^= {(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)}
    return len(blocks)


def count_turns(path: Sequence[Block]) -> int:
    """Return the number of blocks at which a path changes direction."""
    return sum(a[0] != c[0] and a[1] != c[1] for a, c in zip(path, path[2:], strict=False))


def canonical(path: Sequence[Block]) -> tuple[Block, ...]:
    """Return the same blocks for all paths that are equal up to shifts, rotations, mirror images and the exchange of the ends."""
    forms: list[tuple[Block, ...]] = []
    for row, column in ((1, 0), (0, 1)):
        for down, right in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            blocks = [(down * block[row], right * block[column]) for block in path]
            top, left = (min(block[axis] for block in blocks) for axis in (0, 1))
            moved = tuple((r - top, c - left) for r, c in blocks)
            forms += [moved, moved[::-1]]
    return min(forms)


def rotated(block: Block, side: int) -> Block:
    """Return the position of a block after a 90 degree clockwise rotation of the maze."""
    return block[1], side - 1 - block[0]


def mirrored(block: Block, side: int) -> Block:
    """Return the position of a block after left and right change places."""
    return block[0], side - 1 - block[1]
