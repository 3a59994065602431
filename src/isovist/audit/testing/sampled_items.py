"""The items that the conformance checks use, and their numbers."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from isovist.audit.answer_leakage import ITEMS
from isovist.audit.item_cache import shared
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items

MOST_LEVELS = 4
"""A task with more levels is tested on fewer items of each level."""
STAGES_AUDITED = 96
"""Number of items with 3-D scenes in the test for answer leakage. They are slow to generate and render. Other tasks: `ITEMS`."""

Few = tuple[int, int]
FEW: Few = (4, 2)
HALF: Few = (24, 12)
"""Maximum number of items of each level in checks of single items, and of each level with 3-D scenes."""
_limits: ContextVar[Few | None] = ContextVar("limits", default=None)


@contextmanager
def few_items(limits: Few) -> Generator[None]:
    """Within this context, checks use no more items of a level than `limits`. Statistical checks need more and are left out."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def most(task: Task[Any], n: int) -> int:
    """Return how many items of a level a check uses that asks for `n`."""
    limits = _limits.get()
    return n if limits is None else min(n, limits[is_staged(task)])


def items(task: Task[Any], seed: int, n: int = 16, split: str = "test") -> list[Item]:
    """Generate `n` items of each level. A task with more than `MOST_LEVELS` levels gets as many items in total as `MOST_LEVELS` levels."""
    each = n_in_all(task, most(task, n)) // len(task.levels)
    return [made for level in task.levels for made in Items(task, each, seed, split, level)]


def shared_items(task: Task[Any], n: int = 16, of_stages: int = STAGES_AUDITED) -> list[Item]:
    """Return as many items as `items`, with alternating levels and the seed `SEED`. They are cached for consecutive checks of one task.

    `of_stages`: the maximum number of items if the task has 3-D scenes, which are slow to generate and render.
    """
    total = n_in_all(task, most(task, n))
    return shared(task).around(min(total, of_stages) if is_staged(task) else total)


def is_staged(task: Task[Any]) -> bool:
    """Whether the images of the task are rendered from 3-D scenes."""
    return bool(shared(task).around(1)[0].scenes3d)


def n_in_all(task: Task[Any], n: int) -> int:
    """The total number of items for `n` items of each level, see `items`."""
    return len(task.levels) * (n if len(task.levels) <= MOST_LEVELS else -(-n * MOST_LEVELS // len(task.levels)))


def n_audited(task: Task[Any]) -> int:
    """Number of items in the tests for answer leakage. `isovist audit` uses `ITEMS` for tasks with 3-D scenes, too."""
    return STAGES_AUDITED if is_staged(task) else ITEMS
