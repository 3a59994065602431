"""Replies as models write them: the hand-labelled corpora, and the rules by which a choice is read from free words."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from isovist.core.answers import LETTERS, Choice, Count, Score, WordSequence, from_json
from isovist.core.answers.extraction.vocabulary import short_forms
from isovist.data.items import generate
from isovist.suites import registry
from isovist.world.scenes.compass import PAPER_COMPASS, PAPER_SPATIAL
from isovist.world.scenes.icons import DIRECTED

CORPORA = [Path(__file__).parent / "corpus" / name for name in ("replies.jsonl", "redteam.jsonl", "reasoning.jsonl", "heldout.jsonl")]
DOCUMENT = Path(__file__).parent.parent / "docs" / "answer-extraction.md"
MOST_MISSED = 238  # of the replies that may be left unread; lower it when the parser learns one

ROWS: list[dict[str, Any]] = [json.loads(line) for corpus in CORPORA for line in corpus.read_text(encoding="utf-8").split("\n") if line]
MUST = [row for row in ROWS if row["must"]]
MAY = [row for row in ROWS if not row["must"]]


def name(row: dict[str, Any]) -> str:
    return f"{row['answer']['kind']}: {row['note']}"


@cache
def scored(answer: str, reply: str) -> Score:
    return from_json(json.loads(answer)).score(reply)


def read(row: dict[str, Any]) -> Score:
    return scored(json.dumps(row["answer"]), row["reply"])


# ---- the corpora ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", MUST, ids=name)
def test_what_any_strict_parser_reads_is_read_as_labelled(row: dict[str, Any]) -> None:
    score = read(row)
    assert score.parsed_answer == row["read"], row["reply"]
    if row["why"] == "read":
        assert score.outcome in ("correct", "incorrect", "partial")
    else:
        assert (score.outcome, score.credit) == (row["why"], 0.0), row["reply"]


@pytest.mark.parametrize("row", MAY, ids=name)
def test_what_may_be_missed_is_never_read_as_something_else(row: dict[str, Any]) -> None:
    assert row["why"] == "read"  # nothing unreadable may be read
    assert read(row).parsed_answer in (None, row["read"]), row["reply"]


def test_no_more_is_missed_than_before() -> None:
    missed = [name(row) for row in MAY if read(row).parsed_answer is None]
    assert len(missed) <= MOST_MISSED, missed


def test_the_corpus_has_every_kind_both_ways() -> None:
    kinds = {row["answer"]["kind"] for row in ROWS}
    assert len(kinds) == 11
    for kind in kinds:
        assert {row["read"] is None for row in MUST if row["answer"]["kind"] == kind} == {True, False}, kind
    assert len({(str(row["answer"]), row["reply"]) for row in ROWS}) == len(ROWS)


def test_a_reply_to_a_choice_is_right_for_the_key_it_names_and_for_no_other() -> None:
    """Reading must not know the key: a row is scored under each of its options as the key."""
    for row in ROWS:
        answer = from_json(row["answer"])
        if isinstance(answer, Choice):
            parsed = read(row).parsed_answer
            right = [LETTERS[i] for i in range(len(answer.options)) if replace(answer, truth=i).score(row["reply"]).credit]
            assert right == ([parsed] if parsed else []), row["reply"]


def test_the_page_gives_the_numbers_of_the_corpus() -> None:
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    must = sum(row["why"] == "read" for row in MUST)
    for statement in (
        f"{len(ROWS)} hand-labelled responses",
        f"{must} that any strict parser must parse",
        f"of {len(MAY)} that may stay unparsed",
    ):
        assert statement in text, statement


# ---- the rules, under every key -------------------------------------------------------------------------------------
# {L} the letter, {l} in lower case, {F} full-width, {T} the option's text; {O} and {U} letter and text of another option.

OPTIONS = (
    PAPER_COMPASS,
    PAPER_SPATIAL,
    tuple("QVXJMZKW"),
    tuple(kind.category for kind in DIRECTED[:8]),
    ("7", "12", "3", "40", "99", "1", "28", "60"),
)

READ = (
    "{L}.",
    "**{L}**",
    "__{L}__",
    "{L}. {T}",
    "**{L}. {T}**",
    "{L}) {T}.",
    "({l})",
    "({L}) {T}",
    "[{L}]",
    r"\boxed{{{L}}}",
    r"$\boxed{{\text{{{L}}}}}$",
    r"The reasoning is simple. Therefore: \[ \boxed{{{L}}} \]",
    "{{{L}}}",
    "Answer: {L}",
    "answer: {l}",
    "ANSWER: {L}.",
    "**Answer:** {L}",
    "**Answer: {L}. {T}**",
    "Answer:\n{L}",
    "Final answer: {T}",
    "The answer is not {O}; it is {L}.",
    "The answer is not {O}, but {L}.",
    "The answer is {L}, not {O}.",
    "{T}",
    "{T}.",
    "{T}。",
    "  {T} \n",
    "Answer:\u00a0{L}",
    "\u00a0{L}\u00a0",
    "Answer: {F}",
    "（{F}）",
    "答案：{L}。",
    "答案是{L}。",
    "答えは「{L}」です。",
    '```json\n{{"answer": "{L}"}}\n```',
    '```\n{{"reasoning": "At first {O} looks right.", "answer": "{L}"}}\n```',
    '{{"answer": "{T}"}}',
    "<think>It could be {O}. Answer: {O}</think>{L}",
    "<think>\nPerhaps {U}?\n</think>\n\nAnswer: {L}",
    "It could be {O} or {L}.</think>\n\n{L}",
    "<answer>{L}</answer>",
    "I choose {L}.",
    "The correct option is ({L}).",
    "Option {L} is correct.",
    "I look at the picture from left to right and from top to bottom.\n\nAnswer: {L}",
    "First I thought of {U}, but this cannot be, because the other one is nearer.\n\nAnswer: {L}",
    "Let me go through the options one after the other.\n- {O}: no, that does not fit the picture.\n- {L}: yes, that fits.\n\nAnswer: {L}",
    "Answer: {O}\n\nWait, I had the picture upside down, let me look again.\n\nAnswer: {L}",
    "Answer: {L}\n\nAnswer: {L}",
    "A careful look shows only {L} works, so {L}",
)

UNREAD = (
    "{L} {O}",
    "{L}, {O}",
    "({L}) or ({O})",
    "{L}. {U}",
    "{T} and {U}",
    "Answer: {L}, {O}",
    "Answer: {L} Answer: {O}",
    r"\boxed{{{L}}} \boxed{{{O}}}",
    r"\boxed{{{L}, {O}}}",
    "<answer>{L}</answer><answer>{O}</answer>",
    '{{"answer": ["{L}", "{O}"]}}',
    '{{"answer": "{L}"}}\n{{"answer": "{O}"}}',
    '{{"answer": "{L}", "final_answer": "{O}"}}',
    "The answer is {L}. The answer is {O}.",
    "Answer: {L}\n\nOr {O}.",
    "Not {L}.",
    "The answer is not {L}.",
    "Is it {L}?",
    "Answer: {L}?",
    "It would be {L} if the picture were turned.",
    "If the map were turned, the answer would be {L}.",
    "It is neither {L} nor {O}.",
    "It could be {L}, {O}, or something else.",
    "<think>The answer is {L}.",
    "Answer: the letter of one option, such as {L} or {O}",
    "Both {L} and {O} are correct.",
)


def filled(form: str, options: tuple[str, ...], key: int) -> str:
    letter, other = LETTERS[key], (key + 3) % len(options)
    return form.format(L=letter, l=letter.lower(), F=chr(0xFF21 + key), T=options[key], O=LETTERS[other], U=options[other])


@pytest.mark.parametrize("form", READ)
def test_a_final_answer_is_read(form: str) -> None:
    for options in OPTIONS:
        for key in range(8):
            reply = filled(form, options, key)
            score = Choice(options, key).score(reply)
            assert (score.outcome, score.parsed_answer) == ("correct", LETTERS[key]), (reply, options)


@pytest.mark.parametrize("form", UNREAD)
def test_what_gives_no_final_answer_or_two_is_not_read(form: str) -> None:
    for options in OPTIONS:
        for key in range(8):
            reply = filled(form, options, key)
            score = Choice(options, key).score(reply)
            assert score.parsed_answer is None, (reply, options)
            assert score.outcome in ("unparsed", "empty")


# ---- shorter names of options, and orders with "<" --------------------------------------------------------------------


@cache
def option_lists() -> frozenset[tuple[str, ...]]:
    items = (item for id, task in registry.tasks().items() if task.answers.type == "choice" for item in generate(id, n=4))
    return frozenset(item.answer.options for item in items if isinstance(item.answer, Choice))


def test_a_shorter_name_belongs_to_one_option_of_its_list() -> None:
    shortened = 0
    for options in option_lists():
        for form, index in short_forms(options).items():
            shortened += 1
            for reply in (form, f"Answer: {form}", f"**Answer: {form.capitalize()}**", rf"\boxed{{{form}}}"):
                assert Choice(options, index).score(reply).outcome == "correct", (reply, options)
    assert shortened > 50


@pytest.mark.parametrize(
    ("options", "reply", "letter"),
    [
        (("in the left half", "in the right half"), "Left half", "A"),
        (("in the left half", "in the right half"), "on the left side", "A"),
        (("in the left half", "in the right half"), "half", None),
        (("30 degrees", "60 degrees"), "60", "B"),
        (("30 degrees", "60 degrees"), "60°", "B"),
        (("30 degrees", "60 degrees"), "-60", None),
        (("30 degrees", "60 degrees"), "60%", None),
        (("0 degrees clockwise", "90 degrees clockwise"), "90", "B"),
        (("0 degrees clockwise", "90 degrees clockwise"), "90° counterclockwise", None),
        (("45 degrees clockwise", "45 degrees counterclockwise"), "45", None),
        (("to its own left", "to its own right", "in front of it", "behind it"), "left", "A"),
        (("to its own left", "to its own right", "in front of it", "behind it"), "in front", "C"),
        (("to its own left", "to its own right", "in front of it", "behind it"), "behind the house", None),
        (("at the lower left", "at the lower right", "at the upper left"), "lower", None),
        (("at the lower left", "at the lower right", "at the upper left"), "top left", "C"),
        (("to the left of the picture", "to the left of the camera"), "left", None),
    ],
)
def test_a_shorter_name_is_read_only_where_it_is_plain(options: tuple[str, ...], reply: str, letter: str | None) -> None:
    for form in ("{}", "Answer: {}", "**Answer:** {}"):
        assert Choice(options, 0).score(form.format(reply)).parsed_answer == letter, form


def test_no_task_asks_for_the_largest_first() -> None:
    """So that "3 < 1 < 2", which tells the smallest first, is the asked order."""
    orders = [
        item
        for id, task in registry.tasks().items()
        if task.answers.type == "sequence"
        for item in generate(id, n=2)
        if isinstance(item.answer, WordSequence) and all(word.isdecimal() for word in item.answer.vocabulary)
    ]
    assert orders
    for item in orders:
        assert re.search(r"from the (?:smallest|shortest)", item.question.text), item.question.text


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("3 < 1 < 2 < 4", "3, 1, 2, 4"),
        ("3<1<2<4", "3, 1, 2, 4"),
        ("Order (shortest to longest): 3, 1, 2, 4", "3, 1, 2, 4"),
        ("**Shortest to longest:** 3, 1, 2, 4", "3, 1, 2, 4"),
        ("4 > 2 > 1 > 3", None),
        ("3 < 1 > 2", None),
        ("3 < 1, 2 < 4", None),
        ("3 < 1 = 2 < 4", None),
        ("Order (longest to shortest): 4, 2, 1, 3", None),
        ("In descending order: 4, 2, 1, 3", None),
    ],
)
def test_an_order_of_sizes_is_read_from_the_smallest_on(reply: str, read: str | None) -> None:
    answer = WordSequence(("3", "1", "2", "4"), tuple(map(str, range(1, 21))))
    for form in ("{}", "I compared the lines.\n\n{}"):
        assert answer.score(form.format(reply)).parsed_answer == read, form


# ---- words that look like letters -----------------------------------------------------------------------------------

MANY = tuple(f"picture {number}" for number in range(1, 27))


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I think the shape is C", "C"),
        ("I think it is C.", "C"),
        ("I would say D", "D"),
        ("A careful look shows only D works, so D", "D"),
        ("A closer look at the I-beam: the answer is E.", "E"),
        ("As I see it, the answer is (b).", "B"),
        ("I believe I should answer I.", "I"),
        ("Answer: A", "A"),
        ("Because A is smaller than B, and B than C, the answer is C.", "C"),
    ],
)
def test_an_article_or_a_pronoun_is_no_letter(reply: str, letter: str) -> None:
    assert Choice(MANY, 0).score(reply).parsed_answer == letter


@pytest.mark.parametrize(
    "reply", ["I think so.", "A", "I", "I do not know.", "A picture.", "I see a picture.", "As I said before.", "A or I"]
)
def test_an_article_or_a_pronoun_alone_is_a_letter_only_where_nothing_else_stands(reply: str) -> None:
    assert Choice(MANY, 0).score(reply).parsed_answer == (reply if len(reply) == 1 else None)


@pytest.mark.parametrize(
    "reply", ["The left one is right.", "Right. Let me see.", "up to you", "It is upper left or left.", "northwest of nowhere"]
)
def test_a_direction_used_as_a_plain_word_is_no_option(reply: str) -> None:
    for options in (PAPER_SPATIAL, PAPER_COMPASS):
        assert Choice(options, 0).score(reply).parsed_answer is None


def test_a_longer_option_is_not_the_shorter_one_inside_it() -> None:
    for options in (PAPER_SPATIAL, PAPER_COMPASS):
        for i, option in enumerate(options):
            for form in ("{}", "Answer: {}", "It lies to the {}.", "So the answer is {}."):
                score = Choice(options, 0).score(form.format(option))
                assert score.parsed_answer == LETTERS[i], (form, option)


# ---- numbers --------------------------------------------------------------------------------------------------------

SPELT = {0: "zero", 1: "one", 8: "eight", 12: "twelve", 13: "thirteen", 20: "twenty", 21: "twenty-one", 47: "forty seven", 99: "ninety-nine", 100: "one hundred"}  # fmt: skip


@pytest.mark.parametrize("value", SPELT)
def test_numbers_are_read_in_words_and_digits(value: int) -> None:
    for spelling in (
        SPELT[value],
        SPELT[value].capitalize(),
        SPELT[value].upper(),
        str(value),
        "".join(chr(0xFF10 + int(d)) for d in str(value)),
    ):
        for form in ("Answer: {}", "**Answer: {}**", "Answer: {}.", r"\boxed{{{}}}", '```json\n{{"answer": "{}"}}\n```'):
            assert Count(value, 0, 200).score(form.format(spelling)).outcome == "correct", form.format(spelling)


def test_every_outcome_occurs_in_the_corpora() -> None:
    assert {read(row).outcome for row in ROWS} == {"correct", "partial", "incorrect", "unparsed", "refused", "empty"}
