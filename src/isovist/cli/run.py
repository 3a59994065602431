"""`isovist run`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isovist.cli import echo
from isovist.cli.completion import tasks as task_names
from isovist.cli.config_file import configurable, is_given, tasks_or_config
from isovist.cli.options import option, options, values
from isovist.common.errors import UserError
from isovist.common.options import declared
from isovist.data.item_options import ItemOptions
from isovist.evaluation.paper_protocols import PROTOCOLS
from isovist.evaluation.run_spec import AdaptiveTesting, Limits, Presentation, RequestOptions, RunSpec, Source, VariantOptions, flag

if TYPE_CHECKING:
    from isovist.core.answers import Outcome
    from isovist.evaluation.session import Finished


_MODEL = f"{str(declared(RunSpec)['model'].option.help).rstrip('.')}; given several times: each model has a run folder inside --out."


def _list_protocols(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the protocol of the paper that was named before, or of all."""
    del param
    if not value or ctx.resilient_parsing:
        return
    named = ctx.params.get("paper")
    for name in [named] if named else PROTOCOLS:
        click.echo("\n".join((f"{name}:", *(f"  {line}" for line in PROTOCOLS[name].listed(flag)))))
    ctx.exit()


@configurable("ISOVIST_RUN")
@click.command()
@click.argument("tasks", nargs=-1, is_eager=True, callback=tasks_or_config, shell_complete=task_names)
@options(Source, RequestOptions, Limits, model={"is_repeatable": True, "help": _MODEL})
@click.option("-y", "--no-confirm", is_flag=True, help="Start without confirmation.")
@options(Presentation, VariantOptions, AdaptiveTesting, ItemOptions)
@option(RunSpec, "workers")
@click.option(
    "--list",
    is_flag=True,
    callback=_list_protocols,
    expose_value=False,
    help="After --paper: print what it sets and what the other tables of the paper need, and exit; alone: of all papers.",
)
@echo.json_option
@echo.output_options
@click.pass_context
def command(ctx: click.Context, *, no_confirm: bool, as_json: bool, **_: object) -> None:
    r"""Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    TASKS may be a TOML file with options, such as `n = 200`. Each option is also an environment variable, such as ISOVIST_RUN_MODEL.

    \b
    Example: isovist run 'cdr/*' --model openai/gpt-4o-mini --n 200 --out runs/4o-mini
             isovist run 'cdr/*' --model qwen --base-url http://localhost:8000/v1 --out runs/qwen
             isovist run --data data/cdr --model simulated/pixel-solver --out runs/pixel-solver
             isovist run --paper cospace --model openai/gpt-4o-mini --out runs/cospace
             isovist run --release isovist-2026.12 --model openai/gpt-4o-mini --out runs/release
             isovist run 'perceptv/*' --adaptive --model openai/gpt-4o-mini --out runs/sizes
             isovist run evaluation.toml --model anthropic/... --out runs/other
             isovist run 'cdr/*' --model openai/gpt-4o-mini --model anthropic/... --out runs
    """
    from isovist.evaluation.console import Console
    from isovist.evaluation.session import evaluate_each

    given = values(ctx, RunSpec)
    if not ctx.params["release"] and not is_given(ctx, "secret"):
        del given["secret"]  # the file in the environment, for stored items
    folders = _folders(given["model"], given["out"])
    specs = [
        RunSpec(**given | dict[str, Any](model=model, out=out), given=frozenset(name for name in given if is_given(ctx, name)))
        for model, out in folders.items()
    ]
    is_asking = not no_confirm and sys.stdin.isatty()
    console = Console(is_quiet=echo.is_quiet(), is_asking=is_asking, confirm=partial(_confirmed, is_asking=is_asking))
    summaries: list[dict[str, object]] = []
    exit_code = 0
    for out, finished in zip(folders.values(), evaluate_each(specs, console), strict=True):
        if isinstance(finished, UserError):
            click.echo(f"{out.name}: {finished}", err=True)
            exit_code = 2
        elif finished:
            summary, is_complete = _print_summary(finished, out, to_stderr=as_json)
            summaries.append(summary)
            exit_code = exit_code or int(not is_complete)
    comparison = None
    next_command = f"isovist report {given['out']} --out {given['out'] / 'report'}"
    if specs[0].shard:
        next_command = f"isovist merge OUT SHARD... (after all {specs[0].shard.partition('/')[2]} shards)"
    elif len(summaries) > 1 and not specs[0].adaptive:
        comparison = _print_comparison([Path(str(summary["run"])) for summary in summaries], to_stderr=as_json)
        next_command = f"isovist compare {given['out']} --out {given['out'] / 'comparison'}"
    if summaries and not echo.is_quiet():
        click.echo(f"Next: {next_command}", err=as_json)
    if as_json and summaries:
        echo.as_json(summaries[0] if len(specs) == 1 else {"runs": summaries, "comparison": comparison})
    sys.exit(exit_code)


