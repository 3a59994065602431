"""`isovist generate`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.item_options import parts, style_option, which_items, workers_option
from isovist.cli.progress import Progress


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=tasks_there)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The data folder; it may hold other tasks already.")
@which_items(n=100)
@style_option()
@workers_option()
@click.option(
    "--renderer",
    type=click.Choice(["raster", "cycles"]),
    default="raster",
    show_default=True,
    help="Who draws scenes; cycles: path-traced, with softer shadows, 10 s or more a picture; Blender in an environment of its own.",
)
def command(
    tasks: tuple[str, ...], out: Path, n: int | None, seed: int, split: str, level: str | None, size: int | None, task_options: tuple[str, ...],
    sizes: str | None, style: str | None, workers: int, renderer: str,
) -> None:  # fmt: skip
    r"""Generate items as Parquet files in the Hugging Face layout, with a data card. They are the same for any number of workers.
    Run the same command again to resume.

    \b
    Example: isovist generate 'cdr/*' --out data/cdr --n 200
             isovist generate 'cdr/*' --out data/cdr-paper --preset paper
             isovist generate 'dori/*' --out data/dori-cycles --n 20 --renderer cycles
    """
    from isovist.dataset.generate import generate
    from isovist.prompts import DEFAULT_STYLE

    wanted = parts(
        tasks, default=100, n=n, seed=seed, split=split, level=level, size=size, settings=task_options, sizes=sizes,
        style=style or DEFAULT_STYLE, renderer=renderer,
    )  # fmt: skip
    with Progress(sum(part.n for part in wanted)) as bar:
        generate(wanted, out, workers, bar.update)
    for part in wanted:
        click.echo(f"{part.task}: {part.n} {part.split} items")
    click.echo(f"in {out} (load one with datasets.load_dataset({str(out)!r}, {wanted[0].task.replace('/', '-')!r}))")
