"""The marks in responses: a part is marked only if the answer was parsed from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answer_kinds import KINDS
from hypothesis import given
from hypothesis import strategies as st

from isovist.core.answers import Choice, Count, CountTuple, JointAnswer, YesNo, from_json
from isovist.reporting.reports.answer_spans import answer_spans

WINDS = Choice(("North", "West", "South", "East"), 1)
CORPUS: list[dict[str, Any]] = [
    json.loads(line)
    for path in sorted((Path(__file__).parent / "corpus").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").split("\n")
    if line
]


def marked(key: Any, response: str) -> str:
    parsed = key.score(response).parsed_answer
    for start, end in reversed(answer_spans(key, response, parsed)):
        response = f"{response[:start]}[[{response[start:end]}]]{response[end:]}"
    return response


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (WINDS, "Answer: [[B]]"),
        (WINDS, "Option A is tempting, and B too.\n\n**Final answer: [[B. West]]**"),
        (WINDS, "Answer: C. Wait, no. Answer: [[B]]"),
        (WINDS, "The arrow points to the [[West]]."),
        (WINDS, "<think>B? No, C. Or D. Answer: D</think>\nAnswer: [[C]]"),
        (WINDS, "<|channel>thought\nAnswer: D<channel|><ans>[[C]]</ans><turn|>"),
        (WINDS, "The answer is not A; it is [[C]]."),
        (WINDS, "Answer: [[B]]\n\nAnswer: [[B]]"),
        (WINDS, "[[( b )]]"),
        (Count(7, 0, 20), "There are 3 red, 4 blue ones. Total: [[7]]"),
        (Count(7, 0, 20), "Answer: [[seven]]"),
        (YesNo(False), "Is it left of it? The truck is right of it. Answer: [[No]]"),
        (JointAnswer((("wind", WINDS), ("crosses", YesNo(True)))), 'For B: [[{"wind": "C", "crosses": "no"}]]'),
    ],
)
def test_the_final_answer_is_marked_and_no_mention_of_it(key: Any, expected: str) -> None:
    assert marked(key, expected.replace("[[", "").replace("]]", "")) == expected


@pytest.mark.parametrize("response", ["B or C", "Answer: B\nAnswer: C", "", "I cannot see the image.", "Answer: B. East"])
def test_nothing_is_marked_without_a_parsed_answer(response: str) -> None:
    assert answer_spans(WINDS, response, None) == []
    assert answer_spans(WINDS, response, "B") == [], "the parser does not read B there"


def test_marks_of_the_corpus_are_the_text_that_decides() -> None:
    n = n_marked = n_same = 0
    for row in CORPUS:
        key, response = from_json(row["answer"]), row["reply"]
        parsed = key.score(response).parsed_answer
        spans = answer_spans(key, response, parsed)
        assert parsed is not None or not spans
        n += parsed is not None
        n_marked += bool(spans)
        edges = [0, *(edge for span in spans for edge in span), len(response)]
        assert edges == sorted(edges)
        assert all(response[start:end].strip() for start, end in spans)
        removed = "\u25a2".join(response[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        n_same += bool(spans) and key.score(removed).parsed_answer == parsed
    page = (Path(__file__).parents[1] / "docs" / "reports.md").read_text(encoding="utf-8").replace("\n", " ")
    assert f"Of the {n} parsed responses" in page
    assert f"{n_marked} have a mark" in page
    assert n_same < 0.015 * n, "without the mark, a weaker statement of the same answer counts in a few responses"


def test_the_format_check_of_counts_survives_markup() -> None:
    assert not CountTuple((4, 3), ("red", "blue")).format_response("- **Red:** 4\n- **Blue:** 3")


FRAMES = (
    "{}",
    "Answer: {}",
    "**Answer:** **{}**",
    "\U0001f642 {} or {}?\n\nSo the answer is {}.",
    "{}\n{}",
    "\\boxed{{{}}}",
    "Not {}.",
    "{{{}",
)


@given(st.one_of(*KINDS.values()), st.sampled_from(FRAMES), st.data())
def test_spans_are_inside_any_response_of_any_kind(key: Any, frame: str, data: st.DataObject) -> None:
    said = st.sampled_from([key.canonical(), *key.wrong_answers()[:3], "nothing"])
    response = frame.format(*(data.draw(said) for _ in range(frame.count("{}"))))
    parsed = key.score(response).parsed_answer
    spans = answer_spans(key, response, parsed)
    assert parsed is not None or not spans
    assert all(0 <= start < end <= len(response) for start, end in spans)
    if frame == "Answer: {}" and parsed is not None and key.kind in ("choice", "yes-no", "count"):
        assert [response[start:end] for start, end in spans] == [response.removeprefix("Answer: ")]
