"""Annotation items ("cards"), and parsing of answers to them.

A job is a folder of one of three kinds: `cards.jsonl` with its images, a dataset folder (its items are the cards, with keys), or a folder
of images to be labelled.
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
"""Maximum characters of an answer or a note."""

Field = Literal["choice", "number", "text"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option. `key` is its keyboard key: one lower-case character."""

    value: str
    text: str
    key: str


@dataclass(frozen=True)
class Card:
    """One question to annotators. `<image>` in `text` is a placeholder of the next image; without it, images come first.

    Tables group cards by `part` (the task of an item). Cards of one `group` are not independent (same image). `key` is the correct answer,
    "" for none; `answer` parses and scores answers to a dataset item.
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
    """Additional texts on demand, with titles."""

    @cached_property
    def digest(self) -> str:
        """A hash of the visible content: an answer counts only for the card version that it was given to."""
        visible = [self.text, [path.name for path in self.pictures], [(o.value, o.text) for o in self.options], self.field]
        return blake2b(canonical_json(visible).encode(), digest_size=8).hexdigest()

    def read(self, given: str) -> str | None:
        """The answer in canonical form; None for an invalid answer."""
        text = given.strip()
        if not text or len(text) > LONGEST:
            return None
        if self.options:
            return text if text in {option.value for option in self.options} else None
        if self.answer is not None:
            return self.answer.score(text).parsed_answer
        return _number(text) if self.field == "number" else " ".join(text.split())

    def credit(self, value: str) -> float | None:
        """The credit of an answer, 0 to 1; None for a card without a key."""
        if self.answer is not None:
            return self.answer.score(value).credit
        if not self.key:
            return None
        return float(value.casefold() == (self.read(self.key) or self.key).casefold())

    @property
    def keyed(self) -> bool:
        return self.answer is not None or bool(self.key)


@dataclass(frozen=True, slots=True)
class Job:
    """All cards of a folder, in its order."""

    title: str
    cards: tuple[Card, ...]

    def order(self, person: str, *, shuffled: bool) -> Sequence[Card]:
        """The cards in an annotator's order: that of the folder, or a fixed random one."""
        return Rng("annotate", person).shuffled(self.cards) if shuffled else self.cards


def keyed(values: Sequence[tuple[str, str]]) -> tuple[Option, ...]:
    """Options of (value, text) pairs, with keyboard keys: the first letters if these differ, else 1 to 9 and then letters.

    Raises ValueError for more options than there are keys.
    """
    initials = [text.strip()[:1].lower() for _, text in values]
    if len(set(initials)) == len(initials) and all(key.isascii() and key.isalpha() for key in initials):
        keys = initials
    else:
        keys = [*"123456789abcdefghijklmnopqrstuvwxyz"][: len(values)]
    return tuple(Option(value, text, key) for (value, text), key in zip(values, keys, strict=True))


def _number(text: str) -> str | None:
    """A decimal number in its shortest form; a decimal comma is accepted."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    if not isfinite(value) or abs(value) >= 1e12:
        return None
    return f"{value:.9g}"
