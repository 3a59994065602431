"""Relative spatial and compass direction of two letters or numbers (Table II, rows 7, 8, 10 and 11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.core.task import PICTURES, Preset, Question, SamplingContext, Task
from isovist.scenes.compass import COMPASS_DIRECTIONS, opposite
from isovist.scenes.grid import neighbours
from isovist.suites.cdr import cot, layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Symbols
from isovist.suites.cdr.options import choice, direction_name, directions, renamed, turn_of_the_compass, turned
from isovist.suites.cdr.task_factory import direction

_SPATIAL_SKILLS = ("symbol recognition", "relative position")
_COMPASS_SKILLS = (*_SPATIAL_SKILLS, "frame rotation", "compass naming")


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Symbols
    symbol_kind: str  # letter or number
    origin_cell: int
    target_cell: int
    up_direction: int | None  # the wind of the picture's upper side, if the question is about the compass
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
        """The direction of the target from the origin in the picture."""
        pair = (self.origin_cell, self.target_cell)
        return next(direction for direction, pairs in enumerate(neighbours()) if pair in pairs)

    @property
    def answer(self) -> str:
        return direction_name(self.place, self.up_direction)


Moved = tuple[Scene, Callable[[str], str]]
"""A changed scene, and what that does to the answer."""


def sample(plan: SamplingContext, vocabulary: tuple[str, ...], noun: str, *, compass: bool) -> Scene:
    """Two neighbours and, for the compass, a premise; the answer is that of the plan's cell."""
    layout, _ = layouts.symbols(plan, vocabulary)
    up = plan.item_stratum("premise", 8) if compass else None
    place = (plan.stratum - (up or 0)) % 8
    # in one order for all questions about a picture, so that none comes twice
    asked = [(pair, phrasing) for pair in layout.pairs(place) for phrasing in range(question_templates.PHRASINGS)]
    (origin, target), phrasing = plan.image_rng.at("asked", place).shuffled(asked)[plan.question_index % len(asked)]
    return Scene(layout, noun, origin, target, up, directions(plan, plan.stratum, compass=compass), phrasing)


def ask(scene: Scene) -> Question:
    if scene.up_direction is None:
        text = question_templates.SPATIAL_RELATION[scene.phrasing].format(origin=scene.origin, target=scene.target)
    else:
        wind = COMPASS_DIRECTIONS[scene.up_direction]
        text = question_templates.COMPASS_RELATION[scene.phrasing].format(origin=scene.origin, target=scene.target, wind=wind)
    return Question(text, choice(scene.options, scene.answer))


def swap(scene: Scene) -> Moved:  # the other way round is the opposite direction
    return replace(scene, origin_cell=scene.target_cell, target_cell=scene.origin_cell), renamed(opposite)


def quarter_turn(scene: Scene) -> Moved:  # the whole picture turns a quarter clockwise, and so does the answer
    def moved(cell: int) -> int:
        row, column = divmod(cell, 3)
        return column * 3 + 2 - row

    cells = [""] * 9
    for cell, symbol in enumerate(scene.layout.cells):
        cells[moved(cell)] = symbol
    layout = Symbols(tuple(cells))
    return replace(scene, layout=layout, origin_cell=moved(scene.origin_cell), target_cell=moved(scene.target_cell)), renamed(turned, 2)


def other_premise(scene: Scene) -> Moved:  # the compass turns over the picture
    assert scene.up_direction is not None
    return replace(scene, up_direction=(scene.up_direction + 3) % 8), renamed(turned, 3)


def facets(scene: Scene) -> dict[str, str]:
    symbols = sum(bool(symbol) for symbol in scene.layout.cells)
    return {"symbols in the picture": str(symbols), "way": "slanted" if scene.place % 2 else "straight"} | turn_of_the_compass(
        scene.up_direction
    )


def _task(noun: str, vocabulary: tuple[str, ...], *, compass: bool, row: int, paper: dict[str, Preset]) -> Task[Scene]:
    return direction(
        f"relative-{'compass' if compass else 'spatial'}-{noun}",
        f"Name the compass direction from one {noun} to another on a rotated map."
        if compass
        else f"Name the image direction from one {noun} to another.",
        lambda plan: sample(plan, vocabulary or layouts.letters(plan), noun, compass=compass),
        layouts.draw_symbols,
        ask,
        version=1,
        image_family=layouts.FAMILY_NUMBERS if vocabulary else layouts.FAMILY_LETTERS,
        skills=_COMPASS_SKILLS if compass else _SPATIAL_SKILLS,
        source=f"CDR, Table I rows {'6-7' if compass else '4'} and Table II row {row}",
        settings={"pictures": PICTURES} if vocabulary else {"pictures": PICTURES, "letters": layouts.LETTERS},
        prerequisite="cdr/step-turned-frame-letter" if compass and noun == "letter" else "",
        attributes=facets,
        symmetries=(swap, quarter_turn, other_premise) if compass else (swap, quarter_turn),
        shortcuts=shortcuts.SYMBOLS,
        chain_of_thought=cot.of_symbols,
        verify_chain=cot.replay_symbols,
        published_sizes=paper,
    )


_LETTERS = {"test": Preset(4080, {"pictures": 1275}), "train": Preset(50_176, {"pictures": 12_495})}
_UNTOLD = "the paper does not tell this number of questions; as many as for letters"

TASKS = (
    _task("letter", (), compass=False, row=7, paper=_LETTERS),
    _task("number", layouts.NUMBERS, compass=False, row=8, paper={"test": Preset(4080, {"pictures": 1275}, _UNTOLD)}),
    _task("letter", (), compass=True, row=10, paper=_LETTERS),
    _task("number", layouts.NUMBERS, compass=True, row=11, paper={"test": Preset(5120, {"pictures": 1275})}),
)
