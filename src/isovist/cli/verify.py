"""`isovist verify`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.completion import tasks as task_names
from isovist.cli.item_options import workers_option
from isovist.progress import Progress


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@workers_option()
@echo.json_option
def command(folder: Path, tasks: tuple[str, ...], workers: int, as_json: bool) -> None:
    r"""Regenerate every row of a dataset folder from its id and compare pixels, text and key. Exit code 1 if a row differs.

    \b
    Example: isovist verify data/cdr
    """
    from isovist.dataset.load import chosen
    from isovist.dataset.manifest import Manifest
    from isovist.dataset.verify import Difference, verify

    parts = chosen(folder, Manifest.read(folder), tasks)
    rows, differing = 0, list[Difference]()
    lines = sys.stderr if as_json else sys.stdout
    with Progress(sum(part.n for part in parts), "row") as bar:
        for count, differences in verify(folder, parts, workers):
            rows += count
            differing += differences
            bar.update(count)
            for difference in differences[:20]:
                bar.write(f"{difference.file}: {difference.id}: {difference.description}", file=lines)
            if len(differences) > 20:
                bar.write(f"{differences[0].file}: {len(differences) - 20} more", file=lines)
    if as_json:
        echo.as_json({"rows": rows, "differ": len(differing), "differences": [asdict(difference) for difference in differing]})
    else:
        click.echo(f"{rows} rows, {len(differing)} differ")
    if differing:
        sys.exit(1)
