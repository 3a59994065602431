"""The second derivation: from what is seen and what is asked, by another route than the one that made the item.

Nothing here knows a scene. `DrawnSymbol` comes from drawn shapes (`seen`) or, in the pixel observer, from a picture; the words
are those that a model is shown. Positions are compared as vectors and angles in degrees, names are found in the words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from isovist.core.drawing2d import Drawing, IconShape, Label, Point
from isovist.scenes.icons import DIRECTED, UPRIGHT, heading

# Counterclockwise from the right, as angles are counted in the plane: not the lists from which the items are made.
_AROUND = ("right", "upper right", "up", "upper left", "left", "lower left", "down", "lower right")
_DEGREES = {"North": 0, "Northeast": 45, "East": 90, "Southeast": 135, "South": 180, "Southwest": 225, "West": 270, "Northwest": 315}
_CATEGORY = {glyph: kind.category for kind in (*DIRECTED, *UPRIGHT) for glyph in kind.glyphs}
_DIRECTED = {kind.category for kind in DIRECTED}

_OPTION = re.compile(r"^[A-Z]\. (.+)$", re.MULTILINE)
_WIND = re.compile(r"\b(?:North|South)(?:east|west)?\b|\b(?:East|West)\b")
_ORIGIN = r"(?:\bfrom|[Rr]elative to|[Ss]tarting at|[Tt]ake)\s+(?:the\s+)?(?:letter\s+|number\s+)?"
_UP = re.compile(r"\b(?:up|top)\b")
_ROW, _COLUMN = re.compile(r"\b(top|middle|bottom) row\b"), re.compile(r"\b(left|middle|right) column\b")
_WAY = re.compile(rf"\b(?:Going|moves|points|runs) ({'|'.join(sorted(_AROUND, key=len, reverse=True))})\b")


@dataclass(frozen=True, slots=True)
class DrawnSymbol:
    """One thing in the picture: its name, its place (x right, y up) and where it heads (degrees clockwise from up)."""

    name: str
    at: Point
    heading: float | None = None


def seen(drawing: Drawing) -> list[DrawnSymbol]:
    """What the shapes of a drawing show."""
    symbols: list[DrawnSymbol] = []
    for shape in drawing.shapes:
        if isinstance(shape, Label):
            symbols.append(DrawnSymbol(shape.text, shape.position))
        elif isinstance(shape, IconShape):
            name = _CATEGORY[shape.name]
            symbols.append(DrawnSymbol(name, shape.position, heading(shape.mirrored, shape.rotation_deg) if name in _DIRECTED else None))
    return symbols


def read(pictures: tuple[Drawing, ...], words: str) -> str:
    return solve(seen(pictures[0]), words)


def solve(things: Iterable[DrawnSymbol], words: str) -> str:
    """The option that answers `words` (the question and its lettered options). Raises ValueError if none does."""
    by_name = {thing.name: thing for thing in things}
    options = _OPTION.findall(words)
    question = _OPTION.sub("", words)
    row, column, way = _ROW.search(question), _COLUMN.search(question), _WAY.search(question)
    if row and column:
        return _within(by_name.values(), row.group(1), column.group(1))
    if way:
        return _wind(_WIND.findall(question)[0], 90 - 45.0 * _AROUND.index(way.group(1)))
    if not set(options) <= set(_AROUND) | set(_DEGREES):
        present = [option for option in options if option in by_name]
        if len(present) != 1:
            raise ValueError(f"{len(present)} of the options {options} are in the picture")
        return present[0]
    named = [thing for name, thing in by_name.items() if re.search(rf"\b{re.escape(name)}\b", question)]
    if len(named) == 1:
        angle = named[0].heading  # where it points
        origin = named[0]
    else:
        (origin,) = (thing for thing in named if re.search(rf"{_ORIGIN}{re.escape(thing.name)}\b", question))
        (target,) = (thing for thing in named if thing is not origin)
        angle = _clockwise_from_up(origin.at, target.at)
    if angle is None:
        raise ValueError(f"{origin.name} points nowhere")
    wind = _WIND.search(question)
    if wind is None:
        return _AROUND[round((90 - angle) / 45) % 8]
    # the premise names the wind either of the picture's upper side or of the origin's heading
    known = 0.0 if _UP.search(question) else origin.heading
    if known is None:
        raise ValueError(f"the premise turns on {origin.name}, which points nowhere")
    return _wind(wind.group(), angle - known)


def _within(things: Iterable[DrawnSymbol], row: str, column: str) -> str:
    """What stands in a cell of the grid of three by three, whose upper left corner is (0, 1)."""
    low, left = ("bottom", "middle", "top").index(row) / 3, ("left", "middle", "right").index(column) / 3
    (symbol,) = (thing for thing in things if left < thing.at[0] < left + 1 / 3 and low < thing.at[1] < low + 1 / 3)
    return symbol.name


def _wind(known: str, clockwise: float) -> str:
    """The wind so many degrees clockwise from a known one."""
    bearing = (_DEGREES[known] + clockwise) % 360
    return min(_DEGREES, key=lambda name: abs((_DEGREES[name] - bearing + 180) % 360 - 180))


def _clockwise_from_up(origin: Point, target: Point) -> float:
    return math.degrees(math.atan2(target[0] - origin[0], target[1] - origin[1])) % 360
