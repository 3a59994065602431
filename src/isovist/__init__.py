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
    from isovist.evaluation import Run, compare, evaluate, load_run
    from isovist.items import Item, generate, item
    from isovist.models.base import GenerationArgs
    from isovist.models.python_function import Request
    from isovist.registry import task, tasks
    from isovist.reports.model_comparison import ModelComparison
    from isovist.run.variants import VariantSettings
else:
    _MODULES = {
        "GenerationArgs": "isovist.models.base",
        "Item": "isovist.items",
        "ModelComparison": "isovist.reports.model_comparison",
        "Request": "isovist.models.python_function",
        "Results": "isovist.analysis.results",
        "Run": "isovist.evaluation",
        "Score": "isovist.core.answers",
        "Task": "isovist.core.task",
        "VariantSettings": "isovist.run.variants",
        "compare": "isovist.evaluation",
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


__all__ = [
    "GenerationArgs",
    "Item",
    "ModelComparison",
    "Request",
    "Results",
    "Run",
    "Score",
    "Task",
    "VariantSettings",
    "compare",
    "evaluate",
    "generate",
    "item",
    "load_run",
    "results",
    "task",
    "tasks",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return [*__all__]
