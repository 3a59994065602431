"""Image input of the built-in test model: a fixed number of pixels."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.data.dataset.pictures import as_shown

SIDE = 96
"""Width and height of the input in pixels."""
PATCH = 32
"""Width of a patch (one token); the patches match the cells of a 3 by 3 grid."""
PATCHES = (SIDE // PATCH) ** 2


def seen(picture: Image.Image) -> NDArray[np.uint8]:
    """An image resized by area averaging to shape (SIDE, SIDE, 3), 8-bit RGB."""
    return np.asarray(as_shown(picture).resize((SIDE, SIDE), Image.Resampling.BOX), np.uint8)


def opened(data: bytes) -> NDArray[np.uint8]:
    """The resized image of a file. Raises OSError or ValueError for an invalid file."""
    with Image.open(io.BytesIO(data)) as picture:
        return seen(picture)
