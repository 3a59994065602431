"""`isovist export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.options import option, verified
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.exporters.formats import FORMATS
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec, style_help
from isovist.reporting.publication import RESULT_FORMATS

if TYPE_CHECKING:
    from isovist.data.exporters.export_source import Kinds

_TOOLS = "; ".join(f"{name}: {tool}" for name, tool in ({entry.name: entry.tool for entry in FORMATS.values()} | RESULT_FORMATS).items())


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    required=True,
    type=click.Choice([*FORMATS, *RESULT_FORMATS]),
    help=f"Format of this tool ({_TOOLS})".replace("`", ""),
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write (new or empty).")
@click.option(
    "--tasks",
    multiple=True,
    metavar="GLOB",
    shell_complete=tasks_there,
    help="Only these tasks of a dataset folder (repeatable).",
)
@click.option("--split", type=click.Choice(["test", "train"]), help="Items of this split [default: train, and test for evaluation tools].")
@option(ItemOptions, "n", help="Maximum number of items of each task [default: all].")
@click.option(
    "--target",
    type=click.Choice(["answer", "reasoning", "both"]),
    help="Responses: answer only, chain of thought with the answer, or both [default: answer].",
)
@option(RunSpec, "prompt_style", help=style_help("that of the kind of response, else that of the data"))
@click.option("--card", type=click.Path(path_type=Path), metavar="FILE", help="Of a run: who ran the model (`isovist submit card`).")
@click.option("--model-id", metavar="DEVELOPER/MODEL", help="Of a run: the model [default: from its name in the run].")
@click.option("--dataset-id", metavar="OWNER/NAME[@REVISION]", help="Of a run: the dataset on the Hugging Face Hub that has its items.")
@option(RunSpec, "workers", help="Processes that score the responses of a run again.")
def command(
    folder: Path, format_name: str, out: Path, tasks: tuple[str, ...], split: str | None, n: int | None, target: Kinds | None,
    prompt_style: str | None, card: Path | None, model_id: str | None, dataset_id: str | None, workers: int,
) -> None:  # fmt: skip
    r"""Export data in the format of a trainer or another evaluation tool, or the results of a run in that of a site that publishes them.

    DIR is a dataset folder, a training mixture, or a run.

    \b
    Example: isovist export data/cdr-train --format trl-sft --target reasoning --out exports/cdr-sft
             isovist export mixes/all-40k --format llava --out exports/llava
             isovist export data/cdr --format vlmevalkit --out exports/vlmevalkit
             isovist export runs/4o-mini --format every-eval-ever --card card.toml --out exports/4o-mini
    """
    from isovist.data.exporters.export import export
    from isovist.data.exporters.export_source import ExportRequest

    of_data = {"--tasks": tasks, "--split": split, "--n": n, "--target": target, "--prompt-style": prompt_style}
    of_run = {"--card": card, "--model-id": model_id, "--dataset-id": dataset_id}
    is_run = format_name in RESULT_FORMATS
    if wrong := next((flag for flag, value in (of_data if is_run else of_run).items() if value), None):
        raise UserError(f"{wrong} is for {'data' if is_run else 'runs'}, not for --format {format_name}. Remove one of them.")
    with Progress() as bar:

        def start(total: int) -> Callable[[], object]:
            bar.total = total
            return bar.update

        if is_run:
            from isovist.reporting.publication.result_export import ResultRequest, export_results
            from isovist.reporting.submissions.model_card import read

            request = ResultRequest(model_id or "", dataset_id or "", read(card) if card else None)
            with verified([folder], verify=True, workers=workers) as verifier:
                notes = export_results(folder, format_name, out, request, verifier, start)
            written = f"Results for {format_name} in {out}"
        else:
            done = export(folder, format_name, out, ExportRequest(tasks, split, n, target, prompt_style), start=start)
            noun = "items" if FORMATS[format_name].takes == "rows" else "examples"
            written = f"{done.count} {noun} for {format_name} in {out} ({out / 'README.md'} says how to use them)"
            notes = done.warnings
            for reason, count in done.skipped.items():
                click.echo(f"Skipped {count} {reason}.", err=True)
    click.echo(written)
    for note in notes:
        click.echo(f"note: {note}", err=True)
