"""Chains of thought that compare and sort: sizes are told one by one, then compared, or put into a growing order step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from isovist.core.drawing2d import Circle, Drawing, Label, Line, Shape
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.palette import NAMES
from isovist.scenes.shapes2d import KINDS, Mark, kind_of, middle
from isovist.suites.perceptv.cot import NUMBERS, Reasoning, holds, listed, order, rounded

_SIDES = ("blue", "green")
_PARTS = 1000  # sizes are told in thousandths: neighbours in an order differ by less than a hundredth
_TENS = 10  # so many numbers are looked at together

ACROSS = StepTemplate(
    "across",
    (
        "I measure across each circle, in thousandths of the width of the picture.",
        "widths of circles are given in thousandths of the width of the picture.",
        "how wide is each circle, in thousandths of the width of the picture?",
    ),
)
ROW = StepTemplate(
    "row",
    (
        "row {row}: blue {blue}, green {green}, so {larger} is larger.",
        "in row {row}, blue {blue} against green {green}: {larger}.",
        "row {row} has blue {blue}, green {green}; larger is {larger}.",
    ),
    {"row": NUMBER, "blue": NUMBER, "green": NUMBER, "larger": one_of(_SIDES)},
)
_MEASURED = rf"{NUMBER} is {NUMBER}"
CIRCLES = StepTemplate(
    "circles",
    (
        "across each circle, in thousandths of the height of the picture, taken from left to right: {sizes}.",
        "from left to right, how wide the circles are in thousandths of the height of the picture: {sizes}.",
        "widths of the circles from left to right, in thousandths of the height of the picture: {sizes}.",
    ),
    {"sizes": f"{_MEASURED}(?:, {_MEASURED})*"},
)
LINES = StepTemplate(
    "lines",
    (
        "lengths of the lines from top to bottom, in thousandths of the width of the picture: {sizes}.",
        "row by row from the top, how long the lines are in thousandths of the width of the picture: {sizes}.",
        "from top to bottom, in thousandths of the width of the picture: {sizes}.",
    ),
    {"sizes": f"{_MEASURED}(?:, {_MEASURED})*"},
)
START = StepTemplate(
    "start",
    (
        "the order grows from small to large; I begin it with {number}.",
        "now I sort them, the smallest first, one after the other. {number} stands alone.",
        "from small to large, taking one at a time: first I put down {number}.",
    ),
    {"number": NUMBER},
)
PUT = StepTemplate(
    "put",
    ("{number} goes {where}.", "{number} belongs {where}.", "{number} comes {where}."),
    {"number": NUMBER, "where": rf"before {NUMBER}|after {NUMBER}|between {NUMBER} and {NUMBER}"},
)
_NAMED = rf"{NUMBER} (?:{one_of(KINDS)})"
TEN = StepTemplate(
    "ten",
    (
        "numbers {low} to {high}: {kinds}. On circles: {found}.",
        "from {low} to {high} I find {kinds}; of these on circles: {found}.",
        "{low} to {high}: {kinds}; the circles among them have {found}.",
    ),
    {"low": NUMBER, "high": NUMBER, "kinds": f"{_NAMED}(?:, {_NAMED})*", "found": NUMBERS},
)


# ---- the larger of two, row by row ---------------------------------------------------------------------------------


class _Pairs(Protocol):
    @property
    def pairs(self) -> tuple[tuple[Mark, Mark], ...]: ...


def _write_rows(scene: _Pairs, way: int) -> list[str]:
    lines = [ACROSS.render(way)]
    for row, pair in enumerate(scene.pairs, 1):
        widths = {mark.hue: rounded(2 * _PARTS * mark.radius) for mark in pair}
        larger = max(pair, key=lambda mark: mark.radius).hue
        lines.append(ROW.render(way >> 3, row=row, larger=larger, **widths))
    return lines


def _check_rows(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """By the numbers beside the rows, and the disc that covers more."""
    (picture,) = pictures
    numbers = {shape.text: shape.at[1] for shape in picture.shapes if isinstance(shape, Label)}
    if faults := order(steps, ["across", *["row"] * len(numbers)]):
        return faults
    faults: list[str] = []
    for i, step in enumerate(steps[1:], 1):
        discs = {
            NAMES[shape.fill or ""]: shape
            for shape in picture.shapes
            if isinstance(shape, Circle) and abs(shape.center[1] - numbers[str(i)]) < 1e-6
        }
        widths = {hue: rounded(_PARTS * (disc.radius + disc.radius) / picture.width) for hue, disc in discs.items()}
        covering = {disc.radius**2: hue for hue, disc in discs.items()}
        faults += holds(step, step.number("row") == i and all(step.number(hue) == widths[hue] for hue in _SIDES))
        faults += holds(step, step["larger"] == covering[max(covering)])
    return faults


LARGER = Reasoning((ACROSS, ROW), _write_rows, _check_rows)


# ---- an order that grows -------------------------------------------------------------------------------------------


def _grown(sizes: Sequence[tuple[int, float]], way: int) -> list[str]:
    """One number after the other, in the order given, put where it belongs by its size."""
    (first, _), *_ = sizes
    lines = [START.render(way, number=first)]
    row = [sizes[0]]
    for number, size in sizes[1:]:
        at = sum(other < size for _, other in row)
        before, after = (row[at - 1][0] if at else None), (row[at][0] if at < len(row) else None)
        where = f"after {before}" if after is None else f"before {after}" if before is None else f"between {before} and {after}"
        lines.append(PUT.render(way >> 3, number=number, where=where))
        row.insert(at, (number, size))
    return lines


_SIZE = re.compile(rf"({NUMBER}) is ({NUMBER})")


def _grown_holds(steps: Sequence[Step], drawn: Sequence[tuple[str, float]], unit: float) -> list[str]:
    """Faults of the steps that measure and sort, against the sizes of what is drawn, in the order due."""
    measured, start, *put = steps
    stated_sizes = _SIZE.findall(measured["sizes"])
    faults = holds(measured, [number for number, _ in stated_sizes] == [number for number, _ in drawn])
    faults += holds(measured, [int(size) for _, size in stated_sizes] == [rounded(_PARTS * size / unit) for _, size in drawn])
    sizes = dict(drawn)
    if start["number"] != drawn[0][0]:
        return [*faults, *holds(start, right=False)]
    row = [start["number"]]
    for step, (due, size) in zip(put, drawn[1:], strict=True):
        number, where = step["number"], step["where"]
        beside = re.findall(NUMBER, where)
        if number != due or any(neighbour not in row for neighbour in beside):
            return [*faults, *holds(step, right=False)]
        at = row.index(beside[0]) + (not where.startswith("before"))
        around = row[max(0, at - 1) : at] + row[at : at + 1]
        fits = all(sizes[other] < size for other in row[:at]) and all(sizes[other] > size for other in row[at:])
        faults += holds(step, around == beside and fits)
        row.insert(at, number)
    return faults


class _Numbered(Protocol):
    @property
    def marks(self) -> tuple[Mark, ...]: ...
    @property
    def numbers(self) -> tuple[int, ...]: ...


def _write_circles(scene: _Numbered, way: int) -> list[str]:
    across = sorted((mark.at, number, 2 * mark.radius) for mark, number in zip(scene.marks, scene.numbers, strict=True))
    sizes = [(number, width) for _, number, width in across]
    sentence = listed(f"{number} is {rounded(_PARTS * width)}" for number, width in sizes)
    return [CIRCLES.render(way, sizes=sentence), *_grown(sizes, way >> 3)]


def _check_circles(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    (picture,) = pictures
    under = sorted(_under(picture), key=lambda entry: middle(entry[1]))
    if faults := order(steps, ["circles", "start", *["put"] * (len(under) - 1)]):
        return faults
    drawn = [(number, shape.radius + shape.radius) for number, shape in under if isinstance(shape, Circle)]
    return _grown_holds(steps, drawn, picture.height)


def _under(picture: Drawing) -> list[tuple[str, Shape]]:
    """The mark under each number: the one whose middle is nearest."""
    marks = [shape for shape in picture.shapes if not isinstance(shape, Label)]
    labels = [shape for shape in picture.shapes if isinstance(shape, Label)]

    def near(label: Label) -> Callable[[Shape], float]:
        return lambda shape: (middle(shape)[0] - label.at[0]) ** 2 + (middle(shape)[1] - label.at[1]) ** 2

    return [(label.text, min(marks, key=near(label))) for label in labels]


SORTED_CIRCLES = Reasoning((CIRCLES, START, PUT), _write_circles, _check_circles)


class _Lines(Protocol):
    @property
    def rows(self) -> tuple[tuple[int, float, float], ...]: ...


def sorted_lines(width: float) -> Reasoning:
    """Lines on a sheet so wide."""

    def write(scene: _Lines, way: int) -> list[str]:
        sizes = [(number, length) for number, _, length in scene.rows]
        sentence = listed(f"{number} is {rounded(_PARTS * length / width)}" for number, length in sizes)
        return [LINES.render(way, sizes=sentence), *_grown(sizes, way >> 3)]

    return Reasoning((LINES, START, PUT), write, _check_lines)


def _check_lines(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """By the ends of the lines at the heights of the numbers."""
    (picture,) = pictures
    labels = sorted((shape for shape in picture.shapes if isinstance(shape, Label)), key=lambda shape: -shape.at[1])
    if faults := order(steps, ["lines", "start", *["put"] * (len(labels) - 1)]):
        return faults
    ends = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    drawn = [(label.text, next(b[0] - a[0] for a, b in ends if abs(a[1] - label.at[1]) < 1e-6)) for label in labels]
    return _grown_holds(steps, drawn, picture.width)


# ---- numbers in order, and what they stand on ----------------------------------------------------------------------


def _write_numbered(scene: _Numbered, way: int) -> list[str]:
    lines: list[str] = []
    on = sorted((number, mark.kind) for mark, number in zip(scene.marks, scene.numbers, strict=True))
    for some in (on[i : i + _TENS] for i in range(0, len(on), _TENS)):
        kinds = listed(f"{number} {kind}" for number, kind in some)
        circles = listed(number for number, kind in some if kind == KINDS[0])
        lines.append(TEN.render(way, low=some[0][0], high=some[-1][0], kinds=kinds, found=circles))
    return lines


def _check_numbered(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    kinds = {int(number): kind_of(shape) for number, shape in _under(pictures[0])}
    numbers = sorted(kinds)
    if faults := order(steps, ["ten"] * -(-len(numbers) // _TENS)):
        return faults
    faults: list[str] = []
    for i, step in enumerate(steps):
        due = numbers[i * _TENS : (i + 1) * _TENS]
        stated_kinds = [(int(number), kind) for number, kind in (part.split() for part in step["kinds"].split(", "))]
        circles = [] if step["found"] == "none" else list(map(int, step["found"].split(", ")))
        faults += holds(
            step, [step.number("low"), step.number("high")] == [due[0], due[-1]] and stated_kinds == [(n, kinds[n]) for n in due]
        )
        faults += holds(step, circles == [n for n in due if kinds[n] == "circle"])
    return faults


NUMBERED = Reasoning((TEN,), _write_numbered, _check_numbered)
