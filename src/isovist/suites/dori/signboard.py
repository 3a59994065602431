"""A signboard with a word in block letters, which shows whether an image is mirrored.

It stands on one edge and leans back, or lies on the ground. A board with an ornament looks the same upside down and mirrored.
"""

from __future__ import annotations

from itertools import groupby
from math import dist

from isovist.core.rotation import Vector, rounded
from isovist.core.scene3d import Box, Group, Part, Pose
from isovist.world.scenes.object_catalog import CatalogObject

WORDS = ("PARK", "FIRE", "REST", "SALE", "FREE", "BANK", "CAFE", "STAR", "GOLF", "PLAN", "POST", "LAST", "RENT", "FISH", "FERN", "GATE")
"""Each word has at least two letters that change under a top-to-bottom flip, so that the flip is visible."""
COLOURS = (("#f4f1e6", "#1d2733"), ("#24518a", "#ffffff"), ("#8c1f1f", "#fff4e0"), ("#f0c43c", "#1c1c1c"), ("#2f6b3c", "#ffffff"))
"""Colours of the board and of its letters."""
ORNAMENTS = ("o++o", "+oo+", "x++x", "+xx+", "oxxo", "xoox", "iooi", "oiio", "ixxi", "xiix")
"""Ornaments of boards without text: each sign, and the whole, is symmetric in both directions."""
_ROWS = {
    "+": "..#.. ..#.. ..#.. ##### ..#.. ..#.. ..#..",
    "i": "##### ..#.. ..#.. ..#.. ..#.. ..#.. #####",
    "o": "..#.. .###. .###. ##### .###. .###. ..#..",
    "x": "#...# ##.## .###. ..#.. .###. ##.## #...#",
    "A": ".###. #...# #...# ##### #...# #...# #...#",
    "B": "####. #...# #...# ####. #...# #...# ####.",
    "C": ".#### #.... #.... #.... #.... #.... .####",
    "D": "####. #...# #...# #...# #...# #...# ####.",
    "E": "##### #.... #.... ####. #.... #.... #####",
    "F": "##### #.... #.... ####. #.... #.... #....",
    "G": ".#### #.... #.... #.### #...# #...# .####",
    "H": "#...# #...# #...# ##### #...# #...# #...#",
    "I": ".###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.",
    "K": "#...# #..#. #.#.. ##... #.#.. #..#. #...#",
    "L": "#.... #.... #.... #.... #.... #.... #####",
    "N": "#...# ##..# ##..# #.#.# #..## #..## #...#",
    "O": ".###. #...# #...# #...# #...# #...# .###.",
    "P": "####. #...# #...# ####. #.... #.... #....",
    "R": "####. #...# #...# ####. #.#.. #..#. #...#",
    "S": ".#### #.... #.... .###. ....# ....# ####.",
    "T": "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
}
"""Rows from top to bottom, left to right as read."""
_WIDE, _HIGH, _STEP, _EDGE = 5, 7, 6, 2  # in squares: letter width and height, letter spacing, margin around the word


def signboard(word: str, colours: tuple[str, str], width: float) -> tuple[CatalogObject, Group]:
    """A board with a width in metres and its word or ornament toward +Z: its catalog entry, and its geometry with the letters last."""
    across = _STEP * len(word) - (_STEP - _WIDE) + 2 * _EDGE
    square = round(width / across, 4)
    ground, ink = colours
    high = _HIGH + 2 * _EDGE
    deep = 1.0
    parts = [_part((across * square, high * square, deep * square), (0.0, 0.0, 0.0), ground)]
    for place, letter in enumerate(word):
        left = _EDGE + _STEP * place - across / 2  # its own left is at +X, so the word runs from -X to +X for a reader
        for row, cells in enumerate(_ROWS[letter].split()):
            y = (_EDGE + _HIGH - 1 - row) * square
            for start, length in _runs(cells):
                at = ((left + start + length / 2) * square, y, (deep / 2 + 0.1) * square)
                parts.append(_part((length * square, square, 0.2 * square), at, ink))
    size = (across * square, high * square, (deep + 0.6) * square)
    front, turns = ("symmetric", 180) if word in ORNAMENTS else ("clear", 0)
    return CatalogObject("board", "board", "Miscellaneous", rounded(size), front, turns, upright=word not in ORNAMENTS), Group(tuple(parts))


def mirrored_alike(form: Group) -> bool:
    """Whether the letters of a board stay in place under a left-to-right flip and a top-to-bottom flip."""
    board, *letters = form.parts
    assert isinstance(board.geometry, Box)
    high = board.geometry.size[1]
    spots = {(part.geometry.size[:2], part.pose.position[:2]) for part in letters if isinstance(part.geometry, Box)}
    moved = ({(size, (-x, y)) for size, (x, y) in spots}, {(size, (x, high - size[1] - y)) for size, (x, y) in spots})
    return all(_near(spots, other) for other in moved)


def _near(a: set[tuple[tuple[float, ...], tuple[float, ...]]], b: set[tuple[tuple[float, ...], tuple[float, ...]]]) -> bool:
    """Whether every run of a letter has an equal run among the others, up to rounding."""
    return all(any(abs(s[0] - t[0]) + dist(p, q) < 1e-3 * s[1] + 4e-4 for t, q in b) for s, p in a)


def _part(size: Vector, at: Vector, colour: str) -> Part:
    return Part(Box(rounded(size)), Pose(rounded(at)), colour=colour)


def _runs(cells: str) -> list[tuple[int, int]]:
    """Start and length of every run of ink in a row."""
    runs: list[tuple[int, int]] = []
    at = 0
    for cell, group in groupby(cells):
        length = len(list(group))
        if cell == "#":
            runs.append((at, length))
        at += length
    return runs
