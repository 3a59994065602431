"""Chains of thought about mazes: the way walked run by run with its turns counted, and where the exit lies from the start.

Rows count from the top and columns from the left, from 1, the outer walls among them. A straight run is one step however long it is.
Where the way is not marked, every branch that is passed is told to be a dead end. The verifier finds the blocks in the picture, or in
the letters where there is no picture, walks them one by one, and floods every branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from isovist.core.answers import Answer
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, answer, one_of, parse_chain
from isovist.scenes.maze import STEPS, Block
from isovist.suites.srbench.maze_common import END, MARK, START, WALL, Sheet, draw, legend, seen

_DIRECTIONS = ("up", "right", "down", "left")
_KINDS = {True: "Right turns", False: "Turns"}
_SPOT = {"row": NUMBER, "column": NUMBER}
_DIRECTION = one_of(_DIRECTIONS)

_BEGIN = StepTemplate(
    "begin",
    (
        "Counting blocks from the upper left corner, walls included, S is in row {row}, column {column}.",
        "I start at S. It is in row {row}, column {column}, where the outer wall is row 1 and column 1.",
        "The start S is in row {row} from the top and column {column} from the left; walls are counted too.",
    ),
    _SPOT,
)
_RUN = StepTemplate(
    "run",
    (
        "From there the way leads {blocks} {direction}, to row {row}, column {column}.",
        "Walk {blocks} {direction}: that is row {row}, column {column}.",
        "It goes on for {blocks}, heading {direction}, as far as row {row}, column {column}.",
        "A straight stretch of {blocks} follows, heading {direction}; it ends in row {row}, column {column}.",
    ),
    _SPOT | {"blocks": rf"1 block|{NUMBER} blocks", "direction": _DIRECTION},
)
_BRANCH = StepTemplate(
    "branch",
    (
        "At row {row}, column {column} a branch leads {direction}, but it is a dead end.",
        "The branch that goes {direction} at row {row}, column {column} ends blind.",
        "Row {row}, column {column} also opens {direction}; nothing but a dead end lies there.",
    ),
    _SPOT | {"direction": _DIRECTION},
)
_CORNER = StepTemplate(
    "corner",
    (
        "There it bends from {before} to {after}, a turn to the {side}. {kind} so far: {count}.",
        "Who walked {before} now walks {after} and so turns to the {side}. {kind} so far: {count}.",
        "At this corner the heading changes from {before} to {after}: a {side} turn. {kind} so far: {count}.",
    ),
    {"before": _DIRECTION, "after": _DIRECTION, "side": "left|right", "kind": one_of(_KINDS.values()), "count": NUMBER},
)
_ARRIVED = StepTemplate(
    "arrived",
    (
        "This is E, and the way ends. {kind} in all: {count}.",
        "E is reached. {kind} altogether: {count}.",
        "That block is the exit E. {kind} from S to E: {count}.",
    ),
    {"kind": one_of(_KINDS.values()), "count": NUMBER},
)
_WALK = (_BEGIN, _RUN, _BRANCH, _CORNER, _ARRIVED)


_NAMED = {statement.name: statement for statement in _WALK}


@lru_cache(maxsize=4096)  # the same corners, branches and runs come again in all mazes
def _said(name: str, way: int, **values: object) -> str:
    return _NAMED[name].render(way, **values)


def walk(sheet: Sheet, rights_only: bool, key: Answer, phrasing: int) -> str:
    """The way from S to E with its turns counted, right ones or all."""
    maze, kind = sheet.maze, _KINDS[rights_only]
    way = maze.way
    begin, run, branch, corner, arrived = ((phrasing >> 4 * k) % len(statement.ways) for k, statement in enumerate(_WALK))
    aside: set[Block] = set() if sheet.marked else set(maze.free).difference(way)

    def branches(place: int) -> list[str]:
        """Those that leave the way at one of its blocks; none that leaves it at E counts."""
        row, column = way[place]
        if not aside or place == len(way) - 1:
            return []
        open_to = [heading for heading, (down, right) in enumerate(STEPS) if (row + down, column + right) in aside]
        return [_said("branch", branch, row=row + 1, column=column + 1, direction=_DIRECTIONS[heading]) for heading in open_to]

    lines = [_BEGIN.render(begin, **_spot(way[0])), *branches(0)]
    headings = [STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(way)]
    corners = [place for place in range(1, len(headings)) if headings[place] != headings[place - 1]]
    count = 0
    for first, last in pairwise((0, *corners, len(headings))):
        heading, blocks = headings[first], last - first
        if first:
            right = (heading - headings[first - 1]) % 4 == 1
            count += right or not rights_only
            before, after = _DIRECTIONS[headings[first - 1]], _DIRECTIONS[heading]
            lines.append(_said("corner", corner, before=before, after=after, side="right" if right else "left", kind=kind, count=count))
        lines.append(_said("run", run, blocks=_blocks(blocks), direction=_DIRECTIONS[heading], **_spot(way[last])))
        for place in range(first + 1, last + 1):
            lines += branches(place)
    return "\n".join([*lines, _ARRIVED.render(arrived, kind=kind, count=count), answer(key)])


def _blocks(n: int) -> str:
    return f"{n} block{'s' * (n > 1)}"


def _next(block: Block, heading: int) -> Block:
    return block[0] + STEPS[heading][0], block[1] + STEPS[heading][1]


def _spot(block: Block) -> dict[str, int]:
    return {"row": block[0] + 1, "column": block[1] + 1}


@lru_cache(maxsize=128)  # reading a picture takes longer than following a chain
def _shown(sheet: Sheet) -> Mapping[Block, str]:
    """What each block is, from the drawn shapes and the question's words."""
    return seen(draw(sheet), legend(sheet))


