"""Equirectangular photographs, and pinhole views of them.

Frame: heading 0 is the centre of the photograph, headings grow clockwise (to the right), elevations upward, both in degrees.
Column c of w has heading (c + 0.5) * 360 / w - 180, row r of h elevation 90 - (r + 0.5) * 180 / h.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import map_coordinates

from isovist.core.rotation import cosine, sine, tangent
from isovist.data.dataset.pictures import as_shown
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import decoding, fingerprint, photo_bytes

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff")

_MOST_BYTES = 256 << 20
_MOST_PIXELS = 150_000_000  # 16,384 x 8,192 and a little more
_ASPECT = 0.01  # maximum deviation of width / height from 2
_JUMP, _LEVELS = 6.0, 8.0  # maximum jump between the edges: a multiple of that between neighbouring columns, plus grey levels
_SAMPLES = 2  # rays per pixel, horizontally and vertically

Pixels = NDArray[np.uint8]
Light = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Photo:
    """A photograph with a hash of its file. `pixels`: (height, width, 3), sRGB."""

    digest: str
    pixels: Pixels

    @property
    def width(self) -> int:
        return self.pixels.shape[1]

    @cached_property
    def _levels(self) -> dict[int, Light]:
        return {}

    def _light(self, width: int) -> Light:
        """Return linear light at this width, or the photograph's if smaller, with two wrapped columns at each side: (3, h, width + 4)."""
        if width not in self._levels:
            size = (width, max(1, round(width * self.pixels.shape[0] / self.width)))
            channels: list[Light] = []
            for k in range(3):  # one channel at a time: linear light takes four times the memory
                light = _linear()[self.pixels[..., k]]
                if width < self.width:  # boxes tile the photograph, so the average does not cross its edges
                    light = np.asarray(Image.fromarray(light).resize(size, Image.Resampling.BOX))
                channels.append(np.concatenate((light[:, -2:], light, light[:, :2]), axis=1))
            self._levels[width] = np.stack(channels)
        return self._levels[width]

    def view(self, heading: float, fov: float, size: int, pitch: float = 0.0) -> Pixels:
        """Return the pinhole view, shape (size, size, 3), in direction `heading` and `pitch` (up) with square field of view `fov`, in degrees.

        Pixels are averaged in linear light, seamless over the edges of the photograph. Raises ValueError for a field of view that a
        pinhole camera cannot have.
        """
        if not 0 < fov < 170:
            raise ValueError(f"a field of view of {fov} degrees: give one between 0 and 170")
        # twice as many columns as the resolution at the centre of the view: finer detail is averaged before rays are cast
        needed = round(2 * _SAMPLES * pi * (size / 2) / tangent(fov / 2))
        light = self._light(min(self.width, needed))
        rays = size * _SAMPLES
        across = ((np.arange(rays) + 0.5) / rays * 2 - 1) * tangent(fov / 2)
        right, up = across[None, :], -across[:, None]
        ahead, rise = cosine(pitch) - up * sine(pitch), sine(pitch) + up * cosine(pitch)
        turned = np.degrees(np.arctan2(right, ahead)) + heading
        elevation = np.degrees(np.arctan2(rise, np.hypot(right, ahead)))
        height, width = light.shape[1], light.shape[2] - 4
        x = ((turned / 360 + 0.5) % 1.0) * width - 0.5
        y = (0.5 - elevation / 180) * height - 0.5
        places = (y, np.broadcast_to(x, y.shape) + 2)
        seen = np.stack([map_coordinates(channel, places, np.float32, order=1, mode="nearest") for channel in light], axis=-1)
        return _encoded((seen[::2, ::2] + seen[1::2, ::2] + seen[::2, 1::2] + seen[1::2, 1::2]) / (_SAMPLES * _SAMPLES))


@lru_cache(maxsize=1)
def _linear() -> Light:
    """Return the linear light, 0 to 1, of each of the 256 sRGB values."""
    value = np.arange(256) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _encoded(light: NDArray[np.floating]) -> Pixels:
    value = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return (np.clip(value, 0, 1) * 255 + 0.5).astype(np.uint8)


def least_width(size: int) -> int:
    """Return the minimum width of a photograph: the resolution at the centre of a 90-degree view of `size` pixels."""
    return int(pi * size)


def read(path: Path, size: int) -> Photo:
    """Read a photograph for views of `size` pixels. Raises Unusable: not an image, too small, not 2:1, not 360 degrees wide."""
    data = photo_bytes(path, _MOST_BYTES)
    with decoding(io.BytesIO(data), _MOST_PIXELS) as picture:
        if abs(picture.width / picture.height - 2) > _ASPECT:
            raise Unusable("not twice as wide as high", f"{picture.width} x {picture.height} pixels")
        if picture.width < least_width(size):
            raise Unusable("too small", f"{picture.width} pixels wide; views of {size} pixels need {least_width(size)}")
        pixels = np.asarray(as_shown(picture))
    if not _closes(pixels):
        raise Unusable("the left and the right edge do not meet", "it is not a 360-degree panorama")
    return Photo(fingerprint(data), pixels)


def _closes(pixels: Pixels) -> bool:
    """Whether the difference between last and first column is similar to that between other neighbouring columns."""
    small = np.asarray(Image.fromarray(pixels).resize((512, 256), Image.Resampling.BOX)).astype(np.float64)
    steps = np.abs(small - np.roll(small, 1, axis=1)).mean(axis=(0, 2))
    return bool(steps[0] <= _JUMP * np.median(steps) + _LEVELS)
