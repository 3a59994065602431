"""`isovist run`."""

from __future__ import annotations

import sys
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from isovist.cli.request import parts, style_option, which_items, workers_option
from isovist.errors import BadInput

_FRESH = ("seed", "split", "level", "size", "told", "sizes")

if TYPE_CHECKING:
    from isovist.dataset.manifest import Part
    from isovist.models import Model
    from isovist.run.folder import RunFolder, RunInfo
    from isovist.run.runner import Tally


def _finite(ctx: click.Context, param: click.Parameter, value: float) -> float:
    if not isfinite(value):
        raise click.BadParameter(f"{value} is no temperature; give a number from 0.", ctx, param)
    return value


@click.command()
@click.argument("tasks", nargs=-1)
@click.option(
    "--model",
    "name",
    required=True,
    help="openai/gpt-4o-mini, anthropic/..., vllm/..., fake/random; with --base-url the server's own name.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run's folder; the same command again goes on in it.")
@click.option("--data", type=click.Path(path_type=Path), default=None, help="Ask the items of this data folder instead of fresh ones.")
@click.option("--base-url", default="", help="An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY).")
@click.option("--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Requests under way at once.")
@click.option("--temperature", type=click.FloatRange(min=0, max=1000), callback=_finite, default=0.0, show_default=True)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), default=4096, show_default=True, help="Longest reply; a longer one counts as truncated."
)
@click.option("--timeout", type=click.IntRange(min=1), default=600, show_default=True, help="Seconds for one request with its retries.")
@style_option()
@which_items(n=100)
@workers_option()
@click.pass_context
def command(
    ctx: click.Context, tasks: tuple[str, ...], name: str, out: Path, data: Path | None, base_url: str, concurrency: int, temperature: float, max_tokens: int,
    timeout: int, style: str | None, n: int | None, seed: int, split: str, level: str | None, size: int | None, told: tuple[str, ...],
    sizes: str | None, workers: int,
) -> None:  # fmt: skip
    r"""Ask a model the items of some tasks. Every reply is on record at once; what is on record is never asked again.

    \b
    Example: isovist run 'cdr/*' --model openai/gpt-4o-mini --n 200 --out runs/4o-mini
             isovist run 'cdr/*' --model qwen --base-url http://localhost:8000/v1 --out runs/qwen
             isovist run --data data/cdr --model fake/observer --out runs/observer
    """
    from isovist.dataset.load import chosen
    from isovist.dataset.manifest import Manifest
    from isovist.models import Options, model
    from isovist.prompts import DEFAULT_STYLE
    from isovist.run.folder import RunFolder, RunInfo, data_hash, names, now, stored, versions

    if data is not None:
        _no_fresh_items(ctx)
    if data is None and not tasks:
        raise BadInput("name the tasks to ask, such as 'cdr/*', or a data folder with --data.")
    options = Options(base_url, temperature, max_tokens, concurrency, timeout)
    asked = model(name, options)  # first, so that a wrong name leaves nothing behind
    _usable(out)
    folder = RunFolder(out)
    before = folder.info() if folder.exists() else None
    if data is None:
        wanted = parts(
            tasks, default=100, n=n, seed=seed, split=split, level=level, size=size, told=told, sizes=sizes, style=style or DEFAULT_STYLE
        )
        if before and before.parts != names(wanted):
            raise BadInput(f"{out}: holds a run of other parts; give another folder.")
        data, n = _generated(wanted, out, workers), None
    else:
        wanted = chosen(data, Manifest.read(data), tasks)
        if not wanted:
            raise BadInput(f"{data}: holds no items; generate some into it.")
    info = RunInfo(
        model=name,
        style=style or wanted[0].style,
        options=options,
        data=stored(data, out),
        data_hash=data_hash(data),
        parts=names(wanted),
        n=n,
        started=now(),
        versions=versions(),
    )
    out.mkdir(parents=True, exist_ok=True)
    if before:
        differs = before.asks_the_same(info)
        if differs:
            raise BadInput(f"{out}: holds a run with another {' and '.join(differs)}; give another folder.")
        info = before
    else:
        folder.write(info)
    tally = _ask(folder, info, asked, total=sum(min(part.n, n) if n is not None else part.n for part in wanted))
    told_outcomes = ", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common())
    click.echo(f"{name}: {tally.total} items ({told_outcomes}); {tally.asked} asked now")
    click.echo(f"see them with: isovist report {out} --out {out / 'report'}")
    if tally.outcomes["error"]:
        click.echo(f"{tally.outcomes['error']} items ended in machine faults; the same command asks them again.", err=True)
        sys.exit(1)


def _ask(folder: RunFolder, info: RunInfo, asked: Model, total: int) -> Tally:
    """Asks what is not on record, with a progress bar."""
    from tqdm import tqdm

    from isovist.run.records import Record, final, read
    from isovist.run.runner import run

    done = sum(record.outcome != "error" for record in final(read(folder.records)).values())
    if done:
        click.echo(f"{done} items are on record and are not asked again", err=True)
    with tqdm(total=total, unit="item", disable=None) as bar:

        def advance(record: Record) -> None:
            del record
            bar.update()

        return run(folder, info, asked, advance)


def _no_fresh_items(ctx: click.Context) -> None:
    """Refuses the options that say which items to make: the items of a data folder are made."""
    for option in ctx.command.params:
        if option.name in _FRESH and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise BadInput(f"{option.opts[0]} says which items to make, and --data asks stored ones; leave one of the two out.")


def _usable(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out}: a file; give a folder for --out.")


def _generated(wanted: list[Part], out: Path, workers: int) -> Path:
    """The run's own data folder with these items in it."""
    from tqdm import tqdm

    from isovist.dataset.generate import generate
    from isovist.run.folder import DATA

    data = out / DATA
    with tqdm(total=sum(part.n for part in wanted), unit="item", desc="items", leave=False, disable=None) as bar:
        generate(wanted, data, workers, bar.update)
    return data
