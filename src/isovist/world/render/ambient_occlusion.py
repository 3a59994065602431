"""Ambient occlusion: how much of the light of the surroundings reaches a pixel past the surfaces near it.

From the depth buffer, in the image (McGuire, Mara and Luebke 2012, Scalable Ambient Obscurance): surfaces within a radius that is a fixed
part of the image darken each other where they meet. What is outside the image or hidden darkens nothing.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import cosine, sine
from isovist.world.render.jit import inner, kernel
from isovist.world.render.zbuffer import GROUND, SKY, Doubles, Floats, Ints

_RADIUS = 0.1
"""Radius relative to the height of the image."""
_TAPS, _TURNS = 7, 16
_STRENGTH = 2.6
_FLAT = 0.08  # sine of the elevation above the surface below which a neighbour does not count: curved surfaces consist of flat parts
_SURELY_FLAT = 0.99 * _FLAT * _FLAT  # square of a sine that is below `_FLAT` in spite of rounding
_SAME = 0.04  # difference in depth, relative to depth, up to which neighbouring pixels are averaged
_X, _Y = 0.75, 0.25  # position of the first sample of a pixel


@cache
def _offsets(radius: float) -> NDArray[np.int64]:
    """Return the offsets in pixels of the taps, for each of 4 x 4 neighbouring pixels: a spiral, turned. Shape (16, taps, 2)."""
    out = np.zeros((_TURNS, _TAPS, 2), np.int64)
    for turn in range(_TURNS):
        mixed = (turn * 7 + turn // 4 * 3) % _TURNS  # neighbouring pixels get turns that differ much
        for tap in range(_TAPS):
            far = radius * ((tap + (mixed + 0.5) / _TURNS) / _TAPS)
            angle = 360.0 * (tap * 3 / _TAPS + mixed / _TURNS)
            out[turn, tap] = round(far * cosine(angle)), round(far * sine(angle))
    return out


def openness(seen: Ints, depths: Floats, corners: Doubles, up: Doubles, scale: float, *, perspective: bool) -> Floats:
    """Return the part of the ambient light that reaches each pixel, (height, width), 0 to 1.

    `seen` and `depths` (2 height, 2 width): the buffers of `zbuffer`; `corners`: of all triangles in the camera frame; `up` (3,): the
    world's up in that frame.
    """
    height, width = seen.shape[0] // 2, seen.shape[1] // 2
    radius = _RADIUS * height
    near, free, out = (np.empty((height, width), np.float32) for _ in range(3))
    _gather(seen, depths, corners, up, scale, perspective, radius, _offsets(radius), near, free)
    _average(near, free, out)
    return out


@kernel
def _gather(
    seen: Ints, depths: Floats, corners: Doubles, up: Doubles, scale: float, perspective: bool, radius: float,
    offsets: NDArray[np.int64], near: Floats, free: Floats,
) -> None:  # fmt: skip
    """Write the depth in metres of the first sample of each pixel, 0 for the sky, and how much of the light reaches it."""
    height, width = near.shape
    sides = np.empty((height, width))  # metres of a sample
    for row in range(height):
        for column in range(width):
            value = depths[2 * row, 2 * column]
            if seen[2 * row, 2 * column] == SKY:
                near[row, column] = np.float32(0.0)
            else:
                near[row, column] = np.float32(1.0) / value if perspective else -value
            sides[row, column] = (np.float64(near[row, column]) if perspective else 1.0) / scale
    last = np.int64(SKY)
    plane_x, plane_y, plane_z = 0.0, 0.0, 0.0
    for row in range(height):
        for column in range(width):
            t = np.int64(seen[2 * row, 2 * column])
            free[row, column] = np.float32(1.0)
            if t == SKY:
                continue
            if t != last:
                last = t
                if t == GROUND:
                    plane_x, plane_y, plane_z = up[0], up[1], up[2]
                else:
                    ux, uy, uz = (
                        corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1], corners[t, 1, 2] - corners[t, 0, 2]
                    )  # fmt: skip
                    vx, vy, vz = (
                        corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1], corners[t, 2, 2] - corners[t, 0, 2]
                    )  # fmt: skip
                    plane_x, plane_y, plane_z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
                    length = sqrt(plane_x * plane_x + plane_y * plane_y + plane_z * plane_z)
                    by = 1.0 / length if length > 0.0 else 0.0
                    plane_x, plane_y, plane_z = plane_x * by, plane_y * by, plane_z * by
            depth = np.float64(near[row, column])
            wide = sides[row, column]
            ray_x, ray_y = 2 * column + _X - width, height - 2 * row - _Y
            x, y = ray_x * wide, ray_y * wide
            away = plane_x * x + plane_y * y + plane_z * depth if perspective else plane_z
            sign = -1.0 if away > 0.0 else 1.0
            nx, ny, nz = plane_x * sign, plane_y * sign, plane_z * sign
            reach = 2.0 * radius * wide
            by_reach = 1.0 / (reach * reach)
            which = (row & 3) * 4 + (column & 3)
            taken, hidden = 0, 0.0
            for tap in range(offsets.shape[1]):
                i, j = row + offsets[which, tap, 1], column + offsets[which, tap, 0]
                if i < 0 or j < 0 or i >= height or j >= width:
                    continue
                taken += 1
                other = np.float64(near[i, j])
                if other == 0.0:
                    continue
                vx = (ray_x + 2 * offsets[which, tap, 0]) * sides[i, j] - x
                vy = (ray_y - 2 * offsets[which, tap, 1]) * sides[i, j] - y
                vz = other - depth
                rise, far = vx * nx + vy * ny + vz * nz, vx * vx + vy * vy + vz * vz
                square = far * by_reach
                if rise * abs(rise) > _SURELY_FLAT * far and square < 1.0:
                    hidden += max(0.0, rise / (reach * sqrt(square) + 1e-9) - _FLAT) * (1.0 - square)
            free[row, column] = np.float32(max(0.0, 1.0 - _STRENGTH * hidden / max(taken, 1)))


@kernel
def _average(near: Floats, free: Floats, out: Floats) -> None:
    """Average 4 x 4 pixels of similar depth, which have all turns of the taps."""
    height, width = near.shape
    middle = np.empty((height, width), np.float32)
    total, count = np.empty(width, np.float32), np.empty(width, np.float32)
    for row in range(height):
        total[:], count[:] = 0.0, 0.0
        for shift in range(-2, 2):
            first, last = max(0, -shift), min(width, width - shift)
            there = slice(first + shift, last + shift)
            _add_similar(near[row, first:last], near[row, there], free[row, there], total[first:last], count[first:last])
        for column in range(width):
            middle[row, column] = total[column] / max(count[column], np.float32(1.0))
    for row in range(height):
        total[:], count[:] = 0.0, 0.0
        for i in range(max(row - 2, 0), min(row + 2, height)):
            _add_similar(near[row], near[i], middle[i], total, count)
        for column in range(width):
            out[row, column] = total[column] / count[column] if count[column] > 0 else np.float32(1.0)


@inner
def _add_similar(depths: Floats, others: Floats, values: Floats, total: Floats, count: Floats) -> None:
    """Add the values of one row of pixels where their depths are similar; all (n,). LLVM turns it into vector instructions."""
    for k in range(len(depths)):
        same = np.float32(1.0) if abs(others[k] - depths[k]) <= depths[k] * np.float32(_SAME) else np.float32(0.0)
        total[k] += same * values[k]
        count[k] += same
