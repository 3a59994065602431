"""Circle Location and Circle Boxes.

In the authors' release several quadrants may share the largest count. Here one quadrant has more circles than every other, by one or two.
Each quadrant has its own mean circle size and its own region, and the centre of mass of all circles is in a random quadrant independently
of the answer, so neither ink nor positions give the counts. An odd number of circles cannot be divided equally, so Circle Boxes then
accepts counts that differ by one. With one circle no move is needed, so the sizes of Circle Boxes begin at two circles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import hypot
from typing import Any

from isovist.core.answers import Choice, Count
from isovist.core.drawing2d import Circle, Drawing, Line, Point
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import Checks, Exemption, Preset, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_counting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import (
    COUNTING,
    GAP,
    HEIGHT,
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    WIDTH,
    Marks,
    asking,
    equally_likely,
    place_marks,
    radii_by_number,
    sheet,
    size,
)
from isovist.world.scenes.random_placement import Field
from isovist.world.scenes.shapes2d import Mark, mirrored, shape

QUADRANTS = ("upper left", "upper right", "lower left", "lower right")
HUES = ("red", "green", "blue", "orange", "purple")
RULE = "#1a1a1a"
_THIN = 0.006
_RADII, _BOX_RADII = (0.018, 0.06), (0.02, 0.07)
_LEAST = 3  # largest difference to the quadrant with the fewest circles
_PART, _ROOMY = (0.6, 0.42), 7  # region of a quadrant for its circles, and its capacity
_SCALES = (0.5, 1.0)
_LEAD = 2  # largest lead of the quadrant with the most circles
_FEWEST_BALANCED = 3  # circles from which on the centre of mass is independent of the answer
_AIM_OFFSETS, _CLOSE = (0.005, 0.18), 0.015  # offset of the centre of mass from the image centre, and its tolerance
_TRIES, _MOVES = 60, 400
_X, _Y = WIDTH / 2, HEIGHT / 2
_FIELDS = (Field(0, _Y, _X, HEIGHT), Field(_X, _Y, WIDTH, HEIGHT), Field(0, 0, _X, _Y), Field(_X, 0, WIDTH, _Y))


@cache
def _counts_by_rank(n: int) -> tuple[tuple[int, ...], ...]:
    """The possible counts per quadrant if the first has the most: the others are close to it, and none is empty from five circles on."""

    def fits(most: int, *others: int) -> bool:
        fewest = max(1, most - _LEAST) if n > len(QUADRANTS) else 0
        return most - _LEAD <= max(others) < most and min(others) >= fewest

    splits = ((most, b, c, n - most - b - c) for most, b, c in product(range(1, n + 1), range(n), range(n)))
    return tuple(split for split in splits if fits(*split) and min(split) >= 0)


def _part(rng: Rng, field: Field, count: int) -> Field:
    """A random region of a quadrant with room for `count` circles."""
    scale = max((count / _ROOMY) ** 0.5 * _SCALES[0], rng.uniform(*_SCALES))
    width, height = scale * _PART[0], scale * _PART[1]
    left = rng.uniform(field.left, field.right - width)
    bottom = rng.uniform(field.bottom, field.top - height)
    return Field(left, bottom, left + width, bottom + height)


def _rooms(group: Sequence[Mark], field: Field) -> tuple[tuple[float, float], tuple[float, float]]:
    """The possible shifts of a quadrant's circles as a group, along x and along y."""
    edges = ((field.left, field.right), (field.bottom, field.top))
    reach = [[(mark.center[axis] - mark.radius - GAP, mark.center[axis] + mark.radius + GAP) for mark in group] for axis in (0, 1)]
    x, y = ((low - min(a for a, _ in spans), high - max(b for _, b in spans)) for (low, high), spans in zip(edges, reach, strict=True))
    return x, y


