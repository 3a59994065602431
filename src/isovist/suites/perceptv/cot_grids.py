"""Chains of thought that read a grid row by row from the top, and each row from the left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from isovist.core.drawing2d import Circle, Drawing, Line, Polygon, Shape
from isovist.core.reasoning.templates import NUMBER, Step, StepTemplate, list_of, listed
from isovist.suites.perceptv.cot import FactChains, stated
from isovist.suites.perceptv.square_grids import COLUMNS, Board
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.shapes2d import kind_of, middle

NOTHING = "nothing"
_CELL = rf"[{COLUMNS}]{NUMBER}"
_NUMBERS = list_of(NUMBER)

HELD = StepTemplate(
    "row {row}: {held}. Cells with {asked}: {found}.",
    "row {row} contains {held}; cells with {asked}: {found}.",
    "in row {row} I find {held}; {asked}, by cell: {found}.",
    held=f"{NOTHING}|{list_of(f'{_CELL} [a-z]+')}",
    asked="[a-z ]+",
    found=list_of(_CELL),
)
NEAR = StepTemplate(
    "the cell in row {row} and column {column} and its neighbours are in rows {low} to {high} and columns {first} to {last}.",
    "I check the cell in row {row} and column {column} with its neighbours: rows {low} to {high}, columns {first} to {last}.",
    "around row {row}, column {column}: the cells of rows {low} to {high} in columns {first} to {last}.",
)
CROSSES = StepTemplate(
    "row {row}, columns with a cross: {columns}; of these, from {first} to {last}: {inside}.",
    "row {row} has crosses in columns: {columns}; in columns {first} to {last}: {inside}.",
    "crosses in row {row}, by column: {columns}; those in columns {first} to {last}: {inside}.",
    columns=_NUMBERS,
    inside=_NUMBERS,
)
SAFE = StepTemplate(
    "so neither the cell nor a neighbour has a cross, and the cell is safe.",
    "none of these cells has a cross: the cell is safe.",
    "there is no cross in the cell or next to it, so it is safe.",
)
UNSAFE = StepTemplate(
    "so there is a cross in the cell or next to it, first in row {row}: the cell is not safe.",
    "the cell is not safe, because one of these cells has a cross, as in row {row}.",
    "row {row} has a cross in one of these cells, so the cell is not safe.",
)
BESIDE = StepTemplate(
    "row {row}, by column: circles {circles}; triangles {triangles}; triangles immediately to the right of a circle {found}.",
    "columns of row {row} with a circle: {circles}; with a triangle: {triangles}; with a triangle directly to the right of a circle: {found}.",
    "in row {row}, circles are in columns: {circles}; triangles are in columns: {triangles}; of these, immediately to the right of a circle: {found}.",
    circles=_NUMBERS,
    triangles=_NUMBERS,
    found=_NUMBERS,
)
ONE = StepTemplate(
    "so there is such a triangle; the first one is in row {row}.",
    "row {row} has such a triangle, so there is one in the grid.",
    "the first such triangle is in row {row}.",
)
NO_ONE = StepTemplate(
    "so no row has such a triangle.", "there is none in any row.", "I have checked all rows, and none has such a triangle."
)

_Cell = tuple[int, int]
"""A row and a column, from 1."""


def _shapes(pictures: tuple[Drawing, ...], board: Board) -> list[tuple[_Cell, Shape]]:
    """The drawn marks with the cells that contain their centres, row by row."""
    shapes = [shape for shape in pictures[0].shapes if isinstance(shape, (Circle, Polygon))]
    return sorted(((board.row_column_at(middle(shape)), shape) for shape in shapes), key=lambda entry: entry[0])


# ---- what the cells hold -------------------------------------------------------------------------------------------

_Contents = Sequence[tuple[_Cell, str]]
"""The contents of the cells that are not empty, row by row."""


def located(board: Board, word: str, *, hues: bool) -> FactChains[_Contents]:
    """List the cells that contain circles of one colour, or marks of one kind."""

    def steps(contents: _Contents) -> list[Step]:
        steps: list[Step] = []
        for row in range(1, board.side + 1):
            held = [(f"{COLUMNS[column - 1]}{row}", kind) for (at, column), kind in contents if at == row]
            cells = listed(cell for cell, kind in held if kind == word)
            holds = ", ".join(f"{cell} {kind}" for cell, kind in held) or NOTHING
            steps.append(HELD(row=row, held=holds, asked=f"{word} circles" if hues else f"{word}s", found=cells))
        return steps

    return FactChains(
        steps,
        lambda scene: [(board.row_column(mark.cell), mark.colour if hues else mark.shape) for mark in scene.marks],
        lambda pictures: [(cell, _word(shape, hues=hues)) for cell, shape in _shapes(pictures, board)],
        stated((HELD, "found")),
    )


def _word(shape: Shape, *, hues: bool) -> str:
    """The colour or the kind of a drawn mark."""
    return NAMES[shape.fill or ""] if hues and isinstance(shape, (Circle, Polygon)) else kind_of(shape)


# ---- a safe cell ---------------------------------------------------------------------------------------------------

_Crosses = Collection[_Cell]
"""The cells with a cross."""


def crossed(board: Board, named: int) -> FactChains[_Crosses]:
    """Decide whether a named cell has a cross in it or around it."""
    row, column = board.row_column(named)
    low, high, first, last = max(row - 1, 1), min(row + 1, board.side), max(column - 1, 1), min(column + 1, board.side)

    def steps(crosses: _Crosses) -> list[Step]:
        steps, unsafe = [NEAR(row=row, column=column, low=low, high=high, first=first, last=last)], list[int]()
        for at in range(low, high + 1):
            columns = sorted(c for r, c in crosses if r == at)
            inside = [c for c in columns if first <= c <= last]
            steps.append(CROSSES(row=at, columns=listed(columns), first=first, last=last, inside=listed(inside)))
            unsafe += [at] if inside else []
        return [*steps, UNSAFE(row=unsafe[0]) if unsafe else SAFE()]

    def of_pictures(pictures: tuple[Drawing, ...]) -> _Crosses:
        """Locate crosses by the midpoints of their strokes."""
        strokes = [shape.points for shape in pictures[0].shapes if isinstance(shape, Line)]
        return {board.row_column_at(((ax + bx) / 2, (ay + by) / 2)) for (ax, ay), (bx, by) in strokes}

    return FactChains(
        steps,
        lambda scene: {board.row_column(cell) for cell in scene.cells},
        of_pictures,
        lambda steps: "yes" if steps[-1].template is SAFE else "no",
    )


# ---- a triangle right of a circle ----------------------------------------------------------------------------------

_Kinds = tuple[Sequence[_Cell], Sequence[_Cell], Sequence[_Cell]]
"""The cells of the circles, of the triangles, and of the triangles immediately to the right of a circle, row by row."""


def beside(board: Board) -> FactChains[_Kinds]:
    """Decide whether a triangle is in the cell immediately to the right of a circle."""

    def steps(kinds: _Kinds) -> list[Step]:
        steps: list[Step] = []
        for row in range(1, board.side + 1):
            circles, triangles, after = (listed(column for at, column in cells if at == row) for cells in kinds)
            steps.append(BESIDE(row=row, circles=circles, triangles=triangles, found=after))
        return [*steps, ONE(row=kinds[2][0][0]) if kinds[2] else NO_ONE()]

    def of_scene(scene: Any) -> _Kinds:
        kinds = {kind: sorted(board.row_column(mark.cell) for mark in scene.marks if mark.shape == kind) for kind in ("circle", "triangle")}
        after = [(row, column) for row, column in kinds["triangle"] if (row, column - 1) in kinds["circle"]]
        return kinds["circle"], kinds["triangle"], after

    def of_pictures(pictures: tuple[Drawing, ...]) -> _Kinds:
        """A triangle is immediately to the right of a circle if their centres are one cell apart horizontally."""
        drawn = _shapes(pictures, board)
        circles = [(cell, shape) for cell, shape in drawn if kind_of(shape) == "circle"]
        triangles = [(cell, shape) for cell, shape in drawn if kind_of(shape) == "triangle"]
        after = [cell for cell, shape in triangles if any(_follows(shape, circle, board) for _, circle in circles)]
        return [cell for cell, _ in circles], [cell for cell, _ in triangles], after

    return FactChains(steps, of_scene, of_pictures, lambda steps: "yes" if steps[-1].template is ONE else "no")


def _follows(shape: Shape, circle: Shape, board: Board) -> bool:
    (x, y), (u, v) = middle(shape), middle(circle)
    return abs(x - u - board.pitch) < board.pitch / 4 and abs(y - v) < board.pitch / 4
