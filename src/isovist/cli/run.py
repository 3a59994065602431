"""`isovist run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from isovist.cli.adaptive import adaptive_options
from isovist.cli.completion import models
from isovist.cli.completion import tasks as tasks_there
from isovist.cli.item_options import Count, parts, style_option, which_items, workers_option
from isovist.cli.progress import Progress
from isovist.cli.variant_options import variant_options
from isovist.errors import UserError

_NOTHING_TURNS = "--circular-eval turns options that the words list, and no item here has such; leave it out."
_NO_ORDER = "--image-order {0}: no item here can be asked with its pictures in the order {0}; leave it out."
_FEW = 8  # items of a part that are asked whether they have an order
_FRESH = ("seed", "level", "size", "task_options", "sizes")

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
        raise click.BadParameter(f"{value} is no temperature; give a number from 0.", ctx, param)
    return value


@click.command()
@click.argument("tasks", nargs=-1, shell_complete=tasks_there)
@click.option(
    "--model",
    "name",
    required=True,
    shell_complete=models,
    help="openai/gpt-4o-mini, anthropic/..., hf/FOLDER, fake/random, fake/deficit:left-right; with --base-url the server's own name.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run's folder; the same command again goes on in it.")
@click.option("--data", type=click.Path(path_type=Path), default=None, help="Ask the items of this data folder instead of fresh ones.")
@click.option("--base-url", default="", help="An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY).")
@click.option(
    "--max-connections", "concurrency", type=click.IntRange(1, 10_000), default=8, show_default=True, help="Requests under way at once."
)
@click.option("--temperature", type=click.FloatRange(min=0, max=1000), callback=_finite, default=0.0, show_default=True)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=None,
    help="Longest reply; a longer one counts as truncated  [default: what the model allows, 32768 where unknown].",
)
@click.option("--timeout", type=Count(min=1), default=600, show_default=True, help="Seconds for one request with its retries.")
@click.option("--max-attempts", "attempts", type=Count(min=1), default=5, show_default=True, help="Sessions in which an item may fail.")
@click.option(
    "--pricing", "prices", type=click.Path(path_type=Path), default=None, help="A TOML table of prices, for the estimate and the receipt."
)
@click.option(
    "--max-cost", "budget", type=click.FloatRange(min=0), default=None, metavar="USD", help="Stop before this is spent; needs --pricing."
)
@click.option("--yes", is_flag=True, help="Start without a question.")
@click.option(
    "--image-mode",
    "protocol",
    type=click.Choice(["joint", "caption-first"]),
    default="joint",
    show_default=True,
    help="Show an item's pictures with its question, or one at a time to be described, and ask of the descriptions.",
)
@style_option()
@variant_options
@adaptive_options
@which_items(n=100)
@workers_option()
@click.pass_context
def command(
    ctx: click.Context, tasks: tuple[str, ...], name: str, out: Path, data: Path | None, base_url: str, concurrency: int, temperature: float, max_tokens: int | None,
    timeout: int, attempts: int, prices: Path | None, budget: float | None, yes: bool, protocol: ImageMode, style: str | None, variants: VariantSettings, adaptive: AdaptiveOptions | None, n: int | None, seed: int, split: str, level: str | None, size: int | None, task_options: tuple[str, ...],
    sizes: str | None, workers: int,
) -> None:  # fmt: skip
    r"""Evaluate a model on the items of some tasks. Every reply is recorded at once; what is on record is never asked again.

    \b
    Example: isovist run 'cdr/*' --model openai/gpt-4o-mini --n 200 --out runs/4o-mini
             isovist run 'cdr/*' --model qwen --base-url http://localhost:8000/v1 --out runs/qwen
             isovist run --data data/cdr --model fake/observer --out runs/observer
             isovist run 'perceptv/*' --adaptive --model openai/gpt-4o-mini --out runs/sizes
    """
    from isovist.cli.adaptive import asked_adaptively, design, resumed
    from isovist.models import GenerationConfig, SimulatedModel, model
    from isovist.models.base import AS_ALLOWED
    from isovist.prompts import DEFAULT_STYLE
    from isovist.run.captions import read as captions
    from isovist.run.records import read
    from isovist.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, names, now, stored, versions
    from isovist.run.runner import run
    from isovist.run.usage_summary import usage_summary

    if data is not None:
        _no_fresh_items(ctx)
    if data is None and not tasks:
        raise UserError("name the tasks to ask, such as 'cdr/*', or a data folder with --data.")
    limits = _limits(attempts, prices, budget, name)
    _usable(out)
    folder = RunFolder(out)
    before = folder.info() if folder.exists() else None
    longest = max_tokens or (before.options.max_tokens if before else AS_ALLOWED)
    options = GenerationConfig(base_url, temperature, longest, concurrency, timeout)
    asked = model(name, options)  # first, so that a wrong name leaves nothing behind
    options = replace(options, max_tokens=longest or asked.longest)
    if data is None:
        wanted = parts(
            tasks,
            default=(adaptive.most if adaptive else None) or 100,
            n=n,
            seed=seed,
            split=split,
            level=level,
            size=size,
            settings=task_options,
            sizes=sizes,
            style=style or DEFAULT_STYLE,
        )
        if before and (before.adaptive is None) != (adaptive is None):
            raise UserError(f"{out}: holds a run that is {'not ' if adaptive else ''}adaptive; give another folder.")
        if not adaptive:
            if before and before.parts != names(wanted):
                raise UserError(f"{out}: holds a run of other parts; give another folder.")
            data, n = _generated(wanted, out, workers, variants), None
    else:
        wanted = _stored(data, tasks, split if ctx.get_parameter_source("split") is ParameterSource.COMMANDLINE else None)
    info = RunMetadata(
        model=name,
        style=style or wanted[0].style,
        options=options,
        data=stored(data, out) if data else DATA,
        data_hash=data_hash(data) if data else "",
        parts=names(wanted),
        n=n,
        variants=variants,
        started=now(),
        versions=versions(),
        image_mode=protocol,
        adaptive=design(adaptive, wanted, concurrency) if adaptive else None,
    )
    out.mkdir(parents=True, exist_ok=True)
    if before:
        info = resumed(before, info, out)
        differs = before.differing_settings(info)
        if differs:
            raise UserError(f"{out}: holds a run with another {' and '.join(differs)}; give another folder.")
        info = replace(before, variants=before.variants | variants, adaptive=info.adaptive)
    if adaptive:
        if ended := asked_adaptively(folder, info, asked, limits, workers, lambda message: _agreed(asked, message, yes=yes)):
            tally, info = ended
            _summary(info, out, tally, asked, plain=True)
        return
    surveyed = _surveyed(folder, info)
    if info != before:
        folder.write(info)
    told_of = surveyed.summary_line(limits.price, concurrency, options.max_tokens)
    if limits.price and isinstance(asked, SimulatedModel):
        click.echo(told_of, err=True)
    if not _agreed(asked, told_of, yes=yes or not surveyed.requests):
        return
    with Progress(surveyed.askings) as bar:
        tally = run(
            folder,
            info,
            asked,
            limits,
            lambda outcome: bar.update(failed=outcome == "error"),
            estimate=surveyed if surveyed.requests > 1 else None,
            say=lambda words: bar.write(words, sys.stderr),
        )
    info = replace(info, finished=now(), usage=usage_summary(read(folder.records), captions(folder.captions), surveyed.sizes, limits.price))
    folder.write(info)
    _summary(info, out, tally, asked, plain=set(surveyed.families) <= {""})


def _agreed(asked: Model, message: str, *, yes: bool) -> bool:
    """Tells what will be sent to a real model, and asks at a terminal whether to go on."""
    from isovist.models import SimulatedModel

    if isinstance(asked, SimulatedModel):
        return True
    click.echo(message, err=True)
    if yes or not sys.stdin.isatty() or click.confirm("go on?", err=True):
        return True
    click.echo("nothing was sent; the same command starts the run.")
    return False


def _limits(attempts: int, prices: Path | None, budget: float | None, name: str) -> RunLimits:
    from isovist.run.pricing import price
    from isovist.run.runner import RunLimits

    if budget is not None and prices is None:
        raise UserError("--max-cost needs --pricing, a table of what the model costs.")
    return RunLimits(attempts, price(prices, name) if prices else None, budget)


def _surveyed(folder: RunFolder, info: RunMetadata) -> CostEstimate:
    """Looks at every item before the first request."""
    from isovist.run.cost_estimate import estimate_cost
    from isovist.run.records import interrupted, latest_trial_results
    from isovist.run.variants import kind_of

    if cut := interrupted(folder.records):
        lines = f"line{'s' * (len(cut) > 1)} {', '.join(map(str, cut[:5]))}{', ...' * (len(cut) > 5)}"
        click.echo(f"{folder.records}: {lines} cut off by an interruption; what has no record for that reason is asked again", err=True)
    done = {name for name, verdict in latest_trial_results(folder.records).items() if verdict.outcome != "error"}
    if done:
        click.echo(f"{len(done)} items are on record and are not asked again", err=True)
    with Progress(desc="reading the items", leave=False) as bar:
        estimate = estimate_cost(folder.askings(info, whole=True), done, bar.update, captions=info.image_mode == "caption-first")
    if info.variants.circular_eval and not estimate.families["circular"]:
        raise UserError(_NOTHING_TURNS)
    for order in info.variants.image_orders:
        if not estimate.families[f"order:{kind_of(order)}"]:
            raise UserError(_NO_ORDER.format(order))
    return estimate


def _summary(info: RunMetadata, out: Path, tally: RunSummary, asked: Model, *, plain: bool) -> None:
    """Tells what came of it, in the last line what is to be done about replies that could not be read; exit code 1 if items have no
    verdict yet.
    """
    from isovist.analysis.unparsed_responses import UnparsedResponses
    from isovist.run.runner import limit_elsewhere, remedy

    name, receipt = info.model, info.usage
    noun = "items" if plain else "items and variants"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common())
    cost = f", {receipt.cost_usd:.2f} USD" if receipt and receipt.cost_usd is not None else ""
    click.echo(f"{name}: {tally.total} {noun} ({outcomes}); {tally.requested} asked now{cost}")
    click.echo(f"see them with: isovist report {out} --out {out / 'report'}")
    retryable = tally.outcomes["error"] - tally.failed_permanently
    if retryable:
        last = f" The last one: {tally.last_fault}{remedy(tally.last_fault, info, asked)}" if tally.last_fault else ""
        click.echo(f"{retryable} items ended in machine faults; the same command asks them again.{last}", err=True)
    if tally.failed_permanently:
        click.echo(
            f"{tally.failed_permanently} items have failed too often and are not asked again; --max-attempts with a larger number does.",
            err=True,
        )
    if tally.over_budget:
        click.echo("the budget is spent; the same command with a larger --max-cost goes on.", err=True)
    unparsed = UnparsedResponses.of(tally.outcomes)
    if unparsed.many:
        elsewhere = limit_elsewhere(tally, info) if unparsed.counts[0][0] == "truncated" else ""
        click.echo(f"Unparsed responses: {unparsed.counts_text}. {elsewhere or unparsed.remedy(info)}", err=True)
    if retryable or tally.failed_permanently or tally.over_budget:
        sys.exit(1)


def _no_fresh_items(ctx: click.Context) -> None:
    """Refuses the options that say which items to make: the items of a data folder are made."""
    for option in ctx.command.params:
        if option.name in _FRESH and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise UserError(f"{option.opts[0]} says which items to make, and --data asks stored ones; leave one of the two out.")


def _stored(data: Path, tasks: Sequence[str], split: str | None) -> list[DataPart]:
    """The parts of a data folder that are asked: of the split that was task_options, else of the test split where the data hold one."""
    from isovist.dataset.load import chosen
    from isovist.dataset.manifest import Manifest

    wanted = chosen(data, Manifest.read(data), tasks, split)
    if not wanted:
        raise UserError(f"{data}: holds no items{f' of the split {split}' if split else ''}; generate some into it.")
    tests = [part for part in wanted if part.split == "test"]
    if split or not tests or len(tests) == len(wanted):
        return wanted
    left = sum(part.n for part in wanted) - sum(part.n for part in tests)
    click.echo(f"{data}: asks its test split; {left} items of its split train are left out (--split train asks them)", err=True)
    return tests


def _usable(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: a file; give a folder for --out.")


def _generated(wanted: list[DataPart], out: Path, workers: int, variants: VariantSettings) -> Path:
    """The run's own data folder with these items in it."""
    from isovist import registry
    from isovist.core.answers import Choice
    from isovist.dataset.generate import generate
    from isovist.run.run_folder import DATA
    from isovist.run.variants import kind_of

    if variants.circular_eval and not any(registry.task(part.task).answer_type == Choice.kind for part in wanted):
        raise UserError(_NOTHING_TURNS)  # before anything is written
    for order in variants.image_orders:
        if not any(order in (name, kind_of(name)) for part in wanted for name in _orders(part)):
            raise UserError(_NO_ORDER.format(order))
    data = out / DATA
    with Progress(sum(part.n for part in wanted), desc="generating the items", leave=False) as bar:
        generate(wanted, data, workers, bar.update)
    return data


def _orders(part: DataPart) -> Iterator[str]:
    """The names of other orders that the first items of a part have."""
    from isovist import registry

    orders = registry.task(part.task).image_orders
    return (name for made in part.items()[:_FEW] for name in orders(made.scene)) if orders else iter(())
