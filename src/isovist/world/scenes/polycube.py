"""Polycubes: bodies of equal cubes on the integer lattice, their 24 rotations, mirror images and near-misses.

A body is a sorted tuple of cells (x, y, z), each the lowest corner of a unit cube, in a right-handed frame. Its minimum
coordinate along each axis is 0, so equal bodies are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations, product
from typing import Literal

from isovist.core.rng import Rng

Cell = tuple[int, int, int]
Body = tuple[Cell, ...]
Form = Literal["snake", "branching"]

STEPS: tuple[Cell, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
_STRAIGHT = 0.4  # probability that an arm continues straight: arms are two to three cubes long on average
_TIP = 0.6  # probability that a branching body grows at its newest cube


def _even(order: tuple[int, ...]) -> bool:
    return sum(a > b for i, a in enumerate(order) for b in order[i + 1 :]) % 2 == 0


TURNS: tuple[tuple[tuple[int, int, int], tuple[bool, bool, bool]], ...] = tuple(
    ((i, j, k), (a, b, c))
    for i, j, k in permutations(range(3))
    for a, b, c in product((False, True), repeat=3)
    if _even((i, j, k)) == ((a + b + c) % 2 == 0)
)
"""The 24 rotations of the lattice: for each new axis the index of the old one, and whether it is reversed."""


def body(cells: Iterator[Cell] | list[Cell] | Body) -> Body:
    """Return cells as a body, moved to the origin."""
    xs, ys, zs = zip(*cells, strict=True)
    x0, y0, z0 = min(xs), min(ys), min(zs)
    return tuple(sorted((x - x0, y - y0, z - z0) for x, y, z in zip(xs, ys, zs, strict=True)))


def turned(shape: Body, nth: int) -> Body:
    """Return the body in one of its 24 orientations, numbered as in `TURNS`."""
    (i, j, k), (a, b, c) = TURNS[nth]
    columns = list(zip(*shape, strict=True))
    x, y, z = (_backwards(columns[m]) if back else columns[m] for m, back in ((i, a), (j, b), (k, c)))
    return tuple(sorted(zip(x, y, z, strict=True)))


def rotations(shape: Body) -> list[Body]:
    """Return the body in all 24 orientations, in the order of `TURNS`; equal ones are repeated."""
    ahead = list(zip(*shape, strict=True))
    columns = (ahead, [_backwards(column) for column in ahead])
    return [tuple(sorted(zip(columns[a][i], columns[b][j], columns[c][k], strict=True))) for (i, j, k), (a, b, c) in TURNS]


def _backwards(column: tuple[int, ...]) -> tuple[int, ...]:
    most = max(column)
    return tuple([most - v for v in column])


def mirrored(shape: Body, axis: int = 0) -> Body:
    """Return the mirror image in a plane perpendicular to an axis."""
    columns = list(zip(*shape, strict=True))
    columns[axis] = _backwards(columns[axis])
    x, y, z = columns
    return tuple(sorted(zip(x, y, z, strict=True)))


def one_sided(shape: Body) -> Body:
    """Return the canonical form: equal for all rotations of a body, different for its mirror image if the body is chiral."""
    return min(rotations(shape))


@lru_cache(maxsize=1 << 14)
def unmistakable(shape: Body) -> Body | None:
    """Return the canonical form of a body and its mirror image if all 24 rotations differ and none is the mirror image.

    A rotation of such a body has a unique angle, and its mirror image is a different body. Return None for other bodies,
    including all flat ones, which are their own mirror images.
    """
    turned_bodies = rotations(shape)
    mirror = mirrored(shape)
    if len(set(turned_bodies)) < len(TURNS) or mirror in turned_bodies:
        return None
    return min(*turned_bodies, one_sided(mirror))


def touching(cell: Cell, cells: frozenset[Cell] | set[Cell]) -> int:
    """Return how many of `cells` share a face with `cell`."""
    x, y, z = cell
    return sum((x + i, y + j, z + k) in cells for i, j, k in STEPS)


def contacts(shape: Body) -> list[int]:
    """Return the numbers of neighbours of the cubes, ascending: 1, 1, 2 ... for a snake; 3 or more where a body branches."""
    cells = frozenset(shape)
    return sorted(touching(cell, cells) for cell in shape)


def sides(shape: Body) -> list[int]:
    """Return the sides of the bounding box in cubes, ascending."""
    return sorted(1 + max(column) for column in zip(*shape, strict=True))


def arms(shape: Body) -> list[int]:
    """Return the lengths of the straight arms in cubes, ascending: all rows of at least two cubes."""
    cells = frozenset(shape)
    lengths: list[int] = []
    for x, y, z in shape:
        for i, j, k in STEPS[::2]:
            if (x - i, y - j, z - k) not in cells:
                lengths.append(next(n for n in range(1, len(shape) + 1) if (x + n * i, y + n * j, z + n * k) not in cells))
    return sorted(n for n in lengths if n > 1)


def grown(rng: Rng, n: int, form: Form) -> Body | None:
    """Return a random body of `n` cubes without loops: every new cube touches exactly one older cube.

    A snake grows only at its tip; a branching body has a cube with at least three neighbours. Return None if growth fails.
    """
    start = (0, 0, 0)
    ahead = rng.pick(STEPS)
    cells = [start, ahead]
    occupied = set(cells)
    while len(cells) < n:
        tip = form == "snake" or rng.chance(_TIP)
        x, y, z = cells[-1] if tip else rng.pick(cells)
        steps = rng.shuffled(STEPS)
        if tip and rng.chance(_STRAIGHT):
            steps.insert(0, ahead)
        for step in steps:
            cell = (x + step[0], y + step[1], z + step[2])
            if cell not in occupied and touching(cell, occupied) == 1:
                cells.append(cell)
                occupied.add(cell)
                ahead = step
                break
        else:
            return None
    grown_body = body(cells)
    branches = contacts(grown_body)[-1] > 2
    return grown_body if branches == (form == "branching") else None


def neighbours(rng: Rng, shape: Body) -> Iterator[Body]:
    """Yield bodies that differ from `shape` in the position of one cube: an end is moved to another cell with one neighbour.

    They have as many ends and branches as `shape`; some may be rotations of it. The order is random, but bodies with the
    same box sides come first, so that the length of a side rarely distinguishes them.
    """
    around: dict[Cell, list[Cell]] = {}  # the cubes that share a face with each cell
    for cube in shape:
        x, y, z = cube
        for i, j, k in STEPS:
            around.setdefault((x + i, y + j, z + k), []).append(cube)
    places = sorted(around.keys() - set(shape))
    moves: list[tuple[Cell, Cell, bool]] = []
    for end in shape:
        if len(around.get(end, ())) != 1:
            continue
        (root,) = around[end]
        for place in places:
            bases = [cube for cube in around[place] if cube != end]
            if len(bases) == 1:
                # the cube at the old position loses a neighbour, that at the new position gains one
                is_alike = bases[0] == root or len(around[bases[0]]) == len(around[root]) - 1
                moves.append((end, place, is_alike))
    moved = [body([*(cube for cube in shape if cube != end), place]) for end, place, is_alike in rng.shuffled(moves) if is_alike]
    shape_sides = sides(shape)
    same_sides = [sides(near) == shape_sides for near in moved]
    yield from (near for near, same in zip(moved, same_sides, strict=True) if same)
    yield from (near for near, same in zip(moved, same_sides, strict=True) if not same)
