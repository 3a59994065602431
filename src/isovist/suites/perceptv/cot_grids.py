"""Chains of thought that read a grid row by row, from the top, each row from the left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.palette import HUES, NAMES
from isovist.scenes.shapes2d import KINDS, kind_of, middle
from isovist.suites.perceptv.cot import NONE, NUMBERS, Reasoning, holds, listed, order
from isovist.suites.perceptv.square_grids import COLUMNS, Board

NOTHING = "nothing"
_CELL = rf"[{COLUMNS}]{NUMBER}"
_HOLDS = rf"{_CELL} (?:{one_of((*HUES, *KINDS))})"

HELD = StepTemplate(
    "held",
    (
        "row {row}: {held}. Cells with {asked}: {found}.",
        "row {row} holds {held}; {asked} are in: {found}.",
        "in row {row} I read {held}; {asked} by cell: {found}.",
    ),
    {
        "row": NUMBER,
        "held": f"{NOTHING}|{_HOLDS}(?:, {_HOLDS})*",
        "asked": rf"circles|(?:{one_of(HUES)}) circles",
        "found": f"{NONE}|{_CELL}(?:, {_CELL})*",
    },
)
CROSSES = StepTemplate(
    "crosses",
    (
        "row {row}, columns with a cross: {columns}.",
        "row {row} has crosses in columns: {columns}.",
        "crosses of row {row}, by column: {columns}.",
    ),
    {"row": NUMBER, "columns": NUMBERS},
)
BAND = StepTemplate(
    "band",
    (
        "row {row} and the rows beside it are rows {low} to {high}. Columns with a cross in any of them: {columns}.",
        "now take row {row} with its neighbours, rows {low} to {high}. Their crosses, by column: {columns}.",
        "around row {row}, in rows {low} to {high}, these columns have crosses: {columns}.",
    ),
    {"row": NUMBER, "low": NUMBER, "high": NUMBER, "columns": NUMBERS},
)
SAFE = StepTemplate(
    "safe",
    (
        "columns {low} to {high} are not among them, so column {column} is safe there.",
        "columns {low} to {high} have none, so the cell in column {column} of that row has no cross in it or around it.",
        "column {column} and the columns beside it are {low} to {high}: no cross there, so the cell is safe.",
    ),
    {"column": NUMBER, "low": NUMBER, "high": NUMBER},
)
BESIDE = StepTemplate(
    "beside",
    (
        "row {row}, by columns: circles {circles}; triangles {triangles}; triangles just right of a circle {found}.",
        "columns of row {row} with a circle: {circles}; with a triangle: {triangles}; with a triangle right after a circle: {found}.",
        "in row {row}, circles are in columns: {circles}; triangles are in columns: {triangles}; of these, directly right of a circle: {found}.",
    ),
    {"row": NUMBER, "circles": NUMBERS, "triangles": NUMBERS, "found": NUMBERS},
)
ONE = StepTemplate(
    "one",
    (
        "so there is such a triangle, first in row {row}.",
        "row {row} has one, so there is one in the grid.",
        "the first one is in row {row}.",
    ),
    {"row": NUMBER},
)
NO_ONE = StepTemplate(
    "no one",
    ("so no row has such a triangle.", "there is none in any row.", "all rows are read, and none has such a triangle."),
)


class _Placed(Protocol):
    @property
    def cell(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def hue(self) -> str: ...


class _Grid(Protocol):
    @property
    def marks(self) -> Sequence[_Placed]: ...


# ---- what the cells hold -------------------------------------------------------------------------------------------


def located(board: Board, word: str, *, hues: bool) -> Reasoning:
    """Cells that hold circles of a colour, or marks of a kind."""
    noun = f"{word} circles" if hues else f"{word}s"

    def write(scene: _Grid, way: int) -> list[str]:
        lines: list[str] = []
        for row in range(board.side):
            held = [
                (f"{COLUMNS[mark.cell % board.side]}{row + 1}", mark.hue if hues else mark.kind)
                for mark in scene.marks
                if mark.cell // board.side == row
            ]
            contents = ", ".join(f"{cell} {kind}" for cell, kind in held) or NOTHING
            lines.append(
                HELD.render(way, row=row + 1, held=contents, asked=noun, found=listed(cell for cell, kind in held if kind == word))
            )
        return lines

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """By the cells in which the middles of the drawn marks lie, from left to right."""
        if faults := order(steps, ["held"] * board.side):
            return faults
        faults: list[str] = []
        drawn = sorted((middle(shape), shape) for shape in pictures[0].shapes if isinstance(shape, (Circle, Polygon)))
        for row, step in enumerate(steps):
            due = [(divmod(board.cell_at(at), board.side)[1], shape) for at, shape in drawn if board.cell_at(at) // board.side == row]
            held = [f"{COLUMNS[column]}{row + 1} {NAMES[shape.fill or ''] if hues else kind_of(shape)}" for column, shape in due]
            cells = [cell.split()[0] for cell in held if cell.endswith(f" {word}")]
            faults += holds(step, step.number("row") == row + 1 and step["held"] == (", ".join(held) or NOTHING))
            faults += holds(step, step["asked"] == noun and step["found"] == (", ".join(cells) or NONE))
        return faults

    return Reasoning((HELD,), write, check)


# ---- a cell away from all crosses ----------------------------------------------------------------------------------


class _Crosses(Protocol):
    @property
    def cells(self) -> Sequence[int]: ...


def crossed(board: Board, safe: Callable[[Any], int], read: Callable[[tuple[Drawing, ...], str], str]) -> Reasoning:
    """A cell with no cross around it; `safe` tells it from the scene and `read` from the picture."""
    n = board.side

    def write(scene: _Crosses, way: int) -> list[str]:
        columns = [[cell % n + 1 for cell in scene.cells if cell // n == row] for row in range(n)]
        lines = [CROSSES.render(way, row=row, columns=listed(them)) for row, them in enumerate(columns, 1)]
        row, column = divmod(safe(scene), n)
        low, high = max(row - 1, 0), min(row + 1, n - 1)
        near = sorted({c for them in columns[low : high + 1] for c in them})
        lines.append(BAND.render(way >> 3, row=row + 1, low=low + 1, high=high + 1, columns=listed(near)))
        return [*lines, SAFE.render(way >> 6, column=column + 1, low=max(column, 1), high=min(column + 2, n))]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """By the cells in which the strokes of the crosses have their middles."""
        if faults := order(steps, [*["crosses"] * n, "band", "safe"]):
            return faults
        strokes = [shape.points for shape in pictures[0].shapes if isinstance(shape, Line)]
        cells = {divmod(board.cell_at(_middle(a, b)), n) for a, b in strokes}
        faults: list[str] = []
        for row, step in enumerate(steps[:n]):
            due = sorted(c + 1 for r, c in cells if r == row)
            faults += holds(step, step.number("row") == row + 1 and step["columns"] == listed(due))
        band, last = steps[n:]
        row, column = band.number("row"), last.number("column")
        if f"({row}, {column})" != read(pictures, ""):
            return [*faults, *holds(last, right=False)]
        rows = [r for r in range(1, n + 1) if abs(r - row) <= 1]
        near = sorted({c + 1 for r, c in cells if r + 1 in rows})
        faults += holds(band, [band.number("low"), band.number("high")] == [rows[0], rows[-1]] and band["columns"] == listed(near))
        columns = [c for c in range(1, n + 1) if abs(c - column) <= 1]
        free = not any(r + 1 in rows and c + 1 in columns for r, c in cells)
        return faults + holds(last, free and [last.number("low"), last.number("high")] == [columns[0], columns[-1]])

    return Reasoning((CROSSES, BAND, SAFE), write, check)


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


# ---- a triangle right of a circle ----------------------------------------------------------------------------------


def beside(board: Board) -> Reasoning:
    """Whether some triangle stands in the cell right after a circle."""
    n = board.side

    def write(scene: _Grid, way: int) -> list[str]:
        lines: list[str] = []
        rows: list[int] = []
        for row in range(1, n + 1):
            kinds = {mark.cell % n + 1: mark.kind for mark in scene.marks if mark.cell // n == row - 1}
            circles, triangles = ([column for column, kind in kinds.items() if kind == one] for one in ("circle", "triangle"))
            adjacent = [column for column in triangles if column - 1 in circles]
            rows += [row] * bool(adjacent)
            fields = {"circles": listed(circles), "triangles": listed(triangles), "found": listed(adjacent)}
            lines.append(BESIDE.render(way, row=row, **fields))
        return [*lines, ONE.render(way >> 3, row=rows[0]) if rows else NO_ONE.render(way >> 3)]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """By the distances between drawn marks: a triangle stands right after a circle that lies one cell's width to its left."""
        shapes = pictures[0].shapes
        after = [shape for shape in shapes if kind_of(shape) == "triangle" and any(_follows(shape, other, board) for other in shapes)]
        rows = sorted(_column(shape, board)[0] for shape in after)
        if faults := order(steps, [*["beside"] * n, "one" if rows else "no one"]):
            return faults
        faults: list[str] = []
        for row, step in enumerate(steps[:n], 1):
            groups = {
                "circles": [shape for shape in shapes if kind_of(shape) == "circle"],
                "triangles": [shape for shape in shapes if kind_of(shape) == "triangle"],
                "found": after,
            }
            due = {
                name: sorted(_column(shape, board)[1] for shape in group if _column(shape, board)[0] == row)
                for name, group in groups.items()
            }
            faults += holds(step, step.number("row") == row and all(step[name] == listed(columns) for name, columns in due.items()))
        return faults + (holds(steps[-1], steps[-1].number("row") == rows[0]) if rows else [])

    return Reasoning((BESIDE, ONE, NO_ONE), write, check)


def _column(shape: Shape, board: Board) -> tuple[int, int]:
    """The row and column of a drawn mark, from 1."""
    row, column = divmod(board.cell_at(middle(shape)), board.side)
    return row + 1, column + 1


def _follows(shape: Shape, other: Shape, board: Board) -> bool:
    (x, y), (u, v) = middle(shape), middle(other)
    return kind_of(other) == "circle" and abs(x - u - board.pitch) < board.pitch / 4 and abs(y - v) < board.pitch / 4
