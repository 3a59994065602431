"""Shortcut rules for the domains, which omit the claimed skill or a part of it.

Each rule takes a scene and its question and returns the replies among which it would choose at random, in canonical form. It returns none
where it does not apply, such as where so few objects are shown that the rule and the skill coincide. Partial rules use ink or positions
where objects are to be counted, or one half of a relation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Final

from isovist.core.answers import LETTERS
from isovist.core.drawing2d import Point
from isovist.core.summation import sum_in_order
from isovist.core.task import Question, Shortcut
from isovist.suites.perceptv.shared_parts import HEIGHT, WIDTH

Rules = Mapping[str, Shortcut[Any]]
_ASIDE = 0.05  # smaller moves keep the position
_FEWEST_CIRCLES = 3  # from which on the centre of mass is in a random quadrant
_CROSSES = 7  # side of the grid
_FEWEST_CROSSES = 4  # from which on a mean or a quarter does not tell where they are
_MEAN_SQUARE = 4  # of the distance of an inner cell from the middle, in cells
_LONG = 7  # steps from which on no maze path has only one bend


def _mean(points: Sequence[Point]) -> Point:
    return sum_in_order(x for x, _ in points) / len(points), sum_in_order(y for _, y in points) / len(points)


# Mirrors ------------------------------------------------------------------------------------------------------------


def _unmoved(scene: Any, axis: int) -> Collection[str]:
    """The number of objects that keep their position along the line (axis 0) or their distance from it (axis 1)."""
    return (str(sum(abs(pair.before[axis] - pair.after[axis]) < _ASIDE for pair in scene.objects)),)


MIRRORS: Final[Rules] = {
    "as many as keep their place along the line": Shortcut(lambda scene, _: _unmoved(scene, 0), without="the distance from the line"),
    "as many as keep their distance from the line": Shortcut(lambda scene, _: _unmoved(scene, 1), without="the place along the line"),
}

# Circles in quadrants and on two sides ------------------------------------------------------------------------------


def _quadrant(x: float, y: float) -> int:
    return (y < HEIGHT / 2) * 2 + (x > WIDTH / 2)


def _centre_of_mass(scene: Any, _question: Question) -> Collection[str]:
    if len(scene.marks) < _FEWEST_CIRCLES:
        return ()
    return (LETTERS[_quadrant(*_mean([mark.center for mark in scene.marks]))],)


def _most_ink(scene: Any, _question: Question) -> Collection[str]:
    ink = [sum_in_order(mark.radius**2 for mark in scene.marks if _quadrant(*mark.center) == i) for i in range(4)]
    return (LETTERS[ink.index(max(ink))],)


def _halves(scene: Any, _question: Question) -> Collection[str]:
    """The quadrants in the fuller of the left and right halves and the fuller of the upper and lower halves; both if equal."""
    right = sum(1 if mark.center[0] > WIDTH / 2 else -1 for mark in scene.marks)
    low = sum(1 if mark.center[1] < HEIGHT / 2 else -1 for mark in scene.marks)
    return tuple(LETTERS[i] for i in range(4) if right * (2 * (i % 2) - 1) >= 0 and low * (2 * (i // 2) - 1) >= 0)


def _nearest_axes(scene: Any, _question: Question) -> Collection[str]:
    """The quadrant whose circles are nearest to the axes. With the centre of mass near the middle, fuller quadrants are slightly nearer."""
    far: dict[int, float] = {}
    for i in {_quadrant(*mark.center) for mark in scene.marks}:
        x, y = _mean([mark.center for mark in scene.marks if _quadrant(*mark.center) == i])
        far[i] = abs(2 * x / WIDTH - 1) + abs(2 * y / HEIGHT - 1)
    return (LETTERS[min(far, key=far.__getitem__)],)


QUADRANTS: Final[Rules] = {
    "the quadrant of the centre of mass": Shortcut(_centre_of_mass, without="counting"),
    "the quadrant with the most ink": Shortcut(_most_ink, without="counting one by one", partial=True),
    "the quadrant whose circles are nearest to the axes": Shortcut(_nearest_axes, without="counting one by one", partial=True),
    "the fuller half, vertically and horizontally": Shortcut(_halves, without="counting quadrants", partial=True),
}


def by_ink(groups: Sequence[Hashable], group_of: Callable[[Any, Any], Hashable]) -> Rules:
    """Divide the number of objects among the groups in proportion to ink; `group_of` returns the group of a mark of a scene."""

    def rule(scene: Any, _question: Question) -> Collection[str]:
        n, whole = len(scene.marks), sum_in_order(mark.radius**2 for mark in scene.marks)
        shares = [n * sum_in_order(mark.radius**2 for mark in scene.marks if group_of(scene, mark) == group) / whole for group in groups]
        counts = [int(share) for share in shares]
        nearest = sorted(range(len(groups)), key=lambda i: counts[i] - shares[i])
        for i in nearest[: n - sum(counts)]:
            counts[i] += 1
        return (", ".join(map(str, counts)),)

    return {"the objects divided in proportion to ink": Shortcut(rule, without="counting one by one", partial=True)}


def _moves_by_ink(scene: Any, _question: Question) -> Collection[str]:
    left, whole = (sum_in_order(mark.radius**2 for mark in scene.marks if mark.center[0] < limit) for limit in (scene.line, WIDTH))
    n = len(scene.marks)
    return (str(int((abs(2 * left / whole - 1) * n + (n + 1) % 2) / 2)),)  # an odd number leaves half a move


BOXES: Final[Rules] = {
    "the number of moves from the proportions of ink": Shortcut(_moves_by_ink, without="counting one by one", partial=True)
}

# Circles in two images ------------------------------------------------------------------------------------------------


def _fewer(scene: Any, _question: Question) -> Collection[str]:
    return (str(max(0, len(scene.first) - len(scene.second))),)


def _fewer_by_colour(scene: Any, _question: Question) -> Collection[str]:
    """The number of circles that are missing by the count of each colour."""
    first, second = (Counter(mark.colour for mark in marks) for marks in (scene.first, scene.second))
    return (str((first - second).total()),)


def _not_the_same(scene: Any, _question: Question) -> Collection[str]:
    """The number of places where the images differ, divided by two."""
    first, second = ({(mark.center, mark.colour) for mark in marks} for marks in (scene.first, scene.second))
    return (str(round(len(first ^ second) / 2)),)


VANISHED: Final[Rules] = {
    "the difference of the numbers of circles": Shortcut(_fewer, without="places"),
    "the difference of the numbers of circles of each colour": Shortcut(_fewer_by_colour, without="places"),
    "half the places where the images differ": Shortcut(_not_the_same, without="what differs", partial=True),
}

# Grids --------------------------------------------------------------------------------------------------------------


def _away(scene: Any) -> list[tuple[int, int]]:
    """The rows and the columns between each cross and the named cell."""
    row, column = divmod(scene.named, _CROSSES)
    return [(abs(cell // _CROSSES - row), abs(cell % _CROSSES - column)) for cell in scene.cells]


def _few_near(scene: Any, _question: Question) -> Collection[str]:
    """Yes if the crosses in the 5 x 5 cells around the named cell are fewer than in proportion to the area."""
    return ("yes" if sum(max(away) <= 2 for away in _away(scene)) < 25 / _CROSSES**2 * len(scene.cells) else "no",)


def _far_from_mean(scene: Any, _question: Question) -> Collection[str]:
    if len(scene.cells) < _FEWEST_CROSSES:
        return ()
    x, y = _mean([divmod(cell, _CROSSES) for cell in scene.cells])
    row, column = divmod(scene.named, _CROSSES)
    return ("yes" if (row - x) ** 2 + (column - y) ** 2 > _MEAN_SQUARE else "no",)


def _in_quarter(scene: Any, _question: Question) -> Collection[str]:
    """Yes if few crosses, in proportion to the area, are on the named cell's side of the middle row and of the middle column."""
    if len(scene.cells) < _FEWEST_CROSSES:
        return ()
    half, (row, column) = _CROSSES // 2, divmod(scene.named, _CROSSES)
    quarter = [(r, c) for r in range(_CROSSES) for c in range(_CROSSES) if (r - half) * (row - half) >= 0 <= (c - half) * (column - half)]
    inside = sum(divmod(cell, _CROSSES) in quarter for cell in scene.cells)
    return ("yes" if inside < len(quarter) / _CROSSES**2 * len(scene.cells) else "no",)


