"""`isovist list`."""

from __future__ import annotations

import json

import click

from isovist.cli.completion import tasks as task_names
from isovist.common.errors import UserError


@click.command("list")
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@click.option("--plugins", "only_plug_ins", is_flag=True, help="List the installed plug-ins instead, and what each of them adds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(tasks: tuple[str, ...], only_plug_ins: bool, as_json: bool) -> None:
    r"""List all tasks, or those that match ids or globs.

    \b
    Example: isovist list 'cdr/relative-*'
             isovist list --plugins
    """
    from isovist.suites import registry
    from isovist.suites.abilities import ability_of

    if only_plug_ins:
        if tasks:
            raise UserError("Tasks with --plugins. Name tasks or give --plugins, not both.")
        _list_plug_ins(as_json)
        return
    chosen = registry.matching(tasks) if tasks else list(registry.tasks().values())
    if as_json:
        rows = [
            {
                "id": task.id,
                "suite": task.suite,
                "version": task.version,
                "levels": list(task.levels),
                "practice": dict(task.checks.distinct),
                "answer_type": task.answers.type,
                "chance": task.answers.mean_chance,
                "colour_vision": task.images.colour_vision,
                "ability": ability_of(task.id),
                "skills": list(task.skills),
                "summary": task.summary,
                "least_px": task.images.least_px,
                "settings": {name: setting.default for name, setting in task.all_settings.items()},
                "paper": {split: preset.n for split, preset in task.paper.sizes.items()},
                "source": task.paper.source,
            }
            for task in chosen
        ]
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    width = max((len(task.id) for task in chosen), default=0)
    for task in chosen:
        practice = f" (for practice: level {', '.join(task.checks.distinct)})" if task.checks.distinct else ""
        click.echo(f"{task.id:<{width}}  {task.answers.mean_chance:6.1%} chance  {ability_of(task.id):<21}  {task.summary}{practice}")


def _list_plug_ins(as_json: bool) -> None:
    """Print each plug-in with its package and what it adds, or why it cannot be used."""
    from isovist.cli.plug_in_contents import contents

    plug_ins = contents()
    if as_json:
        rows = [
            {
                "group": p.group,
                "name": p.name,
                "package": p.package,
                "version": p.version,
                "object": p.point.value,
                "adds": adds,
                "error": error,
            }
            for p, adds, error in plug_ins
        ]
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for plug_in, adds, error in plug_ins:
        click.echo(f"{plug_in.release}  {error or adds}")
    if not plug_ins:
        click.echo("No plug-ins are installed.", err=True)
