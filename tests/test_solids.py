"""The suite solids: piles and their views, cubes with marks, keys by brute force, pixel solvers, stages, named errors."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated import asked, rows

from isovist.core.drawing2d import Drawing, Polygon
from isovist.core.scene3d import Camera, project
from isovist.core.task import Task, sample_scene
from isovist.evaluation.models.baselines.pixel_solvers import solve
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.findings import significant_findings
from isovist.suites import registry
from isovist.suites.solids import cube_comparison, hidden_cubes, marked_cubes, pile_pictures, pile_squares, three_views, view_of_solid
from isovist.world import render
from isovist.world.render import solid_stage
from isovist.world.scenes import pile
from isovist.world.scenes.cube_marks import BRANCHES, PICTURES, Mark
from isovist.world.scenes.distractor_types import FRONT_ALONE, HANDEDNESS, NEITHER_VIEW, RIGHT_ALONE, TURNED_MARK
from isovist.world.scenes.pile import SIDES, Heights
from isovist.world.scenes.solid_view import STEEP

TASKS = (hidden_cubes.TASK, three_views.TASK, view_of_solid.TASK, cube_comparison.TASK)
CASES = [(task, level) for task in TASKS for level in task.levels]
N = 12
heights_of_piles = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=3, max_size=4).map(lambda h: tuple(map(tuple, h)))


def scenes(task: Task[Any], level: str, n: int = N) -> list[Any]:
    return [sample_scene(task, task.address("test", level, 0, index, {})).scene for index in range(n)]


def cells(heights: Heights) -> set[tuple[int, int, int]]:
    return {(i, j, z) for i, row in enumerate(heights) for j, high in enumerate(row) for z in range(high)}


# Piles ------------------------------------------------------------------------------------------------------------------


@given(heights_of_piles)
def test_a_pile_is_read_from_its_faces_if_all_tops_are_seen(heights: Heights) -> None:
    if sum(map(sum, heights)) == 0 or any(pile.hidden_tops(heights, STEEP, 1)):
        return
    polygons = pile_pictures.painted(heights, 0.1, (0.5, 0.5))
    assert pile_pictures.shown(polygons) == heights
    with pytest.raises(ValueError, match=r"faces|tops"):
        pile_pictures.shown(polygons[:-1])


@given(heights_of_piles, st.sampled_from(SIDES))
def test_a_view_has_the_highest_column_of_each_line_of_sight(heights: Heights, side: str) -> None:
    solid, (a, b) = cells(heights), pile.width(heights)
    across = {  # from left to right: the coordinate that runs to the right for one at this side who looks at the pile
        "front": [(1, j) for j in range(b)],
        "right": [(0, i) for i in reversed(range(a))],
        "back": [(1, j) for j in reversed(range(b))],
        "left": [(0, i) for i in range(a)],
    }[side]
    assert pile.seen_from(heights, side) == tuple(
        max((z + 1 for *place, z in solid if place[axis] == at), default=0) for axis, at in across
    )


@given(heights_of_piles)
def test_the_canonical_form_is_that_of_all_turns_and_mirror_images(heights: Heights) -> None:
    turned = tuple(zip(*heights[::-1], strict=True))
    assert pile.canonical(heights) == pile.canonical(turned) == pile.canonical(heights[::-1])
    assert pile_squares.orbit(heights) == pile_squares.orbit(turned) == pile_squares.orbit((heights[-1], *heights[:-1]))


@pytest.mark.parametrize("level", hidden_cubes.TASK.levels)
def test_hidden_cubes_have_no_free_face_toward_the_eye(level: str) -> None:
    for scene in scenes(hidden_cubes.TASK, level, 40):
        h = scene.heights
        assert all(high >= ahead for row, after in pairwise(h) for high, ahead in zip(row, after, strict=True))
        assert all(list(row) == sorted(row, reverse=True) for row in h)
        solid = cells(h)
        hidden = [cell for cell in solid if all(tuple(v + (k == axis) for k, v in enumerate(cell)) in solid for axis in range(3))]
        assert hidden_cubes.n_hidden(h) == len(hidden)
        assert not any(pile.hidden_tops(h, STEEP, 5))
        assert max(scene.options) - min(scene.options) <= 8


def test_piles_of_one_item_could_have_all_numbers() -> None:
    """Piles with the outlines and the visible cubes of an item have each of its options: the drawing's outlines tell nothing."""
    for scene in scenes(hidden_cubes.TASK, "5x5x4", 6):
        h = scene.heights
        visible = pile.total(h) - hidden_cubes.n_hidden(h)
        totals = {pile.total(other) for other in _walk(h) if pile.total(other) - hidden_cubes.n_hidden(other) == visible}
        assert set(scene.options) <= totals


