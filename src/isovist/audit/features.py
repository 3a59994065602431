"""Features for the answer-leakage audit: question text without images, and low-level image features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from isovist.core.answers import LETTERS, Choice
from isovist.data.item import Item
from isovist.world.render.image_encoding import png

PIXEL_FEATURES = ("ink share", "blobs", "mean red", "mean green", "mean blue", "file size")
_CLEAR = 64  # minimum difference of a channel between ink and background: grid lines are fainter and would connect the blobs
_SAMPLE = 20_000  # pixels in the sample that determines the background
_PLACES = np.array([1 << 16, 1 << 8, 1], np.uint32)  # packs red, green and blue into one number


def words(item: Item) -> str:
    """Return the question as a bag of tokens, each option with its label, and the number of images. The level is not included."""
    options = item.answer.options if isinstance(item.answer, Choice) else ()
    listed = (f"{letter}={option.replace(' ', '-')}" for letter, option in zip(LETTERS, options, strict=False))
    plain = item.question.text.translate(str.maketrans(dict.fromkeys(",.:;?!", " ")))
    return " ".join((plain, *listed, f"options={len(options)}", f"pictures={len(item.pictures)}"))


def pixels(item: Item) -> list[float]:
    """Return ink proportion, number of blobs, mean colour and file size of each image. Ink differs from the most frequent colour."""
    return of(item.pixels())


def of(pictures: Sequence[NDArray[np.uint8]]) -> list[float]:
    """Return the features of an item's images, each of shape (height, width, 3)."""
    return [feature for picture in pictures for feature in _of(picture)]


def _of(picture: NDArray[np.uint8]) -> list[float]:
    channels = [np.ascontiguousarray(picture[..., i]) for i in range(3)]  # reductions over a last axis of length three are slow
    ink = np.zeros(picture.shape[:2], bool)
    for channel, level in zip(channels, ground(picture), strict=True):
        ink |= (channel > level + _CLEAR) | (channel < level - _CLEAR)
    _, blobs = label(ink)
    means = [int(channel.sum(dtype=np.int64)) / channel.size for channel in channels]
    return [float(ink.mean()), float(blobs), *means, float(len(png(picture)))]


def ground(picture: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the most frequent colour."""
    flat = picture.reshape(-1, 3)
    colours, counts = np.unique(flat[:: len(flat) // _SAMPLE | 1] @ _PLACES, return_counts=True)
    colour = int(colours[counts.argmax()])
    return colour >> 16, colour >> 8 & 255, colour & 255
