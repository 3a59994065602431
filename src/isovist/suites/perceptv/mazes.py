"""Maze Solving: the cells of the only way through a maze; its size is taken as the number of steps from start to end.

No way is straight from three steps on, and none is an L from seven steps on: who goes from start to end as if there were no walls is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from isovist.core.answers import Answer, CellPath
from isovist.core.drawing2d import Drawing, Label, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.task import SamplingContext, Task
from isovist.scenes.shapes2d import middle
from isovist.suites.perceptv import cot_paths as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.square_grids import Board, steps, walk
from isovist.suites.perceptv.task_factory import by_size, domain, size

_EM = 0.06

LABYRINTH = Board(11, 0.12, 0.12)
ROOMS = 5  # in a row of the maze; between them lie the doors
_LONG = 7  # steps, from which on no way is an L
_FEW_ROOMS = 6  # of longer ways none has a chance of much more than 1 in 1,000
WALL = "#3c4650"
START, END = "#2e9e4f", "#d32f2f"


@dataclass(frozen=True, slots=True)
class Maze:
    """The open cells of a maze, and the way from its start to its end."""

    open: tuple[int, ...]
    path: tuple[int, ...]


def _cell(room: int, to: int | None = None) -> int:
    """The cell of a room, or of the door between two rooms."""
    row, column = divmod(room, ROOMS)
    if to is None:
        return (2 * row + 1) * LABYRINTH.side + 2 * column + 1
    return (_cell(room) + _cell(to)) // 2


def _grow(rng: Rng, begun: Collection[int]) -> list[int]:
    """The cells that join all rooms to those `begun`, without a loop."""
    inside, active, cells = set(begun), rng.shuffled(list(begun)), list[int]()
    while active:
        at = len(active) - 1 if rng.chance(0.7) else rng.integer(0, len(active) - 1)
        free = [room for room in steps(active[at], ROOMS) if room not in inside]
        if not free:
            active.pop(at)
            continue
        room = rng.pick(free)
        cells += [_cell(active[at], room), _cell(room)]
        inside.add(room)
        active.append(room)
    return cells


def _turned(cell: int, turns: int) -> int:
    """Where a cell lies after quarter turns clockwise of the maze."""
    n = LABYRINTH.side
    for _ in range(turns):
        cell = cell % n * n + n - 1 - cell // n
    return cell


def _heading(way: tuple[int, ...]) -> int:
    """The direction of the first step: 0 up, 1 right, 2 down, 3 left."""
    return (-LABYRINTH.side, 1, LABYRINTH.side, -1).index(way[1] - way[0])


def _bends(way: Seq[int]) -> int:
    """How often a way over cells or rooms changes its direction."""
    steps = [b - a for a, b in pairwise(way)]
    return sum(a != b for a, b in pairwise(steps))


def _winds(way: Seq[int], n: int) -> bool:
    """Whether a way of `n` steps is not the one that leads from start to end if walls are not looked at: no straight one and no L.

    One of two steps or fewer is straight, and of up to six there are few others than an L.
    """
    return _bends(way) >= (0 if n < 3 else 1 if n < _LONG else 2)


def _sample_maze(plan: SamplingContext) -> Maze:
    rng, n = plan.image_rng, size(plan)
    while True:
        rooms = walk(rng, (n + 1) // 2 + 1, ROOMS)
        if _winds(rooms, n):
            break
    way = [_cell(rooms[0])]
    for room, to in pairwise(rooms):
        way += [_cell(room, to), _cell(to)]
    cells = {*way, *_grow(rng, rooms)}
    way = way[: n + 1]  # of an odd way, one end is a door
    if rng.chance(0.5):
        way.reverse()
    turns = (plan.stratum - _heading(tuple(way))) % 4
    return plan.check_split(Maze(tuple(sorted(_turned(cell, turns) for cell in cells)), tuple(_turned(cell, turns) for cell in way)))


def _box(cell: int, half: float, fill: str) -> Polygon:
    x, y = LABYRINTH.center(cell)
    a, b, c, d = (round(v, 4) for v in (x - half, x + half, y - half, y + half))
    return Polygon(((a, c), (b, c), (b, d), (a, d)), fill)


def _draw_maze(scene: Maze) -> tuple[Drawing, ...]:
    n = LABYRINTH.side
    walls = [_box(cell, LABYRINTH.pitch / 2, WALL) for cell in range(n * n) if cell not in scene.open]
    ends: list[Shape] = []
    for cell, text, fill in ((scene.path[0], "S", START), (scene.path[-1], "E", END)):
        ends += [_box(cell, 0.052, fill), Label(text, LABYRINTH.center(cell), _EM, "#ffffff")]
    return (LABYRINTH.draw((*walls, *ends)),)


def _key_maze(scene: Maze) -> CellPath:
    n = LABYRINTH.side
    return CellPath(tuple(map(LABYRINTH.row_column, scene.path)), n, n)


def _read_maze(picture: Drawing) -> str:
    shapes, n = picture.shapes, LABYRINTH.side
    walls = {LABYRINTH.cell_at(middle(shape)) for shape in shapes if isinstance(shape, Polygon) and shape.fill == WALL}
    tags = {shape.text: LABYRINTH.cell_at(shape.position) for shape in shapes if isinstance(shape, Label)}
    return told_way(set(range(n * n)) - walls, tags["S"], tags["E"])


def told_way(free: set[int], start: int, end: int) -> str:
    """The shortest way over free cells, found by a flood from the end; which is the only one if they have no loop."""
    far, front = {end: 0}, [end]
    while front and start not in far:
        distance = far[front[0]] + 1
        front = [near for near in {near for cell in front for near in steps(cell, LABYRINTH.side)} & free if near not in far]
        far |= dict.fromkeys(front, distance)
    way = [start]
    while way[-1] != end:
        way.append(min(steps(way[-1], LABYRINTH.side), key=lambda cell: far.get(cell, len(free))))
    return ", ".join(f"({row}, {column})" for row, column in map(LABYRINTH.row_column, way))


def _first_step(answer: Answer) -> str:
    assert isinstance(answer, CellPath)
    (a, b), (c, d) = answer.truth[:2]
    return f"{c - a} down, {d - b} right"


def _transpose(scene: Maze) -> tuple[Maze, Callable[[str], str]]:
    """Rows become columns."""
    n = LABYRINTH.side
    moved = {cell: cell % n * n + cell // n for cell in range(n * n)}

    def renamed(answer: str) -> str:
        cells = [part.split(", ") for part in answer.strip("()").split("), (")]
        return ", ".join(f"({column}, {row})" for row, column in cells)

    return Maze(tuple(sorted(moved[cell] for cell in scene.open)), tuple(moved[cell] for cell in scene.path)), renamed


def _likeliest_way(n: int) -> float:
    """The chance of the likeliest way of `n` steps, as `walk` goes over rooms; the turns of the maze make none likelier.

    A way between two rooms is walked from either end, and one that ends in a door is cut off there and may be turned round.
    """
    rooms = (n + 1) // 2 + 1
    if rooms > _FEW_ROOMS:
        return 0.0
    ways = {way: chance for way, chance in _ways(rooms).items() if _winds(way, n)}
    whole = sum(ways.values())
    cut: dict[tuple[int, ...], float] = {}
    for way, chance in ways.items():
        for path in (way, way[::-1]) if n % 2 == 0 else (way,):
            cut[path] = cut.get(path, 0.0) + chance / 2
    return max(cut.values()) / whole


def _ways(rooms: int) -> dict[tuple[int, ...], float]:
    """Every way over so many rooms with its chance."""
    ways = {(room,): 1 / ROOMS**2 for room in range(ROOMS**2)}
    for _ in range(rooms - 1):
        longer: dict[tuple[int, ...], float] = {}
        for way, chance in ways.items():
            free = [room for room in steps(way[-1], ROOMS) if room not in way]
            longer |= {(*way, room): chance / len(free) for room in free}
        ways = longer
    return ways


TASKS: tuple[Task[Any], ...] = (
    domain(
        "maze-solving",
        "List the cells of the path through a maze.",
        _sample_maze,
        _draw_maze,
        _read_maze,
        shown="The image shows a maze on a grid. Dark cells are walls, and the other cells are open. S marks the start and E marks the end.",
        rules=(
            "Find the path from S to E through open cells. Each step moves one cell up, down, left or right, and no cell is entered twice. "
            "List all cells of the path in order, including the start and the end."
        ),
        key=_key_maze,
        strata=4,
        balance=_first_step,
        chance=by_size(_likeliest_way),
        least=230,  # capitals have eight pixels
        answer_type="path",
        reasoning=reasoning.maze(LABYRINTH, _read_maze),
        shortcuts=shortcuts.MAZES,
        symmetries=(_transpose,),
    ),
)
