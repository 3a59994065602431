"""Isovist: fresh spatial-perception tests for vision-language models.

>>> import isovist
>>> item = isovist.generate("cdr/relative-compass-letter", n=100, seed=0)[17]
>>> item.images, item.prompt, item.answer.score("Answer: C")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isovist.core.answers import Score
    from isovist.core.task import Task
    from isovist.items import Item, generate, item
    from isovist.registry import task, tasks

_WHERE = {
    "Item": "isovist.items",
    "Score": "isovist.core.answers",
    "Task": "isovist.core.task",
    "generate": "isovist.items",
    "item": "isovist.items",
    "task": "isovist.registry",
    "tasks": "isovist.registry",
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first asked for, so that `import isovist` costs nothing."""
    if name not in _WHERE:
        raise AttributeError(f"module 'isovist' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)


__all__ = ["Item", "Score", "Task", "generate", "item", "task", "tasks"]