def _walk(h: Heights) -> set[Heights]:
    """Piles that single changes of inner columns lead to."""
    known, border = {h}, [h]
    while border and len(known) < 6000:
        one = border.pop(0)
        for i, j, change in product(range(1, len(h)), range(1, len(h[0])), (-1, 1)):
            new = [list(row) for row in one]
            new[i][j] += change
            low = max(new[i + 1][j] if i + 1 < len(h) else 1, new[i][j + 1] if j + 1 < len(h[0]) else 1)
            other = tuple(map(tuple, new))
            if low <= new[i][j] <= min(new[i - 1][j], new[i][j - 1]) and other not in known:
                known.add(other)
                border.append(other)
    return known


@pytest.mark.parametrize("level", three_views.TASK.levels)
def test_each_view_leaves_two_solids_and_both_leave_one(level: str) -> None:
    for scene in scenes(three_views.TASK, level):
        front, right = pile.front(scene.heights), pile.right(scene.heights)
        assert [pile.front(option) == front for option in scene.options].count(True) == 2
        assert [pile.right(option) == right for option in scene.options].count(True) == 2
        assert len({tuple(sorted(sum(option, ()))) for option in scene.options}) == 1
        types = three_views.TASK.reported.distractor_types
        assert types
        assert sorted(types(scene)) == sorted(["", FRONT_ALONE, RIGHT_ALONE, NEITHER_VIEW])
        assert not any(any(pile.hidden_tops(option, STEEP, 2)) for option in scene.options)


# Cubes with marks ---------------------------------------------------------------------------------------------------------


def _samples(mark: Mark, turns: int, *, mirrored: bool) -> set[tuple[int, int]]:
    """The filled squares of a grid, after quarter turns and in a mirror."""
    points: set[tuple[int, int]] = set()
    for i, j in product(range(-12, 13), repeat=2):
        x, y = (-i if mirrored else i), j
        for _ in range(turns):
            x, y = y, -x
        if any(_is_inside(x / 26, y / 26, outline) for outline in mark.outlines):
            points.add((i, j))
    return points


def _is_inside(x: float, y: float, outline: tuple[tuple[float, float], ...]) -> bool:
    inside = False
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


@pytest.mark.parametrize("marks", [PICTURES, BRANCHES])
def test_no_mark_looks_like_itself_turned_or_like_another_one(marks: tuple[Mark, ...]) -> None:
    """Marks differ in at least 3 % of the squares of a grid, after any quarter turn; the same mark also in a mirror."""
    plain = {mark.name: _samples(mark, 0, mirrored=False) for mark in marks}
    for mark in marks:
        for turns, mirrored in product(range(4), (False, True)):
            changed = _samples(mark, turns, mirrored=mirrored)
            for other, squares in plain.items():
                if (other, turns, mirrored) != (mark.name, 0, False):
                    assert len(changed ^ squares) >= 18, (mark.name, other, turns, mirrored)


def test_rotations_are_the_24_of_the_cube() -> None:
    assert len(set(marked_cubes.ROTATIONS)) == 24
    for turn in marked_cubes.ROTATIONS:
        assert sorted(turn) == list(range(6))
        assert all(turn[marked_cubes.opposite(k)] == marked_cubes.opposite(turn[k]) for k in range(6))
        assert marked_cubes.cross(turn[0], turn[2]) == turn[4]


