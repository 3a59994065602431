"""`isovist study`."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.command_groups import SuggestingGroup
from isovist.cli.completion import tasks as tasks_there
from isovist.cli.item_options import limit_option, seed_option
from isovist.cli.progress import Progress
from isovist.errors import MissingDependencyError, UserError

if TYPE_CHECKING:
    from isovist.human.study.participants import ParticipantStore, Vision
    from isovist.human.study.plan import Study, StudyPlan

_LONGEST_TEXT = 50_000  # characters
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Run a study with people: consent, practice, one question at a time. Their answers become runs beside those of models.

    \b
    Example: isovist study serve data --tasks 'cdr/*' --per-task 30 --out people
             isovist study status people
             isovist study export people --out runs/human
    """


@command.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--tasks",
    multiple=True,
    metavar="GLOB",
    shell_complete=tasks_there,
    help="Only these tasks of the data; may be given several times [default: all].",
)
@click.option("--split", default="test", show_default=True, help="The split whose items are asked.")
@click.option(
    "--per-task", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Items of each task, the same for everybody."
)
@click.option("--practice", type=click.IntRange(0, 100), default=2, show_default=True, help="Practice items before those of each task.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The study's folder; the same command goes on with it.")
@click.option("--text", type=click.Path(path_type=Path), default=None, help="A text file that people read and agree to first.")
@seed_option("Another seed, other orders.")
@click.option("--invited", is_flag=True, help="Only people with a code of `isovist study codes` can take part.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 for every one of this machine.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8422, show_default=True, help="Where the page is served; 0 for any free port."
)
def serve(
    data: Path, tasks: tuple[str, ...], split: str, per_task: int, practice: int, out: Path, text: Path | None, seed: int, invited: bool,
    host: str, port: int,
) -> None:  # fmt: skip
    r"""Serve the page on which people take the test, until it is ended.

    \b
    Example: isovist study serve data --tasks 'cdr/*' --per-task 30 --out people
             isovist study serve data --per-task 20 --out people --text consent.txt --host 0.0.0.0
    """
    from isovist.human.study.plan import STUDY, WELCOME, StudyPlan

    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: a file; give a folder for --out.")
    plan = StudyPlan.of(data, tasks, split, per_task, practice, seed, WELCOME if text is None else _text(text))
    if (out / STUDY).exists():
        before = StudyPlan.read(out)
        if differs := before.differs(plan):
            raise UserError(f"{out}: holds a study with another {' and '.join(differs)}; give another folder.")
        plan = replace(before, data=plan.data)
    elif out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: not empty and no study; give a new or an empty folder for --out.")
    try:
        from isovist.human.annotate import web_app
        from isovist.human.study.server import app
    except ImportError:
        raise MissingDependencyError("the page of a study", "annotate") from None
    with web_app.bound(port, host) as listening, tempfile.TemporaryDirectory(prefix="isovist-study-") as into:
        study = _opened(plan, Path(into))
        out.mkdir(parents=True, exist_ok=True)
        people = _people(out)
        plan.write(out)
        url, token = web_app.address(listening), secrets.token_urlsafe(24)
        click.echo(f"{len(study.items)} items of {len(study.blocks)} tasks for everybody at {url} (end with Ctrl-C)")
        click.echo(f"for you alone: {url}admin#{token}")
        if host not in _LOOPBACK:
            click.echo(
                f"--host {host}: whoever reaches this machine can open the page{'' if invited else ' and take part'}. Nothing is encrypted "
                "(no TLS): in a network that you do not trust, others can read codes and answers; put a proxy with TLS before it.",
                err=True,
            )
        web_app.serve(app(study, people, token, invited=invited, anywhere=host not in _LOOPBACK), listening)


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@limit_option("How many [default: 1].", most=1000)
@click.option(
    "--renew",
    "lost",
    multiple=True,
    metavar="CODE",
    help="Another code for who lost theirs, by its first four characters; may be repeated.",
)
def codes(folder: Path, n: int | None, lost: tuple[str, ...]) -> None:
    r"""Make codes to hand out beforehand, or new ones for people who lost theirs. They are printed now and kept nowhere: only the
    first four characters are.

    A renewed code begins with the same four characters and keeps the person's answers, order and progress; the old one opens nothing
    any more.

    \b
    Example: isovist study codes people --n 20
             isovist study codes people --renew K7QM
    """
    from isovist.human.study.plan import StudyPlan

    if lost and n is not None:
        raise UserError("--renew makes one code for each person; leave --limit out.")
    StudyPlan.read(folder)
    people = _people(folder)
    if lost:
        made = people.renew(_handles(lost))
        if isinstance(made, str):
            raise _nobody(folder, made, "renewed")
        for code in made.values():
            click.echo(code)
        return
    for _ in range(n or 1):
        click.echo(people.add())


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(folder: Path, as_json: bool) -> None:
    r"""Show how far people are, how often they are right, how far they agree, and which items look odd.

    \b
    Example: isovist study status people
    """
    from isovist.human.study import tables

    with _study(folder) as (study, people):
        click.echo(json.dumps(tables.summary(study, people), indent=1, ensure_ascii=False) if as_json else tables.table(study, people))


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder for the runs, or with --together for the one run.")
@click.option("--together", is_flag=True, help="One run `human`: each item answered by one of the people, picked at random by the seed.")
@click.option(
    "--colour-vision",
    "visions",
    multiple=True,
    type=click.Choice(["normal", "deficient", "unstated"]),
    help="Only people who said this of their colour vision; may be given several times [default: all].",
)
def export(folder: Path, out: Path, together: bool, visions: tuple[Vision, ...]) -> None:
    r"""Write the answers as runs, `human/CODE` for each person, which report, compare and rescore take like any other.

    \b
    Example: isovist study export people --out runs/human
             isovist study export people --together --out runs/people
    """
    from isovist.human.study import export as exporting

    with _study(folder) as (study, people), Progress(unit="answer", leave=False) as bar:
        whole = exporting.together if together else exporting.each
        written = whole(study, people, out, bar.update, visions)
    for exported in written:
        left = exported.items - exported.answers
        click.echo(f"{exported.model}: {exported.answers} answers in {exported.folder}{f'; {left} items have none' if left else ''}")


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("people", metavar="CODE...", nargs=-1, required=True)
def remove(folder: Path, people: tuple[str, ...]) -> None:
    r"""Delete people and all their answers, by the first four characters of their codes: those who take their consent back.

    \b
    Example: isovist study remove people K7QM
    """
    from isovist.human.study.plan import StudyPlan

    StudyPlan.read(folder)
    handles = _handles(people)
    if unknown := _people(folder).remove(handles):
        raise _nobody(folder, unknown[0], "deleted")
    click.echo(f"deleted: {', '.join(handles)}")


