"""Cheap rules against the tasks of this suite: what a solver gets who avoids the skill.

What a rule needs to see it takes from the scene. A guess among several letters is spread over them.
"""

from __future__ import annotations

from collections.abc import Callable

from isovist.core.answers import LETTERS, Choice
from isovist.core.task import Question

UNKNOWN_OPTION = "It cannot be determined"


def letters(question: Question, fits: Callable[[str], bool]) -> tuple[str, ...]:
    """The letters of the options that fit."""
    assert isinstance(question.answer, Choice)
    return tuple(letter for letter, option in zip(LETTERS, question.answer.options, strict=False) if fits(option))


def unknown(question: Question) -> tuple[str, ...]:
    """The letter of what cannot be determined, if there is such an option."""
    return letters(question, lambda option: option == UNKNOWN_OPTION)


def known(question: Question) -> tuple[str, ...]:
    """All other letters."""
    return letters(question, lambda option: option != UNKNOWN_OPTION)