def replay_walk(sheet: Sheet, rights_only: bool, key: Answer, text: str) -> list[str]:
    """What is wrong with a walk."""
    steps, faults = parse_chain(text, _WALK, key)
    if faults:
        return faults
    walker = _Walker(_shown(sheet), rights_only)
    fault = walker.follow(steps)
    if fault:
        return [fault]
    return [] if str(walker.count) == key.balance_bin() else [f"{walker.count} turns were counted, and the key is {key.balance_bin()}"]


class _Walker:
    """Someone who walks the drawn blocks as a chain says, block by block."""

    def __init__(self, blocks: Mapping[Block, str], rights_only: bool) -> None:
        self.blocks = blocks
        self.rights_only = rights_only
        self.marked = MARK in blocks.values()
        self.at = next(block for block, sign in blocks.items() if sign == START)
        self.been = {self.at}
        self.heading: int | None = None
        self.turned: int | None = None  # the heading after a corner, until it is walked
        self.open = self._open(self.at)  # branches that are to be told before the walk goes on
        self.count = 0
        self.arrived = False

    def follow(self, steps: Sequence[Step]) -> str:
        """The first step that does not hold; "" if all do."""
        if [step.statement for step in steps].count(_BEGIN.name) != 1 or steps[0].statement != _BEGIN.name:
            return "it does not begin at S, once"
        for step in steps:
            if self.arrived:
                return f"{step.line!r} comes after the exit"
            if fault := getattr(self, f"_{step.statement}")(step):
                return f"{step.line!r}: {fault}"
        return "" if self.arrived else "it does not come to E"

    def _begin(self, step: Step) -> str:
        return self._not_here(step, self.at)

    def _not_here(self, step: Step, block: Block) -> str:
        position = step.number("row") - 1, step.number("column") - 1
        return "" if position == block else f"that is row {block[0] + 1}, column {block[1] + 1}"

    def _run(self, step: Step) -> str:
        heading = _DIRECTIONS.index(step["direction"])
        n = int(step["blocks"].split()[0])
        due = self.turned if self.heading is not None else heading
        if heading != due or n < 1:
            return "no turn to this direction came before"
        if self._untold(heading):
            return "a branch is left out before"
        self.heading, self.turned = heading, None
        for _ in range(n):
            self.at = _next(self.at, heading)
            sign = self.blocks.get(self.at, WALL)
            if sign == WALL or self.at in self.been or (self.marked and sign not in (MARK, END)):
                return f"the way does not lead over row {self.at[0] + 1}, column {self.at[1] + 1}"
            self.been.add(self.at)
            self.open += self._open(self.at)
        return self._not_here(step, self.at)

    def _open(self, block: Block) -> list[tuple[Block, int]]:
        """Where one can go from a block but back: only what is marked, if anything is."""
        if self.blocks[block] == END:
            return []
        fits = [heading for heading in range(4) if _next(block, heading) not in self.been]
        ways = (MARK, END) if self.marked else tuple({*self.blocks.values()} - {WALL})
        return [(block, heading) for heading in fits if self.blocks.get(_next(block, heading), WALL) in ways]

    def _untold(self, heading: int) -> bool:
        """Whether a branch that the walk has passed is not told yet; the way itself is none."""
        self.open = [(block, toward) for block, toward in self.open if _next(block, toward) not in self.been]
        return bool(set(self.open) - {(self.at, heading)})

    def _branch(self, step: Step) -> str:
        named = (step.number("row") - 1, step.number("column") - 1), _DIRECTIONS.index(step["direction"])
        self.open = [(block, toward) for block, toward in self.open if _next(block, toward) not in self.been]
        if not self.open or self.turned is not None or self.marked or named != self._first(named):
            return "no such branch is next"
        self.open.remove(named)
        return "it leads to E" if self._leads_on(_next(*named)) else ""

    def _first(self, named: tuple[Block, int]) -> tuple[Block, int] | None:
        """The named branch, if no other block with a branch comes before its own."""
        first = self.open[0][0]
        return named if named in self.open and named[0] == first else None

    def _leads_on(self, start: Block) -> bool:
        """Whether one comes to E from a block without going over the blocks walked so far."""
        reached, waiting = {start}, [start]
        while waiting:
            block = waiting.pop()
            for heading in range(4):
                near = _next(block, heading)
                if self.blocks.get(near, WALL) != WALL and near not in reached and near not in self.been:
                    reached.add(near)
                    waiting.append(near)
        return any(self.blocks[block] == END for block in reached)

    def _corner(self, step: Step) -> str:
        if self.heading is None or self.turned is not None:
            return "no run came before"
        before, after = _DIRECTIONS.index(step["before"]), _DIRECTIONS.index(step["after"])
        (ad, ar), (bd, br) = STEPS[self.heading], STEPS[after]
        crossed = ar * bd - ad * br  # rows count down: positive to the right
        if before != self.heading or crossed == 0 or step["side"] != ("right" if crossed > 0 else "left"):
            return f"who goes {_DIRECTIONS[self.heading]} does not turn so"
        self.turned = after
        self.count += crossed > 0 or not self.rights_only
        return self._counted(step)

    def _counted(self, step: Step) -> str:
        if step["kind"] != _KINDS[self.rights_only]:
            return "that is not what is asked for"
        return "" if step.number("count") == self.count else f"it is {self.count} by now"

    def _arrived(self, step: Step) -> str:
        if self.blocks[self.at] != END or self.turned is not None:
            return "this is not E"
        if self._untold(-1):
            return "a branch is left out before"
        self.arrived = True
        return self._counted(step)


