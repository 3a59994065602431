"""Mirror Image and Water Image."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import find_objects, label

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.changes import ink, inside
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture

_FAINT = 90  # minimum difference of objects from paper and water in some channel
_SIDE = (24, 44)  # size of objects in pixels; longer components are the line
_SAME = 0.85  # smallest intersection over union of an object and its mirror image; their edges may differ
_APART = 30  # minimum difference of two different colours in some channel


def _mirrored(first: Picture, second: Picture) -> int:
    """The number of objects of the first image, which is already reflected, that are in the second image."""
    second_ink = ink(second, _FAINT)
    labelled, _ = label(ink(first, _FAINT))
    count = 0
    for i, box in enumerate(find_objects(labelled), 1):
        if all(_SIDE[0] <= side.stop - side.start <= _SIDE[1] for side in box):
            piece, other = labelled[box] == i, second_ink[box]
            both = piece & other
            if both.sum() > _SAME * (piece | other).sum():
                colours = [np.median(picture[box][both], axis=0) for picture in (first, second)]
                count += bool((abs(colours[0] - colours[1]) < _APART).all())
    return count


def _mirror(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(_mirrored(inside(images[0])[:, ::-1], inside(images[1])))


def _water(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(_mirrored(inside(images[0])[::-1], inside(images[1])))


SOLVERS = {
    "Count the objects that are at their mirror-image positions": _mirror,
    "Count the objects that are at the positions of their reflections": _water,
}
