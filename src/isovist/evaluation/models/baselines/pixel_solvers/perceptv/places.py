"""Circle Location, Circle Boxes."""

from __future__ import annotations

from isovist.core.answers import LETTERS
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture, blobs, mask
from isovist.suites.perceptv.locations import HUES, QUADRANTS, RULE


def _quadrant(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    ink = mask(picture, RULE)
    y, x = ink.sum(axis=1).argmax(), ink.sum(axis=0).argmax()
    places = [2 * (blob.y > y) + (blob.x > x) for blob in blobs(picture, HUES)]
    return LETTERS[max(range(len(QUADRANTS)), key=places.count)]


def _boxes(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    x = mask(picture, RULE).sum(axis=0).argmax()
    left = [blob.x < x for blob in blobs(picture, HUES)]
    return str(abs(2 * sum(left) - len(left)) // 2)


SOLVERS = {"Which quadrant contains the most circles": _quadrant, "must move to the other box": _boxes}
