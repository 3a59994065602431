"""The tasks of the suite viewpoint with several views of one place: keys, margins, errors and letters."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from isovist.core.answers import LETTERS
from isovist.core.scene3d import Scene3D
from isovist.core.scene_labels import ImageLabel
from isovist.core.task import Task, sample_scene
from isovist.suites.viewpoint import taken_from, views_around, what_they_see
from isovist.suites.viewpoint.views_around import CONTRADICTIONS, contradictions, shown_in
from isovist.world.render.scene_image import pixels
from isovist.world.scenes.distractor_types import OPPOSITE, VIEWERS_SIDE, split_types

TASKS = (what_they_see.TASK, taken_from.TASK)
CASES = [(task, level) for task in TASKS for level in task.levels]
N = 16


def scenes(task: Task[Any], level: str, n: int = N) -> list[Any]:
    return [sample_scene(task, task.address("test", level, 0, index, {})).scene for index in range(n)]


@pytest.mark.parametrize(("task", "level"), CASES)
def test_the_second_key_agrees(task: Task[Any], level: str) -> None:
    for scene in scenes(task, level):
        question = task.ask(scene)
        assert task.rederive(task.draw(scene), question.text) == question.answer.balance_bin()


@pytest.mark.parametrize(("task", "level"), CASES)
def test_symmetries_move_the_second_key_as_stated(task: Task[Any], level: str) -> None:
    for scene in scenes(task, level, 4):
        key = task.ask(scene).answer.balance_bin()
        for symmetry in task.checks.symmetries:
            changed, label = symmetry(scene)
            question = task.ask(changed)
            assert task.rederive(task.draw(changed), question.text) == question.answer.balance_bin() == label(key)


@pytest.mark.parametrize("task", TASKS)
def test_the_own_view_is_the_key_in_the_chance_share(task: Task[Any]) -> None:
    n = task.cells_at(task.levels[0])
    asked = [scene.asked for scene in scenes(task, task.levels[0], 3 * n)]
    assert {side: asked.count(side) for side in range(n)} == dict.fromkeys(range(n), 3)


@pytest.mark.parametrize("level", what_they_see.TASK.levels)
def test_options_differ_in_visible_orders_and_have_equal_nearest_looks_if_alike(level: str) -> None:
    for scene in scenes(what_they_see.TASK, level):
        options = [shown_in(image) for image in scene.images[1:]]
        assert min(contradictions(a, b) for a, b in combinations(options, 2)) >= CONTRADICTIONS
        nearest = {max(option, key=lambda thing: thing[2])[0] for option in options}
        assert level == what_they_see.DIFFERENT or len(nearest) == 1


def test_the_person_is_in_the_main_view_alone_and_options_have_their_letters() -> None:
    for scene in scenes(what_they_see.TASK, what_they_see.ALIKE, 4):
        main, *options = scene.images
        assert [image.markers for image in options] == [(ImageLabel(letter),) for letter in LETTERS[:4]]
        assert all(main.objects[:-1] == image.objects for image in options)


def test_errors_are_named_where_they_differ_from_the_key() -> None:
    for task, opposite in ((what_they_see.TASK, 2), (taken_from.TASK, 4)):
        for scene in scenes(task, task.levels[0]):
            types = dict(zip(scene.options, map(split_types, task.reported.distractor_types(scene)), strict=True))  # pyright: ignore[reportOptionalCall]
            assert types[scene.asked] == ()
            assert (VIEWERS_SIDE in types[0]) == (scene.asked != 0)
            assert OPPOSITE in types[(scene.asked + opposite) % len(types)]


def test_like_objects_are_matched_in_their_order() -> None:
    one = [("a", 0.1, 0.5), ("b", 0.3, 0.6), ("a", 0.5, 0.7)]
    assert contradictions(one, [("a", 0.5, 0.7), ("b", 0.3, 0.6), ("a", 0.1, 0.5)]) == 0
    assert contradictions(one, [("a", 0.1, 0.5), ("b", 0.7, 0.6), ("a", 0.5, 0.7)]) == 1
    assert contradictions(one, [("a", 0.1, 0.5), ("b", 0.52, 0.6), ("a", 0.5, 0.7)]) == 0  # too near to each other to be visible
    assert contradictions(one, [("a", 0.1, 0.5), ("b", 0.3, 0.9), ("a", 0.5, 0.7)], depth=True) == 1


def test_the_place_of_an_object_is_read_off_its_image() -> None:
    (scene,) = scenes(what_they_see.TASK, what_they_see.DIFFERENT, 1)
    camera, solid = scene.images[0].camera, scene.images[0].objects[0]
    x, _, z = solid.pose.position
    assert views_around.foot(camera, solid) == pytest.approx((x, z), abs=1e-6)


def test_an_image_label_is_drawn_in_the_upper_left_corner() -> None:
    (scene,) = scenes(what_they_see.TASK, what_they_see.DIFFERENT, 1)
    image: Scene3D = scene.images[1]
    changed = (pixels(image, 160) != pixels(replace(image, markers=()), 160)).any(axis=2)
    assert changed[:20, :20].any()
    assert not changed[20:].any()
    assert not changed[:, 20:].any()


@pytest.mark.parametrize(("task", "level"), CASES)
def test_a_changed_step_of_a_chain_does_not_hold(task: Task[Any], level: str) -> None:
    assert task.reasoning
    for scene in scenes(task, level, 6):
        chain = task.reasoning.write(scene)
        assert not task.reasoning.verify(scene, chain)
        lines = chain.split("\n")
        assert len(lines) <= 9
        changed = [lines[1], lines[0], *lines[2:]]
        assert task.reasoning.verify(scene, "\n".join(changed))
        for one, other in (
            ("farther left than", "farther away than"),
            (" near side", " far side"),
            ("image A", "image B"),
            ("Image A", "Image B"),
        ):
            if one in chain:
                assert task.reasoning.verify(scene, chain.replace(one, other, 1))
