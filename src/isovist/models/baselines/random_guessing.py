"""A guesser: one who knows the task, the level and the words, and has not seen the picture."""

from __future__ import annotations

from isovist import registry
from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.core.task import ItemAddress


def guess(item_id: str, answer: Answer, rng: Rng) -> str:
    """A guess, right as often as the item's chance says.

    Where the chance is that of the best constant answer of a level (`Task.best_constant`), a random answer would be right less often.
    """
    chance = _of_constants(item_id)
    if chance is None:
        return answer.random_answer(rng)
    return answer.canonical() if rng.chance(chance) else rng.pick(answer.wrong_answers())


def _of_constants(item_id: str) -> float | None:
    """What the best constant answer earns at the item's level, if its task tells it."""
    try:
        address = ItemAddress.parse(item_id)
    except ValueError:
        return None
    task = registry.tasks().get(address.task)
    if task is None or not task.best_constant or address.level not in task.levels:
        return None
    return task.best_constant[task.levels.index(address.level)]
