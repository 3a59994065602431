"""Common parts of the maze tasks: the maze, its drawing and its text form, and the reading of both.

The style follows the mazes of SpatialEval, which the paper samples: black walls, white free blocks, a green start, a red exit, a blue
path, a white margin. The margin is half a block wide, so that blocks are whole pixels wide at the default size.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from isovist.core.drawing2d import INK, PAPER, Drawing, Polygon
from isovist.world.scenes.maze import STEPS, Block
from isovist.world.scenes.palette import HUES

GREEN, RED, BLUE = HUES["green"], HUES["red"], HUES["blue"]
PIXELS = 560  # width of an image: 40, 35 and 28 px per block for the three sizes

WALL, FREE, MARK, START, END = "#.XSE"
_FILLS = {INK: WALL, PAPER: FREE, BLUE: MARK, GREEN: START, RED: END}
_ROW = re.compile(r"^[#.XSE]{5,}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Maze:
    """The free blocks of a maze, including those of the path from the start to the exit."""

    side: int
    path: tuple[Block, ...]
    free_cells: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The presentation of a maze: with or without a marked path; as an image, text or both."""

    maze: Maze
    marked: bool
    form: str


def draw(sheet: Sheet) -> tuple[Drawing, ...]:
    """Return the drawing of the maze; empty in the text form."""
    if sheet.form == "text":
        return ()
    maze, side = sheet.maze, sheet.maze.side
    marks = [_shape(side, maze.path, BLUE)] if sheet.marked else []
    ends = [_shape(side, [block], fill) for block, fill in ((maze.path[0], GREEN), (maze.path[-1], RED))]
    wall = _shape(side, [(row, column) for row in range(side) for column in range(side)], INK)
    return (Drawing((_shape(side, maze.free_cells, PAPER), *marks, *ends), (wall,)),)


def _shape(side: int, blocks: Collection[Block], fill: str) -> Polygon:
    """Return the outline of connected blocks that have no hole and do not touch at a corner alone.

    The blocks have one outline: blocks drawn one by one would have visible seams, and the number of seams would depend on the turns.
    """
    inside = set(blocks)
    row, column = min(inside)
    corners = [(row, column)]  # upper left corners of blocks; the outline runs clockwise from the uppermost block
    corner, heading = (row, column), 1
    while True:
        down, right = STEPS[heading]
        corner = (corner[0] + down, corner[1] + right)
        turn = -1 if _block_ahead(corner, heading, -1) in inside else 0 if _block_ahead(corner, heading, 1) in inside else 1
        if turn:
            corners.append(corner)
            heading = (heading + turn) % 4
        if corner == corners[0]:
            break
    unit = side + 1  # blocks per image side, including the margin
    points = tuple((round((c + 0.5) / unit, 6), round(1 - (r + 0.5) / unit, 6)) for r, c in corners[:-1])
    return Polygon(points, fill)


def _block_ahead(corner: Block, heading: int, side: int) -> Block:
    """Return the block ahead of a corner, to the left (-1) or to the right (1) of the heading."""
    (down, right), (side_down, side_right) = STEPS[heading], STEPS[(heading + side) % 4]
    return corner[0] + (down + side_down - 1) // 2, corner[1] + (right + side_right - 1) // 2


def text(sheet: Sheet) -> str:
    """Return the text form of the maze, row by row."""
    maze = sheet.maze
    signs = dict.fromkeys(maze.free_cells, FREE) | (dict.fromkeys(maze.path, MARK) if sheet.marked else {})
    signs |= {maze.path[0]: START, maze.path[-1]: END}
    return "\n".join("".join(signs.get((row, column), WALL) for column in range(maze.side)) for row in range(maze.side))


_OPENINGS = {
    "picture": "The image shows a maze of square blocks from above.",
    "text": "The text below shows a maze of square blocks from above, row by row from top to bottom.",
    "both": "The text below shows the same maze, row by row from top to bottom.",
}
_SIGNS = {
    "picture": "Black blocks are walls and white blocks are free. The green block is the start S and the red block is the exit E.",
    "text": f"{WALL} is a wall, {FREE} is a free block, {START} is the start and {END} is the exit.",
}
_MARKS = {"picture": "Blue blocks mark the path from S to E.", "text": f"{MARK} marks the path from S to E."}


