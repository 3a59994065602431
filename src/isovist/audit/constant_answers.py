"""Audit of chance levels: a constant answer to all items of a level must not exceed the chance level of the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isovist.core.answers.best_constant import best_constant, held_out_constants
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items

_SIGMAS = 3.0
_MORE = 4  # the factor of items of the second round
ALL = ""
"""Stands for all levels together, each with its own constant answer."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A level, or all, whose best constant answer exceeds the chance level. `limit`: three standard errors and one item above chance; the
    answer is chosen on one half of the items and scored on the other.
    """

    task: str
    level: str
    answer: str
    n: int
    accuracy: float
    chance: float
    limit: float

    def __str__(self) -> str:
        where = f"{self.task}, level {self.level}" if self.level != ALL else f"{self.task}, all levels"
        answer = f"constant answer {self.answer!r}" if self.level != ALL else "best constant answer of each level"
        return (
            f"Accuracy of the {answer} above chance level: {where} ({self.accuracy:.1%} of {self.n} items, chance {self.chance:.1%}, "
            f"limit {self.limit:.1%}). Balance the keys, or state its accuracy in Task.best_constant."
        )


def excesses(task: Task[Any], items: Sequence[Item], seed: int) -> list[Excess]:
    """The levels above chance level among these items and among four times as many items of another seed."""
    confirmed: list[Excess] = []
    for suspect in _above(task, items):
        level = suspect.level or None
        confirmed += [
            excess for excess in _above(task, Items(task, _MORE * suspect.n, seed, "test", level)) if excess.level == suspect.level
        ]
    return confirmed


def _above(task: Task[Any], items: Sequence[Item]) -> list[Excess]:
    all_items = list(items)
    credit = held_out_constants([item.level for item in all_items], [item.answer for item in all_items])
    levels: dict[str, list[int]] = {ALL: list(range(len(all_items)))}
    for place, item in enumerate(all_items):
        levels.setdefault(item.level, []).append(place)
    over_limit: list[Excess] = []
    for level, places in levels.items():
        n = len(places)
        chances = [all_items[place].chance for place in places]
        limit = (sum(chances) + _SIGMAS * sum(c * (1 - c) for c in chances) ** 0.5 + 1) / n
        accuracy = sum(credit[place] for place in places) / n
        if accuracy > limit:
            answer = best_constant([all_items[place].answer for place in places]).reply
            over_limit.append(Excess(task.id, level, answer, n, accuracy, sum(chances) / n, limit))
    return over_limit
