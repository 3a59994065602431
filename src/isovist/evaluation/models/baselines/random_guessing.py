"""Random answers whose accuracy is the chance level of their item: the task, the level and the question are used, the image is not."""

from __future__ import annotations

from isovist.core.answers import Answer
from isovist.core.item_ids import stated_design
from isovist.core.rng import Rng
from isovist.suites import registry


def guess(item_id: str, answer: Answer, rng: Rng) -> str:
    """A random answer, correct with the probability that is the item's chance level.

    Where that level is the accuracy of the best constant answer (`Task.best_constant`), a uniform choice would be correct less often.
    """
    best_constant = _best_constant(item_id)
    if best_constant is None:
        return answer.random_answer(rng)
    return answer.canonical() if rng.chance(best_constant) else rng.pick(answer.wrong_answers())


def _best_constant(item_id: str) -> float | None:
    """The accuracy of the best constant answer at the item's level; None if the task has none or the item is not of this registry."""
    try:
        design = stated_design(item_id)
    except ValueError:
        return None
    task = registry.find(design.task)
    if task is None or not task.answers.best_constant or design.level not in task.levels:
        return None
    return task.answers.best_constant[task.levels.index(design.level)]
