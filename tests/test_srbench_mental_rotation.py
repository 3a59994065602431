"""Mental rotation: polycubes against known counts and by hand, what is seen against rays and pixels, pages by themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import permutations, product
from math import acos, degrees
from typing import Any

import numpy as np
import pytest

from isovist.core.drawing2d import Drawing, Label, Line, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import Task, split_of_layout
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.srbench import mental_rotation, polycube_pages
from isovist.suites.srbench.polycube_rederivation import read
from isovist.world.render.rasterizer2d import render
from isovist.world.scenes import polycube
from isovist.world.scenes.polycube import STEPS, Body
from isovist.world.scenes.polycube_view import RIGHT, TOWARD, UP, Picture, turned, view

EASY, HARD = registry.task("srbench/mrt-easy"), registry.task("srbench/mrt-hard")
STRAIGHT: Body = ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (1, 0, 2))
"""A column of three, with a foot along y and a head along x: a chiral pentacube with a half turn of its own."""


def some(n: int, seed: int = 31) -> list[Item]:
    return [item for task in (EASY, HARD) for level in task.levels for item in Items(task, n, seed, "test", level)]


def matrix(angles: tuple[int, int, int]) -> np.ndarray:
    """From the textbook: turns about x, then y, then z, counterclockwise."""
    a, b, c = np.radians(angles)
    x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return z @ y @ x


def by_hand(shape: Body, *, proper: bool) -> set[Body]:
    """All images of a body under the signed permutations of one determinant."""
    images = set[Body]()
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        m = np.zeros((3, 3), int)
        for row, (column, sign) in enumerate(zip(order, signs, strict=True)):
            m[row, column] = sign
        if (round(np.linalg.det(m)) == 1) == proper:
            images.add(polycube.body([(int(x), int(y), int(z)) for x, y, z in np.array(shape) @ m.T]))
    return images


def all_bodies(n: int) -> set[Body]:
    """Every polycube of `n` cubes, one for each of its 24 orientations' class."""
    bodies = {polycube.body([(0, 0, 0)])}
    for _ in range(n - 1):
        bodies = {
            polycube.one_sided(polycube.body([*shape, cell]))
            for shape in bodies
            for cell in {(x + i, y + j, z + k) for x, y, z in shape for i, j, k in STEPS} - set(shape)
        }
    return bodies


@pytest.mark.parametrize(("n", "one_sided", "free"), [(4, 8, 7), (5, 29, 23), (6, 166, 112)])
def test_there_are_as_many_polycubes_as_is_known(n: int, one_sided: int, free: int) -> None:
    bodies = all_bodies(n)
    classes = {min(shape, polycube.one_sided(polycube.mirrored(shape))) for shape in bodies}
    assert (len(bodies), len(classes)) == (one_sided, free)
    for shape in bodies:
        turned_by_hand, mirrored_by_hand = by_hand(shape, proper=True), by_hand(shape, proper=False)
        assert set(polycube.rotations(shape)) == turned_by_hand
        assert all(polycube.mirrored(shape, axis) in mirrored_by_hand for axis in range(3))
        chiral = not turned_by_hand & mirrored_by_hand
        assert (polycube.unmistakable(shape) is not None) == (chiral and len(turned_by_hand) == 24)


def test_a_body_with_a_turn_of_its_own_is_not_unmistakable() -> None:
    assert len(set(polycube.rotations(STRAIGHT))) == 12
    assert polycube.mirrored(STRAIGHT) not in polycube.rotations(STRAIGHT)
    assert polycube.unmistakable(STRAIGHT) is None


def test_a_numbered_turn_is_that_of_the_list() -> None:
    shape = polycube.body([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 1, 1), (0, 0, -1)])
    assert [polycube.turned(shape, i) for i in range(24)] == polycube.rotations(shape)


@pytest.mark.parametrize("form", ["snake", "branching"])
def test_grown_bodies_are_trees_of_cubes(form: polycube.Form) -> None:
    grown = [polycube.grown(Rng("grown", form, i), 9, form) for i in range(200)]
    bodies = [shape for shape in grown if shape]
    assert len(bodies) > 60
    for shape in bodies:
        degrees_ = polycube.contacts(shape)
        assert len(set(shape)) == 9
        assert sum(degrees_) == 2 * 8
        assert (degrees_[-1] == 2) == (form == "snake")
        near = next(polycube.neighbours(Rng("near"), shape))
        assert polycube.contacts(near) == degrees_
        assert len(near) == 9
        shifts = (tuple(a - b for a, b in zip(p, q, strict=True)) for p in shape for q in near)
        assert max(Counter(shifts).values()) >= 8  # all cubes but one lie on each other


