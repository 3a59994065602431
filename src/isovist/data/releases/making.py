"""Making of a release: its definition with balanced numbers of items, and the digests of its items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from math import lcm
from pathlib import Path
from typing import Any

from isovist.common import private_seeds
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.core.task import Task
from isovist.data.prompts import DEFAULT_STYLE
from isovist.data.releases.definition import DIGESTS_SUFFIX, SUFFIX, Release, ReleaseTask

_HEAD = "# A release of Isovist. Never change it: another test is another release. The items are verified with `isovist release verify`.\n"


def define(name: str, date: str, seed: int, tasks: Iterable[Task[Any]], short: int, full: int) -> Release:
    """A definition with about `short` and `full` items of each task, see `balanced`. Raises UserError for an invalid name."""
    private_seeds.require_name(name)
    counts = [(task, balanced(task, short), balanced(task, full)) for task in tasks]
    listed = (ReleaseTask(task.id, task.version, task.levels, least, max(least, most)) for task, least, most in counts)
    return Release(name, date, version("isovist"), DEFAULT_STYLE, seed, tuple(listed))


def balanced(task: Task[Any], n: int) -> int:
    """The number of items nearest to `n` with the same number at each level and, if it is near, of each answer stratum.

    It is between half and one and a half times `n`, unless that is too few for all levels.
    """
    for unit in (len(task.levels) * lcm(*(task.cells_at(level) for level in task.levels)), len(task.levels)):
        nearest = max(1, round(n / unit)) * unit
        if n <= 2 * nearest <= 3 * n:
            return nearest
    return max(1, round(n / len(task.levels))) * len(task.levels)


def require_new(path: Path) -> None:
    """Raises UserError if `path` is not that of a new definition."""
    if path.suffix != SUFFIX:
        raise UserError(f"Not a TOML file: {path}. Give --out a name that ends with {SUFFIX}.")
    if existing := next((file for file in (path, path.with_suffix(DIGESTS_SUFFIX)) if file.exists()), None):
        raise UserError(f"File exists: {existing}. A release never changes; choose another --out.")


def write(release: Release, digests: Mapping[str, Iterable[str]], path: Path) -> None:
    """Write a definition, and its digests beside it. Raises UserError as `require_new` does."""
    require_new(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path.with_suffix(DIGESTS_SUFFIX), "".join(f"{task} {''.join(values)}\n" for task, values in digests.items()))
    write_atomically(path, toml(release))


def toml(release: Release) -> str:
    """A definition as TOML, one line for each task."""
    head = {"name": release.name, "date": release.date, "isovist": release.isovist, "style": release.style, "seed": release.seed}
    lines = [f"{name} = {json.dumps(value)}" for name, value in head.items()]
    return _HEAD + "\n".join([*lines, "tasks = [", *(f"  {_inline(task)}," for task in release.tasks), "]", ""])


def _inline(task: ReleaseTask) -> str:
    values = [f"id = {json.dumps(task.id)}", f"version = {task.version}", f"short = {task.short}", f"full = {task.full}"]
    values.append(f"levels = {json.dumps(list(task.levels))}")
    if task.settings:
        values.append(f"settings = {{ {', '.join(f'{name} = {json.dumps(value)}' for name, value in task.settings.items())} }}")
    return f"{{ {', '.join(values)} }}"
