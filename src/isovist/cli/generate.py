"""`isovist generate`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.completion import tasks as task_names
from isovist.cli.item_options import parts, style_option, which_items, workers_option
from isovist.progress import Progress


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=task_names)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder; it may already contain other tasks.")
@which_items(n=100)
@style_option()
@workers_option()
@click.option(
    "--renderer",
    type=click.Choice(["raster", "cycles"]),
    default="raster",
    show_default=True,
    help="Renderer of 3-D scenes. cycles: path tracing with Blender in a separate environment, 10 s or more per image.",
)
def command(
    tasks: tuple[str, ...], out: Path, n: int | None, seed: int, split: str, level: str | None, size: int | None, task_options: tuple[str, ...],
    sizes: str | None, style: str | None, workers: int, renderer: str,
) -> None:  # fmt: skip
    r"""Generate items as Parquet files in Hugging Face layout, with a dataset card. The result does not depend on the number of workers.
    Run the same command again to resume.

    \b
    Example: isovist generate 'cdr/*' --out data/cdr --n 200
             isovist generate 'cdr/*' --out data/cdr-paper --preset paper
             isovist generate 'dori/*' --out data/dori-cycles --n 20 --renderer cycles
    """
    from isovist.dataset.generate import generate
    from isovist.prompts import DEFAULT_STYLE

    requested = parts(
        tasks, default=100, n=n, seed=seed, split=split, level=level, size=size, settings=task_options, sizes=sizes,
        style=style or DEFAULT_STYLE, renderer=renderer,
    )  # fmt: skip
    with Progress(sum(part.n for part in requested)) as bar:
        generate(requested, out, workers, bar.update)
    for part in requested:
        click.echo(f"{part.task}: {part.n} {part.split} items")
    click.echo(f"Dataset: {out}. Load a task with datasets.load_dataset({str(out)!r}, {requested[0].task.replace('/', '-')!r}).")
