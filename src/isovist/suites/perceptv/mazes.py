"""Maze Solving: list the cells of the only path through a maze. The size is the number of steps from start to end.

From three steps on no path is straight, and from seven steps on none has only one bend, so a path that ignores the walls is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from isovist.core.answers import Answer, CellPath
from isovist.core.drawing2d import Drawing, Label, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import Answers, Checks, SamplingContext, Task
from isovist.suites.perceptv import cot_paths as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.shared_parts import PAPERS, SHEET, SIZES, SKILLS, asking, by_size, size
from isovist.suites.perceptv.square_grids import Board, adjacent_cells, random_path
from isovist.world.scenes.shapes2d import middle

_EM = 0.06

LABYRINTH = Board(11, 0.12, 0.12)
ROOMS = 5  # rooms per row of the maze; doors are between them
_LONG = 7  # steps from which on no path has only one bend
_FEW_ROOMS = 6  # with more rooms no path has a probability much above 0.001
WALL = "#3c4650"
START, END = "#2e9e4f", "#d32f2f"


@dataclass(frozen=True, slots=True)
class Maze:
    """The open cells of a maze, and the path from its start to its end."""

    open: tuple[int, ...]
    path: tuple[int, ...]


def _cell(room: int, to: int | None = None) -> int:
    """The cell of a room, or of the door between two rooms."""
    row, column = divmod(room, ROOMS)
    if to is None:
        return (2 * row + 1) * LABYRINTH.side + 2 * column + 1
    return (_cell(room) + _cell(to)) // 2


def _grow(rng: Rng, begun: Collection[int]) -> list[int]:
    """The cells that connect all other rooms to `begun` without loops."""
    inside, active, cells = set(begun), rng.shuffled(list(begun)), list[int]()
    while active:
        at = len(active) - 1 if rng.chance(0.7) else rng.integer(0, len(active) - 1)
        free = [room for room in adjacent_cells(active[at], ROOMS) if room not in inside]
        if not free:
            active.pop(at)
            continue
        room = rng.pick(free)
        cells += [_cell(active[at], room), _cell(room)]
        inside.add(room)
        active.append(room)
    return cells


def _rotated(cell: int, rotations: int) -> int:
    """The cell after this number of clockwise 90° rotations of the maze."""
    n = LABYRINTH.side
    for _ in range(rotations):
        cell = cell % n * n + n - 1 - cell // n
    return cell


def _has_enough_bends(path: Seq[int], n: int) -> bool:
    """Whether a path of `n` steps has enough bends that it is not a path that ignores the walls: neither straight nor with one bend.

    Paths of one or two steps are straight, and most paths of up to six steps have only one bend, so fewer bends are accepted there.
    """
    steps = [b - a for a, b in pairwise(path)]
    return sum(a != b for a, b in pairwise(steps)) >= (0 if n < 3 else 1 if n < _LONG else 2)


def _sample_maze(plan: SamplingContext) -> Maze:
    rng, n = plan.image_rng, size(plan)
    while True:
        rooms = random_path(rng, (n + 1) // 2 + 1, ROOMS)
        if _has_enough_bends(rooms, n):
            break
    path = [_cell(rooms[0])]
    for room, to in pairwise(rooms):
        path += [_cell(room, to), _cell(to)]
    cells = {*path, *_grow(rng, rooms)}
    path = path[: n + 1]  # a path with an odd number of steps ends in a door
    if rng.chance(0.5):
        path.reverse()
    heading = (-LABYRINTH.side, 1, LABYRINTH.side, -1).index(path[1] - path[0])  # of the first step: 0 up, 1 right, 2 down, 3 left
    rotations = (plan.stratum - heading) % 4
    return plan.check_split(
        Maze(tuple(sorted(_rotated(cell, rotations) for cell in cells)), tuple(_rotated(cell, rotations) for cell in path))
    )


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
    return shortest_path(set(range(n * n)) - walls, tags["S"], tags["E"])


def shortest_path(free: set[int], start: int, end: int) -> str:
    """The shortest path through free cells, found by a flood fill from the end. It is the only path if the maze has no loop."""
    far, front = {end: 0}, [end]
    while front and start not in far:
        distance = far[front[0]] + 1
        front = [near for near in {near for cell in front for near in adjacent_cells(cell, LABYRINTH.side)} & free if near not in far]
        far |= dict.fromkeys(front, distance)
    path = [start]
    while path[-1] != end:
        path.append(min(adjacent_cells(path[-1], LABYRINTH.side), key=lambda cell: far.get(cell, len(free))))
    return ", ".join(f"({row}, {column})" for row, column in map(LABYRINTH.row_column, path))


def _first_step(answer: Answer) -> str:
    assert isinstance(answer, CellPath)
    (a, b), (c, d) = answer.truth[:2]
    return f"{c - a} down, {d - b} right"


def _transpose(scene: Maze) -> tuple[Maze, Callable[[str], str]]:
    """Swap rows and columns."""
    n = LABYRINTH.side
    moved = {cell: cell % n * n + cell // n for cell in range(n * n)}

    def renamed(answer: str) -> str:
        cells = [part.split(", ") for part in answer.strip("()").split("), (")]
        return ", ".join(f"({column}, {row})" for row, column in cells)

    return Maze(tuple(sorted(moved[cell] for cell in scene.open)), tuple(moved[cell] for cell in scene.path)), renamed


def _most_likely_path(n: int) -> float:
    """The probability of the most likely path of `n` steps, for paths sampled by `random_path`; rotations of the maze do not raise it.

    A path between two rooms may run in either direction. A path that ends in a door is cut off there and may be reversed.
    """
    rooms = (n + 1) // 2 + 1
    if rooms > _FEW_ROOMS:
        return 0.0
    paths = {path: chance for path, chance in _path_probabilities(rooms).items() if _has_enough_bends(path, n)}
    whole = sum_in_order(paths.values())
    cut: dict[tuple[int, ...], float] = {}
    for path, chance in paths.items():
        for directed in (path, path[::-1]) if n % 2 == 0 else (path,):
            cut[directed] = cut.get(directed, 0.0) + chance / 2
    return max(cut.values()) / whole


def _path_probabilities(rooms: int) -> dict[tuple[int, ...], float]:
    """Every path over this number of rooms, with its probability."""
    paths = {(room,): 1 / ROOMS**2 for room in range(ROOMS**2)}
    for _ in range(rooms - 1):
        longer: dict[tuple[int, ...], float] = {}
        for path, chance in paths.items():
            free = [room for room in adjacent_cells(path[-1], ROOMS) if room not in path]
            longer |= {(*path, room): chance / len(free) for room in free}
        paths = longer
    return paths


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/maze-solving",
        version=3,
        summary="List the cells of the path through a maze.",
        sample=_sample_maze,
        draw=_draw_maze,
        ask=asking(
            "The image shows a maze on a grid. Dark cells are walls, and the other cells are open. S marks the start and E marks the end.",
            (
                "Find the path from S to E through open cells. Each step moves one cell up, down, left or right, and no cell is entered twice. "
                "List all cells of the path in order, including the start and the end."
            ),
            _key_maze,
        ),
        rederive=lambda drawings, _: _read_maze(*drawings),
        answers=Answers(type="path", strata=4, balance=_first_step, best_constant=by_size(_most_likely_path)),
        skills=SKILLS["maze-solving"],
        levels=SIZES,
        images=replace(SHEET, least_px=230),  # capital letters are then 8 px high
        paper=PAPERS["maze-solving"],
        checks=Checks(symmetries=(_transpose,), shortcuts=shortcuts.MAZES),
        reasoning=reasoning.maze(LABYRINTH, _read_maze).of(_draw_maze, _key_maze),
    ),
)
