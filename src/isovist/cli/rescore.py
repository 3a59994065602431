"""`isovist rescore`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--verify/--no-verify", default=True, show_default=True, help="Check the data against the run first.")
def command(folder: Path, verify: bool) -> None:
    r"""Score the recorded responses of a run again with the parser of this version. No requests are sent.

    \b
    Example: isovist rescore runs/4o-mini
    """
    from isovist.run.rescore import rescore
    from isovist.run.run_folder import RunFolder
    from isovist.run.verification import check_data, keys_of

    run = RunFolder(folder)
    count, changed = rescore(run, check_data(run, run.info()) if verify else keys_of(folder))
    click.echo(f"{count} responses scored again, {sum(changed.values())} changed")
    for (before, after), times in sorted(changed.items()):
        click.echo(f"  {before} -> {after}: {times}")
