"""Comparing Size, Sort Circles, Sort Lines, Numbered Shapes.

The rows of Comparing Size differ in scale: the smaller circle of one row is often larger than the larger circle of another row, so the
size of a single circle gives little information.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb, perm
from typing import Any

from isovist.core.answers import Answer, WordSequence, WordSubset
from isovist.core.drawing2d import Circle, Drawing, Label, Line, Shape
from isovist.core.summation import sum_in_order
from isovist.core.task import Answers, Checks, Exemption, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_sorting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import (
    GAP,
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    WIDTH,
    asking,
    by_size,
    chance_of_sequences,
    first,
    reversed_answer,
    sheet,
    size,
)
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.random_placement import Field, scatter
from isovist.world.scenes.shapes2d import REACH, Mark, kind_of, middle, mirrored, shape

SIDES = ("blue", "green")
_LEAST_RATIO, _MOST_RATIO = 1.2, 1.35  # ratio of the radii of a row: a difference of at least 1.6 pixels
_LEAST_RADIUS, _MOST_RADIUS = 0.02, 0.06  # radii of a row
_ROW = 0.14
_RUNGS = 20
_CIRCLE_RATIO = 1.08  # between neighbouring radii
_SMALLEST = 0.036
_ALL = tuple(str(number) for number in range(1, _RUNGS + 1))
_LENGTHS = tuple(round(0.15 + 0.05 * i, 4) for i in range(_RUNGS))  # 20 pixels apart
_LINE_ROW = 0.075
LINE_HUE, NUMBER_HUE = "#2962cc", "#5f6368"
_ROOM_WIDTH, ROOM_HEIGHT = 1.8, 1.4
_NUMBERED = 0.06
SIZES_EM, MIXED_EM, ROW_EM = 0.04, 0.055, 0.045
SIZES_HUES = ("blue", "green", "purple")
MIXED_HUES = (*SIZES_HUES, "red")
_DISTRACTORS = (4, 10)


def _chance_of_sets(n: int) -> float:
    """The chance of the best constant answer: every set of `n` circles among all shapes is equally likely. The text states how many there are."""
    low, high = _DISTRACTORS
    return sum_in_order(1 / comb(n + others, n) for others in range(low, high + 1)) / (high - low + 1)


def _constant_bin(answer: Answer) -> str:
    """A constant balance bin, for sets of numbers that are all equally likely given their size."""
    return answer.kind


@dataclass(frozen=True, slots=True)
class Rows:
    """Two circles per row. `pairs` holds the left and the right circle of each row."""

    pairs: tuple[tuple[Mark, Mark], ...]
    height: float


def _sample_pairs(plan: SamplingContext) -> Rows:
    n, rng = size(plan), plan.image_rng
    height = round(max(0.5, n * _ROW + 0.04), 4)
    top = height / 2 + n * _ROW / 2
    pairs: list[tuple[Mark, Mark]] = []
    for row in range(n):
        larger = SIDES[plan.stratum] if row == 0 else rng.pick(SIDES)
        ratio = rng.uniform(_LEAST_RATIO, _MOST_RATIO)
        small = round(_LEAST_RADIUS * (_MOST_RADIUS / ratio / _LEAST_RADIUS) ** rng.random(), 4)
        large = round(small * ratio, 4)
        y = round(top - (row + 0.5) * _ROW, 4)
        left = rng.pick(SIDES)
        right = SIDES[1 - SIDES.index(left)]
        places = (round(rng.uniform(0.25, 0.45), 4), round(rng.uniform(0.65, 0.85), 4))
        a, b = (Mark("circle", (x, y), large if hue == larger else small, hue) for x, hue in zip(places, (left, right), strict=True))
        pairs.append((a, b))
    return plan.check_split(Rows(tuple(pairs), height))


def _swap_colours(scene: Rows) -> tuple[Rows, Callable[[str], str]]:
    """Swap blue and green."""

    def other(hue: str) -> str:
        return SIDES[1 - SIDES.index(hue)]

    pairs = tuple((replace(a, colour=other(a.colour)), replace(b, colour=other(b.colour))) for a, b in scene.pairs)
    return Rows(pairs, scene.height), lambda answer: ", ".join(map(other, answer.split(", ")))


def _draw_pairs(scene: Rows) -> tuple[Drawing, ...]:
    numbers = [Label(str(row), (0.08, pair[0].center[1]), 0.05, NUMBER_HUE) for row, pair in enumerate(scene.pairs, 1)]
    circles = [shape(mark) for pair in scene.pairs for mark in pair]
    return (sheet((*circles, *numbers), 1.0, scene.height),)


def _key_pairs(scene: Rows) -> WordSequence:
    larger = tuple(max(pair, key=lambda mark: mark.radius).colour for pair in scene.pairs)
    return WordSequence(larger, SIDES)


def _read_pairs(picture: Drawing) -> str:
    """Compare the areas of circles at the same height."""
    rows: dict[float, list[Circle]] = {}
    for circle in picture.shapes:
        if isinstance(circle, Circle):
            rows.setdefault(circle.center[1], []).append(circle)
    colours: list[str] = []
    for y in sorted(rows, reverse=True):
        a, b = rows[y]
        colours.append(NAMES[str((a if a.radius**2 > b.radius**2 else b).fill)])
    return ", ".join(colours)


@dataclass(frozen=True, slots=True)
class Numbered:
    """Marks with one number each."""

    marks: tuple[Mark, ...]
    numbers: tuple[int, ...]


def _draw_numbered(scene: Numbered, width: float, height: float, em: float) -> tuple[Drawing, ...]:
    labels = [Label(str(number), mark.center, em, "#ffffff") for number, mark in zip(scene.numbers, scene.marks, strict=True)]
    return (sheet((*(shape(mark) for mark in scene.marks), *labels), width, height),)


def _sample_sizes(plan: SamplingContext) -> Numbered:
    n, rng = size(plan), plan.image_rng
    radii = sorted(round(_SMALLEST * _CIRCLE_RATIO**rung, 4) for rung in rng.sample(range(_RUNGS), n))
    places = scatter(rng, [Field(0, 0, WIDTH, 1.0)] * n, radii, GAP)
    marks = tuple(Mark("circle", at, r, rng.pick(SIZES_HUES)) for at, r in zip(places, radii, strict=True))
    numbers = _numbers(plan, n)
    order = rng.shuffled(range(n))  # the drawing order is independent of the answer
    return plan.check_split(Numbered(tuple(marks[i] for i in order), tuple(numbers[i] for i in order)))


def _numbers(plan: SamplingContext, n: int) -> tuple[int, ...]:
    """Sample distinct numbers. The first one is balanced over the items."""
    lead = plan.stratum + 1
    return lead, *plan.image_rng.sample([number for number in range(1, _RUNGS + 1) if number != lead], n - 1)


def _key_sizes(scene: Numbered) -> WordSequence:
    order = sorted(range(len(scene.marks)), key=lambda i: scene.marks[i].radius)
    return WordSequence(tuple(str(scene.numbers[i]) for i in order), _ALL)


def _reverse_numbers(scene: Numbered) -> tuple[Numbered, Callable[[str], str]]:
    """Reverse the numbers in the order of size: the smallest circle gets the number of the largest, and so on."""
    order = sorted(range(len(scene.marks)), key=lambda i: scene.marks[i].radius)
    numbers = dict(zip(order, [scene.numbers[i] for i in reversed(order)], strict=True))
    return replace(scene, numbers=tuple(numbers[i] for i in range(len(order)))), reversed_answer


def _marks_by_number(picture: Drawing) -> dict[str, Shape]:
    """The drawn mark at each number."""
    labels = [shape for shape in picture.shapes if isinstance(shape, Label)]
    marks = [shape for shape in picture.shapes if not isinstance(shape, Label)]
    return {label.text: next(mark for mark in marks if _is_at_centre(mark, label)) for label in labels}


def _is_at_centre(mark: Shape, label: Label) -> bool:
    x, y = middle(mark)
    return (x - label.position[0]) ** 2 + (y - label.position[1]) ** 2 < 1e-6


def _read_sizes(picture: Drawing) -> str:
    areas = {number: mark.radius**2 for number, mark in _marks_by_number(picture).items() if isinstance(mark, Circle)}
    return ", ".join(sorted(areas, key=areas.__getitem__))


@dataclass(frozen=True, slots=True)
class LineLengths:
    """One horizontal line per row: its number, the x of its left end, and its length."""

    rows: tuple[tuple[int, float, float], ...]
    height: float


def _sample_lines(plan: SamplingContext) -> LineLengths:
    n, rng = size(plan), plan.image_rng
    lengths = sorted(rng.sample(_LENGTHS, n))
    rows = [
        (number, round(rng.uniform(0.16, WIDTH - 0.04 - length), 4), length)
        for number, length in zip(_numbers(plan, n), lengths, strict=True)
    ]
    return plan.check_split(LineLengths(tuple(rng.shuffled(rows)), round(max(0.5, n * _LINE_ROW + 0.06), 4)))


def _upside_down(scene: LineLengths) -> tuple[LineLengths, Callable[[str], str]]:
    return replace(scene, rows=scene.rows[::-1]), identity


def _draw_lines(scene: LineLengths) -> tuple[Drawing, ...]:
    top = scene.height / 2 + len(scene.rows) * _LINE_ROW / 2
    shapes: list[Shape] = []
    numbers: list[Shape] = []
    for row, (number, x, length) in enumerate(scene.rows):
        y = top - (row + 0.5) * _LINE_ROW
        shapes.append(Line(((x, y), (x + length, y)), 0.012, LINE_HUE))
        numbers.append(Label(str(number), (0.07, y), ROW_EM, NUMBER_HUE))
    return (sheet((*shapes, *numbers), WIDTH, scene.height),)


def _key_lines(scene: LineLengths) -> WordSequence:
    return WordSequence(tuple(str(number) for number, _, _ in sorted(scene.rows, key=lambda row: row[2])), _ALL)


def _read_lines(picture: Drawing) -> str:
    labels = {shape.position[1]: shape.text for shape in picture.shapes if isinstance(shape, Label)}
    lines = [shape for shape in picture.shapes if isinstance(shape, Line)]
    return ", ".join(labels[line.points[0][1]] for line in sorted(lines, key=lambda line: line.points[1][0] - line.points[0][0]))


def _sample_mixed(plan: SamplingContext) -> Numbered:
    n, rng = size(plan), plan.image_rng
    others = [rng.pick(("triangle", "square")) for _ in range(rng.integer(*_DISTRACTORS))]
    kinds = rng.shuffled(["circle"] * n + others)
    room = [Field(0, 0, _ROOM_WIDTH, ROOM_HEIGHT)] * len(kinds)
    places = scatter(rng, room, [_NUMBERED * REACH[kind] for kind in kinds], GAP)
    hues = [rng.pick(MIXED_HUES) for _ in kinds]
    return plan.check_split(
        Numbered(
            tuple(Mark(kind, at, _NUMBERED, hue) for kind, at, hue in zip(kinds, places, hues, strict=True)),
            tuple(range(1, len(kinds) + 1)),
        )
    )


def _flip(scene: Numbered) -> tuple[Numbered, Callable[[str], str]]:
    return replace(scene, marks=mirrored(scene.marks, _ROOM_WIDTH)), identity


def _key_mixed(scene: Numbered) -> WordSubset:
    numbers = tuple(map(str, scene.numbers))
    on = tuple(number for number, mark in zip(numbers, scene.marks, strict=True) if mark.shape == "circle")
    return WordSubset(on, numbers)


def _read_mixed(picture: Drawing) -> str:
    marks = _marks_by_number(picture)
    return ", ".join(sorted((number for number, mark in marks.items() if kind_of(mark) == "circle"), key=int))


def _draw_mixed(scene: Numbered) -> tuple[Drawing, ...]:
    return _draw_numbered(scene, _ROOM_WIDTH, ROOM_HEIGHT, MIXED_EM)


def _draw_sizes(scene: Numbered) -> tuple[Drawing, ...]:
    return _draw_numbered(scene, WIDTH, 1.0, SIZES_EM)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/comparing-size",
        version=3,
        summary="Decide for each row whether the blue or the green circle is larger.",
        sample=_sample_pairs,
        draw=_draw_pairs,
        ask=asking(
            "The image shows numbered rows. Each row contains one blue circle and one green circle.",
            "For each row, from top to bottom, name the colour of the larger circle.",
            _key_pairs,
        ),
        rederive=lambda drawings, _: _read_pairs(*drawings),
        answers=Answers(type="sequence", strata=len(SIDES), balance=first, best_constant=chance_of_sequences(len(SIDES))),
        skills=SKILLS["comparing-size"],
        levels=SIZES,
        images=replace(SHEET, least_px=230, colour_vision="partial", raised=RAISED["comparing-size"]),  # capital letters are then 8 px high
        paper=PAPERS["comparing-size"],
        checks=Checks(
            symmetries=(_swap_colours,),
            shortcuts=shortcuts.COMPARED,
            exemptions={"pixels": Exemption("in an image with one or two rows, the colour with more ink is the answer", 1.0, {"": 0.1})},
        ),
        reasoning=reasoning.LARGER.of(_draw_pairs, _key_pairs),
    ),
    Task(
        id="perceptv/numbered-shapes",
        version=3,
        summary="List the numbers printed on circles.",
        sample=_sample_mixed,
        draw=_draw_mixed,
        ask=asking(
            "The image shows circles, triangles and squares, each with a number printed on it.",
            "List the numbers that are printed on circles.",
            _key_mixed,
        ),
        rederive=lambda drawings, _: _read_mixed(*drawings),
        answers=Answers(type="subset", strata=1, balance=_constant_bin, best_constant=by_size(_chance_of_sets)),
        skills=SKILLS["numbered-shapes"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["numbered-shapes"]),
        paper=PAPERS["numbered-shapes"],
        checks=Checks(symmetries=(_flip,)),
        reasoning=reasoning.NUMBERED.of(_draw_mixed, _key_mixed),
    ),
    Task(
        id="perceptv/sort-circles",
        version=3,
        summary="Order numbered circles by size.",
        sample=_sample_sizes,
        draw=_draw_sizes,
        ask=asking(
            "The image shows circles of different sizes, each with a number printed on it.",
            "List the numbers in order of circle size, from the smallest circle to the largest.",
            _key_sizes,
        ),
        rederive=lambda drawings, _: _read_sizes(*drawings),
        answers=Answers(type="sequence", strata=_RUNGS, balance=first, best_constant=by_size(lambda n: 1 / perm(_RUNGS, n))),
        skills=SKILLS["sort-circles"],
        levels=SIZES,
        images=replace(SHEET, least_px=280, raised=RAISED["sort-circles"]),  # capital letters are then 8 px high
        paper=PAPERS["sort-circles"],
        checks=Checks(symmetries=(_reverse_numbers,)),
        reasoning=reasoning.SORTED_CIRCLES.of(_draw_sizes, _key_sizes),
    ),
    Task(
        id="perceptv/sort-lines",
        version=3,
        summary="Order numbered lines by length.",
        sample=_sample_lines,
        draw=_draw_lines,
        ask=asking(
            "The image shows horizontal lines of different lengths. The number of each line is printed at the left of its row.",
            "List the numbers in order of line length, from the shortest line to the longest.",
            _key_lines,
        ),
        rederive=lambda drawings, _: _read_lines(*drawings),
        answers=Answers(type="sequence", strata=_RUNGS, balance=first, best_constant=by_size(lambda n: 1 / perm(_RUNGS, n))),
        skills=SKILLS["sort-lines"],
        levels=SIZES,
        images=replace(SHEET, least_px=250, raised=RAISED["sort-lines"]),  # capital letters are then 8 px high
        paper=PAPERS["sort-lines"],
        checks=Checks(symmetries=(_upside_down,)),
        reasoning=reasoning.sorted_lines(WIDTH).of(_draw_lines, _key_lines),
    ),
)