@pytest.mark.parametrize("level", cube_comparison.TASK.levels)
def test_one_option_is_the_cube_and_the_others_differ_as_named(level: str) -> None:
    for scene in scenes(cube_comparison.TASK, level, 24):
        fits = [marked_cubes.can_be_one_cube(scene.reference, view) for view in scene.options]
        assert [k for k, fit in enumerate(fits) if fit] == [scene.key]
        assert sorted(scene.kinds) == sorted(["", HANDEDNESS, TURNED_MARK, f"{HANDEDNESS}; {TURNED_MARK}"])
        marks = [frozenset(mark for mark, _ in view) for view in scene.options]
        assert len(set(marks)) == 1
        assert len(marks[0] & {mark for mark, _ in scene.reference}) == 2
        assert marked_cubes.angle(scene.turns[scene.key]) in (90, 180)


# All tasks ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("task", "level"), CASES)
def test_pixel_solvers_give_the_key(task: Task[Any], level: str) -> None:
    for scene in scenes(task, level, 6):
        question = task.ask(scene)
        images = [render.pixels(picture, task.images.size_px) for picture in task.draw(scene)]
        assert solve("solids", images, question.text_with_options) == f"Answer: {question.answer.canonical()}"


@pytest.mark.parametrize("task", TASKS)
def test_the_cubes_of_the_stage_are_where_they_are_drawn(task: Task[Any]) -> None:
    for scene in scenes(task, task.levels[-1], 3):
        (drawing,) = task.draw(scene)
        assert isinstance(drawing, Drawing)
        raised = task.images.raised
        assert raised
        assert raised.cubes
        groups, others = raised.cubes(drawing)
        stage = solid_stage.scene(drawing, groups, 400)
        camera = stage.camera
        assert isinstance(camera, Camera)
        corners = {
            (round(point[0] * 400), round((drawing.height - point[1]) * 400))
            for shape in drawing.shapes
            if isinstance(shape, Polygon) and shape not in others and shape.stroke
            for point in shape.points
        }
        edge, nth = groups[0].edge, 0
        shown: set[tuple[float, float]] = set()
        for group in groups:
            for _ in group.cells:
                a, b, c = stage.objects[nth].pose.position
                nth += 1
                for u, v, w in product((-0.5, 0.5), (0, 1), (-0.5, 0.5)):
                    px, py, _ = project(camera, (a + u * edge, b + v * edge, c + w * edge))
                    shown.add((px, py))
            nth += len(group.floor)
        far = [corner for corner in corners if min(abs(corner[0] - x) + abs(corner[1] - y) for x, y in shown) > 2.5]
        on_floor = sum(len(group.floor) for group in groups)
        assert len(far) <= 4 * on_floor


@pytest.mark.parametrize(
    ("deficit", "task", "kind"),
    [
        ("visible-cubes", "hidden-cubes", "hidden-cubes"),
        ("front-view", "three-views", "front-view-alone"),
        ("mirror-blind", "view-of-solid", "mirror-confusion"),
        ("handedness", "cube-comparison", "handedness-confusion"),
        ("mark-direction", "cube-comparison", "ignored-mark-direction"),
    ],
)
def test_a_report_names_the_deficit(deficit: str, task: str, kind: str) -> None:
    tasks = asked(rows([f"solids/{task}"], 60), f"simulated/deficit:{deficit},noise=0.2")
    assert kind in {finding.kind for finding in significant_findings(tasks, DETECTORS)}


def test_test_and_train_have_no_common_solid() -> None:
    for task in registry.built_in_tasks().values():
        if task.suite == "solids":
            layouts = [
                {repr(task.sampling.layout(sample_scene(task, task.address(split, task.levels[0], 0, k, {})).scene)) for k in range(60)}
                for split in ("test", "train")
            ]
            assert not layouts[0] & layouts[1]


def test_solvers_say_nothing_about_an_empty_picture() -> None:
    blank = np.full((513, 880, 3), 255, np.uint8)
    for scene, task in ((scenes(task, task.levels[0], 1)[0], task) for task in TASKS):
        assert solve("solids", [blank], task.ask(scene).text_with_options).startswith("I cannot")
