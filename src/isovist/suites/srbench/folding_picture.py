"""The drawing of a paper folding item, and the rederivation of folds, holes and options from its shapes.

The top row shows the paper before each fold, with the crease and the shaded part that is folded over it, and then the folded paper
with its holes; the bottom row shows the options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from isovist.core.drawing2d import Circle, Drawing, Label, Line, Point, Polygon, Shape
from isovist.core.summation import sum_in_order
from isovist.suites.srbench.cot_folding import GRID, DrawnFold, mirrored
from isovist.suites.srbench.folding_distractors import STEP, Holes
from isovist.world.scenes.answer_options import letter_labels
from isovist.world.scenes.folded_paper import SHEET, SIDE, Corners, Fold, Spot, clipped, crease_ends, folded

# Layout of the drawing. Lengths are in units; at the default size, a unit has 400 pixels and the sheet 160.
PIXELS = 400
LEAST_PIXELS = 200  # a hole is then 5 px wide, a letter 12 px high, and distinguishing holes are 6 px apart
SHEET_SIDE = 0.4
GAP = 0.08  # between two sheets of a row
EDGE = 0.06  # between sheets and the sides of the image
TOP, BOTTOM = 0.56, 0.1  # the lower edges of the sheets of both rows
HEIGHT = 1.03
LETTER = (0.2, -0.045)  # from the lower left corner of an option
HOLE = 0.0125  # the radius
BACKGROUND, FILL, SHADE = "#ffffff", "#fff8e6", "#ced3d9"
INK, PLACE, CREASE, RULE = "#2b3138", "#c9ced4", "#2962cc", "#e4e7ea"


@dataclass(frozen=True, slots=True)
class Folding:
    """The folds, and where holes are punched in the folded paper, in steps of `scenes.folded_paper`."""

    folds: tuple[Fold, ...]
    holes: Holes


@dataclass(frozen=True, slots=True)
class Scene:
    """The folding, the holes of each option, and its distractor type: `KEY`, or the errors joined by "+"."""

    folding: Folding
    options: tuple[Holes, ...]
    errors: tuple[str, ...]


def columns(across: int, shown: int) -> tuple[float, ...]:
    """Return the left edges of the sheets of a centred row; the image is `across` sheets wide."""
    pitch = SHEET_SIDE + GAP
    return tuple(round(EDGE + pitch * ((across - shown) / 2 + i), 4) for i in range(shown))


def _at(left: float, bottom: float, spot: Spot) -> Point:
    return round(left + spot[0] * SHEET_SIDE / SIDE, 6), round(bottom + spot[1] * SHEET_SIDE / SIDE, 6)


def _piece(left: float, bottom: float, corners: Corners, fill: str | None, stroke: str = INK) -> Polygon:
    return Polygon(tuple(_at(left, bottom, corner) for corner in corners), fill, stroke, 0.004)


@lru_cache(maxsize=512)
def _fold_step(left: float, before: tuple[Fold, ...], crease: Fold | None) -> tuple[Shape, ...]:
    """Return the shapes of the folded paper with its next fold."""
    stack = folded(before)
    if crease is None:
        return tuple(_piece(left, TOP, outline, FILL) for outline in stack.outlines)
    shapes: list[Shape] = []
    for outline in stack.outlines:
        near, far = (clipped(outline, crease, beyond=beyond) for beyond in (False, True))
        shapes += [_piece(left, TOP, part, fill) for part, fill in ((near, FILL), (far, SHADE)) if part]
    (ax, ay), (bx, by) = crease_ends(stack, crease)
    over = 6 * STEP  # the drawn crease extends beyond the paper
    dx, dy = ((bx > ax) - (bx < ax)) * over, ((by > ay) - (by < ay)) * over
    return (*shapes, Line((_at(left, TOP, (ax - dx, ay - dy)), _at(left, TOP, (bx + dx, by + dy))), 0.006, CREASE))


@lru_cache(maxsize=16)
def _backdrop(top: tuple[float, ...], bottom: tuple[float, ...], width: float) -> tuple[Shape, ...]:
    """Return the shapes shared by all images with as many sheets: the outlines of the whole sheet, and the options with their letters."""
    sheet = SHEET.outlines[0]
    places = [_piece(left, TOP, sheet, None, PLACE) for left in top]
    sheets = [_piece(left, BOTTOM, sheet, FILL) for left in bottom]
    letters = letter_labels([(round(x + LETTER[0], 4), round(BOTTOM + LETTER[1], 4)) for x in bottom], 0.06, INK)
    return (Line(((EDGE, 0.53), (width - EDGE, 0.53)), 0.004, RULE), *places, *sheets, *letters)


def _holes(left: float, bottom: float, holes: Sequence[Spot]) -> list[Shape]:
    return [Circle(_at(left, bottom, hole), HOLE, INK) for hole in holes]


def draw(scene: Scene) -> tuple[Drawing, ...]:
    folds, options = scene.folding.folds, scene.options
    across = max(len(folds) + 1, len(options))
    width = round(2 * EDGE + across * SHEET_SIDE + (across - 1) * GAP, 4)
    top, bottom = columns(across, len(folds) + 1), columns(across, len(options))
    shapes: list[Shape] = []
    for number, left in enumerate(top):
        shapes += _fold_step(left, folds[:number], folds[number] if number < len(folds) else None)
    shapes += _holes(top[-1], TOP, scene.folding.holes)
    for left, holes in zip(bottom, options, strict=True):
        shapes += _holes(left, BOTTOM, holes)
    return (Drawing(tuple(shapes), _backdrop(top, bottom, width), width, HEIGHT, BACKGROUND),)


@lru_cache(maxsize=128)
def offset(spot: Point, line: Line) -> float:
    """Return a number whose sign gives the side of a drawn line on which a point is."""
    (ax, ay), (bx, by) = line.points
    return (bx - ax) * (spot[1] - ay) - (by - ay) * (spot[0] - ax)


def near(a: Point, b: Point) -> bool:
    """Return whether two points of a drawing coincide."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) < 1e-4


