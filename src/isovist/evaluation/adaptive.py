"""Adaptive runs: choose the problem size of each item to estimate the size threshold with few items."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.level_size import size
from isovist.data.dataset.generate import generate
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.evaluation.console import Console
from isovist.evaluation.models import Model
from isovist.evaluation.run.adaptive import ThresholdSearch, ThresholdSearches, enough, presented_items, threshold_searches
from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.evaluation.run.captions import read as captions
from isovist.evaluation.run.cost_estimate import estimate_cost
from isovist.evaluation.run.records import latest_trial_results, read
from isovist.evaluation.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, names, now
from isovist.evaluation.run.runner import RunLimits, RunSummary, run
from isovist.evaluation.run.usage_summary import usage_summary
from isovist.stats.adaptive_testing import ENOUGH
from isovist.stats.threshold_text import interval_text, threshold_text

HALF_WIDTH = 1.0
"""Default target half-width of the 95% CI, in sizes."""
_MIN_SIZES = 4


@dataclass(frozen=True, slots=True)
class AdaptiveOptions:
    """The options of adaptive testing."""

    half_width: float
    max_items: int | None
    """None: a limit that depends on the chance level of the task."""

    @staticmethod
    def of(half_width: float | None, max_items: int | None) -> AdaptiveOptions:
        """The options with defaults. Raises UserError for an invalid half-width."""
        width = HALF_WIDTH if half_width is None else half_width
        if not (isfinite(width) and width > 0):
            raise UserError(f"Invalid --ci-half-width: {width:g}. Give a size above 0, such as 1.")
        return AdaptiveOptions(width, max_items)


def design(options: AdaptiveOptions, pool: Sequence[DataPart], concurrency: int, console: Console) -> AdaptiveSettings:
    """The settings of an adaptive run. Raises UserError for tasks whose levels are not sizes, or too few."""
    for part in pool:
        sizes = [size(level) for level in part.items().levels]
        if None in sizes:
            raise UserError(f"Levels are not problem sizes: {part.task}. Use --adaptive with tasks such as perceptv/*.")
        if len(set(sizes)) < max(_MIN_SIZES, len(sizes)):
            raise UserError(f"Too few problem sizes for --adaptive: {part.task}. Name {_MIN_SIZES} or more with --level.")
    if options.max_items is None:
        pool = [replace(part, n=enough(part)) for part in pool]
        if above_default := [part for part in pool if part.n > ENOUGH]:
            tasks = ", ".join(part.task for part in above_default)
            console.say(f"Up to {above_default[0].n} items instead of {ENOUGH}, because chance is high: {tasks}.")
    return AdaptiveSettings(options.half_width, options.max_items, -(-concurrency // len(pool)), tuple(pool))


def resumed_search(before: RunMetadata, info: RunMetadata, out: Path) -> RunMetadata:
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


def run_adaptively(
    folder: RunFolder, info: RunMetadata, model: Model, limits: RunLimits, workers: int, console: Console,
    write: Callable[[RunMetadata], None], confirmed: Callable[[str], bool],
) -> tuple[RunSummary, RunMetadata] | None:  # fmt: skip
    """Evaluate the remaining items and write the data of all presented items; None if `confirmed` refuses the cost estimate.

    `write` stores the metadata at the start.

    The data are written whenever the run ends by itself. A killed run leaves its records, and the next session resumes from them.
    Raises UserError as `isovist.evaluation.run.runner.run` does.
    """
    if info.adaptive is None:
        raise ValueError("not an adaptive run")
    if not folder.exists() and (data := folder.path / DATA).exists():
        raise UserError(f"Folder has data but no run: {data}. Choose another --out folder.")  # the data would be replaced
    with folder.locked():  # fails before anything is written if another run uses the folder
        on_record = latest_trial_results(folder.records)
        searches = threshold_searches(info.adaptive, read(folder.records), on_record, limits.attempts)
    known = [trial for trial in on_record.values() if trial.outcome != "request_error"]
    if known:
        console.say(f"{len(known)} items already evaluated.")
    target = info.adaptive.target_half_width
    for search in searches:
        if search.done:
            console.say(_result_line(search, target))
    max_requests = sum(0 if search.done else search.part.n - search.asked for search in searches)
    if not confirmed(f"Up to {max_requests} requests for {len(searches)} tasks, one new item each."):
        return None
    write(replace(info, data_hash="", finished="", usage=None))
    with console.bar(max_requests) as bar:

        def echo_progress(search: ThresholdSearch) -> None:
            bar.update()
            if search.done:
                console.say(_result_line(search, target), bar)
            else:
                posterior = search.belief
                bar.note(f"{search.part.task}, {search.asked} items: {posterior.halfway:.1f} [{posterior.low:.1f}, {posterior.high:.1f}]")

        try:
            source = ThresholdSearches(searches, echo_progress)
            summary = run(folder, info, model, limits, feed=source, say=lambda text: console.say(text, bar))
        except UserError:
            _write_data(folder, info, searches, workers, limits, console)
            raise
    summary.failed_permanently = sum(search.given_up for search in searches)
    summary.outcomes.update(trial.outcome for trial in known)
    if summary.failed_permanently:
        summary.outcomes["request_error"] += summary.failed_permanently
    return summary, _write_data(folder, info, searches, workers, limits, console)


def _result_line(search: ThresholdSearch, target: float) -> str:
    """The result of a finished search."""
    estimate = search.fall
    if estimate is None:
        return f"{search.part.task}: no item scored, {search.asked} items"
    is_precise = estimate.half_width <= target
    reason = "target precision reached" if is_precise else f"item limit reached, half-width {estimate.half_width:.1f} instead of {target:g}"
    return (
        f"{search.part.task}: size threshold {threshold_text(estimate)}, 95% CI {interval_text(estimate)}, {search.asked} items ({reason})"
    )


def _write_data(
    folder: RunFolder, info: RunMetadata, searches: Sequence[ThresholdSearch], workers: int, limits: RunLimits, console: Console
) -> RunMetadata:
    """Write the presented items as the dataset of the run, and the usage; returns the new metadata."""
    parts = [presented_items(search) for search in searches if search.asked]
    if not parts:
        return info
    data = folder.path / DATA
    if data.exists() and not _holds(data, parts):
        shutil.rmtree(data)  # of the previous session; everything is generated again
    with console.bar(sum(part.n for part in parts), "writing the items", leave=False) as bar:
        generate(parts, data, workers, bar.update)
    info = replace(info, data_hash=data_hash(data), parts=names(parts))
    sizes = estimate_cost(folder.trials(info), ()).sizes
    info = replace(info, finished=now(), usage=usage_summary(read(folder.records), captions(folder.captions), sizes, limits.price))
    folder.write(info)
    return info


def _holds(data: Path, parts: Sequence[DataPart]) -> bool:
    if not (data / MANIFEST).exists():
        return False
    return sorted(Manifest.read(data).parts, key=lambda part: part.task) == sorted(parts, key=lambda part: part.task)
