"""Locate Circles Colour, Locate Circles Shape, Cross and Knots.

The paper's Cross and Knots asks for any cell without a cross in it or next to it. A constant answer, or a look at the emptiest region, is
often correct then. Here the question names one cell, and yes and no are equally frequent. Every image has two cells, one safe and one not,
at equal distances from the middle of the grid, with equally many crosses in the 5 x 5 cells around them at equal distances in the mean.
Which of them the question names is independent of the image. In half of the images the other one has crosses at its corners only. In the
authors' release only cells that share an edge are adjacent (the paper does not define adjacency); here diagonal neighbours count too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any

from isovist.core.answers import Answer, WordSubset, YesNo
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Shape
from isovist.core.rng import Rng
from isovist.core.task import Answers, Checks, Question, Reasoning, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_grids as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import PAPERS, SHEET, SIZES, SKILLS, asking, by_size, equally_likely, size
from isovist.suites.perceptv.square_grids import COLUMNS, Board
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.shapes2d import KINDS, Mark, kind_of, middle, shape

SIDE = 6  # rows and columns of most grids
NAMES = tuple(f"{column}{row}" for row in range(1, SIDE + 1) for column in COLUMNS)
"""The names of the cells, row by row."""
TARGET_COLOUR = "green"
OTHERS = ("blue", "yellow", "purple", "pink", "black")
"""No colour that a person with red-green colour blindness could confuse with green."""
SHAPE_HUES = ("blue", "orange", "green", "purple")
_EXTRA = (4, 14)  # minimum and maximum number of other marks
_RADIUS = 0.052

CROSSES = 7  # rows and columns of the grid with crosses
CROSS_HUES = ("red", "blue", "green", "purple", "orange")
_THICK = 0.018
_SEVERAL = 4  # crosses: fewer are rarely at equal distances
_DRAWS = 5000


NAMED = Board(SIDE, 0.2, 0.12, letters=True)
CROSSED = Board(CROSSES, 0.18, 0.12)


@dataclass(frozen=True, slots=True)
class Placed:
    """A mark in a cell."""

    cell: int
    shape: str
    colour: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Marks in cells."""

    marks: tuple[Placed, ...]


def draw(board: Board, scene: Grid) -> tuple[Drawing, ...]:
    return (board.draw(tuple(shape(Mark(m.shape, board.center(m.cell), _RADIUS, m.colour)) for m in scene.marks)),)


def cells_with_sum(rng: Rng, n: int, cells: int, total: int) -> list[int]:
    """Sample `n` distinct cells whose sum is `total` modulo `cells`. All such sets are equally likely."""
    while True:
        sample = rng.sample(range(cells), n - 1)
        last = (total - sum(sample)) % cells
        if last not in sample:
            return [*sample, last]


def _placed(plan: SamplingContext, targets: list[int], mark: Callable[[int, bool], Placed]) -> Grid:
    """The target cells and a varying number of other cells."""
    rest = [cell for cell in range(SIDE * SIDE) if cell not in targets]
    others = plan.image_rng.sample(rest, plan.image_rng.integer(*_EXTRA))
    return plan.check_split(Grid(tuple(mark(cell, cell in targets) for cell in sorted([*targets, *others]))))


def _cells(cells: Iterable[int]) -> WordSubset:
    return WordSubset(tuple(NAMES[cell] for cell in cells), NAMES)


def _cell_sum(answer: Answer) -> str:
    """The sum of the cell indices modulo the number of cells. Balancing it balances single cells at size 1 and is neutral at larger sizes."""
    assert isinstance(answer, WordSubset)
    return str(sum(map(NAMES.index, answer.truth)) % len(NAMES))


def _sample_colour(plan: SamplingContext) -> Grid:
    targets = cells_with_sum(plan.image_rng, size(plan), len(NAMES), plan.stratum)
    return _placed(plan, targets, lambda cell, green: Placed(cell, "circle", TARGET_COLOUR if green else plan.image_rng.pick(OTHERS)))


def _read_colour(picture: Drawing) -> str:
    green = sorted(
        NAMED.cell_at(shape.center) for shape in picture.shapes if isinstance(shape, Circle) and shape.fill == HUES[TARGET_COLOUR]
    )
    return ", ".join(NAMES[cell] for cell in green)


def _sample_shape(plan: SamplingContext) -> Grid:
    targets = cells_with_sum(plan.image_rng, size(plan), len(NAMES), plan.stratum)
    return _placed(
        plan,
        targets,
        lambda cell, circle: Placed(cell, KINDS[0] if circle else plan.image_rng.pick(KINDS[1:]), plan.image_rng.pick(SHAPE_HUES)),
    )


def _read_shape(picture: Drawing) -> str:
    circles = sorted(NAMED.cell_at(middle(shape)) for shape in picture.shapes if kind_of(shape) == KINDS[0])
    return ", ".join(NAMES[cell] for cell in circles)


