"""Inside Circles, Layered Colours, Layered Shapes.

In the authors' release the share of circles around the dot grows with the size, and the shuffle of the layers' order does
nothing; here the count is even over 0 to the size, and the orders vary. Circles that do not hold the dot lie as close to the others as those
that do: however many hold it, the circles cover about as much of the sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Any

from isovist.core.answers import Count, WordSequence
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task, identity
from isovist.scenes.palette import HUES, NAMES, RED_GREEN_SAFE
from isovist.scenes.shape_outlines import OUTLINES, kind_of, outline
from isovist.suites.perceptv import cot_nesting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.task_factory import (
    GAP,
    HEIGHT,
    SIZES,
    WIDTH,
    backwards,
    by_size,
    chance_of_lists,
    domain,
    first,
    sheet,
    size,
)

_MOST = len(SIZES)

RING_HUES = ("blue", "green", "purple", "orange", "brown", "cyan", "pink", "black")
DOT = "red"
_DOT = 0.014  # its radius
_STROKE = 0.0075  # 3 pixels
_CLEAR = 0.04  # from the dot's centre to any outline: 16 pixels
_TANGENT = 0.02  # two outlines cross, or stay this far from touching
_UNLIKE = 0.06  # how far apart two outlines are somewhere, at least
_SMALL, _LARGE = 0.11, 0.3  # radii
_TRIES = 600
_NEAR = 0.3  # of the dot, or of a place beside it, where the centre of a circle is, each way
_BESIDE = (0.12, 0.3)  # how far that place is from the dot
_SPREADS, _CLOSE = (0.15, 0.185), 0.007  # how far the centres are spread, and how near that is met
_MOVES, _FEW = 2000, 3  # of fewer circles none is moved


@dataclass(frozen=True, slots=True)
class Ring:
    at: Point
    radius: float
    hue: str


@dataclass(frozen=True, slots=True)
class Rings:
    """Circles as outlines, and a dot."""

    dot: Point
    rings: tuple[Ring, ...]


def _apart(a: Point, b: Point) -> float:
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def _fits(new: Ring, others: list[Ring]) -> bool:
    """Whether a circle can be told from every other one, and crosses one of them."""
    crosses = not others
    for other in others:
        d, more, less = _apart(new.at, other.at), new.radius + other.radius, abs(new.radius - other.radius)
        if abs(d - more) < _TANGENT or abs(d - less) < _TANGENT or d + less < _UNLIKE:
            return False
        crosses = crosses or less < d < more
    return crosses


def _ring(rng: Rng, dot: Point, focus: Point, others: list[Ring], radius: float, *, around: bool, hue: str) -> Ring | None:
    """A circle of a radius near a focus that does or does not hold the dot, if a random one fits."""
    edge = radius + GAP
    at = (round(focus[0] + rng.uniform(-_NEAR, _NEAR), 4), round(focus[1] + rng.uniform(-_NEAR, _NEAR), 4))
    if not (edge <= at[0] <= WIDTH - edge and edge <= at[1] <= HEIGHT - edge):
        return None
    d = _apart(at, dot)
    new = Ring(at, radius, hue)
    return new if (d < radius - _CLEAR if around else d > radius + _CLEAR) and _fits(new, others) else None


def _spread(rings: Seq[Ring]) -> float:
    """How far the circles' centres are from their mean: the root of the mean square."""
    x, y = (sum(ring.at[axis] for ring in rings) / len(rings) for axis in (0, 1))
    return (sum((ring.at[0] - x) ** 2 + (ring.at[1] - y) ** 2 for ring in rings) / len(rings)) ** 0.5


def _beside(rng: Rng, dot: Point) -> Point:
    """A place beside the dot that is not near the sheet's edge."""
    while True:
        turn, far = rng.uniform(0, 2 * pi), rng.uniform(*_BESIDE)
        x, y = dot[0] + far * cos(turn), dot[1] + far * sin(turn)
        if 0.4 <= x <= WIDTH - 0.4 and 0.35 <= y <= HEIGHT - 0.35:
            return x, y


def _sample_rings(plan: SamplingContext) -> Rings:
    """Some circles about the dot, the others about a place beside it; then circles are moved one at a time until all are spread as wanted."""
    n, rng = size(plan), plan.image_rng
    dot = (round(rng.uniform(0.4, WIDTH - 0.4), 4), round(rng.uniform(0.35, HEIGHT - 0.35), 4))
    beside = _beside(rng, dot)
    wanted = rng.uniform(*_SPREADS)
    rings: list[Ring] = []
    hues, holds = rng.shuffled((RING_HUES * 3)[:n]), rng.shuffled([i < plan.stratum for i in range(n)])
    for around, hue in zip(holds, hues, strict=True):
        radius = round(rng.uniform(_SMALL, _LARGE), 4)  # whether it holds the dot or not
        candidates = (_ring(rng, dot, dot if around else beside, rings, radius, around=around, hue=hue) for _ in range(_TRIES))
        new = next((ring for ring in candidates if ring), None)
        if new is None:
            raise RejectSample
        rings.append(new)
    for _ in range(_MOVES):
        off = abs(_spread(rings) - wanted)
        if n < _FEW or off < _CLOSE:
            return plan.check_split(Rings(dot, tuple(rng.shuffled(rings))))
        i = rng.integer(0, n - 1)
        others = [*rings[:i], *rings[i + 1 :]]
        new = _ring(rng, dot, dot if holds[i] else beside, others, rings[i].radius, around=holds[i], hue=hues[i])
        if new and abs(_spread([*others, new]) - wanted) < off:
            rings[i] = new
    raise RejectSample


