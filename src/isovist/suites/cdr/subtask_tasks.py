"""The steps of relative compass reasoning one by one, on the pictures of the letter tasks: which of them is the first to fail?

Seeing a letter is `object-classification-letter`, the relation of two letters `relative-spatial-letter`, the whole
`relative-compass-letter`. Here are the steps between: to find a cell of the grid, to name winds while north is up, and to turn the
frame. Each shares its picture and its question's subject with the task that it is a step from or to: what is in the cell is the
letter that the classification of the same place asks for, the two letters north-up are those of the relation, and the turned
frame's wind is that of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from isovist.core.task import PICTURES, Question, SamplingContext
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS
from isovist.suites.cdr import layouts, question_templates, relative_symbols, shortcuts
from isovist.suites.cdr.layouts import Symbols
from isovist.suites.cdr.options import arranged, choice, directions, turn_of_the_compass
from isovist.suites.cdr.relative_symbols import Scene
from isovist.suites.cdr.task_factory import OF_FOUR, classification, direction

_WHAT = "letter"
_ROWS, _COLUMNS = ("top", "middle", "bottom"), ("left", "middle", "right")


@dataclass(frozen=True, slots=True)
class CellScene:
    layout: Symbols
    cell: int  # row * 3 + column
    options: tuple[str, ...]
    phrasing: int

    @property
    def answer(self) -> str:
        return self.layout.cells[self.cell]


def _sample_cell(plan: SamplingContext) -> CellScene:
    layout, present = layouts.symbols(plan, layouts.letters(plan))
    shown = present[plan.question_index % len(present)]  # the one that the classification of this place asks for
    cell = layout.cells.index(shown)
    options = arranged(plan, shown, [layout.cells[other] for other in plan.item_rng.pick(_others(layout, cell))])
    return CellScene(layout, cell, options, question_templates.phrasing(plan))


def _others(layout: Symbols, cell: int) -> list[tuple[int, ...]]:
    """The cells of wrong options: with the right one they are where two rows cross two columns, if all four are filled.

    So row and column are both needed, and which of the four is right the options do not tell. Where there are no such cells, one is in the
    same row and one in the same column, or nearly so.
    """
    filled = [other for other in range(9) if layout.cells[other] and other != cell]
    row, column = divmod(cell, 3)
    squares = [(3 * row + c, 3 * r + column, 3 * r + c) for r in range(3) for c in range(3) if r != row and c != column]
    whole = [square for square in squares if set(square) <= set(filled)]
    if whole:
        return whole

    def far(others: tuple[int, ...]) -> int:
        return abs(sum(position // 3 == row for position in others) - 1) + abs(sum(position % 3 == column for position in others) - 1)

    triples = list(combinations(filled, OF_FOUR - 1))
    return [others for others in triples if far(others) == min(map(far, triples))]


def _ask_cell(scene: CellScene) -> Question:
    row, column = divmod(scene.cell, 3)
    text = question_templates.CELL[scene.phrasing].format(what=_WHAT, row=_ROWS[row], column=_COLUMNS[column])
    return Question(text, choice(scene.options, scene.answer))


def _upside_down(scene: CellScene):  # the picture turns by half a turn, and the cell asked for turns with it
    return replace(scene, layout=Symbols(scene.layout.cells[::-1]), cell=8 - scene.cell), str


def _sample_north_up(plan: SamplingContext) -> Scene:
    scene = relative_symbols.sample(plan, layouts.letters(plan), _WHAT, compass=False)
    return replace(scene, up_direction=0, options=directions(plan, plan.stratum, compass=True))


def _ask_turned(scene: Scene) -> Question:
    assert scene.up_direction is not None
    text = question_templates.TURNED_FRAME[scene.phrasing].format(
        wind=COMPASS_DIRECTIONS[scene.up_direction], place=IMAGE_DIRECTIONS[scene.place]
    )
    return Question(text, choice(scene.options, scene.answer))


def _cell_facets(scene: CellScene) -> dict[str, str]:
    return {"symbols in the picture": str(sum(bool(symbol) for symbol in scene.layout.cells))}


def _north_up_facets(scene: Scene) -> dict[str, str]:
    return relative_symbols.facets(replace(scene, up_direction=None))


def _turned_facets(scene: Scene) -> dict[str, str]:
    return {"way": "slanted" if scene.place % 2 else "straight"} | turn_of_the_compass(scene.up_direction)


_SHARED: dict[str, Any] = {
    "image_family": layouts.FAMILY_LETTERS,
    "source": "ours: a step of the paper's relative compass reasoning by itself",
}
_SETTINGS = {"pictures": PICTURES, "letters": layouts.LETTERS}

TASKS = (
    classification(
        "step-cell-letter",
        "Identify the letter in a grid cell given by row and column.",
        _sample_cell,
        layouts.draw_symbols,
        _ask_cell,
        version=2,
        strata=18,
        prerequisite="cdr/object-classification-letter",
        skills=("symbol recognition", "place in a grid"),
        settings=_SETTINGS,
        attributes=_cell_facets,
        symmetries=(_upside_down,),
        shortcuts=shortcuts.CELL,
        **_SHARED,
    ),
    direction(
        "step-north-up-letter",
        "Name the compass direction from one letter to another on a north-up map.",
        _sample_north_up,
        layouts.draw_symbols,
        relative_symbols.ask,
        version=1,
        prerequisite="cdr/relative-spatial-letter",
        shared_design=("cdr/relative-spatial-letter", 1),
        skills=("symbol recognition", "relative position", "compass naming"),
        settings=_SETTINGS,
        attributes=_north_up_facets,
        symmetries=(relative_symbols.swap, relative_symbols.quarter_turn),
        shortcuts=shortcuts.SYMBOLS,
        **_SHARED,
    ),
    direction(
        "step-turned-frame-letter",
        "Name the compass direction of an image direction on a rotated map.",
        lambda plan: relative_symbols.sample(plan, layouts.letters(plan), _WHAT, compass=True),
        layouts.draw_symbols,
        _ask_turned,
        version=1,
        shared_design=("cdr/relative-compass-letter", 1),
        skills=("frame rotation", "compass naming"),
        settings=_SETTINGS,
        attributes=_turned_facets,
        symmetries=(relative_symbols.other_premise,),
        audit_exemptions={"words": "the premise and the direction are words: it is the step that needs no picture"},
        **_SHARED,
    ),
)
