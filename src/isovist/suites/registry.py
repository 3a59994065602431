"""The task registry: tasks of the suites, of packages with the entry point group "isovist.tasks", and of files that a user names."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from isovist import suites
from isovist.common import plug_ins
from isovist.common.errors import UserError
from isovist.common.plug_ins import PlugIn, PlugInError
from isovist.core.answers import Answer
from isovist.core.canonical_json import PHOTOGRAPHS, PUBLISHED
from isovist.core.published_prompt import PublishedPrompt
from isovist.core.task import ColourVision, Task, Value

ENTRY_POINT = plug_ins.TASKS


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
def built_in_tasks() -> dict[str, Task[Any]]:
    """The tasks of the suites by id, sorted: `TASK` or `TASKS` of each module. Those of plug-ins and files are not included."""
    return _in_package(suites.__name__)


@cache
def _in_package(name: str) -> dict[str, Task[Any]]:
    """The tasks in a package and its subpackages by id, sorted."""
    package = importlib.import_module(name)
    by_id = {task.id: task for task in _in_module(package)}
    for info in pkgutil.walk_packages(package.__path__, f"{name}."):
        if info.name.rpartition(".")[2].startswith("test_"):
            continue  # tests that are stored next to a new task
        for task in _in_module(importlib.import_module(info.name)):
            if by_id.setdefault(task.id, task) is not task:
                raise ValueError(f"Duplicate task id: {task.id}.")
    return dict(sorted(by_id.items()))


@lru_cache(maxsize=1)
def _suite_packages() -> dict[str, str]:
    return {info.name: f"{suites.__name__}.{info.name}" for info in pkgutil.iter_modules(suites.__path__) if info.ispkg}


def find(name: str) -> Task[Any] | None:
    """The task of an id, or None. A task in the package of its suite is found without an import of the other suites."""
    package = _suite_packages().get(name.partition("/")[0])
    return (_in_package(package).get(name) if package else None) or tasks().get(name)


def _tasks_of(plug_in: PlugIn) -> Sequence[Task[Any]]:
    """`TASK` or `TASKS` of the module of a plug-in, or the object itself. Raises PlugInError, see `added_tasks`."""
    loaded = plug_in.load()
    plug_in_tasks = _in_module(loaded)
    if not (isinstance(plug_in_tasks, tuple | list) and plug_in_tasks and all(isinstance(task, Task) for task in plug_in_tasks)):  # pyright: ignore[reportUnnecessaryIsInstance] - code of others
        raise plug_in.error("no task. Assign a task to TASK, or several to TASKS")
    built_in = {task.suite for task in built_in_tasks().values()}
    if taken := [task.id for task in plug_in_tasks if task.suite in built_in]:
        raise plug_in.error(f"task {taken[0]} is in a suite of Isovist")
    return plug_in_tasks


@lru_cache(maxsize=1)
def _of_plug_ins() -> dict[PlugIn, Sequence[Task[Any]] | PlugInError]:
    """The tasks of each plug-in, or the reason why it cannot be used."""
    results: dict[PlugIn, Sequence[Task[Any]] | PlugInError] = {}
    by_id: dict[str, PlugIn] = {}
    for plug_in in plug_ins.installed(ENTRY_POINT):
        try:
            plug_in_tasks = _tasks_of(plug_in)
            if twice := [task.id for task in plug_in_tasks if task.id in by_id]:
                raise plug_in.error(f"task {twice[0]} is also a task of {by_id[twice[0]].release}")
        except PlugInError as error:
            results[plug_in] = error
        else:
            results[plug_in] = plug_in_tasks
            by_id.update((task.id, plug_in) for task in plug_in_tasks)
    return results


def added_tasks(plug_in: PlugIn) -> Sequence[Task[Any]]:
    """The tasks of a plug-in.

    Raises:
        PlugInError: Its import fails, it has no task, a task is in a suite of Isovist (`cdr/*` names the same tasks everywhere), or
            another plug-in has a task with the same id.
    """
    result = _of_plug_ins()[plug_in]
    if isinstance(result, PlugInError):
        raise result
    return result


@lru_cache(maxsize=1)
def _packages() -> dict[str, tuple[Task[Any], str]]:
    """The tasks of plug-ins by id, with their packages. A plug-in that cannot be used is left out with a warning."""
    by_id: dict[str, tuple[Task[Any], str]] = {}
    for plug_in, result in _of_plug_ins().items():
        if isinstance(result, PlugInError):
            plug_ins.warn(result)
        else:
            by_id.update((task.id, (task, plug_in.release)) for task in result)
    return by_id


@lru_cache(maxsize=1)
def _installed() -> dict[str, Task[Any]]:
    """The tasks of the suites and of plug-ins."""
    return dict(sorted((built_in_tasks() | {id: task for id, (task, _) in _packages().items()}).items()))


def package_of(name: str) -> str:
    """The package and version of a task of a plug-in, such as "isovist-arrows 0.1.0"; "" for another task."""
    return _packages()[name][1] if name in _packages() else ""


def _in_module(module: object) -> Sequence[Task[Any]]:
    if isinstance(module, Task):
        return (cast("Task[Any]", module),)
    if isinstance(module, (tuple, list)):
        return cast("Sequence[Task[Any]]", module)
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
    known = find(name)
    if known is None:
        raise _unknown(name)
    return known


Scorer = Callable[[str, Answer], float]
"""The credit of a response from 0 to 1, given the answer with its key."""


def scorer_of(plug_in: PlugIn) -> Scorer:
    """The scorer of a plug-in. Raises PlugInError if the import fails, and for a name of a suite of Isovist."""
    if any(task.suite == plug_in.name for task in built_in_tasks().values()):
        raise plug_in.error("a suite of Isovist has this name")
    scorer = plug_in.load()
    if not callable(scorer):
        raise plug_in.error("not a function")
    return cast("Scorer", scorer)


@lru_cache(maxsize=64)
def _scorer_of_suite(suite: str) -> Scorer | None:
    """The scorer that a plug-in has for a suite; None with a warning if it cannot be used."""
    try:
        plug_in = plug_ins.named(plug_ins.SCORERS, suite)
        return scorer_of(plug_in) if plug_in else None
    except PlugInError as error:
        plug_ins.warn(error)
        return None


def published_scorer(name: str) -> Scorer | None:
    """The scorer of the paper of a task; None if there is none."""
    if registered := find(name):
        return registered.paper.scorer
    suite, _, part = name.partition("/")
    for after in (PHOTOGRAPHS, PUBLISHED):
        if suite.endswith(after) and (original := find(f"{suite.removesuffix(after)}/{part}")):
            return original.paper.scorer
    if scorer := _scorer_of_suite(suite.removesuffix(PUBLISHED)):
        return scorer
    known = [task.paper.scorer for task in tasks().values() if f"{task.suite}{PUBLISHED}" == suite and task.paper.scorer]
    # a scorer is known for an unregistered task only if all tasks of its suite share it
    return known[0] if known and all(scorer == known[0] for scorer in known) else None


def published_prompt(name: str) -> PublishedPrompt | str:
    """The prompt format of the paper of a task, or the reason why there is none."""
    suite, _, part = name.partition("/")
    registered = find(name) or (find(f"{suite.removesuffix(PHOTOGRAPHS)}/{part}") if suite.endswith(PHOTOGRAPHS) else None)
    if registered is not None:
        return registered.paper.prompt or "the task is from no paper"
    return "the dataset does not hold the text of its records"


def colour_vision(name: str) -> ColourVision | None:
    """The colour vision that a task, or the task it is derived from, requires; None if unknown."""
    if registered := find(name):
        return registered.images.colour_vision
    suite, _, part = name.partition("/")
    # photos mark objects with frames, as rendered scenes do; published images may have other colours
    if rendered := find(f"{suite.removesuffix(PHOTOGRAPHS)}/{part}"):
        return rendered.images.colour_vision
    original = find(f"{suite.removesuffix(PUBLISHED)}/{part}")
    return "none" if original and original.images.colour_vision == "none" else None


def is_named(task: str, name: str) -> bool:
    """Whether a name means a task: its id, a glob such as ``cdr/step-*``, or its suite, as ``cdr`` for ``cdr/*``."""
    return fnmatchcase(task, name) or task.partition("/")[0] == name


def matching(names: Sequence[str]) -> list[Task[Any]]:
    """The tasks that ids, globs, suites or Python files name, each once, in the order of the names.

    Raises UnknownTask, and UserError for a file as `load_file` does.
    """
    chosen: dict[str, Task[Any]] = {}
    for name in names:
        if name.endswith(".py"):
            chosen.update((task.id, task) for task in load_file(name))
            continue
        if match := find(name):
            chosen[match.id] = match
            continue
        known = tasks()
        hits = [id for id in known if is_named(id, name)]
        if not hits:
            raise _unknown(name)
        chosen.update((hit, known[hit]) for hit in hits)
    return list(chosen.values())


def _unknown(name: str) -> UnknownTask:
    known = tasks()
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or [id for id in known if name in id][:3]
    hint = f"Did you mean {' or '.join(near)}?" if near else "Run `isovist list`."
    return UnknownTask(f"Unknown task: {name}. {hint}")


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
