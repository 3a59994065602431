"""Change Colour, Vanishing Objects, Mirror Image, Water Image, Match Outline, Match Shadow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, binary_erosion, binary_fill_holes, find_objects, label

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture

_EDGE = 4  # pixels of the frame of the sheet
_FAINT = 60  # least difference of an ink pixel from paper in some channel
_LEAST = 30  # least number of pixels of an object
_LEAST_SHARE = 0.2  # of a circle at the place of another one
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
    """The number of components of the first image of which little is ink in the second image."""
    del prompt
    first, second = (ink(inside(image)) for image in images)
    labelled, _ = label(first)
    shares = [second[labelled == i].mean() for i in range(1, labelled.max() + 1) if (labelled == i).sum() >= _LEAST]
    return str(sum(share < _LEAST_SHARE for share in shares))


_FAINT_OBJECT = 90  # minimum difference of objects from paper and water in some channel
_SIDE = (24, 44)  # size of objects in pixels; longer components are the line
_SAME_SHAPE = 0.85  # smallest intersection over union of an object and its mirror image; their edges may differ


def _mirrored(first: Picture, second: Picture) -> int:
    """The number of objects of the first image, which is already reflected, that are in the second image."""
    second_ink = ink(second, _FAINT_OBJECT)
    labelled, _ = label(ink(first, _FAINT_OBJECT))
    count = 0
    for i, box in enumerate(find_objects(labelled), 1):
        if all(_SIDE[0] <= side.stop - side.start <= _SIDE[1] for side in box):
            piece, other = labelled[box] == i, second_ink[box]
            both = piece & other
            if both.sum() > _SAME_SHAPE * (piece | other).sum():
                colours = [np.median(picture[box][both], axis=0) for picture in (first, second)]
                count += bool((abs(colours[0] - colours[1]) < _APART).all())
    return count


def _mirror(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(_mirrored(inside(images[0])[:, ::-1], inside(images[1])))


def _water(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(_mirrored(inside(images[0])[::-1], inside(images[1])))


_NUMBERS = 70  # width in pixels of the left margin with the row numbers
_TALL = 20  # minimum height of a shape in pixels; lower components are lines between the rows
_RATIO_TOLERANCE = 0.13  # largest relative difference of the aspect ratios of equal shapes
_SHARE = 0.12  # largest difference of the filled fractions of their bounding boxes
_SAME = 0.79  # smallest intersection over union


def _silhouettes(picture: Picture) -> list[NDArray[np.bool_]]:
    """The silhouettes of the rows, with their holes filled, from top to bottom."""
    labelled, _ = label(ink(inside(picture)[:, _NUMBERS:]))
    boxes = [(i, box) for i, box in enumerate(find_objects(labelled), 1) if box[0].stop - box[0].start >= _TALL]
    boxes.sort(key=lambda pair: pair[1][0].start)
    return [_filled(labelled[box] == i) for i, box in boxes]


def _filled(piece: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The silhouette of a shape; that of an outline is bounded by the centre of its stroke and cropped."""
    filled = np.asarray(binary_fill_holes(piece))
    if (filled == piece).all():
        return filled
    core = np.asarray(binary_erosion(filled, np.ones((3, 3), np.bool_), iterations=2))
    core = np.asarray(binary_dilation(core))
    rows, columns = np.nonzero(core)
    return core[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def _overlap(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """The intersection over union of two silhouettes, with `b` scaled to the bounding box of `a`."""
    rows = [i * b.shape[0] // a.shape[0] for i in range(a.shape[0])]
    columns = [i * b.shape[1] // a.shape[1] for i in range(a.shape[1])]
    stretched = b[rows][:, columns]
    return float((a & stretched).sum() / (a | stretched).sum())


def _is_same_shape(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
    """Whether two silhouettes agree in aspect ratio, filled fraction and shape, independent of size."""
    similar_ratio = abs(a.shape[0] * b.shape[1] / (a.shape[1] * b.shape[0]) - 1) < _RATIO_TOLERANCE
    return similar_ratio and abs(float(a.mean()) - float(b.mean())) < _SHARE and _overlap(a, b) > _SAME


def _rows(images: list[Picture], prompt: str) -> str:
    del prompt
    first, second = map(_silhouettes, images)
    return ", ".join("same" if _is_same_shape(a, b) else "different" for a, b in zip(first, second, strict=True))


SOLVERS = {
    "Count the circles whose colour differs": _changed,
    "Count the circles of the first image that are missing": _vanished,
    "Count the objects that are at their mirror-image positions": _mirror,
    "Count the objects that are at the positions of their reflections": _water,
    "compare the filled shape in the first image with the outline": _rows,
    "compare the coloured shape in the first image with the shadow": _rows,
}
