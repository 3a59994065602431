"""`isovist audit`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.item_options import Count, limit_option, seed_option
from isovist.cli.progress import each
from isovist.errors import UserError

if TYPE_CHECKING:
    from isovist.audit.shortcuts import Measured
    from isovist.core.task import Task

_MOST_TOLD = 10  # faults of a task that are told one by one


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=tasks_there)
@limit_option("Items of each task, going round its levels [default: 320; with --shortcuts 320 of each level].", least=40)
@click.option(
    "--check-keys", "keys", type=Count(min=1), default=None, metavar="N", help="Instead, derive the keys of N items of each task again."
)
@click.option(
    "--shortcuts", is_flag=True, help="Instead, try cheap rules that leave out the skill, learned on train and tried on test items."
)
@click.option("--attack", is_flag=True, help="Like --shortcuts, with four times as many items and all pairs of rules.")
@seed_option()
def command(tasks: tuple[str, ...], n: int | None, keys: int | None, shortcuts: bool, attack: bool, seed: int) -> None:
    r"""Check that the answers of a task cannot be guessed from its words alone, nor from cheap features of its pictures (ink,
    blobs, colours, file size); with --check-keys, that every key is what the drawn shapes and the words say; with --shortcuts, that no
    cheap rule beats chance (docs/validity.md). Exit code 1 if not.

    \b
    Example: isovist audit 'cdr/*'
             isovist audit srbench/paper-folding --check-keys 100000
             isovist audit srbench/paper-folding --shortcuts
    """
    from isovist import registry

    if keys is not None and (shortcuts or attack):
        raise UserError("--check-keys and --shortcuts: give one of them")
    chosen = registry.matching(tasks)
    if keys is not None:
        failed, noun = _faults(chosen, keys, seed), "wrong keys"
    elif shortcuts or attack:
        failed, noun = _shortcuts(chosen, n, seed, attack=attack), "shortcuts"
    else:
        failed, noun = _leaks(chosen, n, seed), "leaks"
    if failed:
        click.echo(f"{failed} {noun}")
        sys.exit(1)


def _leaks(tasks: Sequence[Task[Any]], n: int | None, seed: int) -> int:
    from isovist.audit.answer_leakage import ITEMS, audit

    failed = 0
    for task in each(tasks, len(tasks), "task"):
        for finding in audit(task, n or ITEMS, seed):
            verdict = "ok" if not finding.leaks else f"excused: {finding.reason}" if finding.reason else "LEAKS"
            failed += not finding.passed
            figures = f"{finding.accuracy:6.1%} of {finding.target}s (floor {finding.baseline:.1%}, limit {finding.limit:.1%})"
            click.echo(f"{task.id}: {finding.features:<6} {figures}  {verdict}")
    return failed


def _shortcuts(tasks: Sequence[Task[Any]], n: int | None, seed: int, *, attack: bool) -> int:
    """A line for the best shortcut and the best partial rule of each level, and one for every other rule that beats chance."""
    from isovist.audit.shortcuts import ITEMS, audit, best, count

    failed = 0
    for task in each(tasks, len(tasks), "task"):
        scores = audit(task, n or count(task, 4 * ITEMS if attack else ITEMS), seed, attack=attack)
        for level in dict.fromkeys(score.level for score in scores):
            lines = [best(scores, level), best(scores, level, partial=True)]
            lines += sorted((score for score in scores if score.level == level and not score.passed), key=lambda score: -score.accuracy)
            for row in dict.fromkeys(line for line in lines if line):
                click.echo(_line(row))
        failed += sum(not score.passed for score in scores)
    return failed


def _line(score: Measured) -> str:
    verdict = "partial" if score.partial else "ok" if not score.beats_chance else f"excused: {score.reason}" if score.reason else "SHORTCUT"
    where = f"{score.task}, {score.level or 'all levels'}"
    return f"{where}: {score.accuracy:6.1%} of {score.n} by {score.rule!r} (chance {score.chance:.1%}, limit {score.limit:.1%})  {verdict}"


def _faults(tasks: Sequence[Task[Any]], n: int, seed: int) -> int:
    from isovist.audit.answer_key_check import faults

    failed = 0
    for task in tasks:
        wrong = [fault for fault in each(faults(task, n, seed), n, desc=task.id) if fault]
        for fault in wrong[:_MOST_TOLD]:
            click.echo(fault)
        click.echo(f"{task.id}: {n} keys derived again, {len(wrong)} wrong")
        failed += len(wrong)
    return failed
