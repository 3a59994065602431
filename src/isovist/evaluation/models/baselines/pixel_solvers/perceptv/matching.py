"""Match Outline and Match Shadow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, binary_erosion, binary_fill_holes, find_objects, label

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.changes import ink, inside
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture

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
    "compare the filled shape in the first image with the outline": _rows,
    "compare the coloured shape in the first image with the shadow": _rows,
}
