"""A page with a reference in a frame on top, and lettered options in a row below it."""

from __future__ import annotations

from isovist.core.drawing2d import Label, Line, Point
from isovist.world.scenes.answer_options import letter_labels

PANEL = 0.5
"""Width and height of the place of each drawing, in units."""
MARGIN = 0.02
_LETTER_ROW = 0.11
_LETTER = 0.085
_BETWEEN = 0.05  # from the options to the frame
HEIGHT = _LETTER_ROW + 2 * PANEL + _BETWEEN + MARGIN
FRAME = "#7d8792"


def places(k: int, tall: float = 1.0) -> tuple[list[Point], Point]:
    """The middles of the places of `k` options, and of the reference. `tall`: the height of the reference's place, in places of options."""
    row = _LETTER_ROW + PANEL / 2
    return [((i + 0.5) * PANEL, row) for i in range(k)], (k * PANEL / 2, row + (1 + tall) * PANEL / 2 + _BETWEEN)


def frame(k: int, width: float = 1.0, tall: float = 1.0) -> Line:
    """The frame around the reference, `width` places wide and `tall` places high."""
    _, (x, y) = places(k, tall)
    s, r = (side * PANEL / 2 - MARGIN / 4 for side in (width, tall))
    return Line(((x - s, y - r), (x + s, y - r), (x + s, y + r), (x - s, y + r), (x - s, y - r)), 0.005, FRAME)


def letters(k: int) -> list[Label]:
    """The letters of the options."""
    return letter_labels([(x, _LETTER_ROW / 2) for x, _ in places(k)[0]], _LETTER)
