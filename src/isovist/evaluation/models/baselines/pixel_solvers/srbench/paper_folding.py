"""Paper folding: detects sheets, creases, shaded areas and holes, unfolds the holes across the creases, and compares the sheets.

Points are in sheet frames: pixels from the centre of a sheet, x to the right and y **down**.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion, find_objects, label
from scipy.optimize import linear_sum_assignment

from isovist.core.answers import LETTERS
from isovist.suites.srbench.folding_picture import CREASE, FILL, INK, SHADE

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Points = NDArray[np.float64]

_NEAR = 60  # largest difference in any channel between a pixel and its colour
_PALE = 12  # the same for shaded areas, whose colour is similar to that of paper
_SLACK = 0.025  # largest distance of a folded point from its hole, as a fraction of the side of a sheet


def _mask(picture: Picture, colour: str, tolerance: int) -> Mask:
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.int16)
    return np.asarray((np.abs(picture.astype(np.int16) - rgb) < tolerance).all(axis=2))


@dataclass(frozen=True)
class _Piece:
    """A connected component: the rows and columns of its pixels, and the size of its bounding box."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    width: int
    height: int

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of the bounding box, x and y."""
        return float(self.columns.min()) + self.width / 2, float(self.rows.min()) + self.height / 2


def _pieces(mask: Mask) -> list[_Piece]:
    labelled, _ = label(mask, np.ones((3, 3)))
    pieces: list[_Piece] = []
    for i, box in enumerate(find_objects(labelled), 1):
        rows, columns = np.nonzero(labelled[box] == i)
        pieces.append(_Piece(rows + box[0].start, columns + box[1].start, int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1))
    return pieces


@dataclass(frozen=True)
class _Crease:
    """A line through the point `on` with unit normal `normal`; the side in the direction of the normal is folded."""

    on: Points
    normal: Points

    def depth(self, points: Points) -> Points:
        return (points - self.on) @ self.normal

    def mirrored(self, points: Points) -> Points:
        return points - 2 * self.depth(points)[:, None] * self.normal


def _crease(piece: _Piece, shade: Mask, middle: tuple[float, float], side: float) -> _Crease:
    """The crease of a blue component, in the frame of its sheet."""
    points = np.stack([piece.columns + 0.5, piece.rows + 0.5], axis=1) - middle
    on = points.mean(axis=0)
    x, y = (points - on).T
    tilt = 0.5 * float(np.arctan2(2 * float(x @ y), float(x @ x) - float(y @ y))) + np.pi / 2
    angle = round(tilt / (np.pi / 4)) * np.pi / 4  # creases have four directions
    normal = np.array([np.cos(angle), np.sin(angle)])
    rows, columns = np.nonzero(binary_erosion(shade, np.ones((3, 3), np.bool_)))  # excludes pale outlines
    grey = np.stack([columns + 0.5, rows + 0.5], axis=1) - middle
    grey = grey[np.abs(grey).max(axis=1) < 0.5 * side]
    folded = float(((grey - on) @ normal).sum())
    return _Crease(on, normal if folded > 0 else -normal)


def _unfolded(holes: Points, creases: list[_Crease], side: float) -> Points:
    """The points of the unfolded sheet that coincide with a hole of the folded sheet."""
    candidates = holes
    for crease in reversed(creases):
        candidates = np.concatenate([candidates, crease.mirrored(candidates)])
    folded_points = candidates
    for crease in creases:
        folded_points = np.where(crease.depth(folded_points)[:, None] > 0, crease.mirrored(folded_points), folded_points)
    misses = np.linalg.norm(folded_points[:, None] - holes[None], axis=2).min(axis=1)
    distinct: list[Points] = []
    for spot in candidates[(misses < _SLACK * side) & (np.abs(candidates).max(axis=1) < side / 2)]:
        if all(float(np.linalg.norm(spot - other)) > _SLACK * side for other in distinct):
            distinct.append(spot)
    return np.array(distinct).reshape(-1, 2)


def _sheet_distance(a: Points, b: Points, side: float) -> float:
    """The mean distance of the optimally paired holes of two sheets; an unpaired hole counts as the side of a sheet."""
    distance = np.linalg.norm(a[:, None] - b[None], axis=2)
    rows, columns = linear_sum_assignment(distance)
    return float(distance[rows, columns].sum() + side * abs(len(a) - len(b))) / max(len(a), len(b), 1)


def _folding(images: list[Picture], prompt: str) -> str:
    del prompt
    picture = images[0]
    lines = sorted(_pieces(_mask(picture, CREASE, _NEAR)), key=lambda piece: float(piece.columns.mean()))
    dark, shade = _pieces(_mask(picture, INK, _NEAR)), _mask(picture, SHADE, _PALE)
    half = max(float(line.rows.max()) for line in lines)
    squares = [
        piece for piece in dark if abs(piece.width - piece.height) < 3 and piece.width > picture.shape[0] / 4 and piece.middle[1] > half
    ]
    sheets = sorted((piece.middle for piece in squares), key=lambda middle: middle[0])
    side = float(np.median([piece.width for piece in squares]))
    lines = [line for line in lines if max(line.width, line.height) > 0.1 * side]
    dots = [piece for piece in dark if 0.03 * side < piece.width < 0.12 * side and abs(piece.width - piece.height) < 4 and _is_disc(piece)]
    pitch = (sheets[-1][0] - sheets[0][0]) / (len(sheets) - 1)
    # the first sheet of the upper row is unfolded: its paper extends over the full height of a sheet
    rows = np.nonzero((_mask(picture, FILL, 9) | shade)[: round(sheets[0][1] - side / 2) - 3].any(axis=1))[0]
    level = (float(rows.min()) + float(rows.max()) + 1) / 2
    count = len(lines) + 1
    steps = [(picture.shape[1] / 2 + pitch * (i - (count - 1) / 2), level) for i in range(count)]
    creases = [_crease(line, shade, middle, side) for line, middle in zip(lines, steps, strict=False)]

    def holes(middle: tuple[float, float]) -> Points:
        offsets = [np.subtract(piece.middle, middle) for piece in dots]
        return np.array([at for at in offsets if float(np.abs(at).max()) < side / 2]).reshape(-1, 2)

    unfolded = _unfolded(holes(steps[-1]), creases, side)
    return LETTERS[int(np.argmin([_sheet_distance(unfolded, holes(sheet), side) for sheet in sheets]))]


def _is_disc(piece: _Piece) -> bool:
    """Whether a component fills its bounding box as a disc does."""
    return len(piece.rows) > 0.6 * piece.width * piece.height


SOLVERS = {"how a square sheet of paper is folded": _folding}
