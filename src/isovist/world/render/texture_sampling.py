"""Light from textures and from the sky, in linear light."""

from __future__ import annotations

from math import asin, atan2, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.world.render.jit import inner
from isovist.world.render.tone_curve import light_of
from isovist.world.render.zbuffer import Doubles, Floats

Colour = tuple[Any, Any, Any]  # red, green and blue; Numba knows the type


@inner
def _texel(texels: NDArray[np.uint8], linear: Floats, first: int, width: int, height: int, u: float, v: float) -> Colour:
    """Interpolate one mipmap level bilinearly; u to the right and v down in texels, repeated at the edges."""
    x, y = u - 0.5, v - 0.5
    fx, fy = np.floor(x), np.floor(y)
    a, b = np.float32(x - fx), np.float32(y - fy)
    x0, y0 = np.int64(fx) & (width - 1), np.int64(fy) & (height - 1)
    x1, y1 = (x0 + 1) & (width - 1), (y0 + 1) & (height - 1)
    p, q, r, s = first + y0 * width + x0, first + y0 * width + x1, first + y1 * width + x0, first + y1 * width + x1
    one = np.float32(1.0)
    c, d = one - a, one - b
    return (
        (linear[texels[p, 0]] * c + linear[texels[q, 0]] * a) * d + (linear[texels[r, 0]] * c + linear[texels[s, 0]] * a) * b,
        (linear[texels[p, 1]] * c + linear[texels[q, 1]] * a) * d + (linear[texels[r, 1]] * c + linear[texels[s, 1]] * a) * b,
        (linear[texels[p, 2]] * c + linear[texels[q, 2]] * a) * d + (linear[texels[r, 2]] * c + linear[texels[s, 2]] * a) * b,
    )


@inner
def textured(
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, texture: int, u: float, v: float, spread: float
) -> Colour:
    """Sample a texture at u, v (v up, 1 is its full side); a pixel is `spread` texels of the finest level wide."""
    first, width, height, coarser = table[texture, 0], table[texture, 1], table[texture, 2], table[texture, 3] - 1
    down = 1.0 - v
    while spread >= 2.0 and coarser > 0:
        spread *= 0.5
        coarser -= 1
        first += width * height
        width, height = max(1, width >> 1), max(1, height >> 1)
    r, g, b = _texel(texels, linear, first, width, height, u * width, down * height)
    part = np.float32(min(spread - 1.0, 1.0))
    if part > 0 and coarser > 0:
        first += width * height
        width, height = max(1, width >> 1), max(1, height >> 1)
        red, green, blue = _texel(texels, linear, first, width, height, u * width, down * height)
        return r + (red - r) * part, g + (green - g) * part, b + (blue - b) * part
    return r, g, b


@inner
def sky_light(
    dx: float, dy: float, dz: float, sky: Doubles, image: NDArray[np.int64],
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, spread: float,
) -> Colour:  # fmt: skip
    """Return the light from a direction. `sky` (3, 3): zenith, horizon, and the heading of the sky image; `image` (1,): its texture,
    or -1; `spread`: texels of the image to average.
    """
    length = sqrt(dx * dx + dy * dy + dz * dz)
    rise = dy / length
    if image[0] >= 0:
        across = 0.5 + atan2(dx, -dz) / (2.0 * pi) - sky[2, 0] / 360.0
        height = 0.5 + asin(max(-1.0, min(1.0, rise))) / pi
        r, g, b = textured(table, texels, linear, int(image[0]), across, height, spread)
        return light_of(r), light_of(g), light_of(b)
    part = max(0.0, rise)
    part = 1.0 - (1.0 - part) * (1.0 - part)
    return (
        sky[1, 0] + (sky[0, 0] - sky[1, 0]) * part,
        sky[1, 1] + (sky[0, 1] - sky[1, 1]) * part,
        sky[1, 2] + (sky[0, 2] - sky[1, 2]) * part,
    )
