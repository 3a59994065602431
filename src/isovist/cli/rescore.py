"""`isovist rescore`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    r"""Score the replies of a run again, with the parser of this version. Nothing is sent to a model.

    \b
    Example: isovist rescore runs/4o-mini
    """
    from isovist.run.folder import RunFolder
    from isovist.run.rescore import rescore

    count, changed = rescore(RunFolder(folder))
    click.echo(f"{count} replies scored again, {sum(changed.values())} changed")
    for (before, after), times in sorted(changed.items()):
        click.echo(f"  {before} -> {after}: {times}")