def legend(sheet: Sheet) -> str:
    """The part of the question that describes the maze: what the colours or letters mean, and the maze itself in the text form."""
    paragraphs: list[str] = []
    for form in ("picture", "text") if sheet.form == "both" else (sheet.form,):
        opening = _OPENINGS["both" if sheet.form == "both" and form == "text" else form]
        sentences = [opening, _SIGNS[form], *([_MARKS[form]] if sheet.marked else [])]
        paragraphs.append(" ".join(sentences) + (f"\n\n{text(sheet)}\n" if form == "text" else ""))
    return "\n".join(paragraphs)


def read_blocks(pictures: tuple[Drawing, ...], question: str) -> dict[Block, str]:
    """Return the sign of each block, from the drawn shapes, or from the question where there is no drawing.

    Raises ValueError if the drawing and the question contain different mazes.
    """
    signs = {(r, c): sign for r, row in enumerate(_ROW.findall(question)) for c, sign in enumerate(row)}
    if not pictures:
        return signs
    shapes = [shape for shape in (*pictures[0].backdrop, *pictures[0].shapes) if isinstance(shape, Polygon)]
    unit = min(map(_width, shapes))
    side = round(_width(shapes[0]) / unit)
    drawn = {(r, c): _sign(shapes, (c + 1) * unit, 1 - (r + 1) * unit) for r in range(side) for c in range(side)}
    if signs and signs != drawn:
        raise ValueError("the drawing and the text show different mazes")
    return drawn


def _width(shape: Polygon) -> float:
    return max(x for x, _ in shape.points) - min(x for x, _ in shape.points)


def _sign(shapes: list[Polygon], x: float, y: float) -> str:
    """Return the sign of the topmost shape at a point."""
    return next(_FILLS[shape.fill or ""] for shape in reversed(shapes) if _inside(shape, x, y))


def _inside(shape: Polygon, x: float, y: float) -> bool:
    """Return whether a point is inside: to its right, an odd number of vertical sides cross its y."""
    sides = zip(shape.points, (*shape.points[1:], shape.points[0]), strict=True)
    return sum((a[1] > y) != (b[1] > y) and a[0] > x for a, b in sides) % 2 == 1


def solution_path(blocks: Mapping[Block, str]) -> list[Block]:
    """Return the path from S to E: the blocks that remain after all dead ends are filled in, one after the other.

    Raises ValueError if the remainder is not one simple path, or if another path is marked.
    """
    ends = {sign: block for block, sign in blocks.items() if sign in (START, END)}
    free = {block for block, sign in blocks.items() if sign != WALL}
    dead = [block for block in free if _dead(block, free, ends.values())]
    while dead:
        block = dead.pop()
        free.discard(block)
        dead += [near for near in _near(block) if near in free and _dead(near, free, ends.values())]
    path = [ends[START]]
    free.discard(ends[START])
    while onward := [near for near in _near(path[-1]) if near in free]:
        path.append(onward[0])
        free.discard(onward[0])
    marked = {block for block, sign in blocks.items() if sign == MARK}
    if free or path[-1] != ends[END] or (marked and marked != set(path[1:-1])):
        raise ValueError("the marked path is not the only one, or there is not exactly one path")
    return path


def _near(block: Block) -> list[Block]:
    return [(block[0] + down, block[1] + right) for down, right in STEPS]


def _dead(block: Block, free: set[Block], ends: Collection[Block]) -> bool:
    return block not in ends and sum(near in free for near in _near(block)) < 2


def count_turns(path: list[Block]) -> tuple[int, int]:
    """Return the numbers of right and left turns of a path, from the cross product of each step with the next; y points down."""
    steps = [(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(path)]
    cross_products = [a[0] * b[1] - a[1] * b[0] for a, b in pairwise(steps)]
    return cross_products.count(1), cross_products.count(-1)


def headings(maze: Maze) -> list[int]:
    """Return the heading of each step of the path, as an index in `scenes.maze.STEPS`."""
    return [STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(maze.path)]


def turn_counts(maze: Maze) -> tuple[int, int]:
    """Return the number of right turns and the number of all turns of the path."""
    changes = [(b - a) % 4 for a, b in pairwise(headings(maze))]
    return changes.count(1), len(changes) - changes.count(0)
