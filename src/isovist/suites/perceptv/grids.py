"""Locate Circles Colour, Locate Circles Shape, Cross and Knots.

In the authors' Cross and Knots only cells that share an edge are adjacent (the paper does not define adjacency). Here diagonal neighbours
count too, which lowers the chance level; every image has a safe cell, and cells at the edge are excluded from the answer, because corner
cells have few neighbours and a constant answer there would often be correct. The numbers of empty cells and of other marks vary
independently of the answer. The mean position of the crosses is near the centre of the grid, independently of the safe cells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import Any

from isovist.core.answers import Answer, Cell, GridCell, WordSubset
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Shape
from isovist.core.rng import Rng
from isovist.core.task import Answers, Checks, Exemption, RejectSample, SamplingContext, Task
from isovist.suites.perceptv import cot_grids as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import PAPERS, SHEET, SIZES, SKILLS, asking, by_size, size
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
_STRAY = 0.15  # cells: largest offset of the mean position of the crosses from the grid centre, along each axis
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
    """Crosses of one colour, sorted by cell."""

    colour: str
    crosses: tuple[Cross, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(cross.cell for cross in self.crosses)


@lru_cache(maxsize=64)
def around(cell: int, side: int = CROSSES) -> frozenset[int]:
    """A cell and its neighbours, including diagonal ones."""
    row, column = divmod(cell, side)
    near = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return frozenset(r * side + c for r, c in near if 0 <= r < side and 0 <= c < side)


_ALL = CROSSES * CROSSES
INNER = tuple(cell for cell in range(_ALL) if len(around(cell)) == 9)
"""The cells that are not at the edge: the possible answers."""


def ordered_safe_cells(crosses: Collection[int], safe: Collection[int]) -> tuple[GridCell, ...]:
    """The safe cells in cyclic order from a cell that depends on all crosses. The first is the key, so its position is not biased."""
    start = sum(crosses)
    return tuple(CROSSED.row_column(cell) for cell in sorted(safe, key=lambda cell: (cell - start) % _ALL))


def reach(n: int) -> int:
    """The largest absolute sum of the row offsets of `n` crosses from the centre row; likewise for columns."""
    return max(1, round(_STRAY * n))


def _balanced_cells(rng: Rng, n: int, free: Collection[int]) -> list[int]:
    """Sample `n` free cells with given sums of rows and columns, which are drawn first, so that the mean is independent of the free cells."""
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
    reserved = around(INNER[plan.image_stratum("safe", len(INNER))])
    cells = sorted(_balanced_cells(rng, n, frozenset(range(_ALL)) - reserved))

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


def _safe_cells(scene: Crosses) -> tuple[GridCell, ...]:
    near = frozenset[int]().union(*map(around, scene.cells))
    return ordered_safe_cells(scene.cells, [cell for cell in INNER if cell not in near])


def _safe(scene: Crosses) -> int:
    """The cell that is the key."""
    row, column = _safe_cells(scene)[0]
    return (row - 1) * CROSSES + column - 1


def _read_crosses(picture: Drawing) -> str:
    strokes = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    crosses = {CROSSED.cell_at(((ax + bx) / 2, (ay + by) / 2)) for (ax, ay), (bx, by) in strokes}
    safe = [cell for cell in INNER if not around(cell) & crosses]
    row, column = ordered_safe_cells(crosses, safe)[0]
    return f"({row}, {column})"


_LIKELIEST_SAFE = (
    *(0.856, 0.7842, 0.5154, 0.5093, 0.4038, 0.3635, 0.3086, 0.2695, 0.233, 0.2035),
    *(0.1777, 0.1558, 0.1373, 0.1217, 0.1085, 0.0974, 0.088, 0.0801, 0.0734, 0.0677),
)
"""For each size, the probability that the inner cell that is most often safe is safe, counted over all possible sets of crosses. The tests
recompute it for small sizes."""


def _constant_bin(answer: Answer) -> str:
    """A constant balance bin: the sampler balances the reserved safe cell, and other cells may be safe too."""
    return answer.kind


_HEADINGS = "Columns are labelled with letters and rows with numbers."
_CELL_NAMES = "Name each cell by its column letter and its row number, for example B3."


def _key_colour(scene: Grid) -> WordSubset:
    return _cells(mark.cell for mark in scene.marks if mark.colour == TARGET_COLOUR)


def _draw_named(scene: Grid) -> tuple[Drawing, ...]:
    return draw(NAMED, scene)


def _key_shape(scene: Grid) -> WordSubset:
    return _cells(mark.cell for mark in scene.marks if mark.shape == KINDS[0])


def _key_crosses(scene: Crosses) -> Cell:
    return Cell(_safe_cells(scene), CROSSES, CROSSES)


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
        version=3,
        summary="Name a grid cell with no cross in it or in adjacent cells.",
        sample=_sample_crosses,
        draw=_draw_crosses,
        ask=asking(
            "The image shows a grid of 7 rows and 7 columns with crosses in some of its cells.",
            (
                "A cell is safe if neither the cell nor any of its neighbours contains a cross. "
                "Cells that touch only at a corner are also neighbours. "
                "Name one safe cell that is not in the first or last row or column. If there are several, any of them is correct."
            ),
            _key_crosses,
        ),
        rederive=lambda drawings, _: _read_crosses(*drawings),
        answers=Answers(type="cell", strata=1, balance=_constant_bin, best_constant=_LIKELIEST_SAFE),
        skills=SKILLS["cross-and-knots"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["cross-and-knots"]),
        paper=PAPERS["cross-and-knots"],
        checks=Checks(
            shortcuts=shortcuts.CROSSES,
            exemptions={
                "coarse image features (learned)": Exemption(
                    "a safe cell is more likely in a region with few crosses, which is part of the question", 0.6
                )
            },
        ),
        reasoning=reasoning.crossed(CROSSED, _safe, _read_crosses).of(_draw_crosses, _key_crosses),
    ),
)
