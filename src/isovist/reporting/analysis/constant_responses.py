"""Constant answers to all items, or to all items of a level: their accuracy depends on the keys, not on the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from isovist.core.answers import LETTERS, Answer, Choice
from isovist.core.answers.best_constant import Candidate, Way

ALWAYS = 0.9
"""The share from which an answer counts as constant."""
_MIN_ANSWERS = 6  # fewer may be the same by chance


class Answered(Protocol):
    """An item with a parsed answer."""

    @property
    def key(self) -> Answer: ...
    @property
    def level(self) -> str: ...
    @property
    def chance(self) -> float: ...
    @property
    def parsed_answer(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Items with (nearly) the same answer: their places, and the answer."""

    places: tuple[int, ...]
    answer: Candidate
    n: int
    """The number of items with this answer."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The same answer to all items, or to those of each level."""

    by: Literal["all", "level"]
    parts: tuple[Part, ...]


def candidates(item: Answered) -> Iterator[Candidate]:
    """The parsed answer; for a choice its label, and the text of that option."""
    return (Candidate(way, text) for way, text in _answers(item))


def _answers(item: Answered) -> tuple[tuple[Way, str], ...]:
    parsed, key = item.parsed_answer, item.key
    if parsed is None:
        return ()
    if not isinstance(key, Choice):
        return (("written", parsed),)
    place = LETTERS.find(parsed)
    return (("letter", parsed), ("option", key.options[place])) if 0 <= place < len(key.options) else (("letter", parsed),)


def modal_answer(items: Sequence[Answered], places: Sequence[int] | None = None) -> Part | None:
    """The most frequent answer; None without a parsed one."""
    places = range(len(items)) if places is None else places
    counts = Counter(answer for place in places for answer in _answers(items[place]))  # of pairs: `Candidate` is slower to hash
    if not counts:
        return None
    # a label rather than the text of its option, if both are equally frequent
    (way, text), n = max(counts.items(), key=lambda entry: (entry[1], entry[0][0] != "option", entry[0][1]))
    return Part(tuple(places), Candidate(way, text), n)


def constant_answer(items: Sequence[Answered]) -> Constant | None:
    """The answer of (nearly) all responses, or that of each level; None if answers vary.

    Levels in which one answer is correct for all items are ignored.
    """
    whole = modal_answer(items)
    if whole is None or len(items) < _MIN_ANSWERS:
        return None
    if whole.n >= ALWAYS * len(items):
        return Constant("all", (whole,))
    levels: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        levels.setdefault(item.level, []).append(place)
    parts = [part for places in levels.values() if (part := modal_answer(items, places)) and not _is_correct(part, items)]
    n_repeats, n_same = sum(len(part.places) - 1 for part in parts), sum(part.n - 1 for part in parts)
    is_constant = len(parts) > 1 and n_repeats >= _MIN_ANSWERS and n_same >= ALWAYS * n_repeats
    return Constant("level", tuple(parts)) if is_constant else None


def chances(items: Sequence[Answered]) -> list[float]:
    """The chance level of each item; for a constant answer, its mean is at least the accuracy of that answer.

    So a constant answer is never above chance, whatever the distribution of the keys. The range above chance is reduced by the same factor
    at every item.
    """
    item_chances = [item.chance for item in items]
    constant = constant_answer(items)
    for part in constant.parts if constant else ():
        expected = sum(item_chances[place] for place in part.places) / len(part.places)
        accuracy = _accuracy(part, items)
        if expected < accuracy:
            for place in part.places:
                item_chances[place] = 1 - (1 - item_chances[place]) * (1 - accuracy) / (1 - expected)
    return item_chances


def _is_correct(part: Part, items: Sequence[Answered]) -> bool:
    """Whether the answer is correct at all these items; most answers fail at the first ones."""
    return all(part.answer.credit(items[place].key) == 1 for place in part.places)


def _accuracy(part: Part, items: Sequence[Answered]) -> float:
    """The mean credit of the answer at these items."""
    return sum(part.answer.credit(items[place].key) for place in part.places) / len(part.places)
