"""Paper folding: keys and options against a second opinion that knows no layers, exact to the lattice step.

`python tests/test_srbench_paper_folding.py 100000` checks so many items, without drawing them.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import hypot
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from isovist.common.errors import UserError
from isovist.core.task import Value
from isovist.data.dataset.generation_request import requested
from isovist.data.item import make_item
from isovist.data.item_options import ItemOptions
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.srbench.folding_distractors import MISPLACED, PAPER_ERRORS, alike
from isovist.suites.srbench.folding_picture import HOLE, PIXELS, SHEET_SIDE, Scene
from isovist.suites.srbench.folding_sets import MOVED, WRONG
from isovist.suites.srbench.paper_folding import KEY, LEVELS
from isovist.world.scenes.folded_paper import SIDE, Fold, Spot, folded, halvings, moved, punch, unfold

TASK = registry.task("srbench/paper-folding")
PIXEL = SIDE / (SHEET_SIDE * PIXELS)  # lattice steps to a pixel at the default size
LEAST = 6 * PIXEL
VARIANTS: dict[str, dict[str, Value]] = {
    "default": {},
    "four": {"options": 4},
    "any": {"lines": "any"},
    "paper": {"distractors": "paper"},
    "any-four": {"lines": "any", "options": 4},
}


def over(way: str, at: int, side: int, x: int, y: int) -> Spot:
    """Where a point comes to lie by one fold, from the definitions."""
    depth = {"vertical": x - at, "horizontal": y - at, "rising": x - y - at, "falling": x + y - at}[way] * side
    if depth <= 0:
        return x, y
    return {"vertical": (2 * at - x, y), "horizontal": (x, 2 * at - y), "rising": (y + at, x - at), "falling": (at - y, at - x)}[way]


def opened(folds: tuple[Fold, ...], hole: Spot) -> set[Spot]:
    """The points of the sheet that the folds bring under a hole, by trying every way in which a point could have come there."""
    spots = {hole}
    for crease in reversed(folds):
        for x, y in sorted(spots):
            for side in (1, -1):
                spots.add(over(crease.direction, crease.position, side, x, y))
    holes: set[Spot] = set()
    for spot in spots:
        x, y = spot
        for crease in folds:
            x, y = over(crease.direction, crease.position, crease.side, x, y)
        if (x, y) == hole and 0 <= spot[0] <= SIDE and 0 <= spot[1] <= SIDE:
            holes.add(spot)
    return holes


def bottleneck(a: tuple[Spot, ...], b: tuple[Spot, ...]) -> float:
    """The longest distance of a pair, under the pairing that makes it shortest."""
    distances = np.linalg.norm(np.array(a, float)[:, None] - np.array(b, float)[None], axis=2)
    best = np.inf
    for limit in np.unique(distances):
        allowed = (distances > limit).astype(float)
        rows, columns = linear_sum_assignment(allowed)
        if not allowed[rows, columns].any():
            best = limit
            break
    return float(best)


def surely_apart(a: tuple[Spot, ...], b: tuple[Spot, ...]) -> bool:
    """Whether some hole of one has none of the other within `LEAST`: then no pairing brings all so near. Fast, and enough."""
    return any(min(hypot(x - u, y - v) for u, v in those) >= LEAST for these, those in ((a, b), (b, a)) for x, y in these)


def faults(scene: Scene, *, counted: bool) -> list[str]:
    """What is wrong with an item."""
    problems: list[str] = []
    folds = scene.folding.folds
    truth = tuple(sorted(set[Spot]().union(*(opened(folds, hole) for hole in scene.folding.holes))))
    if scene.errors.count(KEY) != 1 or scene.options[scene.errors.index(KEY)] != truth:
        problems.append("wrong key")
    for a, b in combinations(range(len(scene.options)), 2):
        if len(scene.options[a]) != len(scene.options[b]):
            if counted:
                problems.append("another number of holes")
        elif not surely_apart(scene.options[a], scene.options[b]) and bottleneck(scene.options[a], scene.options[b]) < LEAST:
            problems.append("two options alike")
    for option in scene.options:
        if any(not 8 * PIXEL <= v <= SIDE - 8 * PIXEL for spot in option for v in spot):
            problems.append("a hole at the edge")
        if any((x - u) ** 2 + (y - v) ** 2 < (16 * PIXEL) ** 2 for (x, y), (u, v) in combinations(option, 2)):
            problems.append("holes too near")
    return problems


def check(n: int, settings: dict[str, Value], seed: int = 31) -> Counter[str]:
    """The faults of so many items, round the levels."""
    counts: Counter[str] = Counter()
    for i in range(n):
        level = TASK.levels[i % len(TASK.levels)]
        made = make_item(TASK, TASK.address("test", level, seed, i // len(TASK.levels), settings))
        counts.update(faults(made.scene, counted=settings.get("distractors") != "paper"))
    return counts


@pytest.mark.certified(task="srbench/paper-folding")
@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
def test_no_key_is_wrong_and_no_two_options_are_alike(settings: dict[str, Value]) -> None:
    assert not check(63, settings)


def test_the_check_sees_what_it_is_for() -> None:
    scene = Items(TASK, 1, 5, level="2-folds-2-holes")[0].scene
    names, (first, *others) = scene.errors, scene.options
    assert "wrong key" in faults(replace(scene, errors=(*names[1:], names[0])), counted=True)
    near = tuple((x + int(4 * PIXEL), y) for x, y in first)
    assert "two options alike" in faults(replace(scene, options=(first, near, *others[1:])), counted=True)
    assert "another number of holes" in faults(replace(scene, options=(first, others[0][1:], *others[1:])), counted=True)
    assert "holes too near" in faults(replace(scene, options=(first, (*others[0][1:], others[0][1]), *others[1:])), counted=True)


@pytest.mark.slow
def test_no_fault_in_two_thousand_items() -> None:
    assert not check(2_000, {})


@given(st.integers(0, 10**9), st.integers(1, SIDE - 1), st.integers(1, SIDE - 1))
def test_a_spot_of_the_sheet_lies_in_one_layer_and_comes_back(choice: int, x: int, y: int) -> None:
    folds: tuple[Fold, ...] = ()
    landed = (x, y)
    for _ in range(3):
        ways = halvings(folds, SIDE // 4)
        choice, pick = divmod(choice, len(ways))
        folds = (*folds, ways[pick])
        landed = over(folds[-1].direction, folds[-1].position, folds[-1].side, *landed)
    marks = punch(folded(folds), landed, 2)
    if marks is not None:  # not on a crease
        assert len(marks) == 8
        assert (x, y) in unfold(marks)
        assert sum(mark.flat == (x, y) for mark in marks) == 1
        assert set(unfold(marks)) == opened(folds, landed)


def test_the_layers_of_a_folded_sheet_are_the_whole_sheet() -> None:
    def area(corners: tuple[Spot, ...]) -> int:  # doubled, positive if they run anticlockwise
        return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, (*corners[1:], corners[0]), strict=True))

    for made in Items(TASK, 45, 8, settings=(("lines", "any"),)):
        layers = folded(made.scene.folding.folds).layers
        assert sum(area(layer.corners) for layer in layers) == 2 * SIDE * SIDE
        assert min(area(layer.corners) for layer in layers) > 0
        back = [moved(layer.back, corner) for layer in layers for corner in layer.corners]
        assert {(0, 0), (0, SIDE), (SIDE, 0), (SIDE, SIDE)} <= set(back)


def test_sheets_that_differ_a_little_are_alike_and_others_are_not() -> None:
    sheet = ((200, 200), (600, 600))
    assert alike(sheet, ((200, 208), (600, 600)))
    assert not alike(sheet, ((200, 200), (600, 700)))
    assert bottleneck(sheet, ((600, 600), (200, 208))) == 8


@pytest.mark.certified(task="srbench/paper-folding")
def test_every_error_has_a_name_and_is_met() -> None:
    wrong = {MOVED, *(WRONG.format(number) for number in (1, 2, 3))}
    for settings, names in (({}, wrong), ({"distractors": "paper"}, set(PAPER_ERRORS))):
        met = {
            error
            for item in Items(TASK, 90, 4, settings=tuple(settings.items()))
            for label in item.scene.errors
            for error in label.split("+")
        }
        assert names <= met
        assert met <= {*wrong, *PAPER_ERRORS, MISPLACED, KEY}


@pytest.mark.certified(task="srbench/paper-folding")
@pytest.mark.parametrize("settings", [{}, {"options": 4}], ids=["three", "four"])
def test_all_options_fit_the_holes_and_the_first_of_several_creases(settings: dict[str, Value]) -> None:
    for item in Items(TASK, 36, 6, settings=tuple(settings.items())):
        folds, holes = item.scene.folding.folds, item.scene.folding.holes
        assert len({len(option) for option in item.scene.options}) == 1
        for option in item.scene.options if len(folds) > 1 else ():
            assert set(holes) <= set(option)
            assert {moved(folds[0].mirror, hole) for hole in option} == set(option)


@pytest.mark.certified(task="srbench/paper-folding")
@pytest.mark.parametrize("level", [level for level, (folds, _) in LEVELS.items() if folds == 1])
@pytest.mark.parametrize("settings", [{}, {"options": 4}, {"lines": "any"}], ids=["three", "four", "any"])
def test_with_one_fold_neither_the_crease_nor_the_holes_give_the_key(level: str, settings: dict[str, Value]) -> None:
    """Every option is symmetric about some parallel of the crease; the key alone is symmetric about the crease and has the holes. A rule
    that reads one of the two chooses between two options in two of three items with three options, and in all items with four.
    """
    items = Items(TASK, 240, 12, level=level, settings=tuple(settings.items()))
    rules = {name: rule for name, rule in TASK.checks.shortcuts.items() if name.startswith("one fold")}
    accuracy = dict.fromkeys(rules, 0.0)
    for item in items:
        letters = {name: set(rule.rule(item.scene, item.question)) for name, rule in rules.items()}
        for name, chosen in letters.items():
            accuracy[name] += (item.answer.canonical() in chosen) / len(chosen) / len(items)
        if settings.get("lines") != "any":  # a hole through one layer has no mirror image
            assert set.intersection(*letters.values()) == {item.answer.canonical()}
    both, least = (2 / 3, 1 / 3) if len(items[0].scene.options) == 3 else (1 / 2, 1 / 4)
    if settings.get("lines") != "any":
        assert accuracy["one fold: is symmetric about a parallel of the crease"] == pytest.approx(least)
        assert accuracy["one fold: is symmetric about the crease"] == pytest.approx(both, abs=0.08)
    assert accuracy["one fold: has the holes of the folded paper"] == pytest.approx(both, abs=0.08)


def test_with_three_folds_the_last_one_is_right_in_half_of_the_wrong_options() -> None:
    counts = Counter(error for item in Items(TASK, 48, 6, level="3-folds-1-hole") for error in item.scene.errors if error != KEY)
    assert counts == {WRONG.format(2): 48, WRONG.format(3): 48}


def test_dots_are_told_apart_at_the_default_size() -> None:
    assert 2 * HOLE * PIXELS + 4 <= 16  # four pixels of paper between two holes


@pytest.mark.parametrize("settings", [{}, {"options": 4}], ids=["three", "four"])
def test_the_pixels_alone_give_the_answer(settings: dict[str, Value]) -> None:
    from isovist.evaluation.models.baselines.pixel_solvers import solve

    items = Items(TASK, 27, 77, settings=tuple(settings.items()))
    right = sum(item.answer.score(solve("srbench", [np.asarray(image) for image in item.images], item.prompt)).credit for item in items)
    assert right >= 26  # all of 1,800 when this was written


def asked(level: str | None, preset: Literal["paper"] | None = "paper"):
    parts, _ = requested([TASK.id], ItemOptions(level=level, preset=preset), default=5)
    return parts[0]


def test_the_papers_size_has_one_or_two_folds() -> None:
    part = asked(None)
    levels = Counter(part.items().address(i).level for i in range(part.n))
    assert part.n == 200
    assert set(levels) == {level for level, (folds, _) in LEVELS.items() if folds < 3}
    assert max(levels.values()) - min(levels.values()) <= 1
    assert part.settings == {"distractors": "paper"}
    assert {item.level for item in asked("3-folds-1-hole").items()[:4]} == {"3-folds-1-hole"}


def test_several_levels_can_be_asked_for() -> None:
    part = asked("1-fold-1-hole,3-folds-3-holes", preset=None)
    assert [item.level for item in part.items()][:3] == ["1-fold-1-hole", "3-folds-3-holes", "1-fold-1-hole"]
    with pytest.raises(UserError, match="no level '4-folds'"):
        asked("1-fold-1-hole,4-folds")


if __name__ == "__main__":
    total = int(sys.argv[1])
    start = time.perf_counter()
    for name, chosen in VARIANTS.items():
        share = total if name == "default" else total // 10
        told = f"{name}: {dict(check(share, chosen))} faults in {share} items, {time.perf_counter() - start:.0f} s so far"
        sys.stdout.write(told + "\n")
        sys.stdout.flush()
