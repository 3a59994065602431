"""Locate Circles Colour, Locate Circles Shape, Cross and Knots, Circle Right Triangle."""

from __future__ import annotations

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Blob, Picture, blobs
from isovist.suites.perceptv.beside import PLAIN
from isovist.suites.perceptv.grids import CROSS_HUES, CROSSED, NAMED, NAMES, SHAPE_HUES, SIDE, TARGET_COLOUR
from isovist.suites.perceptv.square_grids import Board


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
    del prompt
    n = CROSSED.side
    held = [divmod(cell, n) for cell in _cells(CROSSED, images[0], blobs(images[0], CROSS_HUES))]
    for row in range(1, n - 1):
        for column in range(1, n - 1):
            if all(max(abs(row - r), abs(column - c)) > 1 for r, c in held):
                return f"({row + 1}, {column + 1})"
    return "none"


def _right(images: list[Picture], prompt: str) -> str:
    del prompt
    kinds = {cell_of(PLAIN, images[0], blob.x, blob.y): blob.kind for blob in blobs(images[0], SHAPE_HUES)}
    pairs = [cell for cell, kind in kinds.items() if kind == "circle" and cell % SIDE < SIDE - 1 and kinds.get(cell + 1) == "triangle"]
    return "yes" if pairs else "no"


SOLVERS = {
    "List every cell that contains a green circle": _colour,
    "List every cell that contains a circle": _shape,
    "Name one safe cell": _crosses,
    "immediately to the right of a circle": _right,
}
