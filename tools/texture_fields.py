"""Periodic fields from which `build_textures.py` makes textures: noise, cells, wood, strokes. All repeat after `SIZE` pixels in both
directions. u is to the right, v down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIZE = 512

Field = NDArray[np.float64]
Cells = NDArray[np.int64]
V, U = (axis.astype(float) for axis in np.mgrid[0:SIZE, 0:SIZE])


def scaled(field: Field) -> Field:
    """The field with mean 0 and standard deviation 1."""
    return (field - field.mean()) / field.std()


def noise(seed: int, across: float, along: float | None = None) -> Field:
    """Smooth noise of mean 0 and standard deviation 1, its grain about `across` x `along` pixels (u x v)."""
    white = np.random.default_rng(seed).normal(size=(SIZE, SIZE))
    fu, fv = np.fft.fftfreq(SIZE)[None, :], np.fft.fftfreq(SIZE)[:, None]
    low = np.exp(-2 * (np.pi**2) * ((fu * across / 2) ** 2 + (fv * (along or across) / 2) ** 2))
    return scaled(np.fft.ifft2(np.fft.fft2(white) * low).real)


def fractal(seed: int, slope: float = 1.0, longest: float = 170.0) -> Field:
    """Noise of mean 0 and standard deviation 1 whose amplitude falls with frequency to the power `slope`.

    Wavelengths above `longest` pixels are left out: they would show the repeats.
    """
    white = np.random.default_rng(seed).normal(size=(SIZE, SIZE))
    frequency = np.hypot(np.fft.fftfreq(SIZE)[None, :], np.fft.fftfreq(SIZE)[:, None])
    frequency[0, 0] = 1.0
    gain = frequency**-slope * (frequency >= 1 / longest)
    return scaled(np.fft.ifft2(np.fft.fft2(white) * gain).real)


def blurred(field: Field, radius: float) -> Field:
    """The field after a Gaussian blur with this standard deviation in pixels."""
    frequency = np.fft.fftfreq(SIZE)[None, :] ** 2 + np.fft.fftfreq(SIZE)[:, None] ** 2
    return np.fft.ifft2(np.fft.fft2(field) * np.exp(-2 * np.pi**2 * radius**2 * frequency)).real


def of_cells(seed: int, cells: Cells) -> Field:
    """One number of mean 0 and standard deviation 1 for each cell number."""
    values = np.random.default_rng(seed).normal(size=int(cells.max()) + 1)
    return values[cells]


def stones(seed: int, across: int, wander: float = 0.8) -> tuple[Field, Field, Cells]:
    """Irregular cells, `across` in a row: distance to the centre of the nearest one and to that of the second, in cell sides, and the
    number of the nearest.
    """
    shift = wander * (np.random.default_rng(seed).random((across, across, 2)) - 0.5)
    x, y = (U + 0.5) * across / SIZE, (V + 0.5) * across / SIZE
    i, j = x.astype(int), y.astype(int)
    first, second, which = np.full(U.shape, 9.0), np.full(U.shape, 9.0), np.zeros(U.shape, np.int64)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            p, q = (i + right) % across, (j + down) % across
            distance = np.hypot(i + right + 0.5 + shift[q, p, 0] - x, j + down + 0.5 + shift[q, p, 1] - y)
            nearer = distance < first
            second = np.where(nearer, first, np.minimum(second, distance))
            which = np.where(nearer, q * across + p, which)
            first = np.minimum(first, distance)
    return first, second, which


def smooth(low: float, high: float, field: Field) -> Field:
    """0 below `low`, 1 above `high`, smooth between."""
    t = np.clip((field - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def rgb(colour: str) -> Field:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)


def plain(colour: str) -> Field:
    return np.broadcast_to(rgb(colour), (SIZE, SIZE, 3))


def mixed(picture: Field, colour: str | Field, part: Field) -> Field:
    """The picture where `part` is 0, the colour or other picture where it is 1."""
    other = rgb(colour) if isinstance(colour, str) else colour
    return picture + (other - picture) * np.clip(part, 0, 1)[:, :, None]


def lighter(picture: Field, *levels: Field) -> Field:
    """The picture made lighter or darker: 100 levels double the light or take it all."""
    return picture * (1 + sum(levels) / 100)[:, :, None]  # type: ignore[index] - a sum of arrays is an array


def joints(u: Field, v: Field, width: float, height: float, half: float, seed: int, rough: float = 0.5) -> tuple[Field, Field]:
    """Joints between rectangles of this size, straight to about `rough` pixels: 1 inside a joint of half width `half` pixels, and
    the distance from the nearest joint in pixels.
    """
    edge = np.minimum(np.minimum(u % width, width - u % width), np.minimum(v % height, height - v % height)) + rough * noise(seed, 5)
    return 1 - smooth(half - 0.7, half + 0.7, edge), np.maximum(edge - half, 0)


def wood(seed: int, u: Field, v: Field, board: Cells) -> Field:
    """Grain along u, of mean about 0: years as bands, pores as short dark lines; another piece of the trunk for each board."""
    draw = np.random.default_rng(seed)
    n = int(board.max()) + 1
    du, dv = draw.integers(0, SIZE, n)[board], draw.integers(0, SIZE, n)[board]
    at = (v.astype(int) + dv) % SIZE, (u.astype(int) + du) % SIZE
    bend, fine, pores = noise(seed + 1, 300, 26)[at], noise(seed + 2, 90, 2.2)[at], noise(seed + 3, 26, 1.4)[at]
    frequency = draw.uniform(0.5, 1.6, n)[board]
    years = np.sin(2 * np.pi * frequency * (2.2 * bend + v / 14))
    return 2.2 * years + 2.4 * fine - 5 * np.maximum(pores - 1.1, 0)


def strokes(seed: int, n: int, length: tuple[float, float], bend: float, upright: float) -> tuple[Field, Field]:
    """Short curved lines drawn over each other, such as blades: a number from 0 to 1 for each line, and the position along it, 0 to 1.

    `bend` in radians; `upright`: standard deviation of the direction from vertical in radians.
    """
    draw = np.random.default_rng(seed)
    x, y = draw.uniform(0, SIZE, n), draw.uniform(0, SIZE, n)
    angle, turn = draw.normal(-np.pi / 2, upright, n), draw.normal(0, bend, n)
    long, value = draw.uniform(*length, n), draw.random(n)
    which, along = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    steps = int(1.5 * length[1])
    for k in range(steps):
        t = k / (steps - 1)
        way = angle + turn * t
        x, y = x + np.cos(way) * long / steps, y + np.sin(way) * long / steps
        at = y.astype(int) % SIZE, x.astype(int) % SIZE
        which[at], along[at] = value, t
        if t < 0.6:
            at = at[0], (at[1] + 1) % SIZE
            which[at], along[at] = value, t
    return which, along
