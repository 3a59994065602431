"""No reply is paid for more than one plain guess, and none of the known tricks is paid at all; for every kind of answer and task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from statistics import mean

import pytest
from answer_kinds import KINDS, words
from hypothesis import given
from hypothesis import strategies as st
from reward_hacks import hacks, hedges
from test_answers import FRAGMENTS

from isovist.core.answers import (
    Answer,
    Cell,
    CellPath,
    Choice,
    Count,
    CountTuple,
    JointAnswer,
    Number,
    SingleWord,
    WordSequence,
    WordSubset,
    YesNo,
)
from isovist.data.items import generate
from isovist.suites import registry
from isovist.training.rewards import has_valid_format, key_of, reward_credit

every_kind = pytest.mark.parametrize("kind", KINDS)


def unpaid(answer: Answer, name: str, reply: str) -> None:
    assert reward_credit(reply, answer) == 0, (name, reply)
    assert not has_valid_format(reply, answer), (name, reply)


@every_kind
@given(data=st.data())
def test_no_trick_is_paid(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    unpaid(answer, *data.draw(st.sampled_from(hacks(answer))))


@pytest.mark.parametrize("task", registry.tasks())
def test_no_trick_is_paid_in_any_task(task: str) -> None:
    (item,) = generate(task, n=1, split="train")
    for name, reply in hacks(item.answer):
        unpaid(item.answer, name, reply)
    unpaid(item.answer, "the prompt", item.prompt)
    unpaid(item.answer, "the prompt and a label", f"{item.prompt}\nAnswer:")
    assert reward_credit(f"Answer: {item.answer.canonical()}", item.answer) == 1


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (Choice(("East", "West", "North"), 1), "Answer:\n- B\n- A\n- C"),
        (Cell(((6, 4),), 7, 7), "Answer:\n1. (6, 4)\n2. (1, 1)"),
        (Cell(((6, 4),), 7, 7), "Answer: (6, 4) or something else"),
        (Count(1), "Answer: one whole number in digits"),
        (Number(1, 0, 0, 9), "Answer: one number"),
        (Number(0.275, 0.1, 0, 9), "The answer is not 0.275."),
        (WordSubset((), ("up", "down")), r"\boxed{none} \boxed{up, down}"),
        (WordSequence(("up",), ("up", "left")), "Answer: up Answer: left"),
        (WordSequence(("left",), ("right", "left")), "Answer: right Answer: left"),
        (JointAnswer((("dots", Count(3)),)), 'Answer: {"dots": 3} or something else'),
        (JointAnswer((("dots", Count(3)),)), 'The answer is not {"dots": 3}.'),
        (JointAnswer((("dots", Count(3)),)), 'Answer: {"dots": 3}?'),
        (JointAnswer((("way", Choice(("up", "down"), 0)),)), "way:\nA. up\nB. down\nReply with one JSON object."),
    ],
)
def test_what_once_was_paid_is_no_longer(answer: Answer, reply: str) -> None:
    unpaid(answer, "once paid", reply)


# A reply is worth a guess ---------------------------------------------------------------------------------------------


def keys(answer: Answer) -> list[Answer]:
    """The same question with other keys, of which a plain guess is right for one."""
    return list(_keys(answer))


def _keys(answer: Answer) -> Iterator[Answer]:
    match answer:
        case Choice():
            yield from [replace(answer, truth=i) for i in range(len(answer.options))]
        case YesNo():
            yield from [YesNo(True), YesNo(False)]
        case Count():
            yield from [replace(answer, truth=n) for n in range(answer.low, min(answer.high, answer.low + 8) + 1)]
        case Number():
            step = max(2.5 * answer.tolerance, 0.5)
            span = answer.period or answer.high - answer.low
            yield from [replace(answer, truth=round(answer.low + i * step, 3)) for i in range(max(1, min(8, int(span // step))))]
        case CountTuple():
            yield from [replace(answer, truth=truth) for truth in product((answer.low, answer.low + 1), repeat=len(answer.truth))]
        case SingleWord():
            yield from [replace(answer, truth=(word,)) for word in answer.vocabulary]
        case WordSequence():
            turned = [answer.truth[k:] + answer.truth[:k] for k in range(len(answer.truth))]
            yield from [replace(answer, truth=truth) for truth in dict.fromkeys((*turned, tuple(reversed(answer.truth))))]
        case WordSubset():
            yield from [replace(answer, truth=(), size=None), *(replace(answer, truth=(word,), size=None) for word in answer.vocabulary)]
        case Cell():
            cells = list(product(range(answer.first, answer.rows + answer.first), range(answer.first, answer.columns + answer.first)))
            yield from [replace(answer, truth=(cell,)) for cell in cells]
        case CellPath():
            yield from [replace(answer, truth=answer.truth[:n]) for n in range(1, len(answer.truth) + 1)]
        case JointAnswer():
            ways = [[(name, key) for key in keys(part)[:3]] for name, part in answer.parts[:3]]
            yield from [replace(answer, parts=parts) for parts in product(*ways)]  # pyright: ignore[reportArgumentType] - parts stay parts


def tricky(data: st.DataObject, kind: str) -> tuple[list[Answer], str]:
    """Keys of one question, and a reply that may mention several of them, or pieces of what replies are made of."""
    answers = keys(data.draw(KINDS[kind]))
    plain = [key.canonical() for key in answers]
    if len(plain) > 1 and data.draw(st.booleans()):
        return answers, data.draw(st.sampled_from(hedges(data.draw(st.permutations(plain)))))
    pieces = st.sampled_from([*FRAGMENTS, *5 * plain[:8]])
    return answers, "".join(data.draw(st.lists(pieces, max_size=14)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fields"])
@given(data=st.data())
def test_a_reply_is_worth_the_guess_that_is_read_in_it_whatever_the_key(kind: str, data: st.DataObject) -> None:
    answers, reply = tricky(data, kind)
    read = {key.score(reply).parsed_answer for key in answers}
    assert len(read) == 1, "reading knew the key"
    (guess,) = read
    for key in answers:
        assert reward_credit(reply, key) == (0 if guess is None else reward_credit(guess, key))


@every_kind
@given(data=st.data())
def test_hedging_never_pays_more_than_the_best_guess(kind: str, data: st.DataObject) -> None:
    answers, reply = tricky(data, kind)
    guesses = [key.canonical() for key in answers]
    best = max(mean(key.score(guess).credit for key in answers) for guess in guesses[:: max(1, len(guesses) // 6)])
    assert mean(key.score(reply).credit for key in answers) <= best + 1e-9


# Look-alikes, depth and length ---------------------------------------------------------------------------------------


@given(st.sampled_from("ABCD"), st.text(st.sampled_from("ΑВСАΒЅＡＢАᎪ🄰🅱①Ⓐ\u200b\u200d\u202e \nor/,"), max_size=12))
def test_letters_of_other_alphabets_never_pay_twice(letter: str, tail: str) -> None:
    options = ("East", "West", "North", "South")
    paid = [reward_credit(f"Answer: {letter}{tail}", Choice(options, truth)) for truth in range(4)]
    assert sum(value or 0 for value in paid) <= 1


BOMBS = (
    *("{", '{"a":', '{"dots":[', '{"a":[1,{"b":', "[", "(", "\\boxed{", "\\text{", "<think>", "<answer>", "<", "|", "Answer: "),
    *("Answer: B\n", "the answer is ", "so the answer is ", "not ", "1,", "1/", "one hundred ", "- ", " ", "\n", "\ud800", "\u200b", "9"),
)
BOMBED = {kind: KINDS[kind] for kind in ("choice", "count", "sequence", "fields")}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("kind", BOMBED)
def test_what_goes_on_and_on_is_read_to_its_end_and_not_paid(kind: str, bomb: str) -> None:
    # where the work grew faster than the reply, these would not come to an end
    answer = key_of(EXAMPLE[kind])
    assert answer is not None
    length = 20_000 if bomb.isspace() or "B" in bomb else 5_000
    assert reward_credit((bomb * length)[:length] * (40 if bomb in ("{", '{"a":') else 1), answer) == 0


EXAMPLE: dict[str, object] = {
    "choice": {"kind": "choice", "options": ["East", "West", "North"], "truth": 0},
    "count": json.dumps({"kind": "count", "truth": 3, "low": 0, "high": 8}),
    "sequence": {"kind": "sequence", "truth": ["red", "blue"], "vocabulary": ["red", "blue"], "permutation": False},
    "fields": {"kind": "fields", "parts": [["dots", {"kind": "count", "truth": 3, "low": 0, "high": 8}]], "scoring_rule": "share"},
}


@pytest.mark.parametrize("kind", EXAMPLE)
@pytest.mark.parametrize("depth", [50, 400, 900, 990, 1100, 50_000])
def test_no_depth_of_nesting_raises(kind: str, depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"answer": ', "}"), ('{"dots": ', "}"), ("(", ")"), ("\\boxed{", "}")):
        assert reward_credit(opening * depth + "1" + closing * depth, EXAMPLE[kind]) in (0, 1)
        assert reward_credit(f'{{"dots": {"[" * depth}{"]" * depth}, "answer": 1}}', EXAMPLE[kind]) == 0


@given(st.recursive(st.none() | st.text() | st.binary() | st.floats() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["role", "content", "text", "type", "x"]), inner)))  # fmt: skip
def test_no_reply_of_any_shape_raises(reply: object) -> None:
    for key in EXAMPLE.values():
        assert reward_credit(reply, key) in (0, 0.5, 1)


@given(words)
def test_words_alone_are_not_paid(word: str) -> None:
    assert reward_credit(f"I like {word}.", EXAMPLE["choice"]) == 0
