"""`isovist generate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.completion import tasks as task_names
from isovist.cli.generation_options import executor_of, executor_option, parts, shard_option
from isovist.cli.options import option, options, values
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec

if TYPE_CHECKING:
    from isovist.common.shards import Shard
    from isovist.data.dataset.manifest import DataPart


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=task_names)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder; it may already contain other tasks.")
@options(ItemOptions)
@option(RunSpec, "prompt_style")
@option(RunSpec, "workers")
@executor_option()
@shard_option("Write only the files of shard I of N, from 0; run all shards, at once or not, then --finish.")
@click.option("--finish", is_flag=True, help="Complete the folder when all shards have ended.")
@click.option(
    "--renderer",
    type=click.Choice(["raster", "cycles"]),
    default="raster",
    show_default=True,
    help="Renderer of 3-D scenes. cycles: path tracing with Blender in a separate environment, 10 s or more per image.",
)
@click.pass_context
def command(
    ctx: click.Context, tasks: tuple[str, ...], out: Path, prompt_style: str | None, workers: int, executor: str, shard: Shard | None,
    finish: bool, renderer: str, **_: object,
) -> None:  # fmt: skip
    r"""Generate items as Parquet files in Hugging Face layout, with a dataset card. The result does not depend on the number of workers.
    Run the same command again to resume.

    \b
    Example: isovist generate 'cdr/*' --out data/cdr --n 200
             isovist generate 'cdr/*' --out data/cdr-paper --preset paper
             isovist generate 'cdr/*' --out data/cdr --n 100000 --shard 3/64
             isovist generate 'dori/*' --out data/dori-cycles --n 20 --renderer cycles
    """
    if shard and finish:
        raise UserError("Conflicting options: --shard with --finish. Use --finish alone when all shards have ended.")
    if executor == "ray" and (shard or finish):
        raise UserError(f"Conflicting options: --executor ray with --{'shard' if shard else 'finish'}. Ray itself divides the files.")
    requested = parts(tasks, ItemOptions(**values(ctx, ItemOptions)), default=100, style=prompt_style, renderer=renderer)
    if shard:
        _shard(requested, out, shard, workers)
        return
    if finish:
        from isovist.data.dataset.sharded_generation import finish as complete

        complete(requested, out, workers)
    else:
        from isovist.data.dataset.generate import generate

        with executor_of(executor, out, writes=True) as run, Progress(sum(part.n for part in requested)) as bar:
            generate(requested, out, workers, bar.update, run)
    for part in requested:
        click.echo(f"{part.task}: {part.n} {part.split} items")
    click.echo(f"Dataset: {out}. Load a task with datasets.load_dataset({str(out)!r}, {requested[0].task.replace('/', '-')!r}).")


def _shard(parts: Sequence[DataPart], out: Path, shard: Shard, workers: int) -> None:
    from isovist.data.dataset.sharded_generation import generate_shard

    with Progress() as bar:

        def begin(rows: int) -> None:
            bar.total = rows

        result = generate_shard(parts, out, shard, workers, bar.update, begin)
    if result is None:
        click.echo(f"Shard {shard}: nothing to do, the dataset is complete: {out}.")
    elif not result.files:
        click.echo(f"Shard {shard}: nothing to do, the dataset has {result.all_files} {'file' if result.all_files == 1 else 'files'}.")
    else:
        click.echo(f"Shard {shard}: {result.files} of {result.all_files} files, {result.items} items.")
