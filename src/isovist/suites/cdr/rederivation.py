"""Re-derivation of the key from the drawn shapes and the question text, without the scene.

A `DrawnSymbol` comes from drawn shapes (`drawn_symbols`) or, in the pixel solver, from an image. The text is the one that a model
receives. Positions are compared as vectors, angles in degrees; the names of symbols are found in the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from isovist.core.drawing2d import Drawing, IconShape, Label, Point
from isovist.world.scenes.icons import DIRECTED, UPRIGHT, heading

# Counterclockwise from the right, independent of the lists from which items are sampled.
_AROUND = ("right", "upper right", "up", "upper left", "left", "lower left", "down", "lower right")
_DEGREES = {"North": 0, "Northeast": 45, "East": 90, "Southeast": 135, "South": 180, "Southwest": 225, "West": 270, "Northwest": 315}
_CATEGORY = {glyph: kind.category for kind in (*DIRECTED, *UPRIGHT) for glyph in kind.glyphs}
_DIRECTED = {kind.category for kind in DIRECTED}

_OPTION = re.compile(r"^[A-Z]\. (.+)$", re.MULTILINE)
_COMPASS = re.compile(r"\b(?:North|South)(?:east|west)?\b|\b(?:East|West)\b")
_ORIGIN = r"(?:\bfrom|[Rr]elative to|[Uu]se)\s+(?:the\s+)?(?:letter\s+|number\s+)?"
_UP = re.compile(r"\b(?:up|top)\b")
_ROW, _COLUMN = re.compile(r"\b(top|middle|bottom) row\b"), re.compile(r"\b(left|middle|right) column\b")
_TOWARD = tuple({"up": "top", "down": "bottom"}.get(name, name) for name in _AROUND)
_DIRECTION = re.compile(rf"\btoward the ({'|'.join(sorted(_TOWARD, key=len, reverse=True))}) of the image\b")


@dataclass(frozen=True, slots=True)
class DrawnSymbol:
    """A symbol in the image: its name, position (x right, y up) and heading (degrees clockwise from up)."""

    name: str
    at: Point
    heading: float | None = None


def drawn_symbols(drawing: Drawing) -> list[DrawnSymbol]:
    """Return the symbols that the shapes of a drawing show."""
    symbols: list[DrawnSymbol] = []
    for shape in drawing.shapes:
        if isinstance(shape, Label):
            symbols.append(DrawnSymbol(shape.text, shape.position))
        elif isinstance(shape, IconShape):
            name = _CATEGORY[shape.name]
            symbols.append(DrawnSymbol(name, shape.position, heading(shape.mirrored, shape.rotation_deg) if name in _DIRECTED else None))
    return symbols


def rederive(pictures: tuple[Drawing, ...], text: str) -> str:
    return solve(drawn_symbols(pictures[0]), text)


def solve(symbols: Iterable[DrawnSymbol], text: str) -> str:
    """Return the correct option of `text` (the question and its labelled options). Raises ValueError if there is none."""
    by_name = {symbol.name: symbol for symbol in symbols}
    options = _OPTION.findall(text)
    question = _OPTION.sub("", text)
    row, column, direction = _ROW.search(question), _COLUMN.search(question), _DIRECTION.search(question)
    if row and column:
        return _symbol_in_cell(by_name.values(), row.group(1), column.group(1))
    if direction:
        return _compass_direction(_COMPASS.findall(question)[0], 90 - 45.0 * _TOWARD.index(direction.group(1)))
    if not set(options) <= set(_AROUND) | set(_DEGREES):
        present = [option for option in options if option in by_name]
        if len(present) != 1:
            raise ValueError(f"{len(present)} of the options {options} are in the image")
        return present[0]
    named = [symbol for name, symbol in by_name.items() if re.search(rf"\b{re.escape(name)}\b", question)]
    if len(named) == 1:
        angle = named[0].heading
        origin = named[0]
    else:
        (origin,) = (symbol for symbol in named if re.search(rf"{_ORIGIN}{re.escape(symbol.name)}\b", question))
        (target,) = (symbol for symbol in named if symbol is not origin)
        (x, y), (u, v) = origin.at, target.at
        angle = math.degrees(math.atan2(u - x, v - y)) % 360  # clockwise from up
    if angle is None:
        raise ValueError(f"{origin.name} has no heading")
    stated = _COMPASS.search(question)
    if stated is None:
        return _AROUND[round((90 - angle) / 45) % 8]
    # the premise states the compass direction of the image top or of the origin's heading
    known = 0.0 if _UP.search(question) else origin.heading
    if known is None:
        raise ValueError(f"the premise needs the heading of {origin.name}, which has none")
    return _compass_direction(stated.group(), angle - known)


def _symbol_in_cell(symbols: Iterable[DrawnSymbol], row: str, column: str) -> str:
    """Return the name of the symbol in a cell of the three-by-three grid, whose upper left corner is (0, 1)."""
    low, left = ("bottom", "middle", "top").index(row) / 3, ("left", "middle", "right").index(column) / 3
    (symbol,) = (symbol for symbol in symbols if left < symbol.at[0] < left + 1 / 3 and low < symbol.at[1] < low + 1 / 3)
    return symbol.name


def _compass_direction(known: str, clockwise_deg: float) -> str:
    """Return the compass direction at an angle, in degrees clockwise, from a known one."""
    bearing = (_DEGREES[known] + clockwise_deg) % 360
    return min(_DEGREES, key=lambda name: abs((_DEGREES[name] - bearing + 180) % 360 - 180))
