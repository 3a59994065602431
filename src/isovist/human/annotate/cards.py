"""Cards: what one person sees at a time, and how an answer to it is read.

A job is one of three kinds of folders: `cards.jsonl` with its pictures, a data folder (its items are the cards, and its keys
judge the answers), or a folder of pictures that are to be sorted by labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Literal

from isovist.core.answers import Answer
from isovist.core.canonical_json import canonical_json
from isovist.core.rng import Rng

LONGEST = 4000
"""Characters that an answer or a note may have."""

Field = Literal["choice", "number", "text"]


@dataclass(frozen=True, slots=True)
class Option:
    """What one keystroke says. `key` is the key to press: one character, lower case."""

    value: str
    text: str
    key: str


@dataclass(frozen=True)
class Card:
    """One question to people. `<image>` in `text` stands for the next picture; without it the pictures stand first.

    `part` is what a table groups cards by (the task of an item); `group` what cards share that are not independent (a
    picture). `key` is the right answer as people would give it, "" for none; `answer` reads and scores answers to an item.
    """

    id: str
    text: str
    pictures: tuple[Path, ...] = ()
    captions: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    field: Field = "choice"
    hint: str = ""
    part: str = ""
    group: str = ""
    key: str = ""
    answer: Answer | None = None
    details: tuple[tuple[str, str], ...] = ()
    """Further lines that people may read on demand, by their titles."""

    @cached_property
    def digest(self) -> str:
        """A fingerprint of what people see: an answer counts only for the card as it was when it was given."""
        shown = [self.text, [path.name for path in self.pictures], [(o.value, o.text) for o in self.options], self.field]
        return blake2b(canonical_json(shown).encode(), digest_size=8).hexdigest()

    def read(self, given: str) -> str | None:
        """The answer in its one canonical form; None if this is no answer to the card."""
        text = given.strip()
        if not text or len(text) > LONGEST:
            return None
        if self.options:
            return text if text in {option.value for option in self.options} else None
        if self.answer is not None:
            return self.answer.score(text).parsed
        return _number(text) if self.field == "number" else " ".join(text.split())

    def credit(self, value: str) -> float | None:
        """What an answer is worth, 0 to 1; None for a card without a key."""
        if self.answer is not None:
            return self.answer.score(value).value
        if not self.key:
            return None
        right = self.read(self.key)
        return float(value.casefold() == (right or self.key).casefold())

    @property
    def keyed(self) -> bool:
        return self.answer is not None or bool(self.key)


@dataclass(frozen=True, slots=True)
class Job:
    """All cards of a folder, in its order."""

    title: str
    cards: tuple[Card, ...]

    def order(self, person: str, *, shuffled: bool) -> Sequence[Card]:
        """The cards in the order in which a person gets them: the folder's, or one of the person's own that stays the same."""
        return Rng("annotate", person).shuffled(self.cards) if shuffled else self.cards


def keyed(values: Sequence[tuple[str, str]]) -> tuple[Option, ...]:
    """Options of (value, text), each with a key of its own: the first letters if these differ, else 1 to 9 and then letters.

    Raises ValueError for more options than there are keys.
    """
    initials = [text.strip()[:1].lower() for _, text in values]
    if len(set(initials)) == len(initials) and all(key.isascii() and key.isalpha() for key in initials):
        keys = initials
    else:
        keys = [*"123456789abcdefghijklmnopqrstuvwxyz"][: len(values)]
    return tuple(Option(value, text, key) for (value, text), key in zip(values, keys, strict=True))


def _number(text: str) -> str | None:
    """A decimal number as it is written shortest; a comma may stand for the point."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    if not isfinite(value) or abs(value) >= 1e12:
        return None
    return f"{value:.9g}"
