"""One session of a run, of the command and of Python: check the settings, prepare the items, send the requests that remain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.private_seeds import using
from isovist.common.shards import Shard
from isovist.core.answers import Choice
from isovist.core.task import SPLITS, Value
from isovist.data.dataset.generate import generate
from isovist.data.dataset.generation_request import requested
from isovist.data.dataset.load import evaluated
from isovist.data.dataset.manifest import DataPart
from isovist.data.prompt_template import PromptTemplate
from isovist.data.prompts import DEFAULT_STYLE, STYLES
from isovist.data.releases.definition import FORMS, Form, release
from isovist.data.releases.stored_data import release_of
from isovist.evaluation import adaptive
from isovist.evaluation.config import CONFIG, TEMPLATE, toml
from isovist.evaluation.console import Console
from isovist.evaluation.models import FunctionModel, GenerationConfig, Model, SimulatedModel, model, require_schemas
from isovist.evaluation.models.base import IMAGE_DETAILS, IMAGE_FORMATS, REASONING_EFFORTS
from isovist.evaluation.models.option_support import check_text
from isovist.evaluation.run.cost_estimate import CostEstimate, estimate_cost
from isovist.evaluation.run.first_items import check_requests
from isovist.evaluation.run.pricing import price
from isovist.evaluation.run.records import interrupted
from isovist.evaluation.run.remaining_trials import RemainingTrials, remaining_trials
from isovist.evaluation.run.renderings import FOLDER as RENDERINGS
from isovist.evaluation.run.renderings import check_renderings, no_effect, prepare_renderings
from isovist.evaluation.run.run_folder import (
    DATA,
    PROTOCOLS,
    ImageMode,
    RunFolder,
    RunMetadata,
    data_hash,
    names,
    now,
    resumed,
    stored,
    versions,
)
from isovist.evaluation.run.runner import RunLimits, RunSummary, run
from isovist.evaluation.run.usage_summary import finish
from isovist.evaluation.run.variants import VariantSettings, kind_of
from isovist.evaluation.run.worked_examples import EXAMPLES, missing_examples, prepare_examples
from isovist.suites import registry

_NO_OPTIONS = "Option without effect: --circular-eval (no item has options in its text). Remove it."
_NO_ORDER = "Option without effect: --image-order {0} (no item has this order of images). Remove it."
_PROBED_ITEMS = 8  # items of a part that are checked for other image orders
_DEFAULT_N = 100
_MOST_SHARDS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The settings of a session. Names and defaults are those of the options of `isovist run`."""

    model: str | FunctionModel
    out: Path
    tasks: Sequence[str] = ()
    release: str = ""
    """The release whose items are evaluated, instead of `tasks`; a name or a TOML file."""
    form: Form | None = None
    """The form of the release; None is "short"."""
    secret: Path | None = None
    """The secret file of the private seed of the release; None is its public development seed."""
    data: Path | None = None
    shard: str = ""
    n: int | None = None
    seed: int = 0
    split: str = ""
    """"" is the test split; with `data`, it is the test split if there is one, else all."""
    level: str | None = None
    image_size: int | None = None
    task_options: Mapping[str, Value] = field(default_factory=dict[str, Value])
    preset: str | None = None
    prompt_style: str = ""
    prompt_template: PromptTemplate | None = None
    image_mode: ImageMode = "joint"
    variants: VariantSettings = field(default_factory=VariantSettings)
    adaptive: bool = False
    ci_half_width: float | None = None
    max_items: int | None = None
    options: GenerationConfig = field(default_factory=GenerationConfig)
    max_attempts: int = 5
    pricing: Path | None = None
    max_cost: float | None = None
    workers: int = 1
    config: Mapping[str, object] | None = None
    """The given options, for `config.toml` in the run folder; None for a function, which no file can name."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The state of a run at the end of a session."""

    info: RunMetadata
    summary: RunSummary
    model: Model
    has_variants: bool


