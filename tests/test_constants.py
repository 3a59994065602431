"""The best constant answer: scored by the items, by level, and chosen from other items than it is scored by."""

from __future__ import annotations

import json
import time

import pytest

from isovist.audit.constant_answers import excesses
from isovist.core.answers import Answer, Cell, Choice, Count, JointAnswer, Number, WordSubset, YesNo
from isovist.core.answers.best_constant import best_constant, constants_by_level, held_out_constants
from isovist.core.rng import Rng
from isovist.data.items import Items
from isovist.suites import registry


def test_where_several_answers_are_right_each_of_them_counts() -> None:
    """No canonical key comes twice, and one cell is right in all items but one."""
    answers = [Cell(((1, n), (2, 2)), 7, 7) for n in range(1, 6)] + [Cell(((5, 5),), 7, 7)]
    best = best_constant(answers)
    assert best.reply == "(2, 2)"
    assert best.credits == (1, 1, 1, 1, 1, 0)
    assert best.accuracy == pytest.approx(5 / 6)
    assert [answer.score(best.reply).credit for answer in answers] == list(best.credits)


def test_a_letter_or_what_an_option_says_whichever_earns_more() -> None:
    turned = [Choice(("north", "south", "west"), 0), Choice(("south", "north", "west"), 1), Choice(("west", "south", "north"), 2)]
    assert best_constant(turned).reply == "north"
    assert best_constant(turned, ["letter"]).accuracy == pytest.approx(1 / 3)
    others = [Choice(("north", "south"), 1), Choice(("east", "west"), 1), Choice(("up", "down"), 1)]
    assert best_constant(others).reply == "B"
    named = [Choice(("B", "A"), 0), Choice(("B", "A"), 0), Choice(("A", "B"), 1)]  # options that are called like letters
    assert best_constant(named).credits == (1, 1, 1)


def test_a_number_within_the_tolerance_of_most() -> None:
    answers = [Number(float(n), 2, 0, 100) for n in (10, 11, 12, 13, 50, 51, 90)]
    assert best_constant(answers).reply in ("11", "12")
    assert best_constant(answers).accuracy == pytest.approx(4 / 7)


def test_parts_are_taken_each_for_itself() -> None:
    """The best reply is the key of no item."""
    answers = [
        JointAnswer((("n", Count(n)), ("sure", YesNo(sure))), "share")
        for n, sure in ((1, True), (1, True), (2, False), (3, False), (4, False))
    ]
    best = best_constant(answers)
    assert json.loads(best.reply) == {"n": "1", "sure": "no"}
    assert best.accuracy == pytest.approx((2 + 3) / 10)


def test_each_level_has_its_own() -> None:
    answers = [Count(3), Count(3), Count(7), Count(7)]
    levels = ["a", "a", "b", "b"]
    assert best_constant(answers).accuracy == 0.5
    assert constants_by_level(levels, answers) == (1, 1, 1, 1)


def test_held_out_constants_are_not_good_by_luck() -> None:
    """Keys that any of 20 may be: the best of a sample beats 1 in 20 by far, held out it does not."""
    rng = Rng("luck")
    answers: list[Answer] = [Count(rng.integer(1, 20), 1, 20) for _ in range(2000)]
    levels = [place % 100 for place in range(2000)]
    assert sum(constants_by_level(levels, answers)) / 2000 > 0.13
    assert sum(held_out_constants(levels, answers)) / 2000 == pytest.approx(0.05, abs=0.015)
    assert held_out_constants(["alone"], [Count(1)]) == (0.0,)
    assert held_out_constants(["a"] * 4, [Count(1)] * 4) == (1, 1, 1, 1)


def test_two_thousand_items_take_no_time() -> None:
    words = tuple("abcdefghijklmpqrstuvw")
    rng = Rng("fast")
    answers = [WordSubset(tuple(word for word in words if rng.chance(0.5)), words) for _ in range(2000)]
    before = time.process_time()
    best_constant(answers)
    assert time.process_time() - before < 5


@pytest.mark.parametrize("task", [task for task in registry.tasks() if task.startswith("perceptv/")])
def test_a_size_of_percept_v_has_two_possible_answers_at_least(task: str) -> None:
    entry = registry.task(task)
    assert len(entry.answers.best_constant) == len(entry.levels)
    for level, chance in zip(entry.levels, entry.answers.best_constant, strict=True):
        items = list(Items(entry, 6, 11, "test", level))
        assert 0 <= chance < 0.9
        assert {item.chance for item in items} == {chance}
        assert len({item.answer.balance_bin() for item in items}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in registry.tasks() if task.startswith("perceptv/")])
def test_no_constant_answer_beats_chance_at_any_size(task: str) -> None:
    entry = registry.task(task)
    assert not excesses(entry, list(Items(entry, 100 * len(entry.levels), 21)), 22)
