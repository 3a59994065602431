"""Constant answers to all items, or to all items of a level: their accuracy depends on the keys, not on the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isovist.core.answers.best_constant import Candidate, Way
from isovist.reporting.analysis.rows import Rows

ALWAYS = 0.9
"""The share from which an answer counts as constant."""
_MIN_ANSWERS = 6  # fewer may be the same by chance


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


def candidates(rows: Rows) -> list[tuple[Candidate, ...]]:
    """The parsed answer of each row; for a choice its label, and the text of that option. None for an unparsed response."""
    answers = zip(rows.values("parsed_answer"), rows.column("chosen_place").tolist(), rows.values("options"), strict=True)
    return [
        ()
        if parsed is None
        else (Candidate("written", parsed),)
        if options is None
        else (Candidate("letter", parsed), Candidate("option", options[int(chosen)]))
        for parsed, chosen, options in answers
    ]


def modal_answer(answers: Sequence[Sequence[Candidate]], places: Sequence[int] | None = None) -> Part | None:
    """The most frequent answer, of the items at some places; None without a parsed one."""
    places = range(len(answers)) if places is None else places
    counts: Counter[tuple[Way, str]] = Counter()  # of pairs: `Candidate` is slower to hash
    for place in places:
        counts.update((answer.way, answer.text) for answer in answers[place])
    if not counts:
        return None
    # a label rather than the text of its option, if both are equally frequent
    (way, text), n = max(counts.items(), key=lambda entry: (entry[1], entry[0][0] != "option", entry[0][1]))
    return Part(tuple(places), Candidate(way, text), n)


def constant_answer(rows: Rows) -> Constant | None:
    """The answer of (nearly) all responses, or that of each level; None if answers vary.

    Levels in which one answer is correct for all items are ignored.
    """
    answers = candidates(rows)
    whole = modal_answer(answers)
    if whole is None or len(rows) < _MIN_ANSWERS:
        return None
    if whole.n >= ALWAYS * len(rows):
        return Constant("all", (whole,))
    levels: dict[str, list[int]] = {}
    for place, level in enumerate(rows.texts("level")):
        levels.setdefault(level, []).append(place)
    keys = rows.keys
    parts = [
        part
        for places in levels.values()
        if (part := modal_answer(answers, places)) and not all(part.answer.credit(keys[place]) == 1 for place in places)
    ]
    n_repeats, n_same = sum(len(part.places) - 1 for part in parts), sum(part.n - 1 for part in parts)
    is_constant = len(parts) > 1 and n_repeats >= _MIN_ANSWERS and n_same >= ALWAYS * n_repeats
    return Constant("level", tuple(parts)) if is_constant else None


def chances(rows: Rows) -> list[float]:
    """The chance level of each item; for a constant answer, its mean is at least the accuracy of that answer.

    So a constant answer is never above chance, whatever the distribution of the keys. The range above chance is reduced by the same factor
    at every item.
    """
    item_chances = list(rows.chances)
    constant = constant_answer(rows)
    keys = rows.keys if constant else []
    for part in constant.parts if constant else ():
        expected = sum(item_chances[place] for place in part.places) / len(part.places)
        accuracy = sum(part.answer.credit(keys[place]) for place in part.places) / len(part.places)
        if expected < accuracy:
            for place in part.places:
                item_chances[place] = 1 - (1 - item_chances[place]) * (1 - accuracy) / (1 - expected)
    return item_chances
