"""`isovist import`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import click

from isovist.cli import SuggestingGroup
from isovist.cli.import_sets import PAGES, Page, page_text, text
from isovist.cli.options import option
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.item_options import ItemOptions
from isovist.reporting.analysis.text_format import pluralize

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from isovist.data.importers.benchmark_format import Format
    from isovist.data.importers.benchmarks.importer import BenchmarkImportSummary

_TOOLS = ("vlmevalkit", "lmms-eval", "evalscope", "jsonl")
_OUT = click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder to write (new or empty).")
_OPTIONS = {
    "all_tasks": click.option("--all-tasks", is_flag=True, help="Import all tasks of the set, not only its mazes."),
    "mapping": click.option("--column-mapping", "mapping", type=click.Path(path_type=Path), help="JSON file that maps the columns."),
    "labels": click.option(
        "--labels", type=click.Path(path_type=Path), help="Required. CSV or JSON Lines file with the columns annotation and facing."
    ),
    "words": click.option("--labels", type=click.Path(path_type=Path), help="CSV file with a column file: images that show readable text."),
    "tasks": click.option(
        "--tasks", multiple=True, metavar="GLOB", help="Tasks instead of those of the paper; '*' for all applicable tasks."
    ),
    "limit": option(ItemOptions, "n", help="Items of each task and level, with balanced answers [default: all]."),
    "seed": option(ItemOptions, "seed", help="Seed of the choice of items."),
    "tool": click.option("--source-tool", "tool", type=click.Choice(_TOOLS), required=True, help="Tool that recorded the responses."),
    "data": click.option("--data", type=click.Path(path_type=Path), required=True, help="Dataset folder that was exported."),
    "vqa_mapping": click.option(
        "--mapping", type=click.Path(path_type=Path), required=True, help="TOML file that states what the columns hold."
    ),
    "images": click.option("--images", type=click.Path(path_type=Path), help="Folder of the image paths [default: that of the file]."),
    "model": click.option("--model", help="Name of the model [default: its name in the tool]."),
}
_OF_PREDICTIONS = {
    "out": click.option("--out", type=click.Path(path_type=Path), required=True, help="Run folder to write (new or empty)."),
    "limit": option(ItemOptions, "n", help="The --limit of the export, if it was used."),
}


_SECTIONS = {
    "Published sets": ("published", "mapped"),
    "Annotated photographs for questions of the kinds of DORI": ("photographs",),
    "Others": ("upright", "predictions"),
}


class _Set(click.Command):
    """The command of one set. For an option of other sets, the error names these sets."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            others = [name for name in PAGES if any(error.option_name in param.opts for param in _set(name).params)]
            if not others:
                raise
            listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            raise UserError(
                f"{error.option_name} is an option of {listed}, not of {self.name}. Run `isovist import {self.name} --help`."
            ) from None


