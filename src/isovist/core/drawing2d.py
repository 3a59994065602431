"""Flat pictures as data: shapes in painting order, before any pixel exists.

Frame: x to the right, **y up**, origin at the lower left corner, one unit = `size` pixels when rendered (the shorter
side of most pictures is one unit long). Angles named `turn` or `heading` are degrees **clockwise from up**. Colours
are ``"#rrggbb"``.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]

INK = "#1a1a1a"
PAPER = "#ffffff"


@dataclass(frozen=True, slots=True)
class Circle:
    center: Point
    radius: float
    fill: str | None = INK
    stroke: str | None = None
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed polygon."""

    points: tuple[Point, ...]
    fill: str | None = INK
    stroke: str | None = None
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """An open line through its points."""

    points: tuple[Point, ...]
    width: float
    fill: str = INK


@dataclass(frozen=True, slots=True)
class Label:
    """Text whose ink is centred on `position` from left to right, and its capital height from top to bottom.

    `size` is the em of the font in units; a capital is about 0.73 of it.
    """

    text: str
    position: Point
    size: float
    fill: str = INK


@dataclass(frozen=True, slots=True)
class IconShape:
    """A picture from the asset pack: mirrored left-right if `mirrored`, then turned clockwise by `rotation_deg` degrees.

    `size` is the diameter of the disc that holds it at every turn; `colour` colours the parts that have no colour of
    their own.
    """

    name: str
    position: Point
    size: float
    mirrored: bool = False
    rotation_deg: float = 0.0
    colour: str = INK


Shape = Circle | Polygon | Line | Label | IconShape


@dataclass(frozen=True, slots=True)
class Drawing:
    """One picture. `backdrop` is painted first; pictures that share a backdrop share its pixels when rendered."""

    shapes: tuple[Shape, ...]
    backdrop: tuple[Shape, ...] = ()
    width: float = 1.0
    height: float = 1.0
    background: str = PAPER
