"""`isovist rescore`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import echo
from isovist.cli.options import Count, option, run_folders, server_option
from isovist.common.errors import UserError
from isovist.evaluation.run_spec import RequestOptions

if TYPE_CHECKING:
    from isovist.core.answers import Answer
    from isovist.evaluation.models import Model
    from isovist.evaluation.run.rescore import Rescored
    from isovist.evaluation.run.run_folder import RunFolder

_READER = "model:"


@click.command()
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path), callback=run_folders)
@click.option("--verify/--no-verify", default=True, show_default=True, help="Check the data against the run first.")
@click.option(
    "--reader", default=None, metavar="model:NAME", help="Also let this model extract the answers of unparsed responses; scores stay."
)
@server_option()
@option(RequestOptions, "max_connections", words=(), help="Concurrent requests.")
@option(RequestOptions, "temperature")
@click.option(
    "--check", "n_check", type=Count(min=0), default=50, show_default=True, help="With --reader: parsed responses that it reads as well."
)
def command(
    folders: tuple[Path, ...], verify: bool, reader: str | None, base_url: str, max_connections: int, temperature: float | None, n_check: int
) -> None:  # fmt: skip
    r"""Score the recorded responses of runs again with the parser of this version. Only --reader sends requests.

    Prints the answers that change, and the accuracy of each model before and after.

    \b
    Example: isovist rescore runs/4o-mini runs/qwen
             isovist rescore runs/4o-mini --reader model:openai/gpt-4o-mini
    """
    from isovist.evaluation.run.rescore import rescore
    from isovist.evaluation.run.run_folder import RunFolder
    from isovist.evaluation.run.verification import check_data, keys_of

    if reader is not None and (not reader.startswith(_READER) or reader == _READER):
        raise UserError(f"Unknown reader: {reader}. Use model: and the name of a model, such as model:openai/gpt-4o-mini.")
    if reader is None and base_url:
        raise UserError("Option without effect: --base-url. Add --reader or remove it.")
    n_failed = 0
    for folder in folders:
        run = RunFolder(folder)
        model = _reader(reader.removeprefix(_READER), base_url, temperature, max_connections) if reader is not None else None
        keys = check_data(run, run.info()) if verify else keys_of(folder)
        rescored = rescore(run, keys)
        start = f"{folder}: " if len(folders) > 1 else ""
        click.echo(f"{start}{rescored.n} responses scored again, {rescored.outcomes.total()} changed")
        if rescored.outcomes:
            _print_changes(rescored, run.info().model)
        if model is not None:
            n_failed += _read(run, keys, model, max_connections, n_check)
    if n_failed:
        sys.exit(1)


def _print_changes(rescored: Rescored, model: str) -> None:
    for (before, after), times in sorted(rescored.outcomes.items()):
        click.echo(f"  {before} -> {after}: {times}")
    click.echo(
        f"  answers: {rescored.n_read} from unparsed to an answer, {rescored.n_unread} from an answer to unparsed, "
        f"{rescored.n_other_answer} from one value to another"
    )
    click.echo(f"  now correct: {rescored.n_becoming('correct')}, now incorrect: {rescored.n_becoming('incorrect')}")
    if rescored.accuracies:
        old, new = rescored.accuracies
        change = f"accuracy {100 * old:.1f}% -> {100 * new:.1f}%" if old != new else f"accuracy unchanged, {100 * new:.1f}%"
        click.echo(f"  {model}: {change} (n = {len(rescored.credits):,})")


def _reader(name: str, base_url: str, temperature: float | None, concurrency: int) -> Model:
    from isovist.evaluation.models import GenerationConfig, model
    from isovist.evaluation.run.second_reading import require_reader

    reader = model(name, GenerationConfig(base_url, temperature, concurrency=concurrency))
    require_reader(reader)
    return reader


def _read(run: RunFolder, keys: Mapping[str, tuple[str, Answer]], reader: Model, concurrency: int, n_check: int) -> int:
    """Let a model read the unparsed responses, and print and store the table of all readers. Returns the number of request errors."""
    from isovist.common.atomic_write import write_atomically
    from isovist.common.progress import Progress
    from isovist.evaluation.run.second_reading import read_again
    from isovist.evaluation.run.verification import Verifier
    from isovist.reporting.analysis.runs import load_runs
    from isovist.reporting.reports.sections.second_reading import second_reading_table

    with Progress(desc="reading the responses", unit="response") as bar:
        summary = read_again(run, keys, reader, n_check=n_check, concurrency=concurrency, progress=bar.update)
    table = second_reading_table(load_runs([run.path], Verifier(verify=False)))
    path = run.path / "second_reading.csv"
    write_atomically(path, table.csv())
    click.echo(f"{summary.requested} responses read by {reader.name}")
    if table.rows:
        click.echo(table.markdown().rstrip("\n"))
        click.echo(f"Table: {path}")
    echo.warnings(((summary.failed, f"responses not read (last: {summary.last_fault}). Run the same command again to retry them."),))
    return summary.failed
