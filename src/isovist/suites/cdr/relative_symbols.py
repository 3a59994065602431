"""Spatial and compass direction from one letter or number to another (Table II, rows 7, 8, 10 and 11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.core.task import PICTURES, Checks, Images, Preset, Question, Reasoning, SamplingContext, Task
from isovist.suites.cdr import cot, layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Symbols
from isovist.suites.cdr.options import ORDER, choice, compass_rotation, direction_name, directions, renamed, rotated
from isovist.suites.cdr.rederivation import rederive
from isovist.suites.cdr.shared_parts import BY_LAYOUT, DIRECTIONS, DIRECTIONS_REPORTED, PAPER, wording
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, opposite
from isovist.world.scenes.grid import direction_between

_SPATIAL_SKILLS = ("symbol recognition", "relative position")
_COMPASS_SKILLS = (*_SPATIAL_SKILLS, "frame rotation", "compass naming")


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Symbols
    symbol_kind: str  # letter or number
    origin_cell: int
    target_cell: int
    up_direction: int | None  # the compass direction of the image top, for compass questions
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.symbol_kind} {self.layout.cells[self.origin_cell]}"

    @property
    def target(self) -> str:
        return f"the {self.symbol_kind} {self.layout.cells[self.target_cell]}"

    @property
    def place(self) -> int:
        """The image direction of the target from the origin."""
        return direction_between(self.origin_cell, self.target_cell)

    @property
    def answer(self) -> str:
        return direction_name(self.place, self.up_direction)


Transformed = tuple[Scene, Callable[[str], str]]
"""A changed scene, and the change of the answer."""


def sample(plan: SamplingContext, vocabulary: tuple[str, ...], noun: str, *, compass: bool) -> Scene:
    """Return two neighbours and, for compass questions, a premise; the answer is balanced by the stratum."""
    layout, _ = layouts.symbols(plan, vocabulary)
    up = plan.item_stratum("premise", 8) if compass else None
    place = (plan.stratum - (up or 0)) % 8
    # one order for all questions about an image, so that no question occurs twice
    questions = [(pair, phrasing) for pair in layout.pairs(place) for phrasing in range(question_templates.PHRASINGS)]
    (origin, target), phrasing = plan.image_rng.at("asked", place).shuffled(questions)[plan.question_index % len(questions)]
    return Scene(layout, noun, origin, target, up, directions(plan, plan.stratum, compass=compass), phrasing)


def question(scene: Scene) -> Question:
    if scene.up_direction is None:
        text = question_templates.SPATIAL_RELATION[scene.phrasing].format(origin=scene.origin, target=scene.target)
    else:
        top = COMPASS_DIRECTIONS[scene.up_direction]
        text = question_templates.COMPASS_RELATION[scene.phrasing].format(origin=scene.origin, target=scene.target, compass=top)
    return Question(text, choice(scene.options, scene.answer))


def swap(scene: Scene) -> Transformed:  # origin and target are swapped: the answer is the opposite direction
    return replace(scene, origin_cell=scene.target_cell, target_cell=scene.origin_cell), renamed(opposite)


def rotate_90(scene: Scene) -> Transformed:  # the grid and the answer rotate by 90 degrees clockwise
    def rotated_cell(cell: int) -> int:
        row, column = divmod(cell, 3)
        return column * 3 + 2 - row

    cells = [""] * 9
    for cell, symbol in enumerate(scene.layout.cells):
        cells[rotated_cell(cell)] = symbol
    layout = Symbols(tuple(cells))
    return replace(scene, layout=layout, origin_cell=rotated_cell(scene.origin_cell), target_cell=rotated_cell(scene.target_cell)), renamed(
        rotated, 2
    )


def rotate_compass(scene: Scene) -> Transformed:  # the compass rotates, the grid does not
    assert scene.up_direction is not None
    return replace(scene, up_direction=(scene.up_direction + 3) % 8), renamed(rotated, 3)


def attributes(scene: Scene) -> dict[str, str]:
    n_symbols = sum(bool(symbol) for symbol in scene.layout.cells)
    relation = "diagonal" if scene.place % 2 else "axis-aligned"
    return {"symbols in the image": str(n_symbols), "relation": relation} | compass_rotation(scene.up_direction) | wording(scene)


_REPORTED = replace(DIRECTIONS_REPORTED, attributes=attributes)
_LETTERS = {"test": Preset(4080, {"pictures": 1275}), "train": Preset(50_176, {"pictures": 12_495})}
_NOT_STATED = "the paper does not state this number of questions; as many as for letters"

TASKS = (
    Task(
        id="cdr/relative-spatial-letter",
        version=2,
        summary="Name the image direction from one letter to another.",
        sample=lambda plan: sample(plan, layouts.letters(plan), "letter", compass=False),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_SPATIAL_SKILLS,
        settings={"order": ORDER, "pictures": PICTURES, "letters": layouts.LETTERS},
        images=Images(family=layouts.FAMILY_LETTERS),
        sampling=BY_LAYOUT,
        paper=replace(PAPER, source="CDR, Table I rows 4 and Table II row 7", sizes=_LETTERS),
        reported=_REPORTED,
        checks=Checks(symmetries=(swap, rotate_90), shortcuts=shortcuts.SYMBOLS),
        reasoning=Reasoning(cot.of_symbols, cot.replay_symbols),
    ),
    Task(
        id="cdr/relative-spatial-number",
        version=2,
        summary="Name the image direction from one number to another.",
        sample=lambda plan: sample(plan, layouts.NUMBERS, "number", compass=False),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_SPATIAL_SKILLS,
        settings={"order": ORDER, "pictures": PICTURES},
        images=Images(family=layouts.FAMILY_NUMBERS),
        sampling=BY_LAYOUT,
        paper=replace(
            PAPER, source="CDR, Table I rows 4 and Table II row 8", sizes={"test": Preset(4080, {"pictures": 1275}, _NOT_STATED)}
        ),
        reported=_REPORTED,
        checks=Checks(symmetries=(swap, rotate_90), shortcuts=shortcuts.SYMBOLS),
        reasoning=Reasoning(cot.of_symbols, cot.replay_symbols),
    ),
    Task(
        id="cdr/relative-compass-letter",
        version=2,
        summary="Name the compass direction from one letter to another on a rotated map.",
        sample=lambda plan: sample(plan, layouts.letters(plan), "letter", compass=True),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_COMPASS_SKILLS,
        settings={"order": ORDER, "pictures": PICTURES, "letters": layouts.LETTERS},
        images=Images(family=layouts.FAMILY_LETTERS),
        sampling=BY_LAYOUT,
        paper=replace(PAPER, source="CDR, Table I rows 6-7 and Table II row 10", sizes=_LETTERS),
        reported=replace(_REPORTED, prerequisite="cdr/step-turned-frame-letter"),
        checks=Checks(symmetries=(swap, rotate_90, rotate_compass), shortcuts=shortcuts.SYMBOLS),
        reasoning=Reasoning(cot.of_symbols, cot.replay_symbols),
    ),
    Task(
        id="cdr/relative-compass-number",
        version=2,
        summary="Name the compass direction from one number to another on a rotated map.",
        sample=lambda plan: sample(plan, layouts.NUMBERS, "number", compass=True),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_COMPASS_SKILLS,
        settings={"order": ORDER, "pictures": PICTURES},
        images=Images(family=layouts.FAMILY_NUMBERS),
        sampling=BY_LAYOUT,
        paper=replace(PAPER, source="CDR, Table I rows 6-7 and Table II row 11", sizes={"test": Preset(5120, {"pictures": 1275})}),
        reported=_REPORTED,
        checks=Checks(symmetries=(swap, rotate_90, rotate_compass), shortcuts=shortcuts.SYMBOLS),
        reasoning=Reasoning(cot.of_symbols, cot.replay_symbols),
    ),
)
