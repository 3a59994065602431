"""Piles of cubes: reads the height of each column from the tones of its faces, the nearest columns first, and the flat views by their squares.

Pixels have x to the right and y down.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label

from isovist.core.answers import LETTERS
from isovist.suites.solids import hidden_cubes, pile_pictures, view_of_solid
from isovist.suites.solids.pile_pictures import FLAT, FLOOR, MARK
from isovist.world.scenes import option_page, pile
from isovist.world.scenes.answer_options import listed_options
from isovist.world.scenes.pile import Heights
from isovist.world.scenes.solid_view import EDGE, STEEP, TONES

Pixels = NDArray[np.uint8]
_NEAR = 5
"""Largest difference in any channel between a pixel and its colour."""
_INSIDE = (0.25, 0.35, 0.5, 0.65, 0.75)
_DARK = 225
_WRONG = 1.75
_OPTIONS = 4


def _is_colour(picture: Pixels, colour: str) -> NDArray[np.bool_]:
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.int16)
    return np.asarray((np.abs(picture.astype(np.int16) - rgb) < _NEAR).all(axis=2))


def _shows(picture: Pixels, *colours: str) -> bool:
    return all(_is_colour(picture, colour).any() for colour in colours)


def _extent(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the pixels of a mask."""
    rows, columns = np.nonzero(mask)
    return float(columns.min()), float(rows.min()), float(columns.max()) + 1, float(rows.max()) + 1


def _read_pile(picture: Pixels, a: int, b: int, scale: float, unit: float) -> Heights:
    """The heights of a pile of `a` times `b` columns, with `unit` pixels per unit and `scale` units per cube edge.

    The floor fills the width of the pile, and its nearest corner is the lowest point. For each column, from the nearest to the farthest,
    the height is the one that explains most visible points, with few of another tone than expected.
    """
    tones = [
        binary_dilation(_is_colour(picture, colour), np.ones((3, 3), int)) for colour in (*TONES, FLOOR)
    ]  # places are exact to a pixel
    pieces, _ = label(picture.min(axis=2) < _DARK, np.ones((3, 3), int))
    left, _, right, bottom = _extent(pieces == 1 + np.bincount(pieces.ravel())[1:].argmax())
    edge = scale * unit
    nearest = STEEP.place(a, b, 0)
    widest, narrowest = STEEP.place(0, b, 0)[0], STEEP.place(a, 0, 0)[0]
    x0 = (left + right - (widest + narrowest) * edge) / 2
    readings: list[tuple[float, Heights]] = []
    for below in (1.0, 0.25):  # the corner of a cube is drawn lower than that of the floor, by a part of the width of an edge
        y0 = bottom - below * EDGE * unit + nearest[1] * edge
        heights, agreed = [[0] * b for _ in range(a)], 0.0
        for i, j in sorted(product(range(a), range(b)), reverse=True):
            by_height = [_agreement(tones, heights, (i, j, high), (x0, y0, edge)) for high in range(pile_pictures.MOST + 1)]
            heights[i][j] = by_height.index(max(by_height))
            agreed += max(by_height)
        readings.append((agreed, tuple(map(tuple, heights))))
    return max(readings)[1]


def _agreement(
    tones: list[NDArray[np.bool_]], heights: list[list[int]], column: tuple[int, int, int], place: tuple[float, float, float]
) -> float:
    """The visible points of a column with the expected tone, if it had this height, less `_WRONG` times the others."""
    i, j, high = column
    a, b = len(heights), len(heights[0])
    ahead, beside = heights[i + 1][j] if i + 1 < a else 0, heights[i][j + 1] if j + 1 < b else 0
    squares = [(2, (i, j, high)), *((0, (i + 1, j, z)) for z in range(ahead, high)), *((1, (i, j + 1, z)) for z in range(beside, high))]
    known = tuple(
        tuple(high if (x, y) == (i, j) else h if (x >= i and y >= j) else 0 for y, h in enumerate(row)) for x, row in enumerate(heights)
    )
    n_right = n_seen = 0
    for axis, square in squares:
        tone = tones[3 if axis == 2 and high == 0 else axis]
        for p, q in product(_INSIDE, repeat=2):
            offsets = [p, q]
            offsets.insert(axis, 0.0)
            x, y, z = (at + offset for at, offset in zip(square, offsets, strict=True))
            if pile.is_seen(known, STEEP, (x, y, z)):
                u, v = STEEP.place(x, y, z)
                row, at = int(place[1] - v * place[2]), int(place[0] + u * place[2])
                n_seen += 1
                n_right += 0 <= row < tone.shape[0] and 0 <= at < tone.shape[1] and bool(tone[row, at])
    return n_right - _WRONG * (n_seen - n_right)