def _handles(codes: tuple[str, ...]) -> list[str]:
    """People by the first four characters of their codes, or by all of them."""
    return list(dict.fromkeys(code.strip().upper()[:4] for code in codes))


def _nobody(folder: Path, handle: str, done: str) -> UserError:
    return UserError(f"{folder}: nobody has the code {handle}; `isovist study status` lists those there are. Nothing was {done}.")


def _text(path: Path) -> str:
    """Own words for the first page."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UserError(f"{path}: no text in UTF-8; save it as such.") from None
    if not text or len(text) > _LONGEST_TEXT:
        raise UserError(f"{path}: {'empty' if not text else 'too long'}; give a text of 1 to {_LONGEST_TEXT} characters.")
    return text


def _opened(plan: StudyPlan, into: Path) -> Study:
    from isovist.human.study.plan import opened

    with Progress(desc="reading the items", leave=False) as bar:
        return opened(plan, into, bar.update)


def _people(folder: Path) -> ParticipantStore:
    from isovist.human.study.participants import ParticipantStore

    return ParticipantStore(folder)


@contextmanager
def _study(folder: Path) -> Generator[tuple[Study, ParticipantStore]]:
    """The study in a folder and its people, as long as its pictures are needed."""
    from isovist.human.study.plan import StudyPlan

    plan = StudyPlan.read(folder)
    with tempfile.TemporaryDirectory(prefix="isovist-study-") as into:
        yield _opened(plan, Path(into)), _people(folder)
