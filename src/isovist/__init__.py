"""Isovist: spatial-perception benchmarks for vision-language models, generated procedurally.

>>> import isovist
>>> item = isovist.generate("cdr/relative-compass-letter", n=100, seed=0)[17]
>>> item.images, item.prompt, item.answer.score("Answer: C")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isovist.api import Run, compare, evaluate, load_run
    from isovist.core.answers import Score
    from isovist.core.task import Task
    from isovist.data.item import Item, item
    from isovist.data.items import generate
    from isovist.evaluation.models.python_function import Request
    from isovist.reporting.analysis.results import Results, results
    from isovist.reporting.reports.model_comparison import ModelComparison
    from isovist.suites.registry import task, tasks
    from isovist.training.curriculum import Curriculum
    from isovist.training.example_stream import stream
else:
    _MODULES = {
        "Curriculum": "isovist.training.curriculum",
        "Item": "isovist.data.item",
        "ModelComparison": "isovist.reporting.reports.model_comparison",
        "Request": "isovist.evaluation.models.python_function",
        "Results": "isovist.reporting.analysis.results",
        "Run": "isovist.api",
        "Score": "isovist.core.answers",
        "Task": "isovist.core.task",
        "compare": "isovist.api",
        "evaluate": "isovist.api",
        "generate": "isovist.data.items",
        "item": "isovist.data.item",
        "load_run": "isovist.api",
        "results": "isovist.reporting.analysis.results",
        "stream": "isovist.training.example_stream",
        "task": "isovist.suites.registry",
        "tasks": "isovist.suites.registry",
    }

    def __getattr__(name):  # noqa: ANN001, ANN202 - type checkers see the names above, and report any other
        """Import a public name on first use, so that `import isovist` stays fast."""
        if name not in _MODULES:
            raise AttributeError(f"module 'isovist' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)


__all__ = [
    "Curriculum",
    "Item",
    "ModelComparison",
    "Request",
    "Results",
    "Run",
    "Score",
    "Task",
    "compare",
    "evaluate",
    "generate",
    "item",
    "load_run",
    "results",
    "stream",
    "task",
    "tasks",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return [*__all__]
