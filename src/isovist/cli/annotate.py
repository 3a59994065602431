"""`isovist annotate`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from isovist.cli.completion import tasks as task_names
from isovist.cli.options import option
from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.item_options import ItemOptions


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--answers", type=click.Path(path_type=Path), default=None, help="SQLite file of the answers [default: FOLDER/answers.sqlite]."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8421, show_default=True, help="Port of the page; 0 for any free port.")
@click.option("--tasks", multiple=True, metavar="GLOB", shell_complete=task_names, help="Only these tasks of a dataset folder.")
@click.option("--split", default=None, help="Of a dataset folder, only this split.")
@option(ItemOptions, "n", help="Annotation items of each task or part [default: all].")
@click.option("--labels", default=None, metavar="A,B,C", help="Labels for images [default: accept,reject].")
@click.option("--shuffle", is_flag=True, help="Shuffle the items for each annotator.")
@click.option(
    "--export",
    "exported",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write the answers as JSON Lines and serve no page.",
)
@click.option("--agreement", is_flag=True, help="Print inter-rater agreement and accuracy and serve no page.")
@click.option("--json", "as_json", is_flag=True, help="With --agreement: print JSON.")
def command(
    folder: Path, answers: Path | None, port: int, tasks: tuple[str, ...], split: str | None, n: int | None, labels: str | None, shuffle: bool,
    exported: Path | None, agreement: bool, as_json: bool,
) -> None:  # fmt: skip
    r"""Serve a local page for annotators: items of a dataset folder, a list of annotation items, or images to accept or reject.

    The page works by keyboard, saves every answer at once, and resumes where an annotator stopped. Only this machine can open it.

    \b
    Example: isovist annotate data/cospace
             isovist annotate pictures --labels accept,reject,unsure
             isovist annotate data/cospace --agreement
    """
    from isovist.people.annotate.annotation_jobs import job
    from isovist.people.annotate.answer_store import ANSWERS, Store

    if as_json and not agreement:
        raise UserError("Option without --agreement: --json. Add --agreement.")
    choices = [label.strip() for label in labels.split(",")] if labels is not None else []
    if labels is not None and (len(choices) < 2 or "" in choices or len(set(choices)) < len(choices) or len(choices) > 35):
        raise UserError(f"Invalid --labels: {labels}. Give 2 to 35 different labels, separated by commas.")
    with tempfile.TemporaryDirectory(prefix="isovist-cards-") as into:
        card_job = job(folder, Path(into), tasks=tasks, split=split, n=n, labels=choices)
        path = answers or folder / ANSWERS
        if exported is None and not agreement:
            try:
                from isovist.people.annotate.server import serve
            except ImportError:
                raise MissingDependencyError("the annotation page", "annotate") from None
            serve(
                card_job,
                Store(path),
                port,
                shuffled=shuffle,
                ready=lambda url: click.echo(f"{len(card_job.cards)} annotation items at {url} (stop with Ctrl-C)"),
            )
            return
        from isovist.common.atomic_write import write_atomically
        from isovist.people.annotate import tables

        annotations = Store(path, create=False).given()
        if exported is not None:
            text = tables.lines(card_job, annotations)
            write_atomically(exported, text)
            lines = text.count("\n")
            click.echo(f"{lines} answers in {exported}", err=agreement)
        if agreement and as_json:
            click.echo(json.dumps(tables.summary(card_job, annotations), indent=1, ensure_ascii=False))
        elif agreement:
            click.echo(tables.table(card_job, annotations))