CROSSES: Final[Rules] = {
    "few crosses in the 5 x 5 cells around the cell": Shortcut(_few_near, without="the 3 x 3 cells around it"),
    "the cell is far from the mean of the crosses": Shortcut(_far_from_mean, without="the cells around a cell"),
    "few crosses in the quarter of the cell": Shortcut(_in_quarter, without="the cells around a cell"),
    "no cross in the cell or beyond its edges": Shortcut(
        lambda scene, _: ("yes" if min(map(sum, _away(scene))) > 1 else "no",), without="diagonal neighbours", partial=True
    ),
}


def _kinds(scene: Any) -> dict[int, str]:
    return {mark.cell: mark.shape for mark in scene.marks}


def _two_adjacent_pairs(scene: Any, _question: Question) -> Collection[str]:
    """Yes if circles and triangles are horizontally adjacent at least twice, in either order."""
    kinds = _kinds(scene)
    adjacent_pairs = sum(cell % 6 < 5 and kinds.get(cell + 1, kind) != kind for cell, kind in kinds.items())
    return ("yes" if adjacent_pairs > 1 else "no",)


def _same_row_to_the_right(scene: Any, _question: Question) -> Collection[str]:
    kinds = _kinds(scene)
    rows = [(a, b) for a in kinds for b in kinds if a // 6 == b // 6 and a < b and (kinds[a], kinds[b]) == ("circle", "triangle")]
    return ("yes" if rows else "no",)


def _mean_columns(scene: Any, _question: Question) -> Collection[str]:
    circles, triangles = ([cell % 6 for cell, kind in _kinds(scene).items() if kind == shape] for shape in ("circle", "triangle"))
    return ("yes" if sum(triangles) / len(triangles) > sum(circles) / len(circles) else "no",)


BESIDE: Final[Rules] = {
    "two circles beside triangles, on whichever side": Shortcut(_two_adjacent_pairs, without="left and right"),
    "a triangle anywhere to the right in the row": Shortcut(_same_row_to_the_right, without="adjacency"),
    "triangles further right on average": Shortcut(_mean_columns, without="single cells"),
}


def _one_bend_paths(scene: Any, _question: Question) -> Collection[str]:
    """Both paths with one bend; none for short paths, most of which have one bend."""
    if len(scene.path) <= _LONG:
        return ()
    (a, b), (c, d) = (divmod(cell, 11) for cell in (scene.path[0], scene.path[-1]))
    rows, columns = (range(low, high, 1 if high > low else -1) for low, high in ((a, c), (b, d)))
    paths = ([*((r, b) for r in rows), *((c, k) for k in columns), (c, d)], [*((a, k) for k in columns), *((r, d) for r in rows), (c, d)])
    return tuple(dict.fromkeys(", ".join(f"({r + 1}, {k + 1})" for r, k in path) for path in paths))


MAZES: Final[Rules] = {"an L from start to end": Shortcut(_one_bend_paths, without="walls")}

# Sizes, shapes, rings, graphs ---------------------------------------------------------------------------------------


def _blue_alone(scene: Any, _question: Question) -> Collection[str]:
    """For each row, blue if the blue circle is larger than the median of all possible radii, else green."""
    blue = [next(mark for mark in pair if mark.colour == "blue") for pair in scene.pairs]
    return (", ".join("blue" if mark.radius > 0.0346 else "green" for mark in blue),)


COMPARED: Final[Rules] = {"the blue circle alone": Shortcut(_blue_alone, without="comparing", partial=True)}


def alike(measure: Callable[[str], float], name: str, *, partial: bool) -> Rules:
    """Same where the two shapes of a row have equal measures within 10%; `measure` is in squared radii."""

    def rule(scene: Any, _question: Question) -> Collection[str]:
        ratios = [measure(row.shape) * row.radius**2 / (measure(row.other_shape) * row.other_radius**2) for row in scene.rows]
        return (", ".join("same" if 1 / 1.1 < ratio < 1.1 else "different" for ratio in ratios),)

    return {f"the same {name}": Shortcut(rule, without="shape", partial=partial)}


def _by_extent(scene: Any, _question: Question) -> Collection[str]:
    """Estimate the count from the total width of the circles: all contain the dot at 0.5 units, none at 0.9."""
    rings = scene.rings
    wide = max(ring.center[0] + ring.radius for ring in rings) - min(ring.center[0] - ring.radius for ring in rings)
    return (str(round(len(rings) * min(1.0, max(0.0, (0.9 - wide) / 0.4)))),) if len(rings) > 1 else ()


def _by_dot(scene: Any, _question: Question) -> Collection[str]:
    """Estimate the count from the distance of the dot to the mean centre: none contain it at 0.3 units."""
    x, y = _mean([ring.center for ring in scene.rings])
    off = ((scene.dot[0] - x) ** 2 + (scene.dot[1] - y) ** 2) ** 0.5
    return (str(round(len(scene.rings) * min(1.0, max(0.0, 1.1 - off / 0.27)))),)


RINGS: Final[Rules] = {
    "the extent of all circles": Shortcut(_by_extent, without="the dot"),
    "the distance of the dot from the mean centre": Shortcut(_by_dot, without="single circles", partial=True),
}


GRAPHS: Final[Rules] = {"as many edges as nodes": Shortcut(lambda scene, _: (f"{len(scene.nodes)}, {len(scene.nodes)}",), without="edges")}
