"""A sheet of paper that is folded, punched and unfolded, in exact integer coordinates.

Frame: x points right, y points up, the flat sheet is the square from (0, 0) to (SIDE, SIDE); one lattice step is 1/SIDE
of its side. A folded sheet is a stack of layers, bottom first. Each layer is a convex polygon with the motion that maps
it back to its position on the flat sheet. Creases are vertical, horizontal or diagonal, so every reflection
maps lattice points to lattice points. Creases are at multiples of `CREASES`; therefore the corners of all layers are
lattice points after any number of folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

Spot = tuple[int, int]
Corners = tuple[Spot, ...]
Motion = tuple[int, int, int, int, int, int]
"""(a, b, c, d, e, f) maps (x, y) to (a x + b y + e, c x + d y + f)."""

SIDE = 1280
CREASES = 40
STAY: Motion = (1, 0, 0, 1, 0, 0)

# Coefficients (a, b) of the lines a x + b y = position; a rising line ascends from left to right.
WAYS: dict[str, Spot] = {"vertical": (1, 0), "horizontal": (0, 1), "rising": (1, -1), "falling": (1, 1)}


def moved(motion: Motion, spot: Spot) -> Spot:
    """Return the image of a point under a motion."""
    a, b, c, d, e, f = motion
    x, y = spot
    return a * x + b * y + e, c * x + d * y + f


def after(second: Motion, first: Motion) -> Motion:
    """Return the motion that applies `first` and then `second`."""
    a, b, c, d, _, _ = second
    p, q, r, s, _, _ = first
    e, f = moved(second, first[4:])
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e, f


def mirror(direction: str, position: int) -> Motion:
    """Return the reflection in the line a x + b y = position."""
    a, b = WAYS[direction]
    return mirror_through(direction, (position * a, position * b) if a * b else (2 * position * a, 2 * position * b))


def mirror_through(direction: str, doubled_point: Spot) -> Motion:
    """Return the reflection in the line through a point, given by its doubled coordinates (for a diagonal, their sum is even)."""
    x, y = doubled_point
    if direction == "vertical":
        return -1, 0, 0, 1, x, 0
    if direction == "horizontal":
        return 1, 0, 0, -1, 0, y
    if direction == "rising":
        return 0, 1, 1, 0, (x - y) // 2, (y - x) // 2
    return 0, -1, -1, 0, (x + y) // 2, (x + y) // 2


def turn_about(quarters: int, doubled_point: Spot) -> Motion:
    """Return the clockwise rotation by `quarters` x 90 degrees about a point, given by its doubled coordinates (their sum is even)."""
    x, y = doubled_point
    quarter: Motion = (0, 1, -1, 0, (x - y) // 2, (x + y) // 2)
    motion = STAY
    for _ in range(quarters % 4):
        motion = after(quarter, motion)
    return motion


@dataclass(frozen=True, slots=True)
class Fold:
    """A fold: the paper beyond a line (`side` 1: a x + b y > position, -1: the other side) is folded over the line."""

    direction: str
    position: int
    side: int

    def beyond(self, spot: Spot) -> int:
        """Return the distance of a point beyond the line, negative before it; for a diagonal in units of 1/sqrt(2)."""
        a, b = WAYS[self.direction]
        return self.side * (a * spot[0] + b * spot[1] - self.position)

    @property
    def mirror(self) -> Motion:
        return mirror(self.direction, self.position)


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of the folded sheet: its corners in the folded state, the motion back to the flat sheet, and the numbers of
    the folds, ascending, in which it was part of the flap.
    """

    corners: Corners
    back: Motion
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """A folded sheet: its layers, bottom first, their distinct outlines (of equal outlines, the topmost one), and the
    number of folds.
    """

    layers: tuple[Layer, ...]
    outlines: tuple[Corners, ...]
    folds: int

    def range(self, direction: str) -> tuple[int, int]:
        """Return the minimum and maximum of a x + b y over the corners."""
        a, b = WAYS[direction]
        values = [a * x + b * y for outline in self.outlines for x, y in outline]
        return min(values), max(values)


def _stack(layers: Sequence[Layer], folds: int) -> Stack:
    outlines = dict.fromkeys(layer.corners for layer in reversed(layers))
    return Stack(tuple(layers), tuple(reversed(outlines)), folds)


SHEET = _stack([Layer(((0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)), STAY, ())], 0)


def clipped(corners: Corners, fold: Fold, *, beyond: bool) -> Corners:
    """Return the part of a convex polygon beyond the line of a fold, or before it; empty if there is none."""
    sign = 1 if beyond else -1
    depths = [sign * fold.beyond(corner) for corner in corners]
    if max(depths) <= 0:
        return ()
    out: list[Spot] = []
    for i, depth in enumerate(depths):
        if depth >= 0:
            out.append(corners[i])
        following = (i + 1) % len(corners)
        if depth * depths[following] < 0:
            out.append(_between(corners[i], corners[following], depth, depth - depths[following]))
    return _from_the_left(out)