# ---- where the exit lies -----------------------------------------------------------------------------------------------

PLACES = (
    "straight above",
    "above and to the right of",
    "straight to the right of",
    "below and to the right of",
    "straight below",
    "below and to the left of",
    "straight to the left of",
    "above and to the left of",
)
"""Directions as in `scenes.compass`, in words."""
_UP_DOWN = {-1: "above", 0: "level with", 1: "below"}
_ASIDE = {-1: "to the left of", 0: "neither to the left nor to the right of", 1: "to the right of"}

_AT = StepTemplate(
    "at",
    (
        "Counting blocks from the upper left corner, walls included, {end} is in row {row}, column {column}.",
        "{end} is the block in row {row}, column {column}, where the outer wall is row 1 and column 1.",
        "I find {end} in row {row} from the top and column {column} from the left; walls are counted too.",
    ),
    _SPOT | {"end": "[SE]"},
)
_ROWS = StepTemplate(
    "rows",
    (
        "Rows: {end} for E and {start} for S, so E is {where} S.",
        "E's row is {end}, S's row is {start}; therefore E is {where} S.",
        "Comparing row {end} of E with row {start} of S, E is {where} S.",
    ),
    {"end": NUMBER, "start": NUMBER, "where": one_of(_UP_DOWN.values())},
)
_COLUMNS = StepTemplate(
    "columns",
    (
        "Columns: {end} for E and {start} for S, so E is {where} S.",
        "E's column is {end}, S's column is {start}; therefore E is {where} S.",
        "Comparing column {end} of E with column {start} of S, E is {where} S.",
    ),
    {"end": NUMBER, "start": NUMBER, "where": one_of(_ASIDE.values())},
)
_WHERE = StepTemplate(
    "where",
    ("Taken together, E lies {place} S.", "So E lies {place} S.", "Both comparisons say that E lies {place} S."),
    {"place": one_of(PLACES)},
)
_FITS = StepTemplate(
    "fits",
    (
        "The question is whether E lies {place} S, which {fits}.",
        "Asked is whether E is {place} S; that {fits}.",
        "Is E {place} S, as asked? That {fits}.",
    ),
    {"place": one_of(PLACES), "fits": "is the case|is not the case"},
)
_POSITION = (_AT, _ROWS, _COLUMNS, _WHERE, _FITS)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def position(sheet: Sheet, toward: int, asked: int, key: Answer, phrasing: int) -> str:
    """Where E lies from S, by rows and by columns; `toward` and `asked` are directions, the true one and the one asked about."""
    way = sheet.maze.way
    (row, column), (end_row, end_column) = ((r + 1, c + 1) for r, c in (way[0], way[-1]))
    at, compared, where, fits = (phrasing >> 4 * k for k in range(4))
    lines = [
        _AT.render(at, end=START, row=row, column=column),
        _AT.render(at, end=END, row=end_row, column=end_column),
        _ROWS.render(compared, end=end_row, start=row, where=_UP_DOWN[_sign(end_row - row)]),
        _COLUMNS.render(compared, end=end_column, start=column, where=_ASIDE[_sign(end_column - column)]),
        _WHERE.render(where, place=PLACES[toward]),
        _FITS.render(fits, place=PLACES[asked], fits="is the case" if asked == toward else "is not the case"),
    ]
    return "\n".join([*lines, answer(key)])


