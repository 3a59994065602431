"""Maze navigation: right turns, all turns, and the position of the exit (section 3.4, after Maze-Nav of SpatialEval).

The three tasks use the same mazes, which `maze_sampling` samples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from isovist.core.answers import Choice, YesNo
from isovist.core.drawing2d import Drawing
from isovist.core.reasoning.templates import phrasing
from isovist.core.rng import Rng
from isovist.core.task import (
    Answers,
    Checks,
    Exemption,
    Images,
    Paper,
    Preset,
    Question,
    Reasoning,
    Sampling,
    SamplingContext,
    Setting,
    Task,
    identity,
)
from isovist.suites.srbench import cot_maze, shortcuts
from isovist.suites.srbench.cot_maze import PLACES
from isovist.suites.srbench.maze_common import (
    END,
    PIXELS,
    START,
    Maze,
    Sheet,
    count_turns,
    draw,
    legend,
    read_blocks,
    solution_path,
    turn_counts,
)
from isovist.suites.srbench.maze_sampling import LEVELS, OPTIONS, drawn_sheet
from isovist.suites.srbench.published_prompt import PUBLISHED_PROMPT
from isovist.suites.srbench.published_scorer import published
from isovist.world.scenes import compass
from isovist.world.scenes import maze as blockmaze
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.maze import Block

_HASHED_BLOCKS = 8  # blocks of the path that determine the phrasing of a chain of thought: the whole scene would take too long
_FORM = Setting("picture", "form of the maze: image (picture), letters in the question (text), or both", ("picture", "text", "both"))


@dataclass(frozen=True, slots=True)
class Counting:
    """A question about the number of turns."""

    sheet: Sheet
    rights_only: bool
    options: tuple[int, ...]

    @property
    def truth(self) -> int:
        return turn_counts(self.sheet.maze)[0 if self.rights_only else 1]


def _sample_counting(plan: SamplingContext, *, rights_only: bool) -> Counting:
    """Sample the options: numbers of turns that paths with the same ends can have, each equally likely."""
    sheet, size = drawn_sheet(plan), LEVELS[plan.level]
    truth = Counting(sheet, rights_only, ()).truth
    ends, _ = size.cells[plan.image_stratum("turns", len(size.cells))]
    others = [number for number in number_options(plan.item_rng, ends.counts(rights_only=rights_only), OPTIONS, truth) if number != truth]
    return Counting(sheet, rights_only, with_key_at(plan.stratum, truth, others, plan.item_rng))


_MARKED = "You walk from S to E along the marked path."
_UNMARKED = "You walk from S to E along the only path that visits no block more than once."
_STEP = "Each step moves you one block up, down, left or right."
_RIGHT = "A right turn is a change of direction by 90° clockwise, as seen from above. How many right turns do you make?"
_TURN = "A turn is a change of direction by 90° to the left or to the right. How many turns do you make in total?"


def number_options(rng: Rng, counts: Mapping[int, int], n: int, truth: int) -> list[int]:
    """Return `n` numbers including the correct one, such that the numbers and their frequencies give no information about the key.

    The numbers are arcs of a circle, with lengths proportional to their frequencies (`counts`). A random point in the arc of the correct
    number and `n - 1` further points at equal distances select the options. No arc may be so long that it contains two points.
    """
    spacing = sum(counts.values())
    circle = [number for number, count in counts.items() for _ in range(count * n)]
    point = rng.pick([position for position, number in enumerate(circle) if number == truth])
    return [circle[(point + k * spacing) % len(circle)] for k in range(n)]


def _ask_counting(scene: Counting) -> Question:
    route = _MARKED if scene.sheet.marked else _UNMARKED
    return Question(f"{legend(scene.sheet)}\n{route} {_STEP} {_RIGHT if scene.rights_only else _TURN}", _counting_key(scene))


def _counting_key(scene: Counting) -> Choice:
    return Choice(tuple(map(str, scene.options)), scene.options.index(scene.truth))


def _read_counting(pictures: tuple[Drawing, ...], text: str) -> str:
    try:
        rights, lefts = count_turns(solution_path(read_blocks(pictures, text)))
    except ValueError as error:
        return str(error)
    return str(rights if _RIGHT in text else rights + lefts)


def _explain_counting(scene: Counting) -> str:
    return cot_maze.explain_path(
        scene.sheet, scene.rights_only, _counting_key(scene), phrasing(scene.sheet.maze.path[:_HASHED_BLOCKS], str(scene.options))
    )


def _verify_counting(scene: Counting, text: str) -> list[str]:
    return cot_maze.verify_path(scene.sheet, scene.rights_only, _counting_key(scene), text)


@dataclass(frozen=True, slots=True)
class Position:
    """A question whether E is in a given direction from S (an index as in `scenes.compass`)."""

    sheet: Sheet
    asked_direction: int


_ALIGNED = ("in the same column of blocks", "in the same row of blocks")
_DIAGONAL = "in a different row and a different column of blocks"
_POSITION_QUESTION = "In the maze as shown, is E {place} S, {alignment}?"
_POSITION_PATTERN = re.compile(_POSITION_QUESTION.replace("?", r"\?").format(place="(.+)", alignment="in .+"))


def _toward(maze: Maze) -> int:
    (row, column), (end_row, end_column) = maze.path[0], maze.path[-1]
    signs = ((end_row > row) - (end_row < row), (end_column > column) - (end_column < column))
    return compass.STEPS.index(signs)


def _sample_position(plan: SamplingContext) -> Position:
    """Sample a position item: half are yes, and all eight directions occur equally often with either answer.

    An incorrect direction is 90 degrees from a correct diagonal direction, and opposite to a correct direction along a row or column.
    Therefore it gives no information whether start and exit are in one row or column.
    """
    sheet = drawn_sheet(plan)
    toward = _toward(sheet.maze)
    wrong = ((toward + 2) % 8, (toward - 2) % 8)[plan.item_stratum("wrong", 2)] if toward % 2 else compass.opposite(toward)
    return Position(sheet, toward if plan.stratum else wrong)


def _ask_position(scene: Position) -> Question:
    alignment = _DIAGONAL if scene.asked_direction % 2 else _ALIGNED[scene.asked_direction // 2 % 2]
    text = _POSITION_QUESTION.format(place=PLACES[scene.asked_direction], alignment=alignment)
    return Question(f"{legend(scene.sheet)}\n{text}", YesNo(_toward(scene.sheet.maze) == scene.asked_direction))


def _read_position(pictures: tuple[Drawing, ...], text: str) -> str:
    try:
        blocks = {sign: block for block, sign in read_blocks(pictures, text).items() if sign in (START, END)}
    except ValueError as error:
        return str(error)
    asked = _POSITION_PATTERN.search(text)
    assert asked, text
    (row, column), (end_row, end_column) = blocks[START], blocks[END]
    holds = {"above": end_row < row, "below": end_row > row, "left": end_column < column, "right": end_column > column}
    stated = {side: side in asked[1].split() for side in holds}
    return "yes" if holds == stated else "no"


def _explain_position(scene: Position) -> str:
    key = YesNo(_toward(scene.sheet.maze) == scene.asked_direction)
    return cot_maze.explain_position(
        scene.sheet, PLACES[scene.asked_direction], key, phrasing(scene.sheet.maze.path[:_HASHED_BLOCKS], str(scene.asked_direction))
    )


def _verify_position(scene: Position, text: str) -> list[str]:
    key = YesNo(_toward(scene.sheet.maze) == scene.asked_direction)
    return cot_maze.verify_position(scene.sheet, PLACES[scene.asked_direction], key, text)


def _moved(sheet: Sheet, move: Callable[[Block, int], Block], *, backwards: bool = False) -> Sheet:
    """Return the sheet with every block moved, and with start and exit exchanged if `backwards`."""
    maze = sheet.maze
    path = [move(block, maze.side) for block in maze.path]
    free = sorted(move(block, maze.side) for block in maze.free_cells)
    return replace(sheet, maze=Maze(maze.side, tuple(reversed(path) if backwards else path), tuple(free)))


def _rotated_90(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    return replace(scene, sheet=_moved(scene.sheet, blockmaze.rotated)), identity


def _mirrored_and_backwards(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    """Mirror the maze and reverse the path: each alone exchanges left and right turns; together they change nothing."""
    return replace(scene, sheet=_moved(scene.sheet, blockmaze.mirrored, backwards=True)), identity


def _mirrored(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    """Mirror the maze: left turns become right turns. If no option has the new number, it replaces the old key."""
    rights, total = turn_counts(scene.sheet.maze)
    truth = total - rights if scene.rights_only else total
    options = scene.options if truth in scene.options else tuple(truth if n == scene.truth else n for n in scene.options)
    return Counting(_moved(scene.sheet, blockmaze.mirrored), scene.rights_only, options), lambda _: str(truth)


def _rotated_position(scene: Position) -> tuple[Position, Callable[[str], str]]:
    return Position(_moved(scene.sheet, blockmaze.rotated), (scene.asked_direction + 2) % 8), identity


def _swapped(scene: Position) -> tuple[Position, Callable[[str], str]]:
    """Exchange start and exit: the question names the opposite direction."""
    return Position(_moved(scene.sheet, lambda block, _: block, backwards=True), compass.opposite(scene.asked_direction)), identity


_IMAGES: Images[Any] = Images(family="srbench/maze-nav", size_px=PIXELS, colour_vision="normal")  # the start is green and the exit red
_SAMPLING: Sampling[Any] = Sampling(layout=lambda scene: blockmaze.canonical(scene.sheet.maze.path))
_COUNTING_CHECKS = Checks(
    symmetries=(_rotated_90, _mirrored_and_backwards, _mirrored),
    features=shortcuts.PROFILES,
    exemptions={"glyph": Exemption("the path is one shape with as many corners as its turns need", 1.0)},
)


def _paper(n: int) -> Paper:
    """The paper, with `n` items of a task."""
    return Paper(
        source="SRBench, section 3.4 (SpatialEval, Maze-Nav)",
        prompt=PUBLISHED_PROMPT,
        scorer=published,
        sizes={"test": Preset(n, {"size": 1168}, "a third of the paper's 400 items, in the smallest size of maze", ("13x13",))},
    )


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="srbench/maze-nav-right-turns",
        version=4,
        summary="Count the right turns along the path through a maze.",
        sample=partial(_sample_counting, rights_only=True),
        draw=lambda scene: draw(scene.sheet),
        ask=_ask_counting,
        rederive=_read_counting,
        answers=Answers(type="choice", strata=OPTIONS, balance=lambda answer: answer.canonical()),
        skills=("path following", "turn counting", "left and right"),
        levels=tuple(LEVELS),
        settings={"form": _FORM},
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=_paper(133),
        checks=replace(_COUNTING_CHECKS, shortcuts=shortcuts.RIGHT_TURNS),
        reasoning=Reasoning(_explain_counting, _verify_counting),
    ),
    Task(
        id="srbench/maze-nav-turns",
        version=4,
        summary="Count all turns along the path through a maze.",
        sample=partial(_sample_counting, rights_only=False),
        draw=lambda scene: draw(scene.sheet),
        ask=_ask_counting,
        rederive=_read_counting,
        answers=Answers(type="choice", strata=OPTIONS, balance=lambda answer: answer.canonical()),
        skills=("path following", "turn counting"),
        levels=tuple(LEVELS),
        settings={"form": _FORM},
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=_paper(133),
        checks=replace(_COUNTING_CHECKS, shortcuts=shortcuts.TURNS),
        reasoning=Reasoning(_explain_counting, _verify_counting),
    ),
    Task(
        id="srbench/maze-nav-position",
        version=4,
        summary="Decide whether the exit of a maze is in a given direction from the start.",
        sample=_sample_position,
        draw=lambda scene: draw(scene.sheet),
        ask=_ask_position,
        rederive=_read_position,
        answers=Answers(type="yes-no", strata=2),
        skills=("relative position",),
        levels=tuple(LEVELS),
        settings={"form": _FORM},
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=_paper(134),
        checks=Checks(symmetries=(_rotated_position, _swapped), shortcuts=shortcuts.POSITION),
        reasoning=Reasoning(_explain_position, _verify_position),
    ),
)
