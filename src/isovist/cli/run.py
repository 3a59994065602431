"""`isovist run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from isovist.cli import echo
from isovist.cli.adaptive import adaptive_options
from isovist.cli.completion import tasks as task_names
from isovist.cli.item_options import (
    Count,
    base_url_option,
    connections_option,
    model_option,
    parts,
    style_option,
    which_items,
    workers_option,
)
from isovist.cli.variant_options import variant_options
from isovist.errors import UserError
from isovist.progress import Progress

_NO_OPTIONS = "Option without effect: --circular-eval (no item has options in its text). Remove it."
_NO_ORDER = "Option without effect: --image-order {0} (no item has this order of images). Remove it."
_PROBED_ITEMS = 8  # items of a part that are checked for other image orders
_ITEM_OPTIONS = ("seed", "level", "size", "task_options", "sizes")

if TYPE_CHECKING:
    from isovist.cli.adaptive import AdaptiveOptions
    from isovist.dataset.manifest import DataPart
    from isovist.models import Model
    from isovist.run.cost_estimate import CostEstimate
    from isovist.run.run_folder import ImageMode, RunFolder, RunMetadata
    from isovist.run.runner import RunLimits, RunSummary
    from isovist.run.variants import VariantSettings


def _finite(ctx: click.Context, param: click.Parameter, value: float) -> float:
    if not isfinite(value):
        raise click.BadParameter(f"{value} is not finite. Give a number from 0.", ctx, param)
    return value


@click.command()
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@model_option("openai/gpt-4o-mini, anthropic/..., hf/FOLDER, simulated/random, simulated/deficit:left-right", required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Run folder; the same command resumes the run.")
@click.option("--data", type=click.Path(path_type=Path), default=None, help="Use the items of this dataset folder instead of new ones.")
@base_url_option()
@connections_option(8)
@click.option("--temperature", type=click.FloatRange(min=0, max=1000), callback=_finite, default=0.0, show_default=True)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=None,
    help="Token limit of a response; a longer one is truncated  [default: the limit of the model, 32768 if unknown].",
)
@click.option("--timeout", type=Count(min=1), default=600, show_default=True, help="Seconds for one request, with its retries.")
@click.option("--max-attempts", "attempts", type=Count(min=1), default=5, show_default=True, help="Attempts at an item, over all sessions.")
@click.option(
    "--pricing",
    "prices",
    type=click.Path(path_type=Path),
    default=None,
    help="TOML table of prices, for the cost estimate and the usage summary.",
)
@click.option(
    "--max-cost",
    "budget",
    type=click.FloatRange(min=0),
    default=None,
    metavar="USD",
    help="Stop before the cost exceeds this amount; needs --pricing.",
)
@click.option("-y", "--no-confirm", is_flag=True, help="Start without confirmation.")
@click.option(
    "--image-mode",
    "protocol",
    type=click.Choice(["joint", "caption-first"]),
    default="joint",
    show_default=True,
    help="joint: all images with the question; caption-first: describe each image, then answer from the descriptions.",
)
@style_option()
@variant_options
@adaptive_options
@which_items(n=100)
@workers_option()
@echo.json_option
@click.pass_context
def command(
    ctx: click.Context, tasks: tuple[str, ...], name: str, out: Path, data: Path | None, base_url: str, concurrency: int, temperature: float, max_tokens: int | None,
    timeout: int, attempts: int, prices: Path | None, budget: float | None, no_confirm: bool, protocol: ImageMode, style: str | None, variants: VariantSettings, adaptive: AdaptiveOptions | None, n: int | None, seed: int, split: str, level: str | None, size: int | None, task_options: tuple[str, ...],
    sizes: str | None, workers: int, as_json: bool,
) -> None:  # fmt: skip
    r"""Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    \b
    Example: isovist run 'cdr/*' --model openai/gpt-4o-mini --n 200 --out runs/4o-mini
             isovist run 'cdr/*' --model qwen --base-url http://localhost:8000/v1 --out runs/qwen
             isovist run --data data/cdr --model simulated/pixel-solver --out runs/pixel-solver
             isovist run 'perceptv/*' --adaptive --model openai/gpt-4o-mini --out runs/sizes
    """
    from isovist.cli.adaptive import design, resumed_search, run_adaptively
    from isovist.models import GenerationConfig, SimulatedModel, model
    from isovist.models.base import AS_ALLOWED
    from isovist.prompts import DEFAULT_STYLE
    from isovist.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, names, now, resumed, stored, versions
    from isovist.run.runner import run
    from isovist.run.usage_summary import finish

    if data is not None:
        _no_fresh_items(ctx)
    if data is None and not tasks:
        raise UserError("Missing tasks. Name tasks such as 'cdr/*', or a dataset folder with --data.")
    limits = _limits(attempts, prices, budget, name)
    if out.exists() and not out.is_dir():
        raise UserError(f"Not a folder: {out}. Give a folder for --out.")
    folder = RunFolder(out)
    before = folder.info() if folder.exists() else None
    token_limit = max_tokens or (before.options.max_tokens if before else AS_ALLOWED)
    options = GenerationConfig(base_url, temperature, token_limit, concurrency, timeout)
    evaluated = model(name, options)  # before anything is written: the name may be wrong
    options = replace(options, max_tokens=token_limit or evaluated.longest)
    if data is None:
        requested = parts(
            tasks, default=(adaptive.max_items if adaptive else None) or 100, n=n, seed=seed, split=split, level=level, size=size,
            settings=task_options, sizes=sizes, style=style or DEFAULT_STYLE,
        )  # fmt: skip
        if before and (before.adaptive is None) != (adaptive is None):
            raise UserError(f"Run folder has a run that is {'not ' if adaptive else ''}adaptive: {out}. Choose another --out folder.")
        if not adaptive:
            if before and before.parts != names(requested):
                raise UserError(f"Run folder has other tasks or splits: {out}. Choose another --out folder.")
            data, n = _generated(requested, out, workers, variants), None
    else:
        requested = _stored(data, tasks, split if ctx.get_parameter_source("split") is ParameterSource.COMMANDLINE else None)
    info = RunMetadata(
        model=name,
        style=style or requested[0].style,
        options=options,
        data=stored(data, out) if data else DATA,
        data_hash=data_hash(data) if data else "",
        parts=names(requested),
        n=n,
        variants=variants,
        started=now(),
        versions=versions(),
        image_mode=protocol,
        adaptive=design(adaptive, requested, concurrency) if adaptive else None,
    )
    out.mkdir(parents=True, exist_ok=True)
    if before:
        info = resumed(before, resumed_search(before, info, out), out)
    if adaptive:
        confirmed = partial(_confirmed, evaluated, confirm=not no_confirm)
        if finished := run_adaptively(folder, info, evaluated, limits, workers, confirmed):
            summary, info = finished
            _print_summary(info, out, summary, evaluated, has_variants=False, as_json=as_json)
        return
    estimate = _estimate(folder, info)
    if info != before:
        folder.write(info)
    cost = estimate.summary_line(limits.price, concurrency, options.max_tokens)
    if limits.price and isinstance(evaluated, SimulatedModel):
        click.echo(cost, err=True)
    if not _confirmed(evaluated, cost, confirm=bool(estimate.requests) and not no_confirm):
        return
    with Progress(estimate.trials) as bar:
        summary = run(
            folder,
            info,
            evaluated,
            limits,
            lambda outcome: bar.update(failed=outcome == "request_error"),
            estimate=estimate if estimate.requests > 1 else None,
            say=lambda message: bar.write(message, sys.stderr),
        )
    info = finish(folder, info, estimate.sizes, limits.price)
    _print_summary(info, out, summary, evaluated, has_variants=not set(estimate.families) <= {""}, as_json=as_json)


def _confirmed(evaluated: Model, estimate: str, *, confirm: bool) -> bool:
    """Print the estimate of a run and ask for confirmation on a terminal; a simulated model needs neither."""
    from isovist.models import SimulatedModel

    if isinstance(evaluated, SimulatedModel):
        return True
    click.echo(estimate, err=True)
    if not confirm or not sys.stdin.isatty() or click.confirm("Continue?", err=True):
        return True
    click.echo("No requests sent. Run the same command again to start.")
    return False


def _limits(attempts: int, prices: Path | None, budget: float | None, name: str) -> RunLimits:
    from isovist.run.pricing import price
    from isovist.run.runner import RunLimits

    if budget is not None and prices is None:
        raise UserError("Option without prices: --max-cost. Add --pricing with a table of prices.")
    return RunLimits(attempts, price(prices, name) if prices else None, budget)


def _estimate(folder: RunFolder, info: RunMetadata) -> CostEstimate:
    """Read every item of the run before the first request."""
    from isovist.run.cost_estimate import estimate_cost
    from isovist.run.records import interrupted, latest_trial_results
    from isovist.run.variants import kind_of

    if numbers := interrupted(folder.records):
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:5]))}{', ...' * (len(numbers) > 5)}"
        click.echo(f"Incomplete records after an interruption: {folder.records}, {lines}. These items are evaluated again.", err=True)
    done = {name for name, verdict in latest_trial_results(folder.records).items() if verdict.outcome != "request_error"}
    if done:
        click.echo(f"{len(done)} items already evaluated.", err=True)
    with Progress(desc="reading the items", leave=False) as bar:
        estimate = estimate_cost(folder.trials(info, whole=True), done, bar.update, captions=info.image_mode == "caption-first")
    if info.variants.circular_eval and not estimate.families["circular"]:
        raise UserError(_NO_OPTIONS)
    for order in info.variants.image_orders:
        if not estimate.families[f"order:{kind_of(order)}"]:
            raise UserError(_NO_ORDER.format(order))
    return estimate


def _print_summary(info: RunMetadata, out: Path, summary: RunSummary, evaluated: Model, *, has_variants: bool, as_json: bool) -> None:
    """Print the results, the next command, and what to do about missing or unparsed responses.

    Exits with code 1 if items have no score yet.
    """
    from isovist.analysis.unparsed_responses import UnparsedResponses
    from isovist.run.runner import limit_elsewhere, remedy

    noun = "items and variants" if has_variants else "items"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.most_common())
    cost = f", {info.usage.cost_usd:.2f} USD" if info.usage and info.usage.cost_usd is not None else ""
    if as_json:
        usage = asdict(info.usage) if info.usage else None
        counts = {"trials": summary.total, "outcomes": dict(summary.outcomes), "evaluated_now": summary.requested}
        echo.as_json({"model": info.model, "run": str(out), **counts, "usage": usage})
    click.echo(f"{info.model}: {summary.total} {noun} ({outcomes}), {summary.requested} evaluated now{cost}", err=as_json)
    click.echo(f"Next: isovist report {out} --out {out / 'report'}", err=as_json)
    retryable = summary.outcomes["request_error"] - summary.failed_permanently
    last = f" (last: {summary.last_fault})" if summary.last_fault else ""
    echo.warnings(
        (
            (
                retryable,
                f"items not scored: request error{last}. {remedy(summary.last_fault, info, evaluated) or 'Run the same command again to retry them.'}",
            ),
            (summary.failed_permanently, "items failed permanently. Increase --max-attempts to retry them."),
        )
    )
    if summary.over_budget:
        click.echo("Cost limit reached. Run the same command with a larger --max-cost to resume.", err=True)
    unparsed = UnparsedResponses.of(summary.outcomes)
    if unparsed.many:
        elsewhere = limit_elsewhere(summary, info) if unparsed.counts[0][0] == "truncated" else ""
        click.echo(f"Unparsed responses: {unparsed.counts_text}. {elsewhere or unparsed.remedy(info)}", err=True)
    if retryable or summary.failed_permanently or summary.over_budget:
        sys.exit(1)


def _no_fresh_items(ctx: click.Context) -> None:
    """Raises UserError for options that select new items, which have no effect with --data."""
    for option in ctx.command.params:
        if option.name in _ITEM_OPTIONS and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise UserError(f"Option without effect on stored items: {option.opts[0]}. Remove it or --data.")


def _stored(data: Path, tasks: Sequence[str], split: str | None) -> list[DataPart]:
    """The parts of a dataset folder to evaluate."""
    from isovist.dataset.load import evaluated

    selected, n_skipped = evaluated(data, tasks, split)
    if n_skipped:
        click.echo(f"{n_skipped} items of split train skipped. Add --split train to evaluate them.", err=True)
    return selected


def _generated(requested: list[DataPart], out: Path, workers: int, variants: VariantSettings) -> Path:
    """Generate the items into the data folder of the run; returns that folder."""
    from isovist import registry
    from isovist.core.answers import Choice
    from isovist.dataset.generate import generate
    from isovist.run.run_folder import DATA
    from isovist.run.variants import kind_of

    if variants.circular_eval and not any(registry.task(part.task).answer_type == Choice.kind for part in requested):
        raise UserError(_NO_OPTIONS)  # before anything is written
    for order in variants.image_orders:
        if not any(order in (name, kind_of(name)) for part in requested for name in _orders(part)):
            raise UserError(_NO_ORDER.format(order))
    data = out / DATA
    with Progress(sum(part.n for part in requested), desc="generating the items", leave=False) as bar:
        generate(requested, data, workers, bar.update)
    return data


def _orders(part: DataPart) -> Iterator[str]:
    """The names of the other image orders of the first items of a part."""
    from isovist import registry

    orders = registry.task(part.task).image_orders
    return (name for item in part.items()[:_PROBED_ITEMS] for name in orders(item.scene)) if orders else iter(())
