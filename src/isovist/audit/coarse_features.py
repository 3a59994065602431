"""Coarse image features that do not require shape recognition.

Features of each image, shape (height, width, 3), 8-bit RGB: the proportion of ink (pixels that differ from the most frequent colour),
the bounding box, centre of mass and quadrants of the ink, the mean colour, and the proportion of each of six hues. The positions of
hues are excluded, because they would locate an object by its colour. For several images also the distances between their colour
histograms, pair by pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isovist.audit.features import ground

Mask = NDArray[np.bool_]
_CLEAR = 64  # minimum difference of a channel between ink and background
_WIDE = 64  # images are reduced to this shorter side in pixels
_HUES = 6
_LINES = 16
_COLOURED = 60  # minimum range of the channels of a pixel with a hue
_PAIRS = 10  # maximum number of compared image pairs


def coarse(pictures: Sequence[NDArray[np.uint8]]) -> list[float]:
    """Return the features of an item's images. Items with equally many images have equally many features, in the same order."""
    small = list(map(_reduced, pictures))
    histograms = [_histogram(picture) for picture in small]
    distances = [float(np.abs(a - b).sum()) for a, b in list(combinations(histograms, 2))[:_PAIRS]]
    return [*(feature for picture in small for feature in _of(picture)), *distances]


def profiles(picture: NDArray[np.uint8]) -> list[float]:
    """Return the proportion of ink in each of 16 rows and 16 columns of an image, and the same sorted."""
    small = _reduced(picture)
    ink = _ink(small)
    lines = [[float(part.mean()) for part in np.array_split(ink, _LINES, axis)] for axis in (0, 1)]
    return [*lines[0], *lines[1], *sorted(lines[0]), *sorted(lines[1])]


def _reduced(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    step = max(1, min(picture.shape[:2]) // _WIDE)
    return picture[::step, ::step]


def _ink(picture: NDArray[np.uint8]) -> Mask:
    return np.abs(picture.astype(np.int16) - np.array(ground(picture), np.int16)).max(axis=2) > _CLEAR


def _of(picture: NDArray[np.uint8]) -> list[float]:
    values = picture.astype(np.int16)
    ink = _ink(picture)
    height, width = picture.shape[:2]
    halves = [float(ink[rows, columns].mean()) for rows in _halves(height) for columns in _halves(width)]
    hue = _hue(values)
    hues = [float(np.equal(hue, k).mean()) for k in range(_HUES)]
    return [float(ink.mean()), *_box(ink), *_middle(ink), *halves, *map(float, values.mean(axis=(0, 1))), *hues]


def _hue(values: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the nearest of six hues of each pixel, from red; -1 for pixels with low saturation."""
    red, green, blue = (values[..., i].astype(float) for i in range(3))
    high, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    spread = np.maximum(high - low, 1)
    turn: NDArray[np.float64] = np.where(
        high == red, (green - blue) / spread % 6, np.where(high == green, (blue - red) / spread + 2, (red - green) / spread + 4)
    )
    return np.where(high - low >= _COLOURED, (turn + 0.5).astype(np.int64) % _HUES, -1)


def _halves(n: int) -> tuple[slice, slice]:
    return slice(0, n // 2), slice(n // 2, n)


def _box(mask: Mask) -> tuple[float, float, float, float]:
    """Return left, right, top and bottom relative to the image; -1 if the mask is empty."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return (-1.0, -1.0, -1.0, -1.0)
    height, width = mask.shape
    return columns[0] / width, columns[-1] / width, rows[0] / height, rows[-1] / height


def _mean(counts: NDArray[np.int64]) -> float:
    return float(np.average(np.arange(len(counts)), weights=counts))


def _middle(mask: Mask) -> tuple[float, float]:
    """Return the centre of mass from the left and from the top, relative to the image; -1 if the mask is empty."""
    if not mask.any():
        return (-1.0, -1.0)
    height, width = mask.shape
    return _mean(mask.sum(axis=0)) / width, _mean(mask.sum(axis=1)) / height


def _histogram(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the proportions of the pixels in 64 colours."""
    cells: NDArray[np.int64] = ((picture >> 6).reshape(-1, 3) * np.array([16, 4, 1])).sum(axis=1)
    return np.bincount(cells, minlength=64) / len(cells)
