"""Chains of thought that follow a way over a grid: cell by cell along arrows, run by run through a maze."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Protocol

from isovist.core.drawing2d import INK, Circle, Drawing, Label, Line, Polygon
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.shapes2d import KINDS, kind_of, middle
from isovist.suites.perceptv.cot import Reasoning, holds, order
from isovist.suites.perceptv.square_grids import Board

MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
"""Rows down and columns to the right."""
_MOVE = one_of(MOVES)

CELLS = StepTemplate(
    "cells",
    (
        "cells are (row, column), counted from the top left corner.",
        "I write (row, column) for a cell, counting rows from the top and columns from the left.",
        "a cell is named by its row from the top and its column from the left: (row, column).",
    ),
)
BEGIN = StepTemplate(
    "begin",
    (
        "1: S stands in ({row}, {column}), {kind}.",
        "1: the way begins with S in ({row}, {column}), {kind}.",
        "1: S, in ({row}, {column}), {kind}.",
    ),
    {"row": NUMBER, "column": NUMBER, "kind": one_of(KINDS)},
)
ARROW = StepTemplate(
    "arrow",
    (
        "{n}: {move} to ({row}, {column}), {kind}.",
        "{n}: the arrow leads {move} to ({row}, {column}), {kind}.",
        "{n}: one {move}, ({row}, {column}), {kind}.",
    ),
    {"n": NUMBER, "move": _MOVE, "row": NUMBER, "column": NUMBER, "kind": one_of(KINDS)},
)
ARRIVED = StepTemplate(
    "arrived",
    ("that cell is marked E, and the way has {n} shapes.", "E is reached after {n} shapes.", "there stands E; {n} shapes in all."),
    {"n": NUMBER},
)
START = StepTemplate(
    "start",
    ("S is in ({row}, {column}).", "the way begins at S in ({row}, {column}).", "I start from S, ({row}, {column})."),
    {"row": NUMBER, "column": NUMBER},
)
RUN = StepTemplate(
    "run",
    (
        "{move} by {n} to ({row}, {column}).",
        "go {move} by {n}, as far as ({row}, {column}).",
        "then {move} by {n}, which leads to ({row}, {column}).",
    ),
    {"move": _MOVE, "n": NUMBER, "row": NUMBER, "column": NUMBER},
)
END = StepTemplate(
    "end",
    ("that is E, after {n} steps.", "here is E; the steps are {n} in all.", "E is there, {n} steps from S."),
    {"n": NUMBER},
)


class _Trail(Protocol):
    @property
    def shapes(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def way(self) -> tuple[int, ...]: ...


class _Maze(Protocol):
    @property
    def way(self) -> tuple[int, ...]: ...


def _move(board: Board, a: int, b: int) -> str:
    (row, column), (down, across) = divmod(a, board.side), divmod(b, board.side)
    return next(move for move, step in MOVES.items() if step == (down - row, across - column))


def _at(board: Board, cell: int) -> dict[str, int]:
    return {"row": cell // board.side + 1, "column": cell % board.side + 1}


def _told(step: Step) -> tuple[int, int]:
    return step.number("row") - 1, step.number("column") - 1


# ---- along arrows --------------------------------------------------------------------------------------------------


def arrows(board: Board) -> Reasoning:
    def write(scene: _Trail, way: int) -> list[str]:
        first, *rest = scene.way
        lines = [CELLS.render(way), BEGIN.render(way >> 3, kind=scene.shapes[first][0], **_at(board, first))]
        for n, (a, b) in enumerate(pairwise((first, *rest)), 2):
            lines.append(ARROW.render(way >> 6, n=n, move=_move(board, a, b), kind=scene.shapes[b][0], **_at(board, b)))
        return [*lines, ARRIVED.render(way >> 9, n=len(scene.way))]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """By the drawn arrows: each stands on the border of two cells, and its head is nearer to where it leads."""
        shapes = pictures[0].shapes
        drawn_arrows = [(line, head) for line, head in pairwise(shapes) if isinstance(line, Line) and isinstance(head, Polygon)]
        if faults := order(steps, ["cells", "begin", *["arrow"] * len(drawn_arrows), "arrived"]):
            return faults
        tags = {shape.text: divmod(board.cell_at(shape.at), board.side) for shape in shapes if isinstance(shape, Label)}
        drawn = [shape for shape in shapes if isinstance(shape, (Circle, Polygon)) and shape.fill != INK]
        kinds = {divmod(board.cell_at(middle(shape)), board.side): kind_of(shape) for shape in drawn}
        leads: dict[tuple[int, int], str] = {}
        for shaft, head in drawn_arrows:
            (ax, ay), (bx, by) = shaft.points[0], head.points[0]
            move = ("right" if bx > ax else "left") if abs(bx - ax) > abs(by - ay) else ("up" if by > ay else "down")
            leads[divmod(board.cell_at((2 * ax - bx, 2 * ay - by)), board.side)] = move
        _, begin, *on, last = steps
        at = tags["S"]
        faults = holds(begin, _told(begin) == at and begin["kind"] == kinds[at])
        for n, step in enumerate(on, 2):
            move = leads.get(at)
            if move is None or step["move"] != move:
                return [*faults, f"{step.line!r}: the arrow leads {move or 'nowhere'}"]
            at = at[0] + MOVES[move][0], at[1] + MOVES[move][1]
            faults += holds(step, step.number("n") == n and _told(step) == at and step["kind"] == kinds[at])
        return faults + holds(last, at == tags["E"] and last.number("n") == len(on) + 1)

    return Reasoning((CELLS, BEGIN, ARROW, ARRIVED), write, check)


# ---- through a maze ------------------------------------------------------------------------------------------------


def maze(board: Board, wall: str) -> Reasoning:
    """Open cells of a board whose walls have a colour."""

    def write(scene: _Maze, way: int) -> list[str]:
        lines = [CELLS.render(way), START.render(way >> 3, **_at(board, scene.way[0]))]
        for move, run in groupby(pairwise(scene.way), lambda pair: _move(board, *pair)):
            cells = list(run)
            lines.append(RUN.render(way >> 6, move=move, n=len(cells), **_at(board, cells[-1][1])))
        return [*lines, END.render(way >> 9, n=len(scene.way) - 1)]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """The runs are walked, one step after another, between the drawn walls."""
        if faults := order(steps, ["cells", "start", *["run"] * (len(steps) - 3), "end"]):
            return faults
        shapes = pictures[0].shapes
        walls = {divmod(board.cell_at(middle(shape)), board.side) for shape in shapes if isinstance(shape, Polygon) and shape.fill == wall}
        tags = {shape.text: divmod(board.cell_at(shape.at), board.side) for shape in shapes if isinstance(shape, Label)}
        _, start, *runs, end = steps
        at = tags["S"]
        way = [at]
        faults = holds(start, _told(start) == at)
        for step in runs:
            down, right = MOVES[step["move"]]
            for _ in range(min(step.number("n"), board.side)):
                at = at[0] + down, at[1] + right
                inside = min(at) >= 0 and max(at) < board.side
                if not inside or at in walls or at in way:
                    return [*faults, f"{step.line!r} leads into a wall, or into a cell for the second time"]
                way.append(at)
            faults += holds(step, _told(step) == at and step.number("n") >= 1)
        faults += [f"{b.line!r} goes on as before" for a, b in pairwise(runs) if a["move"] == b["move"]]
        return faults + holds(end, at == tags["E"] and end.number("n") == len(way) - 1)

    return Reasoning((CELLS, START, RUN, END), write, check)