def test_the_view_is_a_right_handed_frame_and_turns_are_those_of_the_textbook() -> None:
    frame = np.array([RIGHT, UP, TOWARD])
    assert np.allclose(frame @ frame.T, np.eye(3))
    assert np.linalg.det(frame) == pytest.approx(1)
    each = (0, 60, 90, 120, 180, 270)
    for angles in product(each, each, each):
        assert np.allclose(np.transpose([turned((1, 0, 0), angles), turned((0, 1, 0), angles), turned((0, 0, 1), angles)]), matrix(angles))


def test_a_corner_of_three_cubes_is_drawn_as_by_hand() -> None:
    """One cube with a neighbour along x and one above it: from the right and in front, 7 faces are open, the last cube's last."""
    faces = view((0, 0, 0)).faces(((0, 0, 0), (0, 0, 1), (1, 0, 0)))
    face_cells = [("xyz"[face.axis], face.cell) for face in faces]
    low, high, ahead = (0, 0, 0), (0, 0, 1), (1, 0, 0)
    assert face_cells == [("y", low), ("x", high), ("y", high), ("z", high), ("x", ahead), ("y", ahead), ("z", ahead)]
    top = next(face for face in faces if face.cell == high and face.axis == 2)
    corners = {(round(x, 9), round(y, 9)) for x, y in top.corners}
    assert corners == {(round(float(np.dot(RIGHT, at)), 9), round(float(np.dot(UP, at)), 9)) for at in product((0, 1), (0, 1), (2,))}


def in_front(shape: Body, angles: tuple[int, int, int], points: np.ndarray) -> list[tuple[int, int] | None]:
    """The cube and axis of the face nearest the eye on the line of sight through each point of the picture, by brute force."""
    m = matrix(angles)
    eye = np.linalg.inv(m) @ np.array([RIGHT, UP, TOWARD]).T  # columns: right, up and toward the eye in the body's frame
    origins = points @ eye[:, :2].T
    nearest, what = np.full(len(points), -np.inf), np.full((len(points), 2), -1)
    for number, cell in enumerate(shape):
        ends = np.sort(np.stack([(np.array(cell) - origins) / eye[:, 2], (np.array(cell) + 1 - origins) / eye[:, 2]]), axis=0)
        leaves = ends[1].min(axis=1)
        hit = (ends[0].max(axis=1) < leaves) & (leaves > nearest)
        nearest[hit] = leaves[hit]
        what[hit] = np.stack([np.full(len(points), number), ends[1].argmin(axis=1)], axis=1)[hit]
    return [(int(number), int(axis)) if number >= 0 else None for number, axis in what]


