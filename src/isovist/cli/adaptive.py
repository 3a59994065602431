"""`isovist run --adaptive`: choose the problem size of each item to estimate the size threshold with few items."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from isovist.cli.item_options import Count, decorated
from isovist.errors import UserError
from isovist.progress import Progress

if TYPE_CHECKING:
    from isovist.dataset.manifest import DataPart
    from isovist.models import Model
    from isovist.run.adaptive import ThresholdSearch
    from isovist.run.adaptive_settings import AdaptiveSettings
    from isovist.run.run_folder import RunFolder, RunMetadata
    from isovist.run.runner import RunLimits, RunSummary
    from isovist.run.variants import VariantSettings

_HALF_WIDTH = 1.0
_OPTIONS = (
    click.option("--adaptive", is_flag=True, help="Adaptive testing: choose each problem size from the responses so far."),
    click.option(
        "--ci-half-width",
        "half_width",
        type=float,
        default=_HALF_WIDTH,
        show_default=True,
        metavar="SIZES",
        help="Adaptive: target half-width of the 95% CI of the size threshold.",
    ),
    click.option(
        "--max-items",
        type=Count(min=10),
        default=None,
        help="Adaptive: item limit of each task  [default: 80, or 100 if chance is above 25%].",
    ),
)
_ADAPTIVE_ONLY = {"half_width": "--ci-half-width", "max_items": "--max-items"}
_INCOMPATIBLE = {"data": "--data", "n": "--limit", "sizes": "--preset"}
_MIN_SIZES = 4


@dataclass(frozen=True, slots=True)
class AdaptiveOptions:
    """The options of adaptive testing."""

    half_width: float
    max_items: int | None
    """None: a limit that depends on the chance level of the task."""


def adaptive_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command receives them as one argument `adaptive`. Raises UserError for incompatible options."""

    @wraps(command)
    def packed(*args: Any, adaptive: bool, half_width: float, max_items: int | None, variants: VariantSettings, **others: Any) -> None:
        context = click.get_current_context()
        named = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        if not adaptive:
            for name in sorted(named & _ADAPTIVE_ONLY.keys()):
                raise UserError(f"Option without --adaptive: {_ADAPTIVE_ONLY[name]}. Add --adaptive or remove the option.")
            command(*args, adaptive=None, variants=variants, **others)
            return
        if not (isfinite(half_width) and half_width > 0):
            raise UserError(f"Invalid --ci-half-width: {half_width:g}. Give a size above 0, such as 1.")
        for name in sorted(named & _INCOMPATIBLE.keys()):
            raise UserError(f"Option incompatible with --adaptive: {_INCOMPATIBLE[name]}. Remove it; --max-items limits the items.")
        if variants != type(variants)():
            raise UserError("Variants are incompatible with --adaptive. Run them with `isovist run --data` on the data of the run.")
        command(*args, adaptive=AdaptiveOptions(half_width, max_items), variants=variants, **others)

    return decorated(packed, _OPTIONS)


