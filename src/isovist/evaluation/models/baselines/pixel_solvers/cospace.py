"""Pixel solver of the camera rotation tasks of CoSpace: compares images from one viewpoint by pixels and the stated field of view.

Each image is projected onto a cylinder around the viewpoint, where a camera rotation is a horizontal shift. With the correct shift, two
strips are equal where they overlap; their mean difference there measures the fit of a rotation. The light may differ between images, so
the comparison uses ratios to the local mean instead of pixel values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from isovist.evaluation.models.baselines.pixel_solvers import Pixels, PixelSolver

Strip = NDArray[np.float32]
"""Shape (rows, columns, 3): columns of equal angle, `PER_DEGREE` per degree, with the camera's heading in the middle. Values are log
ratios of the brightness of a point to that of its surroundings.
"""

PER_DEGREE = 4
_RISE, _ROWS = 0.45, 48  # tangent of the largest elevation of a strip, and its number of rows
_LEAST = 4.0  # minimum overlap in degrees
_DARK = 8.0  # offset of pixel values (0 to 255) before the logarithm, against noise in dark pixels
_FLAT = 0.01  # regularization of log ratios: uniform surfaces give no information
_REACH = 12  # half-width of the local mean, in rows or columns of a strip
_STEPS = tuple(float(step) for step in range(15, 81))  # candidate rotations in degrees, if none is stated
_MISALIGNMENTS = tuple(float(sign * off) for sign in (-1, 1) for off in range(19, 27))  # candidate misalignments of an image in degrees
_WIDE = re.compile(r"field of view of (\d+) degrees")
_OPTION = re.compile(r"\b([A-Z])\. (\d+) degrees\b")


def strip(picture: Pixels, fov: float) -> Strip:
    """The projection of a square image, `fov` degrees wide, onto the cylinder."""
    side = picture.shape[0]
    columns = round(fov * PER_DEGREE)
    angle = np.radians((np.arange(columns) + 0.5) / PER_DEGREE - columns / PER_DEGREE / 2)
    rise = np.linspace(_RISE, -_RISE, _ROWS)
    scale = side / 2 / np.tan(np.radians(fov / 2))
    x = side / 2 + scale * np.tan(angle)[None, :]
    y = side / 2 - scale * rise[:, None] / np.cos(angle)[None, :]
    log_values = np.log(_sampled(picture.astype(np.float32), np.broadcast_to(x, y.shape), y) + _DARK)
    return log_values - _local_mean(_local_mean(log_values, 0), 1)


def _local_mean(log_values: Strip, axis: int) -> Strip:
    """The moving average along an axis over `_REACH` values before and after each value."""
    wide = np.pad(log_values, [(_REACH + 1, _REACH) if k == axis else (0, 0) for k in range(3)], mode="edge")
    sums = np.cumsum(wide, axis=axis, dtype=np.float64)
    reach = 2 * _REACH + 1
    n_values = sums.shape[axis]
    return ((sums.take(range(reach, n_values), axis) - sums.take(range(n_values - reach), axis)) / reach).astype(np.float32)


def _sampled(picture: NDArray[np.float32], x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.float32]:
    """Bilinear interpolation of an image at pixel coordinates x and y."""
    side = picture.shape[0]
    u, v = np.clip(x - 0.5, 0, side - 1.001), np.clip(y - 0.5, 0, side - 1.001)
    i, j = u.astype(int), v.astype(int)
    a, b = (u - i)[..., None], (v - j)[..., None]
    top = picture[j, i] * (1 - a) + picture[j, i + 1] * a
    bottom = picture[j + 1, i] * (1 - a) + picture[j + 1, i + 1] * a
    return (top * (1 - b) + bottom * b).astype(np.float32)


def difference(one: Strip, two: Strip, turn: float) -> float | None:
    """The difference of two strips in their overlap if the second camera is rotated `turn` degrees clockwise from the first.

    It is a fraction of the difference expected for unrelated content; None if the overlap is too small.
    """
    turn = (turn + 180) % 360 - 180
    shift = round(abs(turn) * PER_DEGREE)
    width = one.shape[1] - shift
    if width < _LEAST * PER_DEGREE:
        return None
    left, right = (one, two) if turn >= 0 else (two, one)
    a, b = left[:, shift:], right[:, :width]
    return float(np.abs(a - b).sum() / (np.abs(a).sum() + np.abs(b).sum() + _FLAT * a.size))


def _strips(images: Sequence[Pixels], prompt: str) -> list[Strip] | None:
    wide = _WIDE.search(prompt)
    return [strip(image, float(wide[1])) for image in images] if wide else None


def _angle(images: list[Pixels], prompt: str) -> str | None:
    """The label of the rotation for which the worst pair of overlapping images fits best."""
    strips = _strips(images, prompt)
    offered = [(letter, float(angle)) for letter, angle in _OPTION.findall(prompt)]
    if strips is None or not offered:
        return None

    def misfit(step: float) -> float:
        pairs = [(i, j) for j in range(len(strips)) for i in range(j)]
        differences = [difference(strips[i], strips[j], (j - i) * step) for i, j in pairs]
        return max((value for value in differences if value is not None), default=float("inf"))

    return min(offered, key=lambda option: misfit(option[1]))[0]


def _or_infinite(value: float | None) -> float:
    """The difference; infinite without sufficient overlap."""
    return float("inf") if value is None else value


def _inserted(images: list[Pixels], prompt: str) -> str | None:
    """The number, from 1, of the inserted image: without it, one rotation step fits all adjacent images best."""
    strips = _strips(images, prompt)
    if strips is None:
        return None
    places = range(len(strips))
    differences = {(i, j): [difference(strips[i], strips[j], step) for step in _STEPS] for j in places for i in range(max(0, j - 2), j)}

    def misfit(left_out: int) -> float:
        """The minimum over rotation steps of the largest difference between adjacent images."""
        rows = [differences[pair] for pair in pairwise([place for place in places if place != left_out])]
        largest = [max(values) for values in zip(*rows, strict=True) if None not in values]
        return min(largest, default=float("inf"))

    return str(min(places, key=misfit) + 1)


def _misaligned(images: list[Pixels], prompt: str) -> str | None:
    """The number, from 1, of the misaligned image: with it misaligned, one rotation step fits all adjacent images best."""
    strips = _strips(images, prompt)
    if strips is None:
        return None
    turns = [float(turn) for turn in range(1, round(_STEPS[-1] + _MISALIGNMENTS[-1]) + 1)]
    differences = [[_or_infinite(difference(one, two, turn)) for turn in turns] for one, two in pairwise(strips)]

    def misfit(odd: int) -> float:
        """The minimum over rotation steps and misalignments of the largest difference between adjacent images."""
        least = float("inf")
        for step, off in product(_STEPS, _MISALIGNMENTS):
            expected = [step + off * ((place + 1 == odd) - (place == odd)) for place in range(len(differences))]
            if min(expected) >= 1:
                least = min(least, max(values[round(turn) - 1] for values, turn in zip(differences, expected, strict=True)))
        return least

    return str(min(range(len(strips)), key=misfit) + 1)


SOLVERS: dict[str, PixelSolver] = {
    "By what angle was the camera rotated": _angle,
    "was inserted into this sequence": _inserted,
    "One image is misaligned": _misaligned,
}
