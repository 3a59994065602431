"""The prompt format of the paper of a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isovist.core.answers import Answer, Choice, ImageOptionChoice


@dataclass(frozen=True, slots=True)
class PublishedPrompt:
    """The format in which the authors of a paper present a question: parts, their order, options and answer format.

    The sentences are Isovist's own. Names of parts and answer formats, such as "Question:" and "COUNT:x", are those of the paper.
    """

    text: Callable[[str, Answer], str]
    """The prompt after the images, from the question text without options and the answer."""
    source: str
    """Where the paper states the format."""
    differences: str
    """What differs from the prompt of the paper, in sentences."""
    response: Callable[[Answer, str], str] = lambda answer, canonical: canonical
    """The shortest response in the requested format, from the answer and the canonical form of its key or of a wrong answer."""


def options_line(answer: Choice) -> str:
    """The options of a choice on one line: "A. West B. East"."""
    return answer.options_text().replace("\n", " ")


def letters_of(answer: Choice) -> str:
    """The option labels of a choice: "A, B, C or D"."""
    *others, last = (chr(ord("A") + index) for index in range(len(answer.options)))
    return f"{', '.join(others)} or {last}"


def listed(question: str, answer: Answer) -> str:
    """A question and below it its options, one on each line, if the text has to list them."""
    return "\n".join(filter(None, (question, "" if isinstance(answer, ImageOptionChoice) else answer.options_text())))