def _with_centre_of_mass(rng: Rng, groups: Sequence[Sequence[Mark]], aim: Point) -> list[Mark] | None:
    """Shift the circles of each quadrant as a group until their centre of mass is at `aim`; None if this fails."""
    n = sum(map(len, groups))
    rooms = [_rooms(group, field) if group else None for group, field in zip(groups, _FIELDS, strict=True)]
    x, y = (sum_in_order(mark.center[axis] for group in groups for mark in group) / n - aim[axis] for axis in (0, 1))  # offset from the aim
    for axis, offset in enumerate((x, y)):
        least, most = (
            sum_in_order(room[axis][end] * len(group) / n for room, group in zip(rooms, groups, strict=True) if room) for end in (0, 1)
        )
        if not least <= -offset <= most:
            return None
    moved = [(0.0, 0.0) for _ in groups]
    for _ in range(_MOVES):
        if hypot(x, y) < _CLOSE:
            return [
                replace(mark, center=(round(mark.center[0] + right, 4), round(mark.center[1] + up, 4)))
                for group, (right, up) in zip(groups, moved, strict=True)
                for mark in group
            ]
        i = rng.integer(0, len(groups) - 1)
        room, share = rooms[i], len(groups[i]) / n
        if room is None:
            continue
        right, up = (rng.uniform(*bounds) for bounds in room)
        new = x + share * (right - moved[i][0]), y + share * (up - moved[i][1])
        if hypot(*new) < hypot(x, y):
            (x, y), moved[i] = new, (right, up)
    return None


