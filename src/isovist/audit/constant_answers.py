"""Audits of chance: one answer that is given to every item of a level must not be right more often than the items' chance says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isovist.core.answers.best_constant import best_constant, held_out_constants
from isovist.core.task import Task
from isovist.items import Item, Items

_SIGMAS = 3.0
_MORE = 4  # so many times as many items are made again of a level that seems to be above its chance
ALL = ""
"""Stands for all levels together, each with its own constant answer."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A level, or all, whose best constant answer is right more often than chance says. `limit`: three standard errors and one item above
    the chance; the answer is chosen from one half of the items and scored by the other.
    """

    task: str
    level: str
    answer: str
    n: int
    accuracy: float
    chance: float
    limit: float

    def __str__(self) -> str:
        where = f"{self.task}, level {self.level}" if self.level != ALL else f"{self.task}, all levels together"
        subject = f"the answer {self.answer!r} to everything" if self.level != ALL else "one answer to all items of each level"
        return (
            f"{where}: {subject} is right for {self.accuracy:.1%} of {self.n} items without a look at the picture, and chance says "
            f"{self.chance:.1%} (limit {self.limit:.1%}); spread the answers, or state what it earns in Task.best_constant"
        )


def excesses(task: Task[Any], items: Sequence[Item], seed: int) -> list[Excess]:
    """What is above chance among these items, and is so again in four times as many of each such level; those are of another seed."""
    confirmed: list[Excess] = []
    for suspect in _above(task, items):
        level = suspect.level or None
        confirmed += [
            excess for excess in _above(task, Items(task, _MORE * suspect.n, seed, "test", level)) if excess.level == suspect.level
        ]
    return confirmed


def _above(task: Task[Any], items: Sequence[Item]) -> list[Excess]:
    made = list(items)
    credit = held_out_constants([item.level for item in made], [item.answer for item in made])
    levels: dict[str, list[int]] = {ALL: list(range(len(made)))}
    for place, item in enumerate(made):
        levels.setdefault(item.level, []).append(place)
    over_limit: list[Excess] = []
    for level, places in levels.items():
        n = len(places)
        chances = [made[place].chance for place in places]
        limit = (sum(chances) + _SIGMAS * sum(c * (1 - c) for c in chances) ** 0.5 + 1) / n
        accuracy = sum(credit[place] for place in places) / n
        if accuracy > limit:
            answer = best_constant([made[place].answer for place in places]).reply
            over_limit.append(Excess(task.id, level, answer, n, accuracy, sum(chances) / n, limit))
    return over_limit
