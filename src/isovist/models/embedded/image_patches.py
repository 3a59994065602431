"""How a small model sees a picture: always as the same number of pixels, whatever the size of the picture."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIDE = 96
"""Pixels of the square that it is shown."""
PATCH = 32
"""Pixels of a patch, which is one token; the patches of a picture on a grid of three by three are its cells."""
PATCHES = (SIDE // PATCH) ** 2


def seen(picture: Image.Image) -> NDArray[np.uint8]:
    """A picture as the model sees it: shape (SIDE, SIDE, 3), 8-bit RGB, shrunk by the mean of what each pixel covers."""
    return np.asarray(picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX), np.uint8)


def opened(data: bytes) -> NDArray[np.uint8]:
    """A picture in a file, as the model sees it. Raises OSError or ValueError for a file that is none."""
    with Image.open(io.BytesIO(data)) as picture:
        return seen(picture)