def _folders(models: Sequence[str], out: Path) -> dict[str, Path]:
    """The run folder of each model: `out`, or for several models folders inside it. Raises UserError for two models with the same folder."""
    if len(models) == 1:
        return {models[0]: out}
    from isovist.evaluation.run.run_folder import RUN, folder_name

    if (out / RUN).exists():
        raise UserError(f"Run folder for several models: {out}. Choose another --out folder; each model has a folder inside it.")
    folders = {model: out / folder_name(model, 100) for model in models}
    if len({folder.name.casefold() for folder in folders.values()}) < len(models):
        raise UserError(f"Models with the same folder name: {', '.join(models)}. Name each once, or run them one by one with their --out.")
    return folders


def _confirmed(*, is_asking: bool) -> bool:
    """Ask for confirmation on a terminal."""
    if not is_asking or click.confirm("Continue?", err=True):
        return True
    click.echo("No requests sent. Run the same command again to start.")
    return False


def _print_comparison(runs: Sequence[Path], *, to_stderr: bool) -> object:
    """Print the accuracies of several runs side by side; returns the tables of the comparison, None without an item that all have scored."""
    from isovist.evaluation.run.verification import Verifier
    from isovist.reporting.reports.compare import compare
    from isovist.reporting.reports.compare_tables import in_columns
    from isovist.reporting.reports.model_comparison import ModelComparison

    try:
        comparison = ModelComparison(replace(compare(runs, Verifier(False)), caveats=()))  # this command has scored them
    except UserError as error:
        click.echo(f"No comparison: {error}", err=True)
        return None
    for line in ("", *comparison.sentences, *(f"  {fact}" for fact in comparison.facts)):
        click.echo(line, err=to_stderr)
    click.echo(in_columns(next(iter(comparison.tables.values()))).rstrip("\n"), err=to_stderr)
    return comparison.records()


def _print_summary(finished: Finished, out: Path, *, to_stderr: bool) -> tuple[dict[str, object], bool]:
    """Print the results, the next command, and what to do about missing or unparsed responses.

    Returns the results for `--json`, and whether all items have a score.
    """
    from isovist.evaluation.models.finish_reasons import ONLY_REASONING
    from isovist.evaluation.run.records import RECORDS, latest_trial_results
    from isovist.evaluation.run.run_summary import limit_elsewhere, not_scored
    from isovist.evaluation.run.verification import Verifier
    from isovist.reporting.analysis.collect import load_results
    from isovist.reporting.analysis.unparsed_responses import UnparsedResponses, by_prompt_style
    from isovist.reporting.reports.compare_tables import in_columns
    from isovist.reporting.reports.sections.verdict import by_suite
    from isovist.reporting.reports.table import Table

    info, summary = finished.info, finished.summary
    noun = "items and variants" if finished.has_variants else "items"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.most_common())
    cost = f", {info.usage.cost_usd:.2f} USD" if info.usage and info.usage.cost_usd is not None else ""
    accuracies = None if info.shard or info.adaptive or not summary.answered else by_suite(load_results([out], Verifier(False)))
    click.echo(f"{info.model}: {summary.total} {noun} ({outcomes}), {summary.requested} evaluated now{cost}", err=to_stderr)
    if accuracies:
        without_name = Table(accuracies.columns[1:], [row[1:] for row in accuracies.rows])
        click.echo(in_columns(without_name).rstrip("\n"), err=to_stderr)
    if retryable := not_scored(summary, info, finished.model):
        click.echo(retryable, err=True)
    echo.warnings(((summary.failed_permanently, "items failed permanently. Increase --max-attempts to retry them."),))
    if summary.over_budget:
        click.echo("Cost limit reached. Run the same command with a larger --max-cost to resume.", err=True)
    unparsed = UnparsedResponses.of(summary.outcomes)
    arrived = f"{summary.n_only_reasoning:,} arrived {ONLY_REASONING}" if summary.n_only_reasoning else ""
    if unparsed.many:
        kind = unparsed.counts[0][0]
        elsewhere = limit_elsewhere(summary, info) if kind == "truncated" else arrived if kind == "empty" else ""
        by_variant: defaultdict[str, list[Outcome]] = defaultdict(list)
        for (_, variant), result in latest_trial_results(out / RECORDS).items():
            by_variant[variant].append(result.outcome)
        styles = by_prompt_style(info, by_variant)
        click.echo(f"Unparsed responses: {unparsed.counts_text}.{styles} {elsewhere or unparsed.remedy(info)}", err=True)
    elif arrived:
        click.echo(f"Empty responses: {arrived}", err=True)
    counts = {"trials": summary.total, "outcomes": dict(summary.outcomes), "evaluated_now": summary.requested}
    usage = asdict(info.usage) if info.usage else None
    results = accuracies.records() if accuracies else None
    is_incomplete = retryable or summary.failed_permanently or summary.over_budget
    return {"model": info.model, "run": str(out), **counts, "usage": usage, "accuracy": results}, not is_incomplete
