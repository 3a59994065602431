"""`isovist rescore`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--verify/--no-verify", default=True, show_default=True, help="Check the data first, or take them as they stand.")
def command(folder: Path, verify: bool) -> None:
    r"""Score the replies of a run again, with the parser of this version. Nothing is sent to a model.

    \b
    Example: isovist rescore runs/4o-mini
    """
    from isovist.run.rescore import rescore
    from isovist.run.run_folder import RunFolder
    from isovist.run.verification import check_data, keys_of

    run = RunFolder(folder)
    count, changed = rescore(run, check_data(run, run.info()) if verify else keys_of(folder))
    click.echo(f"{count} replies scored again, {sum(changed.values())} changed")
    for (before, after), times in sorted(changed.items()):
        click.echo(f"  {before} -> {after}: {times}")
