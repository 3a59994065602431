"""The task registry: tasks of the suites, of packages with the entry point group "isovist.tasks", and of files that a user names."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from isovist import suites
from isovist.core.answers import Answer
from isovist.core.canonical_json import PHOTOGRAPHS, PUBLISHED
from isovist.core.task import ColourVision, Task, Value
from isovist.errors import UserError

ENTRY_POINT = "isovist.tasks"


class UnknownTask(UserError):
    """An unknown task name; the message suggests the nearest ones."""


_tasks_of_files: dict[str, Sequence[Task[Any]]] = {}


def tasks() -> dict[str, Task[Any]]:
    """All tasks by id, sorted: those of the suites, of installed plug-ins, and of the files loaded in this process.

    Returns:
        The tasks by id, such as ``"cdr/relative-compass-letter"``.
    """
    if not _tasks_of_files:
        return _installed()
    return dict(sorted((_installed() | {task.id: task for loaded in _tasks_of_files.values() for task in loaded}).items()))


def load_file(path: str) -> Sequence[Task[Any]]:
    """Load the tasks that a Python file defines as `TASK` or `TASKS`, and register them in this process.

    Args:
        path: The file, such as ``my_tasks/arrows.py``.

    Returns:
        The tasks of the file.

    Raises:
        UserError: If the file does not exist, fails on import, defines no task, or uses the id of another task.

    """
    if path in _tasks_of_files:
        return _tasks_of_files[path]
    if not Path(path).is_file():
        raise UserError(f"Task file does not exist: {path}. Correct the path.")
    name = f"isovist_task_file_{len(_tasks_of_files)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"Task file is not a Python file: {path}. Name a .py file.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # required by dataclasses
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - the file of a user may raise any exception
        raise UserError(f"Import of the task file fails ({type(error).__name__}: {error}): {path}. Correct the file.") from None
    loaded = _in_module(module)
    if not loaded:
        raise UserError(f"Task file defines no task: {path}. Assign a task to TASK, or several to TASKS.")
    if known := sorted({task.id for task in loaded} & set(tasks())):
        raise UserError(f"Duplicate task id {known[0]}: {path}. Choose another id.")
    _tasks_of_files[path] = loaded
    return loaded


def loaded_files() -> tuple[str, ...]:
    """The task files loaded in this process; worker processes load them too."""
    return tuple(_tasks_of_files)


@lru_cache(maxsize=1)
def _installed() -> dict[str, Task[Any]]:
    """The tasks of the suites and of plug-ins: `TASK` or `TASKS` of each module."""
    by_id: dict[str, Task[Any]] = {}
    for module in (*_suite_modules(), *(point.load() for point in entry_points(group=ENTRY_POINT))):
        for task in _in_module(module):
            if by_id.setdefault(task.id, task) is not task:
                raise ValueError(f"Duplicate task id: {task.id}.")
    return dict(sorted(by_id.items()))


def _suite_modules() -> Iterator[object]:
    for info in pkgutil.walk_packages(suites.__path__, f"{suites.__name__}."):
        if info.name.rpartition(".")[2].startswith("test_"):
            continue  # tests that are stored next to a new task
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
    """The tasks that ids, globs such as ``cdr/*`` or Python files name, each once, in the order of the names.

    Raises UnknownTask, and UserError for a file as `load_file` does.
    """
    known = tasks()
    chosen: dict[str, Task[Any]] = {}
    for name in names:
        if name.endswith(".py"):
            chosen.update((task.id, task) for task in load_file(name))
            continue
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