def drawn_folds(scene: Scene) -> tuple[list[DrawnFold], list[Point], dict[str, list[Point]]]:
    """Return the folds, the holes in the folded paper, and the holes of each option by letter, in grid squares, from the drawn shapes."""
    (picture,) = draw(scene)
    creases = sorted((shape for shape in picture.shapes if isinstance(shape, Line)), key=lambda line: line.points[0])
    pieces = [shape for shape in picture.shapes if isinstance(shape, Polygon)]
    discs = [shape.center for shape in picture.shapes if isinstance(shape, Circle)]
    pitch = SHEET_SIDE + GAP
    first = picture.width / 2 - pitch * (len(creases) + 1) / 2 + GAP / 2  # the left edge of the top row

    def on(left: float, bottom: float, points: Sequence[Point]) -> tuple[Point, ...]:
        """Return points in the frame of a sheet, from its lower left corner."""
        return tuple(((x - left) * GRID / SHEET_SIDE, (y - bottom) * GRID / SHEET_SIDE) for x, y in points)

    def holes(left: float, bottom: float) -> list[Point]:
        return [hole for hole in on(left, bottom, discs) if all(0 < v < GRID for v in hole)]

    folds: list[DrawnFold] = []
    for number, line in enumerate(creases):
        left = first + pitch * number
        mine = [polygon for polygon in pieces if all(-GAP / 2 < x - left < SHEET_SIDE + GAP / 2 for x, _ in polygon.points)]
        stays, grey = (tuple(on(left, TOP, polygon.points) for polygon in mine if polygon.fill == fill) for fill in (FILL, SHADE))
        folds.append(DrawnFold(replace(line, points=on(left, TOP, line.points)), stays, grey))
    letters = [shape for shape in picture.backdrop if isinstance(shape, Label)]
    options = {label.text: holes(label.position[0] - LETTER[0], label.position[1] - LETTER[1]) for label in letters}
    return folds, holes(first + pitch * len(creases), TOP), options


def read(pictures: tuple[Drawing, ...], _text: str) -> str:
    """Return the key: fold points of the flat sheet along the drawn creases and keep those under a drawn hole."""
    shapes = pictures[0].shapes
    creases = sorted((shape for shape in shapes if isinstance(shape, Line)), key=lambda line: line.points[0][0] + line.points[1][0])
    shades = [shape for shape in shapes if isinstance(shape, Polygon) and shape.fill == SHADE]
    discs = [shape.center for shape in shapes if isinstance(shape, Circle)]
    letters = sorted((label for label in pictures[0].backdrop if isinstance(label, Label)), key=lambda label: label.position[0])
    pitch = SHEET_SIDE + GAP
    lefts = [pictures[0].width / 2 + pitch * (i - (len(creases) + 1) / 2) + GAP / 2 for i in range(len(creases) + 1)]
    steps: list[tuple[Line, float]] = []  # each crease in the frame of its own sheet, and the side of what is folded
    for line, left in zip(creases, lefts, strict=False):
        moved_line = replace(line, points=tuple((x - left, y - TOP) for x, y in line.points))
        grey = [(x - left, y - TOP) for polygon in shades for x, y in polygon.points if left - 0.01 <= x <= left + SHEET_SIDE + 0.01]
        steps.append((moved_line, sum_in_order(offset(spot, moved_line) for spot in grey)))

    def landing(spot: Point) -> Point:
        for line, grey in steps:
            if offset(spot, line) * grey > 0:
                spot = mirrored(spot, line)
        return spot

    opened: list[Point] = []
    for x, y in discs:
        if y > TOP:
            hole = (x - lefts[-1], y - TOP)
            spots = [hole]
            for line, _ in reversed(steps):
                spots += [mirrored(spot, line) for spot in spots]
            for spot in spots:  # where three creases meet, one spot is found twice
                known = any(near(spot, other) for other in opened)
                if not known and all(0 < v < SHEET_SIDE for v in spot) and near(landing(spot), hole):
                    opened.append(spot)
    for letter in letters:
        left, bottom = letter.position[0] - LETTER[0], letter.position[1] - LETTER[1]
        shown = [(x - left, y - bottom) for x, y in discs if y < TOP and left < x < left + SHEET_SIDE]
        if len(shown) == len(opened) and all(any(near(spot, hole) for hole in shown) for spot in opened):
            return f"sheet {letter.text}"
    return "none of the sheets"