def evaluate(request: RunRequest, console: Console) -> Finished | None:
    """Evaluate the items that have no score yet. None if `console.confirm` refuses the estimate.

    Raises UserError for invalid settings, before anything is written, and where `isovist.evaluation.run.runner.run` does.
    """
    with using(request.secret):
        return _evaluate(request, console)


def _evaluate(request: RunRequest, console: Console) -> Finished | None:
    _require_compatible(request)
    out, data, n = request.out, request.data, request.n
    limits = _limits(request)
    if out.exists() and not out.is_dir():
        raise UserError(f"Not a folder: {out}. Give a folder for --out.")
    folder = RunFolder(out)
    before = folder.info(shard_allowed=True) if folder.exists() else None
    options = (
        request.options if request.options.max_tokens or not before else replace(request.options, max_tokens=before.options.max_tokens)
    )
    evaluated_model = model(request.model, options) if isinstance(request.model, str) else request.model  # the name may be wrong
    is_free = isinstance(evaluated_model, SimulatedModel) or isinstance(request.model, FunctionModel)
    if request.variants.structured:
        require_schemas(evaluated_model)
    options = replace(options, max_tokens=options.max_tokens or evaluated_model.longest)
    search = adaptive.AdaptiveOptions.of(request.ci_half_width, request.max_items) if request.adaptive else None
    if data is None:
        parts = _new_parts(request, console)
        if before and (before.adaptive is None) == request.adaptive:
            raise UserError(
                f"Run folder has a run that is {'not ' if request.adaptive else ''}adaptive: {out}. Choose another --out folder."
            )
        if not request.adaptive and before and before.parts != names(parts):
            raise UserError(f"Run folder has other tasks or splits: {out}. Choose another --out folder.")
        _check_requests(parts, request)
        if not request.adaptive:
            data, n = _generated(parts, request, console), None
    else:
        parts, n_skipped = evaluated(data, request.tasks, request.split or None)
        if n_skipped:
            console.note(f"{n_skipped} items of split train skipped. Add --split train to evaluate them.")
        _check_requests(parts, request)
    info = RunMetadata(
        model=evaluated_model.name if isinstance(request.model, FunctionModel) else request.model,
        style=request.prompt_template.name if request.prompt_template else request.prompt_style or parts[0].style,
        options=options,
        data=stored(data, out) if data else DATA,
        data_hash=data_hash(data) if data else "",
        parts=names(parts),
        n=n,
        variants=request.variants,
        started=now(),
        versions=versions(),
        image_mode=request.image_mode,
        adaptive=adaptive.design(search, parts, options.concurrency, console) if search else None,
        prompt_template=request.prompt_template.text if request.prompt_template else "",
        shard=str(Shard.parse(request.shard)) if request.shard else "",
    )
    if data and not (request.prompt_template or info.style != parts[0].style or info.image_mode != "joint" or n is not None):
        release, commitment = release_of(data, parts)
        info = replace(info, release=release, commitment=commitment)
    if before:
        info = resumed(before, adaptive.resumed_search(before, info, out), out)
    out.mkdir(parents=True, exist_ok=True)

    def write(info: RunMetadata) -> None:
        if info != before:
            folder.write(info)
        if request.config is not None:
            write_atomically(out / CONFIG, toml(request.config, info))
        if request.config is not None and info.prompt_template:
            write_atomically(out / TEMPLATE, info.prompt_template)

    if search:
        result = adaptive.run_adaptively(
            folder, info, evaluated_model, limits, request.workers, console, write, lambda text: is_free or _confirmed(text, console)
        )
        return Finished(result[1], result[0], evaluated_model, has_variants=False) if result else None
    if info.variants.shots:
        _prepare_examples(folder, info, request.workers, console)
    remaining = _remaining(folder, info, limits, console, is_function=isinstance(request.model, FunctionModel))
    if info.variants.renderings:
        _prepare_renderings(remaining, request.workers, console)
    estimate = _estimate(remaining, console)
    write(info)
    if info.shard and limits.budget_usd is not None:
        count = Shard.parse(info.shard).count
        console.note(f"--max-cost is per shard: {count} shards cost up to {count * limits.budget_usd:,.2f} USD.")
    cost = estimate.summary_line(limits.price, options.concurrency, options.max_tokens)
    if is_free and limits.price:
        console.note(cost)
    if not is_free and not _confirmed(cost, console, is_asked=bool(estimate.requests)):
        return None
    with console.bar(estimate.trials) as bar:
        summary = run(
            folder,
            info,
            evaluated_model,
            limits,
            lambda outcome, cost: bar.update(failed=outcome == "request_error", cost_usd=cost),
            estimate=estimate if estimate.requests > 1 and not console.is_quiet else None,
            say=lambda text: console.say(text, bar),
            remaining=remaining,
        )
    info = finish(folder, info, summary.n_new, summary.image_sizes, limits.price)
    return Finished(info, summary, evaluated_model, has_variants=not set(estimate.families) <= {""})


