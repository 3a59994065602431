"""Chains of thought about things around one point: layers from the innermost outwards, and circles around a dot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from isovist.core.drawing2d import Circle, Drawing, Point, Polygon
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.palette import HUES, NAMES
from isovist.scenes.shape_outlines import OUTLINES
from isovist.suites.perceptv.cot import NONE, Reasoning, Spot, holds, listed, order, rounded, spot, spots_of
from isovist.suites.perceptv.task_factory import HEIGHT, WIDTH

_PARTS = 1000  # tops are told in thousandths: neighbouring layers differ by less than a hundredth
_FIVE = 5  # layers are told so many a line
_CORNERS = {0: "circle", 3: "triangle", 4: "square", 5: "pentagon", 6: "hexagon"}

LAYERS = StepTemplate(
    "layers",
    (
        "I go from the innermost layer, which lies in front of all others, outwards. The top of each is told in thousandths of the picture from its upper edge.",
        "from inside to outside, each layer in front of the next. Tops are thousandths of the height, from the upper edge.",
        "beginning with the innermost layer and going outwards; the distance of each layer's top from the upper edge is in thousandths of the height.",
    ),
)
_COLOUR = rf"(?:{one_of(HUES)}) \(top {NUMBER}\)"
_SHAPE = rf"(?:{one_of(_CORNERS.values())}) \((?:no|{NUMBER}) corners, top {NUMBER}\)"
SOME = StepTemplate(
    "some",
    ("layers {low} to {high}: {layers}.", "{low} to {high}: {layers}.", "number {low} to number {high} outwards: {layers}."),
    {"low": NUMBER, "high": NUMBER, "layers": rf"{_COLOUR}(?:, {_COLOUR})*|{_SHAPE}(?:, {_SHAPE})*"},
)
OUTERMOST = StepTemplate(
    "outermost",
    ("layer {n} is the outermost.", "beyond layer {n} there is paper.", "no layer is behind layer {n}."),
    {"n": NUMBER},
)


class _Layer(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def reach(self) -> float: ...
    @property
    def hue(self) -> str: ...


class _Layers(Protocol):
    @property
    def layers(self) -> Sequence[_Layer]: ...
    @property
    def side(self) -> float: ...


def layered(*, hues: bool) -> Reasoning:
    """Layers by their colours, or by their shapes."""

    def tell(kind: str, hue: str, corners: int, top: int) -> str:
        return f"{hue} (top {top})" if hues else f"{kind} ({corners or 'no'} corners, top {top})"

    def write(scene: _Layers, way: int) -> list[str]:
        each: list[str] = []
        for layer in scene.layers:
            up = max((y for _, y in OUTLINES[layer.kind]), default=1.0)
            top = spot((0, scene.side / 2 + layer.reach * up), scene.side, scene.side, _PARTS)[1]
            each.append(tell(layer.kind, layer.hue, len(OUTLINES[layer.kind]), top))
        lines = [LAYERS.render(way)]
        for i in range(0, len(each), _FIVE):
            some = each[i : i + _FIVE]
            lines.append(SOME.render(way >> 3, low=i + 1, high=i + len(some), layers=", ".join(some)))
        return [*lines, OUTERMOST.render(way >> 6, n=len(each))]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        """By the highest points of the drawn layers: the lower a layer's top, the further inside it is."""
        (picture,) = pictures
        drawn = sorted(
            ((_top(shape), shape) for shape in picture.shapes if isinstance(shape, (Circle, Polygon))), key=lambda entry: entry[0]
        )
        if faults := order(steps, ["layers", *["some"] * -(-len(drawn) // _FIVE), "outermost"]):
            return faults
        faults: list[str] = []
        for i, step in enumerate(steps[1:-1]):
            due: list[str] = []
            for high, shape in drawn[i * _FIVE : (i + 1) * _FIVE]:
                corners = len(set(shape.points)) if isinstance(shape, Polygon) else 0
                due.append(tell(_CORNERS[corners], NAMES[shape.fill or ""], corners, rounded(_PARTS * (1 - high / picture.height))))
            low = i * _FIVE + 1
            faults += holds(
                step, [step.number("low"), step.number("high")] == [low, low + len(due) - 1] and step["layers"] == ", ".join(due)
            )
        return faults + holds(steps[-1], steps[-1].number("n") == len(drawn))

    return Reasoning((LAYERS, SOME, OUTERMOST), write, check)


def _top(shape: Circle | Polygon) -> float:
    return shape.center[1] + shape.radius if isinstance(shape, Circle) else max(y for _, y in shape.points)


# ---- circles around a dot ------------------------------------------------------------------------------------------

_RING = rf"(?:{one_of(HUES)}) \({NUMBER}, {NUMBER}\)"
_SPAN = rf"{_RING} {NUMBER} to {NUMBER}"
DOT = StepTemplate(
    "dot",
    (
        "the red dot is at ({x}, {y}), in hundredths of the picture from its left and its top edge; circles are named by their middles.",
        "places are hundredths of the width from the left edge and of the height from the top edge. The dot is at ({x}, {y}); a place beside a colour is the middle of a circle.",
        "I find the red dot at ({x}, {y}): hundredths from the left edge, hundredths from the top edge. Circles have the places of their middles.",
    ),
    {"x": NUMBER, "y": NUMBER},
)
AWAY = StepTemplate(
    "away",
    (
        "wholly above or below the dot: {rings}.",
        "these circles do not reach the height of the dot: {rings}.",
        "too high or too low to reach a level line through the dot: {rings}.",
    ),
    {"rings": rf"{NONE}|{_RING}(?:, {_RING})*"},
)
BESIDE = StepTemplate(
    "beside",
    (
        "at the height of the dot, these begin and end on one side of it: {spans}.",
        "on the level of the dot these reach from x to x without the dot between: {spans}.",
        "on a level line through the dot these lie to one side of it, from x to x: {spans}.",
    ),
    {"spans": rf"{NONE}|{_SPAN}(?:, {_SPAN})*"},
)
AROUND = StepTemplate(
    "around",
    (
        "and these have it between their two ends: {spans}; that makes {n}.",
        "these reach over it from one side to the other: {spans}. They are {n}.",
        "the dot lies between the ends of: {spans}; {n} in all.",
    ),
    {"spans": rf"{NONE}|{_SPAN}(?:, {_SPAN})*", "n": NUMBER},
)


class _Ring(Protocol):
    @property
    def at(self) -> Point: ...
    @property
    def radius(self) -> float: ...
    @property
    def hue(self) -> str: ...


class _Rings(Protocol):
    @property
    def dot(self) -> Point: ...
    @property
    def rings(self) -> Sequence[_Ring]: ...


def _write_rings(scene: _Rings, way: int) -> list[str]:
    away: list[str] = []
    beside: list[str] = []
    around: list[str] = []
    for at, ring in sorted(((spot(circle.at, WIDTH, HEIGHT), circle) for circle in scene.rings), key=lambda entry: entry[0]):
        rise = scene.dot[1] - ring.at[1]
        if abs(rise) >= ring.radius:
            away.append(f"{ring.hue} {at}")
            continue
        half = (ring.radius**2 - rise**2) ** 0.5
        left, right = ring.at[0] - half, ring.at[0] + half
        sentence = f"{ring.hue} {at} {rounded(100 * left / WIDTH)} to {rounded(100 * right / WIDTH)}"
        (around if left < scene.dot[0] < right else beside).append(sentence)
    x, y = spot(scene.dot, WIDTH, HEIGHT)
    return [
        DOT.render(way, x=x, y=y),
        AWAY.render(way >> 3, rings=listed(away)),
        BESIDE.render(way >> 6, spans=listed(beside)),
        AROUND.render(way >> 9, spans=listed(around), n=len(around)),
    ]


_ONE = re.compile(rf"(\w+) \(({NUMBER}), ({NUMBER})\)(?: ({NUMBER}) to ({NUMBER}))?")
_Told = tuple[str, Spot, tuple[int, int] | None]


def _read(text: str) -> list[_Told]:
    """Circles as told: colour, middle, and from where to where they reach."""
    matches = _ONE.findall(text)
    return [(hue, (int(x), int(y)), (int(left), int(right)) if left else None) for hue, x, y, left, right in matches]


def _check_rings(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """A circle is around the dot if the dot is nearer to its middle than it reaches; where it crosses a height follows from Pythagoras."""
    if faults := order(steps, ["dot", "away", "beside", "around"]):
        return faults
    (picture,) = pictures
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    (dot,) = [circle for circle in discs if circle.fill]
    due: dict[str, list[_Told]] = {"away": [], "beside": [], "around": []}
    for circle in discs:
        if circle.stroke is None:
            continue
        hue, (middle,) = NAMES[circle.stroke], spots_of([circle], picture)
        rise, run = abs(circle.center[1] - dot.center[1]), abs(circle.center[0] - dot.center[0])
        if circle.radius <= rise:
            due["away"].append((hue, middle, None))
            continue
        ends = sorted(
            100 * (circle.center[0] + side * ((circle.radius - rise) * (circle.radius + rise)) ** 0.5) / picture.width for side in (-1, 1)
        )
        span = (rounded(ends[0]), rounded(ends[1]))
        due["around" if (rise**2 + run**2) ** 0.5 < circle.radius else "beside"].append((hue, middle, span))
    at, *groups = steps
    faults = holds(at, (at.number("x"), at.number("y")) == spots_of([dot], picture)[0])
    for step in groups:
        rings = _read(step["rings" if step.statement == "away" else "spans"])
        faults += holds(
            step,
            sorted(rings, key=str) == sorted(due[step.statement], key=str)
            and [ring[1] for ring in rings] == sorted(ring[1] for ring in rings),
        )
    return faults + holds(steps[-1], steps[-1].number("n") == len(due["around"]))


RINGS = Reasoning((DOT, AWAY, BESIDE, AROUND), _write_rings, _check_rings)
