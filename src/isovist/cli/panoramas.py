"""`isovist panoramas`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.options import option
from isovist.data.item_options import ItemOptions
from isovist.reporting.analysis.text_format import pluralize


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder to write (new or empty).")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    default=None,
    help="CSV or JSON Lines: file, object, heading, elevation, extent; optional: plural.",
)
@click.option("--tasks", multiple=True, metavar="GLOB", help="Only these tasks, such as rotation-*.")
@option(ItemOptions, "n", help="Items of each task [default: as many as photographs].")
@option(ItemOptions, "seed")
@click.option(
    "--image-size", "size", type=click.IntRange(96, 2048), default=512, show_default=True, metavar="PX", help="Pixels of an image side."
)
def command(folder: Path, out: Path, labels: Path | None, tasks: tuple[str, ...], n: int | None, seed: int, size: int) -> None:
    r"""Generate CoSpace-style items from your own panoramas: equirectangular photographs, twice as wide as high.

    Rotation angle and rotation difference need no labels. The other tasks need the labels of objects with their positions.

    \b
    Example: isovist panoramas photos --out data/photos
             isovist panoramas photos --labels photos/labels.csv --n 50 --out data/photos
    """
    from isovist.data.importers.panoramas.importer import import_panoramas
    from isovist.data.importers.pipeline import SKIPPED

    if labels is None and not tasks:
        tasks = ("rotation-*",)
    outcome = import_panoramas(folder, out, labels_path=labels, tasks=tasks, n=n, seed=seed, size=size)
    for task, count in sorted(outcome.items.items()):
        click.echo(f"{count:>7}  {task}")
    click.echo(f"{pluralize(outcome.items.total(), 'item')} from {pluralize(outcome.photographs, 'photograph')} in {out}.")
    for line in outcome.short:
        click.echo(f"Fewer items than requested: {line}", err=True)
    if outcome.uncounted:
        click.echo(
            f"Not counted, because the plural is not known: {', '.join(outcome.uncounted)}. Name objects in the singular, or add a column "
            "plural to the labels.",
            err=True,
        )
    if outcome.rejected:
        click.echo(
            f"Skipped {pluralize(outcome.rejected.total(), 'photograph or label', 'photographs and labels')}. Reasons: {out / SKIPPED}",
            err=True,
        )
