"""Piles on a page, and the piles that a page shows."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.drawing2d import INK, CubeGroup, Drawing, Label, Line, Point, Polygon, Shape
from isovist.world.scenes import pile
from isovist.world.scenes.option_page import FRAME, MARGIN, PANEL
from isovist.world.scenes.pile import SIDES, Heights
from isovist.world.scenes.solid_view import EDGE, STEEP, TONES, box_of, face, on_page

_HEAD = 0.03
"""Length and width of the head of an arrow, in units."""
MARK = "#b3431f"
"""The colour of arrows and of the eye."""
FLAT = "#dfe5eb"
"""The fill of squares of a flat view."""
HIGHEST = 4
"""Cubes of the highest column that a flat view has room for."""
FLOOR, FLOOR_EDGE = "#ffffff", "#9aa5b1"
"""The fill and the edge of squares of the floor without a cube."""

MOST = 5
"""Cubes of the highest column of any pile."""
_AXES = {TONES[0]: 0, TONES[1]: 1, TONES[2]: 2, FLOOR: 2}


def painted(heights: Heights, scale: float, middle: Point) -> list[Polygon]:
    """The faces of a pile in painting order; its bounding rectangle has its middle at a point of the page. `scale`: units of a cube edge."""
    faces = pile.faces(heights, STEEP)
    at = _origin([one.corners for one in faces], scale, middle)
    floor = [Polygon(on_page(one.corners, scale, at), FLOOR, FLOOR_EDGE, EDGE) for one in faces if one.axis == 2 and one.square[2] == 0]
    return [*floor, *(face(one.corners, one.axis, scale, at) for one in faces if one.axis < 2 or one.square[2] > 0)]


def _origin(outlines: Sequence[Sequence[Point]], scale: float, middle: Point) -> Point:
    left, bottom, right, top = box_of(outlines)
    return middle[0] - (left + right) / 2 * scale, middle[1] - (bottom + top) / 2 * scale


def beside(heights: Heights, side: str, scale: float, middle: Point, away: float) -> Point:
    """The point of the floor at a distance in units, as measured in the image, from the middle of a side."""
    a, b = pile.width(heights)
    x, y = {"front": (a, b / 2), "right": (a / 2, b), "back": (0, b / 2), "left": (a / 2, 0)}[side]
    at = _origin([one.corners for one in pile.faces(heights, STEEP)], scale, middle)
    u, v = STEEP.place(x, y, 0)
    dx, dy = ahead(side)
    return at[0] + u * scale - dx * away, at[1] + v * scale - dy * away


def ahead(side: str) -> Point:
    """The direction in the image, of length 1, in which one at a side looks at the pile."""
    place = SIDES.index(side)
    x, y = STEEP.across[place % 2]
    length = (x * x + y * y) ** 0.5 * (-1 if place < 2 else 1)
    return x / length, y / length


def size(a: int, b: int, c: int) -> tuple[float, float]:
    """The width and height in the image, in cube edges, of a pile of `a` times `b` columns that are `c` cubes high."""
    left, bottom, right, top = box_of([[STEEP.place(x, y, z) for x in (0, a) for y in (0, b) for z in (0, c)]])
    return right - left, top - bottom


def option_scale(a: int, b: int) -> float:
    """The scale of piles of `a` times `b` columns that stand in a row of options."""
    return round((PANEL - 2 * MARGIN) / max(size(a, b, HIGHEST)), 5)


def shown(polygons: Sequence[Polygon]) -> Heights:
    """The pile of drawn faces. Raises ValueError unless they are exactly the faces that are seen of one pile."""
    return pile.read([(_AXES[polygon.fill or ""], polygon.points) for polygon in polygons], STEEP, _scale(polygons))


def _scale(polygons: Sequence[Polygon]) -> float:
    (x0, _), (x1, _), *_ = next(polygon.points for polygon in polygons if _AXES[polygon.fill or ""] == 2)
    return (x1 - x0) / STEEP.across[0][0]


_CAPTION, _CAPTION_REACH = 0.042, 0.19


def caption(text: str, at: Point) -> Label:
    return Label(text, at, _CAPTION)


def side_arrows(heights: Heights, scale: float, middle: Point) -> list[Shape]:
    """Arrows to the front and to the right side of a pile, with their names."""
    shapes: list[Shape] = []
    for side in ("front", "right"):
        tail, tip = (beside(heights, side, scale, middle, away) for away in (0.085, 0.02))
        name_x = min(max(tail[0], middle[0] - _CAPTION_REACH), middle[0] + _CAPTION_REACH)
        shapes += [*arrow(tail, tip), caption(side, (name_x, tail[1] - 0.035))]
    return shapes


def arrow(tail: Point, tip: Point) -> list[Shape]:
    """An arrow from a point of the page to another one."""
    dx, dy = tip[0] - tail[0], tip[1] - tail[1]
    length = (dx * dx + dy * dy) ** 0.5
    ux, uy = dx / length, dy / length
    neck = (tip[0] - ux * _HEAD, tip[1] - uy * _HEAD)
    head = (tip, (neck[0] - uy * _HEAD / 2, neck[1] + ux * _HEAD / 2), (neck[0] + uy * _HEAD / 2, neck[1] - ux * _HEAD / 2))
    return [Line((tail, neck), 0.007, MARK), Line((*head, tip), 0.009, MARK)]


def by_letter(drawing: Drawing) -> tuple[dict[str, list[Polygon]], list[Polygon]]:
    """The polygons of each lettered option, and those of the reference above them."""
    letters = [shape for shape in drawing.shapes if isinstance(shape, Label) and len(shape.text) == 1]
    (frame,) = [shape for shape in drawing.backdrop if isinstance(shape, Line) and shape.fill == FRAME]
    edge = min(y for _, y in frame.points)
    below: dict[str, list[Polygon]] = {letter.text: [] for letter in letters}
    above: list[Polygon] = []
    for shape in drawing.shapes:
        if isinstance(shape, Polygon):
            x, y = shape.points[0]
            if y > edge:
                above.append(shape)
            else:
                below[min(letters, key=lambda letter: abs(letter.position[0] - x)).text].append(shape)
    return below, above


def cubes(polygons: Sequence[Polygon]) -> CubeGroup:
    """The cubes of a drawn pile. Raises ValueError as `shown` does."""
    heights = shown(polygons)
    edge = _scale(polygons)
    (left, bottom, *_), (x, y, *_) = (
        box_of(outlines) for outlines in ([polygon.points for polygon in polygons], [one.corners for one in pile.faces(heights, STEEP)])
    )
    columns = [(i, j, high) for i, row in enumerate(heights) for j, high in enumerate(row)]
    cells = tuple((i, j, z) for i, j, high in columns for z in range(high))
    floor = tuple((i, j) for i, j, high in columns if not high)
    return CubeGroup(cells, floor, (left - x * edge, bottom - y * edge), edge, STEEP.toward)


def flat(columns: Sequence[int], edge: float, middle: Point) -> list[Polygon]:
    """A view of a pile straight on: squares, from left to right and from below. The rectangle of `HIGHEST` rows has its middle at a point."""
    left, bottom = middle[0] - len(columns) * edge / 2, middle[1] - HIGHEST * edge / 2
    return [_square(left + k * edge, bottom + z * edge, edge) for k, high in enumerate(columns) for z in range(high)]


def plan(heights: Heights, edge: float, middle: Point) -> list[Polygon]:
    """The view from above, with the front below: squares with cubes, and empty ones."""
    a, b = pile.width(heights)
    left, top = middle[0] - b * edge / 2, middle[1] + a * edge / 2
    squares = [(high > 0, left + j * edge, top - (i + 1) * edge) for i, row in enumerate(heights) for j, high in enumerate(row)]
    return [_square(x, y, edge, has_cubes=has_cubes) for has_cubes, x, y in sorted(squares)]


def _square(x: float, y: float, edge: float, *, has_cubes: bool = True) -> Polygon:
    outline = on_page(((0, 0), (1, 0), (1, 1), (0, 1)), edge, (x, y))
    return Polygon(outline, FLAT, INK, EDGE) if has_cubes else Polygon(outline, FLOOR, FLOOR_EDGE, EDGE)


def columns_of(polygons: Sequence[Polygon]) -> tuple[int, ...]:
    """The heights of the columns of a flat view, from left to right. Raises ValueError for columns with gaps."""
    lefts = sorted(polygon.points[0] for polygon in polygons)
    edge = polygons[0].points[1][0] - polygons[0].points[0][0]
    counts: dict[int, list[int]] = {}
    x0, y0 = lefts[0][0], min(y for _, y in lefts)
    for x, y in lefts:
        counts.setdefault(round((x - x0) / edge), []).append(round((y - y0) / edge))
    if sorted(counts) != list(range(len(counts))) or any(column != list(range(len(column))) for column in counts.values()):
        raise ValueError("the squares are not columns without gaps")
    return tuple(len(counts[k]) for k in range(len(counts)))