def _draw_rings(scene: Rings) -> tuple[Drawing, ...]:
    rings = (Circle(ring.at, ring.radius, None, HUES[ring.hue], _STROKE) for ring in scene.rings)
    return (sheet((*rings, Circle(scene.dot, _DOT, HUES[DOT]))),)


def _key_rings(scene: Rings) -> Count:
    around = sum(_apart(ring.at, scene.dot) < ring.radius for ring in scene.rings)
    return Count(around, 0, len(scene.rings))


def _read_rings(picture: Drawing) -> str:
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    (dot,) = [circle.center for circle in discs if circle.fill]
    inside = 0
    for circle in discs:
        if circle.stroke:
            (x, y), r = circle.center, circle.radius
            # the dot is inside the box, and below and above the arcs at its x
            half = max(0.0, r * r - (dot[0] - x) ** 2) ** 0.5
            inside += abs(dot[0] - x) < r and y - half < dot[1] < y + half
    return str(inside)


def _flip(scene: Rings) -> tuple[Rings, Callable[[str], str]]:
    """Left and right swapped: as many circles around the dot."""

    def over(point: Point) -> Point:
        return round(WIDTH - point[0], 4), point[1]

    return Rings(over(scene.dot), tuple(Ring(over(ring.at), ring.radius, ring.hue) for ring in scene.rings)), identity


LAYER_HUES = tuple(hue for hue in HUES if hue != "grey")
SHAPE_HUES = RED_GREEN_SAFE  # where only the shapes are asked for, everybody can see where one layer ends
LAYER_SHAPES = ("circle", "triangle", "square", "pentagon", "hexagon")
_MARGIN = 0.04  # around the outermost layer
_WIDE = (0.36, 0.48)  # the outermost layer reaches at least so far, by chance
_WIDTHS = round((_WIDE[1] - _WIDE[0]) * 10**4) // 2  # of one layer alone, as they are rounded, in each split
_CORE = 0.05  # the innermost one at least this
_LEAST_RING, _MOST_RING = 0.024, 0.034  # 10 pixels where two layers come nearest
_GROWTH = 1.2  # units that 19 layers of shapes may add to the reach


