"""Chains of thought that compare and sort: sizes are listed one by one, then compared, or inserted into an ascending order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.core.drawing2d import Circle, Drawing, Label, Line, Shape
from isovist.core.reasoning.templates import NUMBER, Step, StepTemplate, list_of, listed
from isovist.suites.perceptv.cot import FactChains, rounded, stated
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.shapes2d import KINDS, kind_of, middle

_SIDES = ("blue", "green")
_PARTS = 1000  # sizes are given in thousandths: neighbours in an order differ by less than a hundredth
_TENS = 10  # numbers per line
_MEASURED = list_of(f"{NUMBER} is {NUMBER}")

ACROSS = StepTemplate(
    "I measure the width of each circle, in thousandths of the image width.",
    "circle widths are given in thousandths of the image width.",
    "how wide is each circle, in thousandths of the image width?",
)
ROW = StepTemplate(
    "row {row}: blue {blue}, green {green}, so {larger} is larger.",
    "in row {row}, blue {blue}, green {green}: {larger} is larger.",
    "row {row} has blue {blue}, green {green}; larger: {larger}.",
    larger="blue|green",
)
CIRCLES = StepTemplate(
    "diameter of each circle, in thousandths of the image height, from left to right: {sizes}.",
    "from left to right, the circle widths in thousandths of the image height: {sizes}.",
    "widths of the circles from left to right, in thousandths of the image height: {sizes}.",
    sizes=_MEASURED,
)
LINES = StepTemplate(
    "lengths of the lines from top to bottom, in thousandths of the image width: {sizes}.",
    "row by row from the top, the line lengths in thousandths of the image width: {sizes}.",
    "from top to bottom, in thousandths of the image width: {sizes}.",
    sizes=_MEASURED,
)
START = StepTemplate(
    "I sort them in ascending order and begin with {number}.",
    "now I sort them, the smallest first, one after the other. The first one that I place is {number}.",
    "from small to large, inserting one at a time: first I place {number}.",
)
PUT = StepTemplate(
    "{number} goes {where}.",
    "{number} belongs {where}.",
    "{number} is placed {where}.",
    where=f"before {NUMBER}|after {NUMBER}|between {NUMBER} and {NUMBER}",
)
TEN = StepTemplate(
    "numbers {low} to {high}: {kinds}. On circles: {found}.",
    "from {low} to {high} I find {kinds}; of these, on circles: {found}.",
    "{low} to {high}: {kinds}; numbers on circles: {found}.",
    kinds=list_of(f"{NUMBER} [a-z]+"),
    found=list_of(NUMBER),
)


# ---- the larger of two, row by row ---------------------------------------------------------------------------------

_Rows = Sequence[Mapping[str, float]]
"""The radii of the circles of each row by colour, in image widths."""


def _row_steps(rows: _Rows) -> list[Step]:
    steps = [ACROSS()]
    for row, radii in enumerate(rows, 1):
        blue, green = (rounded(2 * _PARTS * radii[hue]) for hue in _SIDES)
        steps.append(ROW(row=row, blue=blue, green=green, larger=max(radii, key=radii.__getitem__)))
    return steps


def _rows_of_pictures(pictures: tuple[Drawing, ...]) -> _Rows:
    """Find the rows by the numbers beside them."""
    (picture,) = pictures
    heights = {int(shape.text): shape.position[1] for shape in picture.shapes if isinstance(shape, Label)}
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    return [
        {NAMES[disc.fill or ""]: disc.radius / picture.width for disc in discs if abs(disc.center[1] - height) < 1e-6}
        for _, height in sorted(heights.items())
    ]


LARGER = FactChains(
    _row_steps,
    lambda scene: [{mark.colour: mark.radius for mark in pair} for pair in scene.pairs],
    _rows_of_pictures,
    stated((ROW, "larger")),
)


# ---- an order that grows -------------------------------------------------------------------------------------------

_Sizes = Sequence[tuple[int, float]]
"""Numbers and the sizes of their marks in reading order; sizes in image widths or heights."""


def _insertion_steps(template: StepTemplate, sizes: _Sizes) -> list[Step]:
    """The sizes, then the insertion of each number at its position by size, in the order given."""
    steps = [template(sizes=listed(f"{number} is {rounded(_PARTS * size)}" for number, size in sizes)), START(number=sizes[0][0])]
    row = [sizes[0]]
    for number, size in sizes[1:]:
        at = sum(other < size for _, other in row)
        before, after = (row[at - 1][0] if at else None), (row[at][0] if at < len(row) else None)
        where = f"after {before}" if after is None else f"before {after}" if before is None else f"between {before} and {after}"
        steps.append(PUT(number=number, where=where))
        row.insert(at, (number, size))
    return steps


def _order(steps: Sequence[Step]) -> str:
    """The order of the numbers after all insertions."""
    order: list[str] = []
    for step in steps[1:]:
        side, beside, *_ = step.values.get("where", "first -").split()
        order.insert(order.index(beside) + (side != "before") if order else 0, step["number"])
    return ", ".join(order)


def _numbered_marks(picture: Drawing) -> list[tuple[int, Shape]]:
    """The mark at each number: the one whose centre is nearest."""
    marks = [shape for shape in picture.shapes if not isinstance(shape, Label)]
    labels = [shape for shape in picture.shapes if isinstance(shape, Label)]

    def squared_distance(label: Label) -> Callable[[Shape], float]:
        return lambda shape: (middle(shape)[0] - label.position[0]) ** 2 + (middle(shape)[1] - label.position[1]) ** 2

    return [(int(label.text), min(marks, key=squared_distance(label))) for label in labels]


def _widths(pictures: tuple[Drawing, ...]) -> _Sizes:
    (picture,) = pictures
    marks = sorted(_numbered_marks(picture), key=lambda entry: middle(entry[1]))
    return [(number, 2 * shape.radius / picture.height) for number, shape in marks if isinstance(shape, Circle)]


SORTED_CIRCLES = FactChains[_Sizes](
    lambda sizes: _insertion_steps(CIRCLES, sizes),
    lambda scene: [
        (number, 2 * mark.radius)
        for mark, number in sorted(zip(scene.marks, scene.numbers, strict=True), key=lambda entry: entry[0].center)
    ],
    _widths,
    _order,
)


def sorted_lines(width: float) -> FactChains[_Sizes]:
    """Sort lines on a sheet of this width."""
    return FactChains(
        lambda sizes: _insertion_steps(LINES, sizes),
        lambda scene: [(number, length / width) for number, _, length in scene.rows],
        _lengths,
        _order,
    )


def _lengths(pictures: tuple[Drawing, ...]) -> _Sizes:
    """Measure the lines by their ends, at the heights of the numbers."""
    (picture,) = pictures
    labels = sorted((shape for shape in picture.shapes if isinstance(shape, Label)), key=lambda shape: -shape.position[1])
    ends = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    lengths = [next(b[0] - a[0] for a, b in ends if abs(a[1] - label.position[1]) < 1e-6) for label in labels]
    return [(int(label.text), length / picture.width) for label, length in zip(labels, lengths, strict=True)]


# ---- numbers and the shapes they are printed on --------------------------------------------------------------------

_Numbered = Sequence[tuple[int, str]]
"""Numbers and the kinds of marks on which they are printed."""


def _ten_steps(numbered: _Numbered) -> list[Step]:
    ordered = sorted(numbered)
    steps: list[Step] = []
    for ten in (ordered[low : low + _TENS] for low in range(0, len(ordered), _TENS)):
        circles = listed(number for number, kind in ten if kind == KINDS[0])
        kinds = listed(f"{number} {kind}" for number, kind in ten)
        steps.append(TEN(low=ten[0][0], high=ten[-1][0], kinds=kinds, found=circles))
    return steps


NUMBERED = FactChains[_Numbered](
    _ten_steps,
    lambda scene: [(number, mark.shape) for mark, number in zip(scene.marks, scene.numbers, strict=True)],
    lambda pictures: [(number, kind_of(shape)) for number, shape in _numbered_marks(pictures[0])],
    stated((TEN, "found")),
)
