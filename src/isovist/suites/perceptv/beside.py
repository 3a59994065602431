"""Circle Right Triangle.

In the authors' release the number of yes-answers grows with the size, and it asks for a circle to
the right of a triangle where the paper says a triangle to the right of a circle; here the paper's question has as many
yes as no at every size, and as many circles beside triangles for both: which of the two is on the right is what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from isovist.core.answers import YesNo
from isovist.core.drawing2d import Drawing, Point
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task, identity
from isovist.scenes.shapes2d import KINDS, kind_of, middle
from isovist.suites.perceptv import cot_grids as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.grids import SHAPE_HUES, SIDE, Grid, Placed, draw, flip
from isovist.suites.perceptv.square_grids import Board
from isovist.suites.perceptv.task_factory import domain, size

PLAIN = Board(SIDE, 0.2, 0.12)
_TRIANGLES = (3, 6)  # the fewest and the most
_COUPLES = 3  # of a circle and a triangle side by side, at most
_DRAWS = 2000


def _level(cell: int) -> set[int]:
    """The cells to the left and to the right of a cell."""
    return {other for other in (cell - 1, cell + 1) if 0 <= other < SIDE * SIDE and other // SIDE == cell // SIDE}


def _upright(cell: int) -> set[int]:
    """The cells above and below a cell."""
    return {other for other in (cell - SIDE, cell + SIDE) if 0 <= other < SIDE * SIDE}


def _near(cells: Collection[int], way: Callable[[int], set[int]]) -> set[int]:
    return set[int]().union(*map(way, cells))


def _couples(rng: Rng, n: int) -> list[int]:
    """The left cells of `n` couples of neighbours in a row, of which no two couples touch."""
    couples: list[int] = []
    for cell in rng.shuffled([cell for cell in range(SIDE * SIDE) if cell % SIDE < SIDE - 1]):
        occupied = {part for left in couples for part in (left, left + 1)}
        if len(couples) < n and not {cell, cell + 1} & (occupied | _near(occupied, _level) | _near(occupied, _upright)):
            couples.append(cell)
    return couples


def _leans(marks: Mapping[int, str]) -> bool:
    """Whether the triangles lie further to the right than the circles, on average."""
    at = {kind: [cell % SIDE for cell, form in marks.items() if form == kind] for kind in KINDS[:2]}
    return sum(at["triangle"]) / len(at["triangle"]) > sum(at["circle"]) / len(at["circle"])


def _sample_right(plan: SamplingContext) -> Grid:
    """Couples of a circle and a triangle side by side, as many whether the answer is yes or no, and nowhere else a circle beside a triangle.

    If it is no, all couples have their triangle on the left; if yes, one or more have it on the right. Which cells are filled does not hang on
    the answer, nor does which of the two kinds lies further to the right on average. Always a triangle stands further to the right of a
    circle, and one above or below a circle.
    """
    rng, n, lean = plan.image_rng, size(plan), plan.image_stratum("lean", 2)
    for _ in range(_DRAWS):
        couples = _couples(rng, rng.integer(1, min(n, _COUPLES)))
        right = rng.integer(1, len(couples)) if plan.stratum else 0
        marks: dict[int, str] = {}
        for i, left in enumerate(couples):
            marks |= {left: "circle", left + 1: "triangle"} if i < right else {left: "triangle", left + 1: "circle"}
        for kind, other, count in (("triangle", "circle", rng.integer(*_TRIANGLES)), ("circle", "triangle", n)):
            apart = _near([cell for cell, form in marks.items() if form == other], _level) | set(marks)
            free = [cell for cell in range(SIDE * SIDE) if cell not in apart]
            more = count - len(couples)
            if more > len(free):
                break
            marks |= dict.fromkeys(rng.sample(free, more), kind)
        else:
            circles, triangles = ({cell for cell, form in marks.items() if form == kind} for kind in KINDS[:2])
            further = any(t // SIDE == c // SIDE and t > c + 1 for t in triangles for c in circles)
            if further and triangles & _near(circles, _upright) and _leans(marks) == bool(lean):
                return plan.check_split(Grid(tuple(Placed(cell, marks[cell], rng.pick(SHAPE_HUES)) for cell in sorted(marks))))
    raise RejectSample


def _key_right(scene: Grid) -> YesNo:
    kinds = {m.cell: m.shape for m in scene.marks}
    pairs = (kinds[c] == "circle" and kinds.get(c + 1) == "triangle" for c in kinds if c % SIDE < SIDE - 1)
    return YesNo(any(pairs))


def _read_right(picture: Drawing) -> str:
    at = {"circle": list[Point](), "triangle": list[Point]()}
    for shape in picture.shapes:
        at[kind_of(shape)].append(middle(shape))
    close = 0.01
    is_adjacent = any(abs(tx - cx - PLAIN.pitch) < close and abs(ty - cy) < close for tx, ty in at["triangle"] for cx, cy in at["circle"])
    return "yes" if is_adjacent else "no"


def _flip_plain(scene: Grid) -> tuple[Grid, Callable[[str], str]]:
    """Upside down: what stands to the right stays there."""
    return flip(scene), identity


TASKS: tuple[Task[Any], ...] = (
    domain(
        "circle-right-triangle",
        "Decide whether a triangle is immediately to the right of a circle.",
        _sample_right,
        lambda scene: draw(PLAIN, scene),
        _read_right,
        shown="The image shows a grid with circles and triangles in some of its cells.",
        rules="Is there, anywhere in the grid, a triangle in the cell immediately to the right of a circle, in the same row?",
        key=_key_right,
        strata=2,
        answer_type="yes-no",
        reasoning=reasoning.beside(PLAIN),
        shortcuts=shortcuts.BESIDE,
        symmetries=(_flip_plain,),
    ),
)
