"""The best constant answer: the response with the highest total credit if it is given to all items.

Each item scores the response by itself, so all correct answers of an item count. For a choice, two types of constants are compared:
an option label and an option text. The accuracy of the best constant answer is the baseline for every claim about perception.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from isovist.core.answers.choice import Choice
from isovist.core.answers.grids import Cell
from isovist.core.answers.joint import JointAnswer
from isovist.core.answers.numeric import Number
from isovist.core.summation import sum_in_order

if TYPE_CHECKING:
    from isovist.core.answers import Answer

_SCORED = 4  # number of candidates that are scored, the most frequent keys first
_SCORED_WITH_TOLERANCE = 48  # the same for numbers with a tolerance, where the most frequent key need not have the highest credit


Way = Literal["letter", "option", "written"]
"""The type of a constant answer: an option label, an option text, or, for answers without options, the canonical text."""
WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant response, and its credit at each item."""

    reply: str
    credits: tuple[float, ...]

    @property
    def accuracy(self) -> float:
        """The mean credit."""
        return sum_in_order(self.credits) / len(self.credits)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for the best constant answer: its type and its text."""

    way: Way
    text: str

    def credit(self, answer: Answer) -> float:
        """The credit in [0, 1] at one item."""
        if isinstance(answer, Choice):  # compared without the parser: the text is an exact label or option text
            return float(self.text == (answer.canonical() if self.way == "letter" else answer.balance_bin()))
        return 1.0 if self.text == answer.canonical() else answer.score(self.text).credit


def best_constant(answers: Sequence[Answer], ways: Collection[Way] = WAYS) -> Constant:
    """The constant answer with the highest total credit at these items (at least one); deterministic for a given order of items."""
    best = _best(answers, ways)
    credits_by_item = {answer: best.credit(answer) for answer in set(answers)}
    return Constant(best.text, tuple(credits_by_item[answer] for answer in answers))


def constants_by_level(levels: Sequence[Hashable], answers: Sequence[Answer]) -> tuple[float, ...]:
    """The credit at each item of the best constant answer of its level: of a solver that uses the level and no image."""
    credits_by_item = [0.0] * len(answers)
    for indices in _by_level(levels):
        for place, credit in zip(indices, best_constant([answers[place] for place in indices]).credits, strict=True):
            credits_by_item[place] = credit
    return tuple(credits_by_item)


def held_out_constants(levels: Sequence[Hashable], answers: Sequence[Answer], ways: Collection[Way] = WAYS) -> tuple[float, ...]:
    """The credit at each item of the best constant answer of its level, selected on the other half of the items of that level.

    The maximum over many constants in one sample is biased upward; selection on other items removes this bias. The only item of a
    level has credit 0.
    """
    credits_by_item = [0.0] * len(answers)
    for indices in _by_level(levels):
        for half in (0, 1):
            held_out, others = indices[half::2], indices[1 - half :: 2]
            if not held_out or not others:
                continue
            reply = _best([answers[place] for place in others], ways)
            for place in held_out:
                credits_by_item[place] = reply.credit(answers[place])
    return tuple(credits_by_item)


def _by_level(levels: Sequence[Hashable]) -> Iterable[list[int]]:
    """The indices of the items of each level."""
    places_by_level: dict[Hashable, list[int]] = {}
    for place, level in enumerate(levels):
        places_by_level.setdefault(level, []).append(place)
    return places_by_level.values()


def _best(answers: Sequence[Answer], ways: Collection[Way]) -> Candidate:
    distinct = Counter(answers)
    keys = Counter[Candidate]()
    for answer, n in distinct.items():
        for candidate in _candidates(answer):
            if candidate.way in ways:
                keys[candidate] += n
    has_tolerance = any(isinstance(answer, Number) for answer in distinct)
    candidates = [candidate for candidate, _ in keys.most_common(_SCORED_WITH_TOLERANCE if has_tolerance else _SCORED)] + _part_constants(
        list(answers)
    )
    return max(candidates, key=lambda candidate: sum_in_order(n * candidate.credit(answer) for answer, n in distinct.items()))


def _candidates(answer: Answer) -> Iterator[Candidate]:
    """The correct answers of an item."""
    match answer:
        case Choice():
            yield Candidate("letter", answer.canonical())
            yield Candidate("option", answer.balance_bin())
        case Cell():
            yield from (Candidate("written", f"({row}, {column})") for row, column in answer.truth)
        case _:
            yield Candidate("written", answer.canonical())


def _part_constants(answers: Sequence[Answer]) -> list[Candidate]:
    """For joint answers with the same part names: the best constant of each part, whose combination may be the key of no item."""
    fields = [answer for answer in answers if isinstance(answer, JointAnswer)]
    names = {tuple(name for name, _ in answer.parts) for answer in fields}
    if len(fields) < len(answers) or len(names) != 1:
        return []
    best = {name: _best([answer.parts[place][1] for answer in fields], WAYS).text for place, name in enumerate(next(iter(names)))}
    return [Candidate("written", json.dumps(best))]
