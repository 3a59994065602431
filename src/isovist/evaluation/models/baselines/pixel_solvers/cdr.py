"""Pixel solver of CDR: identifies symbols and icons in their cells, with headings, by template matching.

The image is cut along its grid. Each cell is compared with every letter, number or posed icon drawn alone; the best match
is used. The symbols and the question text are the input of the re-derivation of the suite.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Drawing, IconShape, Label, Shape
from isovist.suites.cdr.rederivation import DrawnSymbol, drawn_symbols, solve
from isovist.world.render import rasterizer2d
from isovist.world.scenes.grid import center
from isovist.world.scenes.icons import DIRECTED, INK, UPRIGHT, poses

_OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
_PAPER, _STEP = 255, 48  # a pixel this much darker than paper in any channel is ink
_LONGEST = 128  # pixels
_TRIM = 0.02  # margin of a cell without grid lines, as a fraction of the image height

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Templates:
    """Ink masks of shapes that are drawn alone, one per row, and the symbol of each."""

    masks: NDArray[np.float32]
    areas: NDArray[np.float32]
    shows: tuple[DrawnSymbol, ...]

    def best(self, mask: Mask) -> DrawnSymbol:
        """The symbol of the template with the largest intersection over union with the mask."""
        flat = mask.ravel().astype(np.float32)
        common = self.masks @ flat
        return self.shows[int(np.argmax(common / (self.areas + flat.sum() - common)))]


def _solve(images: list[NDArray[np.uint8]], prompt: str) -> str | None:
    """Return the label of the correct option."""
    (image,) = images
    symbols = _symbols(image, _kind(prompt))
    try:
        solution = solve(symbols, prompt)
    except ValueError:
        return None
    letters = {text: letter for letter, text in _OPTION.findall(prompt)}
    return letters.get(solution)


SOLVERS = {"": _solve}  # all questions of the suite


def _kind(prompt: str) -> str:
    question = prompt.split("\nA. ", maxsplit=1)[0]
    return "letter" if re.search(r"\bletters?\b", question) else "number" if re.search(r"\bnumbers?\b", question) else "icon"


def _symbols(image: NDArray[np.uint8], kind: str) -> list[DrawnSymbol]:
    size = image.shape[0]
    if not _has_grid(image):
        return [_templates("lone", size).best(_scaled(_ink(image)))]
    objects: list[DrawnSymbol] = []
    for row in range(3):
        for column in range(3):
            mask = _ink(_cell(image, row, column))
            if mask.any():
                best_match = _templates(kind, size).best(mask)
                objects.append(DrawnSymbol(best_match.name, center(row, column), best_match.heading))
    return objects


def _has_grid(image: NDArray[np.uint8]) -> bool:
    """Whether a grid line crosses the whole image."""
    third = round(image.shape[1] / 3)
    return bool((image[:, third - 2 : third + 3].min(axis=(1, 2)) < _PAPER).all())


def _cell(image: NDArray[np.uint8], row: int, column: int) -> NDArray[np.uint8]:
    size = image.shape[0]
    trim, side = round(_TRIM * size), round(size / 3)
    y, x = round(row * size / 3) + trim, round(column * size / 3) + trim
    return image[y : y + side - 2 * trim, x : x + side - 2 * trim]


def _ink(image: NDArray[np.uint8]) -> Mask:
    """The ink mask, moved to the upper left corner, because cells start at different subpixel positions."""
    mask = image.min(axis=2) < _PAPER - _STEP
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    moved = np.zeros_like(mask)
    if len(rows):
        cut = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        moved[: cut.shape[0], : cut.shape[1]] = cut
    return moved


def _scaled(mask: Mask) -> Mask:
    """A mask whose ink is scaled to `_LONGEST` pixels along its longer side, because single icons have random sizes."""
    height, width = (int(np.flatnonzero(mask.any(axis=axis))[-1]) + 1 for axis in (1, 0))
    places = (np.arange(_LONGEST) + 0.5) * max(height, width) / _LONGEST
    wide = np.zeros((_LONGEST, _LONGEST), np.bool_)
    rows, columns = (places[places < side].astype(int) for side in (height, width))
    wide[: len(rows), : len(columns)] = mask[np.ix_(rows, columns)]
    return wide


@lru_cache(maxsize=16)
def _templates(kind: str, size: int) -> Templates:
    shapes = _shapes(kind)
    drawn = [rasterizer2d.render(Drawing((shape,)), size) for shape in shapes]
    masks = [_scaled(_ink(image)) if kind == "lone" else _ink(_cell(image, 1, 1)) for image in drawn]
    rows = np.stack([mask.ravel() for mask in masks]).astype(np.float32)
    return Templates(rows, rows.sum(axis=1), tuple(drawn_symbols(Drawing((shape,)))[0] for shape in shapes))


def _shapes(kind: str) -> list[Shape]:
    """All shapes that a cell, or the image of a single icon, may show."""
    if kind == "letter":
        return [Label(chr(c), (0.5, 0.5), 0.2) for c in range(ord("A"), ord("Z") + 1)]
    if kind == "number":
        return [Label(str(n), (0.5, 0.5), 0.17) for n in range(1, 100)]
    across = 0.62 if kind == "lone" else 0.28
    directed: list[Shape] = [
        IconShape(glyph, (0.5, 0.5), across, pose.mirrored, pose.rotation_deg, INK[0])
        for group in DIRECTED
        for glyph in group.glyphs
        for heading in range(8)
        for pose in poses(group.view, 45 * heading)
    ]
    upright: list[Shape] = [IconShape(glyph, (0.5, 0.5), across, colour=INK[0]) for group in UPRIGHT for glyph in group.glyphs]
    return directed if kind == "lone" else directed + upright
