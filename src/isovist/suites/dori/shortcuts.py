"""Cheap rules against the tasks of this suite: what a solver gets who avoids the skill.

What a rule needs to see it takes from the scene. A guess among several letters is spread over them.
"""

from __future__ import annotations

from isovist.core.task import Question
from isovist.scenes.answer_options import letters_where

UNKNOWN_OPTION = "It cannot be determined"


def unknown(question: Question) -> tuple[str, ...]:
    """The letter of what cannot be determined, if there is such an option."""
    return letters_where(question, lambda option: option == UNKNOWN_OPTION)


def known(question: Question) -> tuple[str, ...]:
    """All other letters."""
    return letters_where(question, lambda option: option != UNKNOWN_OPTION)
