"""What an item asks, and a cheap rule that would answer it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from isovist.core.answers import Answer

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Question:
    """The question of an item.

    Attributes:
        text: The text, without the options and the response format.
        answer: The typed answer with its key.
    """

    text: str
    answer: Answer

    @property
    def text_with_options(self) -> str:
        """The text and, on lines of their own, the options if the answer lists any."""
        return f"{self.text}\n{self.answer.options_text()}"


@dataclass(frozen=True, slots=True)
class Shortcut(Generic[S]):
    """A cheap rule that answers items without the skill that their task claims, or with a part of it.

    `rule` takes a scene and its question and gives the replies among which it would guess, in canonical form; none where it has no
    opinion. What it needs to see it takes from the scene, so what it gets is an upper bound for a solver that sees that and nothing else.
    """

    rule: Callable[[S, Question], Collection[str]]
    without: str
    """What it does without: "unfolding", "the second picture"."""
    partial: bool = False
    """Whether it does a part of the claimed work. Such a rule is measured and told, and does not fail conformance."""
