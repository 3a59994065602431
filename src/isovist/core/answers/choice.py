"""A choice: one of several options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.extraction.vocabulary import distinct_keys
from isovist.core.answers.letters import LETTERS, letters
from isovist.core.answers.score import Score
from isovist.core.rng import Rng

_keys = lru_cache(maxsize=4096)(distinct_keys)  # items of a task share most options, and an item has its choice checked more than once


@dataclass(frozen=True, slots=True)
class Choice:
    """One of 2 to 26 options with letters as labels. `options`: texts in the order of presentation; `truth`: the index of the key."""

    options: tuple[str, ...]
    truth: int
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        keys = _keys(self.options)
        if not 2 <= len(keys) <= len(LETTERS):
            raise ValueError(f"a choice has 2 to {len(LETTERS)} options, not {len(keys)}")
        if len(set(keys)) < len(keys) or "" in keys:
            raise ValueError(f"options must be different texts: {self.options}")
        if not 0 <= self.truth < len(keys):
            raise ValueError(f"the key {self.truth} is not among {len(keys)} options")

    def options_text(self) -> str:
        return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, self.options, strict=False))

    def format_instruction(self) -> str:
        return "the letter of one option"

    def canonical(self) -> str:
        return LETTERS[self.truth]

    def score(self, reply: str) -> Score:
        return score_response(reply, letters(self.options), self.truth.__eq__, LETTERS.__getitem__)

    def format_response(self, text: str) -> bool:
        return letters(self.options).whole(text) is not None

    def chance(self) -> float:
        return 1 / len(self.options)

    def random_answer(self, rng: Rng) -> str:
        return LETTERS[rng.integer(0, len(self.options) - 1)]

    def wrong_answers(self) -> list[str]:
        return [LETTERS[i] for i in range(len(self.options)) if i != self.truth]

    def balance_bin(self) -> str:
        return self.options[self.truth]


@dataclass(frozen=True, slots=True)
class ImageOptionChoice(Choice):
    """A choice whose options are drawn in the image with their labels; `options` has their names: "sheet A", "sheet B" ...

    The question text does not list the options. Their order cannot be rotated without another image.
    """

    kind: ClassVar[str] = "drawn-choice"

    def options_text(self) -> str:
        return ""

    @staticmethod
    def of(noun: str, n: int, truth: int) -> ImageOptionChoice:
        """`n` options named by a noun and a letter; `truth` is the index of the key."""
        return ImageOptionChoice(tuple(f"{noun} {letter}" for letter in LETTERS[:n]), truth)
