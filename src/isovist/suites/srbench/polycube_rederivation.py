"""Rederivation of the answer of a mental rotation page from its drawn squares alone.

The parallelograms of a body have edges of three directions. The position of their centres determines the lattice position of each cube
if the directions of the axes toward the eye are known. There are two interpretations (a wireframe cube is ambiguous), and in only one
of them the visible faces of the body are exactly those that are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations, product

from isovist.core.answers import LETTERS
from isovist.core.drawing2d import Drawing, Label, Line, Point, Polygon
from isovist.core.summation import sum_in_order

NOUN = "object"
Cells = frozenset[tuple[int, ...]]
_LONGEST = 5  # cubes between two squares of one body, at most
_CLOSE = 0.02  # tolerance in cube edges: larger than the rounding, smaller than the distance of two lattice positions


def read(drawings: tuple[Drawing, ...], _text: str) -> str:
    """Return the name of the option that can be rotated into the body in the frame. Raises ValueError unless it is unique."""
    (drawing,) = drawings
    (frame,) = [line for line in drawing.backdrop if isinstance(line, Line) and len(line.points) == 5]
    floor = min(y for _, y in frame.points)
    letters = [shape for shape in drawing.shapes if isinstance(shape, Label)]
    squares = [shape.points for shape in drawing.shapes if isinstance(shape, Polygon)]
    original = _cells([points for points in squares if _middle(points)[1] > floor])
    below: dict[str, list[Sequence[Point]]] = {letter.text: [] for letter in letters}
    for points in squares:
        x, y = _middle(points)
        if y < floor:
            below[min(letters, key=lambda letter: abs(letter.position[0] - x)).text].append(points)
    matching = [letter for letter, option in below.items() if _one_body(original, _cells(option))]
    if len(matching) != 1 or matching[0] not in LETTERS:
        raise ValueError(f"{len(matching)} options are the body in the frame")
    return f"{NOUN} {matching[0]}"


def _middle(points: Sequence[Point]) -> Point:
    return sum_in_order(x for x, _ in points) / len(points), sum_in_order(y for _, y in points) / len(points)


def _cross(p: Point, q: Point) -> float:
    return p[0] * q[1] - p[1] * q[0]


def _same(p: Point, q: Point, scale: float) -> bool:
    return abs(p[0] - q[0]) < scale and abs(p[1] - q[1]) < scale


def _directions(squares: Sequence[Sequence[Point]], scale: float) -> tuple[list[Point], list[frozenset[int]]]:
    """Return the three edge directions, and the two directions of each square."""
    known: list[Point] = []
    sides: list[frozenset[int]] = []
    for a, b, _, d in squares:
        pair: set[int] = set()
        for end in (b, d):
            edge = (end[0] - a[0], end[1] - a[1])
            back = (-edge[0], -edge[1])
            at = next((i for i, one in enumerate(known) if _same(one, edge, scale) or _same(one, back, scale)), len(known))
            if at == len(known):
                known.append(edge)
            pair.add(at)
        sides.append(frozenset(pair))
    if len(known) != 3:
        raise ValueError(f"edges of {len(known)} directions")
    return known, sides


def _cells(squares: Sequence[Sequence[Point]]) -> Cells:
    """Return the cubes of a body, in a right-handed frame of its own."""
    (a, b, *_), *_ = squares
    scale = max(abs(b[0] - a[0]), abs(b[1] - a[1])) * _CLOSE
    known, sides = _directions(squares, scale)
    candidates: list[Cells] = []
    # Axes that run toward the eye have a sum, with positive weights, that points straight at it: each lies between the
    # reverses of the two others. Named counterclockwise they are a right-handed frame.
    for order, signs in product(((0, 1, 2), (0, 2, 1)), product((1, -1), repeat=3)):
        axes = [(signs[i] * known[order[i]][0], signs[i] * known[order[i]][1]) for i in range(3)]
        if all(_cross(axes[i], axes[(i + 1) % 3]) > 0 for i in range(3)):
            across = [next(i for i in range(3) if order[i] not in pair) for pair in sides]
            cells = _placed([_middle(points) for points in squares], across, axes, scale)
            if cells is not None:
                candidates.append(cells)
    if len(candidates) != 1:
        raise ValueError(f"a body has {len(candidates)} interpretations")
    return candidates[0]


def _placed(middles: Sequence[Point], across: Sequence[int], axes: Sequence[Point], scale: float) -> Cells | None:
    """Return the cubes whose visible faces are exactly the squares with these centres; None if there are none."""
    centres = [(x - axes[i][0] / 2, y - axes[i][1] / 2) for (x, y), i in zip(middles, across, strict=True)]
    cells = [_lattice((x - centres[0][0], y - centres[0][1]), axes, scale) for x, y in centres]
    solid = {cell for cell in cells if cell is not None}
    drawn = {(cell, i) for cell, i in zip(cells, across, strict=True) if cell is not None}
    behind = ((cell, i) for cell in solid for i in range(3))
    open_faces = {(cell, i) for cell, i in behind if tuple(v + (k == i) for k, v in enumerate(cell)) not in solid}
    return frozenset(solid) if None not in cells and drawn == open_faces and len(drawn) == len(cells) else None


def _lattice(place: Point, axes: Sequence[Point], scale: float) -> tuple[int, ...] | None:
    """Return the lattice position that is drawn at a point, if there is one."""
    (a, b, c) = axes
    whole = _cross(b, c)
    for x in range(-_LONGEST, _LONGEST + 1):
        rest = (place[0] - x * a[0], place[1] - x * a[1])
        y, z = round(_cross(rest, c) / whole), round(_cross(b, rest) / whole)
        point = (y * b[0] + z * c[0], y * b[1] + z * c[1])
        if max(abs(y), abs(z)) <= _LONGEST and _same(point, rest, scale):
            return x, y, z
    return None


def _corner(cells: Iterable[tuple[int, ...]]) -> Cells:
    """Return the cells moved to the origin."""
    listed = list(cells)
    low = [min(axis) for axis in zip(*listed, strict=True)]
    return frozenset(tuple(v - least for v, least in zip(cell, low, strict=True)) for cell in listed)


def _one_body(a: Cells, b: Cells) -> bool:
    """Return whether a rotation maps one body to the other: a signed permutation of the axes with determinant 1."""
    wanted = _corner(a)
    for (i, j, k), (p, q, r) in product(permutations(range(3)), product((1, -1), repeat=3)):
        swaps = (i > j) + (i > k) + (j > k)
        if p * q * r * (-1) ** swaps == 1 and _corner((p * cell[i], q * cell[j], r * cell[k]) for cell in b) == wanted:
            return True
    return False
