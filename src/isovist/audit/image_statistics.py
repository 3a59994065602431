"""Statistics of natural images, measured on the images of items and on photographs.

They describe how an image looks, not whether its key is right. They depend on resolution, so photographs are compared at the size of the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import sobel
from scipy.stats import kurtosis

Picture = NDArray[np.uint8]
"""Shape (height, width, 3), sRGB."""
Array = NDArray[np.float64]
LEAST_SIDE = 64
"""A smaller image has too few frequencies for a slope."""
_LOWEST_FREQUENCY = 4
"""Cycles per image; lower frequencies depend on the window."""
_EDGE = 0.1
"""Least Sobel magnitude of an edge, for grey levels from 0 to 1."""


@dataclass(frozen=True, slots=True)
class ImageStatistics:
    """Statistics of one image."""

    spectral_slope: float
    """Slope of log amplitude over log frequency, over all orientations, of linear luminance."""
    colourfulness: float
    """M3 of Hasler and Süsstrunk (2003, Human Vision and Electronic Imaging): 0 for grey."""
    gradient_kurtosis: float
    """Kurtosis of horizontal and vertical differences of log luminance: 3 for a normal distribution; flat areas with few edges have more."""
    edge_share: float
    """Proportion of pixels with an edge."""
    entropy: float
    """Entropy of the grey levels in bits, at most 8."""


PUBLISHED = {
    "spectral_slope": "-1.2 on average, -0.8 to -1.5 (135 photographs; Tolhurst, Tadmor and Chao 1992)",
    "colourfulness": "15 slightly, 33 moderately, 59 quite, 82 highly colourful (Hasler and Süsstrunk 2003)",
    "gradient_kurtosis": "above 3, the value of a normal distribution (Srivastava, Lee, Simoncelli and Zhu 2003)",
}
"""Published values; the other statistics have none that applies to encoded images of this size."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of a statistic over images; no deviation for one image."""

    mean: float
    deviation: float | None

    def distance(self, other: Spread) -> float | None:
        """The difference of the means in standard deviations of `other`; None if that has none."""
        return (self.mean - other.mean) / other.deviation if other.deviation else None


def measure(picture: Picture) -> ImageStatistics:
    """Measure the central square of an image. Raises ValueError if a side is shorter than `LEAST_SIDE`."""
    height, width = picture.shape[:2]
    side = min(height, width)
    if side < LEAST_SIDE:
        raise ValueError(f"an image of {width} x {height} pixels is below {LEAST_SIDE} x {LEAST_SIDE}")
    top, left = (height - side) // 2, (width - side) // 2
    square = picture[top : top + side, left : left + side].astype(np.float64) / 255
    linear = np.where(square <= 0.04045, square / 12.92, ((square + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    grey = square @ (0.299, 0.587, 0.114)
    steps = np.log(luminance + 1 / 255)
    differences = np.concatenate([np.diff(steps, axis=0).ravel(), np.diff(steps, axis=1).ravel()])
    counts = np.bincount((grey * 255).round().astype(np.int64).ravel(), minlength=256)
    shares = counts[counts > 0] / counts.sum()
    return ImageStatistics(
        _slope(luminance),
        _colourfulness(square * 255),
        float(kurtosis(differences, fisher=False)) if differences.std() > 0 else 0.0,
        float((np.hypot(sobel(grey, 0), sobel(grey, 1)) / 4 > _EDGE).mean()),
        abs(float((shares * np.log2(shares)).sum())),
    )


def spreads(statistics: Sequence[ImageStatistics]) -> dict[str, Spread]:
    """Mean and standard deviation of each statistic over at least one image."""
    by_name = {field.name: [float(getattr(each, field.name)) for each in statistics] for field in fields(ImageStatistics)}
    return {name: Spread(fmean(values), stdev(values) if len(values) > 1 else None) for name, values in by_name.items()}


def _slope(luminance: Array) -> float:
    """Least-squares slope of the mean amplitude at each whole number of cycles, to a quarter of the sampling frequency; 0 for a flat image."""
    side = len(luminance)
    window, radius = _window(side)
    contrast = (luminance - luminance.mean()) * window
    amplitude = np.abs(np.fft.fft2(contrast))
    sums = np.bincount(radius.ravel(), amplitude.ravel())
    means = sums / np.bincount(radius.ravel())
    frequencies = np.arange(_LOWEST_FREQUENCY, side // 4 + 1)
    if np.ptp(luminance) == 0:
        return 0.0
    return float(np.polyfit(np.log(frequencies), np.log(means[frequencies]), 1)[0])


@lru_cache(maxsize=8)
def _window(side: int) -> tuple[Array, NDArray[np.int64]]:
    """A Hann window, and the frequency of each coefficient in whole cycles per image."""
    hann = np.hanning(side)
    cycles = np.fft.fftfreq(side, 1 / side)
    return np.outer(hann, hann), np.hypot(cycles[:, None], cycles).round().astype(np.int64)


def _colourfulness(pixels: Array) -> float:
    """Of values from 0 to 255."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    red_green, yellow_blue = red - green, (red + green) / 2 - blue
    return float(np.hypot(red_green.std(), yellow_blue.std()) + 0.3 * np.hypot(red_green.mean(), yellow_blue.mean()))
