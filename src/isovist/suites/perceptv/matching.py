"""Match Outline and Match Shadow: for each row, do two images show the same shape?

In the authors' release a row shows one of four shapes. Here it is one of eight, and two similar shapes (such as a circle and a hexagon) are
never compared. The rows are independent, with equal probabilities of "same" and "different". The areas of the two shapes are sampled
independently of their kinds, so the amount of ink gives no information. Rows are answered with "same" or "different" because a list of yes
and no is difficult to distinguish from a sentence that starts with "no".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Any

from isovist.core.answers import WordSequence
from isovist.core.drawing2d import Circle, Drawing, Label, Line, Point, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import Answers, Checks, Exemption, SamplingContext, Task, identity
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.shared_parts import (
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    asking,
    chance_of_sequences,
    first,
    reversed_answer,
    sheet,
    size,
)
from isovist.world.scenes.palette import HUES

OUTLINES: dict[str, tuple[Point, ...]] = {
    "square": ((-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86)),
    "diamond": ((0.0, -1.17), (0.78, 0.0), (0.0, 1.17), (-0.78, 0.0)),
    "hexagon": ((1.04, 0.0), (0.52, 0.9), (-0.52, 0.9), (-1.04, 0.0), (-0.52, -0.9), (0.52, -0.9)),
    "triangle": ((-1.15, -0.86), (1.15, -0.86), (0.0, 1.12)),
    "arrow": ((0.0, 1.14), (1.0, 0.1), (0.42, 0.1), (0.42, -1.0), (-0.42, -1.0), (-0.42, 0.1), (-1.0, 0.1)),
    "star": (
        *((0.0, 1.2), (-0.294, 0.405), (-1.141, 0.371), (-0.476, -0.155), (-0.705, -0.971)),
        *((0.0, -0.5), (0.705, -0.971), (0.476, -0.155), (1.141, 0.371), (0.294, 0.405)),
    ),
    "cross": (
        *((-0.36, -1.05), (0.36, -1.05), (0.36, -0.36), (1.05, -0.36), (1.05, 0.36), (0.36, 0.36)),
        *((0.36, 1.05), (-0.36, 1.05), (-0.36, 0.36), (-1.05, 0.36), (-1.05, -0.36), (-0.36, -0.36)),
    ),
}
"""Corners of the shapes relative to their centre, in radii; a circle has none."""

_PAIRS = (("circle", "hexagon"), ("square", "diamond"), ("triangle", "arrow"), ("star", "cross"))
ALIKE = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
"""For each shape, the similar shape with which it is never compared. All other shapes are clearly different."""

FORMS = tuple(ALIKE)
ROW_HUES = ("red", "green", "blue", "orange", "purple", "pink", "brown", "cyan")
SHADOW = "#4b5058"
WORDS = ("same", "different")
STROKE = 0.0075  # of an outline: 3 pixels
ROW, WIDTH, MARGIN = 0.15, 0.6, 0.04  # a row of 60 pixels
_COVER, _TIMES = (0.0038, 0.0046), (0.72, 1.39)  # area in square units, and the ratio of the compared shape's area to it
_SHIFT = 0.1  # largest horizontal shift of a shape
_AT, _NUMBER_AT = 0.36, 0.1  # x of the shapes and of the row numbers
_RULE, _NUMBER = "#e4e7ea", "#7d858c"


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its filled shape and colour, the shape it is compared with, their horizontal shift, and their radii."""

    shape: str
    colour: str
    other_shape: str
    shift: float
    radius: float
    other_radius: float


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of both images, from top to bottom."""

    rows: tuple[Row, ...]


def figure(form: str, at: Point, radius: float, fill: str | None, stroke: str | None = None, width: float = 0.0) -> Shape:
    """A circle or one of the `OUTLINES`, filled or as an outline."""
    if form == "circle":
        return Circle(at, radius, fill, stroke, width)
    return Polygon(tuple((round(at[0] + radius * x, 4), round(at[1] + radius * y, 4)) for x, y in OUTLINES[form]), fill, stroke, width)


def area(form: str) -> float:
    """The area of a shape, in squared radii."""
    if form == "circle":
        return pi
    points = OUTLINES[form]
    return abs(sum_in_order(a * d - b * c for (a, b), (c, d) in zip(points, (*points[1:], points[0]), strict=True))) / 2


def _sample_row(rng: Rng, match: bool) -> Row:
    form = rng.pick(FORMS)
    other = form if match else rng.pick([candidate for candidate in FORMS if candidate not in (form, ALIKE[form])])
    cover = rng.uniform(*_COVER)
    times = _TIMES[0] * (_TIMES[1] / _TIMES[0]) ** rng.random()
    radii = (round((size / area(kind)) ** 0.5, 4) for size, kind in ((cover, form), (cover * times, other)))
    return Row(form, rng.pick(ROW_HUES), other, round(rng.uniform(-_SHIFT, _SHIFT), 4), *radii)


def _sample(plan: SamplingContext) -> Rows:
    matches = [plan.stratum == 1, *(plan.image_rng.chance(0.5) for _ in range(size(plan) - 1))]
    return plan.check_split(Rows(tuple(_sample_row(plan.image_rng, match) for match in matches)))


def _draw_rows(scene: Rows, shape: Callable[[Row, Point], Shape]) -> Drawing:
    """Draw numbered rows with one shape each."""
    n = len(scene.rows)
    height = round(n * ROW + 2 * MARGIN, 4)
    middles = [round(height - MARGIN - (i + 0.5) * ROW, 4) for i in range(n)]
    rules = [Line(((0.05, round(y - ROW / 2, 4)), (WIDTH - 0.05, round(y - ROW / 2, 4))), 0.004, _RULE) for y in middles[:-1]]
    shapes = [shape(row, (round(_AT + row.shift, 4), y)) for row, y in zip(scene.rows, middles, strict=True)]
    numbers = [Label(str(i), (_NUMBER_AT, y), 0.055, _NUMBER) for i, y in enumerate(middles, 1)]
    return sheet((*rules, *shapes, *numbers), WIDTH, height)


def _draw_pair(scene: Rows, fill: str | None, stroke: str | None = None, width: float = 0.0) -> tuple[Drawing, ...]:
    """Draw the filled shapes in the first image and the compared shapes in the given style in the second."""
    filled = _draw_rows(scene, lambda row, at: figure(row.shape, at, row.radius, HUES[row.colour]))
    return filled, _draw_rows(scene, lambda row, at: figure(row.other_shape, at, row.other_radius, fill, stroke, width))


def _key(scene: Rows) -> WordSequence:
    return WordSequence(tuple(WORDS[row.shape != row.other_shape] for row in scene.rows), WORDS)


def _corners(drawing: Drawing) -> list[int]:
    """The number of corners of the shape in each row, from top to bottom: 0 for a circle and -4 for a diamond."""
    by_height: list[tuple[float, int]] = []
    for shape in drawing.shapes:
        match shape:
            case Circle(center=(_, y)):
                by_height.append((y, 0))
            case Polygon(points=points):
                ys = [y for _, y in points]
                tilted = len(points) == 4 and len(set(ys)) > 2  # a square has two heights, a diamond three
                by_height.append(((min(ys) + max(ys)) / 2, -4 if tilted else len(points)))
            case _:
                pass
    return [corners for _, corners in sorted(by_height, reverse=True)]


def _read(first: Drawing, second: Drawing) -> str:
    return ", ".join(WORDS[a != b] for a, b in zip(_corners(first), _corners(second), strict=True))


def _upside_down(scene: Rows) -> tuple[Rows, Callable[[str], str]]:
    """Reverse the rows; this reverses the answer."""
    return Rows(scene.rows[::-1]), reversed_answer


def _swap(scene: Rows) -> tuple[Rows, Callable[[str], str]]:
    """Swap the shapes of the two images. The answer does not change."""
    return Rows(tuple(Row(row.other_shape, row.colour, row.shape, row.shift, row.other_radius, row.radius) for row in scene.rows)), identity


def _box(form: str) -> float:
    """The area of the bounding box of a shape, in squared radii."""
    points = OUTLINES.get(form, ((-1.0, -1.0), (1.0, 1.0)))
    wide, high = (max(at) - min(at) for at in zip(*points, strict=True))
    return wide * high


_ANSWERS = Answers(type="sequence", strata=2, balance=first, best_constant=chance_of_sequences(len(WORDS)))
_CHECKS = Checks(
    symmetries=(_upside_down, _swap),
    shortcuts={**shortcuts.alike(area, "ink", partial=False), **shortcuts.alike(_box, "box", partial=True)},
    exemptions={"pixels": Exemption("shape is the question: the file size of an image with one row depends on its shape", 1.0, {"": 0.08})},
)
_COMPARE = "State whether they are the same kind of shape or different kinds. Ignore their sizes."

TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/match-outline",
        version=3,
        summary="Match the outlines in one image with the filled shapes in another, row by row.",
        sample=_sample,
        draw=lambda scene: _draw_pair(scene, None, HUES["black"], STROKE),
        ask=asking(
            (
                "Both images show numbered rows. Each row of the first image contains a shape filled with colour. "
                "Each row of the second image contains the outline of a shape."
            ),
            (
                "For each row number, from top to bottom, compare the filled shape in the first image with the outline in the second image. "
                f"{_COMPARE}"
            ),
            _key,
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=_ANSWERS,
        skills=SKILLS["match-outline"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["match-outline"],
        checks=_CHECKS,
    ),
    Task(
        id="perceptv/match-shadow",
        version=3,
        summary="Match the shadows in one image with the coloured shapes in another, row by row.",
        sample=_sample,
        draw=lambda scene: _draw_pair(scene, SHADOW),
        ask=asking(
            (
                "Both images show numbered rows. Each row of the first image contains a coloured shape. "
                "Each row of the second image contains a dark shadow of a shape."
            ),
            (
                "For each row number, from top to bottom, compare the coloured shape in the first image with the shadow in the second image. "
                f"{_COMPARE}"
            ),
            _key,
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=_ANSWERS,
        skills=SKILLS["match-shadow"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["match-shadow"],
        checks=_CHECKS,
    ),
)
