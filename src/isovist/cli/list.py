"""`isovist list`."""

from __future__ import annotations

import json

import click

from isovist.cli.completion import tasks as task_names


@click.command("list")
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(tasks: tuple[str, ...], as_json: bool) -> None:
    r"""List all tasks, or those that match ids or globs.

    \b
    Example: isovist list 'cdr/relative-*'
    """
    from isovist import registry

    chosen = registry.matching(tasks) if tasks else list(registry.tasks().values())
    if as_json:
        rows = [
            {
                "id": task.id,
                "suite": task.suite,
                "version": task.version,
                "levels": list(task.levels),
                "answer_type": task.answer_type,
                "chance": task.chance,
                "colour_vision": task.colour_vision,
                "skills": list(task.skills),
                "summary": task.summary,
                "settings": {name: setting.default for name, setting in task.all_settings.items()},
                "paper": {split: preset.n for split, preset in task.published_sizes.items()},
                "source": task.source,
            }
            for task in chosen
        ]
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    width = max((len(task.id) for task in chosen), default=0)
    for task in chosen:
        click.echo(f"{task.id:<{width}}  {task.chance:6.1%} chance  {task.summary}")
