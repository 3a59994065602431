"""`isovist audit`."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("tasks", nargs=-1, required=True)
@click.option("--n", type=click.IntRange(min=40), default=None, help="Items of each task [default: 320].")
@click.option("--seed", type=int, default=0, show_default=True)
def command(tasks: tuple[str, ...], n: int | None, seed: int) -> None:
    r"""Check that the answers of a task cannot be guessed from its words alone, nor from cheap features of its pictures (ink,
    blobs, colours, file size). Exit code 1 if they can.

    \b
    Example: isovist audit 'cdr/*'
    """
    from isovist import registry
    from isovist.audit.leaks import ITEMS, audit

    failed = 0
    for task in registry.matching(tasks):
        for found in audit(task, n or ITEMS, seed):
            verdict = "ok" if not found.leaks else f"excused: {found.reason}" if found.reason else "LEAKS"
            failed += not found.passed
            told = f"{found.accuracy:6.1%} of {found.target}s (floor {found.floor:.1%}, limit {found.limit:.1%})"
            click.echo(f"{task.id}: {found.features:<6} {told}  {verdict}")
    if failed:
        click.echo(f"{failed} leaks")
        sys.exit(1)
