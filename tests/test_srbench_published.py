"""The scorer after SRBench's authors: what their expressions read, with their faults, each case worked out by hand."""

from __future__ import annotations

import pytest

from isovist.core.answers import Choice, Count, ImageOptionChoice, YesNo
from isovist.suites.srbench.published_scorer import published, read

READ: dict[str, str | None] = {
    # braces come before all else
    "{B}": "B",
    "I think so. {**c}": "C",
    "A is the answer, but {yes}": "YES",
    "{AB} and {B }": "B",  # neither is one letter in braces; the free letter is what is left
    # a letter with a word of direction
    "Not A. C. Left": "C",
    "c) right": "C",
    "D:front": "D",
    "A. top": "A",  # no word of direction: read as the first free letter
    # phrases, of which the last counts
    "The answer is B": "B",
    "the answer is **b**": "B",
    "I choose A because of the arms, then my answer is D": "D",
    "B is correct": "B",
    "B is correct and the answer is D": "D",
    "The answer is D, though B is right": "B",
    "It's left": "LEFT",
    # the first letter or word that stands free
    "C": "C",
    "c.": "C",
    "so B) it is": "B",
    "**D** then": "D",
    "Yes, it does": "YES",  # a comma is no end, so it is found as the last of all
    # nothing
    "": None,
    "42": None,
    "none of them fits well": None,
}
FAULTS: dict[str, str] = {
    "I think the answer might be C": "I",
    "A careful look shows only D works, so D": "A",
    "The correct answer is B": "B",
    "It is a mirror of B": "A",
    "The answer is B. No wait, the answer is D": "B",  # "B. No" looks like a letter with its word
    "The answer: D": "D",
    "I would say yes": "I",
    "Right: the piece is C": "RIGHT",
    "user: pick A, B or C\nassistant: C": "C",
}


@pytest.mark.parametrize("reply", READ)
def test_what_is_read(reply: str) -> None:
    assert read(reply) == READ[reply]


@pytest.mark.parametrize("reply", FAULTS)
def test_faults_stay_as_they_are(reply: str) -> None:
    assert read(reply) == FAULTS[reply]


def test_a_choice_is_right_by_its_letter_and_yes_or_no_by_its_word() -> None:
    left = Choice(("left", "right"), 0)
    assert published("A", left)
    assert published("{a}", left)
    assert not published("left", left)  # the authors compare with the letter
    assert not published("B", left)
    assert not published("", left)
    assert published("Answer: C", ImageOptionChoice.of("sheet", 4, 2))
    assert published("Yes.", YesNo(True))
    assert not published("yes", YesNo(False))
    assert published("No.", YesNo(False))
    with pytest.raises(TypeError, match="count"):
        published("3", Count(3))
