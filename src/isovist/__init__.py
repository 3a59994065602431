"""Isovist: spatial-perception benchmarks for vision-language models, generated procedurally.

>>> import isovist
>>> item = isovist.generate("cdr/relative-compass-letter", n=100, seed=0)[17]
>>> item.images, item.prompt, item.answer.score("Answer: C")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isovist.analysis.results import Results, results
    from isovist.core.answers import Score
    from isovist.core.task import Task
    from isovist.evaluation import Run, evaluate, load_run
    from isovist.items import Item, generate, item
    from isovist.registry import task, tasks
else:
    _MODULES = {
        "Item": "isovist.items",
        "Results": "isovist.analysis.results",
        "Run": "isovist.evaluation",
        "Score": "isovist.core.answers",
        "Task": "isovist.core.task",
        "evaluate": "isovist.evaluation",
        "generate": "isovist.items",
        "item": "isovist.items",
        "load_run": "isovist.evaluation",
        "results": "isovist.analysis.results",
        "task": "isovist.registry",
        "tasks": "isovist.registry",
    }

    def __getattr__(name):  # noqa: ANN001, ANN202 - type checkers see the names above, and report any other
        """Import a public name on first use, so that `import isovist` stays fast."""
        if name not in _MODULES:
            raise AttributeError(f"module 'isovist' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)


__all__ = ["Item", "Results", "Run", "Score", "Task", "evaluate", "generate", "item", "load_run", "results", "task", "tasks"]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return [*__all__]
