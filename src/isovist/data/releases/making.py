"""Making of a release: its definition with balanced numbers of items, the digests of its items, and the expected half-widths of its intervals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import lcm, sqrt
from pathlib import Path
from typing import Any

from isovist.common import private_seeds
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.core.task import Task
from isovist.data.prompts import DEFAULT_STYLE
from isovist.data.releases.definition import DIGESTS_SUFFIX, SUFFIX, Form, Release, ReleaseTask
from isovist.suites import registry

_HEAD = "# A release of Isovist. Never change it: another test is another release. The items are verified with `isovist release verify`.\n"
_Z = 1.959964  # of a 95% interval
_ACCURACY = 0.5  # at which the interval is widest


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


@dataclass(frozen=True, slots=True)
class Precision:
    """The expected half-width of the accuracy of a suite, or of all tasks, at an accuracy of 50%."""

    name: str
    tasks: int
    items: int
    images: int
    """The number of clusters: items that share an image are one."""
    independent: float
    """The half-width if responses to items with the same image are independent, as a share."""
    largest: float
    """The half-width if items with the same image are all answered alike, as a share."""


def precision(release: Release, form: Form) -> list[Precision]:
    """The precision of each suite and of all tasks together ("overall"). Accuracy is the mean over tasks, as in reports."""
    tasks = [task for task in release.tasks if task.count(form)]
    suites = dict.fromkeys(task.id.partition("/")[0] for task in tasks)
    by_suite = [_precision(suite, [task for task in tasks if task.id.startswith(f"{suite}/")], form) for suite in suites]
    return [*by_suite, _precision("overall", tasks, form)]


def _precision(name: str, tasks: Sequence[ReleaseTask], form: Form) -> Precision:
    weights = Counter[tuple[str, str, int]]()  # of each image, in the mean over tasks
    squares = 0.0
    for task in tasks:
        n, n_levels = task.count(form), len(task.levels)
        family = registry.task(task.id).images.family or task.id
        for place in range(n):
            index, level = divmod(place, n_levels)
            weights[family, task.levels[level], index] += 1 / (n * len(tasks))  # pyright: ignore[reportArgumentType] - a counter of shares
        squares += 1 / (n * len(tasks) ** 2)
    alike = sum(weight**2 for weight in weights.values())
    independent, largest = (_Z * sqrt(_ACCURACY * (1 - _ACCURACY) * share) for share in (squares, alike))
    return Precision(name, len(tasks), sum(task.count(form) for task in tasks), len(weights), independent, largest)
