"""Mirror Image and Water Image: which objects lie exactly where the mirror puts them?

In the authors' release the objects that are not mirrored stay on their own side of the line, so counting the other side
gives the answer, and shapes are about six pixels wide. Here 28 to 30 objects, at every size, all cross the line; those
that are not mirrored lie at least `AWAY` from their mirror place, and may lie where an object of another form would belong: where one
of their own form would, only its colour could tell that it is not mirrored. As many are mirrored as the size says or up to two more
or fewer, each number equally often, so that the size is not the answer.

An object may keep its place along the line and have another distance from it, keep its distance and have another place along the
line, or change both. How many keep the one and how many keep the other is drawn before how many keep both, and does not hang on it: who
looks at one of the two alone learns nothing about the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from isovist.core.answers import Count
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task, identity
from isovist.scenes.palette import HUES
from isovist.suites.perceptv import cot_image_pairs as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.matching import figure
from isovist.suites.perceptv.task_factory import GAP, MOST, domain, near, numbers_near, sheet, size

ALONG, DEEP = 1.5, 0.8  # the line's length, and the depth of each side
RADIUS = 0.041
REACH = 0.05  # the corners of a square reach farthest
AWAY = 0.2  # an object that is not mirrored is at least 80 pixels from its mirror place
OFF = 0.1  # where it differs along the line, or in its distance, it does so by 40 pixels or more
FORMS = ("circle", "square", "diamond", "cross")
"""Each is its own mirror image, from left to right and upside down."""
OBJECT_HUES = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black")
GLASS, WATER, POOL = "#5c6b7a", "#4d8fd1", "#eaf3fb"
_LINE = 0.012
_SHOWN = (28, 30)  # objects, however many of them are mirrored: their number tells nothing
_KEEP_MORE = 1  # this many more than are mirrored at most may keep their place along the line, and as many their distance
_TRIES = 1500


@dataclass(frozen=True, slots=True)
class MirroredObject:
    """An object; places are (along the line, away from it): the same place before and after is the mirror place."""

    shape: str
    colour: str
    before: Point
    after: Point


@dataclass(frozen=True, slots=True)
class Mirror:
    """The objects, and the side of the line where they are at first: 1 is right or above, -1 is left or below."""

    side: int
    objects: tuple[MirroredObject, ...]


def _far(a: Point, b: Point, least: float) -> bool:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 >= least**2


def _free(place: Point, others: Sequence[Point]) -> bool:
    return all(_far(place, other, 2 * REACH + GAP) for other in others)


def _pair(rng: Rng, things: Sequence[MirroredObject], form: str, *, along: bool, deep: bool) -> tuple[Point, Point]:
    """A free place and one behind the line: the same place along it or another, as deep or not. Raises RejectSample if there are none.

    The latter is not where an object of the same form belongs, nor the other way round.
    """
    edge = REACH + GAP

    def some() -> Point:
        return round(rng.uniform(edge, ALONG - edge), 4), round(rng.uniform(edge, DEEP - edge), 4)

    for _ in range(_TRIES):
        before, (x, y) = some(), some()
        after = before[0] if along else x, before[1] if deep else y
        moved = abs(after[0] - before[0]), abs(after[1] - before[1])
        if not (along or moved[0] >= OFF) or not (deep or moved[1] >= OFF) or not ((along and deep) or _far(before, after, AWAY)):
            continue
        alike = [pair for pair in things if pair.shape == form]
        homes = [(*(pair.before for pair in alike),), (*(pair.after for pair in alike),)]
        if not (_free(before, [pair.before for pair in things]) and _free(after, [pair.after for pair in things])):
            continue
        if (along and deep) or (_free(after, homes[0]) and _free(before, homes[1])):
            return before, after
    raise RejectSample


def _kept(rng: Rng, n: int, most: int) -> list[tuple[bool, bool]]:
    """Of each object whether it keeps its place along the line and whether its distance; `n` keep both, and never more than `most`."""
    along, deep = (most + rng.integer(0, _KEEP_MORE) for _ in range(2))
    shown = rng.integer(*_SHOWN)
    kinds = [(True, True)] * n + [(True, False)] * (along - n) + [(False, True)] * (deep - n)
    return rng.shuffled([*kinds, *[(False, False)] * (shown - len(kinds))])


def _sample(plan: SamplingContext, side: int) -> Mirror:
    rng, numbers = plan.image_rng, near(size(plan))
    kept = _kept(rng, numbers[plan.stratum], numbers[-1])
    things: list[MirroredObject] = []
    for (form, hue), (along, deep) in zip(rng.sample(list(product(FORMS, OBJECT_HUES)), len(kept)), kept, strict=True):
        things.append(MirroredObject(form, hue, *_pair(rng, things, form, along=along, deep=deep)))
    return plan.check_split(Mirror(side, tuple(rng.shuffled(things))))


def _drawn(scene: Mirror, ground: tuple[Shape, ...], *, upright: bool) -> tuple[Drawing, ...]:
    """Both pictures over a ground, with the objects beside an upright line or over and under a level one."""

    def figure_at(pair: MirroredObject, at: Point, side: int) -> Shape:
        along, across = at[0], round(DEEP + side * at[1], 4)
        return figure(pair.shape, (across, along) if upright else (along, across), RADIUS, HUES[pair.colour])

    first = tuple(figure_at(pair, pair.before, scene.side) for pair in scene.objects)
    second = tuple(figure_at(pair, pair.after, -scene.side) for pair in scene.objects)
    width, height = (2 * DEEP, ALONG) if upright else (ALONG, 2 * DEEP)
    return sheet(first, width, height, ground), sheet(second, width, height, ground)


def _draw_mirror(scene: Mirror) -> tuple[Drawing, ...]:
    glass = Line(((DEEP, 0.03), (DEEP, ALONG - 0.03)), _LINE, GLASS)
    return _drawn(scene, (glass,), upright=True)


def _draw_water(scene: Mirror) -> tuple[Drawing, ...]:
    pool = Polygon(((0.0, 0.0), (ALONG, 0.0), (ALONG, DEEP), (0.0, DEEP)), POOL)
    line = Line(((0.0, DEEP), (ALONG, DEEP)), _LINE, WATER)
    return _drawn(scene, (pool, line), upright=False)


def _count(scene: Mirror) -> Count:
    return Count(sum(pair.before == pair.after for pair in scene.objects), 1, MOST)


def _corners(shape: Shape) -> tuple[Point, ...]:
    """The corners of a polygon; of a disc the ends of its axes."""
    match shape:
        case Circle(center=(x, y), radius=r):
            return (x - r, y), (x + r, y), (x, y - r), (x, y + r)
        case Polygon(points=points):
            return points
        case _:
            raise ValueError(f"no object: {shape}")


def _reflects(a: Shape, b: Shape, line: Line) -> bool:
    """Whether `b` has the colour of `a` and its corners behind the line, to less than a pixel."""
    if not (isinstance(a, Circle) and isinstance(b, Circle)) and not (isinstance(a, Polygon) and isinstance(b, Polygon)):
        return False
    (x, y), (u, _) = line.points
    behind = [(2 * x - p, q) if x == u else (p, 2 * y - q) for p, q in _corners(a)]
    others = _corners(b)
    near = len(behind) == len(others) and all(any(not _far(p, q, 0.001) for q in others) for p in behind)
    return near and a.fill == b.fill


def _read(first: Drawing, second: Drawing) -> str:
    """How many shapes of the first picture, reflected, are shapes of the second one."""
    (line,) = [shape for shape in first.backdrop if isinstance(shape, Line) and len(shape.points) == 2]
    return str(sum(any(_reflects(a, b, line) for b in second.shapes) for a in first.shapes))


def _swap(scene: Mirror) -> tuple[Mirror, Callable[[str], str]]:
    """The way back: as many are mirrored."""
    return replace(scene, objects=tuple(replace(pair, before=pair.after, after=pair.before) for pair in scene.objects)), identity


def _flip(scene: Mirror) -> tuple[Mirror, Callable[[str], str]]:
    """The line's other end first: as many are mirrored."""

    def flipped(at: Point) -> Point:
        return round(ALONG - at[0], 4), at[1]

    return replace(
        scene, objects=tuple(replace(pair, before=flipped(pair.before), after=flipped(pair.after)) for pair in scene.objects)
    ), identity


