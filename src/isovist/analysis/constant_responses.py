"""Models that give one answer to everything, or to everything of a level: what is right then tells of the keys, not of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from isovist.core.answers import LETTERS, Answer, Choice
from isovist.core.answers.best_constant import Candidate

ALWAYS = 0.9
"""From this share on, the same answer counts as always given."""
_FEW = 6  # answers that may be alike by chance


class Replied(Protocol):
    """An item and what was read of a reply to it."""

    @property
    def key(self) -> Answer: ...
    @property
    def level(self) -> str: ...
    @property
    def chance(self) -> float: ...
    @property
    def parsed(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Items to which (nearly) one answer is given: their places, and the answer."""

    places: tuple[int, ...]
    answer: Candidate
    n: int
    """How many of them it is given to."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One answer to all items, or one to those of each level."""

    by: Literal["all", "level"]
    parts: tuple[Part, ...]


def candidates(item: Replied) -> Iterator[Candidate]:
    """What was read of a reply; for a choice its letter, and the text of that option."""
    if item.parsed is None:
        return
    if not isinstance(item.key, Choice):
        yield Candidate("written", item.parsed)
        return
    yield Candidate("letter", item.parsed)
    place = LETTERS.find(item.parsed)
    if 0 <= place < len(item.key.options):
        yield Candidate("option", item.key.options[place])


def said_most(items: Sequence[Replied], places: Sequence[int] | None = None) -> Part | None:
    """The answer that is given most often; None where nothing was read."""
    places = range(len(items)) if places is None else places
    counts = Counter(candidate for place in places for candidate in candidates(items[place]))
    if not counts:
        return None
    answer, n = max(
        counts.items(), key=lambda entry: (entry[1], entry[0].way != "option", entry[0].text)
    )  # a letter, where it says the same
    return Part(tuple(places), answer, n)


def constant(items: Sequence[Replied]) -> Constant | None:
    """The one answer that (nearly) all replies are, or the one of each level; None for a model that answers otherwise.

    Levels in which one answer is right for all items tell nothing of the model: a good one gives one answer there too.
    """
    whole = said_most(items)
    if whole is None or len(items) < _FEW:
        return None
    if whole.n >= ALWAYS * len(items):
        return Constant("all", (whole,))
    levels: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        levels.setdefault(item.level, []).append(place)
    parts = [part for places in levels.values() if (part := said_most(items, places)) and _earned(part, items) < 1]
    repeats, alike = sum(len(part.places) - 1 for part in parts), sum(part.n - 1 for part in parts)
    return Constant("level", tuple(parts)) if len(parts) > 1 and repeats >= _FEW and alike >= ALWAYS * repeats else None


def chances(items: Sequence[Replied]) -> list[float]:
    """The chance of each item; for a model that gives one answer, in the mean at least what that answer earns.

    So such a model is never better than guessing, however the keys of a set are spread. The room above chance shrinks by the same
    share at every item.
    """
    item_chances = [item.chance for item in items]
    one = constant(items)
    for part in one.parts if one else ():
        due = sum(item_chances[place] for place in part.places) / len(part.places)
        earned = _earned(part, items)
        if due < earned:
            for place in part.places:
                item_chances[place] = 1 - (1 - item_chances[place]) * (1 - earned) / (1 - due)
    return item_chances


def _earned(part: Part, items: Sequence[Replied]) -> float:
    """The mean credit of the answer, given to all."""
    return sum(part.answer.credit(items[place].key) for place in part.places) / len(part.places)
