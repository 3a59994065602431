"""Inside Circles: count the circles that contain a dot.

In the authors' release the share of circles around the dot grows with the size. Here the count is uniform from 0 to the size. Circles that
do not contain the dot are as close to each other as those that do, so the covered area is nearly independent of the count.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from isovist.core.answers import Count
from isovist.core.drawing2d import Circle, Drawing, Point
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import Checks, Exemption, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_nesting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.shared_parts import GAP, HEIGHT, PAPERS, SHEET, SIZES, SKILLS, WIDTH, asking, equally_likely, sheet, size
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.shapes2d import distance

RING_HUES = ("blue", "green", "purple", "orange", "brown", "cyan", "pink", "black")
DOT = "red"
_DOT = 0.014  # its radius
_STROKE = 0.0075  # 3 pixels
_STEP = 1e-4  # positions are rounded to it
_CLEAR = 0.04  # from the dot's centre to any outline: 16 pixels
_TANGENT = 0.02  # outlines that do not cross are at least this far from touching
_UNLIKE = 0.06  # least value of the largest distance between two outlines
_SMALL, _LARGE = 0.11, 0.3  # radii
_TRIES = 600
_NEAR = 0.3  # largest offset of a circle centre from its focus, along each axis
_FOCUS_DISTANCE = (0.12, 0.3)  # distance of the second focus from the dot
_SPREADS, _CLOSE = (0.15, 0.185), 0.007  # range of the target spread of the centres, and its tolerance
_MOVES, _FEW = 2000, 3  # of fewer circles none is moved


@dataclass(frozen=True, slots=True)
class Ring:
    center: Point
    radius: float
    colour: str


@dataclass(frozen=True, slots=True)
class Rings:
    """Circles drawn as outlines, and a dot."""

    dot: Point
    rings: tuple[Ring, ...]


def _fits(center: Point, radius: float, others: list[Ring]) -> bool:
    """Whether a circle is distinguishable from every other one, and crosses at least one of them."""
    crosses = not others
    for other in others:
        d, more, less = distance(center, other.center), radius + other.radius, abs(radius - other.radius)
        if abs(d - more) < _TANGENT or abs(d - less) < _TANGENT or d + less < _UNLIKE:
            return False
        crosses = crosses or less < d < more
    return crosses


def _ring(rng: Rng, dot: Point, focus: Point, others: list[Ring], radius: float, *, around: bool, hue: str) -> Ring | None:
    """A random circle of this radius near `focus` that contains the dot or not, as `around` states; None if it does not fit."""
    edge, clear = radius + GAP, radius - _CLEAR if around else radius + _CLEAR
    x, y = focus[0] + rng.uniform(-_NEAR, _NEAR), focus[1] + rng.uniform(-_NEAR, _NEAR)
    d = distance((x, y), dot)
    if d > clear + _STEP if around else d < clear - _STEP:
        return None  # most positions; rounding takes longer than this check
    at = (round(x, 4), round(y, 4))
    if not (edge <= at[0] <= WIDTH - edge and edge <= at[1] <= HEIGHT - edge):
        return None
    d = distance(at, dot)
    return Ring(at, radius, hue) if (d < clear if around else d > clear) and _fits(at, radius, others) else None


def _spread(rings: Seq[Ring]) -> float:
    """The root mean square distance of the circle centres from their mean."""
    x, y = (sum_in_order(ring.center[axis] for ring in rings) / len(rings) for axis in (0, 1))
    squares = sum_in_order((ring.center[0] - x) ** 2 + (ring.center[1] - y) ** 2 for ring in rings)
    return (squares / len(rings)) ** 0.5


def _point_near_dot(rng: Rng, dot: Point) -> Point:
    """A random point near the dot and away from the edge of the sheet."""
    while True:
        angle, radius = rng.uniform(0, 2 * pi), rng.uniform(*_FOCUS_DISTANCE)
        x, y = dot[0] + radius * cos(angle), dot[1] + radius * sin(angle)
        if 0.4 <= x <= WIDTH - 0.4 and 0.35 <= y <= HEIGHT - 0.35:
            return x, y


def _sample_rings(plan: SamplingContext) -> Rings:
    """Sample circles around the dot and circles around a second focus, then move circles one at a time to a given spread."""
    n, rng = size(plan), plan.image_rng
    dot = (round(rng.uniform(0.4, WIDTH - 0.4), 4), round(rng.uniform(0.35, HEIGHT - 0.35), 4))
    second_focus = _point_near_dot(rng, dot)
    target_spread = rng.uniform(*_SPREADS)
    rings: list[Ring] = []
    hues, holds = rng.shuffled((RING_HUES * 3)[:n]), rng.shuffled([i < plan.stratum for i in range(n)])
    for around, hue in zip(holds, hues, strict=True):
        radius = round(rng.uniform(_SMALL, _LARGE), 4)  # whether it holds the dot or not
        candidates = (_ring(rng, dot, dot if around else second_focus, rings, radius, around=around, hue=hue) for _ in range(_TRIES))
        new = next((ring for ring in candidates if ring), None)
        if new is None:
            raise RejectSample
        rings.append(new)
    off = abs(_spread(rings) - target_spread)
    for _ in range(_MOVES):
        if n < _FEW or off < _CLOSE:
            return plan.check_split(Rings(dot, tuple(rng.shuffled(rings))))
        i = rng.integer(0, n - 1)
        others = [*rings[:i], *rings[i + 1 :]]
        new = _ring(rng, dot, dot if holds[i] else second_focus, others, rings[i].radius, around=holds[i], hue=hues[i])
        if new and abs(_spread([*others, new]) - target_spread) < off:
            rings[i] = new
            off = abs(_spread(rings) - target_spread)  # in the order of `rings`: another order rounds differently
    raise RejectSample


def _draw_rings(scene: Rings) -> tuple[Drawing, ...]:
    rings = (Circle(ring.center, ring.radius, None, HUES[ring.colour], _STROKE) for ring in scene.rings)
    return (sheet((*rings, Circle(scene.dot, _DOT, HUES[DOT]))),)


def _key_rings(scene: Rings) -> Count:
    around = sum(distance(ring.center, scene.dot) < ring.radius for ring in scene.rings)
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
    """Mirror left and right. The count does not change."""

    def mirrored_point(point: Point) -> Point:
        return round(WIDTH - point[0], 4), point[1]

    return Rings(
        mirrored_point(scene.dot), tuple(Ring(mirrored_point(ring.center), ring.radius, ring.colour) for ring in scene.rings)
    ), identity


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/inside-circles",
        version=3,
        summary="Count the circles around a red dot.",
        sample=_sample_rings,
        draw=_draw_rings,
        ask=asking(
            "The image shows circles, drawn as outlines that may overlap, and one small red dot.",
            "Count the circles that have the red dot inside them. The count may be 0.",
            _key_rings,
        ),
        rederive=lambda drawings, _: _read_rings(*drawings),
        answers=equally_likely("count", lambda n: n + 1),
        skills=SKILLS["inside-circles"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["inside-circles"],
        checks=Checks(
            symmetries=(_flip,),
            shortcuts=shortcuts.RINGS,
            exemptions={
                "coarse image features (learned)": Exemption(
                    "the bounding box and the centre of the ink show where the dot is relative to all circles", 0.5, {"": 0.2}
                )
            },
        ),
        reasoning=reasoning.RINGS.of(_draw_rings, _key_rings),
    ),
)
