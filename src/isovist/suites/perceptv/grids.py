"""Locate Circles Colour, Locate Circles Shape, Cross and Knots.

The authors' Cross and Knots counts only cells that share an edge as adjacent (the paper leaves it open);
here diagonals count too, which makes a blind guess worse, every picture has a safe cell, and cells at the edge are not asked for:
those in a corner have few neighbours, and to name one blindly would be right most often. Empty cells and the number of
other marks vary, so that neither tells the answer; the mean place of the crosses is near the middle of the grid, wherever safe cells are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

from isovist.core.answers import Answer, Cell, GridCell, WordSubset
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Shape
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task
from isovist.scenes.palette import HUES
from isovist.scenes.shapes2d import KINDS, Mark, kind_of, middle, shape
from isovist.suites.perceptv import cot_grids as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.square_grids import COLUMNS, Board
from isovist.suites.perceptv.task_factory import by_size, domain, size

SIDE = 6  # rows and columns of most grids
NAMES = tuple(f"{column}{row}" for row in range(1, SIDE + 1) for column in COLUMNS)
"""The cells of the grid, row by row."""
ASKED = "green"
OTHERS = ("blue", "yellow", "purple", "pink", "black")
"""None that red-green blind people could take for green."""
SHAPE_HUES = ("blue", "orange", "green", "purple")
_EXTRA = (4, 14)  # how many marks there are that are not asked for
_RADIUS = 0.052

CROSSES = 7  # rows and columns of the grid with crosses
CROSS_HUES = ("red", "blue", "green", "purple", "orange")
_THICK = 0.018
_STRAY = 0.15  # cells: how far from the middle of the grid, each way, the mean place of the crosses may be
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
    """Marks in cells, in the order of the cells."""

    marks: tuple[Placed, ...]


def draw(board: Board, scene: Grid) -> tuple[Drawing, ...]:
    return (board.draw(tuple(shape(Mark(m.shape, board.center(m.cell), _RADIUS, m.colour)) for m in scene.marks)),)


def summing(rng: Rng, n: int, cells: int, total: int) -> list[int]:
    """`n` different cells whose sum is `total` modulo `cells`; each such set is equally likely."""
    while True:
        sample = rng.sample(range(cells), n - 1)
        last = (total - sum(sample)) % cells
        if last not in sample:
            return [*sample, last]


def _placed(plan: SamplingContext, asked: list[int], mark: Callable[[int, bool], Placed]) -> Grid:
    """The asked cells and a varying number of others."""
    rest = [cell for cell in range(SIDE * SIDE) if cell not in asked]
    others = plan.image_rng.sample(rest, plan.image_rng.integer(*_EXTRA))
    return plan.check_split(Grid(tuple(mark(cell, cell in asked) for cell in sorted([*asked, *others]))))


def _cells(cells: Iterable[int]) -> WordSubset:
    return WordSubset(tuple(NAMES[cell] for cell in cells), NAMES)


def _sum(answer: Answer) -> str:
    """The sum of the cells' numbers: balanced, it asks for every cell equally often at size 1, and favours none later."""
    assert isinstance(answer, WordSubset)
    return str(sum(map(NAMES.index, answer.truth)) % len(NAMES))


def _sample_colour(plan: SamplingContext) -> Grid:
    asked = summing(plan.image_rng, size(plan), len(NAMES), plan.stratum)
    return _placed(plan, asked, lambda cell, green: Placed(cell, "circle", ASKED if green else plan.image_rng.pick(OTHERS)))


def _read_colour(picture: Drawing) -> str:
    green = sorted(NAMED.cell_at(shape.center) for shape in picture.shapes if isinstance(shape, Circle) and shape.fill == HUES[ASKED])
    return ", ".join(NAMES[cell] for cell in green)


def _sample_shape(plan: SamplingContext) -> Grid:
    asked = summing(plan.image_rng, size(plan), len(NAMES), plan.stratum)
    return _placed(
        plan,
        asked,
        lambda cell, circle: Placed(cell, KINDS[0] if circle else plan.image_rng.pick(KINDS[1:]), plan.image_rng.pick(SHAPE_HUES)),
    )


