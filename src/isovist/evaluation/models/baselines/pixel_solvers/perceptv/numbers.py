"""Recognition of whole numbers by comparison of their ink with that of each number drawn alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Drawing, Label
from isovist.world.render import rasterizer2d

_MOST = 40
_DARK = 209  # darkest channel of a pixel of which black text covers a fifth

Ink = NDArray[np.bool_]


def number(ink: Ink, em: float) -> int:
    """The number with the largest intersection over union of ink.

    `ink`: mask of the pixels of which text covers at least a fifth; `em`: font size in pixels.
    """
    cut = _cut(ink)

    def overlap(other: Ink) -> float:
        shared = max(_shared(cut[y:, x:], other) for y in (0, 1) for x in (0, 1))
        return shared / max(1, int(cut.sum()) + int(other.sum()) - shared)

    known = _known(round(em, 3))
    return max(known, key=lambda value: overlap(known[value]))


def _shared(a: Ink, b: Ink) -> int:
    """The number of pixels of ink that both have, one upper left corner on the other."""
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    return int((a[:height, :width] & b[:height, :width]).sum())


@lru_cache(maxsize=8)
def _known(em: float) -> dict[int, Ink]:
    side = 4 * em  # width of the image of a number drawn alone
    drawn = {n: rasterizer2d.render(Drawing((Label(str(n), (0.5, 0.5), em / side),)), round(side)) for n in range(1, _MOST + 1)}
    return {n: _cut(picture.min(axis=2) < _DARK) for n, picture in drawn.items()}


def _cut(ink: Ink) -> Ink:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else ink[:0, :0]
