"""Chains of thought about objects around one point: layers from the innermost outward, and circles around a dot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from isovist.core.drawing2d import Circle, Drawing, Polygon
from isovist.core.reasoning.templates import NUMBER, SPOT, Step, StepTemplate, list_of, listed
from isovist.suites.perceptv.cot import FactChains, Spot, rounded, spot, spot_of, stated
from isovist.suites.perceptv.shared_parts import HEIGHT, WIDTH
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.shape_outlines import OUTLINES

_PARTS = 1000  # tops are given in thousandths: neighbouring layers differ by less than a hundredth
_FIVE = 5  # layers per line
_CORNERS = {0: "circle", 3: "triangle", 4: "square", 5: "pentagon", 6: "hexagon"}

LAYERS = StepTemplate(
    "I go outward from the innermost layer, which is in front of all others. The top of each layer is given in thousandths of the image height from the upper edge.",
    "from inside to outside, each layer in front of the next. Tops are in thousandths of the height, from the upper edge.",
    "I begin with the innermost layer and go outward. The distance of each layer's top from the upper edge is in thousandths of the height.",
)
SOME = StepTemplate(
    "layers {low} to {high}: {layers}.",
    "{low} to {high}: {layers}.",
    "number {low} to number {high}, going outward: {layers}.",
    layers=list_of(rf"[a-z]+ \((?:(?:no|{NUMBER}) corners, )?top {NUMBER}\)"),
)
OUTERMOST = StepTemplate("layer {n} is the outermost.", "outside layer {n} there is only the background.", "no layer is behind layer {n}.")

_Layers = Sequence[tuple[str, str, int, int]]
"""Layers from inside to outside: shape, colour, number of corners, and top in thousandths from the upper edge."""


def layered(*, hues: bool) -> FactChains[_Layers]:
    """List layers by colour or by shape."""

    def steps(layers: _Layers) -> list[Step]:
        each = [f"{hue} (top {top})" if hues else f"{kind} ({corners or 'no'} corners, top {top})" for kind, hue, corners, top in layers]
        blocks = [(low, each[low : low + _FIVE]) for low in range(0, len(each), _FIVE)]
        lines = [SOME(low=low + 1, high=low + len(block), layers=listed(block)) for low, block in blocks]
        return [LAYERS(), *lines, OUTERMOST(n=len(each))]

    def conclusion(steps: Sequence[Step]) -> str:
        return re.sub(r" \(.+?\)", "", stated((SOME, "layers"))(steps))

    return FactChains(steps, _layers_of_scene, _layers_of_pictures, conclusion)


def _layers_of_scene(scene: Any) -> _Layers:
    layers: list[tuple[str, str, int, int]] = []
    for layer in scene.layers:
        outline = OUTLINES[layer.shape]
        up = max((y for _, y in outline), default=1.0)
        _, top = spot((0, scene.side / 2 + layer.radius * up), scene.side, scene.side, _PARTS)
        layers.append((layer.shape, layer.colour, len(outline), top))
    return layers


def _layers_of_pictures(pictures: tuple[Drawing, ...]) -> _Layers:
    """Order the drawn layers by their highest points: the lower a layer's top, the further inside it is."""
    (picture,) = pictures
    layers: list[tuple[float, str, str, int]] = []
    for shape in picture.shapes:
        if isinstance(shape, (Circle, Polygon)):
            corners = len(set(shape.points)) if isinstance(shape, Polygon) else 0
            top = max(y for _, y in shape.points) if isinstance(shape, Polygon) else shape.center[1] + shape.radius
            layers.append((top, _CORNERS[corners], NAMES[shape.fill or ""], corners))
    return [(kind, hue, corners, rounded(_PARTS * (1 - top / picture.height))) for top, kind, hue, corners in sorted(layers)]


# ---- circles around a dot ------------------------------------------------------------------------------------------

