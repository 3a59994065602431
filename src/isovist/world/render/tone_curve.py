"""From light to pixels: exposure, sharpness of a lens, a film-like curve with a soft shoulder, sRGB, noise of the sensor.

The curve is the identity up to `KNEE`, and reaches 1 at `WHITE`: bright surfaces keep detail, where a camera would clip them.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Capture
from isovist.world.render.asset_pool import encoded
from isovist.world.render.jit import inner, kernel
from isovist.world.render.zbuffer import Floats

KNEE = 0.55
_LONG = 4.0  # length of the shoulder, in units of the light between the knee and 1
WHITE = KNEE + (1.0 - KNEE) * _LONG
_STEPS = 32768
_BLUR = 0.07  # weight of each of the four neighbours: about the sharpness of a good lens
_SPREAD = np.float32((4 * (256**2 - 1) / 12) ** 0.5)  # standard deviation of the sum of four random bytes
_COMMON, _OWN = np.float32(0.8), np.float32(0.6)  # parts of brightness and colour; their squares have the sum 1


@inner
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
    return with_noise(out, capture.noise, capture.seed) if capture.noise > 0 else out


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


def with_noise(image: NDArray[np.uint8], deviation: float, seed: int) -> NDArray[np.uint8]:
    """Return an image (height, width, 3) with noise of a camera sensor, nearly normal, of this standard deviation in 8-bit levels.

    It is the same for the same seed, in every process and on every machine.
    """
    height, width, _ = image.shape
    draws = _normal_numbers(4 * height * width, seed).reshape(height, width, 4)
    noise = (draws[:, :, :3] * _OWN + draws[:, :, 3:] * _COMMON) * np.float32(deviation)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def _normal_numbers(n: int, seed: int) -> NDArray[np.float32]:
    """Return n numbers of mean 0 and standard deviation 1: sums of four bytes of a hash of their index."""
    bits = np.arange(n, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for factor in (0x7FEB352D, 0x846CA68B, 0x9E3779B1):
        bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(factor)
    bits ^= bits >> np.uint32(15)
    total = np.full(n, -510, np.float32)
    for shift in (0, 8, 16, 24):
        total += (bits >> np.uint32(shift)) & np.uint32(255)
    return total / _SPREAD
