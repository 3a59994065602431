"""Mazes of square blocks without loops, each built around a path with a given number of turns.

A block is (row, column), counted from 0 at the upper left; the outermost blocks are walls. Free blocks touch along edges only, never at
a corner alone. Exactly one path that visits no block twice connects any two free blocks. Headings are 0 up, 1 right, 2 down, 3 left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from isovist.core.rng import Rng
from isovist.world.scenes import compass

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Change of row and column of a step with each heading."""

CLEAR = 2  # minimum difference in rows, and in columns, between start and end of a diagonal path

_STEPS_TRIED = 400  # steps of one search before a new search starts from another block
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
        search = _Search(rng, side, (row + down, column + right), [(row, column)], {(row, column)})
        if any(search.go(heading, constraints.steps, constraints.rights, constraints.lefts) for heading in rng.shuffled(range(4))):
            return search.blocks
    return None


@dataclass(slots=True)
class _Search:
    """A depth-first search for a path to `end`; `blocks` is the path so far, `free` its blocks, `left` the number of remaining steps."""

    rng: Rng
    side: int
    end: Block
    blocks: list[Block]
    free: set[Block]
    left: int = _STEPS_TRIED

    def go(self, heading: int, steps: int, rights: int, lefts: int) -> bool:
        """Extend the path to the end with these numbers of steps and turns; return whether it succeeded. The first step has this heading."""
        self.left -= 1
        last = self.blocks[-1]
        block = (last[0] + STEPS[heading][0], last[1] + STEPS[heading][1])
        far = abs(block[0] - self.end[0]) + abs(block[1] - self.end[1])
        steps -= 1
        if self.left < 0 or far > steps or (far == 1 and steps > 1) or (far == 0) != (steps == 0):
            return False
        if not may_open(block, heading, self.free, self.side):
            return False
        self.blocks.append(block)
        self.free.add(block)
        if steps == 0:
            return True
        for turn in _random_order(self.rng, {0: steps - rights - lefts, 1: rights, -1: lefts}):
            if self.go((heading + turn) % 4, steps, rights - (turn == 1), lefts - (turn == -1)):
                return True
        self.free.remove(self.blocks.pop())
        return False


def _random_order(rng: Rng, left: dict[int, int]) -> list[int]:
    """Return the turns that remain, in random order with probability proportional to their remaining number."""
    order: list[int] = []
    total = sum(left.values())
    while total:
        draw = rng.integer(1, total)
        for turn, number in left.items():
            draw -= number
            if draw <= 0:
                order.append(turn)
                total -= left.pop(turn)
                break
    return order


# For each heading, the offsets of a block itself and of the blocks ahead of it, beside it, and diagonally ahead.
_AHEAD = tuple(
    ((0, 0), (fr, fc), (sr, sc), (-sr, -sc), (fr + sr, fc + sc), (fr - sr, fc - sc))
    for (fr, fc), (sr, sc) in zip(STEPS, (*STEPS[1:], STEPS[0]), strict=True)
)


def may_open(block: Block, heading: int, free: Collection[Block], side: int) -> bool:
    """Return whether a block entered with this heading touches no free block except the one before it."""
    row, column = block
    if not (0 < row < side - 1 and 0 < column < side - 1):
        return False
    for r, c in _AHEAD[heading]:  # noqa: SIM110 - a loop for speed
        if (row + r, column + c) in free:
            return False
    return True


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