def design(options: AdaptiveOptions, pool: Sequence[DataPart], concurrency: int) -> AdaptiveSettings:
    """The settings of an adaptive run. Raises UserError for tasks whose levels are not sizes, or too few."""
    from isovist.analysis.level_results import size
    from isovist.run.adaptive import enough
    from isovist.run.adaptive_settings import AdaptiveSettings
    from isovist.stats.adaptive_testing import ENOUGH

    for part in pool:
        sizes = [size(level) for level in part.items().levels]
        if None in sizes:
            raise UserError(f"Levels are not problem sizes: {part.task}. Use --adaptive with tasks such as perceptv/*.")
        if len(set(sizes)) < max(_MIN_SIZES, len(sizes)):
            raise UserError(f"Too few problem sizes for --adaptive: {part.task}. Name {_MIN_SIZES} or more with --level.")
    if options.max_items is None:
        pool = [replace(part, n=enough(part)) for part in pool]
        if above_default := [part for part in pool if part.n > ENOUGH]:
            names = ", ".join(part.task for part in above_default)
            click.echo(f"Up to {above_default[0].n} items instead of {ENOUGH}, because chance is high: {names}.", err=True)
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
    folder: RunFolder, info: RunMetadata, model: Model, limits: RunLimits, workers: int, confirmed: Callable[[str], bool]
) -> tuple[RunSummary, RunMetadata] | None:
    """Evaluate the remaining items and write the data of all presented items; None if `confirmed` refuses the cost estimate.

    The data are written whenever the run ends by itself. A killed run leaves its records, and the next session resumes from them.
    Raises UserError as `isovist.run.runner.run` does.
    """
    from isovist.run.adaptive import ThresholdSearches, threshold_searches
    from isovist.run.records import latest_trial_results, read
    from isovist.run.run_folder import DATA
    from isovist.run.runner import run

    if info.adaptive is None:
        raise ValueError("not an adaptive run")
    if not folder.exists() and (data := folder.path / DATA).exists():
        raise UserError(f"Folder has data but no run: {data}. Choose another --out folder.")  # the data would be replaced
    with folder.locked():  # fails before anything is written if another run uses the folder
        on_record = latest_trial_results(folder.records)
        searches = threshold_searches(info.adaptive, read(folder.records), on_record, limits.attempts)
    known = [trial for trial in on_record.values() if trial.outcome != "request_error"]
    if known:
        click.echo(f"{len(known)} items already evaluated.", err=True)
    target = info.adaptive.target_half_width
    for search in searches:
        if search.done:
            click.echo(_result_line(search, target), err=True)
    max_requests = sum(0 if search.done else search.part.n - search.asked for search in searches)
    if not confirmed(f"Up to {max_requests} requests for {len(searches)} tasks, one new item each."):
        return None
    folder.write(replace(info, data_hash="", finished="", usage=None))
    with Progress(max_requests) as bar:

        def echo_progress(search: ThresholdSearch) -> None:
            bar.update()
            if search.done:
                bar.write(_result_line(search, target), file=sys.stderr)
            else:
                posterior = search.belief
                bar.note(f"{search.part.task}, {search.asked} items: {posterior.halfway:.1f} [{posterior.low:.1f}, {posterior.high:.1f}]")

        try:
            source = ThresholdSearches(searches, echo_progress)
            summary = run(folder, info, model, limits, feed=source, say=lambda message: bar.write(message, file=sys.stderr))
        except UserError:
            _write_data(folder, info, searches, workers, limits)
            raise
    summary.failed_permanently = sum(search.given_up for search in searches)
    summary.outcomes.update(trial.outcome for trial in known)
    if summary.failed_permanently:
        summary.outcomes["request_error"] += summary.failed_permanently
    return summary, _write_data(folder, info, searches, workers, limits)


def _result_line(search: ThresholdSearch, target: float) -> str:
    """The result of a finished search."""
    from isovist.analysis.level_results import interval_text, threshold_text

    estimate = search.fall
    if estimate is None:
        return f"{search.part.task}: no item scored, {search.asked} items"
    is_precise = estimate.half_width <= target
    reason = "target precision reached" if is_precise else f"item limit reached, half-width {estimate.half_width:.1f} instead of {target:g}"
    return (
        f"{search.part.task}: size threshold {threshold_text(estimate)}, 95% CI {interval_text(estimate)}, {search.asked} items ({reason})"
    )


def _write_data(folder: RunFolder, info: RunMetadata, searches: Sequence[ThresholdSearch], workers: int, limits: RunLimits) -> RunMetadata:
    """Write the presented items as the dataset of the run, and the usage; returns the new metadata."""
    from isovist.dataset.generate import generate
    from isovist.run.adaptive import presented_items
    from isovist.run.captions import read as captions
    from isovist.run.cost_estimate import estimate_cost
    from isovist.run.records import read
    from isovist.run.run_folder import DATA, data_hash, names, now
    from isovist.run.usage_summary import usage_summary

    parts = [presented_items(search) for search in searches if search.asked]
    if not parts:
        return info
    data = folder.path / DATA
    if data.exists() and not _holds(data, parts):
        shutil.rmtree(data)  # of the previous session; everything is generated again
    with Progress(sum(part.n for part in parts), desc="writing the items", leave=False) as bar:
        generate(parts, data, workers, bar.update)
    info = replace(info, data_hash=data_hash(data), parts=names(parts))
    sizes = estimate_cost(folder.trials(info), ()).sizes
    info = replace(info, finished=now(), usage=usage_summary(read(folder.records), captions(folder.captions), sizes, limits.price))
    folder.write(info)
    return info


def _holds(data: Path, parts: Sequence[DataPart]) -> bool:
    from isovist.dataset.manifest import MANIFEST, Manifest

    if not (data / MANIFEST).exists():
        return False
    return sorted(Manifest.read(data).parts, key=lambda part: part.task) == sorted(parts, key=lambda part: part.task)