def _sample_quadrants(plan: SamplingContext) -> Marks:
    """Sample circles whose centre of mass is in a quadrant, and at a distance from the centre, that are independent of the answer.

    The distance varies widely: with the centre of mass close to the centre, fuller quadrants would have their circles near the axes.
    """
    n, rng, centre_quadrant = size(plan), plan.image_rng, plan.image_stratum("lure", len(QUADRANTS))
    aim = tuple(
        middle + side * rng.uniform(*_AIM_OFFSETS)
        for middle, side in ((_X, 2 * (centre_quadrant % 2) - 1), (_Y, 1 - 2 * (centre_quadrant // 2)))
    )
    for _ in range(_TRIES):
        counts = list(rng.pick(_counts_by_rank(n)))
        counts.insert(plan.stratum, counts.pop(0))
        owners = [i for i, count in enumerate(counts) for _ in range(count)]
        parts = [_part(rng, field, count) for field, count in zip(_FIELDS, counts, strict=True)]
        hues = [rng.pick(HUES) for _ in owners]
        try:
            marks = place_marks(
                plan, ["circle"] * n, hues, radii_by_number(rng, owners, *_RADII, n / len(QUADRANTS)), [parts[i] for i in owners]
            )
        except RejectSample:
            continue
        groups = [[mark for mark, i in zip(marks, owners, strict=True) if i == k] for k in range(len(QUADRANTS))]
        moved = _with_centre_of_mass(rng, groups, (aim[0], aim[1])) if n >= _FEWEST_BALANCED else list(marks)
        if moved:
            return plan.check_split(Marks(tuple(rng.shuffled(moved))))
    raise RejectSample


def _draw_quadrants(scene: Marks) -> tuple[Drawing, ...]:
    axes = (Line(((0.02, _Y), (WIDTH - 0.02, _Y)), _THIN, RULE), Line(((_X, 0.02), (_X, HEIGHT - 0.02)), _THIN, RULE))
    return (sheet((*axes, *(shape(mark) for mark in scene.marks))),)


def _key_quadrants(scene: Marks) -> Choice:
    counts = Counter((y < _Y) * 2 + (x > _X) for x, y in (mark.center for mark in scene.marks))
    return Choice(QUADRANTS, counts.most_common(1)[0][0])


def _read_quadrants(picture: Drawing) -> str:
    lines = [shape for shape in picture.shapes if isinstance(shape, Line)]
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    (y,) = {line.points[0][1] for line in lines if line.points[0][1] == line.points[1][1]}
    (x,) = {line.points[0][0] for line in lines if line.points[0][0] == line.points[1][0]}
    names = [f"{'upper' if circle.center[1] > y else 'lower'} {'right' if circle.center[0] > x else 'left'}" for circle in discs]
    return max(QUADRANTS, key=names.count)


_OTHER_SIDE = {"left": "right", "right": "left"}


def _flip_quadrants(scene: Marks) -> tuple[Marks, Callable[[str], str]]:
    return Marks(mirrored(scene.marks, WIDTH)), lambda answer: " ".join(_OTHER_SIDE.get(word, word) for word in answer.split())


@dataclass(frozen=True, slots=True)
class Boxes:
    """Circles on both sides of a vertical line."""

    line: float
    marks: tuple[Mark, ...]


def _sample_boxes(plan: SamplingContext) -> Boxes:
    n, moves = size(plan), plan.stratum
    fewer = (n - 2 * moves - n % 2) // 2
    left = fewer if plan.image_stratum("side", 2) else n - fewer
    x = round(plan.image_rng.uniform(0.7, 0.8), 4)
    fields = [Field(0, 0, x, HEIGHT)] * left + [Field(x, 0, WIDTH, HEIGHT)] * (n - left)
    hues = [plan.image_rng.pick(HUES) for _ in range(n)]
    radii = radii_by_number(plan.image_rng, [i < left for i in range(n)], *_BOX_RADII, n / 2)
    return plan.check_split(Boxes(x, place_marks(plan, ["circle"] * n, hues, radii, fields)))


def _draw_boxes(scene: Boxes) -> tuple[Drawing, ...]:
    line = Line(((scene.line, 0.02), (scene.line, HEIGHT - 0.02)), _THIN, RULE)
    return (sheet((line, *(shape(mark) for mark in scene.marks))),)


def _key_boxes(scene: Boxes) -> Count:
    left = sum(mark.center[0] < scene.line for mark in scene.marks)
    return Count(abs(2 * left - len(scene.marks)) // 2, 0, len(scene.marks) // 2)


def _read_boxes(picture: Drawing) -> str:
    """Move circles one by one."""
    (line,) = [shape for shape in picture.shapes if isinstance(shape, Line)]
    sides = [shape.center[0] < line.points[0][0] for shape in picture.shapes if isinstance(shape, Circle)]
    a, b = sorted((sides.count(True), sides.count(False)))
    moves = 0
    while b - a > 1:
        a, b, moves = a + 1, b - 1, moves + 1
    return str(moves)


def _flip_boxes(scene: Boxes) -> tuple[Boxes, Callable[[str], str]]:
    return Boxes(round(WIDTH - scene.line, 4), mirrored(scene.marks, WIDTH)), identity


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/circle-location",
        version=4,
        summary="Find the quadrant with the most circles.",
        sample=_sample_quadrants,
        draw=_draw_quadrants,
        ask=asking(
            "Two black axes divide the image into four quadrants. One or more quadrants contain coloured circles.",
            "Which quadrant contains the most circles?",
            _key_quadrants,
        ),
        rederive=lambda drawings, _: _read_quadrants(*drawings),
        answers=equally_likely("choice", len(QUADRANTS)),
        skills=SKILLS["circle-location"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["circle-location"]),
        paper=PAPERS["circle-location"],
        checks=Checks(
            symmetries=(_flip_quadrants,),
            shortcuts=shortcuts.QUADRANTS,
            exemptions={
                "place": Exemption("a circle lies more often in the quadrant with the most circles than in another", 0.34),
                "coarse image features (learned)": Exemption(
                    "the amount of ink in a quadrant correlates with its number of circles, which is the question", 0.9, {"": 0.55}
                ),
            },
        ),
        reasoning=reasoning.quadrants(_X, _Y).of(_draw_quadrants, _key_quadrants),
    ),
    Task(
        id="perceptv/circle-boxes",
        version=4,
        summary="Find the minimum number of circles to move so that two boxes hold equal numbers.",
        sample=_sample_boxes,
        draw=_draw_boxes,
        ask=asking(
            "A vertical line divides the image into two boxes. One or both boxes contain coloured circles.",
            (
                "Find the minimum number of circles that must move to the other box so that both boxes contain the same number. "
                "If the total number of circles is odd, the two numbers may differ by one."
            ),
            _key_boxes,
        ),
        rederive=lambda drawings, _: _read_boxes(*drawings),
        answers=equally_likely("count", lambda n: n // 2 + 1, SIZES[1:]),
        skills=SKILLS["circle-boxes"],
        levels=SIZES[1:],
        images=replace(SHEET, raised=RAISED["circle-boxes"]),
        paper=replace(
            PAPERS["circle-boxes"],
            sizes={"test": Preset(190, note="without size 1, which has only one possible answer")},
        ),
        checks=Checks(
            symmetries=(_flip_boxes,),
            shortcuts=shortcuts.BOXES,
            exemptions={
                name: Exemption(f"few circles need few moves: {COUNTING}", 0.75, {"": bound})
                for name, bound in (("pixels", 0.45), ("size", 0.3))
            },
        ),
        reasoning=reasoning.BOXES.of(_draw_boxes, _key_boxes),
    ),
)
