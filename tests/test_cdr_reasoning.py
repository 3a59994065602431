"""CDR's chains of thought: every step holds, and a planted wrong step is refused wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from isovist.core.answers import LETTERS, Choice
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

RELATIVE = [task.name for task in registry.matching(["cdr/relative-*"])]
REASONED = ["compass-direction-icon", *RELATIVE]
NAMES = re.compile(rf"\b(?:{'|'.join(sorted((*IMAGE_DIRECTIONS, *COMPASS_DIRECTIONS), key=len, reverse=True))})\b", re.IGNORECASE)

every_kind = pytest.mark.parametrize("name", REASONED)
two_things = pytest.mark.parametrize("name", RELATIVE)


def chains(name: str) -> Iterator[tuple[Item, str]]:
    """Items and their chains, enough of them to show every phrasing."""
    items = Items(registry.task(f"cdr/{name}"), 24, 21)
    assert {item.scene.phrasing for item in items} == {0, 1, 2, 3}
    for item in items:
        assert item.reasoning is not None
        yield item, item.reasoning


def taken(item: Item, text: str) -> bool:
    """Whether the verifier finds nothing wrong."""
    reasoning = item.task.reasoning
    assert reasoning is not None
    return not reasoning.verify(item.scene, text)


def test_only_tasks_that_take_steps_have_reasoning() -> None:
    assert [task.name for task in registry.matching(["cdr/*"]) if task.reasoning] == REASONED


@every_kind
def test_every_step_holds_and_the_last_is_the_key(name: str) -> None:
    for item, text in chains(name):
        assert taken(item, text), text
        assert item.answer.score(text).outcome == "correct"
        assert text.split("\n")[-1] == f"Answer: {item.answer.canonical()}. {item.answer.balance_bin()}"


@every_kind
def test_a_wrong_direction_in_any_step_is_refused(name: str) -> None:
    for item, text in chains(name):
        for match in NAMES.finditer(text):
            names = COMPASS_DIRECTIONS if match.group() in COMPASS_DIRECTIONS else IMAGE_DIRECTIONS
            for other in names:
                wrong = text[: match.start()] + other + text[match.end() :]
                assert other.casefold() == match.group().casefold() or not taken(item, wrong), wrong


@two_things
def test_a_wrong_place_is_refused(name: str) -> None:
    for item, text in chains(name):
        for match in re.finditer(r"\b(?:row|column) (\d)", text):
            for other in {"1", "2", "3"} - {match[1]}:
                wrong = text[: match.start(1)] + other + text[match.end(1) :]
                assert not taken(item, wrong), wrong


@two_things
def test_a_position_of_another_object_is_rejected(name: str) -> None:
    """A chain that is right about the two things asked and wrong about a third."""
    for item, text in chains(name):
        first, *rest = text.split("\n")
        stranger = "the letter ABC" if "letter" in name else "the number 100" if "number" in name else "the hedgehog"
        wrong = "\n".join([first, f"And {stranger} is in row 1, column 1 of the grid.", *rest])
        assert not taken(item, wrong), wrong


def swapped(line: str, a: str, b: str) -> str:
    """The line with two names in each other's place."""
    other = {a.casefold(): b, b.casefold(): a}
    return re.sub(rf"\b(?:{re.escape(a)}|{re.escape(b)})\b", lambda match: other[match.group().casefold()], line, flags=re.IGNORECASE)


@two_things
def test_a_step_that_goes_the_other_way_round_is_refused(name: str) -> None:
    for item, text in chains(name):
        lines = text.split("\n")
        turned = [swapped(line, item.scene.origin, item.scene.target) for line in lines]
        steps = [k for k, line in enumerate(lines) if turned[k].casefold() != line.casefold()]
        assert len(steps) >= 2  # the places, and what follows from them
        for k in steps:
            wrong = "\n".join([*lines[:k], turned[k], *lines[k + 1 :]])
            assert not taken(item, wrong), wrong


@every_kind
def test_steps_in_another_order_are_refused(name: str) -> None:
    for item, text in chains(name):
        lines = text.split("\n")
        for k in range(len(lines) - 2):
            wrong = "\n".join([*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]])
            assert not taken(item, wrong), wrong


@every_kind
def test_a_wrong_end_is_refused(name: str) -> None:
    for item, text in chains(name):
        assert isinstance(item.answer, Choice)
        *steps, right = text.split("\n")
        key = item.answer.canonical()
        others = [f"Answer: {letter}. {option}" for letter, option in zip(LETTERS, item.answer.options, strict=False) if letter != key]
        mixed = [f"Answer: {letter}. {item.answer.balance_bin()}" for letter in "ABCDEFGHIZ" if letter != key]
        for end in (*others, *mixed, f"{right}\n{others[0]}", "So it is."):
            assert not taken(item, "\n".join([*steps, end])), end


@every_kind
def test_another_answer_before_the_last_is_refused(name: str) -> None:
    for item, text in chains(name):
        assert isinstance(item.answer, Choice)
        *steps, right = text.split("\n")
        place = (item.answer.truth + 1) % len(item.answer.options)
        wrong = "\n".join([*steps, f"Answer: {LETTERS[place]}. {item.answer.options[place]}", right])
        assert not taken(item, wrong), wrong
