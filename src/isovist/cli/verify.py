"""`isovist verify`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import echo
from isovist.cli.completion import tasks as task_names
from isovist.cli.generation_options import executor_of, executor_option, shard_option
from isovist.cli.options import Count, option
from isovist.common.progress import Progress
from isovist.evaluation.run_spec import RunSpec

if TYPE_CHECKING:
    from isovist.common.shards import Shard

_SHOWN = 20  # differences of a file


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@option(RunSpec, "workers")
@executor_option()
@shard_option("Verify only the files of shard I of N, from 0.")
@click.option(
    "--sample",
    type=Count(min=1),
    default=None,
    metavar="K",
    help="Regenerate only K rows, the same each time; all files are compared with their hashes.",
)
@echo.json_option
def command(
    folder: Path, tasks: tuple[str, ...], workers: int, executor: str, shard: Shard | None, sample: int | None, as_json: bool
) -> None:
    r"""Regenerate every row of a dataset folder from its id and compare pixels, text and key. Exit code 1 if a row differs.

    \b
    Example: isovist verify data/cdr
             isovist verify data/cdr --sample 1000
    """
    from isovist.data.dataset.load import chosen
    from isovist.data.dataset.manifest import Manifest
    from isovist.data.dataset.verify import Difference, file_checks, verify

    parts = chosen(folder, Manifest.read(folder), tasks)
    checks = file_checks(parts, shard, sample)
    rows = differ = 0
    differing = list[Difference]()
    lines = sys.stderr if as_json else sys.stdout
    with executor_of(executor, folder, writes=False) as run, Progress(sum(check.rows for check in checks), "row") as bar:
        for count, differences in verify(folder, parts, workers, checks, run):
            rows += count
            differ += len(differences)
            if as_json:
                differing += differences
            bar.update(count)
            for difference in differences[:_SHOWN]:
                bar.write(f"{difference.file}: {difference.id}: {difference.description}", file=lines)
            if len(differences) > _SHOWN:
                bar.write(f"{differences[0].file}: {len(differences) - _SHOWN} more", file=lines)
    if as_json:
        echo.as_json({"rows": rows, "differ": differ, "differences": [asdict(difference) for difference in differing]})
    elif shard and not checks:
        click.echo(f"Shard {shard}: nothing to do, the number of files is {sum(part.file_count for part in parts)}.")
    elif sample is None:
        click.echo(f"{rows} rows, {differ} differ")
    else:
        click.echo(f"{rows} rows and the hashes of {len(checks)} {'file' if len(checks) == 1 else 'files'}, {differ} differ")
    if differ:
        sys.exit(1)
