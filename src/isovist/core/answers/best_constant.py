"""The best constant answer: the one reply that earns most when it is given to every item.

Each item scores it by itself, so where several replies are right, each of them counts. For a choice both kinds of constants are
tried, a letter and the text of an option. What the best constant earns is the least that any claim about perception has to beat.
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

if TYPE_CHECKING:
    from isovist.core.answers import Answer

_SCORED = 4  # candidates that are scored; those that are the key of most answers come first
_SCORED_NEAR = 48  # the same of numbers with a tolerance, where being the key says less


Way = Literal["letter", "option", "written"]
"""How a constant answer is meant: as a letter, as what an option says, or, of answers without options, as it is written."""
WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True, slots=True)
class Constant:
    """A reply, and the credit that it earns at each of some items."""

    reply: str
    credits: tuple[float, ...]

    @property
    def accuracy(self) -> float:
        """Their mean."""
        return sum(self.credits) / len(self.credits)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reply by its letter, by the text of an option, or as it is written."""

    way: Way
    text: str

    def credit(self, answer: Answer) -> float:
        """What it earns at an item."""
        if isinstance(answer, Choice):  # a letter stands for an option, and its text too: there is nothing to be read
            return float(self.text == (answer.canonical() if self.way == "letter" else answer.balance_bin()))
        return 1.0 if self.text == answer.canonical() else answer.score(self.text).credit


def best_constant(answers: Sequence[Answer], ways: Collection[Way] = WAYS) -> Constant:
    """The constant answer that earns most at these items, at least one. The same for the same items in the same order."""
    best = _best(answers, ways)
    earned = {answer: best.credit(answer) for answer in set(answers)}
    return Constant(best.text, tuple(earned[answer] for answer in answers))


def constants_by_level(levels: Sequence[Hashable], answers: Sequence[Answer]) -> tuple[float, ...]:
    """The credit at each item of the best constant answer of its level: of a solver who knows the level, and has seen no picture."""
    earned = [0.0] * len(answers)
    for places in _by_level(levels):
        for place, credit in zip(places, best_constant([answers[place] for place in places]).credits, strict=True):
            earned[place] = credit
    return tuple(earned)


def held_out_constants(levels: Sequence[Hashable], answers: Sequence[Answer], ways: Collection[Way] = WAYS) -> tuple[float, ...]:
    """The credit at each item of the best constant answer of its level, chosen from the other half of that level's items.

    The best of many constants in one sample is good by luck as well. Chosen from other items than it is scored by, it is not. An item
    that is alone in its level has no other half, and earns nothing.
    """
    earned = [0.0] * len(answers)
    for places in _by_level(levels):
        for half in (0, 1):
            held_out, others = places[half::2], places[1 - half :: 2]
            if not held_out or not others:
                continue
            reply = _best([answers[place] for place in others], ways)
            for place in held_out:
                earned[place] = reply.credit(answers[place])
    return tuple(earned)


def _by_level(levels: Sequence[Hashable]) -> Iterable[list[int]]:
    """The places of the items of each level."""
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
    near = any(isinstance(answer, Number) for answer in distinct)
    tried = [candidate for candidate, _ in keys.most_common(_SCORED_NEAR if near else _SCORED)] + _of_parts(list(answers))
    return max(tried, key=lambda candidate: sum(n * candidate.credit(answer) for answer, n in distinct.items()))


def _candidates(answer: Answer) -> Iterator[Candidate]:
    """The replies that are right."""
    match answer:
        case Choice():
            yield Candidate("letter", answer.canonical())
            yield Candidate("option", answer.balance_bin())
        case Cell():
            yield from (Candidate("written", f"({row}, {column})") for row, column in answer.truth)
        case _:
            yield Candidate("written", answer.canonical())


def _of_parts(answers: Sequence[Answer]) -> list[Candidate]:
    """For answers of the same named parts: the best constant of each part, which together may be the key of no item."""
    fields = [answer for answer in answers if isinstance(answer, JointAnswer)]
    names = {tuple(name for name, _ in answer.parts) for answer in fields}
    if len(fields) < len(answers) or len(names) != 1:
        return []
    best = {name: _best([answer.parts[place][1] for answer in fields], WAYS).text for place, name in enumerate(next(iter(names)))}
    return [Candidate("written", json.dumps(best))]
