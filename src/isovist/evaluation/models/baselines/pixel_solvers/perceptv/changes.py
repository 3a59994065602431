"""Change Colour and Vanishing Objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects, label

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture

_EDGE = 4  # pixels of the frame of the sheet
_FAINT = 60  # least difference of an ink pixel from paper in some channel
_LEAST = 30  # least number of pixels of an object
_APART = 30  # least difference of two colours in some channel


def inside(picture: Picture) -> Picture:
    """The image without its frame."""
    return picture[_EDGE:-_EDGE, _EDGE:-_EDGE]


def ink(picture: Picture, faint: int = _FAINT) -> NDArray[np.bool_]:
    """Where some channel is darker than white paper by more than `faint`."""
    return np.asarray((255 - picture.astype(np.int16) > faint).any(axis=2))


def _pairs(images: list[Picture]) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The median colour of each component of the first image, and that of the same region in the second."""
    first, second = (inside(image) for image in images)
    labelled, _ = label(ink(first))
    pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for i, box in enumerate(find_objects(labelled), 1):
        piece = labelled[box] == i
        if piece.sum() >= _LEAST:
            pairs.append((np.median(first[box][piece], axis=0), np.median(second[box][piece], axis=0)))
    return pairs


def _changed(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(sum(bool((abs(a - b) > _APART).any()) for a, b in _pairs(images)))


def _vanished(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(sum(bool((b > 250).all()) for _, b in _pairs(images)))


SOLVERS = {
    "Count the circles whose colour differs": _changed,
    "Count the circles of the first image that are missing": _vanished,
}
