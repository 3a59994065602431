"""Stage 1 of a run: from the options to all decisions. The only stage that reads `RunSpec`. It writes nothing and sends nothing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.options import declared, several
from isovist.common.shards import Shard
from isovist.core.answers import Choice
from isovist.data.dataset.generate import check_renderers
from isovist.data.dataset.generation_request import listed, requested
from isovist.data.dataset.load import evaluated
from isovist.data.dataset.manifest import DataPart
from isovist.data.prompt_template import PromptTemplate
from isovist.data.prompt_template import read as read_template
from isovist.data.prompts import DEFAULT_STYLE
from isovist.data.releases.definition import release, release_of
from isovist.evaluation.models import Embedded, GenerationConfig, Local, Model, RemoteModel, SimulatedModel, model, require_schemas
from isovist.evaluation.models.option_support import generation_config
from isovist.evaluation.models.python_function import function_model
from isovist.evaluation.paper_protocols import PROTOCOLS
from isovist.evaluation.run.adaptive_design import design, resumed_design
from isovist.evaluation.run.first_items import check_requests
from isovist.evaluation.run.pricing import Price, RunLimits, built_in_price, price
from isovist.evaluation.run.renderings import check_renderings
from isovist.evaluation.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, has_design_of, names, now, resumed, stored, versions
from isovist.evaluation.run.variants import VariantSettings, kind_of
from isovist.evaluation.run.worked_examples import EXAMPLES, missing_examples
from isovist.evaluation.run_spec import RequestOptions, RunSpec, config, flag
from isovist.suites import registry

NO_OPTIONS = "Option without effect: --circular-eval (no item has options in its text). Remove it."
NO_ORDER = "Option without effect: --image-order {0} (no item has this order of images). Remove it."
_PROBED_ITEMS = 8  # items of a part that are checked for other image orders
_DEFAULT_N = 100
_LOCAL_PROVIDERS = ("llama-cpp-python", "mockllm", "nnterp", "ollama", "sglang", "transformer_lens", "vllm")
_MOST_SHARDS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """All decisions of a session."""

    folder: RunFolder
    before: RunMetadata | None
    """The metadata of the run that this session resumes."""
    info: RunMetadata
    """The metadata of the run; of new items without the hash of the data."""
    model: Model
    data: Path | None
    """The dataset folder; None: `parts` are generated into the run folder."""
    parts: Sequence[DataPart]
    limits: RunLimits
    workers: int
    config: Mapping[str, object] | None
    """The given options, for `config.toml` in the run folder; None for a function, which no file can name."""
    notes: Sequence[str]
    warnings: Sequence[str]

    @property
    def is_function(self) -> bool:
        """Whether the model is a function of this process."""
        return self.config is None

    @property
    def is_free(self) -> bool:
        """Whether a function or a simulated model answers at once."""
        return self.is_function or isinstance(self.model, SimulatedModel)

    @property
    def may_cost(self) -> bool:
        """Whether requests may cost money: those of a provider, a server or a plug-in, unless their price is 0."""
        is_here = isinstance(self.model, Embedded | Local)
        is_local = not self.info.options.base_url and self.info.model.partition("/")[0] in _LOCAL_PROVIDERS
        return not (self.is_free or is_here or is_local or self.limits.price == Price(0, 0))


def plan(spec: RunSpec) -> RunPlan:
    """The decisions of a session. Raises UserError for options that cannot be combined with each other, the model, the items or the run."""
    if spec.out is None:
        raise ValueError("a session needs a run folder")
    out, data = Path(spec.out), None if spec.data is None else Path(spec.data)
    notes: list[str] = []
    warnings: list[str] = []
    options = generation_config(spec)
    if not isinstance(spec.model, str):  # a function receives no temperature, given or not
        options = replace(options, temperature=GenerationConfig().temperature)
        if "max_connections" not in spec.given and not inspect.iscoroutinefunction(getattr(spec.model, "generate", spec.model)):
            options = replace(options, concurrency=1)  # it may not be made for threads
    variants = VariantSettings.of(spec)
    template = None if spec.prompt_template is None else read_template(Path(spec.prompt_template))
    shard = Shard.parse(spec.shard) if spec.shard else None
    if shard and shard.count > _MOST_SHARDS:
        raise UserError(f"Too many shards: {shard.count}. Give at most {_MOST_SHARDS:,}.")
    if out.exists() and not out.is_dir():
        raise UserError(f"Not a folder: {out}. Give a folder for --out.")
    folder = RunFolder(out)
    before = folder.info(shard_allowed=True) if folder.exists() else None
    if before and not options.max_tokens:
        options = replace(options, max_tokens=before.options.max_tokens)
    if before and options.auto_concurrency and before.options.auto_concurrency:
        options = replace(options, concurrency=max(1, before.options.concurrency))
    evaluated_model = _model(spec, options)
    name = spec.model if isinstance(spec.model, str) else evaluated_model.name
    at_provider = None if options.base_url else built_in_price(name)  # a server may call its model as it likes
    limits = RunLimits(spec.max_attempts, price(Path(spec.pricing), name) if spec.pricing else at_provider, spec.max_cost)
    if spec.max_cost is not None and limits.price is None:
        raise UserError(f"No price of {name}: {flag('max_cost')}. Add {flag('pricing')} with a table of prices.")
    if options.auto_concurrency and not isinstance(evaluated_model, RemoteModel):
        raise UserError(f"Option without effect on {name}: {flag('max_connections')} auto, for servers and providers. Give a number.")
    if variants.structured:
        require_schemas(evaluated_model)
    if spec.batch_size:
        options = replace(options, concurrency=spec.batch_size)
    options = replace(options, max_tokens=options.max_tokens or evaluated_model.longest)
    if data is not None:
        parts, n_skipped = evaluated(data, several(str, spec.tasks), spec.split)
        if n_skipped:
            notes.append(f"{n_skipped} items of split train skipped. Add --split train to evaluate them.")
    elif spec.release:
        parts = release(str(spec.release)).parts(spec.form or "short", private=spec.secret is not None)
    elif spec.items:
        parts = listed(Path(spec.items), spec.prompt_style or DEFAULT_STYLE)
    else:
        style = spec.prompt_style or DEFAULT_STYLE
        if others := [task.id for task in registry.matching(several(str, spec.tasks)) if spec.paper and task.suite != spec.paper]:
            raise UserError(f"Not in the paper of {spec.paper}: {', '.join(others)}. Remove these tasks, or --paper.")
        parts, without_split = requested(several(str, spec.tasks), spec, default=spec.max_items or _DEFAULT_N, style=style)
        if spec.paper:
            notes += PROTOCOLS[spec.paper].lines(flag, spec.paper_conditions)
            if "image_order" not in spec.given:  # some of the paper's tasks have none
                orders = tuple(order for order in variants.image_orders if _has_order(parts, order))
                variants = replace(variants, image_orders=orders)
        warnings += [f"Skipped {name}: the paper has no {spec.split or 'test'} split of this task." for name in without_split]
    _check_folder(out, before, parts, is_new=data is None, is_adaptive=spec.adaptive)
    _check_items(parts, data, out, template or spec.prompt_style or parts[0].style, options, variants)
    adaptive = None
    if spec.adaptive:
        adaptive, warning = design(spec.ci_half_width, spec.max_items, parts, options.concurrency)
        warnings += [warning] if warning else []
    info = RunMetadata(
        model=name,
        style=template.name if template else spec.prompt_style or parts[0].style,
        options=options,
        data=stored(data, out) if data else DATA,
        data_hash=data_hash(data) if data else before.data_hash if before else "",
        parts=names(parts),
        n=spec.n if data else None,
        variants=variants,
        started=now(),
        versions=versions(),
        image_mode=spec.image_mode,
        adaptive=adaptive,
        prompt_template=template.text if template else "",
        shard=str(shard) if shard else "",
    )
    named, commitment = release_of(data, parts) if data else (parts[0].release, parts[0].commitment)
    if has_design_of(parts, info):
        info = replace(info, release=named, commitment=commitment)
    if before:
        info = resumed(before, resumed_design(before, info, out), out)
    if shard and limits.budget_usd is not None:
        notes.append(f"--max-cost is per shard: {shard.count} shards cost up to {shard.count * limits.budget_usd:,.2f} USD.")
    return RunPlan(
        folder=folder,
        before=before,
        info=info,
        model=evaluated_model,
        data=data,
        parts=parts,
        limits=limits,
        workers=spec.workers,
        config=config(spec) if isinstance(spec.model, str) else None,
        notes=notes,
        warnings=warnings,
    )


def _model(spec: RunSpec, options: GenerationConfig) -> Model:
    """The model of a name, or a function as a model, to which no request option applies."""
    if isinstance(spec.model, str):
        if spec.batch_size is not None:
            raise UserError("Argument without effect on a model by name: batch_size. Use max_connections.")
        return model(spec.model, options)
    effective = {"max_connections"} if spec.batch_size is None else set[str]()
    given = {name for name in spec.given if getattr(spec, name) is not None}  # `temperature=None` sends none, as a function does
    if ineffective := sorted(given & (declared(RequestOptions).keys() - effective)):
        raise UserError(f"Argument without effect on a function: {ineffective[0]}. Remove it.")
    return function_model(spec.model, spec.name, spec.batch_size or options.concurrency, is_batched=spec.batch_size is not None)


def _check_folder(out: Path, before: RunMetadata | None, parts: Sequence[DataPart], *, is_new: bool, is_adaptive: bool) -> None:
    """Raises UserError for a run folder with another run."""
    if is_new and before and (before.adaptive is None) == is_adaptive:
        raise UserError(f"Run folder has a run that is {'not ' if is_adaptive else ''}adaptive: {out}. Choose another --out folder.")
    if is_new and before and not is_adaptive and before.parts != names(parts):
        raise UserError(f"Run folder has other tasks or splits: {out}. Choose another --out folder.")
    if is_adaptive and not before and (data := out / DATA).exists():
        raise UserError(f"Folder has data but no run: {data}. Choose another --out folder.")  # the data would be replaced


def _check_items(
    parts: Sequence[DataPart], data: Path | None, out: Path, style: str | PromptTemplate, options: GenerationConfig,
    variants: VariantSettings,
) -> None:  # fmt: skip
    """Raises UserError for prompts and variants that do not suit the items, and for new items that cannot be rendered here."""
    if data is None:
        check_renderers(parts)
    if variants.shots:
        missing_examples(parts, data, out / EXAMPLES, max(variants.shots))
    check_renderings(variants.renderings, parts)
    check_requests(parts, data, style, options.stop_seqs, variants)
    if data is not None:
        return
    if variants.circular_eval and not any(registry.task(part.task).answers.type == Choice.kind for part in parts):
        raise UserError(NO_OPTIONS)
    for order in variants.image_orders:
        if not _has_order(parts, order):
            raise UserError(NO_ORDER.format(order))


def _has_order(parts: Sequence[DataPart], order: str) -> bool:
    return any(order in (name, kind_of(name)) for part in parts for name in _orders(part))


def _orders(part: DataPart) -> Iterator[str]:
    """The names of the other image orders of the first items of a part."""
    orders = registry.task(part.task).images.orders
    return (name for item in part.items()[:_PROBED_ITEMS] for name in orders(item.scene)) if orders else iter(())
