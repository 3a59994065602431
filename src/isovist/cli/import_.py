"""`isovist import`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.errors import BadInput

_SETS = ("srbench", "spatialeval", "egoorient", "spatial-mm", "cospace")


@click.command()
@click.argument("name", metavar="SET", type=click.Choice(_SETS))
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The data folder to write; new or empty.")
@click.option("--all", "everything", is_flag=True, help="All tasks of spatialeval, not its mazes alone.")
def command(name: str, path: Path, out: Path, everything: bool) -> None:
    r"""Take a published test set into a data folder, for `run --data`. You download it first; PATH is its folder or file.

    SET is srbench, spatialeval, egoorient, spatial-mm or cospace. What cannot be used is told in rejected.jsonl, record by record.

    \b
    Example: isovist import srbench downloads/srbench --out data/srbench-published
             isovist run --data data/srbench-published --model fake/random --out runs/random
    """
    from importlib import import_module

    from tqdm import tqdm

    from isovist.interop.format import Format
    from isovist.interop.taking_in import DUPLICATES, REJECTED, take_in

    if everything and name != "spatialeval":
        raise BadInput(f"--all is about the tasks of spatialeval; {name} is always taken whole.")
    source: Format = import_module(f"isovist.interop.{name.replace('-', '_')}").FORMAT
    with tqdm(unit="record", disable=None) as bar:
        found = take_in(source, path, out, everything=everything, progress=bar.update)
    for task, count in sorted(found.imported.items()):
        click.echo(f"{count:>7}  {task}")
    asked = f" as {found.imported.total()} items" if found.imported.total() != found.used else ""
    orders = f", {found.orders.total()} other orders of theirs" if found.orders else ""
    click.echo(f"{found.read} records read: {found.used} imported{asked}{orders}, {found.rejected.total()} rejected")
    if found.rejected:
        click.echo(f"rejected, each told in {out / REJECTED}:", err=True)
        for reason, count in found.rejected.most_common():
            click.echo(f"{count:>7}  {reason}", err=True)
    if found.duplicates:
        words = f"{found.duplicates} items show and ask what an earlier one does, {found.contradictions} of them with another key"
        click.echo(f"{words}; they are imported, and told in {out / DUPLICATES}", err=True)
    for file, why in found.passed_over:
        click.echo(f"passed over {_printable(file)}: {why}", err=True)


def _printable(name: str) -> str:
    """A name that a stranger gave to a file, for a terminal."""
    return "".join(c if c.isprintable() else "?" for c in name)
