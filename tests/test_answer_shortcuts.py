"""The shortcuts of answer extraction change no score: lines that are not parsed, and answers in their plainest form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from answer_kinds import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st

from isovist.core.answers import Answer, Score, from_json
from isovist.core.answers.extraction import candidates, decide, phrases

CORPORA = sorted((Path(__file__).parent / "corpus").glob("*.jsonl"))
ROWS = [json.loads(line) for corpus in CORPORA for line in corpus.read_text(encoding="utf-8").split("\n") if line]

LABELS = (
    "Answer: {}", "Final answer: {}", "Answer:\n{}", "the answer is {}.", "The correct option is: {}", "\\boxed{{{}}}", "<answer>{}</answer>", "{}",
    "Antwort: {}", "Réponse : {}", "答案：{}", "Respuesta correcta: {}", "Option {}", "The final choice: {}", "I choose\n{}", "I would go with {}",
    "direction: {}", "total: {}", "path is\n\n{}", "Answer: {} or not", "Answer: {}. Wait, no.", "is it {}?", "So {}.", "ANſWER: {}",
)  # fmt: skip
LINES = (
    "I look at the picture.", "There are two: they overlap.", "Option A is mirrored: it does not fit.", "1. Identify the position", "### Step 2:",
    "So the answer is", "I choose", "The result:", "We pick the", "Die Antwort ist", "应选", "A", "B. red", "3", "north", "yes", "none", "(1, 2)", "---", "",
    "Is it so?", "Wait, let me check.", "x = 3", "to the left", "*", "> quoted", "Possible results: several", "İ",
)  # fmt: skip


def without_shortcuts(answer: Answer, reply: str) -> Score:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "deciding_lines", lambda text, grammar: None)
        for module in (candidates, decide):
            patch.setattr(module, "PLAIN_LABEL", re.compile("(?!)"))
        return answer.score(reply)


@st.composite
def replies(draw: st.DrawFn, answer: Answer) -> str:
    values = st.sampled_from([answer.canonical(), *answer.wrong_answers()[:4]])
    line = st.one_of(st.sampled_from(LINES), st.builds(str.format, st.sampled_from(LABELS), values))
    lines = draw(st.lists(line, max_size=8))
    return draw(st.sampled_from(("\n", "\n\n", " "))).join([*lines, draw(st.sampled_from(LABELS)).format(draw(values))])


@settings(max_examples=140)  # ten of each kind of answer
@given(st.data())
def test_a_score_does_not_depend_on_the_shortcuts(data: st.DataObject) -> None:
    answer = data.draw(st.one_of(*KINDS.values()))
    reply = data.draw(replies(answer))
    assert answer.score(reply) == without_shortcuts(answer, reply), reply


def test_nor_does_that_of_a_labelled_reply_below_another() -> None:
    for row, above in zip(ROWS, ROWS[7:] + ROWS[:7], strict=True):
        answer = from_json(row["answer"])
        reply = f"{above['reply']}\n{row['reply']}"
        assert answer.score(reply) == without_shortcuts(answer, reply), reply


def test_every_label_contains_one_of_its_nouns() -> None:
    alternatives = re.sub(r"\[(.)[^\]]*\]|(.)\?", r"\1", f"{phrases.NOUN}|{phrases.FOREIGN}").split("|")
    assert len(alternatives) > 30
    for noun in alternatives:
        assert phrases.LABELS.search(f"{noun}: "), noun
        assert any(part in noun for part in phrases.LABEL_NOUNS), noun


def test_a_long_reply_with_a_box_in_its_last_line_is_parsed_without_its_other_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    inside = candidates._inside
    monkeypatch.setattr(candidates, "_inside", lambda text, at, line, grammar: parsed.append(line) or inside(text, at, line, grammar))
    answer = from_json({"kind": "choice", "options": ["left", "right"], "truth": 0})
    assert answer.score("The arrow points to one side, and the answer is probably B.\n" * 50 + "\\boxed{A}").outcome == "correct"
    assert parsed == ["\\boxed{A}"]
