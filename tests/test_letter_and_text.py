"""A letter beside an option's text, in every form that replies have: read if they agree, never if they do not."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import pytest

from isovist.core.answers import LETTERS, Choice, JointAnswer
from isovist.core.rng import Rng
from isovist.data.items import generate
from isovist.suites import registry

TASKS = [id for id, task in registry.tasks().items() if task.answers.type == "choice"]

MOST = 300  # forms of one list of options; the lists of all tasks together have every form many times

# {L} the letter, {T} the text beside it
VALUES = (
    "{L}. {T}",
    "{L}.  **{T}**",
    "{L}) {T}",
    "({L}) {T}",
    "[{L}] {T}",
    "({L}). {T}",
    "{L}: {T}",
    "{L} - {T}",
    "{L} – {T}",
    "{L} — {T}",
    "{L}, {T}",
    "{L} = {T}",
    "{L} ({T})",
    "{L} [{T}]",
    '{L} "{T}"',
    "option {L}, {T}",
    "Option {L}: {T}",
    "option ({L}) {T}",
    "{T} ({L})",
    "{T} [{L}]",
    "{T} (option {L})",
    "{T}, option {L}",
    "{T} - {L}",
    "{T} → {L}",
    "{T} = {L}",
    "**{L}** **{T}**",
)
FRAMES = (
    "{V}",
    "**{V}**",
    "{V}.",
    "Answer: {V}",
    "**Answer: {V}**",
    "Answer: **{V}**",
    "**Answer:** {V}",
    "Answer:\n{V}",
    "### Final Answer\n\n{V}",
    "✅ **Final Answer: {V}**",
    "The answer is {V}.",
    "The correct answer is **{V}**.",
    "So the answer is {V}.",
    "I choose {V}.",
    "Answer: {V}, because the picture shows it.",
    "Answer: {V}. The picture shows it.",
    "Let me look at the picture with care.\n\nAnswer: {V}",
    "Let me look at the picture with care.\n\n{V}",
    "<think>Let me see.</think>\n{V}",
    r"\boxed{{{V}}}",
    r"$\boxed{{\text{{{V}}}}}$",
    "<answer>{V}</answer>",
    '{{"answer": "{V}"}}',
    '```json\n{{"reasoning": "I looked.", "answer": "{V}"}}\n```',
    "答案：{V}",
    "正确答案是 {V}",
    "Antwort: {V}",
    "Die Antwort ist {V}.",
    "La respuesta correcta es {V}.",
    "La réponse est {V}.",
    "Ответ: {V}",
)
SENTENCES = (  # where the two need not be read, but must not be read where they disagree
    "Answer: {L}, which is {T}",
    "Answer: {L}, i.e. {T}.",
    "Answer: {L}; that is {T}.",
    "Answer: {L}. It is {T}.",
    "The answer is {T}, which is option {L}.",
    "The answer is {T}, that is option {L}.",
    "The answer is {T}, i.e. option {L}.",
    "The answer is {T}, so {L}.",
    "The answer is {T}, so the answer is {L}.",
    "{T}, so the answer is {L}.",
    "{T} corresponds to option {L}.",
    "{T} ({L}) is correct.",
    "{L} ({T}) is correct.",
    "Option {L} ({T}) is the correct answer.",
    "Option {L}, {T}, is the correct answer.",
    "The correct option is {L}: {T}.",
    "So the answer is {T}.\n\n**{L}. {T}**",
    r"The answer is {T}: $\boxed{{{L}}}$",
    r"{T} → $\boxed{{{L}}}$",
    r"$\boxed{{{L}}}$ ({T})",
    "<answer>{L}</answer> ({T})",
    "Final answer: {L} | {T}",
    "Answer: {L} / {T}",
    "Answer: {L}\n{T}",
    "{T}\nAnswer: {L}. {T}",
    '{{"answer": "{L}", "text": "{T}"}}',
    '{{"option": "{L}", "value": "{T}"}}',
    "**{L}. {T}**\n\nI looked at the picture.\n\nAnswer: {L}",
    "{L}\n\n{T} ({L})\n\nThat is what the picture shows.",
    "Answer: {L}. {T}\n\n{L}",
    "Answer: {U} ({L})",
    "Answer: {L}. {U}",
    "{L}. {U}",
)


@cache
def answers(task: str) -> tuple[Choice, ...]:
    """One item of every list of options that the first items of a task have, up to two lists."""
    items = [item.answer for item in generate(task, n=6) if isinstance(item.answer, Choice)]
    by_options = {tuple(sorted(answer.options)): answer for answer in items}
    return tuple(by_options.values())[:2]


def filled(form: str, value: str, letter: str, text: str) -> str:
    words = value.format(L=letter, T=text, U=text.upper())
    return form.format(V=words)


@pytest.mark.parametrize("task", TASKS)
def test_a_letter_beside_its_own_text_is_read(task: str) -> None:
    rng = Rng("letter and text", task)
    for answer in answers(task):
        for form, value in rng.sample([*product(FRAMES, VALUES)], MOST):
            index = rng.integer(0, len(answer.options) - 1)
            reply = filled(form, value, LETTERS[index], answer.options[index])
            assert answer.score(reply).parsed_answer == LETTERS[index], (reply, answer.options)


@pytest.mark.parametrize("task", TASKS)
def test_a_letter_beside_another_options_text_is_not_read(task: str) -> None:
    """Many forms once; and in the plainest forms every letter with every other text."""
    rng = Rng("letter and text", task)
    templates = [*product(FRAMES, VALUES), *(("{V}", sentence) for sentence in SENTENCES)]
    for answer in answers(task):
        every = [(i, j) for i, j in product(range(len(answer.options)), repeat=2) if i != j]
        replies = [(form, value, *rng.pick(every)) for form, value in rng.sample(templates, MOST)]
        replies += [(form, value, i, j) for form, value in product(FRAMES[3:6], VALUES[:4]) for i, j in every]
        for form, value, letter, text in replies:
            reply = filled(form, value, LETTERS[letter], answer.options[text])
            score = answer.score(reply)
            assert (score.outcome, score.parsed_answer) == ("unparsed", None), (reply, answer.options)


def test_the_two_parts_of_a_reply_in_fields_agree_with_themselves() -> None:
    for item in generate("cospace/planning", n=8):
        assert isinstance(item.answer, JointAnswer)
        options = [(name, part) for name, part in item.answer.parts if isinstance(part, Choice)]
        fields = {name: f"{part.canonical()}. {part.options[part.truth]}" for name, part in options}
        assert item.answer.score(f"Answer: {json.dumps(fields)}").outcome == "correct"
        for name, part in options:
            torn = {**fields, name: f"{part.canonical()}. {part.options[part.truth - 1]}"}
            assert item.answer.score(f"Answer: {json.dumps(torn)}").outcome == "unparsed", torn
