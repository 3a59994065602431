"""A sheet of paper that is folded, punched and opened again, in exact whole numbers.

Frame: x to the right, y up, the flat sheet is the square from (0, 0) to (SIDE, SIDE); one step of the lattice is 1/SIDE
of its side. A folded sheet is a stack of layers, bottom first; each is a convex polygon and knows the motion that takes
it back to its place on the flat sheet. Folds run along verticals, horizontals and both diagonals, so every reflection
takes lattice points to lattice points. Creases lie at multiples of `CREASES`; then the corners of all layers are lattice
points too, however often the sheet is folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

Spot = tuple[int, int]
Corners = tuple[Spot, ...]
Motion = tuple[int, int, int, int, int, int]
"""(a, b, c, d, e, f) takes (x, y) to (a x + b y + e, c x + d y + f)."""

SIDE = 1280
CREASES = 40
STAY: Motion = (1, 0, 0, 1, 0, 0)

# The lines a x + b y = at; a rising line climbs from left to right.
WAYS: dict[str, Spot] = {"vertical": (1, 0), "horizontal": (0, 1), "rising": (1, -1), "falling": (1, 1)}


def moved(motion: Motion, spot: Spot) -> Spot:
    """Where a motion takes a spot."""
    a, b, c, d, e, f = motion
    x, y = spot
    return a * x + b * y + e, c * x + d * y + f


def after(second: Motion, first: Motion) -> Motion:
    """The motion that does `first` and then `second`."""
    a, b, c, d, _, _ = second
    p, q, r, s, _, _ = first
    e, f = moved(second, first[4:])
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e, f


def mirror(way: str, at: int) -> Motion:
    """The reflection in the line a x + b y = at."""
    a, b = WAYS[way]
    return mirror_through(way, (at * a, at * b) if a * b else (2 * at * a, 2 * at * b))


def mirror_through(way: str, twice: Spot) -> Motion:
    """The reflection in the line through a point given by twice its coordinates (those of a diagonal add up to an even number)."""
    x, y = twice
    if way == "vertical":
        return -1, 0, 0, 1, x, 0
    if way == "horizontal":
        return 1, 0, 0, -1, 0, y
    if way == "rising":
        return 0, 1, 1, 0, (x - y) // 2, (y - x) // 2
    return 0, -1, -1, 0, (x + y) // 2, (x + y) // 2


def turn_about(quarters: int, twice: Spot) -> Motion:
    """Quarter turns clockwise about a point given by twice its coordinates (which add up to an even number)."""
    x, y = twice
    quarter: Motion = (0, 1, -1, 0, (x - y) // 2, (x + y) // 2)
    motion = STAY
    for _ in range(quarters % 4):
        motion = after(quarter, motion)
    return motion


@dataclass(frozen=True, slots=True)
class Fold:
    """What lies beyond a line (`side` 1: where a x + b y > at, -1: the other side) is folded over it."""

    direction: str
    position: int
    side: int

    def beyond(self, spot: Spot) -> int:
        """How far beyond the line a spot lies, negative before it; along a diagonal in steps of 1/sqrt(2)."""
        a, b = WAYS[self.direction]
        return self.side * (a * spot[0] + b * spot[1] - self.position)

    @property
    def mirror(self) -> Motion:
        return mirror(self.direction, self.position)


@dataclass(frozen=True, slots=True)
class Layer:
    """A piece of the folded sheet: its corners in the folded view, the motion back to the flat sheet, and the folds
    (their numbers, ascending) in which it was on the part that was folded over.
    """

    corners: Corners
    back: Motion
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """A folded sheet: its layers, bottom first, their different outlines (of equal ones the topmost counts), and how
    often it was folded.
    """

    layers: tuple[Layer, ...]
    outlines: tuple[Corners, ...]
    folds: int

    def range(self, way: str) -> tuple[int, int]:
        """The least and the largest a x + b y of its corners."""
        a, b = WAYS[way]
        values = [a * x + b * y for outline in self.outlines for x, y in outline]
        return min(values), max(values)


def _stack(layers: Sequence[Layer], folds: int) -> Stack:
    outlines = dict.fromkeys(layer.corners for layer in reversed(layers))
    return Stack(tuple(layers), tuple(reversed(outlines)), folds)


SHEET = _stack([Layer(((0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)), STAY, ())], 0)


def clipped(corners: Corners, fold: Fold, *, beyond: bool) -> Corners:
    """The part of a convex polygon beyond the line of a fold, or before it; empty if there is none."""
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
    """The same corners in the same sense, the leftmost first: equal polygons become equal tuples."""
    first = corners.index(min(corners))
    return (*corners[first:], *corners[:first])


def _between(a: Spot, b: Spot, part: int, whole: int) -> Spot:
    x, over_x = divmod((b[0] - a[0]) * part, whole)
    y, over_y = divmod((b[1] - a[1]) * part, whole)
    if over_x or over_y:
        raise ValueError(f"a fold between {a} and {b} leaves the lattice; creases lie at multiples of {CREASES}")
    return a[0] + x, a[1] + y


def fold(stack: Stack, crease: Fold) -> Stack:
    """The stack with the part beyond the line folded over: mirrored, in reverse order, on top of the rest."""
    kept: list[Layer] = []
    flap: list[Layer] = []
    over = crease.mirror
    for layer in stack.layers:
        if near := clipped(layer.corners, crease, beyond=False):
            kept.append(Layer(near, layer.back, layer.path))
        if far := clipped(layer.corners, crease, beyond=True):
            turned = _from_the_left([moved(over, corner) for corner in reversed(far)])
            flap.append(Layer(turned, after(layer.back, over), (*layer.path, stack.folds)))
    return _stack((*kept, *reversed(flap)), stack.folds + 1)


@lru_cache(maxsize=512)  # sheets that are folded in half are folded in few ways
def folded(creases: tuple[Fold, ...]) -> Stack:
    """The sheet after these folds. Raises ValueError if a crease misses the lattice."""
    return fold(folded(creases[:-1]), creases[-1]) if creases else SHEET


def crease_ends(stack: Stack, crease: Fold) -> tuple[Spot, Spot]:
    """Where the line of a fold enters and leaves the paper. Raises ValueError if it misses it."""
    parts = (clipped(outline, crease, beyond=beyond) for outline in stack.outlines for beyond in (False, True))
    on = {spot for part in parts for spot in part if crease.beyond(spot) == 0}
    if len(on) < 2:
        raise ValueError("the line misses the paper")
    return min(on), max(on)


@lru_cache(maxsize=512)
def halvings(creases: tuple[Fold, ...], least: int = 0) -> tuple[Fold, ...]:
    """The folds that lay one half of a folded sheet exactly on the other, both ways round: its lines of symmetry.

    Folds after which the paper would be less than `least` wide or high are left out.
    """
    stack = folded(creases)
    outlines = {frozenset(outline) for outline in stack.outlines}
    folds: list[Fold] = []
    for way in WAYS:
        low, high = stack.range(way)
        if (low + high) % (2 * CREASES):
            continue
        at = (low + high) // 2
        over = mirror(way, at)
        if {frozenset(moved(over, corner) for corner in outline) for outline in outlines} == outlines:
            after_it = [fold(stack, Fold(way, at, 1)).range(axis) for axis in ("vertical", "horizontal")]
            if all(most - fewest >= least for fewest, most in after_it):
                folds += [Fold(way, at, 1), Fold(way, at, -1)]
    return tuple(folds)


def inside(corners: Corners, spot: Spot, margin: int) -> bool | None:
    """Whether a spot lies in a convex polygon (anticlockwise), at least `margin` from its edges; None if it is nearer to an edge."""
    x, y = spot
    clear = True
    for (ax, ay), (bx, by) in pairwise((*corners, corners[0])):
        ex, ey = bx - ax, by - ay
        cross = ex * (y - ay) - ey * (x - ax)
        if cross * cross < margin * margin * (ex * ex + ey * ey):
            clear = False
        elif cross < 0:
            return False  # clear of a line that has the whole polygon behind it
    return True if clear else None


@dataclass(frozen=True, slots=True)
class PunchedLayer:
    """A hole in one layer: where it was punched in the folded view, and the layer."""

    hole: Spot
    layer: Layer

    @property
    def flat(self) -> Spot:
        return moved(self.layer.back, self.hole)


def punch(stack: Stack, hole: Spot, margin: int) -> list[PunchedLayer] | None:
    """The hole in every layer under a spot; None if it would come nearer than `margin` to the edge of a layer."""
    under = {outline: inside(outline, hole, margin) for outline in stack.outlines}
    if None in under.values():
        return None
    return [PunchedLayer(hole, layer) for layer in stack.layers if under[layer.corners]]


def unfold(marks: Iterable[PunchedLayer]) -> tuple[Spot, ...]:
    """The holes of the flat sheet, in order."""
    return tuple(sorted({mark.flat for mark in marks}))
