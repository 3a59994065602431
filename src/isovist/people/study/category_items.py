"""How many items a check by people needs so that every category of object occurs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from isovist.common.errors import UserError
from isovist.core.task import Task
from isovist.data.items import Items

_SEARCHED = 1200
"""Items of a task in which its categories are counted; only their scenes are sampled."""


@dataclass(frozen=True, slots=True)
class CategoryItems:
    """The first `n` items of a task contain each of the `categories` the wanted number of times; `rare` are too few in the items searched."""

    n: int
    categories: tuple[str, ...]
    rare: tuple[str, ...]


def needed(task: Task[Any], per_category: int, seed: int) -> CategoryItems:
    """The shortest start of the test items with every category. Raises UserError for a task without categories."""
    if task.checks.category is None:
        raise UserError(f"Task without categories: {task.id}. Choose a task about objects, such as dori/directional-facing.")
    counts: Counter[str] = Counter()
    n = 0
    for place, item in enumerate(Items(task, _SEARCHED, seed)):
        category = task.checks.category(item.scene)
        counts[category] += 1
        if counts[category] == per_category:
            n = place + 1
    enough = tuple(sorted(name for name, count in counts.items() if count >= per_category))
    return CategoryItems(n, enough, tuple(sorted(set(counts) - set(enough))))
