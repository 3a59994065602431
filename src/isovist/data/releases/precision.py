"""The precision of a release: the expected half-widths of its 95% confidence intervals, before any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from isovist.data.releases.definition import Form, Release, ReleaseTask
from isovist.suites import registry

_Z = 1.959964  # of a 95% interval
_ACCURACY = 0.5  # at which the interval is widest


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
