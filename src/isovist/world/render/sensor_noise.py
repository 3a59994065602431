"""Noise of a camera sensor: the same for the same seed, in every process and on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SPREAD = np.float32((4 * (256**2 - 1) / 12) ** 0.5)  # standard deviation of the sum of four random bytes
_COMMON, _OWN = np.float32(0.8), np.float32(0.6)  # parts of brightness and colour; their squares have the sum 1


def add(image: NDArray[np.uint8], deviation: float, seed: int) -> NDArray[np.uint8]:
    """Return an image (height, width, 3) with nearly normal noise of this standard deviation in 8-bit levels."""
    height, width, _ = image.shape
    draws = _normal(4 * height * width, seed).reshape(height, width, 4)
    noise = (draws[:, :, :3] * _OWN + draws[:, :, 3:] * _COMMON) * np.float32(deviation)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def _normal(n: int, seed: int) -> NDArray[np.float32]:
    """Return n numbers of mean 0 and standard deviation 1: sums of four bytes of a hash of their index."""
    bits = np.arange(n, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for factor in (0x7FEB352D, 0x846CA68B, 0x9E3779B1):
        bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(factor)
    bits ^= bits >> np.uint32(15)
    total = np.full(n, -510, np.float32)
    for shift in (0, 8, 16, 24):
        total += (bits >> np.uint32(shift)) & np.uint32(255)
    return total / _SPREAD