def _read_shape(picture: Drawing) -> str:
    discs = sorted(NAMED.cell_at(middle(shape)) for shape in picture.shapes if kind_of(shape) == KINDS[0])
    return ", ".join(NAMES[cell] for cell in discs)


def flip(scene: Grid) -> Grid:
    """Rows in reverse."""
    moved = [Placed((SIDE - 1 - m.cell // SIDE) * SIDE + m.cell % SIDE, m.shape, m.colour) for m in scene.marks]
    return Grid(tuple(sorted(moved, key=lambda m: m.cell)))


def _flip_named(scene: Grid) -> tuple[Grid, Callable[[str], str]]:
    """Upside down: row 1 becomes row 6."""

    def renamed(answer: str) -> str:
        names = [f"{name[0]}{SIDE + 1 - int(name[1:])}" for name in answer.split(", ")]
        return ", ".join(sorted(names, key=NAMES.index))

    return flip(scene), renamed


@dataclass(frozen=True, slots=True)
class Cross:
    """A cross in a cell, drawn as by hand: neither quite in the middle nor always as large."""

    cell: int
    arm: float
    offset: Point


@dataclass(frozen=True, slots=True)
class Crosses:
    """Crosses of one colour, in the order of the cells."""

    colour: str
    crosses: tuple[Cross, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(cross.cell for cross in self.crosses)


@lru_cache(maxsize=64)
def around(cell: int, side: int = CROSSES) -> frozenset[int]:
    """A cell and its neighbours, diagonals included."""
    row, column = divmod(cell, side)
    near = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return frozenset(r * side + c for r, c in near if 0 <= r < side and 0 <= c < side)


_ALL = CROSSES * CROSSES
INNER = tuple(cell for cell in range(_ALL) if len(around(cell)) == 9)
"""The cells that are not at the edge: those that may be named."""


def led(crosses: Collection[int], safe: Collection[int]) -> tuple[GridCell, ...]:
    """The safe cells from one on that depends on all crosses: so the first, which is the key, is no cell more often for where it is."""
    start = sum(crosses)
    return tuple(CROSSED.row_column(cell) for cell in sorted(safe, key=lambda cell: (cell - start) % _ALL))


def reach(n: int) -> int:
    """How far the rows of `n` crosses, counted from the middle row and added up, may be from 0, and their columns."""
    return max(1, round(_STRAY * n))


def _spread_out(rng: Rng, n: int, free: Collection[int]) -> list[int]:
    """`n` of the free cells, any set as likely whose rows and columns add up to what is drawn first: so their mean does not hang on what is free."""
    if n == 1:
        return [rng.pick(sorted(free))]
    middle, others = CROSSES // 2, sorted(free)
    down, right = (n * middle + rng.integer(-reach(n), reach(n)) for _ in range(2))
    for _ in range(_DRAWS):
        cells = rng.sample(others, n - 1)
        row, column = down - sum(cell // CROSSES for cell in cells), right - sum(cell % CROSSES for cell in cells)
        last = row * CROSSES + column
        if 0 <= row < CROSSES and 0 <= column < CROSSES and last in free and last not in cells:
            return [*cells, last]
    raise RejectSample


def _sample_crosses(plan: SamplingContext) -> Crosses:
    rng, n = plan.image_rng, size(plan)
    kept = around(INNER[plan.image_stratum("safe", len(INNER))])
    cells = sorted(_spread_out(rng, n, frozenset(range(_ALL)) - kept))

    def some(low: float, high: float) -> float:
        return round(rng.uniform(low, high), 4)

    crosses = (Cross(cell, some(0.036, 0.052), (some(-0.015, 0.015), some(-0.015, 0.015))) for cell in cells)
    return plan.check_split(Crosses(rng.pick(CROSS_HUES), tuple(crosses)))


def _draw_crosses(scene: Crosses) -> tuple[Drawing, ...]:
    out: list[Shape] = []
    for cross in scene.crosses:
        x, y = (c + off for c, off in zip(CROSSED.center(cross.cell), cross.offset, strict=True))
        a = cross.arm
        out += [Line(((x - a, y - s * a), (x + a, y + s * a)), _THICK, HUES[scene.colour]) for s in (1, -1)]
    return (CROSSED.draw(tuple(out)),)


def _led(scene: Crosses) -> tuple[GridCell, ...]:
    near = frozenset[int]().union(*map(around, scene.cells))
    return led(scene.cells, [cell for cell in INNER if cell not in near])


def _safe(scene: Crosses) -> int:
    """The cell that is the key."""
    row, column = _led(scene)[0]
    return (row - 1) * CROSSES + column - 1


def _read_crosses(picture: Drawing) -> str:
    strokes = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    crosses = {CROSSED.cell_at(((ax + bx) / 2, (ay + by) / 2)) for (ax, ay), (bx, by) in strokes}
    safe = [cell for cell in INNER if not around(cell) & crosses]
    row, column = led(crosses, safe)[0]
    return f"({row}, {column})"


_LIKELIEST_SAFE = (
    *(0.856, 0.7842, 0.5154, 0.5093, 0.4038, 0.3635, 0.3086, 0.2695, 0.233, 0.2035),
    *(0.1777, 0.1558, 0.1373, 0.1217, 0.1085, 0.0974, 0.088, 0.0801, 0.0734, 0.0677),
)
"""At each size, how often the inner cell is safe that is safe most often, counted over all sets of crosses that may be drawn. The tests count
the small sizes again."""


def _whichever(answer: Answer) -> str:
    """What is balanced is the cell that is kept safe, beside which others may be safe too."""
    return answer.kind


_HEADINGS = "Columns are labelled with letters and rows with numbers."
_CELL_NAMES = "Name each cell by its column letter and its row number, for example B3."

TASKS: tuple[Task[Any], ...] = (
    domain(
        "locate-circles-colour",
        "Name the cells of a grid that hold green circles.",
        _sample_colour,
        lambda scene: draw(NAMED, scene),
        _read_colour,
        shown=f"The image shows a grid with circles of several colours in some of its cells. {_HEADINGS}",
        rules=f"List every cell that contains a green circle. {_CELL_NAMES}",
        key=lambda scene: _cells(mark.cell for mark in scene.marks if mark.colour == ASKED),
        strata=len(NAMES),
        balance=_sum,
        chance=by_size(lambda n: 1 / comb(len(NAMES), n)),
        answer_type="subset",
        colour_vision="partial",
        reasoning=reasoning.located(NAMED, ASKED, hues=True),
        symmetries=(_flip_named,),
    ),
    domain(
        "locate-circles-shape",
        "Name the cells of a grid that hold circles.",
        _sample_shape,
        lambda scene: draw(NAMED, scene),
        _read_shape,
        shown=f"The image shows a grid with circles, triangles and squares in some of its cells. {_HEADINGS}",
        rules=f"List every cell that contains a circle of any colour. {_CELL_NAMES}",
        key=lambda scene: _cells(mark.cell for mark in scene.marks if mark.shape == KINDS[0]),
        strata=len(NAMES),
        balance=_sum,
        chance=by_size(lambda n: 1 / comb(len(NAMES), n)),
        answer_type="subset",
        reasoning=reasoning.located(NAMED, KINDS[0], hues=False),
        symmetries=(_flip_named,),
    ),
    domain(
        "cross-and-knots",
        "Name a grid cell with no cross in it or in adjacent cells.",
        _sample_crosses,
        _draw_crosses,
        _read_crosses,
        shown="The image shows a grid of 7 rows and 7 columns with crosses in some of its cells.",
        rules=(
            "A cell is safe if neither the cell nor any of its neighbours contains a cross. "
            "Cells that touch only at a corner are also neighbours. "
            "Name one safe cell that is not in the first or last row or column. If there are several, any of them is correct."
        ),
        key=lambda scene: Cell(_led(scene), CROSSES, CROSSES),
        strata=1,
        audit_exemptions={
            "coarse picture (learned)": "a safe cell is more likely in a region with few crosses, which is part of the question"
        },
        balance=_whichever,
        chance=_LIKELIEST_SAFE,
        answer_type="cell",
        reasoning=reasoning.crossed(CROSSED, _safe, _read_crosses),
        shortcuts=shortcuts.CROSSES,
    ),
)
