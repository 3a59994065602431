"""`isovist rescore`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import echo
from isovist.cli.options import Count, option, server_option
from isovist.common.errors import UserError
from isovist.evaluation.run_spec import RequestOptions

if TYPE_CHECKING:
    from isovist.core.answers import Answer
    from isovist.evaluation.models import Model
    from isovist.evaluation.run.run_folder import RunFolder

_READER = "model:"


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--verify/--no-verify", default=True, show_default=True, help="Check the data against the run first.")
@click.option(
    "--reader", default=None, metavar="model:NAME", help="Also let this model extract the answers of unparsed responses; scores stay."
)
@server_option()
@option(RequestOptions, "max_connections")
@click.option(
    "--check", "n_check", type=Count(min=0), default=50, show_default=True, help="With --reader: parsed responses that it reads as well."
)
def command(folder: Path, verify: bool, reader: str | None, base_url: str, max_connections: int, n_check: int) -> None:
    r"""Score the recorded responses of a run again with the parser of this version. Only --reader sends requests.

    \b
    Example: isovist rescore runs/4o-mini
             isovist rescore runs/4o-mini --reader model:openai/gpt-4o-mini
    """
    from isovist.evaluation.run.rescore import rescore
    from isovist.evaluation.run.run_folder import RunFolder
    from isovist.evaluation.run.verification import check_data, keys_of

    if reader is not None and (not reader.startswith(_READER) or reader == _READER):
        raise UserError(f"Unknown reader: {reader}. Use model: and the name of a model, such as model:openai/gpt-4o-mini.")
    if reader is None and base_url:
        raise UserError("Option without effect: --base-url. Add --reader or remove it.")
    run = RunFolder(folder)
    model = _reader(reader.removeprefix(_READER), base_url, max_connections) if reader is not None else None
    keys = check_data(run, run.info()) if verify else keys_of(folder)
    count, changed = rescore(run, keys)
    click.echo(f"{count} responses scored again, {sum(changed.values())} changed")
    for (before, after), times in sorted(changed.items()):
        click.echo(f"  {before} -> {after}: {times}")
    if model is not None:
        _read(run, keys, model, max_connections, n_check)


def _reader(name: str, base_url: str, concurrency: int) -> Model:
    from isovist.evaluation.models import GenerationConfig, model
    from isovist.evaluation.run.second_reading import require_reader

    reader = model(name, GenerationConfig(base_url=base_url, concurrency=concurrency))
    require_reader(reader)
    return reader


def _read(run: RunFolder, keys: Mapping[str, tuple[str, Answer]], reader: Model, concurrency: int, n_check: int) -> None:
    """Let a model read the unparsed responses, and print and store the table of all readers. Exits with code 1 after request errors."""
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
    if summary.failed:
        sys.exit(1)
