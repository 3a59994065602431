"""`isovist gallery`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isovist.cli.completion import tasks as task_names
from isovist.common.progress import Progress

if TYPE_CHECKING:
    from isovist.core.task import Task


@click.command()
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the page and its images.")
@click.option("--samples", type=click.IntRange(min=1, max=100), default=6, show_default=True, help="Items of each task.")
def command(tasks: tuple[str, ...], out: Path, samples: int) -> None:
    r"""Write a page of every task with samples, keys, chance levels, skills and versions.

    \b
    Example: isovist gallery --out gallery
    """
    from isovist.common.errors import MissingDependencyError
    from isovist.data.items import Items
    from isovist.reporting.reports.gallery import gallery
    from isovist.suites import registry
    from isovist.world import render

    selected = registry.matching(tasks) if tasks else list(registry.tasks().values())
    renderable: list[Task[Any]] = []
    for task in selected:
        try:
            render.check(task.id, Items(task, 1)[0].pictures)
        except MissingDependencyError as missing:
            if tasks:
                raise
            click.echo(f"Skipped {task.id}. {missing}", err=True)
        else:
            renderable.append(task)
    with Progress(len(renderable), "task") as bar:
        page = gallery(renderable, out, samples, bar.update)
    click.echo(str(page))
