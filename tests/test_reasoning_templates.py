"""Steps of chains of thought: what is said with a template is read back from it, and all else is a fault with its reason."""

from __future__ import annotations

import pytest

from isovist.core.answers import Count
from isovist.core.reasoning.templates import SPOT, WORDS, StepTemplate, list_of, listed, write_chain
from isovist.core.reasoning.verifier import step_errors, steps_in

FOUND = StepTemplate("{what}: {places}; that makes {n}.", "I see {n} {what}, at {places}.", what=WORDS, places=list_of(SPOT))
TOTAL = StepTemplate("so I count {n}.", "{n} in all, yes, {n}.")
STEPS = [FOUND(what="red discs", places=listed([(1, 2), (3, 40)]), n=2), FOUND(what="squares", places=listed([]), n=0), TOTAL(n=2)]
KEY = Count(2)


@pytest.mark.parametrize("phrasing", range(64))
def test_what_is_said_in_any_way_is_read_back(phrasing: int) -> None:
    text = write_chain(STEPS, KEY, phrasing, bits=1)
    assert step_errors(text, STEPS, "2", KEY) == []
    assert steps_in(text, FOUND, TOTAL) == STEPS


def test_a_fault_names_what_is_wrong() -> None:
    text = write_chain(STEPS, KEY, 0)
    assert step_errors(text.replace("(3, 40)", "(3, 4)"), STEPS, "2", KEY)[0].endswith("does not hold: places is (1, 2), (3, 40)")
    assert step_errors(text.replace("So I count 2.", "I think so."), STEPS, "2", KEY)[0].endswith(
        "not the step that is due here, such as: So I count 2."
    )
    assert step_errors(text.replace("Answer: 2", "Answer: 3"), STEPS, "2", KEY) == ["it ends with 'Answer: 3', not with 'Answer: 2'"]
    assert step_errors(text, STEPS[:-1], "2", KEY)[0] == "it takes 3 steps, and 2 are due"
    assert step_errors(text, STEPS, "4", KEY) == ["its steps lead to '4', not to the key"]


def test_a_field_said_twice_has_one_value() -> None:
    assert list(TOTAL.parse("2 in all, yes, 2.")) == [TOTAL(n=2)]
    assert list(TOTAL.parse("2 in all, yes, 3.")) == []


def test_ways_need_the_same_fields_and_steps_a_value_for_each() -> None:
    with pytest.raises(ValueError, match="does not have the fields"):
        StepTemplate("there are {n}.", "there are {m}.")
    with pytest.raises(ValueError, match="takes the fields"):
        TOTAL(m=3)


def test_hostile_text_is_refused_in_no_time() -> None:
    """Words in which every split could be the right one, and a number too long to be read."""
    text = write_chain(STEPS, KEY, 1)
    for line in ("red discs, at " * 100_000, "I see 2 " + "a, at " * 300, "So I count " + "1" * 5000 + "."):
        hostile = "\n".join([line, *text.split("\n")[1:]])
        assert step_errors(hostile, STEPS, "2", KEY)
        assert steps_in(hostile, FOUND, TOTAL) == STEPS[1:]
