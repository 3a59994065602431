"""Option labels for shortcut rules of this suite. A rule that leaves several labels is scored as a uniform choice among them."""

from __future__ import annotations

from isovist.core.task import Question
from isovist.world.scenes.answer_options import letters_where

UNKNOWN_OPTION = "It cannot be determined"


def unknown(question: Question) -> tuple[str, ...]:
    """The label of the option "cannot be determined", if the question has it."""
    return letters_where(question, lambda option: option == UNKNOWN_OPTION)


def known(question: Question) -> tuple[str, ...]:
    """The labels of all other options."""
    return letters_where(question, lambda option: option != UNKNOWN_OPTION)
