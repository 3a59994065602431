"""Circle Right Triangle: is a triangle immediately to the right of a circle?

In the authors' release the share of yes-answers grows with the size. It also asks for a circle to the right of a triangle, whereas the
paper says a triangle to the right of a circle. Here the question is that of the paper. Yes and no are equally frequent at every size, and
both have the same number of horizontally adjacent circle-triangle pairs, so only the order within a pair determines the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from isovist.core.answers import YesNo
from isovist.core.drawing2d import Drawing, Point
from isovist.core.rng import Rng
from isovist.core.task import Checks, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_grids as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.grids import SHAPE_HUES, SIDE, Grid, Placed, draw, flip
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import PAPERS, SHEET, SIZES, SKILLS, asking, equally_likely, size
from isovist.suites.perceptv.square_grids import Board
from isovist.world.scenes.shapes2d import KINDS, kind_of, middle

PLAIN = Board(SIDE, 0.2, 0.12)
_TRIANGLES = (3, 6)  # minimum and maximum number
_MOST_PAIRS = 3  # maximum number of adjacent circle-triangle pairs
_DRAWS = 2000
_LEFT = tuple(cell for cell in range(SIDE * SIDE) if cell % SIDE < SIDE - 1)


@lru_cache(maxsize=SIDE * SIDE)
def _horizontal_neighbours(cell: int) -> frozenset[int]:
    """The cells immediately to the left and to the right of a cell."""
    return frozenset(other for other in (cell - 1, cell + 1) if 0 <= other < SIDE * SIDE and other // SIDE == cell // SIDE)


@lru_cache(maxsize=SIDE * SIDE)
def _vertical_neighbours(cell: int) -> frozenset[int]:
    """The cells immediately above and below a cell."""
    return frozenset(other for other in (cell - SIDE, cell + SIDE) if 0 <= other < SIDE * SIDE)


def _neighbours_of_all(cells: Collection[int], neighbours_of: Callable[[int], frozenset[int]]) -> set[int]:
    return set[int]().union(*map(neighbours_of, cells))


def _sample_pairs(rng: Rng, n: int) -> list[int]:
    """The left cells of up to `n` pairs of horizontally adjacent cells. No two pairs touch."""
    pairs: list[int] = []
    excluded = set[int]()
    while len(pairs) < n and (free := [cell for cell in _LEFT if not {cell, cell + 1} & excluded]):
        pairs.append(rng.pick(free))
        pair = (pairs[-1], pairs[-1] + 1)
        excluded |= {*pair} | _neighbours_of_all(pair, _horizontal_neighbours) | _neighbours_of_all(pair, _vertical_neighbours)
    return pairs


def _triangles_are_further_right(marks: Mapping[int, str]) -> bool:
    """Whether the mean column of the triangles is greater than that of the circles."""
    at = {kind: [cell % SIDE for cell, form in marks.items() if form == kind] for kind in KINDS[:2]}
    return sum(at["triangle"]) / len(at["triangle"]) > sum(at["circle"]) / len(at["circle"])


def _sample_adjacent(plan: SamplingContext) -> Grid:
    """Sample horizontally adjacent pairs of a circle and a triangle; no other circle is next to a triangle in its row.

    If the answer is no, the triangle is on the left in all pairs. If it is yes, the triangle is on the right in at least one pair. The number
    of pairs, the filled cells and the comparison of mean columns are independent of the answer. Every scene has a triangle further to the
    right of a circle in the same row, and a triangle directly above or below a circle.
    """
    rng, n, lean = plan.image_rng, size(plan), plan.image_stratum("lean", 2)
    for _ in range(_DRAWS):
        pairs = _sample_pairs(rng, rng.integer(1, min(n, _MOST_PAIRS)))
        right = rng.integer(1, len(pairs)) if plan.stratum else 0
        marks: dict[int, str] = {}
        for i, left in enumerate(pairs):
            marks |= {left: "circle", left + 1: "triangle"} if i < right else {left: "triangle", left + 1: "circle"}
        for kind, other, count in (("triangle", "circle", rng.integer(*_TRIANGLES)), ("circle", "triangle", n)):
            excluded = _neighbours_of_all([cell for cell, form in marks.items() if form == other], _horizontal_neighbours) | set(marks)
            free = [cell for cell in range(SIDE * SIDE) if cell not in excluded]
            more = count - len(pairs)
            if more > len(free):
                break
            marks |= dict.fromkeys(rng.sample(free, more), kind)
        else:
            circles, triangles = ({cell for cell, form in marks.items() if form == kind} for kind in KINDS[:2])
            has_later_triangle = any(t // SIDE == c // SIDE and t > c + 1 for t in triangles for c in circles)
            if (
                has_later_triangle
                and triangles & _neighbours_of_all(circles, _vertical_neighbours)
                and _triangles_are_further_right(marks) == bool(lean)
            ):
                return plan.check_split(
                    Grid(tuple(Placed(cell, marks[cell], rng.pick(SHAPE_HUES)) for cell in rng.shuffled(sorted(marks))))
                )
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


def _flip_rows(scene: Grid) -> tuple[Grid, Callable[[str], str]]:
    """Reverse the rows. Left and right do not change."""
    return flip(scene), identity


def _draw(scene: Grid) -> tuple[Drawing, ...]:
    return draw(PLAIN, scene)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/circle-right-triangle",
        version=4,
        summary="Decide whether a triangle is immediately to the right of a circle.",
        sample=_sample_adjacent,
        draw=_draw,
        ask=asking(
            "The image shows a grid with circles and triangles in some of its cells.",
            "Is there, anywhere in the grid, a triangle in the cell immediately to the right of a circle, in the same row?",
            _key_right,
        ),
        rederive=lambda drawings, _: _read_right(*drawings),
        answers=equally_likely("yes-no", 2),
        skills=SKILLS["circle-right-triangle"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["circle-right-triangle"]),
        paper=PAPERS["circle-right-triangle"],
        checks=Checks(symmetries=(_flip_rows,), shortcuts=shortcuts.BESIDE),
        reasoning=reasoning.beside(PLAIN).of(_draw, _key_right),
    ),
)