def _count(images: list[Pixels], prompt: str) -> str | None:
    (picture,) = images
    if not _shows(picture, TONES[0], TONES[1]):
        return None
    size = picture.shape[0]
    left, _, right, _ = _extent(_is_colour(picture, TONES[0]) | _is_colour(picture, TONES[1]))
    tops, n_tops = label(_is_colour(picture, TONES[2]))
    n_tops -= sum(np.bincount(tops.ravel()) < size / 10)  # specks at edges
    floors = [(a, b) for n, m, _ in hidden_cubes.SIZES.values() for a, b in ((n, m), (m, n)) if n * m == n_tops]
    if not floors:
        return None
    floor = min(floors, key=lambda floor: abs(pile_pictures.size(*floor, 0)[0] * hidden_cubes.scale(*floor) * size - (right - left)))
    count = str(pile.total(_read_pile(picture, *floor, hidden_cubes.scale(*floor), size)))
    options = listed_options(prompt)
    return LETTERS[options.index(count)] if count in options else None


# Pages with options -----------------------------------------------------------------------------------------------------


def _panel(picture: Pixels, middle: tuple[float, float], size: float, tall: float = 1.0) -> Pixels:
    """The place of a drawing on a page, without its margin, in which the frame is. `size`: pixels per unit."""
    reach = (tall * option_page.PANEL / 2 - 0.7 * option_page.MARGIN) * size
    x, y = middle[0] * size, picture.shape[0] - middle[1] * size
    return picture[round(y - reach) : round(y + reach), round(x - reach) : round(x + reach)]


def _columns(picture: Pixels) -> tuple[int, ...]:
    """The heights of the columns of a flat view, whose squares have edges between them."""
    filled = _is_colour(picture, FLAT)
    along, up = filled.any(axis=0), filled.any(axis=1)
    starts = np.flatnonzero(np.diff(np.r_[False, along].astype(np.int8)) == 1)
    ends = np.flatnonzero(np.diff(np.r_[along, False].astype(np.int8)) == -1)
    rows = np.flatnonzero(np.diff(np.r_[False, up].astype(np.int8)) == 1)
    middles = [(start + end) // 2 for start, end in zip(starts, ends, strict=True)]
    height = ends[0] - starts[0] + 1
    return tuple(sum(bool(filled[row + height // 2, x]) for row in rows) for x in middles)


def _matching(images: list[Pixels], _prompt: str) -> str | None:
    (picture,) = images
    if not _shows(picture, *TONES, FLAT):
        return None
    below, (x, y) = option_page.places(_OPTIONS)
    size = picture.shape[0] / option_page.HEIGHT
    front, right = (_columns(_panel(picture, (x + place * option_page.PANEL, y), size)) for place in (-1, 0))
    a, b = len(right), len(front)
    for letter, at in zip(LETTERS, below, strict=False):
        heights = _read_pile(_panel(picture, at, size), a, b, pile_pictures.option_scale(a, b), size)
        if pile.front(heights) == front and pile.right(heights) == right:
            return letter
    return None


def _seen(images: list[Pixels], _prompt: str) -> str | None:
    (picture,) = images
    if not _shows(picture, *TONES, FLAT, MARK):
        return None
    below, middle = option_page.places(_OPTIONS, view_of_solid.TALL)
    size = picture.shape[0] / view_of_solid.HEIGHT
    views = [_columns(_panel(picture, at, size)) for at in below]
    n = len(views[0])
    heights = _read_pile(_panel(picture, middle, size, view_of_solid.TALL), n, n, view_of_solid.scale_of(n), size)
    rows, columns = np.nonzero(_is_colour(picture, MARK))
    is_left = bool(columns.mean() < middle[0] * size)
    eye, tip = (rows[columns == columns.min()].mean(), rows[columns == columns.max()].mean())[:: 1 if is_left else -1]
    is_below = bool(eye > tip)
    side = {(True, True): "front", (False, True): "right", (False, False): "back", (True, False): "left"}[is_left, is_below]
    wanted = pile.seen_from(heights, side)
    return LETTERS[views.index(wanted)] if wanted in views else None


SOLVERS = {"pile of equal cubes": _count, "from the right and from above": _matching, "The eye looks at the solid": _seen}
