"""Chains of thought about mazes: the path run by run with a count of its turns, and the position of the exit relative to the start.

Rows are counted from the top and columns from the left, from 1, including the outer walls. A straight run of any length is one step.
Where the path is not marked, the chain states that every branch along it is a dead end. The writer uses the blocks of the scene. The
verifier reads the blocks from the drawing, or from the text where there is no drawing, and finds the path by filling in the dead ends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import NUMBER, WORDS, Step, StepTemplate, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.suites.srbench.maze_common import END, START, WALL, Sheet, draw, legend, read_blocks, solution_path
from isovist.world.scenes import compass
from isovist.world.scenes.maze import STEPS, Block

_DIRECTIONS = ("up", "right", "down", "left")
_KINDS = {True: "Right turns", False: "Turns"}
_template = partial(
    StepTemplate,
    **dict.fromkeys(("direction", "before", "after", "side", "kind", "where", "place", "fits"), WORDS),
    blocks=f"1 block|{NUMBER} blocks",
    end=f"[SE]|{NUMBER}",
)

_BEGIN = _template(
    "With rows counted from the top and columns from the left, walls included, S is in row {row}, column {column}.",
    "The path starts at S in row {row}, column {column}. The outer walls count as the first row and the first column.",
    "The start S is in row {row} from the top and column {column} from the left, with the outer walls included.",
)
_RUN = _template(
    "From there, the path leads {blocks} {direction} to row {row}, column {column}.",
    "Move {blocks} {direction} to row {row}, column {column}.",
    "The path continues for {blocks} {direction} to row {row}, column {column}.",
    "The next straight section is {blocks} long. It leads {direction} and ends at row {row}, column {column}.",
)
_BRANCH = _template(
    "At row {row}, column {column}, a branch leads {direction}, but it is a dead end.",
    "The branch that goes {direction} from row {row}, column {column} is a dead end.",
    "Row {row}, column {column} also opens {direction}, but only into a dead end.",
)
_CORNER = _template(
    "There, the path changes direction from {before} to {after}, which is a turn to the {side}. {kind} so far: {count}.",
    "The direction changes from {before} to {after}. This is a {side} turn. {kind} so far: {count}.",
    "At this corner, the path turns from {before} to {after}, that is, to the {side}. {kind} so far: {count}.",
)
_ARRIVED = _template(
    "This is E, where the path ends. {kind} in total: {count}.",
    "The path has reached E. {kind} overall: {count}.",
    "The path ends here, at the exit E. {kind} from S to E: {count}.",
)
_PATH_SLOTS = ((_BEGIN,), (_RUN,), (_BRANCH,), (_CORNER,), (_ARRIVED,))


def _path_steps(path: Sequence[Block], free: Collection[Block], *, rights_only: bool) -> list[Step]:
    """Return the runs, corners and branches of a path, with a count of its right turns or of all turns.

    A branch leads to a block of `free` that is not part of the path.
    """
    kind, off_path = _KINDS[rights_only], set(free).difference(path)

    def branches(block: Block) -> list[Step]:
        """Return the branches at a block of the path; branches at E are ignored."""
        near = {name: (block[0] + down, block[1] + right) for name, (down, right) in zip(_DIRECTIONS, STEPS, strict=True)}
        return [_BRANCH(**_spot(block), direction=name) for name in near if near[name] in off_path and block != path[-1]]

    headings = [STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(path)]
    corners = [place for place in range(1, len(headings)) if headings[place] != headings[place - 1]]
    steps = [_BEGIN(**_spot(path[0])), *branches(path[0])]
    count = 0
    for first, last in pairwise((0, *corners, len(headings))):
        if first:
            before, after = headings[first - 1], headings[first]
            right = (after - before) % 4 == 1
            count += right or not rights_only
            named = {"before": _DIRECTIONS[before], "after": _DIRECTIONS[after], "side": "right" if right else "left"}
            steps.append(_CORNER(**named, kind=kind, count=count))
        blocks = f"{last - first} block{'s' * (last - first > 1)}"
        steps.append(_RUN(blocks=blocks, direction=_DIRECTIONS[headings[first]], **_spot(path[last])))
        steps += [branch for block in path[first + 1 : last + 1] for branch in branches(block)]
    return [*steps, _ARRIVED(kind=kind, count=count)]


def _spot(block: Block) -> dict[str, int]:
    return {"row": block[0] + 1, "column": block[1] + 1}


def explain_path(sheet: Sheet, rights_only: bool, key: Answer, phrasing: int) -> str:
    """Return the chain of thought along the path from S to E."""
    steps = _path_steps(sheet.maze.path, () if sheet.marked else sheet.maze.free_cells, rights_only=rights_only)
    return write_chain(steps, key, phrasing, _PATH_SLOTS)


@lru_cache(maxsize=128)  # reading a drawing takes longer than checking a chain
def _drawn_blocks(sheet: Sheet) -> Mapping[Block, str]:
    """Return the sign of each block, from the drawn shapes and the text of the question."""
    return read_blocks(draw(sheet), legend(sheet))


def verify_path(sheet: Sheet, rights_only: bool, key: Answer, text: str) -> list[str]:
    """Return the errors in a chain along the path."""
    shown = _drawn_blocks(sheet)
    free = [block for block, sign in shown.items() if sign != WALL and not sheet.marked]
    steps = _path_steps(solution_path(shown), free, rights_only=rights_only)
    return step_errors(text, steps, steps[-1]["count"], key)


# ---- position of the exit ----------------------------------------------------------------------------------------------

PLACES = (
    "directly above",
    "above and to the right of",
    "directly to the right of",
    "below and to the right of",
    "directly below",
    "below and to the left of",
    "directly to the left of",
    "above and to the left of",
)
"""The eight directions of `scenes.compass` as phrases."""
_BY_ROW = {-1: "above", 0: "in the same row as", 1: "below"}
_BY_COLUMN = {-1: "to the left of", 0: "in the same column as", 1: "to the right of"}

_AT = _template(
    "With rows counted from the top and columns from the left, walls included, {end} is in row {row}, column {column}.",
    "{end} is in row {row}, column {column}. The outer walls count as the first row and the first column.",
    "{end} is in row {row} from the top and column {column} from the left, with the outer walls included.",
)
_ROWS = _template(
    "E is in row {end} and S is in row {start}, so E is {where} S.",
    "The row of E is {end} and the row of S is {start}. Therefore, E is {where} S.",
    "Rows: {end} for E and {start} for S. This means that E is {where} S.",
)
_COLUMNS = _template(
    "E is in column {end} and S is in column {start}, so E is {where} S.",
    "The column of E is {end} and the column of S is {start}. Therefore, E is {where} S.",
    "Columns: {end} for E and {start} for S. This means that E is {where} S.",
)
_WHERE = _template(
    "Together, this means that E is {place} S.",
    "Therefore, E is {place} S.",
    "The two comparisons show that E is {place} S.",
)
_FITS = _template(
    "The question asks whether E is {place} S. This {fits}.",
    "The statement in the question is that E is {place} S. It {fits}.",
    "It {fits} that E is {place} S.",
)
_POSITION_SLOTS = ((_AT,), (_ROWS, _COLUMNS), (_WHERE,), (_FITS,))


def _position_steps(start: Block, end: Block, asked: str) -> list[Step]:
    """Return the position of E relative to S by rows and by columns, and its comparison with the question."""
    down, right = ((b > a) - (b < a) for a, b in zip(start, end, strict=True))
    place = PLACES[compass.STEPS.index((down, right))]
    return [
        _AT(end=START, **_spot(start)),
        _AT(end=END, **_spot(end)),
        _ROWS(end=end[0] + 1, start=start[0] + 1, where=_BY_ROW[down]),
        _COLUMNS(end=end[1] + 1, start=start[1] + 1, where=_BY_COLUMN[right]),
        _WHERE(place=place),
        _FITS(place=asked, fits="is true" if place == asked else "is false"),
    ]


def explain_position(sheet: Sheet, asked: str, key: Answer, phrasing: int) -> str:
    """Return the chain for the question whether E is at a position relative to S, one of `PLACES`."""
    return write_chain(_position_steps(sheet.maze.path[0], sheet.maze.path[-1], asked), key, phrasing, _POSITION_SLOTS)


def verify_position(sheet: Sheet, asked: str, key: Answer, text: str) -> list[str]:
    """Return the errors in a chain about the position of the exit."""
    spots = {sign: block for block, sign in _drawn_blocks(sheet).items()}
    steps = _position_steps(spots[START], spots[END], asked)
    return step_errors(text, steps, "yes" if steps[-1]["fits"] == "is true" else "no", key)
