"""`isovist audit`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from isovist.cli.completion import tasks as task_names
from isovist.cli.item_options import Count, limit_option, seed_option
from isovist.cli.progress import each
from isovist.errors import UserError

if TYPE_CHECKING:
    from isovist.audit.shortcuts import Measured
    from isovist.core.task import Task

_MAX_PRINTED = 10  # incorrect keys of a task that are listed


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=task_names)
@limit_option("Items of each task, over all levels [default: 320; with --shortcuts 320 per level].", least=40)
@click.option(
    "--check-keys",
    "keys",
    type=Count(min=1),
    default=None,
    metavar="N",
    help="Instead, derive the keys of N items of each task a second time.",
)
@click.option(
    "--shortcuts", is_flag=True, help="Instead, test rules that do not use the skill, trained on train items and tested on test items."
)
@click.option("--attack", is_flag=True, help="Like --shortcuts, with four times the items and all pairs of rules.")
@seed_option()
def command(tasks: tuple[str, ...], n: int | None, keys: int | None, shortcuts: bool, attack: bool, seed: int) -> None:
    r"""Test tasks for answer leakage: a random forest on the question text and one on low-level image features (ink, blobs, colours,
    file size) must not exceed chance. --check-keys derives every key a second time from the drawn shapes and the text; --shortcuts
    tests simple rules against chance (docs/validity.md). Exit code 1 if a test fails.

    \b
    Example: isovist audit 'cdr/*'
             isovist audit srbench/paper-folding --check-keys 100000
             isovist audit srbench/paper-folding --shortcuts
    """
    from isovist import registry

    if keys is not None and (shortcuts or attack):
        raise UserError("Conflicting options: --check-keys with --shortcuts or --attack. Use one of them.")
    selected = registry.matching(tasks)
    if keys is not None:
        failed, noun = _check_keys(selected, keys, seed), "incorrect keys"
    elif shortcuts or attack:
        failed, noun = _shortcuts(selected, n, seed, attack=attack), "shortcuts"
    else:
        failed, noun = _leaks(selected, n, seed), "leaks"
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
    """Print the best shortcut and the best partial rule of each level, and every other rule that exceeds chance."""
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


def _check_keys(tasks: Sequence[Task[Any]], n: int, seed: int) -> int:
    from isovist.audit.answer_key_check import faults

    failed = 0
    for task in tasks:
        incorrect = [fault for fault in each(faults(task, n, seed), n, desc=task.id) if fault]
        for fault in incorrect[:_MAX_PRINTED]:
            click.echo(fault)
        click.echo(f"{task.id}: {n} keys checked, {len(incorrect)} incorrect")
        failed += len(incorrect)
    return failed
