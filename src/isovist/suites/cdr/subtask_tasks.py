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

from isovist.core.task import PICTURES, Answers, Checks, Exemption, Images, Paper, Question, Reported, SamplingContext, Task
from isovist.suites.cdr import layouts, question_templates, relative_symbols, shortcuts
from isovist.suites.cdr.layouts import Symbols
from isovist.suites.cdr.options import ORDER, arranged, choice, compass_rotation, directions
from isovist.suites.cdr.published_prompt import SUBTASK
from isovist.suites.cdr.rederivation import rederive
from isovist.suites.cdr.relative_symbols import Scene
from isovist.suites.cdr.shared_parts import BY_LAYOUT, DIRECTIONS, DIRECTIONS_REPORTED, OF_FOUR, wording
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
    return {"symbols in the image": str(sum(bool(symbol) for symbol in scene.layout.cells))} | wording(scene)


def _north_up_attributes(scene: Scene) -> dict[str, str]:
    return relative_symbols.attributes(replace(scene, up_direction=None))


def _rotated_attributes(scene: Scene) -> dict[str, str]:
    return {"relation": "diagonal" if scene.place % 2 else "axis-aligned"} | compass_rotation(scene.up_direction) | wording(scene)


_IMAGES: Images[Any] = Images(family=layouts.FAMILY_LETTERS)
_PAPER = Paper(source="Isovist: one subtask of the paper's relative compass reasoning", prompt=SUBTASK)

TASKS = (
    Task(
        id="cdr/step-cell-letter",
        version=3,
        summary="Identify the letter in a grid cell given by row and column.",
        sample=_sample_cell,
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_cell_question,
        rederive=rederive,
        answers=Answers(type="choice", strata=18, chance=1 / OF_FOUR),
        skills=("symbol recognition", "position in a grid"),
        settings={"pictures": PICTURES, "letters": layouts.LETTERS},
        images=_IMAGES,
        sampling=BY_LAYOUT,
        paper=_PAPER,
        reported=Reported(attributes=_cell_attributes, prerequisite="cdr/object-classification-letter"),
        checks=Checks(symmetries=(_upside_down,), shortcuts=shortcuts.CELL),
    ),
    Task(
        id="cdr/step-north-up-letter",
        version=2,
        summary="Name the compass direction from one letter to another on a north-up map.",
        sample=_sample_north_up,
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=relative_symbols.question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=("symbol recognition", "relative position", "compass naming"),
        settings={"order": ORDER, "pictures": PICTURES, "letters": layouts.LETTERS},
        images=_IMAGES,
        sampling=replace(BY_LAYOUT, design_of=("cdr/relative-spatial-letter", 2)),
        paper=_PAPER,
        reported=replace(DIRECTIONS_REPORTED, attributes=_north_up_attributes, prerequisite="cdr/relative-spatial-letter"),
        checks=Checks(symmetries=(relative_symbols.swap, relative_symbols.rotate_90), shortcuts=shortcuts.SYMBOLS),
    ),
    Task(
        id="cdr/step-turned-frame-letter",
        version=2,
        summary="Name the compass direction of an image direction on a rotated map.",
        sample=lambda plan: relative_symbols.sample(plan, layouts.letters(plan), _NOUN, compass=True),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_rotated_question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=("frame rotation", "compass naming"),
        settings={"order": ORDER, "pictures": PICTURES, "letters": layouts.LETTERS},
        images=_IMAGES,
        sampling=replace(BY_LAYOUT, design_of=("cdr/relative-compass-letter", 2)),
        paper=_PAPER,
        reported=replace(DIRECTIONS_REPORTED, attributes=_rotated_attributes),
        checks=Checks(
            symmetries=(relative_symbols.rotate_compass,),
            exemptions={"words": Exemption("the text states the premise and the direction: this subtask needs no image", 1.0)},
        ),
    ),
)
