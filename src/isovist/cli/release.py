"""`isovist release`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import SuggestingGroup, echo
from isovist.cli.completion import tasks as task_names
from isovist.cli.options import Count, option, secret_option
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec

if TYPE_CHECKING:
    from isovist.data.releases.definition import Form, Release

_SHOWN = 20  # differing items


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Show or generate a release: a frozen definition of a test, with a public seed or a private one.

    \b
    Example: isovist release show isovist-2026.12
             isovist release secret isovist-2026.12 --out secret.toml
             isovist release generate isovist-2026.12 --secret secret.toml --out data/private
    """


@command.command("list")
@echo.json_option
def list_command(as_json: bool) -> None:
    r"""List the releases of Isovist.

    \b
    Example: isovist release list
    """
    from isovist.data.releases.definition import names, release

    releases = [release(name) for name in names()]
    if as_json:
        echo.as_json([_numbers(each) for each in releases])
        return
    for each in releases:
        numbers = _numbers(each)
        click.echo(
            f"{each.name}  {each.date}  {numbers['tasks']} tasks, {numbers['short']:,} items (short), {numbers['full']:,} items (full)"
        )


@command.command()
@click.argument("name", metavar="NAME")
@echo.json_option
def show(name: str, as_json: bool) -> None:
    r"""Show a release: its tasks, numbers of items and expected half-widths of 95% confidence intervals at 50% accuracy.

    NAME is a release of `isovist release list`, or a TOML file.

    \b
    Example: isovist release show isovist-2026.12
    """
    from isovist.data.releases.definition import FORMS, release
    from isovist.data.releases.making import precision

    shown = release(name)
    widths = {form: precision(shown, form) for form in FORMS}
    if as_json:
        echo.as_json({**asdict(shown), "precision": {form: [asdict(row) for row in rows] for form, rows in widths.items()}})
        return
    click.echo(f"{shown.name}, {shown.date}, made by isovist {shown.isovist}")
    click.echo(f"prompt style {shown.style}, public development seed {shown.seed}\n")
    click.echo(f"{'task':40} {'version':>7} {'levels':>6} {'short':>6} {'full':>6}")
    for task in shown.tasks:
        click.echo(f"{task.id:40} {task.version:>7} {len(task.levels):>6} {task.short:>6} {task.full:>6}")
    click.echo("\nHalf-width of the 95% CI of the mean accuracy of the tasks, at 50% accuracy:")
    for form, rows in widths.items():
        click.echo(f"{form:40} {'tasks':>7} {'items':>6} {'images':>6} {'CI':>8}")
        for row in rows:
            width = f"{100 * row.largest:.1f}"
            click.echo(f"  {row.name:38} {row.tasks:>7} {row.items:>6,} {row.images:>6,} {f'±{width}%':>8}")


@command.command()
@click.argument("name", metavar="NAME")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="New file with the secret; only you can read it.")
def secret(name: str, out: Path) -> None:
    r"""Make the secret of a release, and print its commitment. Publish the commitment first, and the file when you retire the secret.

    \b
    Example: isovist release secret isovist-2026.12 --out secret.toml
    """
    from isovist.common.private_seeds import create
    from isovist.data.releases.definition import release

    made = create(out, release(name).name)
    click.echo(f"Commitment: {made.commitment}")
    click.echo(f"Secret of {made.release}: {out}. Keep it private, and publish the commitment before the first result.")


@command.command()
@click.argument("name", metavar="NAME")
@option(RunSpec, "form", help="The number of items.", default="short")
@secret_option("Use the private seed of this secret file instead of the public one")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder.")
@option(RunSpec, "workers")
def generate(name: str, form: Form, secret: Path | None, out: Path, workers: int) -> None:
    r"""Generate the items of a release as a dataset folder, for `isovist run --data`. Run the same command again to resume.

    \b
    Example: isovist release generate isovist-2026.12 --out data/public
             isovist release generate isovist-2026.12 --form full --secret secret.toml --out data/private
    """
    from isovist.common.private_seeds import using
    from isovist.data.dataset.generate import generate as generate_parts
    from isovist.data.releases.definition import release

    with using(secret):
        parts = release(name).parts(form, private=secret is not None)
        with Progress(sum(part.n for part in parts)) as bar:
            generate_parts(parts, out, workers, bar.update)
    click.echo(f"{parts[0].release}, {parts[0].seeds}: {sum(part.n for part in parts):,} items of {len(parts)} tasks")
    click.echo(f"Dataset: {out}. Evaluate a model on it with `isovist run --data {out}`.")


