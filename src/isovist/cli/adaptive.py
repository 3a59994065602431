"""`isovist run --adaptive`: the sizes that tell most, fresh items each time, until the half-way size is known well enough."""

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

from isovist.cli.item_options import Count
from isovist.cli.progress import Progress
from isovist.errors import UserError

if TYPE_CHECKING:
    from isovist.dataset.manifest import DataPart
    from isovist.models import Model
    from isovist.run.adaptive import ThresholdSearch
    from isovist.run.adaptive_settings import AdaptiveSettings
    from isovist.run.run_folder import RunFolder, RunMetadata
    from isovist.run.runner import RunLimits, RunSummary
    from isovist.run.variants import VariantSettings

_PRECISION = 1.0
_OPTIONS = (
    click.option("--adaptive", is_flag=True, help="Choose the sizes by the answers so far; for tasks whose levels are sizes."),
    click.option(
        "--ci-half-width",
        "precision",
        type=float,
        default=_PRECISION,
        show_default=True,
        metavar="SIZES",
        help="Adaptive: stop at this half-width of the 95 % interval of the half-way size.",
    ),
    click.option(
        "--max-items",
        "most",
        type=Count(min=10),
        default=None,
        help="Adaptive: stop after so many items of a task  [default: 80, or 100 where chance is above 25 %].",
    ),
)
_OTHERS = {
    "data": "--data asks stored items",
    "n": "--max-items says how many items there may be",
    "sizes": "--max-items says how many items there may be",
}
_NAMES = {"data": "--data", "n": "--limit", "sizes": "--preset", "precision": "--ci-half-width", "most": "--max-items"}
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class AdaptiveOptions:
    """What `--adaptive` asks for."""

    precision: float
    most: int | None
    """None: by the task's chance."""


