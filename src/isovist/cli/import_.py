"""`isovist import`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, assert_never

import click

from isovist.cli.command_groups import SuggestingGroup
from isovist.cli.import_sets import PAGES, text
from isovist.cli.item_options import limit_option, seed_option
from isovist.cli.progress import Progress
from isovist.errors import UserError

_TOOLS = ("vlmevalkit", "lmms-eval", "evalscope")
_OUT = click.option("--out", type=click.Path(path_type=Path), required=True, help="The data folder to write; new or empty.")
_OPTIONS = {
    "all_tasks": click.option("--all-tasks", is_flag=True, help="All tasks of the set, not its mazes alone."),
    "mapping": click.option(
        "--column-mapping", "mapping", type=click.Path(path_type=Path), help="A JSON file that says which columns are which."
    ),
    "labels": click.option("--labels", type=click.Path(path_type=Path), help="Needed. CSV or JSON Lines: annotation, facing."),
    "words": click.option("--labels", type=click.Path(path_type=Path), help="CSV with a column file: pictures that show readable words."),
    "tasks": click.option("--tasks", multiple=True, metavar="GLOB", help="Other tasks than the paper's; '*' for all that fit."),
    "limit": limit_option("Items of each task and level, answers balanced [default: all there are]."),
    "seed": seed_option("Another seed, another choice of items."),
    "tool": click.option("--source-tool", "tool", type=click.Choice(_TOOLS), required=True, help="The tool that got the replies."),
    "data": click.option("--data", type=click.Path(path_type=Path), required=True, help="The data folder that was exported."),
    "model": click.option("--model", help="The model's name [default: as the tool calls it]."),
}
_OF_PREDICTIONS = {
    "out": click.option("--out", type=click.Path(path_type=Path), required=True, help="The run to write; new or empty."),
    "limit": limit_option("The --limit of the export, if it had one."),
}


_SECTIONS = {
    "Published sets": ("published",),
    "Annotated photographs, about which questions like DORI's are asked": ("photographs",),
    "Others": ("upright", "predictions"),
}


class _Set(click.Command):
    """One set. An option that only other sets have is refused with their names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            others = [name for name in PAGES if any(error.option_name in param.opts for param in _set(name).params)]
            if not others:
                raise
            listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            raise UserError(
                f"{error.option_name} is for {listed}, not for {self.name}; `isovist import {self.name} --help` lists its options."
            ) from None


class _Sets(SuggestingGroup):
    noun = "set"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise UserError(f"{error.option_name}: name the set first, as in `isovist import SET PATH --out DIR`.") from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*PAGES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        return _set(cmd_name) if cmd_name in PAGES else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, kinds in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, page.title) for name, page in PAGES.items() if page.kind in kinds])


@click.command(cls=_Sets, subcommand_metavar="SET PATH --out DIR [OPTIONS]")
def command() -> None:
    r"""Import a published test set, annotated photographs or another tool's replies. You download them first.

    Published sets and photographs become a data folder, for `isovist run --data`; replies become a run, for `isovist report`.
    `isovist import SET --help` says which files SET reads, where they come from, and its options.

    \b
    Example: isovist import srbench downloads/srbench --out data/srbench-published
             isovist import kitti downloads/kitti/training --out data/kitti --limit 100
             isovist run --data data/kitti --model simulated/random --out runs/random
             isovist import predictions outputs --source-tool vlmevalkit --data data/cdr --out runs/vlmevalkit
    """


def _set(name: str) -> click.Command:
    """The command of one set, with the options that it has."""
    page = PAGES[name]

    def run(path: Path, out: Path, **options: Any) -> None:
        match page.kind:
            case "published":
                _published(name, path, out, **options)
            case "photographs":
                _photographs(name, path, out, **options)
            case "upright":
                _upright(path, out, **options)
            case "predictions":
                _predictions(path, out, **options)
            case _:
                assert_never(page.kind)

    overrides = _OF_PREDICTIONS if page.kind == "predictions" else {}
    for option in reversed((overrides.get("out", _OUT), *(overrides.get(option, _OPTIONS[option]) for option in page.options))):
        run = option(run)
    run = click.argument("path", type=click.Path(path_type=Path))(run)
    return click.command(name, cls=_Set, help=text(name), short_help=page.summary)(run)


