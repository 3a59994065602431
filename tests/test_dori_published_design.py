"""DORI with `design=paper`: upright first images, a viewer who does not move, unknown answers because of the object alone, text in every image."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from workbench import isovist, refused

from isovist.core.answers import Choice
from isovist.core.scene3d import rotation
from isovist.data.item import Item, make_item
from isovist.suites import registry
from isovist.suites.dori import image_pairs
from isovist.suites.dori.picture_operations import done, right
from isovist.suites.dori.shared_parts import UNKNOWN, has_front
from isovist.world.scenes import object_catalog

TASKS = [name for name in registry.built_in_tasks() if name.startswith("dori/")]
CASES = [(name, level) for name in TASKS for level in registry.task(name).levels]
OF_PAIRS = ["dori/compound-rotation", "dori/viewer-scene-direction"]
OF_FACING = ["dori/view-parallelism", "dori/directional-facing", "dori/single-axis-rotation", "dori/inter-object-direction"]
N = 48


@cache
def of_level(name: str, level: str) -> list[Item]:
    task = registry.task(name)
    return [make_item(task, task.address("test", level, 78, index, {"design": "paper"})) for index in range(N)]


def items_of(name: str) -> list[Item]:
    return [item for level in registry.task(name).levels for item in of_level(name, level)]


def options_of(item: Item) -> tuple[str, ...]:
    assert isinstance(item.answer, Choice)
    return item.answer.options


def is_unknown(item: Item) -> bool:
    assert isinstance(item.answer, Choice)
    return item.answer.options[item.answer.truth] == UNKNOWN


@pytest.mark.parametrize(("name", "level"), CASES)
def test_keys_are_balanced_and_rederived_and_chains_hold(name: str, level: str) -> None:
    task, keys = registry.task(name), Counter[str]()
    for item in of_level(name, level):
        options, question = options_of(item), task.ask(item.scene)
        keys[item.answer.canonical()] += 1
        assert len(set(options)) == len(options), item.id
        key = options["ABCDEFGHIJKLMNOP".index(item.answer.canonical())]
        assert task.rederive(task.draw(item.scene), question.text_with_options) == key, item.id
        assert ":design=paper#" in item.id
        if task.reasoning:
            assert task.reasoning.verify(item.scene, task.reasoning.write(item.scene)) == [], item.id
    assert len(keys) == len(options_of(of_level(name, level)[0]))
    assert max(keys.values()) - min(keys.values()) <= 1, keys


@pytest.mark.parametrize("name", OF_PAIRS)
def test_the_viewer_does_not_move_and_the_first_image_is_upright(name: str) -> None:
    for item in items_of(name):
        first, second = item.scene.scenes3d
        (shown,) = first.objects  # no posts
        assert rotation(shown.pose)[1][1] == pytest.approx(1), item.id
        assert first.camera == second.camera, item.id
        assert first.light != second.light, item.id
        assert "post" not in item.prompt, item.id
        assert "viewer does not move" in item.prompt, item.id


@pytest.mark.parametrize("name", OF_PAIRS)
def test_only_symmetry_leaves_a_rotation_unknown(name: str) -> None:
    symmetric = Counter[bool]()
    for item in items_of(name):
        thing = image_pairs.thing_in(item.scene.scenes3d[0])
        assert not item.scene.is_other_object
        if is_unknown(item):
            assert thing.turns, item.id
        elif thing.turns:
            assert image_pairs.oblong(thing), item.id  # a rotation by 90 degrees is visible
            symmetric[True] += 1
    assert symmetric[True]  # symmetry alone is not the key


@pytest.mark.parametrize("name", OF_FACING)
def test_only_the_category_leaves_a_direction_unknown(name: str) -> None:
    for item in items_of(name):
        (picture,) = item.scene.scenes3d
        targets = [picture.objects[place] for place in item.scene.targets]
        assert not item.scene.front_is_hidden
        assert all((thing := object_catalog.of(target.geometry)) and thing.made is None for target in targets), item.id  # no pairs
        assert all(map(has_front, targets)) != is_unknown(item), item.id


def test_every_image_contains_text_so_that_every_flip_is_visible() -> None:
    views: set[str] = set()
    for item in items_of("dori/canonical-orientation"):
        scene = item.scene
        assert scene.word, item.id
        views.add(scene.view)
        if item.level == "granular":
            assert len(options_of(item)) == 6, item.id
            if not scene.unknown:
                assert sum(right(done(scene.state, operation), word=True) for operation in scene.offered) == 1, item.id
    assert views == {"level", "above"}


def test_another_design_is_refused_in_one_line(tmp_path: Path) -> None:
    ended = isovist("generate", "dori/*", "--task-option", "design=nope", "--n", 2, "--out", tmp_path / "data")
    refused(ended, "design=nope: choose one of balanced, paper")
    assert not (tmp_path / "data").exists()
