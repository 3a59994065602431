"""The answer types: each knows its key, its wrong answers and its chance, and reads any text without raising."""

from __future__ import annotations

import json
from typing import Any

import pytest
from answer_kinds import BY_KIND, KINDS
from hypothesis import given
from hypothesis import strategies as st

from isovist.core import answers
from isovist.core.answers import (
    OUTCOMES,
    Answer,
    Cell,
    CellPath,
    CellSet,
    Choice,
    Count,
    CountTuple,
    ImageOptionChoice,
    JointAnswer,
    Number,
    SingleWord,
    WordSequence,
    WordSubset,
    YesNo,
    ZeroBasedCell,
    from_json,
    to_json,
)
from isovist.core.rng import Rng

every_kind = pytest.mark.parametrize("kind", KINDS)
one_value = pytest.mark.parametrize("kind", BY_KIND)

# What makes a reply hard to read; they are glued together at random, the key and wrong answers among them.
FRAGMENTS = [
    *(
        "Answer:",
        "Answer: ",
        "answer",
        "the answer is ",
        "not ",
        " or ",
        " and ",
        "so ",
        "I ",
        "a ",
        "No, ",
        "yes",
        "no",
        "maybe ",
        "either ",
    ),
    *(
        "B",
        "A",
        "(b)",
        "Ｂ",
        "**",
        "`",
        '"',
        "'",
        "\\boxed{",
        "\\text{",
        "\\",
        "$",
        "}",
        "{",
        "[",
        "]",
        "(",
        ")",
        "|",
        "#",
        "> ",
        "- ",
        "1. ",
    ),
    *(
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "<|begin_of_box|>",
        "<|end_of_box|>",
        "```json\n",
        "```",
        '{"answer": ',
        '"B"',
        "null",
        "NaN",
    ),
    *("\n", "\n\n", ". ", ", ", "; ", "? ", "! ", ": ", "=", "%", "°", "→", "->", "\x00", "\ufffd", "²", "٣", "½", "①", "Ⅷ", "答案", "是"),
    *(
        "1",
        "2",
        "-",
        "−",
        "+",
        "0.5",
        "1e9",
        "1e999",
        "1,000",
        "Infinity",
        "one",
        "twenty-",
        "hundred",
        "row 1",
        "column 2",
        "(1, 2)",
        "degrees",
    ),
    *(
        "clockwise",
        "ccw",
        "left",
        "West",
        "wait, ",
        "actually ",
        "I cannot see",
        "if ",
        "would be ",
        "because ",
        "option ",
        "none",
        "[]",
        "red: ",
    ),
]


def hedges(answer: Answer, truth: str, wrong: str) -> list[str]:
    """Replies that give the key and something else."""
    if isinstance(answer, JointAnswer):  # a hedge inside a part is for the part to find
        one, other = json.loads(truth), json.loads(wrong)
        mixed = {name: f"{value} or {other[name]}" for name, value in one.items()}
        changed = {name: mixed[name] if value != other[name] else value for name, value in one.items()}
        return [f"{truth} or {wrong}", f"{truth}\n{wrong}", f"Answer: {truth}\nAnswer: {wrong}", json.dumps(changed)]
    return [f"{truth} or {wrong}", f"Answer: {truth} or {wrong}", f"{truth}\n{wrong}", f"Answer: {truth}\nAnswer: {wrong}"]


# ---- the key and what is wrong --------------------------------------------------------------------------------------


