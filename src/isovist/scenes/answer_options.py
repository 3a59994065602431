"""The options of a choice: where the right one stands, which letters fit a rule, and how pictures of options are lettered.

The place of the key comes from the design, so that it is balanced over the items; the order of the wrong options is random.
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
    """The options with the key at a place, from 0, among the wrong ones in random order."""
    others = rng.shuffled(wrong)
    return (*others[:place], key, *others[place:])


def letter_labels(points: Iterable[Point], em: float, fill: str = INK) -> list[Label]:
    """The letters A, B and so on at the points of a sheet; `em` is their size in units."""
    return [Label(letter, point, em, fill) for letter, point in zip(LETTERS, points, strict=False)]


def letters_of(places: Iterable[int]) -> tuple[str, ...]:
    """The letters of the options at some places, from 0."""
    return tuple(LETTERS[place] for place in sorted(places))


def letters_where(question: Question, fits: Callable[[str], bool]) -> tuple[str, ...]:
    """The letters of the options of a choice whose text fits. Raises TypeError for a question of another type."""
    if not isinstance(question.answer, Choice):
        raise TypeError(f"not a choice: {question.answer.kind}")
    return letters_of(place for place, option in enumerate(question.answer.options) if fits(option))


def listed_options(text: str) -> list[str]:
    """The texts of the options that a prompt lists by letter, in their order."""
    return _LISTED.findall(text)
