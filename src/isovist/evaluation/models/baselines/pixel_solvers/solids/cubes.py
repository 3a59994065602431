"""Cubes with marks: compares the dark pixels of each face with every mark in every direction, and the cubes after all rotations."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, binary_erosion

from isovist.core.answers import LETTERS
from isovist.core.drawing2d import Point
from isovist.suites.solids import marked_cubes
from isovist.suites.solids.cube_comparison import EDGE
from isovist.suites.solids.marked_cubes import MARKS, SEEN, Shown
from isovist.world.scenes import option_page

Pixels = NDArray[np.uint8]
_DARK = 90
_OPTIONS = 4
_N = 40
_STEPS = [round(-0.45 + 0.9 * (k + 0.5) / _N, 4) for k in range(_N)]
_GRID: list[Point] = [(x, y) for y in _STEPS for x in _STEPS]
"""Sample points of a mark, in its own frame."""


@cache
def _expected(mark: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which sample points are in a mark, and which are not at an edge of it."""
    points = np.array(_GRID)
    filled = np.zeros(len(points), bool)
    for outline in MARKS[mark].outlines:
        inside = np.zeros(len(points), bool)
        for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
            if ay != by:
                crosses = (points[:, 1] > min(ay, by)) & (points[:, 1] <= max(ay, by))
                inside ^= crosses & (points[:, 0] < ax + (points[:, 1] - ay) / (by - ay) * (bx - ax))
        filled |= inside
    square = filled.reshape(_N, _N)
    return filled, (binary_erosion(square) | ~binary_dilation(square)).ravel()


@cache
def _places(side: int, up: int) -> NDArray[np.float64]:
    """The sample points of a mark on a face in the image, in edges from the middle of the cube, y up."""
    return np.array([marked_cubes.point(side, up, x * marked_cubes.SIZE, y * marked_cubes.SIZE) for x, y in _GRID])


def _agreement(is_dark: NDArray[np.bool_], filled: NDArray[np.bool_], is_sure: NDArray[np.bool_]) -> float:
    return float((is_dark == filled)[is_sure].mean())


def _read(picture: Pixels, middle: Point) -> Shown:
    unit = picture.shape[0] / option_page.HEIGHT
    dark = picture.max(axis=2) < _DARK
    stickers: list[tuple[str, int]] = []
    for side in SEEN:
        agreed: dict[tuple[str, int], float] = {}
        for up in range(6):
            if up // 2 != side // 2:
                places = _places(side, up) * EDGE * unit
                columns, rows = middle[0] * unit + places[:, 0], picture.shape[0] - middle[1] * unit - places[:, 1]
                is_dark = dark[rows.astype(int), columns.astype(int)]
                agreed |= {(mark, up): _agreement(is_dark, *_expected(mark)) for mark in MARKS}
        stickers.append(max(agreed, key=agreed.__getitem__))
    return stickers[0], stickers[1], stickers[2]


def _compared(images: list[Pixels], _prompt: str) -> str | None:
    (picture,) = images
    below, middle = option_page.places(_OPTIONS)
    reference = _read(picture, middle)
    fitting = [letter for letter, at in zip(LETTERS, below, strict=False) if marked_cubes.can_be_one_cube(reference, _read(picture, at))]
    return fitting[0] if len(fitting) == 1 else None


SOLVERS = {"cube with a mark on each face": _compared}