def _require_compatible(request: RunRequest) -> None:
    """Raises UserError for invalid settings, and for settings that exclude each other or have no effect."""
    options = request.options
    least = {"--limit": (request.n, 0), "--max-items": (request.max_items, 10), "--max-attempts": (request.max_attempts, 1),
             "--max-cost": (request.max_cost, 0), "--workers": (request.workers, 1), "--temperature": (options.temperature, 0),
             "--max-tokens": (options.max_tokens, 0), "--max-connections": (options.concurrency, 1), "--timeout": (options.timeout_s, 1),
             "--sampling-seed": (options.seed, 0), "--reasoning-tokens": (options.reasoning_tokens, 0)}  # fmt: skip
    for name, (value, smallest) in least.items():
        if value is not None and not smallest <= value < inf:
            raise UserError(f"Invalid {name}: {value}. Give a number from {smallest}.")
    choices = {"--image-mode": (request.image_mode, PROTOCOLS), "--split": (request.split, ("", *SPLITS)),
               "--preset": (request.preset, (None, "paper")), "--form": (request.form, (None, *FORMS)), "--prompt-style": (request.prompt_style, ("", *STYLES)),
               "--reasoning-effort": (options.reasoning_effort, (None, *REASONING_EFFORTS)),
               "--image-detail": (options.image_detail, IMAGE_DETAILS), "--image-format": (options.image_format, IMAGE_FORMATS)}  # fmt: skip
    for name, (value, known) in choices.items():
        if value not in known:
            raise UserError(f"Invalid {name}: {value}. Choose from {', '.join(filter(None, known))}.")
    if options.top_p is not None and not 0 < options.top_p <= 1:
        raise UserError(f"Invalid --top-p: {options.top_p}. Give a number above 0, at most 1.")
    for name, text in (("--system-prompt", options.system_prompt), *(("--stop", text) for text in options.stop_seqs)):
        check_text(name, text)
    if "" in options.stop_seqs:
        raise UserError("Empty text: --stop. Give the text that ends a response.")
    if request.prompt_template and (request.prompt_style or request.adaptive):
        other = "--prompt-style" if request.prompt_style else "--adaptive"
        raise UserError(f"Option incompatible with {other}: --prompt-template. Remove one of them.")
    if request.variants.shots and request.image_mode != "joint":
        raise UserError(f"Option incompatible with --image-mode {request.image_mode}: --shots. Remove one of them.")
    if not -(2**63) <= request.seed < 2**63:
        raise UserError(f"Invalid --seed: {request.seed}. Give a whole number from 0 to 2^63-1.")
    _require_release_alone(request)
    if request.data is None and not request.tasks and not request.release:
        raise UserError("Missing tasks. Name tasks such as 'cdr/*', a release with --release, or a dataset folder with --data.")
    if request.shard:
        count = Shard.parse(request.shard).count
        if request.adaptive:
            raise UserError("Option incompatible with --adaptive: --shard. Remove one of them.")
        if request.data is None:
            raise UserError("Option without --data: --shard. Generate the items once (`isovist generate`), then add --data to every shard.")
        if count > _MOST_SHARDS:
            raise UserError(f"Too many shards: {count}. Give at most {_MOST_SHARDS:,}.")
    if request.adaptive:
        incompatible = {"--data": request.data is not None, "--limit": request.n is not None, "--preset": request.preset is not None}
        for name in (name for name, given in incompatible.items() if given):
            raise UserError(f"Option incompatible with --adaptive: {name}. Remove it; --max-items limits the items.")
        if request.variants != VariantSettings():
            raise UserError("Variants are incompatible with --adaptive. Run them with `isovist run --data` on the data of the run.")
    else:
        adaptive_only = {"--ci-half-width": request.ci_half_width, "--max-items": request.max_items}
        for name in (name for name, value in adaptive_only.items() if value is not None):
            raise UserError(f"Option without --adaptive: {name}. Add --adaptive or remove the option.")
    if request.data is not None:
        new_only: dict[str, object] = {
            "--seed": request.seed, "--level": request.level, "--image-size": request.image_size is not None,
            "--task-option": request.task_options, "--preset": request.preset,
        }  # fmt: skip
        for name in (name for name, given in new_only.items() if given):
            raise UserError(f"Option without effect on stored items: {name}. Remove it or --data.")


