"""Chains of thought that follow a path on a grid: cell by cell along arrows, or run by run through a maze."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise

from isovist.core.drawing2d import INK, Circle, Drawing, Label, Line, Polygon
from isovist.core.reasoning.templates import NUMBER, SPOT, Step, StepTemplate, listed, one_of
from isovist.suites.perceptv.cot import FactChains, stated
from isovist.suites.perceptv.square_grids import Board
from isovist.world.scenes.shapes2d import KINDS, kind_of, middle

MOVES = {(-1, 0): "up", (0, 1): "right", (1, 0): "down", (0, -1): "left"}
"""The move for each change of (row, column)."""
_template = partial(StepTemplate, cell=SPOT, move=one_of(MOVES.values()), kind=one_of(KINDS))

CELLS = _template(
    "cells are (row, column), counted from the top left corner.",
    "I write cells as (row, column), counting rows from the top and columns from the left.",
    "each cell is given by its row from the top and its column from the left: (row, column).",
)
BEGIN = _template(
    "1: S is in {cell}, {kind}.",
    "1: the path begins at S in {cell}, {kind}.",
    "1: S, in {cell}, {kind}.",
)
ARROW = _template(
    "{n}: {move} to {cell}, {kind}.",
    "{n}: the arrow leads {move} to {cell}, {kind}.",
    "{n}: one cell {move}, {cell}, {kind}.",
)
ARRIVED = _template(
    "that cell is marked E. Number of shapes on the path: {n}.",
    "E is reached; the number of shapes is {n}.",
    "this cell is E; {n} in total.",
)
START = _template("S is in {cell}.", "the path begins at S in {cell}.", "I start at S, {cell}.")
RUN = _template(
    "{move} by {n} to {cell}.",
    "move {move} by {n}, to {cell}.",
    "then {move} by {n}, which leads to {cell}.",
)
END = _template("that is E. Number of steps: {n}.", "this is E; the total number of steps is {n}.", "E is reached; steps from S: {n}.")

_Cell = tuple[int, int]
"""A row and a column, from 1."""
_Path = Sequence[_Cell]


def _move(a: _Cell, b: _Cell) -> str:
    return MOVES[b[0] - a[0], b[1] - a[1]]


def _cells(text: str) -> list[_Cell]:
    """Parse the cells listed in a text."""
    return [(int(row), int(column)) for row, column in re.findall(rf"\(({NUMBER}), ({NUMBER})\)", text)]


# ---- along arrows --------------------------------------------------------------------------------------------------

_Trail = tuple[_Path, Mapping[_Cell, str]]
"""The cells from S to E, and the kinds of shapes in the cells."""


def _trail_steps(trail: _Trail) -> list[Step]:
    path, kinds = trail
    arrows = [ARROW(n=n, move=_move(a, b), kind=kinds[b], cell=b) for n, (a, b) in enumerate(pairwise(path), 2)]
    return [CELLS(), BEGIN(kind=kinds[path[0]], cell=path[0]), *arrows, ARRIVED(n=len(path))]


def arrows(board: Board) -> FactChains[_Trail]:
    def of_pictures(pictures: tuple[Drawing, ...]) -> _Trail:
        """Follow the drawn arrows: each is on the border of two cells, and its head is nearer to its target cell."""
        shapes = pictures[0].shapes
        drawn = [shape for shape in shapes if isinstance(shape, (Circle, Polygon)) and shape.fill != INK]
        leads: dict[_Cell, _Cell] = {}
        for shaft, head in pairwise(shapes):
            if isinstance(shaft, Line) and isinstance(head, Polygon):
                (ax, ay), (bx, by) = shaft.points[0], head.points[0]
                back, on = ((2 * ax - bx, 2 * ay - by), (2 * bx - ax, 2 * by - ay))
                leads[board.row_column_at(back)] = board.row_column_at(on)
        tags = {shape.text: board.row_column_at(shape.position) for shape in shapes if isinstance(shape, Label)}
        path = [tags["S"]]
        while path[-1] != tags["E"]:
            path.append(leads.pop(path[-1]))
        return path, {board.row_column_at(middle(shape)): kind_of(shape) for shape in drawn}

    return FactChains(
        _trail_steps,
        lambda scene: (list(map(board.row_column, scene.path)), {board.row_column(cell): scene.shapes[cell][0] for cell in scene.path}),
        of_pictures,
        stated((BEGIN, "kind"), (ARROW, "kind")),
        slots=((CELLS,), (BEGIN,), (ARROW,), (ARRIVED,)),
    )


# ---- through a maze ------------------------------------------------------------------------------------------------


def _maze_steps(path: _Path) -> list[Step]:
    steps = [CELLS(), START(cell=path[0])]
    for move, run in groupby(pairwise(path), lambda pair: _move(*pair)):
        cells = [cell for _, cell in run]
        steps.append(RUN(move=move, n=len(cells), cell=cells[-1]))
    return [*steps, END(n=len(path) - 1)]


def maze(board: Board, read: Callable[[Drawing], str]) -> FactChains[_Path]:
    """The path through the open cells of a maze; `read` derives it from the drawing."""

    def of_pictures(pictures: tuple[Drawing, ...]) -> _Path:
        return _cells(read(pictures[0]))

    return FactChains(_maze_steps, lambda scene: list(map(board.row_column, scene.path)), of_pictures, _path_cells)


def _path_cells(steps: Sequence[Step]) -> str:
    """The cells along the runs."""
    _, start, *runs, _ = steps
    path = _cells(start["cell"])
    for run in runs:
        down, right = next(step for step, move in MOVES.items() if move == run["move"])
        path += [(path[-1][0] + n * down, path[-1][1] + n * right) for n in range(1, run.number("n") + 1)]
    return listed(path)
