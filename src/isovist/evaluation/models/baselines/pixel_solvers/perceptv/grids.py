"""Locate Circles Colour, Locate Circles Shape, Cross and Knots, Circle Right Triangle, Grid Path, Maze Solving."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import INK
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Blob, Picture, blobs, mask
from isovist.suites.perceptv.beside import PLAIN
from isovist.suites.perceptv.grid_path import LIFT, TAG, TRAIL
from isovist.suites.perceptv.grids import CROSS_HUES, CROSSED, NAMED, NAMES, SHAPE_HUES, SIDE, TARGET_COLOUR
from isovist.suites.perceptv.mazes import END, LABYRINTH, START, WALL, shortest_path
from isovist.suites.perceptv.square_grids import Board, adjacent_cells


def cell_of(board: Board, picture: Picture, x: float, y: float) -> int:
    """The cell at a pixel."""
    unit = picture.shape[1] / board.span
    return int((y / unit - board.margin) / board.pitch) * board.side + int((x / unit - board.margin) / board.pitch)


def _cells(board: Board, picture: Picture, marks: list[Blob]) -> set[int]:
    return {cell_of(board, picture, blob.x, blob.y) for blob in marks}


def _colour(images: list[Picture], prompt: str) -> str:
    del prompt
    return ", ".join(NAMES[cell] for cell in sorted(_cells(NAMED, images[0], blobs(images[0], [TARGET_COLOUR]))))


def _shape(images: list[Picture], prompt: str) -> str:
    del prompt
    discs = [blob for blob in blobs(images[0], SHAPE_HUES) if blob.kind == "circle"]
    return ", ".join(NAMES[cell] for cell in sorted(_cells(NAMED, images[0], discs)))


def _crosses(images: list[Picture], prompt: str) -> str:
    row, column = map(int, re.findall(r"the cell in row (\d+) and column (\d+)", prompt)[0])
    crosses = [CROSSED.row_column(cell) for cell in _cells(CROSSED, images[0], blobs(images[0], CROSS_HUES))]
    return "no" if any(max(abs(row - r), abs(column - c)) <= 1 for r, c in crosses) else "yes"


def _right(images: list[Picture], prompt: str) -> str:
    del prompt
    kinds = {cell_of(PLAIN, images[0], blob.x, blob.y): blob.kind for blob in blobs(images[0], SHAPE_HUES)}
    pairs = [cell for cell, kind in kinds.items() if kind == "circle" and cell % SIDE < SIDE - 1 and kinds.get(cell + 1) == "triangle"]
    return "yes" if pairs else "no"


def _window(board: Board, image_mask: NDArray[np.bool_], x: float, y: float, half: float) -> NDArray[np.bool_]:
    """The part of a mask around a point, in units with y up."""
    unit = image_mask.shape[1] / board.span
    down, right, reach = (board.span - y) * unit, x * unit, half * unit
    return image_mask[round(down - reach) : round(down + reach), round(right - reach) : round(right + reach)]


def _arrow(ink: NDArray[np.bool_], a: int, b: int) -> bool:
    """Whether an arrow leads from a cell to its neighbour: its head has more ink than its tail."""
    (ax, ay), (bx, by) = TRAIL.center(a), TRAIL.center(b)
    window = _window(TRAIL, ink, (ax + bx) / 2, (ay + by) / 2 + (LIFT if ay != by else 0), 0.045)
    if ay != by:
        window = window.T
    half = window.shape[1] // 2
    before, after = int(window[:, :half].sum()), int(window[:, -half:].sum())
    return after > before if bx > ax or by < ay else before > after


def _trail(images: list[Picture], prompt: str) -> str:
    del prompt
    picture, ink = images[0], mask(images[0], INK)
    kinds = {cell_of(TRAIL, picture, blob.x, blob.y): blob.kind for blob in blobs(picture, SHAPE_HUES)}
    starts = [TRAIL.center(cell) for cell in range(TRAIL.side**2)]
    tagged = [int(_window(TRAIL, ink, x + TAG[0], y + TAG[1], 0.024).sum()) for x, y in starts]
    path = [int(np.argmax(tagged))]
    while True:
        next_cells = [near for near in adjacent_cells(path[-1], TRAIL.side) if near not in path and _arrow(ink, path[-1], near)]
        if len(next_cells) != 1:
            return ", ".join(kinds[cell] for cell in path)
        path += next_cells


def _maze(images: list[Picture], prompt: str) -> str:
    del prompt
    walls, start, end = (mask(images[0], colour) for colour in (WALL, START, END))
    middles = [LABYRINTH.center(cell) for cell in range(LABYRINTH.side**2)]
    fractions = [[float(_window(LABYRINTH, image_mask, x, y, 0.04).mean()) for x, y in middles] for image_mask in (walls, start, end)]
    free = {cell for cell, share in enumerate(fractions[0]) if share < 0.5}
    return shortest_path(free, int(np.argmax(fractions[1])), int(np.argmax(fractions[2])))


SOLVERS = {
    "List every cell that contains a green circle": _colour,
    "List every cell that contains a circle": _shape,
    "A cell is safe if": _crosses,
    "immediately to the right of a circle": _right,
    "Follow the arrows from S to E": _trail,
    "Find the path from S to E through open cells": _maze,
}