def inside(corners: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    crosses = [(u - p) * (y - q) - (v - q) * (x - p) for (p, q), (u, v) in zip(corners, (*corners[1:], corners[0]), strict=True)]
    return min(crosses) > 0 or max(crosses) < 0


def test_the_face_painted_last_is_the_one_that_a_ray_meets_first() -> None:
    rng = np.random.default_rng(5)
    for item in some(1):
        for option in item.scene.options:
            picture = Picture(view(option.angles), option.cells)
            left, bottom, right, top = picture.box
            points = rng.uniform((left, bottom), (right, top), (60, 2))
            numbers = {cell: i for i, cell in enumerate(option.cells)}
            for (x, y), met in zip(points, in_front(option.cells, option.angles, points), strict=True):
                painted = [face for face in picture.faces if inside(face.corners, x, y)]
                assert (met is None) == (not painted)
                if met:
                    assert (numbers[painted[-1].cell], painted[-1].axis) == met


def test_every_cube_shows_its_share_to_rays() -> None:
    """The shares of the kit against a count of lines of sight, and against the threshold."""
    grid = np.stack(np.meshgrid(*[(np.arange(70) + 0.5) / 70] * 2), axis=-1).reshape(-1, 2)
    for item in some(1, 8)[::2]:
        for cells, angles in [(item.scene.original, (0, 0, 0)), *((o.cells, o.angles) for o in item.scene.options)]:
            picture = Picture(view(angles), cells)
            left, bottom, right, top = picture.box
            met = Counter(in_front(cells, angles, grid * (right - left, top - bottom) + (left, bottom)))
            outline = sum(abs(v) for v in view(angles).toward) / ((right - left) * (top - bottom)) * len(grid)
            weights = [abs(v) for v in view(angles).toward]
            for number, shares in enumerate(picture.view.seen(cells)):
                visible_share = sum(share * w for share, w in zip(shares, weights, strict=True)) / sum(weights)
                counted = sum(met[number, axis] for axis in range(3)) / outline
                assert visible_share == pytest.approx(counted, abs=0.06)
                assert visible_share >= polycube_pages.LEAST_SEEN


@pytest.mark.certified(task="srbench/mrt-easy")
@pytest.mark.certified(task="srbench/mrt-hard")
def test_options_are_what_they_are_called() -> None:
    for item in some(8):
        scene = item.scene
        turned_by_hand, mirrored_by_hand = by_hand(scene.original, proper=True), by_hand(scene.original, proper=False)
        kinds = [option.kind for option in scene.options]
        assert len(set(kinds)) == len(kinds) == (3 if scene.colour else 4)
        assert scene.options[scene.truth].kind == "rotation"
        arms, sides = polycube.arms(scene.original), polycube.sides(scene.original)
        shapes = {option.kind: polycube.unmistakable(option.cells) for option in scene.options}
        assert shapes["rotation"] == shapes.get("mirror", scene.shape) == scene.shape
        assert scene.shape not in {shapes.get("near-miss"), shapes.get("mirrored-near-miss")}
        for option in scene.options:
            assert len(option.cells) == int(item.level)
            assert (polycube.arms(option.cells), polycube.sides(option.cells)) == (arms, sides)
            assert (option.cells in turned_by_hand, option.cells in mirrored_by_hand) == (
                option.kind == "rotation",
                option.kind == "mirror",
            )
        key = scene.options[scene.truth]
        assert key.cells == scene.original  # so the turn of the key is the whole rotation
        trace = np.trace(matrix(key.angles))
        assert scene.disparity == pytest.approx(degrees(acos((trace - 1) / 2)), abs=0.06)
        assert np.allclose(matrix(key.angles) @ scene.axis, scene.axis, atol=1e-3)
        assert len(set(scene.options)) == len(scene.options)


@pytest.mark.certified(task="srbench/mrt-easy")
@pytest.mark.certified(task="srbench/mrt-hard")
def test_any_of_the_objects_of_a_page_may_be_the_original() -> None:
    """Both wrong options are near-misses in about a third of easy items; all kinds are in every hard one."""
    kinds = Counter(frozenset(option.kind for option in item.scene.options) - {"rotation"} for item in Items(EASY, 90, 3))
    assert len(kinds) == 3
    assert min(kinds.values()) > 15
    assert all({option.kind for option in item.scene.options} == set(polycube_pages.KINDS) for item in Items(HARD, 10, 3))


def test_the_papers_wrong_options_can_be_asked_for() -> None:
    for task, mirrors in ((EASY, 1), (HARD, 2)):
        for item in Items(task, 10, 3, settings=(("distractors", "paper"),)):
            assert Counter(option.kind for option in item.scene.options) == {"rotation": 1, "mirror": mirrors, "near-miss": 1}


def test_arms_are_counted_by_hand() -> None:
    assert polycube.arms(STRAIGHT) == [2, 2, 3]
    assert polycube.arms(((0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0))) == [2, 3]


@pytest.mark.certified(task="srbench/mrt-easy")
@pytest.mark.certified(task="srbench/mrt-hard")
def test_easy_turns_are_about_one_axis_and_hard_ones_in_four_bins() -> None:
    easy = [item.scene for item in Items(EASY, 24, 4, "test", "7")]
    assert Counter(scene.disparity for scene in easy) == {90.0: 12, 180.0: 12}
    for scene in easy:
        axes = {tuple(i for i, angle in enumerate(option.angles) if angle) for option in scene.options}
        assert len(axes) == 1
        assert len(axes.pop()) == 1
    hard = [item.scene for item in Items(HARD, 24, 4, "test", "9")]
    edges = np.array([0, 85, 100, 115, 180])
    assert (np.histogram([scene.disparity for scene in hard], edges)[0] == 6).all()
    assert {angle for scene in hard for option in scene.options for angle in option.angles} == {0, 60, 90, 120}
    assert len({angles for pool in polycube_pages.hard_pools() for angles in pool}) == 31


def test_the_form_can_be_asked_for() -> None:
    for form, branches in (("snake", False), ("branching", True)):
        for item in Items(HARD, 6, 2, settings=(("form", form),)):
            assert (polycube.contacts(item.scene.original)[-1] > 2) == branches


def objects(split: str, n: int) -> set[Body]:
    """The objects of both tasks, originals and options: one body for each and its mirror image."""
    unique_bodies: set[Body] = set()
    for task in (EASY, HARD):
        for seed in (0, 7):
            for item in Items(task, n, seed, split):
                assert all(polycube.unmistakable(option.cells) is not None for option in item.scene.options)
                bodies = [item.scene.original, *(option.cells for option in item.scene.options)]
                unique_bodies |= {min(*polycube.rotations(body), *polycube.rotations(polycube.mirrored(body))) for body in bodies}
    return unique_bodies


@pytest.mark.certified(task="srbench/mrt-easy")
@pytest.mark.certified(task="srbench/mrt-hard")
def test_no_object_of_a_training_item_is_in_a_test_item_as_original_or_option() -> None:
    test, train = objects("test", 40), objects("train", 40)
    assert min(len(test), len(train)) > 150
    assert not test & train
    assert {split_of_layout(body) for body in test} == {"test"}
    assert {split_of_layout(body) for body in train} == {"train"}


@pytest.mark.certified(task="srbench/mrt-easy")
@pytest.mark.certified(task="srbench/mrt-hard")
@pytest.mark.parametrize("task", [EASY, HARD], ids=lambda task: task.name)
def test_no_page_of_the_fewest_cubes_comes_twice(task: Task[Any]) -> None:
    """Whatever the colour and the order of the options: there are few snakes of seven cubes in a split."""
    scenes = [item.scene for item in Items(task, 90, 0, "test", "7")]
    assert len({(scene.original, frozenset(scene.options)) for scene in scenes}) == len(scenes)


def test_an_item_is_the_same_whoever_made_which_items_before() -> None:
    later = [Items(EASY, 61, 5, "test", "8")[k].id for k in (60, 3, 41)]
    polycube_pages.deck.cache_clear()
    assert [Items(EASY, 61, 5, "test", "8")[k].id for k in (60, 3, 41)] == later


def test_pages_that_come_again_come_in_another_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """With three pages of a kind only, six colours make eighteen pictures of them; six rotations and three likenesses are 18 kinds."""
    monkeypatch.setattr(mental_rotation, "deck", lru_cache(lambda key, kind: Three(Rng.of(key), kind.draw, polycube_pages.Page.marks)))
    scenes = [item.scene for item in Items(EASY, 72, 3, settings=(("form", "snake"),), level="8")]
    assert len({(scene.original, frozenset(scene.options)) for scene in scenes}) <= 3 * 18
    assert len({(scene.original, frozenset(scene.options), scene.colour) for scene in scenes}) == 72


class Three(Deck[Any]):
    def at(self, place: int) -> tuple[Any, int]:
        return super().at(place % 3)[0], place // 3


def flipped(drawing: Drawing) -> Drawing:
    """The page in a mirror: each body becomes its mirror image, each letter stays below its option."""

    def across(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((drawing.width - x, y) for x, y in points)

    shapes: list[Shape] = []
    for shape in (*drawing.shapes, *drawing.backdrop):
        match shape:
            case Polygon(points=points) | Line(points=points):
                shapes.append(replace(shape, points=across(points)))
            case Label(position=at):
                shapes.append(replace(shape, position=across((at,))[0]))
            case _:
                pytest.fail(f"a shape of another kind: {shape}")
    n = len(drawing.shapes)
    return replace(drawing, shapes=tuple(shapes[:n]), backdrop=tuple(shapes[n:]))


def test_reading_knows_nothing_of_the_view() -> None:
    """A page in a mirror shows every body's mirror image from a mirrored view: the answer is the same."""
    for item in some(2, 12):
        (page,) = item.drawings
        assert read((flipped(page),), "") == item.answer.balance_bin()


def test_reading_sees_a_square_that_is_missing_and_a_wrong_option() -> None:
    item = Items(HARD, 1, 4)[0]
    (page,) = item.drawings
    with pytest.raises(ValueError, match="interpretations"):
        read((replace(page, shapes=page.shapes[1:]),), "")
    scene = item.scene
    none_right = replace(
        scene, options=tuple(replace(o, cells=polycube.mirrored(o.cells)) if o.kind == "rotation" else o for o in scene.options)
    )
    with pytest.raises(ValueError, match="0 options"):
        HARD.rederive(HARD.draw(none_right), "")


def test_bodies_stay_in_their_places_and_letters_are_apart() -> None:
    for item in some(3, 5):
        (page,) = item.drawings
        panel = page.width / len(item.scene.options)
        for shape in page.shapes:
            if isinstance(shape, Polygon):
                xs, ys = zip(*shape.points, strict=True)
                assert min(ys) > 0.1
                assert max(ys) < page.height
                assert min(xs) > 0
                assert max(xs) < page.width
                middle = sum(ys) / 4
                if middle < page.height / 2:
                    assert int(min(xs) / panel) == int(max(xs) / panel)


def test_a_page_is_the_same_in_black_and_white_where_it_is_hard() -> None:
    pixels = render(Items(HARD, 1, 6)[0].drawings[0], 440).astype(int)
    assert (pixels.max(axis=2) - pixels.min(axis=2)).max() < 30  # the frame alone has a tinge
    coloured = render(Items(EASY, 1, 6)[0].drawings[0], 440).astype(int)
    assert ((coloured.max(axis=2) - coloured.min(axis=2)) > 40).mean() > 0.05