@dataclass(frozen=True, slots=True)
class Layer:
    """`reach` is how far its corners are from the common centre."""

    kind: str
    reach: float
    hue: str


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers around one centre, from inside to outside."""

    layers: tuple[Layer, ...]

    @property
    def side(self) -> float:
        """Of the square sheet."""
        return round(2 * (self.layers[-1].reach + _MARGIN), 2)


def _unlike_neighbours(rng: Rng, words: tuple[str, ...], n: int, first: int) -> list[str]:
    chosen = [words[first]]
    while len(chosen) < n:
        chosen.append(rng.pick([word for word in words if word != chosen[-1]]))
    return chosen


def _grown(rng: Rng, kinds: list[str], reaches: list[float], hues: list[str]) -> Layers:
    """The layers, all enlarged alike if they would be small."""
    scale = max(1.0, rng.uniform(*_WIDE) / reaches[-1])
    return Layers(tuple(Layer(kind, round(reach * scale, 4), hue) for kind, reach, hue in zip(kinds, reaches, hues, strict=True)))


def _inside_out(scene: Layers) -> tuple[Layers, Callable[[str], str]]:
    """The colours of the layers in reverse."""
    hues = [layer.hue for layer in reversed(scene.layers)]
    return Layers(tuple(replace(layer, hue=hue) for layer, hue in zip(scene.layers, hues, strict=True))), backwards


def _dye(scene: Layers) -> tuple[Layers, Callable[[str], str]]:
    """Other colours for the same shapes."""
    return _inside_out(scene)[0], identity


def _sample_colours(plan: SamplingContext) -> Layers:
    n, rng = size(plan), plan.image_rng
    hues = _unlike_neighbours(rng, LAYER_HUES, n, plan.stratum)
    reaches = [rng.uniform(_CORE, 0.07)]
    while len(reaches) < n:
        reaches.append(reaches[-1] + rng.uniform(_LEAST_RING, _MOST_RING))
    return plan.check_split(_grown(rng, ["circle"] * n, reaches, hues))


def needed(kind: str, inner: str, reach: float, ring: float) -> float:
    """How far a layer must reach so that it shows at least `ring` on every side of the layer inside it."""
    points = OUTLINES[kind]
    if not points:
        return reach + ring
    most = 0.0
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        length = _apart((ax, ay), (bx, by))
        nx, ny = (ay - by) / length, (bx - ax) / length  # outwards
        out = reach * max((px * nx + py * ny for px, py in OUTLINES[inner]), default=1.0)
        most = max(most, (out + ring) / (ax * nx + ay * ny))
    return most


def _sample_shapes(plan: SamplingContext) -> Layers:
    """Any shape that fits may come next. A layer around another shape must be larger by far (a triangle by up to twice), and
    19 such layers would fill a wall: the reach may grow by no more than an even share a layer, which is what fits.
    """
    n, rng = size(plan), plan.image_rng
    hues = _unlike_neighbours(rng, SHAPE_HUES, n, rng.integer(0, len(SHAPE_HUES) - 1))
    kinds, reaches = [LAYER_SHAPES[plan.stratum]], [_CORE]
    while len(kinds) < n:
        ring, limit = rng.uniform(_LEAST_RING, _MOST_RING), _CORE + 0.1 + len(kinds) * _GROWTH / (_MOST - 1)
        fitting = {kind: reach for kind in LAYER_SHAPES if (reach := needed(kind, kinds[-1], reaches[-1], ring)) < limit}
        if not fitting:
            raise RejectSample
        kinds.append(rng.pick(list(fitting)))
        reaches.append(fitting[kinds[-1]])
    return plan.check_split(_grown(rng, kinds, reaches, hues))


def _draw_layers(scene: Layers) -> tuple[Drawing, ...]:
    side = scene.side
    at = (side / 2, side / 2)
    return (sheet(tuple(outline(layer.kind, at, layer.reach, HUES[layer.hue]) for layer in reversed(scene.layers)), side, side),)


def _outwards(picture: Drawing) -> list[Circle | Polygon]:
    """The drawn layers by how wide they are."""

    def width(shape: Circle | Polygon) -> float:
        return shape.radius if isinstance(shape, Circle) else max(x for x, _ in shape.points) - picture.width / 2

    layers = [shape for shape in picture.shapes if not isinstance(shape, Line) and isinstance(shape, (Circle, Polygon))]
    return sorted(layers, key=width)


def _read_colours(picture: Drawing) -> str:
    return ", ".join(NAMES[shape.fill or ""] for shape in _outwards(picture))


def _read_shapes(picture: Drawing) -> str:
    return ", ".join(kind_of(shape) for shape in _outwards(picture))


TASKS: tuple[Task[Any], ...] = (
    domain(
        "inside-circles",
        "Count the circles around a red dot.",
        _sample_rings,
        _draw_rings,
        _read_rings,
        shown="The picture shows circles, drawn as outlines that may overlap, and one small red dot.",
        rules="Count the circles that have the red dot inside them. It may be none.",
        key=_key_rings,
        strata=lambda n: n + 1,
        answer_type="count",
        reasoning=reasoning.RINGS,
        shortcuts=shortcuts.RINGS,
        symmetries=(_flip,),
        audit_exemptions={"coarse picture (learned)": "where the dot lies beside all circles shows in the box and the centre of the ink"},
    ),
    domain(
        "layered-colours",
        "List the colours of concentric circles from inside to outside.",
        _sample_colours,
        _draw_layers,
        _read_colours,
        shown="The picture shows circles of different colours around one centre.",
        rules="List the colours of the circles from inside to outside; a colour that comes again is named again.",
        key=lambda scene: WordSequence(tuple(layer.hue for layer in scene.layers), LAYER_HUES),
        strata=len(LAYER_HUES),
        balance=first,
        chance=by_size(lambda n: 1 / (len(LAYER_HUES) * (len(LAYER_HUES) - 1) ** (n - 1))),  # neighbours differ
        answer_type="sequence",
        colour_vision="normal",
        reasoning=reasoning.layered(hues=True),
        symmetries=(_inside_out,),
        distinct={"1": len(LAYER_HUES) * _WIDTHS},
        audit_exemptions={"pixels": "colour is the question: the mean colour of a picture with one layer is its answer"},
    ),
    domain(
        "layered-shapes",
        "List nested shapes from inside to outside.",
        _sample_shapes,
        _draw_layers,
        _read_shapes,
        shown="The picture shows shapes of different colours, each inside the next, around one centre.",
        rules="List the shapes from inside to outside; a shape that comes again is named again. Their colours do not matter.",
        key=lambda scene: WordSequence(tuple(layer.kind for layer in scene.layers), LAYER_SHAPES),
        strata=len(LAYER_SHAPES),
        balance=first,
        chance=chance_of_lists(len(LAYER_SHAPES)),
        answer_type="sequence",
        colour_vision="partial",
        reasoning=reasoning.layered(hues=False),
        symmetries=(_dye,),
        distinct={"1": 18_000},
        audit_exemptions={"pixels": "shape is the question: the outline in a picture with one layer is its answer"},
    ),
)