@command.command()
@click.argument("name", metavar="NAME")
@option(RunSpec, "form", help="Only the items of this form.")
@click.option("--data", type=click.Path(path_type=Path), default=None, help="Verify this dataset folder, also its images, instead.")
@secret_option("With --data: the secret file of a private seed")
@option(RunSpec, "workers")
@echo.output_options
@click.pass_context
def verify(ctx: click.Context, name: str, form: Form | None, data: Path | None, secret: Path | None, workers: int) -> None:
    r"""Make the items of a release again with the public seed and compare their digests. Exit code 1 if an item differs.

    With --data, compare every row of a dataset folder of the release with its regenerated item instead.

    \b
    Example: isovist release verify isovist-2026.12 --form short
             isovist release verify isovist-2026.12 --data data/private --secret secret.toml
    """
    from isovist.common.private_seeds import using
    from isovist.data.dataset.verify import verify as verify_rows
    from isovist.data.releases import digests
    from isovist.data.releases.definition import release_file, require_release

    if data is None and ctx.get_parameter_source("secret") is not click.core.ParameterSource.DEFAULT:
        raise UserError("Option without effect: --secret. Add --data with a dataset folder; the digests are those of the public seed.")
    differing: list[str] = []
    with using(secret):
        file = release_file(name, digests=data is None)
        if data is None:
            total = sum(part.n for part in digests.parts(file.release, form))
            with Progress(total) as bar:
                differing += [
                    f"{each.id}: digest {each.expected} in {file.release.name}" for each in digests.verify(file, form, workers, bar.update)
                ]
        else:
            parts = require_release(data, file.release, form)
            total = sum(part.n for part in parts)
            with Progress(total, "row") as bar:
                for count, differences in verify_rows(data, parts, workers):
                    bar.update(count)
                    differing += [f"{each.file}: {each.id}: {each.description}" for each in differences]
    for line in sorted(differing)[:_SHOWN]:
        click.echo(line)
    if len(differing) > _SHOWN:
        click.echo(f"{len(differing) - _SHOWN} more")
    click.echo(f"{total:,} items, {len(differing):,} differ")
    if differing:
        sys.exit(1)


@command.command()
@click.argument("name", metavar="NAME")
@click.argument("tasks", nargs=-1, shell_complete=task_names)
@click.option("--short", type=Count(min=1), default=22, show_default=True, help="Items of each task in the short form, before balancing.")
@click.option("--full", type=Count(min=1), default=180, show_default=True, help="Items of each task in the full form, before balancing.")
@option(ItemOptions, "seed", help="The public development seed.")
@click.option("--date", default=None, metavar="YYYY-MM-DD", help="Date of the release [default: today].")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="New TOML file; the digests of the items are written beside it."
)
@option(RunSpec, "workers")
def new(name: str, tasks: tuple[str, ...], short: int, full: int, seed: int, date: str | None, out: Path, workers: int) -> None:
    r"""Make a release of the installed versions of some tasks, or of all tasks of Isovist.

    The number of items of a task is rounded so that levels and answers are balanced.

    \b
    Example: isovist release new compass-1 'cdr/*' --seed 7 --out compass-1.toml
    """
    from isovist.data.releases import digests, making
    from isovist.suites import registry

    chosen = registry.matching(list(tasks)) if tasks else [*registry.built_in_tasks().values()]
    if short > full:
        raise UserError(f"Invalid --short: {short}. Give at most the number of --full ({full}).")
    made = making.define(name, date or datetime.now(UTC).date().isoformat(), seed, chosen, short, full)
    making.require_new(out)
    with Progress(made.count("full")) as bar:
        made_digests = digests.make(made, workers, bar.update)
    making.write(made, made_digests, out)
    click.echo(f"{made.name}: {len(made.tasks)} tasks, {made.count('short'):,} items (short), {made.count('full'):,} items (full): {out}")


def _numbers(release: Release) -> dict[str, object]:
    return {
        "name": release.name,
        "date": release.date,
        "tasks": len(release.tasks),
        "short": release.count("short"),
        "full": release.count("full"),
    }
