"""The items of the split test that have a twin in the split train: the same problem, moved, turned, mirrored or with other names.

`CASES` says for each task what a twin is. `docs/validity.md` lists the cases with twins; in all others there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import atan2, degrees, hypot
from pathlib import Path
from typing import Any

import pytest

from isovist.core.drawing2d import Circle, Drawing, IconShape, Label, Line, Point, Polygon, Shape
from isovist.core.scene3d import Group, MeshRef, Panorama, Scene3D
from isovist.core.task import Task, sample_scene
from isovist.suites import registry
from isovist.world.scenes.polycube import TURNS, turned

TASKS = registry.built_in_tasks()
SEED = 7
PX = 197.3  # pixels of a unit to which positions are compared: no grid has its lines at half pixels
TOLERANCE = 3.0  # percentage points
PAGE = Path(__file__).parent.parent / "docs" / "validity.md"

Forms = Callable[[Task[Any], Any], list[Hashable]]
"""The forms of a scene that are the same problem; the first is the scene as it is."""


def pictures(*, moved: bool, named: bool) -> Forms:
    """The pictures, turned and mirrored, to the pixel; `moved`: anywhere on the sheet; `named`: colours and texts are part of the problem.

    Otherwise these are numbered in the order of their positions, so that consistently renamed pictures are equal.
    """

    def forms(task: Task[Any], scene: Any) -> list[Hashable]:
        drawn = tuple(picture for picture in task.draw(scene) if isinstance(picture, Drawing))
        return [_turned(drawn, eighth, moved=moved, named=named) for eighth in range(8)]

    return forms


def _turned(drawn: tuple[Drawing, ...], eighth: int, *, moved: bool, named: bool) -> Hashable:
    numbers: dict[str | None, int] = {None: -1}
    whole: list[Hashable] = []
    placed = [[(shape, [_at(point, drawing, eighth) for point in _points(shape)]) for shape in drawing.shapes] for drawing in drawn]
    all_points = [point for shapes in placed for _, points in shapes for point in points] if moved else []
    left, bottom = (min((point[axis] for point in all_points), default=0.0) for axis in range(2))
    for shapes in placed:
        rows = sorted(
            (tuple(sorted((round((x - left) * PX), round((y - bottom) * PX)) for x, y in points)), *_parts(shape, eighth))
            for shape, points in shapes
        )
        for *place, names in rows:
            whole.append((*place, names if named else tuple(numbers.setdefault(name or None, len(numbers)) for name in names)))
    return tuple(whole)


def _at(point: Point, drawing: Drawing, eighth: int) -> Point:
    """A point of the turned and mirrored drawing, from its centre."""
    x, y = point[0] - drawing.width / 2, point[1] - drawing.height / 2
    x = -x if eighth >= 4 else x
    return ((x, y), (-y, x), (-x, -y), (y, -x))[eighth % 4]


def _points(shape: Shape) -> tuple[Point, ...]:
    match shape:
        case Circle():
            return (shape.center,)
        case Polygon() | Line():
            return shape.points
        case Label() | IconShape():
            return (shape.position,)


def _parts(shape: Shape, eighth: int) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
    """The kind of a shape, its sizes and pose after a turn, and its names."""
    match shape:
        case Circle():
            return "circle", (round(shape.radius * PX),), (shape.fill or "", shape.stroke or "")
        case Polygon():
            return "polygon", (), (shape.fill or "", shape.stroke or "")
        case Line():
            return "line", (), (shape.fill,)
        case Label():
            return "label", (), (shape.text, shape.fill)
        case IconShape():
            angle = -shape.rotation_deg if eighth >= 4 else shape.rotation_deg
            pose = round(angle - 90 * (eighth % 4)) % 360, int(shape.mirrored != (eighth >= 4))
            return "icon", pose, (shape.name, shape.colour)


def icons(_task: Task[Any], scene: Any) -> list[Hashable]:
    """The icon, its pose and its colour, whatever its position and size."""
    icon = scene.layout
    return [(icon.glyph, icon.mirrored, icon.rotation_deg, icon.colour)]


def views(task: Task[Any], scene: Any) -> list[Hashable]:
    """The objects of the question, to the degree as the camera sees them, whatever is around them."""
    scenes: list[Scene3D] = [picture for picture in task.draw(scene) if isinstance(picture, Scene3D)]
    targets = getattr(scene, "targets", None) or (scene.target,)
    shown = zip(scenes, targets, strict=True) if len(scenes) > 1 else ((scenes[0], target) for target in targets)
    return [tuple(_view(picture, target) for picture, target in shown)]


def _view(picture: Scene3D, target: int) -> Hashable:
    seen, camera = picture.objects[target], picture.camera
    assert not isinstance(camera, Panorama)
    x, y, z = (a - b for a, b in zip(seen.pose.position, camera.eye, strict=True))
    yaw = round(seen.pose.yaw + degrees(atan2(x, -z))) % 360
    geometry = seen.geometry
    names = [part.geometry for part in geometry.parts] if isinstance(geometry, Group) else [geometry]
    names = [name.name if isinstance(name, MeshRef) else repr(name) for name in names]
    return tuple(names), yaw, round(degrees(atan2(-y, hypot(x, z)))), round(seen.pose.pitch), round(seen.pose.roll)


def layouts(task: Task[Any], scene: Any) -> list[Hashable]:
    """The layout: it is the same for all twins, or one of so many that none has a twin."""
    return [repr(task.sampling.layout(scene))]


def bodies(_task: Task[Any], scene: Any) -> list[Hashable]:
    """The object of mental rotation in its 24 orientations."""
    return [turned(scene.original, pose) for pose in range(len(TURNS))]


@dataclass(frozen=True)
class Case:
    """What a twin is in these tasks, in words, and how many test and training items of a level are compared."""

    tasks: str
    twin: str
    forms: Forms
    levels: tuple[str, ...] = ()
    """The levels to compare; only the first if empty."""
    n: tuple[int, int] = (20, 60)


FEW = (100, 300)
_NAMED, _RENAMED = "moved, turned or mirrored", "moved, turned, mirrored or in other colours"
_BOARD, _BOARD_RENAMED = "turned or mirrored", "turned, mirrored or in other colours"
CASES = (
    Case("cdr/*-letter", _BOARD, pictures(moved=False, named=True)),
    Case("cdr/*-number", _BOARD, pictures(moved=False, named=True)),
    Case("cdr/relative-*-icon", _BOARD, pictures(moved=False, named=True)),
    Case("cdr/*-letter", "turned, mirrored or with other letters", pictures(moved=False, named=False), ("standard",), FEW),
    Case("cdr/*-number", "turned, mirrored or with other numbers", pictures(moved=False, named=False), ("standard",), FEW),
    Case("cdr/object-classification-icon", "moved or resized", icons, ("standard",), FEW),
    Case("cdr/*-direction-icon", "moved or resized", icons, ("standard",), FEW),
    *(Case(f"perceptv/{name}", _NAMED, pictures(moved=True, named=True), levels, FEW) for name, levels in {
        "colours-present": ("1",), "comparing-size": ("1",), "count-coloured-circles": ("1",), "layered-colours": ("1", "2"),
        "list-colours": ("1",),
    }.items()),
    *(Case(f"perceptv/{name}", _RENAMED, pictures(moved=True, named=False), levels, FEW) for name, levels in {
        "circle-boxes": ("2",), "counting-circles": ("1", "2", "3"), "counting-locations": ("1",), "counting-shapes": ("1",), "graph-counting": ("3",), "identifying-shapes": ("1",), "inside-circles": ("1",),
        "layered-shapes": ("1", "2"), "list-shapes": ("1",), "match-outline": ("1",), "match-shadow": ("1",),
        "numbered-shapes": ("1",), "sort-circles": ("1", "2"), "sort-lines": ("1", "2"), "vanishing-objects": ("1",),
    }.items()),
    Case("perceptv/locate-circles-colour", _BOARD, pictures(moved=False, named=True), ("1",), FEW),
    *(Case(f"perceptv/{name}", _BOARD_RENAMED, pictures(moved=False, named=False), ("1",), FEW) for name in (
        "circle-location", "cross-and-knots", "locate-circles-shape",
    )),
    *(Case(f"perceptv/{name}", _RENAMED, pictures(moved=True, named=False), n=(8, 24)) for name in (
        "change-colour", "mirror-image", "water-image",
    )),
    *(Case(f"perceptv/{name}", _BOARD_RENAMED, pictures(moved=False, named=False), n=(8, 24)) for name in (
        "circle-right-triangle", "grid-path", "maze-solving",
    )),
    Case("srbench/maze-nav-*", _BOARD, layouts, n=(3, 6)),
    Case("srbench/mrt-*", "turned", bodies, n=(6, 20)),
    Case("srbench/paper-folding", _BOARD, layouts),
    Case("srbench/orientation*", "with the same objects, seen alike", views, n=(6, 20)),
    Case("srbench/spatial-relations", "with the same objects, seen alike", views, n=(4, 12)),
    Case("dori/canonical-orientation", "the same scene", layouts, n=(4, 12)),
    *(Case(f"dori/{name}", "with the same objects, seen alike", views, n=(4, 12)) for name in (
        "compound-rotation", "directional-facing", "inter-object-direction", "single-axis-rotation", "view-parallelism",
        "viewer-scene-direction",
    )),
    Case("cospace/*", "the same place", layouts, n=(1, 3)),
    Case("viewpoint/*", "the same scene", layouts, n=(4, 12)),
    Case("solids/*", "turned", layouts),
)  # fmt: skip


def of_case(case: Case) -> Iterator[tuple[Task[Any], str, int, int]]:
    """The tasks of a case with the levels to compare, and the numbers of items of both splits."""
    for task in TASKS.values():
        if fnmatchcase(task.id, case.tasks):
            if case.levels:
                yield from ((task, level, *case.n) for level in case.levels)
            else:
                yield task, task.levels[0], *case.n


def share_of_twins(case: Case, task: Task[Any], level: str, n_test: int, n_train: int) -> float:
    """The percentage of test items with a twin in the training split."""

    def scenes(split: str, n: int) -> Iterator[Any]:
        return (sample_scene(task, task.address(split, level, SEED, index, {})).scene for index in range(n))

    train = {case.forms(task, scene)[0] for scene in scenes("train", n_train)}
    twins = sum(any(form in train for form in case.forms(task, scene)) for scene in scenes("test", n_test))
    return 100 * twins / n_test


def in_the_docs() -> dict[tuple[str, str, str], float]:
    """The table of `docs/validity.md`: the percentage of twins by tasks, level and twin."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## Splits\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ") and "%" in line]
    return {(tasks, level, twin): float(share.rstrip("%")) for tasks, level, twin, share, *_ in rows}