def _published(name: str, path: Path, out: Path, *, all_tasks: bool = False, mapping: Path | None = None) -> None:
    from isovist.importers.benchmark_format import Format
    from isovist.importers.benchmarks.importer import DUPLICATES, OTHER_KEY, import_benchmark

    module = import_module(f"isovist.importers.benchmarks.{name.replace('-', '_')}")
    source: Format = module.source(mapping) if mapping else module.ALL_TASKS if all_tasks else module.FORMAT
    with Progress(unit="record", desc=f"import {name}") as bar:
        summary = import_benchmark(source, path, out, progress=bar.update)
    for task, count in sorted(summary.items.items()):
        click.echo(f"{count:>7}  {task}")
    asked = f" as {summary.items.total()} items" if summary.items.total() != summary.used else ""
    orders = f", {summary.orders.total()} other orders of theirs" if summary.orders else ""
    click.echo(f"{summary.read} records read: {summary.used} imported{asked}{orders}, {summary.rejected.total()} rejected")
    _echo_rejected(summary.rejected, out)
    if summary.duplicates:
        words = f"{summary.duplicates.total()} items show and ask what an earlier one does, {summary.duplicates[OTHER_KEY]} of them with another key"
        click.echo(f"{words}; they are imported, and told in {out / DUPLICATES}", err=True)
    for file, why in summary.passed_over:
        click.echo(f"passed over {_printable(file)}: {why}", err=True)


def _photographs(
    name: str, path: Path, out: Path, *, tasks: Sequence[str], n: int | None, seed: int, labels: Path | None = None
) -> None:  # fmt: skip
    from isovist.importers.object_pose.annotated_objects import Source
    from isovist.importers.object_pose.importer import import_object_pose

    source: Source = import_module(f"isovist.importers.object_pose.{name.replace('3d-future', 'future3d')}").SOURCE
    with Progress(unit="photograph", desc=f"import {name}") as bar:
        outcome = import_object_pose(source, path, out, labels=labels, tasks=tasks, n=n, seed=seed, progress=bar.update)
    for task, answers in sorted(outcome.items.items()):
        click.echo(f"{answers.total():>7}  {task}")
        for answer, count in sorted(answers.items()):
            click.echo(f"{count:>15}  {answer}")
    left = f", {outcome.left} not needed" if outcome.left else ""
    click.echo(
        f"{outcome.annotations} annotations of {outcome.photographs} photographs read: {outcome.used} asked about{left}, "
        f"{outcome.rejected.total()} rejected"
    )
    _echo_rejected(outcome.rejected, out)


def _upright(path: Path, out: Path, *, labels: Path | None, n: int | None, seed: int) -> None:
    from isovist.importers.upright_photos import import_upright_photos

    with Progress(unit="photograph", desc="import upright") as bar:
        outcome = import_upright_photos(path, out, labels=labels, n=n, seed=seed, progress=bar.update)
    click.echo(f"{outcome.items} items about {outcome.photographs} photographs in {out}")
    _echo_rejected(outcome.rejected, out)


def _predictions(path: Path, out: Path, *, tool: str, data: Path, n: int | None, model: str | None) -> None:
    from isovist.importers.predictions.importer import LEFT_OUT, import_predictions

    with Progress(unit="row", desc="import predictions") as bar:
        summary = import_predictions(tool, path, data, out, n=n, model=model, progress=bar.update)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.most_common())
    click.echo(f"{_printable(summary.model)}: {summary.read} rows read, {summary.used} replies used ({outcomes})")
    click.echo(f"see them with: isovist report {out} --out {out / 'report'}")
    for reason, count in summary.left_out.most_common():
        click.echo(f"left out: {count} rows: {_printable(reason)}", err=True)
    for task, count in sorted(summary.missing.items()):
        click.echo(f"missing: {count} items of {task} have no reply", err=True)
    if summary.left_out or summary.missing:
        click.echo(f"each is told in {out / LEFT_OUT}", err=True)
    if summary.untouched:
        click.echo(f"no replies to {', '.join(summary.untouched)}: not in the run", err=True)


def _echo_rejected(reasons: Counter[str], out: Path) -> None:
    from isovist.importers.pipeline import REJECTED

    if reasons:
        click.echo(f"rejected, each told in {out / REJECTED}:", err=True)
    for reason, count in reasons.most_common():
        click.echo(f"{count:>7}  {reason}", err=True)


def _printable(name: str) -> str:
    """A name that a stranger gave to a file, for a terminal."""
    return "".join(c if c.isprintable() else "?" for c in name)
