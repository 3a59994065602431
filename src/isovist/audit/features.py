"""What a lazy solver might go by: the words without the picture, and cheap properties of the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from isovist.core.answers import LETTERS, Choice
from isovist.items import Item
from isovist.render.encode import png

PIXEL_FEATURES = ("ink share", "blobs", "mean red", "mean green", "mean blue", "file size")
_CLEAR = 64  # how far a channel of ink is from the ground: the rules of a grid are fainter, and would join all that they touch
_SAMPLE = 20_000  # pixels that are enough to find the ground
_PLACES = np.array([1 << 16, 1 << 8, 1], np.uint32)  # of red, green and blue in one number


def words(item: Item) -> str:
    """The question as a bag of tokens, each option with its letter, and how many pictures there are. The level is told to nobody."""
    options = item.answer.options if isinstance(item.answer, Choice) else ()
    listed = (f"{letter}={option.replace(' ', '-')}" for letter, option in zip(LETTERS, options, strict=False))
    plain = item.question.text.translate(str.maketrans(dict.fromkeys(",.:;?!", " ")))
    return " ".join((plain, *listed, f"options={len(options)}", f"pictures={len(item.pictures)}"))


def pixels(item: Item) -> list[float]:
    """Ink share, number of blobs, mean colours and file size of each picture. Ink stands out from the most frequent colour."""
    return [feature for picture in item.pixels() for feature in _of(picture)]


def _of(picture: NDArray[np.uint8]) -> list[float]:
    ink = (np.abs(picture.astype(np.int16) - _ground(picture)) > _CLEAR).any(axis=2)
    _, blobs = label(ink)
    return [float(ink.mean()), float(blobs), *(float(c) for c in picture.reshape(-1, 3).mean(axis=0)), float(len(png(picture)))]


def _ground(picture: NDArray[np.uint8]) -> NDArray[np.int16]:
    """The most frequent colour."""
    flat = picture.reshape(-1, 3)
    some = flat[:: len(flat) // _SAMPLE | 1]
    _, first, counts = np.unique(some @ _PLACES, return_index=True, return_counts=True)
    return some[first[counts.argmax()]].astype(np.int16)