def replay_position(sheet: Sheet, asked: str, key: Answer, text: str) -> list[str]:
    """What is wrong with a position; `asked` is the place that the question names."""
    steps, faults = parse_chain(text, _POSITION, key)
    if faults:
        return faults
    spots = {sign: (r + 1, c + 1) for (r, c), sign in _shown(sheet).items() if sign in (START, END)}
    (row, column), (end_row, end_column) = spots[START], spots[END]
    down, right = end_row - row, end_column - column
    rows = "above" if down < 0 else "below" if down > 0 else ""
    columns = "to the right of" if right > 0 else "to the left of" if right < 0 else ""
    place = f"{rows} and {columns}" if rows and columns else f"straight {rows or columns}"
    holds = "is the case" if place == asked else "is not the case"
    due: list[tuple[StepTemplate, dict[str, str]]] = [
        (_AT, {"end": START, "row": str(row), "column": str(column)}),
        (_AT, {"end": END, "row": str(end_row), "column": str(end_column)}),
        (_ROWS, {"end": str(end_row), "start": str(row), "where": rows or "level with"}),
        (_COLUMNS, {"end": str(end_column), "start": str(column), "where": columns or "neither to the left nor to the right of"}),
        (_WHERE, {"place": place}),
        (_FITS, {"place": asked, "fits": holds}),
    ]
    wanted = [(statement.name, values) for statement, values in due]
    given = [(step.statement, step.values) for step in steps]
    faults = [f"{step.line!r} does not hold, or comes too early" for step, a, b in zip(steps, given, wanted, strict=False) if a != b]
    if len(steps) != len(due):
        faults.append(f"it takes {len(steps)} steps, not {len(due)}")
    if (holds == "is the case") != (key.balance_bin() == "yes"):
        faults.append("its steps lead to another answer")
    return faults
