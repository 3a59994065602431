"""`isovist merge`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.common.progress import Progress


@click.command()
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("shards", metavar="SHARD...", nargs=-1, required=True, type=click.Path(path_type=Path))
@echo.output_options
def command(out: Path, shards: tuple[Path, ...]) -> None:
    r"""Merge the shards of a run (`isovist run --shard I/N`) into the run folder OUT.

    All N shards must be finished and have the same settings. The result is the run that one machine would have recorded.

    \b
    Example: isovist merge runs/qwen runs/qwen-shards/*
    """
    from isovist.evaluation.merge import merge

    with Progress(unit="record", desc="merging", leave=False) as bar:
        info = merge(out, shards, bar.update)
    usage = info.usage
    click.echo(f"{info.model}: {len(shards)} shards, {usage.trials if usage else 0} items and variants")
    if usage and len(usage.served_by) > 1:
        click.echo(f"The servers reported different models: {', '.join(usage.served_by)}.", err=True)
    if not echo.is_quiet():
        click.echo(f"Next: isovist report {out} --out {out / 'report'}")
