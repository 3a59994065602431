"""Drawings as polygons: reads SVG and font outlines, flattens their curves, brings them to a standard pose and size.

A contour is a flat list of integers [x0, y0, x1, y1, ...], x right, y UP, closed by itself. Filled by the nonzero rule.
"""

# The libraries here carry no types; everything that leaves this file is typed.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pathops
import shapely
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from picosvg.svg import SVG
from picosvg.svg_pathops import skia_path

Point = tuple[float, float]
Contour = list[int]

UNIT = 1000
TOLERANCE = 1.0  # farthest a curve may stray from its polyline, in units
# Just short of UNIT / 2: rounding to integers moves a point by up to 0.71, and no glyph may leave the disc.
RADIUS = 499.2


@dataclass(frozen=True)
class Layer:
    """One fill of a glyph; `fill` None is the ink that the renderer chooses."""

    fill: str | None
    contours: list[Contour]


class _Flatten(BasePen):
    """A pen that draws polylines; BasePen hands it every curve as a cubic."""

    def __init__(self, tolerance: float) -> None:
        super().__init__(None)
        self.tolerance = tolerance
        self.contours: list[list[Point]] = []

    def _moveTo(self, pt: Point) -> None:
        self.contours.append([pt])

    def _lineTo(self, pt: Point) -> None:
        self.contours[-1].append(pt)

    def _curveToOne(self, pt1: Point, pt2: Point, pt3: Point) -> None:
        pt0 = self.contours[-1][-1]
        # The second differences bound how far the curve is from a chord (Wang's formula for cubics).
        bend = max(math.dist(_mid(pt0, pt2), pt1), math.dist(_mid(pt1, pt3), pt2)) * 2
        steps = max(1, math.ceil(math.sqrt(0.75 * bend / self.tolerance)))
        for step in range(1, steps + 1):
            t = step / steps
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points = (pt0, pt1, pt2, pt3)
            x = sum(w * p[0] for w, p in zip(weights, points, strict=True))
            y = sum(w * p[1] for w, p in zip(weights, points, strict=True))
            self.contours[-1].append((x, y))

    def _closePath(self) -> None:
        pass


def _mid(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _polylines(path: pathops.Path, tolerance: float) -> list[list[Point]]:
    pen = _Flatten(tolerance)
    path.draw(pen)
    return pen.contours


def _contour(points: list[Point]) -> Contour:
    """The closed polyline on the integer grid, without repeated or needless points; [] if nothing is left of it."""
    grid = [(round(x), round(y)) for x, y in points]
    grid = [b for a, b in pairwise([grid[-1], *grid]) if a != b]
    kept: list[tuple[int, int]] = []
    for i, (x, y) in enumerate(grid):
        (ax, ay), (bx, by) = grid[i - 1], grid[(i + 1) % len(grid)]
        if (x - ax) * (by - y) != (y - ay) * (bx - x):
            kept.append((x, y))
    return [value for point in kept for value in point] if len(kept) > 2 else []


def _contours(path: pathops.Path) -> list[Contour]:
    return [c for points in _polylines(path, TOLERANCE) if (c := _contour(points))]


def svg_layers(svg_text: str, turn: float, mirrored: bool) -> list[Layer]:
    """The fills of an SVG drawing in painting order: mirrored left-right if asked, then turned clockwise by `turn`
    degrees, centred on its smallest enclosing circle and scaled to a diameter of UNIT."""
    # picosvg turns shapes, groups, strokes and clips into plain filled paths, and even-odd fills into nonzero ones.
    layers: list[tuple[str | None, Any]] = []
    for shape in SVG.fromstring(svg_text).topicosvg(ndigits=6).shapes():
        if shape.opacity != 1 or not (shape.fill.startswith("#") or shape.fill in ("currentColor", "black")):
            raise ValueError(f"cannot keep the fill {shape.fill!r} at opacity {shape.opacity}")
        path = skia_path(shape.as_path().arcs_to_cubics().as_cmd_seq(), "nonzero")
        path.simplify(fix_winding=True)  # no overlaps, holes wound against their surroundings
        layers.append((_hex(shape.fill) if shape.fill.startswith("#") else None, path))
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    side = -1 if mirrored else 1
    # SVG's y points down: (x, y) -> (side * x, -y), then a clockwise turn in the y-up frame.
    posed = [(fill, path.transform(side * cos, -side * sin, -sin, -cos, 0, 0)) for fill, path in layers]
    size = max(b[2] - b[0] for b in (path.bounds for _, path in posed))
    fine = 0.1 * TOLERANCE * size / UNIT
    everything = shapely.MultiPoint([p for _, path in posed for c in _polylines(path, fine) for p in c])
    centre = shapely.minimum_bounding_circle(everything).centroid
    scale = RADIUS / shapely.minimum_bounding_radius(everything)
    fitted = [(fill, path.transform(scale, 0, 0, scale, -scale * centre.x, -scale * centre.y)) for fill, path in posed]
    return [Layer(fill, contours) for fill, path in fitted if (contours := _contours(path))]


def _hex(fill: str) -> str:
    """#rgb or #rrggbb as lower-case #rrggbb."""
    return "#" + (fill[1:] if len(fill) == 7 else "".join(2 * digit for digit in fill[1:])).lower()


def font_outlines(file: Path, characters: str) -> dict[str, Any]:
    """Metrics, advances and outlines of the characters, in units of 1/UNIT em, baseline at 0."""
    font: Any = TTFont(file)
    scale = UNIT / font["head"].unitsPerEm
    names, glyphs = font.getBestCmap(), font.getGlyphSet()
    if missing := [c for c in characters if ord(c) not in names]:
        raise ValueError(f"{file.name} lacks {missing}")

    def outline(character: str) -> dict[str, Any]:
        glyph = glyphs[names[ord(character)]]
        path = pathops.Path()
        glyph.draw(path.getPen(glyphSet=glyphs))
        path.simplify(fix_winding=True)
        contours = _contours(path.transform(scale, 0, 0, scale, 0, 0))
        return {"advance": round(glyph.width * scale), "contours": contours}

    return {
        "ascent": round(font["hhea"].ascent * scale),
        "descent": round(font["hhea"].descent * scale),
        "cap_height": round(font["OS/2"].sCapHeight * scale),
        "x_height": round(font["OS/2"].sxHeight * scale),
        "glyphs": {c: outline(c) for c in characters},
    }