def _from_the_left(corners: Sequence[Spot]) -> Corners:
    """Return the same corners in the same order, the leftmost first: equal polygons become equal tuples."""
    first = corners.index(min(corners))
    return (*corners[first:], *corners[:first])


def _between(a: Spot, b: Spot, part: int, whole: int) -> Spot:
    x, over_x = divmod((b[0] - a[0]) * part, whole)
    y, over_y = divmod((b[1] - a[1]) * part, whole)
    if over_x or over_y:
        raise ValueError(f"a fold between {a} and {b} leaves the lattice; creases must be at multiples of {CREASES}")
    return a[0] + x, a[1] + y


def fold(stack: Stack, crease: Fold) -> Stack:
    """Return the stack after a fold: the part beyond the line is mirrored and placed in reverse order on top of the rest."""
    fixed: list[Layer] = []
    flap: list[Layer] = []
    over = crease.mirror
    for layer in stack.layers:
        if near := clipped(layer.corners, crease, beyond=False):
            fixed.append(Layer(near, layer.back, layer.path))
        if far := clipped(layer.corners, crease, beyond=True):
            mirrored = _from_the_left([moved(over, corner) for corner in reversed(far)])
            flap.append(Layer(mirrored, after(layer.back, over), (*layer.path, stack.folds)))
    return _stack((*fixed, *reversed(flap)), stack.folds + 1)


@lru_cache(maxsize=512)  # there are few sequences of half folds
def folded(creases: tuple[Fold, ...]) -> Stack:
    """Return the sheet after these folds. Raises ValueError if a crease is off the lattice."""
    return fold(folded(creases[:-1]), creases[-1]) if creases else SHEET


def crease_ends(stack: Stack, crease: Fold) -> tuple[Spot, Spot]:
    """Return the two points where the line of a fold meets the edge of the paper. Raises ValueError if it misses the paper."""
    parts = (clipped(outline, crease, beyond=beyond) for outline in stack.outlines for beyond in (False, True))
    on = {spot for part in parts for spot in part if crease.beyond(spot) == 0}
    if len(on) < 2:
        raise ValueError("the line misses the paper")
    return min(on), max(on)


@lru_cache(maxsize=512)
def halvings(creases: tuple[Fold, ...], least: int = 0) -> tuple[Fold, ...]:
    """Return the folds that place one half of a folded sheet exactly on the other, on both sides of each line of symmetry.

    Folds after which the paper would be less than `least` wide or high are excluded.
    """
    stack = folded(creases)
    outlines = {frozenset(outline) for outline in stack.outlines}
    folds: list[Fold] = []
    for direction in WAYS:
        low, high = stack.range(direction)
        if (low + high) % (2 * CREASES):
            continue
        position = (low + high) // 2
        over = mirror(direction, position)
        if {frozenset(moved(over, corner) for corner in outline) for outline in outlines} == outlines:
            after_it = [fold(stack, Fold(direction, position, 1)).range(axis) for axis in ("vertical", "horizontal")]
            if all(most - fewest >= least for fewest, most in after_it):
                folds += [Fold(direction, position, 1), Fold(direction, position, -1)]
    return tuple(folds)


def inside(corners: Corners, spot: Spot, margin: int) -> bool | None:
    """Return whether a point is in a convex polygon (counterclockwise), at least `margin` from its edges; None if it is nearer to an edge."""
    x, y = spot
    clear = True
    for (ax, ay), (bx, by) in pairwise((*corners, corners[0])):
        ex, ey = bx - ax, by - ay
        cross = ex * (y - ay) - ey * (x - ax)
        if cross * cross < margin * margin * (ex * ex + ey * ey):
            clear = False
        elif cross < 0:
            return False  # clearly outside one side of the polygon
    return True if clear else None


@dataclass(frozen=True, slots=True)
class PunchedLayer:
    """A hole in one layer: its position in the folded state, and the layer."""

    hole: Spot
    layer: Layer

    @property
    def flat(self) -> Spot:
        return moved(self.layer.back, self.hole)


def punch(stack: Stack, hole: Spot, margin: int) -> list[PunchedLayer] | None:
    """Return the hole in every layer at a point; None if it is nearer than `margin` to the edge of a layer."""
    under = {outline: inside(outline, hole, margin) for outline in stack.outlines}
    if None in under.values():
        return None
    return [PunchedLayer(hole, layer) for layer in stack.layers if under[layer.corners]]


def unfold(marks: Iterable[PunchedLayer]) -> tuple[Spot, ...]:
    """Return the sorted holes of the flat sheet."""
    return tuple(sorted({mark.flat for mark in marks}))
