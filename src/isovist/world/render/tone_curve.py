"""From light to pixels: exposure, sharpness of a lens, a film-like curve with a soft shoulder, sRGB.

The curve is the identity up to `KNEE`, and reaches 1 at `WHITE`: bright surfaces keep detail, where a camera would clip them.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Capture
from isovist.world.render import sensor_noise
from isovist.world.render.asset_pool import encoded
from isovist.world.render.jit import kernel
from isovist.world.render.zbuffer import Floats

KNEE = 0.55
_LONG = 4.0  # length of the shoulder, in units of the light between the knee and 1
WHITE = KNEE + (1.0 - KNEE) * _LONG
_STEPS = 32768
_BLUR = 0.07  # weight of each of the four neighbours: about the sharpness of a good lens


@kernel
def light_of(value: float) -> float:
    """Return the light that the curve shows as `value`, 0 to 1."""
    if value <= KNEE:
        return value
    above = (min(value, 1.0) - KNEE) / (1.0 - KNEE)
    lack = 1.0 - above
    return KNEE + (1.0 - KNEE) * 0.5 * _LONG * _LONG * (sqrt(lack * lack + 4.0 * above / (_LONG * _LONG)) - lack)


@kernel
def lights_of(values: Floats, out: Floats) -> None:
    """Write `light_of` of each of n values to `out`."""
    for i in range(len(values)):
        out[i] = light_of(values[i])


@cache
def _table() -> NDArray[np.uint8]:
    """Return the sRGB value for light from 0 to `WHITE` in `_STEPS` steps, both ends included."""
    light = np.arange(_STEPS + 1, dtype=np.float64) * (WHITE / _STEPS)
    over = (light - KNEE) / (1.0 - KNEE)
    return encoded(np.where(light <= KNEE, light, KNEE + (1.0 - KNEE) * over * (1.0 + over / (_LONG * _LONG)) / (1.0 + over)))


def developed(light: Floats, capture: Capture) -> NDArray[np.uint8]:
    """Return the 8-bit sRGB image (height, width, 3) of linear light."""
    gain = np.float32(2.0**capture.exposure * _STEPS / WHITE)
    out = np.empty(light.shape, np.uint8)
    _develop(np.ascontiguousarray(light).reshape(len(light), -1), gain, _table(), out.reshape(len(out), -1))
    return sensor_noise.add(out, capture.noise, capture.seed) if capture.noise > 0 else out


@kernel
def _develop(light: Floats, gain: np.float32, table: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """Blur slightly and convert; both (height, 3 width)."""
    height, width = light.shape
    side, middle = np.float32(_BLUR), np.float32(1.0 - 2.0 * _BLUR)
    line = np.empty(width + 6, np.float32)  # with a pixel more on each side
    for row in range(height):
        above, below = light[max(row - 1, 0)], light[min(row + 1, height - 1)]
        here = light[row]
        for i in range(width):
            line[i + 3] = ((above[i] + below[i]) * side + here[i] * middle) * gain
        for i in range(3):
            line[i], line[width + 3 + i] = line[i + 3], line[width + i]
        for i in range(width):
            value = (line[i] + line[i + 6]) * side + line[i + 3] * middle
            out[row, i] = table[np.int64(min(max(value, np.float32(0.0)), np.float32(_STEPS)) + np.float32(0.5))]