@every_kind
@given(data=st.data())
def test_the_key_scores_one(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    for reply in (answer.canonical(), f"Answer: {answer.canonical()}", f"Let me see.\n\nAnswer: {answer.canonical()}\n"):
        assert (answer.score(reply).outcome, answer.score(reply).credit) == ("correct", 1.0)


@every_kind
@given(data=st.data())
def test_a_wrong_answer_scores_zero_and_is_read(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    assert answer.wrong_answers()
    for wrong in answer.wrong_answers():
        for reply in (wrong, f"Answer: {wrong}"):
            score = answer.score(reply)
            assert (score.outcome, score.credit) == ("incorrect", 0.0)
            assert score.parsed_answer is not None


@every_kind
@given(data=st.data())
def test_the_key_beside_a_wrong_answer_scores_zero(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    wrong = data.draw(st.sampled_from(answer.wrong_answers()))
    truth = answer.canonical()
    for reply in (*hedges(answer, truth, wrong), *hedges(answer, wrong, truth)):
        assert answer.score(reply).credit == 0, reply


@one_value
@given(data=st.data())
def test_an_afterthought_of_another_answer_scores_zero(kind: str, data: st.DataObject) -> None:
    answer = data.draw(BY_KIND[kind])
    wrong = data.draw(st.sampled_from(answer.wrong_answers()))
    truth = answer.canonical()
    for reply in (f"Answer: {truth}. Or maybe {wrong}.", f"Answer: {wrong}. Or maybe {truth}.", f"Either {wrong} or {truth}."):
        assert answer.score(reply).credit == 0, reply


@pytest.mark.parametrize("kind", [kind for kind in BY_KIND if kind not in ("sequence", "subset")])  # there a slash makes one list
@given(data=st.data())
def test_a_slash_is_no_choice(kind: str, data: st.DataObject) -> None:
    answer = data.draw(BY_KIND[kind])
    wrong = data.draw(st.sampled_from(answer.wrong_answers()))
    for reply in (f"Answer: {answer.canonical()} / {wrong}", f"Answer: {wrong} / {answer.canonical()}"):
        assert answer.score(reply).credit == 0, reply


@every_kind
@given(data=st.data())
def test_an_answer_survives_json(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    again = from_json(json.loads(json.dumps(to_json(answer))))
    assert again == answer
    assert type(again) is type(answer)
    assert again.kind == kind


# ---- any text ------------------------------------------------------------------------------------------------------


def known(answer: Answer, reply: str) -> None:
    score = answer.score(reply)
    assert score.outcome in OUTCOMES
    assert 0 <= score.credit <= 1
    assert (score.credit == 1) == (score.outcome == "correct")
    assert (score.parsed_answer is not None) == (score.outcome in ("correct", "partial", "incorrect"))
    if score.parsed_answer is not None and not isinstance(answer, JointAnswer):
        assert answer.score(score.parsed_answer) == score  # what was read is told in a form that reads the same


@every_kind
@given(data=st.data(), reply=st.text())
def test_any_text_has_a_score(kind: str, data: st.DataObject, reply: str) -> None:
    known(data.draw(KINDS[kind]), reply)


@every_kind
@given(data=st.data())
def test_any_glue_of_tricky_fragments_has_a_score(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    fragments = st.sampled_from([*FRAGMENTS, *5 * [answer.canonical(), *answer.wrong_answers()[:3]]])
    known(answer, "".join(data.draw(st.lists(fragments, max_size=14))))


@every_kind
def test_no_words_are_empty(kind: str) -> None:
    answer = EXAMPLES[kind][0]
    assert {answer.score(reply).outcome for reply in ("", " ", "\n\t\u200b", "<think>B, or 3?</think>")} == {"empty"}


@every_kind
@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_of_any_length_has_a_score(kind: str, digits: int) -> None:
    # a float overflows at 309 digits, and Python refuses to read an integer of more than 4,300
    long = "7" * digits
    for answer in EXAMPLES[kind]:
        for reply in (
            long,
            f"Answer: {long}",
            f"{long}, {long}",
            f"red: {long}, blue: {long}",
            f'{{"answer": {long}}}',
            f"-{long}.5",
            f"({long}, 1)",
        ):
            known(answer, reply)


# ---- chance --------------------------------------------------------------------------------------------------------

COLOURS = ("red", "blue", "green")
EXAMPLES: dict[str, list[Answer]] = {
    "choice": [Choice(("up", "down", "left"), 2), Choice(tuple("IJKLMNOP"), 0)],
    "drawn-choice": [ImageOptionChoice.of("sheet", 3, 1), ImageOptionChoice.of("shape", 4, 0)],
    "yes-no": [YesNo(True), YesNo(False)],
    "count": [Count(3, 0, 9), Count(1, 1, 2), Count(-2, -4, 4)],
    "number": [
        Number(50, 10, 0, 100),
        Number(95, 10, 0, 100),
        Number(355, 15, 0, 360, 360),
        Number(-10, 30, 0, 360, 360, "degrees", "clockwise"),
    ],
    "counts": [CountTuple((1, 2), ("red", "blue"), 0, 3), CountTuple((2, 2, 2), COLOURS, 1, 3)],
    "sequence": [WordSequence(("red", "blue", "green"), COLOURS, permutation=True), WordSequence(("red", "red"), COLOURS)],
    "subset": [WordSubset(("red",), COLOURS), WordSubset(("red", "green"), COLOURS, size=2), WordSubset((), COLOURS)],
    "cell": [Cell(((1, 2),), 2, 3), Cell(((1, 2), (3, 3), (2, 1)), 3, 3)],
    "path": [CellPath(((1, 1), (1, 2)), 2, 2)],
    "cell-from-0": [ZeroBasedCell(((0, 1),), 2, 3), ZeroBasedCell(((0, 0), (2, 2), (1, 0)), 3, 3)],
    "cell-set": [CellSet(((1, 2),), 1, 2), CellSet(((2, 1), (1, 1)), 2, 2)],
    "word": [SingleWord(("red",), COLOURS), SingleWord(("front right",), ("front", "front right", "right", "back"))],
    "fields": [
        JointAnswer((("way", Choice(("up", "down"), 0)), ("dots", Count(1, 0, 2)))),
        JointAnswer((("way", Choice(("up", "down"), 0)), ("dots", Count(1, 0, 2))), scoring_rule="share"),
    ],
}


def test_every_kind_has_examples_and_strategies() -> None:
    assert set(EXAMPLES) == set(KINDS) == set(answers.KINDS)


@every_kind
def test_guessers_land_at_chance(kind: str) -> None:
    for k, answer in enumerate(EXAMPLES[kind]):
        values = [answer.score(answer.random_answer(Rng("guess", kind, k, i))).credit for i in range(1500)]
        mean = sum(values) / len(values)
        spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5 / len(values) ** 0.5
        assert abs(mean - answer.chance()) <= 3 * spread, answer


@every_kind
@given(data=st.data(), seed=st.integers())
def test_a_guess_is_read_and_chance_is_a_probability(kind: str, data: st.DataObject, seed: int) -> None:
    answer = data.draw(KINDS[kind])
    assert 0 <= answer.chance() <= 1
    assert answer.score(answer.random_answer(Rng(seed))).outcome in ("correct", "incorrect", "partial")
    assert answer.random_answer(Rng(seed)) == answer.random_answer(Rng(seed))


@pytest.mark.parametrize(
    ("answer", "reply", "outcome"),
    [
        (ZeroBasedCell(((0, 6), (2, 1)), 7, 7), "Answer: (0, 6)", "correct"),
        (ZeroBasedCell(((0, 6), (2, 1)), 7, 7), "(2,1)", "correct"),
        (ZeroBasedCell(((0, 6), (2, 1)), 7, 7), "Answer: (1, 7)", "incorrect"),  # the same cell, counted from 1
        (Cell(((1, 7), (3, 2)), 7, 7), "Answer: (0, 6)", "incorrect"),
        (CellSet(((1, 2), (3, 1)), 6, 6), "Answer: (3, 1), (1, 2)", "correct"),
        (CellSet(((1, 2), (3, 1)), 6, 6), "(3,1) (1,2)", "correct"),
        (CellSet(((1, 2), (3, 1)), 6, 6), "Answer: (1, 2)", "incorrect"),
        (CellSet(((1, 2),), 6, 6), "There is one.\nAnswer: (1, 2)", "correct"),
        (CellSet(((1, 2),), 6, 6), "(1, 2), (3, 1)", "incorrect"),
        (SingleWord(("front right",), ("front", "front right", "right")), "Answer: front-right", "correct"),
        (SingleWord(("front right",), ("front", "front right", "right")), "Answer: front, right", "incorrect"),
        (SingleWord(("front right",), ("front", "front right", "right")), "right", "incorrect"),
        (SingleWord(("right",), ("front", "front right", "right")), "front right", "incorrect"),
        (SingleWord(("right",), ("front", "front right", "right")), "front or right", "unparsed"),
        (SingleWord(("right",), ("front", "front right", "right")), "sideways", "unparsed"),
    ],
)
def test_cells_from_0_sets_of_cells_and_single_words_are_scored_strictly(answer: Answer, reply: str, outcome: str) -> None:
    assert answer.score(reply).outcome == outcome


# ---- nonsense ------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
two: tuple[Any, ...] = ("a", "b")
NONSENSE: dict[str, Any] = {
    "one option": lambda: Choice(("a",), 0),
    "27 options": lambda: Choice(tuple(f"x{i}" for i in range(27)), 0),
    "equal options": lambda: Choice(("up", "down", "up"), 0),
    "options that differ by case": lambda: Choice(("Up left", "up-left"), 0),
    "an option without a word": lambda: Choice(("up", " - "), 0),
    "a key that is no option": lambda: Choice(two, 2),
    "a key from the end": lambda: Choice(two, -1),
    "a count below": lambda: Count(-1),
    "a count above": lambda: Count(11),
    "a count with one candidate": lambda: Count(3, 3, 3),
    "a number that is none": lambda: Number(NAN, 1, 0, 10),
    "an infinite number": lambda: Number(INF, 1, 0, 10),
    "an infinite bound": lambda: Number(1, 1, 0, INF),
    "bounds that are swapped": lambda: Number(1, 1, 10, 0),
    "a negative tolerance": lambda: Number(1, -1, 0, 10),
    "a tolerance that is none": lambda: Number(1, NAN, 0, 10),
    "an infinite tolerance": lambda: Number(1, INF, 0, 10),
    "a period that is none": lambda: Number(1, 1, 0, 10, NAN),
    "a negative period": lambda: Number(1, 1, 0, 10, -360),
    "a tolerance that makes everything right": lambda: Number(1, 180, 0, 360, 360),
    "a sense that is none": lambda: Number(1, 1, 0, 10, 0, "", "left"),  # pyright: ignore[reportArgumentType] - that is the point
    "a number out of its bounds": lambda: Number(50, 1, 0, 10),
    "one label": lambda: CountTuple((1,), ("red",)),
    "more labels than counts": lambda: CountTuple((1, 2), COLOURS),
    "counts out of bounds": lambda: CountTuple((1, 11), two),
    "equal labels": lambda: CountTuple((1, 2), ("red", "red")),
    "an empty sequence": lambda: WordSequence((), two),
    "a sequence of unknown words": lambda: WordSequence(("c",), two),
    "a permutation that lacks a word": lambda: WordSequence(("a",), two, permutation=True),
    "a permutation with a word twice": lambda: WordSequence(("a", "b", "b"), two, permutation=True),
    "a vocabulary of one": lambda: WordSequence(("a",), ("a",)),
    "a vocabulary with a word twice": lambda: WordSubset((), ("a", "b", "A")),
    "a set with a word twice": lambda: WordSubset(("a", "a"), two),
    "a set of another size": lambda: WordSubset(("a",), two, size=2),
    "a set that holds the word for nothing": lambda: WordSubset(("none",), ("none", "red")),
    "a word that opens a denial": lambda: WordSequence(("no",), ("yes", "no")),
    "a word that separates": lambda: WordSequence(("first", "then"), ("first", "then")),
    "no cell": lambda: Cell((), 3, 3),
    "a cell outside": lambda: Cell(((0, 1),), 3, 3),
    "a cell beyond": lambda: Cell(((1, 4),), 3, 3),
    "a cell twice": lambda: Cell(((1, 1), (1, 1)), 3, 3),
    "all cells": lambda: Cell(((1, 1), (1, 2)), 1, 2),
    "an empty path": lambda: CellPath((), 3, 3),
    "a path that leaves the grid": lambda: CellPath(((1, 1), (1, 9)), 3, 3),
    "no fields": lambda: JointAnswer(()),
    "fields of one name": lambda: JointAnswer((("a", YesNo(True)), ("A", YesNo(True)))),
    "a field without a name": lambda: JointAnswer((("-", YesNo(True)),)),
    "a credit that is none": lambda: JointAnswer((("a", YesNo(True)),), "half"),  # pyright: ignore[reportArgumentType] - that is the point
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_rejected(name: str) -> None:
    with pytest.raises(ValueError):
        NONSENSE[name]()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "guess"},
        {"kind": "count"},
        {"kind": "count", "truth": 1, "colour": "red"},
        {"kind": "count", "truth": "1"},
        {"kind": "choice", "options": [1, 2], "truth": 0},
        {"kind": "choice", "options": ["a", "b"], "truth": None},
        {"kind": "yes-no", "truth": "yes"},
        {"kind": "cell", "truth": [1, 2], "rows": 3, "columns": 3},
        {"kind": "fields"},
        {"kind": "fields", "parts": [["a"]]},
        {"kind": "fields", "parts": None},
        {"kind": "fields", "parts": [["a", {"kind": "guess"}]]},
    ],
    ids=json.dumps,
)
def test_what_is_no_answer_in_json_is_rejected(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        from_json(data)


def test_a_letter_that_is_only_equal_to_another_without_case_raises_nothing() -> None:
    assert Count(7).score("Answer: one mİllİon").outcome in ("incorrect", "unparsed")
