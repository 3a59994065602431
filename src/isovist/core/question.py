"""The question of an item, and shortcuts that could answer it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
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
        """The text, and below it the options of the answer, one on each line, if it has any."""
        return f"{self.text}\n{self.answer.options_text()}"


@dataclass(frozen=True, slots=True)
class Shortcut(Generic[S]):
    """A rule that answers items without the skill that their task claims to test, or with a part of this skill.

    `rule` takes a scene and its question and returns the answers, in canonical form, among which it chooses at random; an empty
    collection if the rule does not apply. It reads its input from the scene without error, so its accuracy is an upper bound for a
    solver with the same information.
    """

    rule: Callable[[S, Question], Collection[str]]
    without: str
    """The skill or input that the rule does not use: "unfolding", "the second picture"."""
    partial: bool = False
    """Whether the rule uses a part of the claimed skill. The accuracy of such a rule is reported; up to `bound`, it does not fail conformance."""
    bound: float = 1.0
    """The highest expected accuracy of a partial rule at any level and kind, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Exemption:
    """A rule that may exceed chance in a task, up to a bound. Accuracies are from 0 to 1.

    `bound`: its highest expected accuracy; `levels`: that at levels, and at all of them together (""), where it is higher.
    """

    reason: str
    bound: float
    levels: Mapping[str, float] = field(default_factory=dict[str, float])

    def at(self, level: str) -> float:
        """The highest expected accuracy at a level."""
        return self.levels.get(level, self.bound)
