"""The maze tasks: every key found once more by walking all ways of the text, and what makes the three questions fair."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import correlation
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isovist.audit.testing.conformance import items
from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.core.task import Task
from isovist.data.dataset.generation_request import requested
from isovist.data.dataset.rows import item_to_row
from isovist.data.item import Item
from isovist.data.item_options import ItemOptions
from isovist.data.items import Items
from isovist.evaluation.models.baselines.pixel_solvers import solve
from isovist.evaluation.run.variants import VariantSettings, trials
from isovist.suites import registry
from isovist.suites.srbench.maze_nav import _toward, number_options
from isovist.suites.srbench.maze_sampling import OPTIONS, SIZES
from isovist.suites.srbench.shortcuts import profile
from isovist.world.scenes import maze as blockmaze
from isovist.world.scenes.maze import PathConstraints, canonical, count_corners, mirrored, rotated

RIGHTS, TURNS, POSITION = (registry.task(f"srbench/maze-nav-{name}") for name in ("right-turns", "turns", "position"))
TASKS = (RIGHTS, TURNS, POSITION)
FORMS = ("picture", "text", "both")
CLOCKWISE = ("up right", "right down", "down left", "left up")
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
by_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
by_level = pytest.mark.parametrize("level", RIGHTS.levels)


def lettered(prompt: str) -> dict[tuple[int, int], str]:
    lines = re.findall(r"^[#.XSE]+$", prompt, re.MULTILINE)
    return {(r, c): sign for r, line in enumerate(lines) for c, sign in enumerate(line)}


def ways(maze: dict[tuple[int, int], str]) -> list[list[str]]:
    """All ways from S to E that visit no block twice, as moves."""
    routes: list[list[str]] = []

    def go(at: tuple[int, int], been: set[tuple[int, int]], moves: list[str]) -> None:
        if maze[at] == "E":
            routes.append(moves)
            return
        for name, (down, right) in MOVES.items():
            cell = (at[0] + down, at[1] + right)
            if maze[cell] != "#" and cell not in been:
                go(cell, been | {cell}, [*moves, name])

    start = next(at for at, sign in maze.items() if sign == "S")
    go(start, {start}, [])
    return routes


def told(task: Task[Any], seed: int, n: int, form: str) -> list[Item]:
    return list(Items(task, n, seed, settings=(("form", form),)))


@given(st.integers(0, 10**9))
@settings(max_examples=6, deadline=None)
def test_a_walk_over_all_ways_gives_every_key(seed: int) -> None:
    for rights, turns, position in zip(*(told(task, seed, len(task.levels), "text") for task in TASKS), strict=True):
        maze = lettered(rights.prompt)
        (moves,) = ways(maze)  # there is exactly one
        pairs = [f"{a} {b}" for a, b in pairwise(moves) if a != b]
        assert rights.answer.balance_bin() == str(sum(pair in CLOCKWISE for pair in pairs))
        assert turns.answer.balance_bin() == str(len(pairs))
        assert Counter(maze.values())["X"] == (0 if rights.level.endswith("unmarked") else len(moves) - 1)
        down, right = moves.count("down") - moves.count("up"), moves.count("right") - moves.count("left")
        places = [word for word, on in (("above", down < 0), ("below", down > 0), ("left", right < 0), ("right", right > 0)) if on]
        (asked,) = re.findall(r"is E (.*) S, in", position.prompt)
        assert position.answer.balance_bin() == (
            "yes" if [word for word in ("above", "below", "left", "right") if word in asked] == places else "no"
        )


@by_level
def test_free_blocks_touch_along_edges_only_and_have_no_loop(level: str) -> None:
    size = SIZES[RIGHTS.levels.index(level) % len(SIZES)]
    for item in Items(RIGHTS, 12, 3, level=level, settings=(("form", "text"),)):
        maze = lettered(item.prompt)
        free = {at for at, sign in maze.items() if sign != "#"}
        assert len(free) in {reach.free for ends in size.ends for reach in (*ends.straight, *ends.diagonal)}
        assert all(0 < v < size.side - 1 for at in free for v in at)
        for r, c in free:
            for down, right in ((1, 1), (1, -1)):
                assert (r + down, c + right) not in free or {(r + down, c), (r, c + right)} & free
        links = sum((r + 1, c) in free for r, c in free) + sum((r, c + 1) in free for r, c in free)
        assert links == len(free) - 1  # with one way to each: no loop


def test_every_length_and_distance_goes_with_every_way_of_turning() -> None:
    """Else the length of the way, or how far the exit is, would tell the answer to who sees how the way ends."""
    for size in SIZES:
        even = sum((right + left) % 2 == 0 for ends, nth in size.cells for right, left in [ends.turned[nth]])
        assert 2 * even == len(size.cells)
        for ends in size.ends:
            assert len({(right - left) % 4 for right, left in ends.turned}) == 1
            for i, reach in enumerate((*ends.straight, *ends.diagonal)):
                for right, left in set(ends.turned):
                    toward = 2 * (right % 4) + (i >= len(ends.straight))
                    wanted = PathConstraints(reach.steps, right, left, toward, reach.apart)
                    way = blockmaze.random_path(Rng("reach", i, right, left), size.side, wanted, 400)
                    assert way, (size.side, wanted)
                    assert any(len(blockmaze.with_branches(Rng("grown", k), size.side, way, reach.free)) == reach.free for k in range(20))


def test_the_ends_of_the_way_and_what_is_offered_leave_the_answer_open() -> None:
    """All numbers of turns at the ends of one way are offered; of right turns, each offer has each of its numbers as the key equally often."""
    for size in SIZES:
        for ends in size.ends:
            turns = ends.counts(rights_only=False)
            assert len(turns) == OPTIONS
            assert len(set(turns.values())) == len({number % 2 for number in turns}) == 1
            rights = ends.counts(rights_only=True)
            keys: dict[tuple[int, ...], Counter[int]] = {}
            for number, count in rights.items():
                for k in range(400):
                    options = number_options(Rng("offered", number, k), rights, OPTIONS, number)
                    assert len(set(options)) == OPTIONS
                    assert number in options
                    keys.setdefault(tuple(sorted(options)), Counter())[number] += count
            for options, counts in keys.items():
                assert set(counts) == set(options)
                assert max(counts.values()) < 1.35 * min(counts.values()), (options, counts)


@pytest.mark.parametrize("level", RIGHTS.levels[:2])
def test_each_number_of_turns_comes_equally_often(level: str) -> None:
    size = SIZES[RIGHTS.levels.index(level)]
    made = list(Items(TURNS, len(size.cells), 1, level=level))
    keys = Counter(int(item.answer.balance_bin()) for item in made)
    assert keys == sum((Counter(ends.counts(rights_only=False)) for ends in size.ends), Counter())
    for item in made:
        options = getattr(item.answer, "options")  # noqa: B009 - a choice
        assert len({int(option) % 2 for option in options}) == 1


def test_a_wrong_place_shares_what_it_can_with_the_right_one() -> None:
    """So whether start and exit lie in one row or column says nothing, and one word alone says no more than it must."""
    shared: Counter[bool] = Counter()
    for item in Items(POSITION, 160, 5, level="19x19"):
        toward, asked = _toward(item.scene.sheet.maze), item.scene.asked_direction
        if toward != asked:
            shared[toward % 2 == 0] += 1
            assert (asked - toward) % 8 in ((2, 6) if toward % 2 else (4,))
    assert min(shared.values()) > 30


@pytest.mark.certified(task="srbench/maze-nav-turns")
@pytest.mark.parametrize("level", ["13x13", "15x15-unmarked"])
def test_no_path_of_a_test_item_stands_in_train(level: str) -> None:
    """Not even rotated, mirrored, shifted or reversed; the two halves hardly repeat themselves either."""
    paths = {split: [canonical(item.scene.sheet.maze.path) for item in Items(POSITION, 80, 0, split, level)] for split in ("test", "train")}
    assert not set(paths["test"]) & set(paths["train"])
    assert min(len(set(each)) for each in paths.values()) >= 79


@given(st.integers(0, 10**9))
@settings(max_examples=20, deadline=None)
def test_the_canonical_form_is_that_of_every_turned_and_mirrored_path(seed: int) -> None:
    path = [(3 + seed % 5, 2), (3 + seed % 5, 3), (4 + seed % 5, 3), (5 + seed % 5, 3), (5 + seed % 5, 4)]
    moved_paths = [path, path[::-1]]
    for _ in range(3):
        moved_paths += [[rotated(block, 13) for block in moved_paths[-2]], [mirrored(block, 13) for block in moved_paths[-1]]]
    assert {canonical(each) for each in moved_paths} == {canonical(path)}
    assert canonical([*path, (5 + seed % 5, 5)]) != canonical([*path, (6 + seed % 5, 4)])


def test_the_profile_of_a_path_does_not_give_the_number_of_turns() -> None:
    """Paths that are sampled without regard to it have a correlation of about -0.45."""
    for size, level in zip(SIZES, TURNS.levels, strict=False):
        values: list[tuple[int, int]] = []
        for item in Items(TURNS, 96, 9, level=level):
            length, *lines = profile(item.scene)
            values.append((item.scene.truth, sum(number * number + 4 * (number > 0) + 7 * (number == 2) for number in lines)))
            assert count_corners(item.scene.sheet.maze.free_cells) == size.corners
            assert length == 1 + size.ends[0].straight[0].steps
        assert abs(correlation(*zip(*values, strict=True))) < 0.25, level


def test_the_three_questions_are_asked_about_the_same_mazes() -> None:
    for three in zip(*(Items(task, 16, 2) for task in TASKS), strict=True):
        assert len({item.group for item in three}) == 1
        assert three[0].pictures == three[1].pictures == three[2].pictures


@by_task
def test_all_forms_show_the_same_maze_and_are_read_alike(task: Task[Any]) -> None:
    for picture, text, both in zip(*(told(task, 4, 16, form) for form in FORMS), strict=True):
        assert picture.scene.sheet.maze == text.scene.sheet.maze == both.scene.sheet.maze
        assert [len(item.pictures) for item in (picture, text, both)] == [1, 0, 1]
        assert picture.pictures == both.pictures
        assert {task.rederive(item.pictures, item.question.text_with_options) for item in (picture, text, both)} == {
            picture.answer.balance_bin()
        }
        assert "picture" not in text.prompt and "blue" not in text.prompt and "<image>" not in text.prompt  # noqa: PT018


def test_a_picture_beside_the_text_of_another_maze_is_found_out() -> None:
    one, other = told(TURNS, 5, 2, "both")
    assert "different mazes" in TURNS.rederive(other.pictures, one.question.text_with_options)


def test_a_marked_path_that_is_not_the_solution_is_detected() -> None:
    (item,) = told(TURNS, 6, 1, "text")
    legend, blank, maze = item.question.text.partition("\n\n")
    assert TURNS.rederive((), legend + blank + maze) == item.answer.balance_bin()
    assert "not the only one" in TURNS.rederive((), legend + blank + maze.replace("X", ".", 1))


@by_task
def test_the_pixels_alone_give_the_answer(task: Task[Any]) -> None:
    for item in items(task, 77, 8):
        assert item.answer.score(solve("srbench", [np.asarray(image) for image in item.images], item.prompt)).credit == 1, item.id


def test_the_papers_size_is_its_one_size_of_maze() -> None:
    parts, _ = requested(["srbench/maze-nav-*"], ItemOptions(preset="paper"), default=1)
    assert sum(len(part.items()) for part in parts) == 400
    assert {part.items().level for part in parts} == {"13x13"}
    assert {part.items()[0].images[0].size for part in parts} == {(1168, 1168)}


@pytest.mark.parametrize(
    "variants", [VariantSettings(no_image=True), VariantSettings(blank_image=True), VariantSettings(mismatched_image=True)]
)
def test_no_picture_can_be_taken_from_an_item_that_has_none(variants: VariantSettings) -> None:
    rows = [item_to_row(item) for item in told(TURNS, 7, 8, "text")]
    with pytest.raises(UserError, match="Item has no image"):
        list(trials(rows, variants, "final-line"))
    assert len(list(trials(rows, VariantSettings(circular_eval=True), "final-line"))) == sum(len(row.choices) for row in rows)
