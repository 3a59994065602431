"""Layered Colours, Layered Shapes: the order of the layers is random; in the authors' release the shuffle has no effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import WordSequence
from isovist.core.drawing2d import Circle, Drawing, Line, Polygon
from isovist.core.rng import Rng
from isovist.core.task import Answers, Checks, Exemption, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_nesting as reasoning
from isovist.suites.perceptv.shared_parts import (
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    asking,
    by_size,
    chance_of_sequences,
    first,
    reversed_answer,
    sheet,
    size,
)
from isovist.world.scenes.palette import HUES, NAMES, RED_GREEN_SAFE
from isovist.world.scenes.shape_outlines import OUTLINES, kind_of, outline
from isovist.world.scenes.shapes2d import distance

_MOST = len(SIZES)

LAYER_HUES = tuple(hue for hue in HUES if hue != "grey")
SHAPE_HUES = RED_GREEN_SAFE  # visible with any colour vision, where only shapes matter
LAYER_SHAPES = ("circle", "triangle", "square", "pentagon", "hexagon")
_MARGIN = 0.04  # around the outermost layer
_WIDE = (0.36, 0.48)  # range of the least radius of the outermost layer
_WIDTHS = round((_WIDE[1] - _WIDE[0]) * 10**4) // 2  # distinct rounded radii of a single layer, in each split
_CORE = 0.05  # least radius of the innermost layer
_LEAST_RING, _MOST_RING = 0.024, 0.034  # 10 pixels at the narrowest point between two layers
_GROWTH = 1.2  # largest growth of the radius over 19 layers, in units


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer. `radius` is the distance of its corners from the common centre."""

    shape: str
    radius: float
    colour: str


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers around one centre, from inside to outside."""

    layers: tuple[Layer, ...]

    @property
    def side(self) -> float:
        """The side of the square sheet."""
        return round(2 * (self.layers[-1].radius + _MARGIN), 2)


def _unlike_neighbours(rng: Rng, words: tuple[str, ...], n: int, first: int) -> list[str]:
    chosen = [words[first]]
    while len(chosen) < n:
        chosen.append(rng.pick([word for word in words if word != chosen[-1]]))
    return chosen


def _scaled(rng: Rng, kinds: list[str], reaches: list[float], hues: list[str]) -> Layers:
    """Scale up all layers by one factor if the outermost would be small."""
    scale = max(1.0, rng.uniform(*_WIDE) / reaches[-1])
    return Layers(tuple(Layer(kind, round(reach * scale, 4), hue) for kind, reach, hue in zip(kinds, reaches, hues, strict=True)))


def _inside_out(scene: Layers) -> tuple[Layers, Callable[[str], str]]:
    """Reverse the colours of the layers."""
    hues = [layer.colour for layer in reversed(scene.layers)]
    return Layers(tuple(replace(layer, colour=hue) for layer, hue in zip(scene.layers, hues, strict=True))), reversed_answer


def _recolour(scene: Layers) -> tuple[Layers, Callable[[str], str]]:
    """Change the colours of the layers. The shapes do not change."""
    return _inside_out(scene)[0], identity


def _sample_colours(plan: SamplingContext) -> Layers:
    n, rng = size(plan), plan.image_rng
    hues = _unlike_neighbours(rng, LAYER_HUES, n, plan.stratum)
    reaches = [rng.uniform(_CORE, 0.07)]
    while len(reaches) < n:
        reaches.append(reaches[-1] + rng.uniform(_LEAST_RING, _MOST_RING))
    return plan.check_split(_scaled(rng, ["circle"] * n, reaches, hues))


def least_reach(kind: str, inner: str, reach: float, ring: float) -> float:
    """The smallest radius of a layer of shape `kind` that shows at least `ring` on every side of the layer inside it."""
    points = OUTLINES[kind]
    if not points:
        return reach + ring
    most = 0.0
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        length = distance((ax, ay), (bx, by))
        nx, ny = (ay - by) / length, (bx - ax) / length  # outwards
        out = reach * max((px * nx + py * ny for px, py in OUTLINES[inner]), default=1.0)
        most = max(most, (out + ring) / (ax * nx + ay * ny))
    return most


def _sample_shapes(plan: SamplingContext) -> Layers:
    """Sample shapes; each is any shape that fits around the previous one.

    A layer around another shape must be much larger (a triangle up to twice as large), and 19 such layers would not fit into an image. The
    radius may therefore grow by at most an equal share per layer.
    """
    n, rng = size(plan), plan.image_rng
    hues = _unlike_neighbours(rng, SHAPE_HUES, n, rng.integer(0, len(SHAPE_HUES) - 1))
    kinds, reaches = [LAYER_SHAPES[plan.stratum]], [_CORE]
    while len(kinds) < n:
        ring, limit = rng.uniform(_LEAST_RING, _MOST_RING), _CORE + 0.1 + len(kinds) * _GROWTH / (_MOST - 1)
        fitting = {kind: reach for kind in LAYER_SHAPES if (reach := least_reach(kind, kinds[-1], reaches[-1], ring)) < limit}
        if not fitting:
            raise RejectSample
        kinds.append(rng.pick(list(fitting)))
        reaches.append(fitting[kinds[-1]])
    return plan.check_split(_scaled(rng, kinds, reaches, hues))


def _draw_layers(scene: Layers) -> tuple[Drawing, ...]:
    side = scene.side
    at = (side / 2, side / 2)
    return (sheet(tuple(outline(layer.shape, at, layer.radius, HUES[layer.colour]) for layer in reversed(scene.layers)), side, side),)


def _from_inside(picture: Drawing) -> list[Circle | Polygon]:
    """The drawn layers, sorted by width."""

    def width(shape: Circle | Polygon) -> float:
        return shape.radius if isinstance(shape, Circle) else max(x for x, _ in shape.points) - picture.width / 2

    layers = [shape for shape in picture.shapes if not isinstance(shape, Line) and isinstance(shape, (Circle, Polygon))]
    return sorted(layers, key=width)


def _read_colours(picture: Drawing) -> str:
    return ", ".join(NAMES[shape.fill or ""] for shape in _from_inside(picture))


def _read_shapes(picture: Drawing) -> str:
    return ", ".join(kind_of(shape) for shape in _from_inside(picture))


def _key_colours(scene: Layers) -> WordSequence:
    return WordSequence(tuple(layer.colour for layer in scene.layers), LAYER_HUES)


def _key_shapes(scene: Layers) -> WordSequence:
    return WordSequence(tuple(layer.shape for layer in scene.layers), LAYER_SHAPES)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/layered-colours",
        version=3,
        summary="List the colours of concentric circles from inside to outside.",
        sample=_sample_colours,
        draw=_draw_layers,
        ask=asking(
            "The image shows circles of different colours around a common centre.",
            "List the colours of the circles from inside to outside. If a colour occurs again, name it again.",
            _key_colours,
        ),
        rederive=lambda drawings, _: _read_colours(*drawings),
        answers=Answers(
            type="sequence",
            strata=len(LAYER_HUES),
            balance=first,
            best_constant=by_size(lambda n: 1 / (len(LAYER_HUES) * (len(LAYER_HUES) - 1) ** (n - 1))),  # neighbours differ
        ),
        skills=SKILLS["layered-colours"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="normal"),
        paper=PAPERS["layered-colours"],
        checks=Checks(
            symmetries=(_inside_out,),
            exemptions={
                name: Exemption("colour is the question: an image with one layer shows no other", 1.0, {"": 0.07})
                for name in ("pixels", "colour")
            },
            distinct={"1": len(LAYER_HUES) * _WIDTHS},
        ),
        reasoning=reasoning.layered(hues=True).of(_draw_layers, _key_colours),
    ),
    Task(
        id="perceptv/layered-shapes",
        version=3,
        summary="List nested shapes from inside to outside.",
        sample=_sample_shapes,
        draw=_draw_layers,
        ask=asking(
            "The image shows shapes of different colours, each inside the next, around a common centre.",
            "List the shapes from inside to outside. If a shape occurs again, name it again. Ignore the colours.",
            _key_shapes,
        ),
        rederive=lambda drawings, _: _read_shapes(*drawings),
        answers=Answers(type="sequence", strata=len(LAYER_SHAPES), balance=first, best_constant=chance_of_sequences(len(LAYER_SHAPES))),
        skills=SKILLS["layered-shapes"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="partial"),
        paper=PAPERS["layered-shapes"],
        checks=Checks(
            symmetries=(_recolour,),
            exemptions={
                name: Exemption("shape is the question: an image with one layer shows no other", 1.0, {"": 0.07})
                for name in ("pixels", "glyph")
            },
            distinct={"1": 18_000},
        ),
        reasoning=reasoning.layered(hues=False).of(_draw_layers, _key_shapes),
    ),
)
