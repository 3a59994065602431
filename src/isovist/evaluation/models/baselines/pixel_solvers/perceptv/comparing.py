"""Comparing Size, Numbered Shapes, Sort Circles, Sort Lines: their numbers are recognised by comparison with that of each number drawn alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Drawing, Label
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Blob, Picture, blobs, mask
from isovist.suites.perceptv.comparison_sorting import LINE_HUE, MIXED_EM, MIXED_HUES, ROOM_HEIGHT, ROW_EM, SIDES, SIZES_EM, SIZES_HUES
from isovist.suites.perceptv.shared_parts import WIDTH
from isovist.world.render import rasterizer2d
from isovist.world.scenes.palette import HUES

_MOST = 40
_DARK_TEXT = 209  # darkest channel of a pixel of which black text covers a fifth

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
    return {n: _cut(picture.min(axis=2) < _DARK_TEXT) for n, picture in drawn.items()}


def _cut(ink: Ink) -> Ink:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else ink[:0, :0]


_DARK = 223  # darkest channel of a pixel of which grey text covers a fifth


def _pairs(images: list[Picture], prompt: str) -> str:
    del prompt
    circles = blobs(images[0], SIDES)
    rows = zip(circles[::2], circles[1::2], strict=True)
    return ", ".join(max(row, key=lambda blob: blob.area).hue for row in rows)


def _marks(picture: Picture, hues: Sequence[str], em: float) -> list[Blob]:
    """The marks, without the parts that are visible through the holes of a digit."""
    return [blob for blob in blobs(picture, hues) if blob.width > em]


def _inside(picture: Picture, blob: Blob, em: float) -> int:
    """The number in white text at the centre of a mark."""
    (x, y), high, wide = blob.middle, round(0.5 * em), round(0.75 * em)
    top, left = max(0, round(y) - high), max(0, round(x) - wide)
    cut = picture[top : round(y) + high + 1, left : round(x) + wide + 1].min(axis=2)
    darkest = min(int(HUES[blob.hue][i : i + 2], 16) for i in (1, 3, 5))
    down, right = np.ogrid[top : top + cut.shape[0], left : left + cut.shape[1]]
    within = (down - y + 0.5) ** 2 + (right - x + 0.5) ** 2 < (0.45 * blob.width) ** 2  # excludes the paper around a small mark
    return number(np.asarray((cut > darkest + (255 - darkest) / 5) & within), em)


def _sizes(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    em = SIZES_EM * picture.shape[0]
    marks = sorted(_marks(picture, SIZES_HUES, em), key=lambda blob: blob.width + blob.height)
    return ", ".join(str(_inside(picture, blob, em)) for blob in marks)


def _mixed(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    em = MIXED_EM * picture.shape[0] / ROOM_HEIGHT
    return ", ".join(str(_inside(picture, blob, em)) for blob in _marks(picture, MIXED_HUES, em) if _round(picture, blob))


def _round(picture: Picture, blob: Blob) -> bool:
    """Whether a mark with text on it is a circle: the corners of its box are paper, its upper left flank is not."""
    left, top = round(blob.left), round(blob.top)
    corner = picture[top + 1, left + 1].min() > 230
    shoulder = picture[top + blob.height // 3, left + blob.width // 8].min() < 230
    return bool(corner and shoulder)


def _lines(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    unit = picture.shape[1] / WIDTH
    ink = mask(picture, LINE_HUE)
    rows = np.flatnonzero(ink.any(axis=1))
    bands = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    type_ = np.asarray(picture.min(axis=2) < _DARK)[:, : round(0.14 * unit)]
    type_[:, : round(0.02 * unit)] = False  # the edge of the sheet
    half = round(0.5 * ROW_EM * unit)
    entries: list[tuple[int, int]] = []
    for band in bands:
        y = round(float(band.mean()))
        entries.append((int(ink[band].any(axis=0).sum()), number(type_[max(0, y - half) : y + half + 1], ROW_EM * unit)))
    return ", ".join(str(value) for _, value in sorted(entries))


SOLVERS = {
    "name the colour of the larger circle": _pairs,
    "List the numbers that are printed on circles": _mixed,
    "in order of circle size": _sizes,
    "in order of line length": _lines,
}
