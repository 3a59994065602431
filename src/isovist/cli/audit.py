"""`isovist audit`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.progress import each
from isovist.cli.request import Count, limit_option, seed_option

if TYPE_CHECKING:
    from isovist.core.task import Task

_MOST_TOLD = 10  # faults of a task that are told one by one


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=tasks_there)
@limit_option("Items of each task [default: 320].", least=40)
@click.option("--keys", type=Count(min=1), default=None, metavar="N", help="Instead, derive the keys of N items of each task again.")
@seed_option()
def command(tasks: tuple[str, ...], n: int | None, keys: int | None, seed: int) -> None:
    r"""Check that the answers of a task cannot be guessed from its words alone, nor from cheap features of its pictures (ink,
    blobs, colours, file size); or, with --keys, that every key is what the drawn shapes and the words say. Exit code 1 if not.

    \b
    Example: isovist audit 'cdr/*'
             isovist audit srbench/paper-folding --keys 100000
    """
    from isovist import registry

    chosen = registry.matching(tasks)
    failed = _leaks(chosen, n, seed) if keys is None else _faults(chosen, keys, seed)
    if failed:
        click.echo(f"{failed} {'leaks' if keys is None else 'wrong keys'}")
        sys.exit(1)


def _leaks(tasks: Sequence[Task[Any]], n: int | None, seed: int) -> int:
    from isovist.audit.leaks import ITEMS, audit

    failed = 0
    for task in each(tasks, len(tasks), "task"):
        for found in audit(task, n or ITEMS, seed):
            verdict = "ok" if not found.leaks else f"excused: {found.reason}" if found.reason else "LEAKS"
            failed += not found.passed
            told = f"{found.accuracy:6.1%} of {found.target}s (floor {found.floor:.1%}, limit {found.limit:.1%})"
            click.echo(f"{task.id}: {found.features:<6} {told}  {verdict}")
    return failed


def _faults(tasks: Sequence[Task[Any]], n: int, seed: int) -> int:
    from isovist.audit.keys import faults

    failed = 0
    for task in tasks:
        wrong = [told for told in each(faults(task, n, seed), n, desc=task.id) if told]
        for told in wrong[:_MOST_TOLD]:
            click.echo(told)
        click.echo(f"{task.id}: {n} keys derived again, {len(wrong)} wrong")
        failed += len(wrong)
    return failed
