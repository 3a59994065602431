"""Z-buffer rasterization with exact edges.

Corners are snapped to 1/256 of a sample and edges are evaluated in integers, so neighbouring triangles neither overlap nor leave a
gap. The depth buffer holds 1/depth for a perspective view and -depth for an orthographic view: the larger value is nearer, and both
are linear in the image.

Camera frame: x to the right, y up, depth ahead; metres. Samples: x to the right, y down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import NEAR
from isovist.world.render.jit import inner, kernel

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

SKY, GROUND = -1, -2
_SNAP = 256.0
_HALF = 128
_SHIFT = 64  # offset from the centre of a sample cell: the four samples of a pixel have four different x and y
_GUARD = float(1 << 20)  # samples from the centre beyond which triangles are clipped, so that integers stay small
_NEAR = NEAR
_WIDE = 12  # width in samples from which the ends of a row are computed before filling


@kernel
def to_world(pieces: NDArray[np.int64], matrices: Doubles, corners: Floats, world: Doubles, piece_of: Ints) -> None:
    """Transform the triangles of the parts from the pool to world space.

    `pieces` (p, 4): first triangle in the pool, number of triangles, first triangle in `world`, object; `matrices` (p, 3, 4);
    `world` (n, 3, 3) and `piece_of` (n,) are written.
    """
    for p in range(len(pieces)):
        first, count, out = pieces[p, 0], pieces[p, 1], pieces[p, 2]
        m = matrices[p]
        for t in range(count):
            piece_of[out + t] = p
            for k in range(3):
                x, y, z = np.float64(corners[first + t, k, 0]), np.float64(corners[first + t, k, 1]), np.float64(corners[first + t, k, 2])
                for i in range(3):
                    world[out + t, k, i] = m[i, 0] * x + m[i, 1] * y + m[i, 2] * z + m[i, 3]


@kernel
def to_camera(world: Doubles, eye: Doubles, view: Doubles, camera: Doubles) -> None:
    """Transform corners to the camera frame. `view` (3, 3): right, up and back in the world; all others (n, 3, 3)."""
    for t in range(len(world)):
        for k in range(3):
            x, y, z = world[t, k, 0] - eye[0], world[t, k, 1] - eye[1], world[t, k, 2] - eye[2]
            camera[t, k, 0] = view[0, 0] * x + view[0, 1] * y + view[0, 2] * z
            camera[t, k, 1] = view[1, 0] * x + view[1, 1] * y + view[1, 2] * z
            camera[t, k, 2] = -(view[2, 0] * x + view[2, 1] * y + view[2, 2] * z)


@kernel
def bounds(corners: Doubles, first: int, last: int, low: Doubles, high: Doubles) -> None:
    """Extend the box from `low` to `high`, both (3,), to the corners of the triangles first to last-1."""
    for t in range(first, last):
        for k in range(3):
            for i in range(3):
                low[i] = min(low[i], corners[t, k, i])
                high[i] = max(high[i], corners[t, k, i])


@inner
def _cut(polygon: Doubles, n: int, a: float, b: float, c: float, d: float, out: Doubles) -> int:
    """Clip a polygon of n corners to a*x + b*y + c*depth + d >= 0. Returns the number of remaining corners."""
    m = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        p = a * polygon[i, 0] + b * polygon[i, 1] + c * polygon[i, 2] + d
        q = a * polygon[j, 0] + b * polygon[j, 1] + c * polygon[j, 2] + d
        if p >= 0:
            for k in range(3):
                out[m, k] = polygon[i, k]
            m += 1
        if (p >= 0) != (q >= 0):
            s = p / (p - q)
            for k in range(3):
                out[m, k] = polygon[i, k] + s * (polygon[j, k] - polygon[i, k])
            m += 1
    return m


@kernel
def draw(camera: Doubles, first: int, last: int, scale: float, perspective: bool, jitter: bool, depths: Floats, seen: Ints) -> None:
    """Draw the triangles first to last-1, given in the camera frame, into `depths` and `seen` (both (rows, columns)).

    `scale`: samples per metre, at depth 1 m if `perspective`. With `jitter` the samples of each 2 x 2 block have four different x and y.
    Of two triangles at equal depth the first one stays.
    """
    rows, columns = depths.shape
    middle_x, middle_y = columns / 2.0, rows / 2.0
    shift = _SHIFT if jitter else 0
    all_depths, all_seen = depths.reshape(-1), seen.reshape(-1)
    one, two = np.empty((9, 3)), np.empty((9, 3))
    for t in range(first, last):
        ax, ay, az = camera[t, 0, 0], camera[t, 0, 1], camera[t, 0, 2]
        bx, by, bz = camera[t, 1, 0], camera[t, 1, 1], camera[t, 1, 2]
        cx, cy, cz = camera[t, 2, 0], camera[t, 2, 1], camera[t, 2, 2]
        nearest, farthest = min(az, bz, cz), max(az, bz, cz)
        if farthest < _NEAR:
            continue
        x0, y0, x1, y1, x2, y2 = 0, 0, 0, 0, 0, 0
        whole = nearest >= _NEAR
        if whole:
            p, q, r = (scale / az, scale / bz, scale / cz) if perspective else (scale, scale, scale)
            ux, vx, wx = ax * p, bx * q, cx * r
            uy, vy, wy = ay * p, by * q, cy * r
            if max(ux, vx, wx) < -middle_x or min(ux, vx, wx) > middle_x or max(uy, vy, wy) < -middle_y or min(uy, vy, wy) > middle_y:
                continue
            whole = max(abs(ux), abs(vx), abs(wx), abs(uy), abs(vy), abs(wy)) < _GUARD
            if whole:
                x0, y0 = _snapped(middle_x + ux), _snapped(middle_y - uy)
                x1, y1 = _snapped(middle_x + vx), _snapped(middle_y - vy)
                x2, y2 = _snapped(middle_x + wx), _snapped(middle_y - wy)
                if _between(x0, x1, x2, shift) or _between(y0, y1, y2, shift):
                    continue
        # the plane: value = at_x * X + at_y * Y + at_0 in the image
        sx, sy, sz = bx - ax, by - ay, bz - az
        tx, ty, tz = cx - ax, cy - ay, cz - az
        nx, ny, nz = sy * tz - sz * ty, sz * tx - sx * tz, sx * ty - sy * tx
        k = nx * ax + ny * ay + nz * az
        if perspective:
            if k == 0.0:
                continue
            by_k = 1.0 / k
            at_x, at_y = nx * by_k / scale, -ny * by_k / scale
            at_0 = nz * by_k - at_x * middle_x - at_y * middle_y
            low, high = 1.0 / farthest, 1.0 / max(nearest, _NEAR)
        else:
            if nz == 0.0:
                continue
            at_x, at_y = nx / (nz * scale), -ny / (nz * scale)
            at_0 = -k / nz - at_x * middle_x - at_y * middle_y
            low, high = -farthest, -max(nearest, _NEAR)
        if whole:
            _fill(rows, columns, x0, y0, x1, y1, x2, y2, at_x, at_y, at_0, low, high, shift, t, all_depths, all_seen)
            continue
        # clip parts that are too near or too far aside
        for i in range(3):
            for j in range(3):
                one[i, j] = camera[t, i, j]
        along, level = (_GUARD, 0.0) if perspective else (0.0, _GUARD)
        n = _cut(one, 3, 0.0, 0.0, 1.0, -_NEAR, two)
        n = _cut(two, n, -scale, 0.0, along, level, one)
        n = _cut(one, n, scale, 0.0, along, level, two)
        n = _cut(two, n, 0.0, -scale, along, level, one)
        n = _cut(one, n, 0.0, scale, along, level, two)
        for i in range(n):
            wide = scale / two[i, 2] if perspective else scale
            one[i, 0], one[i, 1] = middle_x + two[i, 0] * wide, middle_y - two[i, 1] * wide
        for i in range(1, n - 1):
            x0, y0 = _snapped(one[0, 0]), _snapped(one[0, 1])
            x1, y1 = _snapped(one[i, 0]), _snapped(one[i, 1])
            x2, y2 = _snapped(one[i + 1, 0]), _snapped(one[i + 1, 1])
            _fill(rows, columns, x0, y0, x1, y1, x2, y2, at_x, at_y, at_0, low, high, shift, t, all_depths, all_seen)


@inner
def _snapped(samples: float) -> int:
    return int(np.floor(samples * _SNAP + 0.5))


@inner
def _between(a: int, b: int, c: int, shift: int) -> bool:
    """Whether corners at these positions lie between the samples of two consecutive rows or columns."""
    return ((max(a, b, c) - _HALF + shift) >> 8) < ((min(a, b, c) + 255 - _HALF - shift) >> 8)


@inner
def _fill(
    rows: int, columns: int, x0: int, y0: int, x1: int, y1: int, x2: int, y2: int,
    at_x: float, at_y: float, at_0: float, low: float, high: float, shift: int, t: int, depths: Floats, seen: Ints,
) -> None:  # fmt: skip
    """Fill a triangle with corners in 1/256 of a sample. `depths` and `seen` (rows * columns,)."""
    area = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
    if area == 0:
        return
    if area < 0:
        x1, y1, x2, y2 = x2, y2, x1, y1
    left = max(0, (min(x0, x1, x2) + 255 - _HALF - shift) >> 8)
    right = min(columns - 1, (max(x0, x1, x2) - _HALF + shift) >> 8)
    top = max(0, (min(y0, y1, y2) + 255 - _HALF - shift) >> 8)
    bottom = min(rows - 1, (max(y0, y1, y2) - _HALF + shift) >> 8)
    if left > right or top > bottom:
        return
    # growth of each edge function with x and y; a point on an edge belongs to only one of two neighbours
    ex0, ey0 = y1 - y2, x2 - x1
    ex1, ey1 = y2 - y0, x0 - x2
    ex2, ey2 = y0 - y1, x1 - x0
    own0 = 0 if ex0 > 0 or (ex0 == 0 and ey0 > 0) else -1
    own1 = 0 if ex1 > 0 or (ex1 == 0 and ey1 > 0) else -1
    own2 = 0 if ex2 > 0 or (ex2 == 0 and ey2 > 0) else -1
    s0, s1, s2 = ey0 * shift, ey1 * shift, ey2 * shift
    step0, step1, step2 = ex0 << 8, ex1 << 8, ex2 << 8
    for row in range(top, bottom + 1):
        py = (row << 8) + _HALF
        px = _HALF + (shift if row & 1 == 0 else -shift)
        # at column 0, before the column offset
        b0 = ex0 * (px - x1) + ey0 * (py - y1) + own0
        b1 = ex1 * (px - x2) + ey1 * (py - y2) + own1
        b2 = ex2 * (px - x0) + ey2 * (py - y0) + own2
        start, stop = left, right
        if right - left > _WIDE:
            start, stop = _narrowed(b0 + abs(s0), step0, start, stop)
            start, stop = _narrowed(b1 + abs(s1), step1, start, stop)
            start, stop = _narrowed(b2 + abs(s2), step2, start, stop)
        # even columns are sampled higher, odd ones lower
        across = at_0 + at_x * (px / _SNAP)
        even, odd = across + at_y * ((py - shift) / _SNAP), across + at_y * ((py + shift) / _SNAP)
        offset = row * columns
        for column in range(start, stop + 1):  # without jumps and with unsigned indices: LLVM turns it into vector instructions
            lower = column & 1
            c0 = b0 + (s0 if lower else -s0) + step0 * column
            c1 = b1 + (s1 if lower else -s1) + step1 * column
            c2 = b2 + (s2 if lower else -s2) + step2 * column
            value = np.float32(min(max((odd if lower else even) + at_x * column, low), high))
            sample = np.uint64(offset + column)
            if ((c0 | c1 | c2) >= 0) & (value > depths[sample]):
                depths[sample] = value
                seen[sample] = t


@inner
def _narrowed(b: int, step: int, start: int, stop: int) -> tuple[int, int]:
    """Return the columns from start to stop where b + step * column >= 0."""
    if step > 0:
        start = max(start, -(b // step))
    elif step < 0:
        stop = min(stop, b // -step)
    elif b < 0:
        stop = start - 1
    return start, stop


@kernel
def draw_ground(plane: Doubles, jitter: bool, depths: Floats, seen: Ints) -> None:
    """Draw the infinite ground plane behind nearer surfaces. `plane` (4,): depth value at column 0 and row 0, its growth with column and
    row, and the value above which it is too near to be visible.
    """
    rows, columns = depths.shape
    shift = _SHIFT / _SNAP if jitter else 0.0
    for row in range(rows):
        x = 0.5 + (shift if row & 1 == 0 else -shift)
        for column in range(columns):
            y = row + 0.5 + (-shift if column & 1 == 0 else shift)
            value = np.float32(plane[0] + plane[1] * (column + x) + plane[2] * y)
            if depths[row, column] < value < plane[3]:
                depths[row, column] = value
                seen[row, column] = GROUND