_RING = rf"[a-z]+ {SPOT}"
_SPANS = list_of(f"{_RING} {NUMBER} to {NUMBER}")
DOT = StepTemplate(
    "the red dot is at {at}, in hundredths of the image from its left edge and its top edge. Circles are identified by their centres.",
    "positions are in hundredths of the width from the left edge and of the height from the top edge. The dot is at {at}; the position after a colour is the centre of a circle.",
    "I find the red dot at {at}: hundredths from the left edge, hundredths from the top edge. The position of a circle is that of its centre.",
    at=SPOT,
)
AWAY = StepTemplate(
    "entirely above or below the dot: {rings}.",
    "these circles do not reach the height of the dot: {rings}.",
    "too high or too low to reach a horizontal line through the dot: {rings}.",
    rings=list_of(_RING),
)
BESIDE = StepTemplate(
    "at the height of the dot, these circles begin and end on one side of it: {spans}.",
    "at the height of the dot, these circles extend from x to x without the dot in between: {spans}.",
    "on a horizontal line through the dot, these circles are on one side of it, from x to x: {spans}.",
    spans=_SPANS,
)
AROUND = StepTemplate(
    "these circles have the dot between their two ends: {spans}; total {n}.",
    "these circles extend from one side of the dot to the other: {spans}. The count is {n}.",
    "the dot is between the ends of these circles: {spans}; {n} in total.",
    spans=_SPANS,
)

_Ring = tuple[Spot, str, tuple[float, float] | None, bool]
"""A circle's centre, its colour, its x range at the height of the dot, and whether it contains the dot."""
_Rings = tuple[Spot, Sequence[_Ring]]
"""The dot and the circles."""


def _ring_steps(rings: _Rings) -> list[Step]:
    dot, circles = rings
    outside_height: list[str] = []
    beside: list[str] = []
    around: list[str] = []
    for at, hue, span, inside in sorted(circles, key=lambda circle: circle[0]):
        if span is None:
            outside_height.append(f"{hue} {at}")
        else:
            (around if inside else beside).append(f"{hue} {at} {rounded(100 * span[0])} to {rounded(100 * span[1])}")
    return [DOT(at=dot), AWAY(rings=listed(outside_height)), BESIDE(spans=listed(beside)), AROUND(spans=listed(around), n=len(around))]


def _rings_of_scene(scene: Any) -> _Rings:
    rings: list[_Ring] = []
    for ring in scene.rings:
        rise = scene.dot[1] - ring.center[1]
        half = (max(ring.radius**2 - rise**2, 0)) ** 0.5
        left, right = ring.center[0] - half, ring.center[0] + half
        span = (left / WIDTH, right / WIDTH) if abs(rise) < ring.radius else None
        rings.append((spot(ring.center, WIDTH, HEIGHT), ring.colour, span, left < scene.dot[0] < right))
    return spot(scene.dot, WIDTH, HEIGHT), rings


def _rings_of_pictures(pictures: tuple[Drawing, ...]) -> _Rings:
    """A circle contains the dot if the distance between the dot and its centre is less than its radius."""
    (picture,) = pictures
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    (dot,) = [disc for disc in discs if disc.fill]
    rings: list[_Ring] = []
    for circle in discs:
        if circle.stroke:
            rise, run = abs(circle.center[1] - dot.center[1]), abs(circle.center[0] - dot.center[0])
            half = (max(circle.radius - rise, 0) * (circle.radius + rise)) ** 0.5
            span = ((circle.center[0] - half) / picture.width, (circle.center[0] + half) / picture.width)
            inside = (rise**2 + run**2) ** 0.5 < circle.radius
            rings.append((spot_of(circle, picture), NAMES[circle.stroke], span if circle.radius > rise else None, inside))
    return spot_of(dot, picture), rings


RINGS = FactChains(_ring_steps, _rings_of_scene, _rings_of_pictures, stated((AROUND, "n")))
