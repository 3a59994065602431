"""Grid Path: list the shapes along a path of arrows on a grid.

The paper's list of domains omits it; this version follows the authors' prompts. The size is the number of cells on the path. In the
authors' release paths that reach a dead end stay shorter, an answer with one shape is rejected, and the line of the path covers the shapes.
Here every path has its full length, and arrows are drawn between the shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from isovist.core.answers import WordSequence
from isovist.core.drawing2d import INK, Circle, Drawing, Label, Line, Polygon, Shape
from isovist.core.task import Answers, Checks, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_paths as reasoning
from isovist.suites.perceptv.grids import SHAPE_HUES, SIDE
from isovist.suites.perceptv.shared_parts import PAPERS, SHEET, SIZES, SKILLS, asking, chance_of_sequences, first, size
from isovist.suites.perceptv.square_grids import Board, random_path
from isovist.world.scenes.shapes2d import KINDS, Mark, kind_of, middle, shape

TRAIL = Board(SIDE, 0.24, 0.06, headed=False)
_RADIUS = 0.05
LIFT = 0.014  # of an upright arrow: a triangle reaches further up from the middle of its cell than any shape reaches down
_HALF, _HEAD, _THICK = 0.04, 0.04, 0.014  # of an arrow: half its length, its head's length and width, the width of its shaft
TAG = (-0.083, 0.081)  # offset of the label S from its cell's centre; the label E is mirrored horizontally
_EM = 0.06


@dataclass(frozen=True, slots=True)
class Trail:
    """Shapes in all cells, as (kind, colour), and a path over some of them."""

    shapes: tuple[tuple[str, str], ...]
    path: tuple[int, ...]


def _sample_trail(plan: SamplingContext) -> Trail:
    rng = plan.image_rng
    path = random_path(rng, size(plan), SIDE)
    kinds = [rng.pick(KINDS) for _ in range(SIDE * SIDE)]
    kinds[path[0]] = KINDS[plan.stratum]
    return plan.check_split(Trail(tuple((kind, rng.pick(SHAPE_HUES)) for kind in kinds), tuple(path)))


def _arrow(tail: int, tip: int) -> tuple[Shape, Shape]:
    (ax, ay), (bx, by) = TRAIL.center(tail), TRAIL.center(tip)
    dx, dy = (bx > ax) - (bx < ax), (by > ay) - (by < ay)
    x, y = round((ax + bx) / 2, 4), round((ay + by) / 2 + (LIFT if dy else 0), 4)
    neck = _HALF - _HEAD
    shaft = Line(((x - _HALF * dx, y - _HALF * dy), (x + neck * dx, y + neck * dy)), _THICK, INK)
    wide = _HEAD / 2
    left, right = (x + neck * dx - wide * dy, y + neck * dy + wide * dx), (x + neck * dx + wide * dy, y + neck * dy - wide * dx)
    return shaft, Polygon(((x + _HALF * dx, y + _HALF * dy), left, right), INK)


def _tag(text: str, cell: int, side: int) -> Label:
    x, y = TRAIL.center(cell)
    return Label(text, (round(x + side * TAG[0], 4), round(y + TAG[1], 4)), _EM, INK)


def _draw_trail(scene: Trail) -> tuple[Drawing, ...]:
    marks = [shape(Mark(kind, TRAIL.center(cell), _RADIUS, hue)) for cell, (kind, hue) in enumerate(scene.shapes)]
    arrows = [part for pair in pairwise(scene.path) for part in _arrow(*pair)]
    return (TRAIL.draw((*marks, *arrows, _tag("S", scene.path[0], 1), _tag("E", scene.path[-1], -1))),)


def _read_trail(picture: Drawing) -> str:
    shapes = picture.shapes
    marks = {TRAIL.cell_at(middle(shape)): kind_of(shape) for shape in shapes if isinstance(shape, (Circle, Polygon)) and shape.fill != INK}
    follows: dict[int, int] = {}
    for shaft, head in pairwise(shapes):
        if isinstance(shaft, Line) and isinstance(head, Polygon):
            (ax, ay), (bx, by) = shaft.points[0], head.points[0]
            follows[TRAIL.cell_at((ax - (bx - ax), ay - (by - ay)))] = TRAIL.cell_at((bx + (bx - ax), by + (by - ay)))
    tags = {shape.text: TRAIL.cell_at(shape.position) for shape in shapes if isinstance(shape, Label)}
    path = [tags["S"]]
    while path[-1] in follows:
        path.append(follows[path[-1]])
    return ", ".join(marks[cell] for cell in path) if path[-1] == tags["E"] else "the arrows end elsewhere"


def _mirror(scene: Trail) -> tuple[Trail, Callable[[str], str]]:
    """Reverse the columns."""
    moved = [cell // SIDE * SIDE + SIDE - 1 - cell % SIDE for cell in range(SIDE * SIDE)]
    return Trail(tuple(scene.shapes[cell] for cell in moved), tuple(moved[cell] for cell in scene.path)), identity


def _key_trail(scene: Trail) -> WordSequence:
    return WordSequence(tuple(scene.shapes[cell][0] for cell in scene.path), KINDS)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/grid-path",
        version=2,
        summary="List the shapes along a path of arrows on a grid.",
        sample=_sample_trail,
        draw=_draw_trail,
        ask=asking(
            "The image shows a grid of circles, triangles and squares. Arrows lead from the cell marked S to the cell marked E.",
            (
                "Follow the arrows from S to E and list the shapes along the path in order. Include the shapes in S and in E. "
                "If S and E mark the same cell, list its shape once."
            ),
            _key_trail,
        ),
        rederive=lambda drawings, _: _read_trail(*drawings),
        answers=Answers(type="sequence", strata=len(KINDS), balance=first, best_constant=chance_of_sequences(len(KINDS))),
        skills=SKILLS["grid-path"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["grid-path"],
        checks=Checks(symmetries=(_mirror,)),
        reasoning=reasoning.arrows(TRAIL).of(_draw_trail, _key_trail),
    ),
)
