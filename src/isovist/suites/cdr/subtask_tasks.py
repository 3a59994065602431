"""Subtasks of relative compass reasoning on the images of the letter tasks, to find the first one that fails.

Identifying a letter is `object-classification-letter`, the relation of two letters `relative-spatial-letter`, the full question
`relative-compass-letter`. This module has the subtasks between them: to locate a grid cell, to name compass directions on a north-up
map, and to rotate the compass. Each shares its image and its key with a related task: the letter in the cell is the key of the
classification at the same place, the north-up letters are those of the relation, and the compass direction of the rotated frame is that
of the full question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from isovist.core.task import PICTURES, Question, SamplingContext
from isovist.suites.cdr import layouts, question_templates, relative_symbols, shortcuts
from isovist.suites.cdr.layouts import Symbols
from isovist.suites.cdr.options import arranged, choice, compass_rotation, directions
from isovist.suites.cdr.published_prompt import SUBTASK
from isovist.suites.cdr.relative_symbols import Scene
from isovist.suites.cdr.task_factory import OF_FOUR, classification, direction
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, TOWARD

_NOUN = "letter"
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
    shown = present[plan.question_index % len(present)]  # the key of the classification at the same place
    cell = layout.cells.index(shown)
    options = arranged(plan, shown, [layout.cells[other] for other in plan.item_rng.pick(_wrong_cells(layout, cell))])
    return CellScene(layout, cell, options, question_templates.phrasing(plan))


def _wrong_cells(layout: Symbols, cell: int) -> list[tuple[int, ...]]:
    """Return the possible cells of the wrong options: with the key, two rows by two columns, if all four cells are filled.

    Row and column are then both necessary, and the options alone do not determine the key. If there are no such cells, one wrong option is
    in the same row and one in the same column, as far as possible.
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
    least = min(map(far, triples))
    return [others for others in triples if far(others) == least]


def _cell_question(scene: CellScene) -> Question:
    row, column = divmod(scene.cell, 3)
    text = question_templates.CELL[scene.phrasing].format(noun=_NOUN, row=_ROWS[row], column=_COLUMNS[column])
    return Question(text, choice(scene.options, scene.answer))


def _upside_down(scene: CellScene):  # the grid and the cell rotate by 180 degrees
    return replace(scene, layout=Symbols(scene.layout.cells[::-1]), cell=8 - scene.cell), str


def _sample_north_up(plan: SamplingContext) -> Scene:
    scene = relative_symbols.sample(plan, layouts.letters(plan), _NOUN, compass=False)
    return replace(scene, up_direction=0, options=directions(plan, plan.stratum, compass=True))


def _rotated_question(scene: Scene) -> Question:
    assert scene.up_direction is not None
    text = question_templates.ROTATED_FRAME[scene.phrasing].format(
        compass=COMPASS_DIRECTIONS[scene.up_direction], toward=TOWARD[scene.place]
    )
    return Question(text, choice(scene.options, scene.answer))


def _cell_attributes(scene: CellScene) -> dict[str, str]:
    return {"symbols in the image": str(sum(bool(symbol) for symbol in scene.layout.cells))}


def _north_up_attributes(scene: Scene) -> dict[str, str]:
    return relative_symbols.attributes(replace(scene, up_direction=None))


def _rotated_attributes(scene: Scene) -> dict[str, str]:
    return {"relation": "diagonal" if scene.place % 2 else "axis-aligned"} | compass_rotation(scene.up_direction)


_SHARED: dict[str, Any] = {
    "image_family": layouts.FAMILY_LETTERS,
    "source": "Isovist: one subtask of the paper's relative compass reasoning",
}
_SETTINGS = {"pictures": PICTURES, "letters": layouts.LETTERS}

TASKS = (
    classification(
        "step-cell-letter",
        "Identify the letter in a grid cell given by row and column.",
        _sample_cell,
        layouts.draw_symbols,
        _cell_question,
        version=3,
        strata=18,
        prerequisite="cdr/object-classification-letter",
        skills=("symbol recognition", "position in a grid"),
        settings=_SETTINGS,
        attributes=_cell_attributes,
        symmetries=(_upside_down,),
        shortcuts=shortcuts.CELL,
        **_SHARED,
        published_prompt=SUBTASK,
    ),
    direction(
        "step-north-up-letter",
        "Name the compass direction from one letter to another on a north-up map.",
        _sample_north_up,
        layouts.draw_symbols,
        relative_symbols.question,
        version=2,
        prerequisite="cdr/relative-spatial-letter",
        shared_design=("cdr/relative-spatial-letter", 2),
        skills=("symbol recognition", "relative position", "compass naming"),
        settings=_SETTINGS,
        attributes=_north_up_attributes,
        symmetries=(relative_symbols.swap, relative_symbols.rotate_90),
        shortcuts=shortcuts.SYMBOLS,
        **_SHARED,
        published_prompt=SUBTASK,
    ),
    direction(
        "step-turned-frame-letter",
        "Name the compass direction of an image direction on a rotated map.",
        lambda plan: relative_symbols.sample(plan, layouts.letters(plan), _NOUN, compass=True),
        layouts.draw_symbols,
        _rotated_question,
        version=2,
        shared_design=("cdr/relative-compass-letter", 2),
        skills=("frame rotation", "compass naming"),
        settings=_SETTINGS,
        attributes=_rotated_attributes,
        symmetries=(relative_symbols.rotate_compass,),
        audit_exemptions={"words": "the text states the premise and the direction: this subtask needs no image"},
        **_SHARED,
        published_prompt=SUBTASK,
    ),
)
