"""Connected components of one colour, and their measurements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects, label

from isovist.world.scenes.palette import HUES

Picture = NDArray[np.uint8]
_NEAR = 40  # largest difference in any channel between a pixel and its hue; edge pixels are mixed with paper
_LEAST = 30  # least number of pixels of a component; fewer are mixed edge pixels


@dataclass(frozen=True)
class Blob:
    """A connected component of one hue; x and y in pixels, y down, from the upper left corner of the image."""

    hue: str
    x: float
    y: float
    area: int
    width: int
    height: int
    left: int
    top: int

    @property
    def middle(self) -> tuple[float, float]:
        """The centroid of a circle, square or upright triangle from its bounding box, which is independent of text printed on it."""
        down = 2 / 3 if self.height < 0.93 * self.width else 1 / 2
        return self.left + self.width / 2, self.top + down * self.height

    @property
    def filled(self) -> float:
        """The fraction of its bounding box that it fills: pi/4 for a circle, 1 for a square, 1/2 for a triangle."""
        return self.area / (self.width * self.height)

    @property
    def kind(self) -> str:
        """Circle, square or triangle."""
        return "triangle" if self.filled < 0.65 else "circle" if self.filled < 0.9 else "square"


def mask(picture: Picture, colour: str) -> NDArray[np.bool_]:
    """A mask of the pixels that have a colour."""
    near = np.ones(picture.shape[:2], np.bool_)
    for channel in range(3):  # comparing bytes, one channel after the other, takes a tenth of the time of all at once
        value, seen = int(colour[2 * channel + 1 : 2 * channel + 3], 16), picture[..., channel]
        near &= (seen > max(value - _NEAR, -1)) & (seen < min(value + _NEAR, 256))
    return near


def blobs(picture: Picture, hues: Iterable[str]) -> list[Blob]:
    """All components of these hues, from top to bottom. Pass only possible hues: a mixed edge may look like another hue."""
    all_blobs: list[Blob] = []
    for hue in hues:
        labelled, _ = label(mask(picture, HUES[hue]))
        for i, box in enumerate(find_objects(labelled), 1):
            rows, columns = np.nonzero(labelled[box] == i)
            if len(rows) >= _LEAST:
                top, left = box[0].start, box[1].start
                height, width = box[0].stop - top, box[1].stop - left
                all_blobs.append(Blob(hue, left + float(columns.mean()), top + float(rows.mean()), len(rows), width, height, left, top))
    return sorted(all_blobs, key=lambda blob: (blob.y, blob.x))
