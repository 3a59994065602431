"""The prompt formats of CoSpace: the order of the images, the question, the options on one line, the answer format (section B)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isovist.core.answers import Answer, Choice, JointAnswer
from isovist.core.published_prompt import PublishedPrompt, letters_of, options_line

_NAMED = re.compile(r'"(\w+)": (.+?)(?= "\w+": |$)')
"""A question of the joint task, with its name."""


def text(question: str, answer: Answer) -> str:
    """The prompt for a question whose last line is the question itself, and whose lines before describe the images."""
    preamble, _, asked = question.rpartition("\n")
    if isinstance(answer, JointAnswer):
        return joint(preamble, _NAMED.findall(asked), answer)
    return single(preamble, asked, options_line(answer) if isinstance(answer, Choice) else "", answer)


def single(preamble: str, question: str, options: str, answer: Answer) -> str:
    """The prompt for one question; `options` on one line with their labels, or empty."""
    offered = f" Options: {_ended(options)}" if options else ""
    task = "choose the answer to the question from the options" if options else "answer the question"
    form = f"Give {letters_of(answer)} as your answer." if isinstance(answer, Choice) else "Give one number as your answer."
    return f"{preamble}\nStudy the images carefully and {task}.\nQuestion: {question}{offered}\n{form} Your answer:"


def joint(preamble: str, named: Sequence[tuple[str, str]], answer: JointAnswer, options: Sequence[str] = ()) -> str:
    """The prompt for the questions `named` of a joint answer, which is requested as JSON; `options` replaces the lists of the answer."""
    parts = [(name, part) for name, part in answer.parts if isinstance(part, Choice)]
    lists = options or [options_line(part) for _, part in parts]
    questions = [f"Question {i}: {asked} Options: {_ended(lists[i - 1])}" for i, (_, asked) in enumerate(named, 1)]
    fields = [f'"{name}": the answer to question {i}, as {_quoted(part)}' for i, (name, part) in enumerate(parts, 1)]
    return "\n".join(
        (
            preamble,
            "There are two questions. Study your surroundings carefully and answer both.",
            *questions,
            "Respond with one JSON object that has two fields:",
            "{",
            ",\n".join(fields),
            "}",
            "Your response:",
        )
    )


def _ended(options: str) -> str:
    return options if options.endswith(".") else f"{options}."


def _quoted(answer: Choice) -> str:
    return re.sub(r"\b([A-Z])\b", r'"\1"', letters_of(answer))


PUBLISHED_PROMPT = PublishedPrompt(
    text,
    "CoSpace, section B",
    "All sentences are Isovist's: they state the field of view, and in the joint task the moves. The JSON fields of the joint task are "
    '"position" and "actions" instead of "Answer1" and "Answer2".',
)
