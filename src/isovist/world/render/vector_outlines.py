"""Outlines of letters and icons, read once from the asset pack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from isovist.world.assets import asset

Contour = tuple[float, ...]
"""Coordinates x0, y0, x1, y1, ...; x to the right, y up."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Contours filled together by the nonzero rule; `fill` None: the ink colour of the shape."""

    fill: str | None
    contours: tuple[Contour, ...]


@lru_cache(maxsize=1024)
def glyph(name: str) -> tuple[Layer, ...]:
    """Return the layers of an icon in a circle of diameter 1 about the origin. Raises KeyError for an unknown name."""
    pack = asset("glyphs.json")
    return tuple(
        Layer(layer["fill"], tuple(tuple(v / pack["unit"] for v in contour) for contour in layer["contours"]))
        for layer in pack["glyphs"][name]["layers"]
    )


@lru_cache(maxsize=1024)
def text(words: str) -> tuple[Contour, ...]:
    """Return the contours of a line of text with em 1: ink centred on x = 0, capital height centred on y = 0.

    Raises KeyError for a character that is not in the font.
    """
    font = asset("font.json")
    unit, pen = font["unit"], 0.0
    contours: list[list[float]] = []
    for character in words:
        shape = font["glyphs"][character]
        contours += [[v / unit + (pen if i % 2 == 0 else 0.0) for i, v in enumerate(contour)] for contour in shape["contours"]]
        pen += shape["advance"] / unit
    xs = [x for contour in contours for x in contour[::2]]
    middle = (min(xs) + max(xs)) / 2 if xs else 0.0
    raised = font["cap_height"] / unit / 2
    return tuple(tuple(v - (middle if i % 2 == 0 else raised) for i, v in enumerate(contour)) for contour in contours)


def letter(character: str) -> tuple[tuple[Contour, ...], float]:
    """Return the contours of one character with em 1, origin of pen and baseline at 0, and its advance width.

    Raises KeyError for a character that is not in the font.
    """
    font = asset("font.json")
    shape, unit = font["glyphs"][character], font["unit"]
    return tuple(tuple(v / unit for v in contour) for contour in shape["contours"]), shape["advance"] / unit