COMPARED = [pytest.param(case, *compared, id=f"{compared[0].id}-{compared[1]}-{case.twin}") for case in CASES for compared in of_case(case)]


@pytest.mark.parametrize(("case", "task", "level", "n_test", "n_train"), COMPARED)
def test_test_items_have_no_twin_in_train_but_where_the_docs_say_so(
    case: Case, task: Task[Any], level: str, n_test: int, n_train: int
) -> None:
    stated = in_the_docs().get((case.tasks, level, case.twin), 0.0)
    assert abs(share_of_twins(case, task, level, n_test, n_train) - stated) <= (TOLERANCE if stated else 0)


def test_every_task_has_a_case_and_every_row_of_the_docs_too() -> None:
    compared = [(case, task.id, level) for case in CASES for task, level, *_ in of_case(case)]
    assert {task for _, task, _ in compared} == set(TASKS)
    assert not set(in_the_docs()) - {(case.tasks, level, case.twin) for case, _, level in compared}


@pytest.mark.parametrize("level", TASKS["srbench/paper-folding"].levels)
def test_a_turned_or_mirrored_sheet_has_the_same_layout(level: str) -> None:
    """So neither is in the other split. Sheets have too many layouts for the items above to show it."""
    task = TASKS["srbench/paper-folding"]
    scene = sample_scene(task, task.address("test", level, SEED, 0, {})).scene
    layouts_of_twins = [task.sampling.layout(change(scene)[0]) for change in task.checks.symmetries]
    assert layouts_of_twins == [task.sampling.layout(scene)] * len(layouts_of_twins)