def flip(scene: Grid) -> Grid:
    """Reverse the rows."""
    moved = [Placed((SIDE - 1 - m.cell // SIDE) * SIDE + m.cell % SIDE, m.shape, m.colour) for m in scene.marks]
    return Grid(tuple(sorted(moved, key=lambda m: m.cell)))


def _flip_named(scene: Grid) -> tuple[Grid, Callable[[str], str]]:
    """Reverse the rows: row 1 becomes row 6."""

    def renamed(answer: str) -> str:
        names = [f"{name[0]}{SIDE + 1 - int(name[1:])}" for name in answer.split(", ")]
        return ", ".join(sorted(names, key=NAMES.index))

    return flip(scene), renamed


@dataclass(frozen=True, slots=True)
class Cross:
    """A cross in a cell, with random offset and arm length."""

    cell: int
    arm: float
    offset: Point


@dataclass(frozen=True, slots=True)
class Crosses:
    """Crosses of one colour, sorted by cell, and the cell in the question."""

    colour: str
    crosses: tuple[Cross, ...]
    named: int

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(cross.cell for cross in self.crosses)


@lru_cache(maxsize=128)
def around(cell: int, steps: int = 1) -> frozenset[int]:
    """A cell and the cells up to a number of steps away, including diagonal ones."""
    return frozenset(
        other
        for other in range(CROSSES * CROSSES)
        if max(abs(other // CROSSES - cell // CROSSES), abs(other % CROSSES - cell % CROSSES)) <= steps
    )


@lru_cache(maxsize=128)
def by_edges(cell: int) -> frozenset[int]:
    """A cell that is not at the edge, and the cells that share an edge with it."""
    return frozenset((cell - CROSSES, cell - 1, cell, cell + 1, cell + CROSSES))


INNER = tuple(cell for cell in range(CROSSES * CROSSES) if len(around(cell)) == 9)
"""The cells that are not at the edge: the possible cells of the question."""


def surroundings(cell: int, crosses: Collection[int]) -> tuple[int, ...]:
    """What does not tell whether a cell is safe: its distances from the middle row and column, sorted; the number of crosses in the 5 x 5
    cells around it; and, if there are `_SEVERAL` crosses, the sum of the squared distances of these from it, in cells.
    """
    middle, squares = _distances(cell)
    near = [squares[other] for other in crosses if other in squares]
    return *middle, len(near), sum(near) if len(crosses) >= _SEVERAL else 0


@lru_cache(maxsize=128)
def _distances(cell: int) -> tuple[tuple[int, ...], dict[int, int]]:
    """The distances of a cell from the middle row and column, sorted, and its squared distances from the 5 x 5 cells around it."""
    row, column = divmod(cell, CROSSES)
    squares = {other: (other // CROSSES - row) ** 2 + (other % CROSSES - column) ** 2 for other in around(cell, 2)}
    return tuple(sorted((abs(row - CROSSES // 2), abs(column - CROSSES // 2)))), squares


def _sample_crosses(plan: SamplingContext) -> Crosses:
    rng, n, only_corners = plan.image_rng, size(plan), bool(plan.image_stratum("corners", 2))
    for _ in range(_DRAWS):
        reserved = around(rng.pick(INNER))
        cells = sorted(rng.sample([cell for cell in range(CROSSES * CROSSES) if cell not in reserved], n))
        safe = [cell for cell in INNER if around(cell).isdisjoint(cells)]
        unsafe = [cell for cell in INNER if cell not in safe and by_edges(cell).isdisjoint(cells) == only_corners]
        around_cells = {cell: surroundings(cell, cells) for cell in (*safe, *unsafe)} if unsafe else {}
        alike = [pair for pair in product(unsafe, safe) if around_cells[pair[0]] == around_cells[pair[1]]]
        if alike:
            break
    else:
        raise RejectSample
    named = rng.pick(alike)[plan.stratum]

    def some(low: float, high: float) -> float:
        return round(rng.uniform(low, high), 4)

    crosses = (Cross(cell, some(0.036, 0.052), (some(-0.015, 0.015), some(-0.015, 0.015))) for cell in cells)
    return plan.check_split(Crosses(rng.pick(CROSS_HUES), tuple(crosses), named))


def _draw_crosses(scene: Crosses) -> tuple[Drawing, ...]:
    out: list[Shape] = []
    for cross in scene.crosses:
        x, y = (c + off for c, off in zip(CROSSED.center(cross.cell), cross.offset, strict=True))
        a = cross.arm
        out += [Line(((x - a, y - s * a), (x + a, y + s * a)), _THICK, HUES[scene.colour]) for s in (1, -1)]
    return (CROSSED.draw(tuple(out)),)


def _ask_crosses(scene: Crosses) -> Question:
    row, column = CROSSED.row_column(scene.named)
    return Question(
        "The image shows a grid of 7 rows and 7 columns with crosses in some of its cells.\n"
        "A cell is safe if neither the cell nor any of its neighbours contains a cross. "
        "Cells that touch only at a corner are also neighbours. "
        f"Is the cell in row {row} and column {column} safe?",
        _key_crosses(scene),
    )


_NAMED_CELL = re.compile(r"the cell in row (\d) and column (\d) safe")


def _read_crosses(picture: Drawing, text: str) -> str:
    """By the distance of each stroke from the named cell."""
    named = _NAMED_CELL.search(text)
    assert named
    x, y = CROSSED.center((int(named[1]) - 1) * CROSSES + int(named[2]) - 1)
    strokes = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    offsets = [max(abs((ax + bx) / 2 - x), abs((ay + by) / 2 - y)) for (ax, ay), (bx, by) in strokes]
    return "yes" if min(offsets) > 1.5 * CROSSED.pitch else "no"


def _flip_crosses(scene: Crosses) -> tuple[Crosses, Callable[[str], str]]:
    """Reverse the rows, with the cell in the question."""

    def other(cell: int) -> int:
        return (CROSSES - 1 - cell // CROSSES) * CROSSES + cell % CROSSES

    moved = [Cross(other(cross.cell), cross.arm, (cross.offset[0], -cross.offset[1])) for cross in scene.crosses]
    return Crosses(scene.colour, tuple(sorted(moved, key=lambda cross: cross.cell)), other(scene.named)), identity


_HEADINGS = "Columns are labelled with letters and rows with numbers."
_CELL_NAMES = "Name each cell by its column letter and its row number, for example B3."


def _key_colour(scene: Grid) -> WordSubset:
    return _cells(mark.cell for mark in scene.marks if mark.colour == TARGET_COLOUR)


def _draw_named(scene: Grid) -> tuple[Drawing, ...]:
    return draw(NAMED, scene)


def _key_shape(scene: Grid) -> WordSubset:
    return _cells(mark.cell for mark in scene.marks if mark.shape == KINDS[0])


def _key_crosses(scene: Crosses) -> YesNo:
    return YesNo(around(scene.named).isdisjoint(scene.cells))


def _reasons_crosses(scene: Crosses) -> Reasoning[Crosses]:
    return reasoning.crossed(CROSSED, scene.named).of(_draw_crosses, _key_crosses)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/locate-circles-colour",
        version=3,
        summary="Name the cells of a grid that hold green circles.",
        sample=_sample_colour,
        draw=_draw_named,
        ask=asking(
            f"The image shows a grid with circles of several colours in some of its cells. {_HEADINGS}",
            f"List every cell that contains a green circle. {_CELL_NAMES}",
            _key_colour,
        ),
        rederive=lambda drawings, _: _read_colour(*drawings),
        answers=Answers(type="subset", strata=len(NAMES), balance=_cell_sum, best_constant=by_size(lambda n: 1 / comb(len(NAMES), n))),
        skills=SKILLS["locate-circles-colour"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="partial", raised=RAISED["locate-circles-colour"]),
        paper=PAPERS["locate-circles-colour"],
        checks=Checks(symmetries=(_flip_named,)),
        reasoning=reasoning.located(NAMED, TARGET_COLOUR, hues=True).of(_draw_named, _key_colour),
    ),
    Task(
        id="perceptv/locate-circles-shape",
        version=3,
        summary="Name the cells of a grid that hold circles.",
        sample=_sample_shape,
        draw=_draw_named,
        ask=asking(
            f"The image shows a grid with circles, triangles and squares in some of its cells. {_HEADINGS}",
            f"List every cell that contains a circle of any colour. {_CELL_NAMES}",
            _key_shape,
        ),
        rederive=lambda drawings, _: _read_shape(*drawings),
        answers=Answers(type="subset", strata=len(NAMES), balance=_cell_sum, best_constant=by_size(lambda n: 1 / comb(len(NAMES), n))),
        skills=SKILLS["locate-circles-shape"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["locate-circles-shape"]),
        paper=PAPERS["locate-circles-shape"],
        checks=Checks(symmetries=(_flip_named,)),
        reasoning=reasoning.located(NAMED, KINDS[0], hues=False).of(_draw_named, _key_shape),
    ),
    Task(
        id="perceptv/cross-and-knots",
        version=4,
        summary="Decide whether a grid cell and all adjacent cells are without a cross.",
        sample=_sample_crosses,
        draw=_draw_crosses,
        ask=_ask_crosses,
        rederive=lambda drawings, text: _read_crosses(drawings[0], text),
        answers=equally_likely("yes-no", 2),
        skills=SKILLS["cross-and-knots"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["cross-and-knots"]),
        paper=PAPERS["cross-and-knots"],
        checks=Checks(symmetries=(_flip_crosses,), shortcuts=shortcuts.CROSSES),
        reasoning=Reasoning(
            lambda scene: _reasons_crosses(scene).write(scene), lambda scene, text: _reasons_crosses(scene).verify(scene, text)
        ),
    ),
)
