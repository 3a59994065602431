"""2-D drawings as data: a list of shapes in painting order.

Frame: x to the right, **y up**, origin at the lower left corner. One unit is `size` pixels in the rendered image; the shorter
side of most drawings is one unit. `rotation_deg` and angles named `turn` or `heading` are degrees **clockwise from up**. Colours are
``"#rrggbb"``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """An open polyline through `points`. `width` is in units."""

    points: tuple[Point, ...]
    width: float
    fill: str = INK


@dataclass(frozen=True, slots=True)
class Label:
    """Text centred on `position`: horizontally by its ink, vertically by its capital height.

    `size` is the em size of the font in units; a capital letter is about 0.73 em high.
    """

    text: str
    position: Point
    size: float
    fill: str = INK


@dataclass(frozen=True, slots=True)
class IconShape:
    """An icon of the asset pack: mirrored left-right if `mirrored`, then rotated clockwise by `rotation_deg` degrees.

    `size` is the diameter, in units, of the disc that contains the icon at every rotation. `colour` applies to the parts that have
    no colour of their own.
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
    """The content of one 2-D image.

    `backdrop` is painted before `shapes`. Drawings with an equal backdrop share its rendered pixels. `width` and `height` are in units.
    """

    shapes: tuple[Shape, ...]
    backdrop: tuple[Shape, ...] = ()
    width: float = 1.0
    height: float = 1.0
    background: str = PAPER


@dataclass(frozen=True, slots=True)
class CubeGroup:
    """Cubes that a drawing shows in orthographic projection, on a lattice with x and y on the floor and z up, in cube edges.

    Attributes:
        cells: The lowest corner of each cube.
        floor: The squares of the floor without a cube, by their lowest corner.
        origin: The place of the lattice's origin in the drawing.
        edge: The length of an edge, in units.
        toward: The direction toward the eye, the same for all groups of a drawing.
    """

    cells: tuple[tuple[int, int, int], ...]
    floor: tuple[tuple[int, int], ...]
    origin: Point
    edge: float
    toward: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Raised:
    """How the drawings of a task are shown as 3-D scenes: their shapes as pieces on a sheet of paper (`render.raised_drawing`), or the
    cubes that they show on a table (`render.solid_stage`).
    """

    why: str
    """Why the answer is the same: what it depends on."""
    printed: tuple[str, ...] = ()
    """The colours of shapes that are not raised, such as bands."""
    cubes: Callable[[Drawing], tuple[Sequence[CubeGroup], Sequence[Shape]]] | None = None
    """The cubes of a drawing, and its other shapes."""
