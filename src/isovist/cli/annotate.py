"""`isovist annotate`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from isovist.cli.completion import tasks as tasks_there
from isovist.cli.item_options import limit_option
from isovist.errors import MissingDependencyError, UserError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--answers", type=click.Path(path_type=Path), default=None, help="The SQLite file of the answers [default: FOLDER/answers.sqlite]."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8421, show_default=True, help="Where the page is served; 0 for any free port."
)
@click.option("--tasks", multiple=True, metavar="GLOB", shell_complete=tasks_there, help="Of a data folder, only these tasks.")
@click.option("--split", default=None, help="Of a data folder, only this split.")
@limit_option("Cards of each task or part at most [default: all].")
@click.option("--labels", default=None, metavar="A,B,C", help="What pictures are sorted into [default: accept,reject].")
@click.option("--shuffle", is_flag=True, help="Each person gets an order of their own.")
@click.option(
    "--export", "exported", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Write the answers as JSON Lines; no page."
)
@click.option("--agreement", is_flag=True, help="Tell how far people agree, and how often they are right; no page.")
@click.option("--json", "as_json", is_flag=True, help="With --agreement: as JSON.")
def command(
    folder: Path, answers: Path | None, port: int, tasks: tuple[str, ...], split: str | None, n: int | None, labels: str | None, shuffle: bool,
    exported: Path | None, agreement: bool, as_json: bool,
) -> None:  # fmt: skip
    r"""Serve a local page on which people answer: items of a data folder, a list of cards, or pictures to accept or reject.

    It works by keyboard, stores every answer at once, and goes on where a person stopped. Only this machine can open it.

    \b
    Example: isovist annotate data/cospace
             isovist annotate pictures --labels accept,reject,unsure
             isovist annotate data/cospace --agreement
    """
    from isovist.human.annotate.annotation_jobs import job
    from isovist.human.annotate.answer_store import ANSWERS, Store

    if as_json and not agreement:
        raise UserError("--json goes with --agreement.")
    choices = [label.strip() for label in labels.split(",")] if labels is not None else []
    if labels is not None and (len(choices) < 2 or "" in choices or len(set(choices)) < len(choices) or len(choices) > 35):
        raise UserError(f"--labels {labels}: give 2 to 35 different labels with commas between them.")
    with tempfile.TemporaryDirectory(prefix="isovist-cards-") as into:
        card_job = job(folder, Path(into), tasks=tasks, split=split, n=n, labels=choices)
        path = answers or folder / ANSWERS
        if exported is None and not agreement:
            try:
                from isovist.human.annotate.server import serve
            except ImportError:
                raise MissingDependencyError("the page", "annotate") from None
            serve(
                card_job,
                Store(path),
                port,
                shuffled=shuffle,
                ready=lambda url: click.echo(f"{len(card_job.cards)} cards at {url} (end with Ctrl-C)"),
            )
            return
        from isovist.atomic_write import write_atomically
        from isovist.human.annotate import tables

        given = Store(path, create=False).given()
        if exported is not None:
            text = tables.lines(card_job, given)
            write_atomically(exported, text)
            lines = text.count("\n")
            click.echo(f"{lines} answers in {exported}", err=agreement)
        if agreement:
            click.echo(
                json.dumps(tables.summary(card_job, given), indent=1, ensure_ascii=False) if as_json else tables.table(card_job, given)
            )