_SHARED: dict[str, Any] = {
    "key": _count,
    "strata": numbers_near,
    "answer_type": "count",
    "shortcuts": shortcuts.MIRRORS,
    "symmetries": (_flip, _swap),
}

TASKS: tuple[Task[Any], ...] = (
    domain(
        "mirror-image",
        "Count the objects that are at their mirror-image positions.",
        lambda plan: _sample(plan, plan.image_rng.pick((-1, 1))),
        _draw_mirror,
        _read,
        shown=(
            "Both images show a vertical line, which is a mirror, and the same objects. "
            "Each object has a unique combination of shape and colour. In the second image, all objects are on the other side of the mirror."
        ),
        rules=(
            "In the second image, some objects are exactly at their mirror-image positions: "
            "at the same distance from the vertical line and at the same height as in the first image. "
            "The other objects are clearly at other positions. Count the objects that are at their mirror-image positions."
        ),
        reasoning=reasoning.mirrored(ALONG, DEEP, upright=True),
        **_SHARED,
    ),
    domain(
        "water-image",
        "Count the objects that are at the positions of their reflections.",
        lambda plan: _sample(plan, 1),
        _draw_water,
        _read,
        shown=(
            "Both images show a horizontal line, which is a water surface, and the same objects. "
            "Each object has a unique combination of shape and colour. "
            "All objects are above the water surface in the first image and below it in the second image."
        ),
        rules=(
            "In the second image, some objects are exactly at the positions of their reflections: "
            "at the same distance from the horizontal line as in the first image and directly below their first position. "
            "The other objects are clearly at other positions. Count the objects that are at the positions of their reflections."
        ),
        reasoning=reasoning.mirrored(ALONG, DEEP, upright=False),
        **_SHARED,
    ),
)
