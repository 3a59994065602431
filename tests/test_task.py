"""Tasks and their items: an id is enough, answers are balanced, settings travel, faults are one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbench import isovist as command
from workbench import refused

import isovist
from isovist.audit.item_cache import digest
from isovist.common.errors import UserError
from isovist.core.drawing2d import Circle, Label
from isovist.core.task import MAX_ATTEMPTS, SPLITS, Answers, RejectSample, Setting, Task, Value
from isovist.data.item import item, make_item
from isovist.data.items import Items, generate
from isovist.suites import registry

TASKS = list(registry.tasks().values())
EIGHT = [task for task in TASKS if task.suite == "cdr" and task.answers.strata == 8]
LETTERS = registry.task("cdr/relative-compass-letter")

FEW = [
    registry.task(name)
    for name in (
        *("cdr/relative-compass-letter", "cdr/spatial-direction-icon", "perceptv/counting-circles", "perceptv/grid-path"),
        *("dori/directional-facing", "srbench/maze-nav-position", "srbench/paper-folding", "cospace/rotation-angle"),
    )
]
"""Of each suite, with drawings and with 3-D scenes. What conformance checks for all tasks is looked at for these in other ways."""

every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
few_tasks = pytest.mark.parametrize("task", FEW, ids=lambda task: task.id)
eight_directions = pytest.mark.parametrize("task", EIGHT, ids=lambda task: task.id)


# ---- an id is enough ------------------------------------------------------------------------------------------------

AGAIN = """
import hashlib, json, sys
import isovist
told = {}
for id in json.load(sys.stdin):
    made = isovist.item(id)
    pixels = b"".join(str(p.shape).encode() + p.tobytes() for p in made.pixels())
    told[id] = [made.id, made.prompt, made.answer.canonical(), made.group, hashlib.sha256(pixels).hexdigest()]