def _require_release_alone(request: RunRequest) -> None:
    """Raises UserError for settings that a release defines, and for options of a release without one."""
    if not request.release:
        of_release = {"--form": request.form, "--secret": request.secret}
        for name in (name for name, value in of_release.items() if value is not None):
            raise UserError(f"Option without --release: {name}. Name the release, such as --release isovist-2026.12.")
        return
    conflicts: dict[str, object] = {
        "TASKS": request.tasks, "--limit": request.n is not None, "--seed": request.seed, "--split": request.split,
        "--level": request.level is not None, "--image-size": request.image_size is not None, "--task-option": request.task_options,
        "--preset": request.preset is not None, "--adaptive": request.adaptive, "--prompt-style": request.prompt_style,
        "--prompt-template": request.prompt_template, "--shots": request.variants.shots, "--data": request.data is not None,
        "--image-mode": request.image_mode != "joint",
    }  # fmt: skip
    if names_given := [name for name, given in conflicts.items() if given]:
        raise UserError(f"The release defines the items and prompts: {', '.join(names_given)} with --release. Remove one of the two.")


def _limits(request: RunRequest) -> RunLimits:
    if request.max_cost is not None and request.pricing is None:
        raise UserError("Option without prices: --max-cost. Add --pricing with a table of prices.")
    name = request.model if isinstance(request.model, str) else request.model.name
    return RunLimits(request.max_attempts, price(request.pricing, name) if request.pricing else None, request.max_cost)


def _new_parts(request: RunRequest, console: Console) -> list[DataPart]:
    if request.release:
        return release(request.release).parts(request.form or "short", private=request.secret is not None)
    size = {} if request.image_size is None else {"size": request.image_size}
    parts, without_split = requested(
        request.tasks, default=request.max_items or _DEFAULT_N, n=request.n, seed=request.seed, split=request.split or "test",
        level=request.level, settings={**request.task_options, **size}, sizes=request.preset, style=request.prompt_style or DEFAULT_STYLE,
    )  # fmt: skip
    for name in without_split:
        console.say(f"Skipped {name}: the paper has no {request.split or 'test'} split of this task.")
    return parts


