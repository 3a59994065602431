"""Maze navigation: right turns, all turns, and where the exit lies from the start (section 3.4, by SpatialEval's Maze-Nav).

Three questions about the same mazes. How long the way is, how far the exit lies from the start, and how many blocks are free are
drawn first; then a way with the wanted turns that fits them, so that none of them tells the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from isovist.core.answers import Choice, YesNo
from isovist.core.drawing2d import Drawing
from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import Preset, Question, RejectSample, SamplingContext, Setting, Split, Task, identity, split_of_layout
from isovist.reasoning.templates import phrasing
from isovist.scenes import compass
from isovist.scenes import maze as blockmaze
from isovist.scenes.maze import Block, PathConstraints
from isovist.suites.srbench import cot_maze, shortcuts
from isovist.suites.srbench.cot_maze import PLACES
from isovist.suites.srbench.maze_common import END, PIXELS, START, Maze, Sheet, draw, legend, seen, turns, walked
from isovist.suites.srbench.maze_options import made, offered
from isovist.suites.srbench.published_scorer import published

_MAZES = 65_664  # of 7x7 blocks with a way that is asked about, both splits together
_FEW = 7  # blocks a side: so few mazes that the same would come again and again
_GROWN = 4  # mazes around a way
_BEGUN = 8  # blocks of the way that choose the words of a chain of thought: the whole scene would take as long as the chain
_TRIES = 60  # searches for a way with one length and end, before all is drawn anew


@dataclass(frozen=True, slots=True)
class Reach:
    """What is drawn before the turns, and says nothing of them."""

    steps: int  # of the way
    apart: int  # rows and columns from start to exit, in all
    free: int  # blocks of the maze


Turned = tuple[int, int]
"""How many right and how many left turns a way makes."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Ways whose last step has one heading as seen from the first: the difference of right and left turns is the same, up to fours.

    Whoever looks at both ends of a way knows this. Therefore how long ways are, and what is offered as their turns, depends on nothing
    else: every reach goes with every way of turning, and turns are all even or all odd.
    """

    turned: tuple[Turned, ...]  # as often as they come
    straight: tuple[Reach, ...]  # start and exit in one row or column
    diagonal: tuple[Reach, ...]

    def counts(self, *, rights_only: bool) -> dict[int, int]:
        """How often each number of right turns, or of all turns, comes."""
        return dict(sorted(Counter(right if rights_only else right + left for right, left in self.turned).items()))


@dataclass(frozen=True, slots=True)
class Size:
    """What ways are like in mazes of one size."""

    side: int
    corners: int  # of the outline of a maze, about: else more turns make more of them, and a larger file
    options: int
    ends: tuple[Ends, ...]  # each as often

    @property
    def cells(self) -> tuple[tuple[Ends, int], ...]:
        """The ends and, of their ways of turning, the one with this number: each as often."""
        return tuple((ends, nth) for ends in self.ends for nth in range(len(ends.turned)))


def _ends(
    fewest: int, straight: tuple[Reach, ...], diagonal: tuple[Reach, ...], ahead: tuple[tuple[Reach, ...], tuple[Reach, ...]] | None = None
) -> tuple[Ends, ...]:
    """Ends of all four kinds, with four even and four odd numbers of turns, each as often."""
    even, odd = (range(first, first + 8, 2) for first in (fewest + fewest % 2, fewest + 1 - fewest % 2))
    *some, most = even
    # many turns with as many to the right as to the left do not fit
    same = [(turns, more) for turns in some for more in (0, 0, 4, -4)] + [(most, more) for more in (4, 4, -4, -4)]
    kinds = (
        same,
        [(turns, more) for turns in odd for more in (1, 1, -3, -3)],
        [(turns, more) for turns in even for more in (2, 2, -2, -2)],
        [(turns, more) for turns in odd for more in (-1, -1, 3, 3)],
    )
    reaches = [ahead or (straight, diagonal), *[(straight, diagonal)] * 3]
    return tuple(
        Ends(tuple(((turns + more) // 2, (turns - more) // 2) for turns, more in kind), *reach)
        for kind, reach in zip(kinds, reaches, strict=True)
    )


_BACK = ((0, 2), (2, 0), (1, 3), (3, 1), (2, 4), (4, 2))
_ASIDE = ((0, 3), (0, 3), (1, 4), (3, 2), (2, 5), (2, 5))
SIZES = (
    Size(
        7, 16, 3,
        (
            Ends(_BACK * 2, (Reach(10, 4, 13), Reach(10, 4, 14), Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(9, 5, 13), Reach(9, 5, 14), Reach(10, 6, 13), Reach(10, 6, 14))),
            Ends(_ASIDE, (Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(11, 5, 13), Reach(11, 5, 14))),
            Ends(tuple((left, right) for right, left in _ASIDE), (Reach(11, 3, 13), Reach(11, 3, 14)), (Reach(11, 5, 13), Reach(11, 5, 14))),
        ),
    ),
    Size(9, 30, 4, _ends(3, (Reach(14, 4, 26), Reach(16, 4, 26)), (Reach(14, 6, 26),), ((Reach(16, 4, 26),), (Reach(16, 6, 26),)))),
    Size(11, 48, 4, _ends(5, (Reach(22, 4, 44), Reach(24, 4, 44)), (Reach(22, 8, 44), Reach(24, 8, 44)))),
    Size(15, 98, 4, _ends(9, (Reach(38, 6, 90), Reach(38, 8, 90)), (Reach(36, 10, 90), Reach(38, 12, 90), Reach(38, 10, 90)))),
)  # fmt: skip

_UNMARKED = "-unmarked"
_LEVELS = {f"{size.side}x{size.side}{more}": size for more in ("", _UNMARKED) for size in SIZES}
_FORM = Setting("picture", "how the maze is shown: in a picture, in letters, or in both", ("picture", "text", "both"))


def _sheet(plan: SamplingContext) -> Sheet:
    """The maze of an index: the same for all three questions, and in all forms. Of a small size none comes twice while there are others."""
    size = _LEVELS[plan.level]
    ends, nth = size.cells[plan.image_stratum("turns", len(size.cells))]
    toward = plan.image_stratum("direction", 8)
    reaches = ends.diagonal if toward % 2 else ends.straight
    # of the design, not of the stream: a way that is hard to find must not become rare
    nearer = plan.image_stratum("reach", len(reaches))
    kind = _Kind(plan.level, plan.split, ends.turned[nth], toward, reaches[nearer])
    if size.side > _FEW:
        maze = kind.draw(plan.image_rng)
    else:
        # cells of the same turns share a deck
        same = [k for k, turned in enumerate(ends.turned) if turned == ends.turned[nth]]
        place = plan.rank(("turns", len(size.cells)), ("direction", 8), ("reach", len(reaches))) * len(same) + same.index(nth)
        rights, lefts = ends.turned[nth]
        maze, _ = _deck(plan.stream("maze", rights, lefts, toward, len(reaches), nearer).key, kind).at(place)
    if maze is None:
        raise RejectSample
    return Sheet(plan.check_split(maze), not plan.level.endswith(_UNMARKED), str(plan.settings["form"]))


@dataclass(frozen=True, slots=True)
class _Kind:
    """Mazes of one split that are wanted alike."""

    level: str
    split: Split
    turned: Turned
    toward: int
    reach: Reach

    def draw(self, rng: Rng) -> Maze | None:
        """A maze around a fresh way: of a few, the one whose number of corners is nearest to that of its size."""
        size, reach = _LEVELS[self.level], self.reach
        way = blockmaze.way(rng, size.side, PathConstraints(reach.steps, *self.turned, self.toward, reach.apart), _TRIES)
        if way is None:
            return None
        grown = [blockmaze.grown(rng, size.side, way, reach.free) for _ in range(_GROWN)]
        for free in sorted(grown, key=lambda free: abs(blockmaze.corners(free) - size.corners)):
            maze = Maze(size.side, tuple(way), tuple(sorted(free)))
            if len(free) == reach.free and split_of_layout(maze) == self.split:
                return maze
        return None


@lru_cache(maxsize=1024)
def _deck(key: bytes, kind: _Kind) -> Deck[Maze]:
    return Deck(Rng.of(key), kind.draw, lambda maze: (maze,))


@dataclass(frozen=True, slots=True)
class Counting:
    """A number of turns to be chosen."""

    sheet: Sheet
    rights_only: bool
    options: tuple[int, ...]

    @property
    def truth(self) -> int:
        return made(self.sheet.maze)[0 if self.rights_only else 1]


def _sample_counting(plan: SamplingContext, *, rights_only: bool) -> Counting:
    """Numbers that ways with such ends may have, each of them as likely."""
    sheet, size = _sheet(plan), _LEVELS[plan.level]
    truth = Counting(sheet, rights_only, ()).truth
    ends, _ = size.cells[plan.image_stratum("turns", len(size.cells))]
    others = [number for number in offered(plan.item_rng, ends.counts(rights_only=rights_only), size.options, truth) if number != truth]
    others = plan.item_rng.shuffled(others)
    return Counting(sheet, rights_only, (*others[: plan.stratum], truth, *others[plan.stratum :]))


_RULES = "You walk from S to E{along}, each step to the next block up, down, left or right."
_RIGHT = "A right turn is a change of direction by 90 degrees clockwise, as seen from above. How many right turns do you make?"
_TURN = "A turn is a change of direction by 90 degrees, to the left or to the right. How many turns do you make in all?"


def _ask_counting(scene: Counting) -> Question:
    along = " along the marked way" if scene.sheet.marked else " on the only way that visits no block twice"
    asked = _RIGHT if scene.rights_only else _TURN
    return Question(f"{legend(scene.sheet)}\n{_RULES.format(along=along)} {asked}", _counted(scene))


def _counted(scene: Counting) -> Choice:
    return Choice(tuple(map(str, scene.options)), scene.options.index(scene.truth))


def _read_counting(pictures: tuple[Drawing, ...], words: str) -> str:
    try:
        rights, lefts = turns(walked(seen(pictures, words)))
    except ValueError as error:
        return str(error)
    return str(rights if _RIGHT in words else rights + lefts)


def _explain_counting(scene: Counting) -> str:
    return cot_maze.walk(scene.sheet, scene.rights_only, _counted(scene), phrasing(scene.sheet.maze.way[:_BEGUN], str(scene.options)))


def _replay_counting(scene: Counting, text: str) -> list[str]:
    return cot_maze.replay_walk(scene.sheet, scene.rights_only, _counted(scene), text)


@dataclass(frozen=True, slots=True)
class Position:
    """A direction (as in `scenes.compass`) in which E may lie from S."""

    sheet: Sheet
    asked: int


_STRAIGHT = ("in the same column", "in the same row")
_ASKED = re.compile(r"Is E (.+) S, in ")


def _toward(maze: Maze) -> int:
    (row, column), (end_row, end_column) = maze.way[0], maze.way[-1]
    signs = ((end_row > row) - (end_row < row), (end_column > column) - (end_column < column))
    return compass.STEPS.index(signs)


def _sample_position(plan: SamplingContext) -> Position:
    """Half yes; all eight directions are asked equally often, with either answer.

    A wrong direction shares one word with the right one, if that has two, and is the opposite else: so whether start and exit lie in one row or
    column says nothing.
    """
    sheet = _sheet(plan)
    toward = _toward(sheet.maze)
    wrong = ((toward + 2) % 8, (toward - 2) % 8)[plan.item_stratum("wrong", 2)] if toward % 2 else compass.opposite(toward)
    return Position(sheet, toward if plan.stratum else wrong)


def _ask_position(scene: Position) -> Question:
    where = "in another row and another column" if scene.asked % 2 else _STRAIGHT[scene.asked // 2 % 2]
    text = f"{legend(scene.sheet)}\nIs E {PLACES[scene.asked]} S, {where} of blocks?"
    return Question(text, YesNo(_toward(scene.sheet.maze) == scene.asked))


def _read_position(pictures: tuple[Drawing, ...], words: str) -> str:
    try:
        blocks = {sign: block for block, sign in seen(pictures, words).items() if sign in (START, END)}
    except ValueError as error:
        return str(error)
    asked = _ASKED.search(words)
    assert asked, words
    (row, column), (end_row, end_column) = blocks[START], blocks[END]
    holds = {"above": end_row < row, "below": end_row > row, "left": end_column < column, "right": end_column > column}
    stated = {side: side in asked[1].split() for side in holds}
    return "yes" if holds == stated else "no"


def _explain_position(scene: Position) -> str:
    key = YesNo(_toward(scene.sheet.maze) == scene.asked)
    return cot_maze.position(scene.sheet, PLACES[scene.asked], key, phrasing(scene.sheet.maze.way[:_BEGUN], str(scene.asked)))


def _replay_position(scene: Position, text: str) -> list[str]:
    key = YesNo(_toward(scene.sheet.maze) == scene.asked)
    return cot_maze.replay_position(scene.sheet, PLACES[scene.asked], key, text)


def _moved(sheet: Sheet, move: Callable[[Block, int], Block], *, backwards: bool = False) -> Sheet:
    """The sheet with every block moved, and start and exit swapped if it is walked backwards."""
    maze = sheet.maze
    way = [move(block, maze.side) for block in maze.way]
    free = sorted(move(block, maze.side) for block in maze.free)
    return replace(sheet, maze=Maze(maze.side, tuple(reversed(way) if backwards else way), tuple(free)))


def _quarter_turn(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    return replace(scene, sheet=_moved(scene.sheet, blockmaze.turned)), identity


def _mirrored_and_backwards(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    """Either alone makes right turns left ones; together they change nothing."""
    return replace(scene, sheet=_moved(scene.sheet, blockmaze.mirrored, backwards=True)), identity


def _mirrored(scene: Counting) -> tuple[Counting, Callable[[str], str]]:
    """Left turns count where right turns did; an option with their number stands in for the key, if none has it."""
    rights, total = made(scene.sheet.maze)
    truth = total - rights if scene.rights_only else total
    options = scene.options if truth in scene.options else tuple(truth if n == scene.truth else n for n in scene.options)
    return Counting(_moved(scene.sheet, blockmaze.mirrored), scene.rights_only, options), lambda _: str(truth)


def _turned_place(scene: Position) -> tuple[Position, Callable[[str], str]]:
    return Position(_moved(scene.sheet, blockmaze.turned), (scene.asked + 2) % 8), identity


def _swapped(scene: Position) -> tuple[Position, Callable[[str], str]]:
    """Start and exit swapped: the opposite is asked."""
    return Position(_moved(scene.sheet, lambda block, _: block, backwards=True), compass.opposite(scene.asked)), identity


def _task(name: str, n: int, **more: Any) -> Task[Any]:
    return Task(
        id=f"srbench/maze-nav-{name}",
        version=2,
        draw=lambda scene: draw(scene.sheet),
        layout=lambda scene: scene.sheet.maze,
        levels=tuple(_LEVELS),
        image_family="srbench/maze-nav",
        source="SRBench, section 3.4 (SpatialEval, Maze-Nav)",
        image_size_px=PIXELS,
        distinct={f"7x7{more}": _MAZES // 2 for more in ("", _UNMARKED)},
        settings={"form": _FORM},
        published_scorer=published,
        published_sizes={"test": Preset(n, {"size": 1168}, "a third of the paper's 400 items, in its one size of maze", ("7x7",))},
        **more,
    )


def _counting(name: str, summary: str, skills: tuple[str, ...], *, rights_only: bool) -> Task[Any]:
    def sample(plan: SamplingContext) -> Counting:
        return _sample_counting(plan, rights_only=rights_only)

    return _task(
        name,
        133,
        summary=summary,
        sample=sample,
        ask=_ask_counting,
        rederive=_read_counting,
        chain_of_thought=_explain_counting,
        verify_chain=_replay_counting,
        strata=tuple(size.options for size in _LEVELS.values()),
        balance=Choice.canonical,
        chance=sum(1 / size.options for size in _LEVELS.values()) / len(_LEVELS),
        answer_type="choice",
        symmetries=(_quarter_turn, _mirrored_and_backwards, _mirrored),
        shortcuts=shortcuts.RIGHT_TURNS if rights_only else shortcuts.TURNS,
        audit_exemptions={"coarse picture (learned)": "the way fills most of a maze of 7x7 blocks: where its ink lies is how the way runs"},
        colour_vision="normal",  # the start is green and the exit red
        skills=skills,
    )


TASKS: tuple[Task[Any], ...] = (
    _counting(
        "right-turns",
        "Count the right turns along the path through a maze.",
        ("path following", "turn counting", "left and right"),
        rights_only=True,
    ),
    _counting("turns", "Count all turns along the path through a maze.", ("path following", "turn counting"), rights_only=False),
    _task(
        "position",
        134,
        summary="Decide whether the exit of a maze is in a given direction from the start.",
        sample=_sample_position,
        ask=_ask_position,
        rederive=_read_position,
        chain_of_thought=_explain_position,
        verify_chain=_replay_position,
        strata=2,
        chance=1 / 2,
        answer_type="yes-no",
        symmetries=(_turned_place, _swapped),
        shortcuts=shortcuts.POSITION,
        colour_vision="normal",  # the start is green and the exit red
        skills=("relative position",),
    ),
)
