"""`isovist run`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import echo
from isovist.cli.adaptive_options import adaptive_options
from isovist.cli.completion import tasks as task_names
from isovist.cli.config_file import configurable, given, is_given, tasks_or_config
from isovist.cli.item_options import (
    Count,
    model_option,
    style_option,
    task_option,
    template_option,
    which_items,
    workers_option,
)
from isovist.cli.release_options import form_option, secret_option
from isovist.cli.request_options import request_options
from isovist.cli.variant_options import variant_options
from isovist.common.errors import UserError

if TYPE_CHECKING:
    from isovist.data.prompt_template import PromptTemplate
    from isovist.data.releases.definition import Form
    from isovist.evaluation.models import GenerationConfig
    from isovist.evaluation.run.run_folder import ImageMode
    from isovist.evaluation.run.variants import VariantSettings
    from isovist.evaluation.session import Finished


@configurable("ISOVIST_RUN")
@click.command()
@click.argument("tasks", nargs=-1, is_eager=True, callback=tasks_or_config, shell_complete=task_names)
@model_option("openai/gpt-4o-mini, anthropic/..., hf/FOLDER, simulated/random, simulated/deficit:left-right", required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Run folder; the same command resumes the run.")
@click.option(
    "--release", default="", metavar="NAME", help="Evaluate the items of a release, such as isovist-2026.12, or of its TOML file."
)
@form_option("With --release: the number of items [default: short].", default=None)
@secret_option("With --release: use the private seed of this secret file instead of the public one")
@click.option("--data", type=click.Path(path_type=Path), default=None, help="Use the items of this dataset folder instead of new ones.")
@click.option(
    "--shard",
    default="",
    metavar="I/N",
    help="With --data: evaluate part I (from 0) of N, in a run folder of its own; `isovist merge` merges all N. --max-cost is per shard.",
)
@request_options
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
@template_option()
@variant_options
@adaptive_options
@which_items(n=100)
@workers_option()
@echo.json_option
@echo.output_options
@click.pass_context
def command(
    ctx: click.Context, tasks: tuple[str, ...], name: str, out: Path, release: str, form: Form | None, secret: Path | None, data: Path | None, shard: str, options: GenerationConfig,
    attempts: int, prices: Path | None, budget: float | None, no_confirm: bool, protocol: ImageMode, style: str | None, template: PromptTemplate | None, variants: VariantSettings, adaptive: bool, ci_half_width: float | None, max_items: int | None, n: int | None, seed: int, split: str, level: str | None, size: int | None, task_options: tuple[str, ...],
    sizes: str | None, workers: int, as_json: bool,
) -> None:  # fmt: skip
    r"""Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    TASKS may be a TOML file with options, such as `n = 200`. Each option is also an environment variable, such as ISOVIST_RUN_MODEL.

    \b
    Example: isovist run 'cdr/*' --model openai/gpt-4o-mini --n 200 --out runs/4o-mini
             isovist run 'cdr/*' --model qwen --base-url http://localhost:8000/v1 --out runs/qwen
             isovist run --data data/cdr --model simulated/pixel-solver --out runs/pixel-solver
             isovist run --release isovist-2026.12 --model openai/gpt-4o-mini --out runs/release
             isovist run 'perceptv/*' --adaptive --model openai/gpt-4o-mini --out runs/sizes
             isovist run evaluation.toml --model anthropic/... --out runs/other
    """
    from isovist.evaluation.console import Console
    from isovist.evaluation.session import RunRequest, evaluate

    if not release and not is_given(ctx, "secret"):
        secret = None  # the file in the environment, for stored items
    if release and is_given(ctx, "seed"):
        raise UserError("The release defines the items and prompts: --seed with --release. Remove one of the two.")
    request = RunRequest(
        model=name, out=out, tasks=tasks, release=release, form=form, secret=secret, data=data, shard=shard, n=n, seed=seed, split=split if is_given(ctx, "split") else "", level=level,
        image_size=size, task_options=dict(map(task_option, task_options)), preset=sizes, prompt_style=style or "", prompt_template=template,
        image_mode=protocol, variants=variants, adaptive=adaptive, ci_half_width=ci_half_width, max_items=max_items, options=options,
        max_attempts=attempts, pricing=prices, max_cost=budget, workers=workers, config=given(ctx),
    )  # fmt: skip
    is_asking = not no_confirm and sys.stdin.isatty()
    console = Console(is_quiet=echo.is_quiet(), is_asking=is_asking, confirm=partial(_confirmed, is_asking=is_asking))
    if finished := evaluate(request, console):
        _print_summary(finished, out, as_json=as_json)


def _confirmed(*, is_asking: bool) -> bool:
    """Ask for confirmation on a terminal."""
    if not is_asking or click.confirm("Continue?", err=True):
        return True
    click.echo("No requests sent. Run the same command again to start.")
    return False


def _print_summary(finished: Finished, out: Path, *, as_json: bool) -> None:
    """Print the results, the next command, and what to do about missing or unparsed responses.

    Exits with code 1 if items have no score yet.
    """
    from isovist.evaluation.run.runner import limit_elsewhere, remedy
    from isovist.reporting.analysis.unparsed_responses import UnparsedResponses

    info, summary = finished.info, finished.summary
    noun = "items and variants" if finished.has_variants else "items"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.most_common())
    cost = f", {info.usage.cost_usd:.2f} USD" if info.usage and info.usage.cost_usd is not None else ""
    if as_json:
        usage = asdict(info.usage) if info.usage else None
        counts = {"trials": summary.total, "outcomes": dict(summary.outcomes), "evaluated_now": summary.requested}
        echo.as_json({"model": info.model, "run": str(out), **counts, "usage": usage})
    click.echo(f"{info.model}: {summary.total} {noun} ({outcomes}), {summary.requested} evaluated now{cost}", err=as_json)
    if not echo.is_quiet():
        next_command = f"isovist report {out} --out {out / 'report'}"
        if info.shard:
            next_command = f"isovist merge OUT SHARD... (after all {info.shard.partition('/')[2]} shards)"
        click.echo(f"Next: {next_command}", err=as_json)
    retryable = summary.outcomes["request_error"] - summary.failed_permanently
    last = f" (last: {summary.last_fault})" if summary.last_fault else ""
    echo.warnings(
        (
            (
                retryable,
                f"items not scored: request error{last}. {remedy(summary.last_fault, info, finished.model) or 'Run the same command again to retry them.'}",
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
