"""Percept-V and CDR: cheap rules stay at chance, for the reasons for which items are sampled as they are."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from isovist.core.answers import YesNo
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.perceptv.grids import INNER, around, by_edges, surroundings
from isovist.suites.perceptv.matching import area

RULES = [
    (task, name)
    for task in registry.matching(["perceptv/*", "cdr/*"])
    for name, shortcut in task.checks.shortcuts.items()
    if not shortcut.partial
]
PARTIAL = {
    "circle-location/the quadrant with the most ink": 0.5,
    "circle-boxes/the number of moves from the proportions of ink": 0.5,
    "circle-location/the fuller half, vertically and horizontally": 0.88,
    "cross-and-knots/no cross in the cell or beyond its edges": 0.8,
    "step-cell-letter/the row alone": 0.58,
    "step-cell-letter/the column alone": 0.58,
    "relative-spatial-letter/the position of the target alone": 0.35,
}
"""What rules that do a part of the work get, at most."""


@lru_cache(maxsize=4)
def made(name: str, n: int = 240) -> list[Item]:
    task = registry.task(name)
    return [item for level in task.levels for item in Items(task, n // len(task.levels), 7, "test", level)]


def scored(task: Task[Any], name: str) -> list[float]:
    """The credit of a rule at each item on which it has an opinion."""
    all_replies = [(item, task.checks.shortcuts[name].rule(item.scene, item.question)) for item in made(task.id)]
    return [float(np.mean([item.answer.score(reply).credit for reply in replies])) for item, replies in all_replies if replies]


@pytest.mark.parametrize(("task", "name"), RULES, ids=lambda value: value if isinstance(value, str) else value.name)
def test_a_cheap_rule_has_an_opinion_on_most_items(task: Task[Any], name: str) -> None:
    """That it is at chance then, `conformance.no_shortcut_beats_chance` tells."""
    items = made(task.id, 40)
    assert sum(bool(task.checks.shortcuts[name].rule(item.scene, item.question)) for item in items) >= 5 / 8 * len(items)


def test_both_images_of_vanishing_objects_show_the_same_circles_at_other_places() -> None:
    for item in made("perceptv/vanishing-objects"):
        first, second = (sorted((mark.colour, mark.radius) for mark in marks) for marks in (item.scene.first, item.scene.second))
        assert first == second, item.id


@pytest.mark.parametrize("level", ["5", "10", "16"])
def test_ink_is_independent_of_the_number_of_circles(level: str) -> None:
    items = list(Items(registry.task("perceptv/counting-circles"), 300, 7, "test", level))
    numbers, ink = [len(item.scene.marks) for item in items], [sum(mark.radius**2 for mark in item.scene.marks) for item in items]
    assert abs(np.corrcoef(numbers, ink)[0, 1]) < 0.35


@pytest.mark.parametrize("place", PARTIAL)
def test_a_rule_that_does_a_part_of_the_work_gets_no_more(place: str) -> None:
    task, name = place.split("/")
    matched_task = registry.matching([f"*/{task}"])[0]
    assert matched_task.checks.shortcuts[name].partial
    assert np.mean(scored(matched_task, name)) <= PARTIAL[place]


@pytest.mark.certified(task="perceptv/mirror-image")
@pytest.mark.certified(task="perceptv/water-image")
@pytest.mark.parametrize(("name", "level"), [("mirror-image", "1"), ("water-image", "1"), ("water-image", "9"), ("mirror-image", "20")])
def test_how_many_objects_keep_one_coordinate_does_not_hang_on_the_answer(name: str, level: str) -> None:
    by_answer: dict[str, Counter[tuple[int, int]]] = {}
    for item in Items(registry.task(f"perceptv/{name}"), 120, 3, "test", level):
        kept = [tuple(abs(a - b) < 0.05 for a, b in zip(shape.before, shape.after, strict=True)) for shape in item.scene.objects]
        assert sum(map(all, kept)) == int(item.answer.balance_bin())
        assert 28 <= len(kept) <= 30
        counts = (sum(along for along, _ in kept), sum(deep for _, deep in kept))
        by_answer.setdefault(item.answer.balance_bin(), Counter())[counts] += 1
        for shape in item.scene.objects:
            for a, b in zip(shape.before, shape.after, strict=True):
                assert a == b or abs(a - b) >= 0.1  # 40 pixels
    assert len({frozenset(counts) for counts in by_answer.values()}) == 1  # the same pairs of numbers with each answer


@pytest.mark.certified(task="perceptv/cross-and-knots")
@pytest.mark.parametrize("level", ["1", "4", "11", "20"])
def test_every_picture_of_crosses_has_a_safe_cell_and_one_that_is_not_with_like_surroundings(level: str) -> None:
    corners: Counter[bool] = Counter()
    for item in Items(registry.task("perceptv/cross-and-knots"), 60, 3, "test", level):
        scene = item.scene
        profile = surroundings(scene.named, scene.cells)
        alike = {around(cell).isdisjoint(scene.cells): cell for cell in INNER if surroundings(cell, scene.cells) == profile}
        assert set(alike) == {True, False}
        assert profile[2] >= 1
        if item.answer == YesNo(False):
            corners[by_edges(scene.named).isdisjoint(scene.cells)] += 1
    assert min(corners.values()) >= 10


@pytest.mark.certified(task="perceptv/circle-right-triangle")
def test_as_many_circles_stand_beside_triangles_whether_the_answer_is_yes_or_no() -> None:
    task = registry.task("perceptv/circle-right-triangle")
    couples: dict[str, list[int]] = {"yes": [], "no": []}
    for level in ("2", "6", "12", "20"):
        for item in Items(task, 100, 3, "test", level):
            kinds = {mark.cell: mark.shape for mark in item.scene.marks}
            beside = [(kind, kinds[cell + 1]) for cell, kind in kinds.items() if cell % 6 < 5 and kinds.get(cell + 1, kind) != kind]
            couples[item.answer.balance_bin()].append(len(beside))
            assert beside
            assert (("circle", "triangle") in beside) == (item.answer.balance_bin() == "yes")
    assert abs(np.mean(couples["yes"]) - np.mean(couples["no"])) < 0.25


@pytest.mark.parametrize("name", ["match-outline", "match-shadow"])
def test_what_a_shape_covers_is_drawn_apart_from_its_kind(name: str) -> None:
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for item in Items(registry.task(f"perceptv/{name}"), 60, 3, "test", "10"):
        for row in item.scene.rows:
            ratio = area(row.other_shape) * row.other_radius**2 / (area(row.shape) * row.radius**2)
            ratios[row.shape == row.other_shape].append(float(np.log(ratio)))
    for log_ratios in ratios.values():
        assert abs(np.mean(log_ratios)) < 0.05
        assert np.std(log_ratios) == pytest.approx(0.19, abs=0.03)


def test_options_of_a_number_are_what_two_tens_and_two_units_make() -> None:
    crossed = 0
    for item in made("cdr/object-classification-number"):
        options = item.scene.options
        crossed += len({option[:-1] for option in options}) == len({option[-1] for option in options}) == 2
    assert crossed >= 0.95 * 240


def test_options_of_a_cell_lie_where_two_rows_cross_two_columns() -> None:
    crossed = 0
    for item in made("cdr/step-cell-letter"):
        cells = [divmod(item.scene.layout.cells.index(option), 3) for option in item.scene.options]
        crossed += len({row for row, _ in cells}) == len({column for _, column in cells}) == 2
    assert crossed >= 0.75 * 240
