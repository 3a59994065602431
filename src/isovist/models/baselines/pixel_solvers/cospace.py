"""Eyes for the turns of CoSpace: pictures of one standpoint laid over each other, by their pixels and the told field of view.

A picture becomes a strip of a cylinder around the standpoint, on which a turn of the camera is a shift. Where two strips overlap by
the right shift they show the same; the mean difference there tells how well a turn fits. The light may differ from picture to
picture: so what is compared are ratios to what is around, not values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from isovist.models.baselines.pixel_solvers import Pixels, PixelSolver

Strip = NDArray[np.float32]
"""Shape (rows, columns, 3): columns of equal angle, `PER_DEGREE` to a degree, the camera's heading in the middle; how much brighter
than its surroundings each point is, as the logarithm of the ratio.
"""

PER_DEGREE = 4
_RISE, _ROWS = 0.45, 48  # tangent of the elevation up to where a strip reaches, and its rows
_LEAST = 4.0  # degrees that must overlap
_DARK = 8.0  # of 255: darker differences are noise
_FLAT = 0.01  # of the logarithm: flatter surfaces tell nothing
_REACH = 12  # rows or columns of a strip
_STEPS = tuple(float(step) for step in range(15, 81))  # turns that are tried where none is told
_OFF = tuple(float(sign * off) for sign in (-1, 1) for off in range(19, 27))  # how far a picture may be off
_WIDE = re.compile(r"field of view of (\d+) degrees")
_OPTION = re.compile(r"^([A-Z])\. (\d+) degrees$", re.MULTILINE)


def strip(picture: Pixels, fov: float) -> Strip:
    """A square picture, `fov` degrees wide, on the cylinder."""
    side = picture.shape[0]
    columns = round(fov * PER_DEGREE)
    angle = np.radians((np.arange(columns) + 0.5) / PER_DEGREE - columns / PER_DEGREE / 2)
    rise = np.linspace(_RISE, -_RISE, _ROWS)
    scale = side / 2 / np.tan(np.radians(fov / 2))
    x = side / 2 + scale * np.tan(angle)[None, :]
    y = side / 2 - scale * rise[:, None] / np.cos(angle)[None, :]
    seen = np.log(_sampled(picture.astype(np.float32), np.broadcast_to(x, y.shape), y) + _DARK)
    return seen - _around(_around(seen, 0), 1)


def _around(seen: Strip, axis: int) -> Strip:
    """The mean of each value and those up to `_REACH` before and after it."""
    wide = np.pad(seen, [(_REACH + 1, _REACH) if k == axis else (0, 0) for k in range(3)], mode="edge")
    sums = np.cumsum(wide, axis=axis, dtype=np.float64)
    reach = 2 * _REACH + 1
    many = sums.shape[axis]
    return ((sums.take(range(reach, many), axis) - sums.take(range(many - reach), axis)) / reach).astype(np.float32)


def _sampled(picture: NDArray[np.float32], x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.float32]:
    """Each value is the mean of the four pixels around it."""
    side = picture.shape[0]
    u, v = np.clip(x - 0.5, 0, side - 1.001), np.clip(y - 0.5, 0, side - 1.001)
    i, j = u.astype(int), v.astype(int)
    a, b = (u - i)[..., None], (v - j)[..., None]
    top = picture[j, i] * (1 - a) + picture[j, i + 1] * a
    bottom = picture[j + 1, i] * (1 - a) + picture[j + 1, i + 1] * a
    return (top * (1 - b) + bottom * b).astype(np.float32)


def difference(one: Strip, two: Strip, turn: float) -> float | None:
    """By how much two strips differ where they overlap if the second looks `turn` degrees clockwise of the first, as a share of what
    they would differ by if they had nothing in common; None if they overlap too little.
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
    """The option by which all pictures that overlap agree best."""
    strips = _strips(images, prompt)
    offered = [(letter, float(angle)) for letter, angle in _OPTION.findall(prompt)]
    if strips is None or not offered:
        return None

    def misfit(step: float) -> float:
        pairs = [(i, j) for j in range(len(strips)) for i in range(j)]
        differences = [difference(strips[i], strips[j], (j - i) * step) for i, j in pairs]
        return max((value for value in differences if value is not None), default=float("inf"))

    return min(offered, key=lambda option: misfit(option[1]))[0]


def _or_far(value: float | None) -> float:
    """Strips that share too little do not fit."""
    return float("inf") if value is None else value


def _put_in(images: list[Pixels], prompt: str) -> str | None:
    """The picture without which one turn fits all neighbours best."""
    strips = _strips(images, prompt)
    if strips is None:
        return None
    places = range(len(strips))
    differences = {(i, j): [difference(strips[i], strips[j], step) for step in _STEPS] for j in places for i in range(max(0, j - 2), j)}

    def misfit(left_out: int) -> float:
        """The least difference of the worst of the neighbours, over all turns."""
        rows = [differences[pair] for pair in pairwise([place for place in places if place != left_out])]
        worst = [max(values) for values in zip(*rows, strict=True) if None not in values]
        return min(worst, default=float("inf"))

    return str(min(places, key=misfit) + 1)


def _off(images: list[Pixels], prompt: str) -> str | None:
    """The picture by whose being off, with one turn for all, all neighbours fit best."""
    strips = _strips(images, prompt)
    if strips is None:
        return None
    turns = [float(turn) for turn in range(1, round(_STEPS[-1] + _OFF[-1]) + 1)]
    differences = [[_or_far(difference(one, two, turn)) for turn in turns] for one, two in pairwise(strips)]

    def misfit(odd: int) -> float:
        """The least difference of the worst of the neighbours, over all turns and all that the picture may be off."""
        least = float("inf")
        for step, off in product(_STEPS, _OFF):
            due = [step + off * ((place + 1 == odd) - (place == odd)) for place in range(len(differences))]
            if min(due) >= 1:
                least = min(least, max(values[round(turn) - 1] for values, turn in zip(differences, due, strict=True)))
        return least

    return str(min(range(len(strips)), key=misfit) + 1)


SOLVERS: dict[str, PixelSolver] = {
    "By what angle was the camera rotated": _angle,
    "was inserted into this sequence": _put_in,
    "One image is misaligned": _off,
}
