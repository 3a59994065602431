"""The scorer after CoSpace's authors, each case worked out by hand from their rules."""

from __future__ import annotations

import pytest

from isovist.core.answers import Choice, Count, JointAnswer, YesNo
from isovist.suites.cospace.published_scorer import published

B_OF_FOUR = Choice(("south to north", "east to west", "northeast to southwest", "northwest to southeast"), 1)
JOINT = JointAnswer((("Answer1", Choice(("left", "right", "front", "back"), 1)), ("Answer2", Choice(("go ahead", "turn left"), 0))))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("B. East to West", 1),
        ("The road is seen in the third picture, so B.", 1),
        ("B", 1),
        ("Answer: B", 1),
        ("b", 0),  # no capital, no full stop
        ("A. is wrong, B. is right", 0),  # another letter has a full stop
        ("Not A. The answer is B.", 0),
        ("B: East to West", 0),  # read as W
        ("Option B, as the road runs to the East", 0),  # read as E
        ("It is B, E", 0),
        ("East, so B", 1),
        ("C. or B", 1),  # the key has no full stop, so the last capital decides
        ("", 0),
        ("the answer is the second", 0),
    ],
)
def test_a_letter_is_found_as_the_authors_do(reply: str, value: int) -> None:
    assert published(reply, B_OF_FOUR) == value


@pytest.mark.parametrize(
    ("reply", "key", "value"),
    [
        ("3", 3, 1),
        ("3 cars, 2 of them red", 3, 1),
        ("2 are red, 1 is blue, so 3", 3, 0),  # the first number
        ("03", 3, 0),
        ("There are three cars.", 3, 1),
        ("Three, not four", 4, 1),  # the word of the key anywhere
        ("Someone is there", 1, 1),  # inside of another word
        ("three", 12, 0),
        ("Answer: none", 0, 0),
        ("x3", 3, 0),
    ],
)
def test_a_number_is_found_as_the_authors_do(reply: str, key: int, value: int) -> None:
    assert published(reply, Count(key, 0, 20)) == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"Answer1": "B", "Answer2": "A"}', 1),
        ("Here: {'Answer1':'B','Answer2':'A. go ahead'}", 1),
        ('```json\n{"Answer1": "B", "Answer2": "A"}\n```', 1),
        ('{"Answer1": "B", "Answer2": "B"}', 0),
        ('{"Answer1": "B. East", "Answer2": "A"}', 0),  # the last capital is E
        ('{"Answer1": "B"}', 0),
        ('{"Answer1": 2, "Answer2": "A"}', 0),
        ('{"Answer1": "", "Answer2": "A"}', 0),
        ("Answer1: B, Answer2: A", 0),  # no braces
        ('{"Answer1": "A"} {"Answer1": "B", "Answer2": "A"}', 0),  # two objects are none
        ("{" * 5000, 0),
    ],
)
def test_joint_answers_are_found_as_the_authors_do(reply: str, value: int) -> None:
    assert published(reply, JOINT) == value


def test_other_answers_have_no_such_scorer() -> None:
    with pytest.raises(TypeError, match="choices and counts"):
        published("yes", YesNo(True))
    with pytest.raises(TypeError, match="choices and counts"):
        published("{}", JointAnswer((("a", YesNo(True)),)))
