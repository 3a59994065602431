"""Four piles that views tell apart: one pile, two of its rows exchanged, two of its columns exchanged, and both.

All four have the same cubes, and the same outlines up to their order. An exchange of two rows changes the view from the right alone, one of two
columns that from the front alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from isovist.core.rng import Rng
from isovist.core.task import RejectSample
from isovist.world.scenes import pile
from isovist.world.scenes.pile import Heights
from isovist.world.scenes.solid_view import STEEP

_LEAST_SEEN = 2
"""Points of each top that are seen, of five."""
_LEAST_HIGH = 3  # cubes of the highest column
_MOST_LEAN = 0.8
"""Largest moment of a balanced view about its middle, in half squares, relative to its width."""
_TRIES, _CHANGES = 50, 60


def square(rng: Rng, a: int, b: int, c: int) -> tuple[Heights, ...]:
    """A pile; with two rows exchanged; with two columns exchanged; with both. The tops of all columns are seen. Raises RejectSample.

    Of random piles, 1 in 1,000 shows all tops in all four orders: so a hidden column is raised, or one in front of it lowered, until
    they are seen.
    """
    for _ in range(_TRIES):
        h = [[rng.integer(0, c) for _ in range(b)] for _ in range(a)]
        (i, j), (k, m) = rng.sample(range(a), 2), rng.sample(range(b), 2)
        rows, columns = list(range(a)), list(range(b))
        rows[i], rows[j], columns[k], columns[m] = j, i, m, k
        orders = [(list(range(a)), list(range(b))), (rows, list(range(b))), (list(range(a)), columns), (rows, columns)]
        for _ in range(_CHANGES):
            if not _improved(rng, h, orders, c):
                break
        else:
            continue
        from_front, from_right = [max(column) for column in zip(*h, strict=True)], [max(row) for row in h]
        is_distinct = from_front[k] != from_front[m] and from_right[i] != from_right[j]
        if is_distinct and min(*from_front, *from_right) > 0 and max(from_front) >= _LEAST_HIGH:
            return tuple(_ordered(h, xs, ys) for xs, ys in orders)
    raise RejectSample


def balanced(rng: Rng, n: int, c: int) -> Heights:
    """A pile of `n` times `n` columns with four different views, none much higher on one side. The tops are seen. Raises RejectSample.

    The side on which a solid is higher would else tell a view from its mirror image.
    """
    for _ in range(_TRIES):
        h = [[rng.integer(0, c) for _ in range(n)] for _ in range(n)]
        orders = [(range(n), range(n))]
        if not any(not _improved(rng, h, orders, c) for _ in range(_CHANGES)):
            continue
        heights = tuple(map(tuple, h))
        views = pile.front(heights), pile.right(heights)
        leans = [abs(sum((2 * k - n + 1) * high for k, high in enumerate(view))) for view in views]
        is_high = max(views[0]) >= _LEAST_HIGH and min(*views[0], *views[1]) > 0
        if is_high and max(leans) <= _MOST_LEAN * n and len({pile.seen_from(heights, side) for side in pile.SIDES}) == len(pile.SIDES):
            return heights
    raise RejectSample


def _improved(rng: Rng, h: list[list[int]], orders: Sequence[tuple[Sequence[int], Sequence[int]]], c: int) -> bool:
    """Raise a hidden column of one of the orders, or lower one in front of it; False if all are seen."""
    for xs, ys in rng.shuffled(orders):
        for x, y in pile.hidden_tops(_ordered(h, xs, ys), STEEP, _LEAST_SEEN):
            high = h[xs[x]][ys[y]]
            if high < c and rng.chance(0.5):
                h[xs[x]][ys[y]] += 1
            else:
                u, v = rng.pick([(u, v) for u in xs[x:] for v in ys[y:] if h[u][v] > high])
                h[u][v] -= 1
            return True
    return False


def _ordered(h: Sequence[Sequence[int]], xs: Sequence[int], ys: Sequence[int]) -> Heights:
    return tuple([tuple([h[x][y] for y in ys]) for x in xs])


def orbit(heights: Heights) -> Heights:
    """The canonical form of all piles with these rows and columns in any order: piles of one square are in one split."""
    transposed = tuple(zip(*heights, strict=True))
    return min(
        tuple(sorted(tuple(row[y] for y in ys) for row in one)) for one in (heights, transposed) for ys in permutations(range(len(one[0])))
    )
