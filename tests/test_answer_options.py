"""Where the options of a choice stand, and their letters."""

from __future__ import annotations

from collections import Counter

import pytest

from isovist.core.answers import Choice, Count
from isovist.core.question import Question
from isovist.core.rng import Rng
from isovist.world.scenes.answer_options import letter_labels, letters_of, letters_where, listed_options, with_key_at

OPTIONS = ("up", "down", "left")


def test_the_key_stands_at_its_place_and_the_others_in_any_order() -> None:
    orders = Counter(with_key_at(1, "key", ["a", "b", "c"], Rng("options", seed)) for seed in range(300))
    assert {order.index("key") for order in orders} == {1}
    assert len(orders) == 6  # all orders of the three others
    assert min(orders.values()) > 25


def test_letters() -> None:
    question = Question("Which way?", Choice(OPTIONS, 2))
    assert letters_of([2, 0]) == ("A", "C")
    assert letters_where(question, lambda option: option != "down") == ("A", "C")
    assert listed_options(question.text_with_options) == list(OPTIONS)
    assert [label.text for label in letter_labels([(0.0, 0.0), (1.0, 0.0)], 0.1)] == ["A", "B"]


def test_letters_are_those_of_a_choice() -> None:
    with pytest.raises(TypeError, match="not a choice: count"):
        letters_where(Question("How many?", Count(1)), bool)