class _Sets(SuggestingGroup):
    noun = "set"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise UserError(f"No set before {error.option_name}. Use `isovist import SET PATH --out DIR`.") from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*PAGES, *_of_plug_ins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name in _of_plug_ins():
            return _set_of_plug_in(cmd_name)
        return _set(cmd_name) if cmd_name in PAGES else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The names of the sets; no plug-in is imported."""
        from click.shell_completion import CompletionItem

        summaries = {name: page.summary for name, page in PAGES.items()} | _of_plug_ins()
        items = [CompletionItem(name, help=summary) for name, summary in summaries.items() if name.startswith(incomplete)]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, kinds in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, page.title) for name, page in PAGES.items() if page.kind in kinds])
        if packages := _of_plug_ins():
            with formatter.section("Plug-ins"):
                formatter.write_dl([(name, f"of {package}") for name, package in packages.items()])


def _of_plug_ins() -> dict[str, str]:
    """The sets of plug-ins with their packages. None is imported."""
    from isovist.common import plug_ins

    return {plug_in.name: plug_in.release for plug_in in plug_ins.installed(plug_ins.IMPORTERS) if plug_in.name not in PAGES}


def _set_of_plug_in(name: str) -> click.Command:
    """The command of a set whose format a plug-in describes. Raises PlugInError if it cannot be used."""
    from isovist.common import plug_ins
    from isovist.data.importers.benchmark_format import format_of

    plug_in = plug_ins.named(plug_ins.IMPORTERS, name)
    if plug_in is None:
        raise AssertionError(name)
    source = format_of(plug_in)
    files = f"Parquet, JSON or JSON Lines with the columns {', '.join(source.columns)}."
    page = Page("published", source.title, f"Import {source.title}, a set of the package {plug_in.release}.", files, source.home)

    def run(path: Path, out: Path) -> None:
        _import(source, path, out)

    run = click.argument("path", type=click.Path(path_type=Path))(_OUT(run))
    return click.command(name, cls=_Set, help=page_text(name, page), short_help=page.summary)(run)


@click.command(cls=_Sets, subcommand_metavar="SET PATH --out DIR [OPTIONS]")
def command() -> None:
    r"""Import a published benchmark, annotated photos, or predictions. Download the files first.

    Benchmarks and photographs become a dataset folder for `isovist run --data`. Predictions become a run for `isovist report`.
    `isovist import SET --help` lists the files, sources and options of SET.

    \b
    Example: isovist import srbench downloads/srbench --out data/srbench-published
             isovist import vqa downloads/MMBench_DEV_EN.tsv --mapping examples/vqa/mmbench.toml --out data/mmbench
             isovist import kitti downloads/kitti/training --out data/kitti --limit 100
             isovist run --data data/kitti --model simulated/random --out runs/random
             isovist import predictions outputs --source-tool vlmevalkit --data data/cdr --out runs/vlmevalkit
    """


def _set(name: str) -> click.Command:
    """The command of one set, with its options."""
    page = PAGES[name]

    def run(path: Path, out: Path, **options: Any) -> None:
        match page.kind:
            case "published":
                _published(name, path, out, **options)
            case "mapped":
                _mapped(path, out, **options)
            case "photographs":
                _photographs(name, path, out, **options)
            case "upright":
                _upright(path, out, **options)
            case "predictions":
                _predictions(path, out, **options)
            case _:
                assert_never(page.kind)

    overrides = _OF_PREDICTIONS if page.kind == "predictions" else {}
    for add in reversed((overrides.get("out", _OUT), *(overrides.get(name, _OPTIONS[name]) for name in page.options))):
        run = add(run)
    run = click.argument("path", type=click.Path(path_type=Path))(run)
    return click.command(name, cls=_Set, help=text(name), short_help=page.summary)(run)


def _published(name: str, path: Path, out: Path, *, all_tasks: bool = False, mapping: Path | None = None) -> None:
    module = import_module(f"isovist.data.importers.benchmarks.{name.replace('-', '_')}")
    source: Format = module.source(mapping) if mapping else module.ALL_TASKS if all_tasks else module.FORMAT
    _import(source, path, out)


def _import(source: Format, path: Path, out: Path) -> None:
    from isovist.data.importers.benchmarks.importer import import_benchmark

    with Progress(unit="record", desc=f"import {source.name}") as bar:
        summary = import_benchmark(source, path, out, progress=bar.update)
    _echo_summary(summary, out)


def _mapped(path: Path, out: Path, *, mapping: Path, images: Path | None) -> None:
    from isovist.data.importers.vqa.importer import import_vqa

    with Progress(unit="record", desc="import vqa") as bar:
        summary = import_vqa(mapping, path, out, images=images, progress=bar.update)
    _echo_summary(summary, out)


def _echo_summary(summary: BenchmarkImportSummary, out: Path) -> None:
    from isovist.data.importers.benchmarks.importer import DUPLICATES, OTHER_KEY

    for task, count in sorted(summary.items.items()):
        click.echo(f"{count:>7}  {task}")
    items = f" as {pluralize(summary.items.total(), 'item')}" if summary.items.total() != summary.used else ""
    orders = f" with {pluralize(summary.orders.total(), 'other image order')}" if summary.orders else ""
    click.echo(f"Imported {summary.used} of {pluralize(summary.read, 'record')}{items}{orders}. Skipped: {summary.rejected.total()}.")
    _echo_rejected(summary.rejected, out)
    if summary.changed:
        click.echo(
            f"Images as a viewer shows them: {', '.join(f'{count} {how}' for how, count in sorted(summary.changed.items()))}.", err=True
        )
    if summary.duplicates:
        counts = f"{summary.duplicates.total()} ({summary.duplicates[OTHER_KEY]} with another key)"
        click.echo(
            f"Items with the same images and prompt as an earlier item: {counts}. They are imported. List: {out / DUPLICATES}", err=True
        )
    for file, reason in summary.passed_over:
        click.echo(f"Skipped file {_printable(file)}: {reason}.", err=True)


def _photographs(
    name: str, path: Path, out: Path, *, tasks: Sequence[str], n: int | None, seed: int, labels: Path | None = None
) -> None:  # fmt: skip
    from isovist.data.importers.object_pose.annotated_objects import Source
    from isovist.data.importers.object_pose.importer import import_object_pose

    source: Source = import_module(f"isovist.data.importers.object_pose.{name.replace('3d-future', 'future3d')}").SOURCE
    with Progress(unit="photograph", desc=f"import {name}") as bar:
        outcome = import_object_pose(source, path, out, labels=labels, tasks=tasks, n=n, seed=seed, progress=bar.update)
    for task, answers in sorted(outcome.items.items()):
        click.echo(f"{answers.total():>7}  {task}")
        for answer, count in sorted(answers.items()):
            click.echo(f"{count:>15}  {answer}")
    not_needed = f" Not needed: {outcome.left}." if outcome.left else ""
    click.echo(
        f"Imported {outcome.used} of {pluralize(outcome.annotations, 'annotation')} in {pluralize(outcome.photographs, 'photograph')}."
        f"{not_needed} Skipped: {outcome.rejected.total()}."
    )
    _echo_rejected(outcome.rejected, out)


def _upright(path: Path, out: Path, *, labels: Path | None, n: int | None, seed: int) -> None:
    from isovist.data.importers.upright_photos import import_upright_photos

    with Progress(unit="photograph", desc="import upright") as bar:
        outcome = import_upright_photos(path, out, labels=labels, n=n, seed=seed, progress=bar.update)
    click.echo(f"Imported {pluralize(outcome.items, 'item')} from {pluralize(outcome.photographs, 'photograph')} to {out}.")
    _echo_rejected(outcome.rejected, out)


def _predictions(path: Path, out: Path, *, tool: str, data: Path, n: int | None, model: str | None) -> None:
    from isovist.evaluation.models.finish_reasons import unknown_ends
    from isovist.evaluation.predictions.importer import SKIPPED, import_predictions

    with Progress(unit="row", desc="import predictions") as bar:
        summary = import_predictions(tool, path, data, out, n=n, model=model, progress=bar.update)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.most_common())
    outcomes = outcomes.replace("_", " ")
    click.echo(
        f"Imported {pluralize(summary.n_used, 'response')} of {_printable(summary.model)} from {pluralize(summary.read, 'row')} ({outcomes})."
    )
    click.echo(f"Next: isovist report {out} --out {out / 'report'}")
    if summary.unknown_ends:
        click.echo(_printable(unknown_ends(summary.unknown_ends)), err=True)
    for reason, count in summary.skipped.most_common():
        click.echo(f"Skipped {pluralize(count, 'row')}: {_printable(reason)}.", err=True)
    for task, count in sorted(summary.without_response.items()):
        click.echo(f"No response to {pluralize(count, 'item')} of {task}.", err=True)
    if summary.skipped or summary.without_response:
        click.echo(f"Reasons: {out / SKIPPED}", err=True)
    if summary.tasks_without_response:
        click.echo(f"Tasks without a response, not in the run: {', '.join(summary.tasks_without_response)}.", err=True)


def _echo_rejected(reasons: Counter[str], out: Path) -> None:
    from isovist.data.importers.pipeline import SKIPPED

    if reasons:
        click.echo(f"Skipped, with the reasons in {out / SKIPPED}:", err=True)
    for reason, count in reasons.most_common():
        click.echo(f"{count:>7}  {reason}", err=True)


def _printable(name: str) -> str:
    """A text from a file, with control characters replaced for the terminal."""
    return "".join(c if c.isprintable() else "?" for c in name)