print(json.dumps(told))
"""


def test_another_process_makes_an_item_from_its_id_alone() -> None:
    """In another order and under another hash seed. Conformance compares a few items of every task."""
    one_of_each = [Items(task, 6, 8, SPLITS[k % 2], settings=(("size", task.images.least_px),))[5] for k, task in enumerate(FEW)]
    told_of_each = {one.id: [one.id, one.prompt, one.answer.canonical(), one.group, digest(one.pixels())] for one in one_of_each}
    ran = subprocess.run(
        [sys.executable, "-c", AGAIN],
        input=json.dumps([one.id for one in reversed(one_of_each)]),
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == told_of_each


@few_tasks
def test_an_item_does_not_depend_on_how_many_are_asked_for(task: Task[Any]) -> None:
    assert [made.id for made in Items(task, 9, 3)] == [made.id for made in Items(task, 1000, 3)[:9]]


def test_items_are_made_when_asked_for() -> None:
    items = generate("cdr/relative-compass-letter", n=10**9, seed=2)
    assert len(items) == 10**9
    assert items[10**9 - 1] == items[-1]
    assert items[-1].index == 10**9 - 1
    for place in (10**9, -(10**9) - 1):
        with pytest.raises(IndexError):
            items[place]


def test_items_of_several_tasks_stand_one_task_after_the_other() -> None:
    items = generate("cdr/relative-spatial-*", n=5)
    assert [made.task.id for made in items] == [f"cdr/relative-spatial-{what}" for what in ("icon", "letter", "number") for _ in range(5)]
    assert items[7] == items[-8]
    assert [made.id for made in items[4:6]] == [items[4].id, items[5].id]
    with pytest.raises(IndexError):
        items[15]


# ---- what does not fit is one line ----------------------------------------------------------------------------------

ID = Items(LETTERS, 1)[0].id
PLACE = "cdr/relative-compass-letter@2:test:standard:0:0"

BAD_IDS = {
    "another digest": (f"{PLACE}#0000000000000000", f"regenerated as {ID}"),
    "a digest cut short": (ID[:-1], "regenerated as"),
    "an empty digest": (f"{PLACE}#", "regenerated as"),
    "another version": (ID.replace("@2:", "@99:"), "version 99"),
    "an unknown task": (ID.replace("letter@", "lettre@"), "Did you mean cdr/relative-compass-letter"),
    "an unknown split": (ID.replace(":test:", ":exam:"), "is not an item id"),
    "an unknown level": (ID.replace(":standard:", ":hard:"), "no level 'hard'; it has standard"),
    "an index below zero": (f"{PLACE[:-1]}-1", "items count from 0"),
    "an unknown setting": (f"{PLACE}:colour=red", "no setting 'colour'; it has letters, order, pictures, size"),
    "an unknown value": (f"{PLACE}:order=random", "order=random: choose one of shuffled, paper"),
    "a size too small": (f"{PLACE}:size=95", "size=95: give a whole number from 96 to 4096"),
    "no id": ("cdr/relative-compass-letter@", "is not an item id"),
}


@pytest.mark.parametrize("name", BAD_IDS)
def test_an_id_that_does_not_fit_is_refused_in_one_line(name: str) -> None:
    id, words = BAD_IDS[name]
    with pytest.raises(ValueError) as error:
        item(id)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    refused(command("show", id), words)


BAD_REQUESTS: dict[str, tuple[Mapping[str, Any], str]] = {
    "an unknown setting": ({"colour": "red"}, "Unknown task option: colour"),
    "an unknown value": ({"order": "random"}, "order=random: choose one of shuffled, paper"),
    "words for a number": ({"size": "large"}, "size=large: give a whole number from 96 to 4096"),
    "a size too large": ({"size": 4097}, "size=4097"),
    "an unknown split": ({"split": "exam"}, "split 'exam': choose one of test, train"),
    "an unknown level": ({"level": "hard"}, "no level 'hard'"),
    "fewer than no items": ({"n": -1}, "Give a number of items from 0"),
}


@pytest.mark.parametrize("name", BAD_REQUESTS)
def test_a_request_that_does_not_fit_is_refused_before_the_first_item(name: str) -> None:
    given, words = BAD_REQUESTS[name]
    with pytest.raises(ValueError) as error:
        isovist.generate("cdr/relative-*-letter", **given)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [{"colour": "red"}, {"order": "random"}, {"size": 1}])
def test_settings_that_do_not_fit_are_bad_input(given: dict[str, Value]) -> None:
    with pytest.raises(UserError):
        registry.require_setting_support([LETTERS], given)


def test_a_task_that_is_not_there_is_bad_input_with_a_hint() -> None:
    with pytest.raises(UserError, match="Did you mean cdr/relative-compass-letter"):
        generate("cdr/relative-compas-leter")
    with pytest.raises(UserError, match="Unknown task"):
        generate("nothing/*")


def test_an_address_of_another_task_is_refused() -> None:
    address = LETTERS.address("test", "standard", 0, 0, {})
    for other in (registry.task("cdr/relative-compass-number"), replace(LETTERS, version=99)):
        with pytest.raises(ValueError, match="was made by cdr/relative-compass-letter version 2"):
            make_item(other, address)


def test_a_task_that_fits_no_scene_says_so() -> None:
    calls = Counter[str]()

    def never(plan: Any) -> Any:
        calls["sampled"] += 1
        raise RejectSample

    task = replace(LETTERS, sample=never)
    with pytest.raises(RuntimeError, match="rejects too many"):
        make_item(task, task.address("test", "standard", 0, 0, {}))
    assert calls["sampled"] == MAX_ATTEMPTS


# ---- balance --------------------------------------------------------------------------------------------------------


@eight_directions
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), split=st.sampled_from(SPLITS), start=st.integers(0, 30))
def test_answers_are_balanced_over_any_number_of_items(task: Task[Any], seed: int, split: str, start: int) -> None:
    """Exactly at each multiple of eight, also from any multiple on, and within one otherwise."""
    answers, letters = Counter[str](), Counter[str]()
    options = set(Items(task, 1)[0].answer.options)  # pyright: ignore[reportAttributeAccessIssue] - a choice
    listed = Items(task, 8 * start + 60, seed, split)
    for n, made in enumerate(listed[8 * start :], 1):
        answers[made.answer.balance_bin()] += 1
        letters[made.answer.canonical()] += 1
        for counts, names in ((answers, options), (letters, "ABCDEFGH")):
            frequencies = [counts[name] for name in names]
            assert sum(frequencies) == n
            assert max(frequencies) - min(frequencies) <= (n % 8 > 0), (n, counts)


@eight_directions
def test_the_order_of_the_answers_is_no_pattern(task: Task[Any]) -> None:
    blocks = [tuple(made.answer.balance_bin() for made in Items(task, 160, 1)[k : k + 8]) for k in range(0, 160, 8)]
    assert len(set(blocks)) == len(blocks)


# ---- families -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "chance"),
    [
        (Answers(type="choice", strata=8), 1 / 8),
        (Answers(type="choice", strata=(2, 4)), 3 / 8),
        (Answers(type="sequence", strata=(2, 4), best_constant=(1 / 4, 1 / 8)), 3 / 16),
        (Answers(type="choice", strata=18, best_constant=(1 / 2,), chance=1 / 4), 1 / 4),
    ],
)
def test_the_chance_level_follows_from_the_strata_unless_more_is_stated(answers: Answers, chance: float) -> None:
    assert answers.mean_chance == chance


@pytest.mark.parametrize("family", sorted({task.images.family for task in TASKS if task.images.family}))
def test_tasks_of_one_family_show_the_same_pictures(family: str) -> None:
    kin = [task for task in TASKS if task.images.family == family]
    by_task = [[(made.group, made.pictures) for made in Items(task, 12, 4, settings=fitting(task, pictures=12))] for task in kin]
    assert all(pictures == by_task[0] for pictures in by_task)
    assert len(set(by_task[0])) == 12


def fitting(task: Task[Any], **given: Value) -> tuple[tuple[str, Value], ...]:
    return tuple((name, value) for name, value in given.items() if name in task.all_settings)


# ---- settings -------------------------------------------------------------------------------------------------------


def others(setting: Setting) -> list[Value]:
    """Values of a setting that are not its default."""
    return [choice for choice in setting.choices if choice != setting.default] or [setting.high // 2 if setting.high < 10**4 else 7]


@every_task
def test_settings_travel_in_ids(task: Task[Any]) -> None:
    for name, setting in task.all_settings.items():
        for value in others(setting):
            made = Items(task, 3, 6, settings=((name, str(value)),))[2]
            assert f":{name}={value}#" in made.id
            again = item(made.id)
            assert again == made
            assert again.pictures == made.pictures
            default = Items(task, 3, 6, settings=((name, setting.default),))[2]
            assert "=" not in default.id
            assert default == Items(task, 3, 6)[2]
            assert default.id != made.id


def test_several_settings_travel_in_one_order() -> None:
    ids = [generate(LETTERS.id, n=1, size=300, order="paper")[0].id, generate(LETTERS.id, n=1, order="paper", size="300")[0].id]
    assert ids[0] == ids[1]
    assert ":order=paper,size=300#" in ids[0]


@every_task
def test_a_size_scales_the_pictures_and_nothing_else(task: Task[Any]) -> None:
    plain, small, large = (
        Items(task, 2, 6, settings=given)[1] for given in ((), (("size", task.images.least_px),), (("size", 2 * task.images.least_px),))
    )
    for one in (small, large):
        assert (plain.scene, plain.question, plain.pictures) == (one.scene, one.question, one.pictures)
    assert [(2 * w, 2 * h) for w, h in (image.size for image in small.images)] == [image.size for image in large.images]


@pytest.mark.parametrize("value", [8, "8", 5])
def test_a_number_of_pictures_is_shared_by_the_items(value: Value) -> None:
    n = int(value)
    made = list(Items(LETTERS, 3 * n + 1, settings=(("pictures", value),)))
    assert [one.group for one in made[:n]] * 3 == [one.group for one in made[: 3 * n]]
    assert len({one.pictures for one in made}) == n


# ---- the least size ---------------------------------------------------------------------------------------------------

CAPITAL = 0.73  # of the em of the font


@pytest.mark.parametrize("task", registry.tasks().values(), ids=lambda task: task.id)
def test_letters_and_discs_can_be_read_at_the_least_size(task: Task[Any]) -> None:
    for made in Items(task, max(2, len(task.levels)) if task.suite != "cospace" else 1, 3):
        for drawing in made.drawings:
            shapes = (*drawing.backdrop, *drawing.shapes)
            assert all(CAPITAL * shape.size * task.images.least_px >= 8 for shape in shapes if isinstance(shape, Label)), made.id
            assert all(2 * shape.radius * task.images.least_px >= 4 for shape in shapes if isinstance(shape, Circle)), made.id
