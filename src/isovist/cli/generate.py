"""`isovist generate`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.request import parts, style_option, which_items, workers_option


@click.command()
@click.argument("tasks", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The data folder; it may hold other tasks already.")
@which_items(n=100)
@style_option()
@workers_option()
@click.option(
    "--renderer",
    type=click.Choice(["raster", "cycles"]),
    default="raster",
    show_default=True,
    help="Who draws scenes; cycles: photoreal and slow, with Blender in an environment of its own.",
)
def command(
    tasks: tuple[str, ...], out: Path, n: int | None, seed: int, split: str, level: str | None, size: int | None, told: tuple[str, ...],
    sizes: str | None, style: str | None, workers: int, renderer: str,
) -> None:  # fmt: skip
    r"""Items as Parquet files in the Hugging Face layout, with a data card. The same for any number of workers; what was
    interrupted goes on.

    \b
    Example: isovist generate 'cdr/*' --out data/cdr --n 200
             isovist generate 'cdr/*' --out data/cdr-paper --sizes paper
             isovist generate 'dori/*' --out data/dori-photoreal --n 20 --renderer cycles
    """
    from tqdm import tqdm

    from isovist.dataset.generate import generate
    from isovist.prompts import DEFAULT_STYLE

    wanted = parts(
        tasks, default=100, n=n, seed=seed, split=split, level=level, size=size, told=told, sizes=sizes,
        style=style or DEFAULT_STYLE, renderer=renderer,
    )  # fmt: skip
    with tqdm(total=sum(part.n for part in wanted), unit="item", disable=None) as bar:
        generate(wanted, out, workers, bar.update)
    for part in wanted:
        click.echo(f"{part.task}: {part.n} {part.split} items")
    click.echo(f"in {out} (load one with datasets.load_dataset({str(out)!r}, {wanted[0].task.replace('/', '-')!r}))")