def adaptive_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options; the command is given them as one `adaptive`, None without. Raises UserError for what does not go together."""

    @wraps(command)
    def packed(*args: Any, adaptive: bool, precision: float, most: int | None, variants: VariantSettings, **others: Any) -> None:
        context = click.get_current_context()
        given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        if not adaptive and (left := given & {"precision", "most"}):
            raise UserError(f"{_NAMES[min(left)]} is for --adaptive; add that, or leave it out.")
        if not adaptive:
            command(*args, adaptive=None, variants=variants, **others)
            return
        if not (isfinite(precision) and precision > 0):
            raise UserError(f"--ci-half-width {precision:g}: give a half-width in sizes above 0, such as 1.")
        for name, why in _OTHERS.items():
            if name in given:
                raise UserError(f"--adaptive makes fresh items as it goes, and {why}; leave {_NAMES[name]} out.")
        if variants != type(variants)():
            raise UserError("--adaptive asks each item once, as it is; ask it in other ways with `isovist run --data` on the run's data.")
        command(*args, adaptive=AdaptiveOptions(precision, most), variants=variants, **others)

    decorated: Callable[..., None] = packed
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def design(wanted: AdaptiveOptions, pool: Sequence[DataPart], concurrency: int) -> AdaptiveSettings:
    """How to choose, told where more items than usual may be needed. Raises UserError for tasks whose levels are no sizes, or too few."""
    from isovist.analysis.level_results import size
    from isovist.run.adaptive import enough
    from isovist.run.adaptive_settings import AdaptiveSettings
    from isovist.stats.adaptive_testing import ENOUGH

    for part in pool:
        sizes = [size(level) for level in part.items().levels]
        if None in sizes:
            raise UserError(
                f"{part.task}: its levels are no sizes, so --adaptive has nothing to choose; it is for tasks such as perceptv/*."
            )
        if len(set(sizes)) < max(_FEWEST, len(sizes)):
            raise UserError(f"{part.task}: --adaptive needs {_FEWEST} different sizes or more to choose from; name more with --level.")
    if wanted.most is None:
        pool = [replace(part, n=enough(part)) for part in pool]
        if guessed := [part for part in pool if part.n > ENOUGH]:
            names = ", ".join(part.task for part in guessed)
            click.echo(f"guesses are often right in {names}: up to {guessed[0].n} items there, not {ENOUGH}", err=True)
    return AdaptiveSettings(wanted.precision, wanted.most, -(-concurrency // len(pool)), tuple(pool))


def resumed(before: RunMetadata, info: RunMetadata, out: Path) -> RunMetadata:
    """`info` as it goes on in the folder of `before`: what is asked together stays so, however many requests are under way now; the
    precision and the most items may be others. Raises UserError for other items.
    """
    if before.adaptive is None or info.adaptive is None:
        return info
    old, new = before.adaptive, info.adaptive
    if [replace(part, n=0) for part in old.pool] != [replace(part, n=0) for part in new.pool]:
        raise UserError(f"{out}: holds an adaptive run of other tasks, sizes, settings or another seed; give another folder.")
    if old.method != new.method:
        raise UserError(f"{out}: its sizes were chosen by another rule ({old.method}, now {new.method}); give another folder.")
    return replace(info, adaptive=replace(new, batch_size=old.batch_size), parts=before.parts, data_hash=before.data_hash)


def asked_adaptively(
    folder: RunFolder, info: RunMetadata, asked: Model, limits: RunLimits, workers: int, agreed: Callable[[str], bool]
) -> tuple[RunSummary, RunMetadata] | None:
    """Asks what is left to ask, and writes down the data and what came of it; None if `agreed`, told what may be sent, says no.

    The data are those of all items that were asked. They are there whenever it leaves off by itself; what is killed before leaves
    its records, and the next session goes on from them. Raises UserError as `isovist.run.runner.run` does.
    """
    from isovist.run.adaptive import ThresholdSearches, hunts
    from isovist.run.records import latest_trial_results, read
    from isovist.run.run_folder import DATA
    from isovist.run.runner import run

    if info.adaptive is None:
        raise ValueError("no adaptive run")
    if not folder.exists() and (data := folder.path / DATA).exists():
        raise UserError(f"{data}: there already, and of no run; give another folder for --out.")  # it would be replaced
    with folder.locked():  # told now if another run is at work here, before anything is written
        on_record = latest_trial_results(folder.records)
        searches = hunts(info.adaptive, read(folder.records), on_record, limits.attempts)
    known = [trial for trial in on_record.values() if trial.outcome != "error"]
    if known:
        click.echo(f"{len(known)} items are on record and are not asked again", err=True)
    precision = info.adaptive.target_half_width
    for hunt in searches:
        if hunt.done:  # by what is on record
            click.echo(_sentence(hunt, precision), err=True)
    most = sum(0 if hunt.done else hunt.part.n - hunt.asked for hunt in searches)
    if not agreed(f"{most} requests at most, about {len(searches)} tasks, each with a fresh item"):
        return None
    folder.write(replace(info, data_hash="", finished="", usage=None))  # until the data are written again
    with Progress(most) as bar:

        def echo_progress(hunt: ThresholdSearch) -> None:
            bar.update()
            if hunt.done:
                bar.write(_sentence(hunt, precision), file=sys.stderr)
            else:
                believed = hunt.belief
                bar.note(f"{hunt.part.task}, {hunt.asked} items: {believed.halfway:.1f} [{believed.low:.1f}, {believed.high:.1f}]")

        try:
            tally = run(
                folder,
                info,
                asked,
                limits,
                feed=ThresholdSearches(searches, echo_progress),
                say=lambda words: bar.write(words, file=sys.stderr),
            )
        except UserError:
            _settled(folder, info, searches, workers, limits)
            raise
    tally.failed_permanently = sum(hunt.given_up for hunt in searches)
    for verdict in known:
        tally.outcomes[verdict.outcome] += 1
    if tally.failed_permanently:
        tally.outcomes["error"] += tally.failed_permanently
    return tally, _settled(folder, info, searches, workers, limits)


def _sentence(hunt: ThresholdSearch, precision: float) -> str:
    """What a hunt that is done has come to."""
    from isovist.analysis.level_results import interval_text, threshold_text

    estimate = hunt.fall
    if estimate is None:
        return f"{hunt.part.task}: nothing was answered, {hunt.asked} items"
    how = (
        "precise enough"
        if estimate.half_width <= precision
        else f"most items asked, half-width {estimate.half_width:.1f} and not {precision:g}"
    )
    return f"{hunt.part.task}: size threshold {threshold_text(estimate)}, 95% CI {interval_text(estimate)}, {hunt.asked} items ({how})"


def _settled(folder: RunFolder, info: RunMetadata, searches: Sequence[ThresholdSearch], workers: int, limits: RunLimits) -> RunMetadata:
    """The run with its data written down: the items that were asked, as any data folder has them."""
    from isovist.dataset.generate import generate
    from isovist.run.adaptive import asked
    from isovist.run.captions import read as captions
    from isovist.run.cost_estimate import estimate_cost
    from isovist.run.records import read
    from isovist.run.run_folder import DATA, data_hash, names, now
    from isovist.run.usage_summary import usage_summary

    parts = [asked(hunt) for hunt in searches if hunt.asked]
    if not parts:
        return info
    data = folder.path / DATA
    if data.exists() and not _holds(data, parts):
        shutil.rmtree(data)  # of the session before; all of it is made again
    with Progress(sum(part.n for part in parts), desc="writing the items", leave=False) as bar:
        generate(parts, data, workers, bar.update)
    info = replace(info, data_hash=data_hash(data), parts=names(parts))
    sizes = estimate_cost(folder.askings(info), ()).sizes
    info = replace(info, finished=now(), usage=usage_summary(read(folder.records), captions(folder.captions), sizes, limits.price))
    folder.write(info)
    return info


def _holds(data: Path, parts: Sequence[DataPart]) -> bool:
    from isovist.dataset.manifest import MANIFEST, Manifest

    if not (data / MANIFEST).exists():
        return False
    return sorted(Manifest.read(data).parts, key=lambda part: part.task) == sorted(parts, key=lambda part: part.task)
