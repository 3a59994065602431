"""The design of an adaptive run: which problem sizes, how many items at most, how many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.level_size import size
from isovist.data.dataset.manifest import DataPart
from isovist.evaluation.run.adaptive import enough
from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.stats.adaptive_testing import ENOUGH

HALF_WIDTH = 1.0
"""Default target half-width of the 95% CI, in sizes."""
_MIN_SIZES = 4


def design(half_width: float | None, max_items: int | None, pool: Sequence[DataPart], concurrency: int) -> tuple[AdaptiveSettings, str]:
    """The settings of an adaptive run, and a warning if tasks need more items than usual, else "".

    Args:
        half_width: Target half-width of the 95% CI, in sizes; None: the default.
        max_items: Item limit of each task; None: a limit that depends on the chance level of the task.
        pool: The tasks, with `max_items` or another number as the item limit of each.
        concurrency: Number of requests at once.

    Raises UserError for an invalid half-width, and for tasks whose levels are not sizes, or too few.
    """
    half_width = HALF_WIDTH if half_width is None else half_width
    if not (isfinite(half_width) and half_width > 0):
        raise UserError(f"Invalid --ci-half-width: {half_width:g}. Give a size above 0, such as 1.")
    for part in pool:
        sizes = [size(level) for level in part.items().levels]
        if None in sizes:
            raise UserError(f"Levels are not problem sizes: {part.task}. Use --adaptive with tasks such as perceptv/*.")
        if len(set(sizes)) < max(_MIN_SIZES, len(sizes)):
            raise UserError(f"Too few problem sizes for --adaptive: {part.task}. Name {_MIN_SIZES} or more with --level.")
    warning = ""
    if max_items is None:
        pool = [replace(part, n=enough(part)) for part in pool]
        if above_default := [part for part in pool if part.n > ENOUGH]:
            tasks = ", ".join(part.task for part in above_default)
            warning = f"Up to {above_default[0].n} items instead of {ENOUGH}, because chance is high: {tasks}."
    return AdaptiveSettings(half_width, max_items, -(-concurrency // len(pool)), tuple(pool)), warning


def resumed_design(before: RunMetadata, info: RunMetadata, out: Path) -> RunMetadata:
    """The metadata `info` for a run that resumes `before`: the batch size stays; the half-width and the item limit may change.

    Raises UserError for other items.
    """
    if before.adaptive is None or info.adaptive is None:
        return info
    old, new = before.adaptive, info.adaptive
    if [replace(part, n=0) for part in old.pool] != [replace(part, n=0) for part in new.pool]:
        raise UserError(f"Run folder has an adaptive run with other tasks, sizes, settings or seed: {out}. Choose another --out folder.")
    if old.method != new.method:
        raise UserError(f"Run folder used another selection rule ({old.method}, now {new.method}): {out}. Choose another --out folder.")
    return replace(info, adaptive=replace(new, batch_size=old.batch_size), parts=before.parts, data_hash=before.data_hash)
