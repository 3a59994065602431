"""Stage 2 of a run: what the requests need, in the run folder: items, worked examples and renderings; and the trials without a score.

After this stage nothing knows whether a run is new, resumed, a shard or adaptive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from isovist.common.errors import UserError
from isovist.data.dataset.generate import generate, grown, manifest_before
from isovist.evaluation.console import Console
from isovist.evaluation.plan import NO_OPTIONS, NO_ORDER, RunPlan
from isovist.evaluation.run.adaptive_trials import AdaptiveTrials
from isovist.evaluation.run.fixed_trials import FixedTrials, fixed_trials
from isovist.evaluation.run.records import interrupted
from isovist.evaluation.run.renderings import FOLDER as RENDERINGS
from isovist.evaluation.run.renderings import no_effect, prepare_renderings
from isovist.evaluation.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, may_grow
from isovist.evaluation.run.trial_source import TrialSource
from isovist.evaluation.run.variants import VariantSettings, kind_of
from isovist.evaluation.run.worked_examples import EXAMPLES, missing_examples, prepare_examples


@dataclass(frozen=True, slots=True)
class Work:
    """A run folder that is ready for requests."""

    folder: RunFolder
    info: RunMetadata
    trials: TrialSource


def prepare(plan: RunPlan, console: Console) -> Work:
    """Generate what is missing. Raises UserError for stored items that differ, and for a variant that no item has."""
    folder, info = plan.folder, plan.info
    for text in plan.warnings:
        console.say(text)
    for text in plan.notes:
        console.note(text)
    if numbers := interrupted(folder.records):
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:5]))}{', ...' * (len(numbers) > 5)}"
        console.say(f"Incomplete records after an interruption: {folder.records}, {lines}. These items are evaluated again.")
    if info.adaptive:
        trials = AdaptiveTrials(folder, info.adaptive, plan.limits, plan.workers)
        _say_known(trials, plan, console)
        for result in trials.results():
            console.say(result)
        return Work(folder, replace(info, data_hash="", finished="", usage=None), trials)
    if plan.data is None:
        data = folder.path / DATA
        before = plan.before
        if before and may_grow(info) and grown(manifest_before(data), plan.parts):
            before = replace(before, data_hash="")  # known again below: nothing else says so if the command is killed
            folder.write(before)
        with console.bar(sum(part.n for part in plan.parts), "generating the items", leave=False) as bar:
            generate(plan.parts, data, plan.workers, bar.update, grow=may_grow(info))
        info = replace(info, data_hash=data_hash(data))
        if before and not before.data_hash:
            folder.write(replace(before, data_hash=info.data_hash))
        elif before and before.data_hash != info.data_hash:
            raise UserError(f"Run folder has a different data hash: {folder.path}. Choose another --out folder.")
    if info.variants.shots:
        data, parts, examples = folder.data(info), folder.parts(info), folder.path / EXAMPLES
        if missing := missing_examples(parts, data, examples):
            with console.bar(sum(part.n for part in missing), "generating the worked examples", leave=False) as bar:
                prepare_examples(data, parts, examples, plan.workers, bar.update)
    trials = fixed_trials(folder, info, plan.limits.price)
    _say_known(trials, plan, console)
    if not info.shard:  # other shards may have the items of a variant
        _require_effect(info.variants, trials)
    if names := info.variants.renderings:
        with console.bar(sum(int(each.sum()) for each in trials.rows), "rendering the items", leave=False) as bar:
            parts, data = folder.parts(info), folder.data(info)
            prepare_renderings(folder.path / RENDERINGS, data, parts, trials.rows, names, plan.workers, bar.update)
    return Work(folder, info, trials)


def _say_known(trials: TrialSource, plan: RunPlan, console: Console) -> None:
    if known := trials.recorded.n_scored:
        changed = " If the function has changed, use another folder." if plan.is_function else ""
        console.note(f"{known} items already evaluated.{changed}")


def _require_effect(variants: VariantSettings, trials: FixedTrials) -> None:
    """Raises UserError for a variant that no item has."""
    if variants.circular_eval and not trials.families["circular"]:
        raise UserError(NO_OPTIONS)
    for name in variants.renderings:
        if not trials.families[f"rendering:{name}"]:
            raise no_effect(name)
    for order in variants.image_orders:
        if not trials.families[f"order:{kind_of(order)}"]:
            raise UserError(NO_ORDER.format(order))
