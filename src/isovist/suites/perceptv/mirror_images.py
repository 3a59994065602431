"""Mirror Image and Water Image: count the objects at their mirror positions.

In the authors' release the objects that are not mirrored stay on their side of the line, so a count of the other side gives the answer, and
shapes are about six pixels wide. Here 28 to 30 objects cross the line at every size. Objects that are not mirrored are at least `AWAY` from
their mirror positions. They may be at the mirror position of an object of another shape, but not of the same shape, because then only
colour would show that they are not mirrored. The number of mirrored objects differs from the size by at most two, uniformly, so the size is
not the answer.

An object may keep its position along the line and change its distance, keep its distance and change its position along the line, or change
both. The numbers of objects that keep either coordinate are sampled before the number that keeps both and independently of it, so one
coordinate alone gives no information about the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from isovist.core.answers import Count
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.task import Checks, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_image_pairs as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.matching import figure
from isovist.suites.perceptv.shared_parts import (
    GAP,
    MOST,
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    asking,
    counts_at_size,
    equally_likely,
    n_counts_at_size,
    sheet,
    size,
)
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.random_placement import before_rounding, is_free

ALONG, DEEP = 1.5, 0.8  # the line's length, and the depth of each side
RADIUS = 0.041
REACH = 0.05  # the corners of a square reach farthest
_APART = 2 * REACH + GAP
AWAY = 0.2  # an object that is not mirrored is at least 80 pixels from its mirror position
OFF = 0.1  # a coordinate that differs does so by at least 40 pixels
FORMS = ("circle", "square", "diamond", "cross")
"""Each is symmetric, horizontally and vertically."""
OBJECT_HUES = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black")
GLASS, WATER, POOL = "#5c6b7a", "#4d8fd1", "#eaf3fb"
_LINE = 0.012
_SHOWN = (28, 30)  # number of objects, independent of the number of mirrored ones
_KEEP_MORE = 1  # extra objects that may keep one coordinate, beyond the largest number of mirrored ones
_TRIES = 1500


@dataclass(frozen=True, slots=True)
class MirroredObject:
    """An object. Positions are (along the line, distance from it); equal positions before and after mean a mirrored object."""

    shape: str
    colour: str
    before: Point
    after: Point


@dataclass(frozen=True, slots=True)
class Mirror:
    """The objects, and their side of the line in the first image: 1 is right or above, -1 is left or below."""

    side: int
    objects: tuple[MirroredObject, ...]


def _is_apart(a: Point, b: Point, least: float) -> bool:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 >= least**2


def _pair(rng: Rng, objects: Sequence[MirroredObject], form: str, *, along: bool, deep: bool) -> tuple[Point, Point]:
    """Sample free positions before and after, with equal or different coordinates. Raises RejectSample if there are none.

    Unless both coordinates are equal, neither position is the mirror position of an object of the same shape.
    """
    edge = REACH + GAP

    def random_point() -> Point:
        return rng.uniform(edge, ALONG - edge), rng.uniform(edge, DEEP - edge)

    all_before, all_after = [(*pair.before, _APART) for pair in objects], [(*pair.after, _APART) for pair in objects]
    same_form = [pair for pair in objects if pair.shape == form]
    same_before, same_after = [(*pair.before, _APART) for pair in same_form], [(*pair.after, _APART) for pair in same_form]
    nearly = before_rounding(all_before)
    for _ in range(_TRIES):
        unrounded, (x, y) = random_point(), random_point()
        if not is_free(unrounded, nearly):
            continue
        before = round(unrounded[0], 4), round(unrounded[1], 4)
        after = before[0] if along else round(x, 4), before[1] if deep else round(y, 4)
        moved = abs(after[0] - before[0]), abs(after[1] - before[1])
        if not (along or moved[0] >= OFF) or not (deep or moved[1] >= OFF) or not ((along and deep) or _is_apart(before, after, AWAY)):
            continue
        if not (is_free(before, all_before) and is_free(after, all_after)):
            continue
        if (along and deep) or (is_free(after, same_before) and is_free(before, same_after)):
            return before, after
    raise RejectSample


def _sample_kept(rng: Rng, n: int, most: int) -> list[tuple[bool, bool]]:
    """For each object, whether it keeps its position along the line and its distance; `n` keep both. The totals depend only on `most`."""
    along, deep = (most + rng.integer(0, _KEEP_MORE) for _ in range(2))
    shown = rng.integer(*_SHOWN)
    kinds = [(True, True)] * n + [(True, False)] * (along - n) + [(False, True)] * (deep - n)
    return rng.shuffled([*kinds, *[(False, False)] * (shown - len(kinds))])


def _sample(plan: SamplingContext, side: int) -> Mirror:
    rng, numbers = plan.image_rng, counts_at_size(size(plan))
    kept_coordinates = _sample_kept(rng, numbers[plan.stratum], numbers[-1])
    objects: list[MirroredObject] = []
    for (form, hue), (along, deep) in zip(
        rng.sample(list(product(FORMS, OBJECT_HUES)), len(kept_coordinates)), kept_coordinates, strict=True
    ):
        objects.append(MirroredObject(form, hue, *_pair(rng, objects, form, along=along, deep=deep)))
    return plan.check_split(Mirror(side, tuple(rng.shuffled(objects))))


def _draw_pair(scene: Mirror, ground: tuple[Shape, ...], *, upright: bool) -> tuple[Drawing, ...]:
    """Draw both images over a background, with the objects beside a vertical line or above and below a horizontal one."""

    def figure_at(pair: MirroredObject, at: Point, side: int) -> Shape:
        along, across = at[0], round(DEEP + side * at[1], 4)
        return figure(pair.shape, (across, along) if upright else (along, across), RADIUS, HUES[pair.colour])

    first = tuple(figure_at(pair, pair.before, scene.side) for pair in scene.objects)
    second = tuple(figure_at(pair, pair.after, -scene.side) for pair in scene.objects)
    width, height = (2 * DEEP, ALONG) if upright else (ALONG, 2 * DEEP)
    return sheet(first, width, height, ground), sheet(second, width, height, ground)


def _draw_mirror(scene: Mirror) -> tuple[Drawing, ...]:
    glass = Line(((DEEP, 0.03), (DEEP, ALONG - 0.03)), _LINE, GLASS)
    return _draw_pair(scene, (glass,), upright=True)


def _draw_water(scene: Mirror) -> tuple[Drawing, ...]:
    pool = Polygon(((0.0, 0.0), (ALONG, 0.0), (ALONG, DEEP), (0.0, DEEP)), POOL)
    line = Line(((0.0, DEEP), (ALONG, DEEP)), _LINE, WATER)
    return _draw_pair(scene, (pool, line), upright=False)


def _count(scene: Mirror) -> Count:
    return Count(sum(pair.before == pair.after for pair in scene.objects), 1, MOST)


def _corners(shape: Shape) -> tuple[Point, ...]:
    """The corners of a polygon, or the ends of the axes of a circle."""
    match shape:
        case Circle(center=(x, y), radius=r):
            return (x - r, y), (x + r, y), (x, y - r), (x, y + r)
        case Polygon(points=points):
            return points
        case _:
            raise ValueError(f"no object: {shape}")


def _reflects(a: Shape, b: Shape, line: Line) -> bool:
    """Whether `b` has the colour of `a` and is its reflection in the line, to less than a pixel."""
    if not (isinstance(a, Circle) and isinstance(b, Circle)) and not (isinstance(a, Polygon) and isinstance(b, Polygon)):
        return False
    (x, y), (u, _) = line.points
    behind = [(2 * x - p, q) if x == u else (p, 2 * y - q) for p, q in _corners(a)]
    others = _corners(b)
    counts_at_size = len(behind) == len(others) and all(any(not _is_apart(p, q, 0.001) for q in others) for p in behind)
    return counts_at_size and a.fill == b.fill


def _read(first: Drawing, second: Drawing) -> str:
    """The number of shapes of the first image whose reflections are shapes of the second image."""
    (line,) = [shape for shape in first.backdrop if isinstance(shape, Line) and len(shape.points) == 2]
    return str(sum(any(_reflects(a, b, line) for b in second.shapes) for a in first.shapes))


def _swap(scene: Mirror) -> tuple[Mirror, Callable[[str], str]]:
    """Swap the two images. The number of mirrored objects does not change."""
    return replace(scene, objects=tuple(replace(pair, before=pair.after, after=pair.before) for pair in scene.objects)), identity


def _flip(scene: Mirror) -> tuple[Mirror, Callable[[str], str]]:
    """Reverse the direction along the line. The number of mirrored objects does not change."""

    def flipped(at: Point) -> Point:
        return round(ALONG - at[0], 4), at[1]

    return replace(
        scene, objects=tuple(replace(pair, before=flipped(pair.before), after=flipped(pair.after)) for pair in scene.objects)
    ), identity


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/mirror-image",
        version=3,
        summary="Count the objects that are at their mirror-image positions.",
        sample=lambda plan: _sample(plan, plan.image_rng.pick((-1, 1))),
        draw=_draw_mirror,
        ask=asking(
            (
                "Both images show a vertical line, which is a mirror, and the same objects. "
                "Each object has a unique combination of shape and colour. In the second image, all objects are on the other side of the mirror."
            ),
            (
                "In the second image, some objects are exactly at their mirror-image positions: "
                "at the same distance from the vertical line and at the same height as in the first image. "
                "The other objects are clearly at other positions. Count the objects that are at their mirror-image positions."
            ),
            _count,
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=equally_likely("count", n_counts_at_size),
        skills=SKILLS["mirror-image"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["mirror-image"],
        checks=Checks(symmetries=(_flip, _swap), shortcuts=shortcuts.MIRRORS),
        reasoning=reasoning.mirrored(ALONG, DEEP, upright=True).of(_draw_mirror, _count),
    ),
    Task(
        id="perceptv/water-image",
        version=3,
        summary="Count the objects that are at the positions of their reflections.",
        sample=lambda plan: _sample(plan, 1),
        draw=_draw_water,
        ask=asking(
            (
                "Both images show a horizontal line, which is a water surface, and the same objects. "
                "Each object has a unique combination of shape and colour. "
                "All objects are above the water surface in the first image and below it in the second image."
            ),
            (
                "In the second image, some objects are exactly at the positions of their reflections: "
                "at the same distance from the horizontal line as in the first image and directly below their first position. "
                "The other objects are clearly at other positions. Count the objects that are at the positions of their reflections."
            ),
            _count,
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=equally_likely("count", n_counts_at_size),
        skills=SKILLS["water-image"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["water-image"],
        checks=Checks(symmetries=(_flip, _swap), shortcuts=shortcuts.MIRRORS),
        reasoning=reasoning.mirrored(ALONG, DEEP, upright=False).of(_draw_water, _count),
    ),
)
