"""`isovist export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.options import option
from isovist.common.progress import Progress
from isovist.data.exporters.formats import FORMATS
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec, style_help

if TYPE_CHECKING:
    from isovist.data.exporters.export_source import Kinds

_TOOLS = "; ".join(f"{entry.name}: {entry.tool}" for entry in FORMATS.values()).replace("`", "")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "format_name", required=True, type=click.Choice([*FORMATS]), help=f"Format of this tool ({_TOOLS}).")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write (new or empty).")
@click.option(
    "--tasks",
    multiple=True,
    metavar="GLOB",
    shell_complete=tasks_there,
    help="Only these tasks of a dataset folder (repeatable).",
)
@click.option("--split", type=click.Choice(["test", "train"]), help="Items of this split [default: train, and test for evaluation tools].")
@option(ItemOptions, "n", help="Maximum number of items of each task [default: all].")
@click.option(
    "--target",
    type=click.Choice(["answer", "reasoning", "both"]),
    help="Responses: answer only, chain of thought with the answer, or both [default: answer].",
)
@option(RunSpec, "prompt_style", help=style_help("that of the kind of response, else that of the data"))
def command(
    folder: Path, format_name: str, out: Path, tasks: tuple[str, ...], split: str | None, n: int | None, target: Kinds | None, prompt_style: str | None
) -> None:  # fmt: skip
    r"""Export data in the format of a trainer or another evaluation tool. DIR is a dataset folder or a training mixture.

    \b
    Example: isovist export data/cdr-train --format trl-sft --target reasoning --out exports/cdr-sft
             isovist export mixes/all-40k --format llava --out exports/llava
             isovist export data/cdr --format vlmevalkit --out exports/vlmevalkit
    """
    from isovist.data.exporters.export import export
    from isovist.data.exporters.export_source import ExportRequest

    with Progress() as bar:

        def start(total: int) -> Callable[[], object]:
            bar.total = total
            return bar.update

        done = export(folder, format_name, out, ExportRequest(tasks, split, n, target, prompt_style), start=start)
    click.echo(
        f"{done.count} {'items' if FORMATS[format_name].takes == 'rows' else 'examples'} for {format_name} in {out} ({out / 'README.md'} says how to use them)"
    )
    for reason, count in done.skipped.items():
        click.echo(f"Skipped {count} {reason}.", err=True)
    for warning in done.warnings:
        click.echo(f"note: {warning}", err=True)
