"""The task registry: tasks of the suites, and of other packages through the entry point group "isovist.tasks"."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, cast

from isovist import suites
from isovist.core.answers import Answer
from isovist.core.canonical_json import PHOTOGRAPHS, PUBLISHED
from isovist.core.task import ColourVision, Task, Value
from isovist.errors import UserError

ENTRY_POINT = "isovist.tasks"


class UnknownTask(UserError):
    """An unknown task name; the message suggests the nearest ones."""


@lru_cache(maxsize=1)
def tasks() -> dict[str, Task[Any]]:
    """All tasks by id, sorted: the `TASK` or `TASKS` of each module of a suite or entry point.

    Returns:
        The tasks by id, such as ``"cdr/relative-compass-letter"``.
    """
    by_id: dict[str, Task[Any]] = {}
    for module in (*_suite_modules(), *(point.load() for point in entry_points(group=ENTRY_POINT))):
        for task in _in_module(module):
            if by_id.setdefault(task.id, task) is not task:
                raise ValueError(f"Duplicate task id: {task.id}.")
    return dict(sorted(by_id.items()))


def _suite_modules() -> Iterator[object]:
    for info in pkgutil.walk_packages(suites.__path__, f"{suites.__name__}."):
        if info.name.rpartition(".")[2].startswith("test_"):
            continue  # a new task and its test are in one folder
        yield importlib.import_module(info.name)


def _in_module(module: object) -> Sequence[Task[Any]]:
    if isinstance(module, Task):
        return (cast("Task[Any]", module),)
    single: Task[Any] | None = getattr(module, "TASK", None)
    return (single,) if single is not None else getattr(module, "TASKS", ())


def task(name: str) -> Task[Any]:
    """The task of an id.

    Args:
        name: The id, such as ``"cdr/relative-compass-letter"``.

    Returns:
        The task.

    Raises:
        UnknownTask: For an unknown id; a subclass of ValueError.
    """
    return tasks()[name] if name in tasks() else matching([name])[0]


def published_scorer(name: str) -> Callable[[str, Answer], float] | None:
    """The scorer of the paper of a task; None if there is none."""
    if name in tasks():
        return tasks()[name].published_scorer
    suite, _, part = name.partition("/")
    for after in (PHOTOGRAPHS, PUBLISHED):
        if suite.endswith(after) and (original := f"{suite.removesuffix(after)}/{part}") in tasks():
            return tasks()[original].published_scorer
    known = [task.published_scorer for task in tasks().values() if f"{task.suite}{PUBLISHED}" == suite and task.published_scorer]
    # a scorer is known for an unregistered task only if all tasks of its suite share it
    return known[0] if known and all(scorer == known[0] for scorer in known) else None


def colour_vision(name: str) -> ColourVision | None:
    """The colour vision that a task, or the task it is derived from, requires; None if unknown."""
    if name in tasks():
        return tasks()[name].colour_vision
    suite, _, part = name.partition("/")
    original = f"{suite.removesuffix(PUBLISHED)}/{part}"
    # photos mark objects with frames, as rendered scenes do; published images may have other colours
    photographs = f"{suite.removesuffix(PHOTOGRAPHS)}/{part}"
    if photographs in tasks():
        return tasks()[photographs].colour_vision
    return "none" if original in tasks() and tasks()[original].colour_vision == "none" else None


def matching(names: Sequence[str]) -> list[Task[Any]]:
    """The tasks of ids or globs such as ``cdr/*``, each once, in the order of the names. Raises UnknownTask."""
    known = tasks()
    chosen: dict[str, Task[Any]] = {}
    for name in names:
        hits = [name] if name in known else [id for id in known if fnmatchcase(id, name)] if _is_glob(name) else []
        if not hits:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or [id for id in known if name in id][:3]
            hint = f"Did you mean {' or '.join(near)}?" if near else "Run `isovist list`."
            raise UnknownTask(f"Unknown task: {name}. {hint}")
        chosen.update((hit, known[hit]) for hit in hits)
    return list(chosen.values())


def _is_glob(name: str) -> bool:
    return any(c in name for c in "*?[")


def require_setting_support(chosen: Sequence[Task[Any]], given: Mapping[str, Value]) -> list[dict[str, Value]]:
    """The supported settings of each task. Raises UserError for a setting of no task, and for an invalid value."""
    for name in given:
        if not any(name in task.all_settings for task in chosen):
            known = sorted({name for task in chosen for name in task.all_settings})
            raise UserError(f"Unknown task option: {name}. Choose one of {', '.join(known)}.")
    try:
        return [
            {n: task.all_settings[n].parse(f"{task.id}, {n}", v) for n, v in given.items() if n in task.all_settings} for task in chosen
        ]
    except ValueError as error:
        raise UserError(f"{error}.") from None
