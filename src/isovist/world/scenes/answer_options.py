"""Options of a choice: position of the key, labels of options that fit a rule, and labels of options drawn in images.

The position of the key is a stratum and therefore balanced over the items. The order of the distractors is random.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from isovist.core.answers import LETTERS, Choice
from isovist.core.drawing2d import INK, Label, Point
from isovist.core.question import Question
from isovist.core.rng import Rng

T = TypeVar("T")

_LISTED = re.compile(r"^[A-Z]\. (.+)$", re.MULTILINE)


def with_key_at(place: int, key: T, wrong: Sequence[T], rng: Rng) -> tuple[T, ...]:
    """Return the options with the key at index `place` and the distractors in random order at the others."""
    others = rng.shuffled(wrong)
    return (*others[:place], key, *others[place:])


def letter_labels(points: Iterable[Point], em: float, fill: str = INK) -> list[Label]:
    """Return the labels A, B and so on at the points of a sheet; `em`: font size in units."""
    return [Label(letter, point, em, fill) for letter, point in zip(LETTERS, points, strict=False)]


def letters_of(places: Iterable[int]) -> tuple[str, ...]:
    """Return the labels of the options with these indices."""
    return tuple(LETTERS[place] for place in sorted(places))


def letters_where(question: Question, fits: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the labels of the options of a choice whose text fits. Raises TypeError for a question of another type."""
    if not isinstance(question.answer, Choice):
        raise TypeError(f"not a choice: {question.answer.kind}")
    return letters_of(place for place, option in enumerate(question.answer.options) if fits(option))


def listed_options(text: str) -> list[str]:
    """Return the texts of the options that a prompt lists, in their order."""
    return _LISTED.findall(text)