def _generated(parts: Sequence[DataPart], request: RunRequest, console: Console) -> Path:
    """Generate the items into the data folder of the run; returns that folder."""
    if request.variants.circular_eval and not any(registry.task(part.task).answers.type == Choice.kind for part in parts):
        raise UserError(_NO_OPTIONS)  # before anything is written
    for order in request.variants.image_orders:
        if not any(order in (name, kind_of(name)) for part in parts for name in _orders(part)):
            raise UserError(_NO_ORDER.format(order))
    data = request.out / DATA
    with console.bar(sum(part.n for part in parts), "generating the items", leave=False) as bar:
        generate(parts, data, request.workers, bar.update)
    return data


def _check_requests(parts: Sequence[DataPart], request: RunRequest) -> None:
    """Raises UserError for options of the requests that do not suit the items, before anything is written."""
    if shots := request.variants.shots:
        missing_examples(parts, request.data, request.out / EXAMPLES, max(shots))
    check_renderings(request.variants.renderings, parts)
    style = request.prompt_template or request.prompt_style or parts[0].style
    check_requests(parts, request.data, style, request.options.stop_seqs, request.variants)


def _prepare_examples(folder: RunFolder, info: RunMetadata, workers: int, console: Console) -> None:
    data, parts, examples = folder.data(info), folder.parts(info), folder.path / EXAMPLES
    if missing := missing_examples(parts, data, examples):
        with console.bar(sum(part.n for part in missing), "generating the worked examples", leave=False) as bar:
            prepare_examples(data, parts, examples, workers, bar.update)


def _prepare_renderings(remaining: RemainingTrials, workers: int, console: Console) -> None:
    folder, info, rows = remaining.folder, remaining.info, remaining.rows
    with console.bar(sum(int(each.sum()) for each in rows), "rendering the items", leave=False) as bar:
        parts, names = folder.parts(info), info.variants.renderings
        prepare_renderings(folder.path / RENDERINGS, folder.data(info), parts, rows, names, workers, bar.update)


def _orders(part: DataPart) -> Iterator[str]:
    """The names of the other image orders of the first items of a part."""
    orders = registry.task(part.task).images.orders
    return (name for item in part.items()[:_PROBED_ITEMS] for name in orders(item.scene)) if orders else iter(())


def _remaining(folder: RunFolder, info: RunMetadata, limits: RunLimits, console: Console, *, is_function: bool) -> RemainingTrials:
    """The trials without a score. Raises UserError for a variant that no item has."""
    if numbers := interrupted(folder.records):
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:5]))}{', ...' * (len(numbers) > 5)}"
        console.say(f"Incomplete records after an interruption: {folder.records}, {lines}. These items are evaluated again.")
    remaining = remaining_trials(folder, info, limits.price)
    if done := remaining.recorded.n_scored:
        changed = " If the function has changed, use another folder." if is_function else ""
        console.note(f"{done} items already evaluated.{changed}")
    if info.shard:  # other shards may have such items
        return remaining
    if info.variants.circular_eval and not remaining.families["circular"]:
        raise UserError(_NO_OPTIONS)
    for name in info.variants.renderings:
        if not remaining.families[f"rendering:{name}"]:
            raise no_effect(name)
    for order in info.variants.image_orders:
        if not remaining.families[f"order:{kind_of(order)}"]:
            raise UserError(_NO_ORDER.format(order))
    return remaining


def _estimate(remaining: RemainingTrials, console: Console) -> CostEstimate:
    """The cost estimate of the trials without a score, which are validated; of many, a sample is read."""
    info = remaining.info
    with console.bar(desc="reading the items", leave=False) as bar:
        estimate = estimate_cost(remaining.sampled(), (), bar.update, captions=info.image_mode == "caption-first")
    if remaining.are_many:
        estimate = estimate.extrapolated(remaining.count)
    estimate.characters += estimate.requests * len(info.options.system_prompt)
    estimate.trials, estimate.families = remaining.total, remaining.families
    return estimate


def _confirmed(estimate: str, console: Console, *, is_asked: bool = True) -> bool:
    """Print the estimate and ask for confirmation."""
    if is_asked and console.is_asking:
        console.say(estimate)
    else:
        console.note(estimate)
    return not is_asked or console.confirm()
