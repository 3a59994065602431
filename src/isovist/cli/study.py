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

from isovist.cli import SuggestingGroup
from isovist.cli.completion import tasks as task_names
from isovist.cli.config_file import is_given
from isovist.cli.generation_options import parts
from isovist.cli.options import option
from isovist.common.errors import MissingDependencyError, UserError
from isovist.common.progress import Progress
from isovist.core.summation import sum_in_order
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec

if TYPE_CHECKING:
    from isovist.people.study.participants import ParticipantStore, Vision
    from isovist.people.study.plan import Study, StudyPlan

_LONGEST_TEXT = 50_000  # characters
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Run a study with human participants: consent, practice, one question at a time. The answers are exported as runs.

    \b
    Example: isovist study serve data --tasks 'cdr/*' --per-task 30 --out people
             isovist study status people
             isovist study export people --out runs/human
    """


@command.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=task_names)
@click.option("--per-category", type=click.IntRange(1, 10), default=2, show_default=True, help="Least number of items of each category.")
@click.option("--practice", type=click.IntRange(0, 100), default=2, show_default=True, help="Practice items of each task.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder for `isovist study serve`.")
@option(ItemOptions, "seed")
@option(RunSpec, "workers")
def categories(tasks: tuple[str, ...], per_category: int, practice: int, out: Path, seed: int, workers: int) -> None:
    r"""Generate the items of a blind check of every category of object: so many that each occurs, and practice items.

    \b
    Example: isovist study categories srbench/orientation-eight-way --out data
             isovist study serve data --per-task 300 --out people
    """
    from isovist.data.dataset.generate import generate
    from isovist.people.study.plan import items_for_categories
    from isovist.suites import registry

    counted = {task.id: items_for_categories(task, per_category, seed) for task in registry.matching(tasks)}
    most = max(items.n for items in counted.values())
    requested = parts(counted, ItemOptions(n=most + practice, seed=seed), default=most)
    with Progress(sum(part.n for part in requested)) as bar:
        generate(requested, out, workers, bar.update)
    for name, items in counted.items():
        rare = f"; too rare: {', '.join(items.rare)}" if items.rare else ""
        click.echo(f"{name}: {len(items.categories)} categories at least {per_category} times in {items.n} items{rare}")
    click.echo(f"Serve them: isovist study serve {out} --per-task {most} --practice {practice} --out people")


@command.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--tasks",
    multiple=True,
    metavar="GLOB",
    shell_complete=task_names,
    help="Only these tasks (repeatable) [default: all].",
)
@click.option("--split", default="test", show_default=True, help="Split of the items.")
@click.option(
    "--per-task", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Items of each task, the same for all participants."
)
@click.option("--practice", type=click.IntRange(0, 100), default=2, show_default=True, help="Practice items before each task.")
@click.option(
    "--options",
    type=click.IntRange(2, 25),
    default=None,
    help="Show at most N options of each question: the correct one and random others [default: all].",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Study folder; the same command resumes the study.")
@click.option("--text", type=click.Path(path_type=Path), default=None, help="A text file with the consent form.")
@click.option(
    "--methods",
    "methods_file",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="TOML file with attention checks, completion code and statements (`isovist study methods`) [default: those of the study].",
)
@option(ItemOptions, "seed", help="Random seed; another seed gives other item orders.")
@click.option("--invited", is_flag=True, help="Require a participant code from `isovist study codes`.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Network address of the server; 0.0.0.0 for all interfaces.")
@click.option("--port", type=click.IntRange(0, 65535), default=8422, show_default=True, help="Port of the page; 0 for any free port.")
def serve(
    data: Path, tasks: tuple[str, ...], split: str, per_task: int, practice: int, options: int | None, out: Path, text: Path | None,
    methods_file: Path | None, seed: int, invited: bool, host: str, port: int,
) -> None:  # fmt: skip
    r"""Serve the study page until the command is stopped.

    \b
    Example: isovist study serve data --tasks 'cdr/*' --per-task 30 --out people
             isovist study serve data --per-task 20 --out people --text consent.txt --host 0.0.0.0
             isovist study serve data --tasks 'dori/*' --per-task 60 --options 3 --out people
    """
    from isovist.data.dataset.external_rows import SPLIT
    from isovist.people.study import fewer_options, methods
    from isovist.people.study.fewer_options import ITEMS
    from isovist.people.study.participants import ParticipantStore
    from isovist.people.study.plan import STUDY, WELCOME, StudyPlan

    if out.exists() and not out.is_dir():
        raise UserError(f"Not a folder: {out}. Give a folder for --out.")
    before = StudyPlan.read(out) if (out / STUDY).exists() else None
    stated = methods.read(methods_file) if methods_file else before and before.methods
    plan = StudyPlan.of(data, tasks, split, per_task, practice, seed, WELCOME if text is None else _text(text), stated)
    if before is not None:
        if (out / ITEMS).exists() != (options is not None):
            change = "Add the --options of its start" if options is None else "Remove --options"
            raise UserError(
                f"Study folder has {'fewer' if options is None else 'all'} options: {out}. {change}, or choose another --out folder."
            )
    elif out.exists() and any(path.name != ITEMS for path in out.iterdir()):
        raise UserError(f"Folder is not empty and not a study: {out}. Choose a new or empty --out folder.")
    reduction = None if options is None else fewer_options.write(plan, out, options)
    if reduction is not None:
        plan = StudyPlan.of(reduction.folder, (), SPLIT, per_task, practice, seed, plan.text, stated)
    if before is not None:
        if differs := before.differs(plan):
            raise UserError(f"Study folder has a different {' and '.join(differs)}: {out}. Choose another --out folder.")
        plan = replace(before, data=plan.data, methods=plan.methods)
    try:
        from isovist.people.annotate import web_app
        from isovist.people.study.server import app
    except ImportError:
        raise MissingDependencyError("the study page", "annotate") from None
    with web_app.bound(port, host) as listening, tempfile.TemporaryDirectory(prefix="isovist-study-") as into:
        study = _opened(plan, Path(into))
        out.mkdir(parents=True, exist_ok=True)
        participants = ParticipantStore(out)
        plan.write(out)
        url, token = web_app.address(listening), secrets.token_urlsafe(24)

        def announce() -> None:
            if reduction is not None:
                click.echo(
                    f"At most {options} options: {reduction.reduced} questions (with practice) have fewer than in the data. {reduction.unchanged} are "
                    "unchanged: no more options, options in the image, or another answer type."
                )
            click.echo(f"{len(study.items)} items of {len(study.blocks)} tasks at {url} (stop with Ctrl-C)")
            click.echo(f"Administrator page (keep this address private): {url}admin#{token}")
            if host not in _LOOPBACK:
                click.echo(
                    f"Warning: with --host {host}, anyone on the network can open the page{'' if invited else ' and take part'}, and the connection "
                    "is not encrypted (no TLS). In an untrusted network, put a TLS proxy in front of the page.",
                    err=True,
                )

        web_app.serve(app(study, participants, token, invited=invited, anywhere=host not in _LOOPBACK), listening, announce)


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@option(ItemOptions, "n", help="Number of codes [default: 1].", most=1000)
@click.option(
    "--renew",
    "lost",
    multiple=True,
    metavar="CODE",
    help="Replace a lost code, given its first four characters (repeatable).",
)
def codes(folder: Path, n: int | None, lost: tuple[str, ...]) -> None:
    r"""Create participant codes, or replace lost ones. The codes are printed once; only their first four characters are stored.

    A replaced code starts with the same four characters and keeps the participant's answers, item order and progress. The old code is
    no longer valid.

    \b
    Example: isovist study codes people --n 20
             isovist study codes people --renew K7QM
    """
    from isovist.people.study.participants import ParticipantStore
    from isovist.people.study.plan import StudyPlan

    if lost and n is not None:
        raise UserError("Option without effect with --renew: --limit. Remove it.")
    StudyPlan.read(folder)
    participants = ParticipantStore(folder)
    if not lost:
        for _ in range(n or 1):
            click.echo(participants.add())
        return
    renewed = participants.renew(_handles(lost))
    if isinstance(renewed, str):
        raise _unknown_code(folder, renewed, "replaced")
    for code in renewed.values():
        click.echo(code)


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(folder: Path, as_json: bool) -> None:
    r"""Show progress and accuracy of the participants, inter-rater agreement and flagged items.

    \b
    Example: isovist study status people
    """
    from isovist.people.study import tables

    with _study(folder) as (study, participants):
        if as_json:
            click.echo(json.dumps(tables.summary(study, participants), indent=1, ensure_ascii=False))
        else:
            click.echo(tables.table(study, participants))


@command.command()
def methods() -> None:
    r"""Print a template of the methods: attention checks, completion code, population, recruitment and further statements.

    \b
    Example: isovist study methods > methods.toml
    """
    from isovist.people.study.methods import TEMPLATE

    click.echo(TEMPLATE, nl=False)


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="New Markdown file.")
def checklist(folder: Path, out: Path) -> None:
    r"""Write a checklist of what the report of a human baseline must state, filled in from the plan and the answers.

    \b
    Example: isovist study checklist people --out checklist.md
    """
    from isovist.common.atomic_write import write_atomically
    from isovist.people.study import tables

    if out.exists():
        raise UserError(f"File exists: {out}. Choose another --out.")
    with _study(folder) as (study, participants):
        text = tables.checklist(study, participants)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, text)
    click.echo(f"{text.partition(chr(10))[0].removeprefix('# ')}: {out}")


_PROPORTION = click.FloatRange(0, 1, min_open=True, max_open=True)


@command.command()
@click.argument("folder", metavar="[STUDY]", type=click.Path(path_type=Path), required=False)
@click.option("--half-width", type=_PROPORTION, default=0.05, show_default=True, help="Half-width of the 95% CI of the human accuracy.")
@click.option("--difference", type=_PROPORTION, default=0.1, show_default=True, help="Difference between model and people to detect.")
@click.option("--accuracy", type=_PROPORTION, default=0.8, show_default=True, help="Expected human accuracy, without STUDY.")
@click.option("--per-task", "items", type=click.IntRange(2, 10_000), multiple=True, default=(20, 50, 100, 200, 500), show_default=True,
              help="Numbers of items of a task (repeatable).")  # fmt: skip
def power(folder: Path | None, half_width: float, difference: float, accuracy: float, items: tuple[int, ...]) -> None:
    r"""Print the numbers of participants and items that an interval or a difference needs, for other people and other items.

    With STUDY, the variances between participants and between items are those of its answers (a pilot), for each task. Without, they are
    assumed.

    \b
    Example: isovist study power --accuracy 0.85 --difference 0.1
             isovist study power pilot --half-width 0.04 --per-task 100 --per-task 200
    """
    from isovist.people.study.results import results
    from isovist.stats.crossed_random_effects import ITEM_SHARE, MOST_PARTICIPANTS, PARTICIPANT_SHARE, VarianceComponents

    if folder is not None and is_given(click.get_current_context(), "accuracy"):
        raise UserError("Option without effect with STUDY: --accuracy (the answers have one). Remove it.")
    source = f"assumed ({PARTICIPANT_SHARE:.0%} of the variance between participants, {ITEM_SHARE:.0%} between items)"
    pilots = {"any task": (accuracy, VarianceComponents.assumed(accuracy), source)}
    if folder is not None:
        with _study(folder) as (study, participants):
            tasks = results(study, participants.all(), participants.answers(practice=True), 200).tasks
        pilots = {}
        for task in tasks:
            try:
                estimated = VarianceComponents.estimated(task.complete)
            except ValueError as error:
                raise UserError(f"Too few answers to {task.task} for estimates ({error}): {folder}. Omit STUDY, or continue it.") from None
            mean = sum_in_order(map(sum_in_order, task.complete)) / len(task.complete) / task.items
            pilots[task.task] = mean, estimated, f"of {len(task.complete)} participants and {task.items} items"
    for name, (mean, components, source) in pilots.items():
        model = mean - difference if mean > difference else min(1.0, mean + difference)
        of_difference = components.of_difference(model)
        numbers = (f"{value:.4f}" for value in (components.participants, components.items, components.residual))
        click.echo("{}: accuracy {:.0%}; variances between participants {}, items {}, residual {}; {}".format(name, mean, *numbers, source))
        click.echo(f"  items  participants for a 95% CI of +-{half_width:g}  for a difference of {difference:g} (80% power)")
        for n in items:
            needed = components.participants_for(n, half_width=half_width), of_difference.participants_for(n, difference=difference)
            cells = [f"more than {MOST_PARTICIPANTS:,}" if people is None else f"{people:,}" for people in needed]
            click.echo(f"  {n:5,}  {cells[0]:>32}  {cells[1]:>34}")


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the runs, or with --together for the one run.")
@click.option("--together", is_flag=True, help="Write one run `human`; each item has the answer of one random participant.")
@click.option(
    "--colour-vision",
    "visions",
    multiple=True,
    type=click.Choice(["normal", "deficient", "unstated"]),
    help="Only participants with this self-reported colour vision (repeatable) [default: all].",
)
def export(folder: Path, out: Path, together: bool, visions: tuple[Vision, ...]) -> None:
    r"""Write the answers as runs, `human/CODE` for each participant, for report, compare and rescore.

    \b
    Example: isovist study export people --out runs/human
             isovist study export people --together --out runs/people
    """
    from isovist.people.study import export as exporting

    with _study(folder) as (study, participants), Progress(unit="answer", leave=False) as bar:
        export_runs = exporting.together if together else exporting.each
        runs = export_runs(study, participants, out, bar.update, visions)
    for run in runs:
        missing = run.items - run.answers
        click.echo(f"{run.model}: {run.answers} answers in {run.folder}{f', {missing} items without an answer' if missing else ''}")


@command.command()
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("participant_codes", metavar="CODE...", nargs=-1, required=True)
def remove(folder: Path, participant_codes: tuple[str, ...]) -> None:
    r"""Delete participants and all their answers, given the first four characters of their codes (withdrawal of consent).

    \b
    Example: isovist study remove people K7QM
    """
    from isovist.people.study.participants import ParticipantStore
    from isovist.people.study.plan import StudyPlan

    StudyPlan.read(folder)
    handles = _handles(participant_codes)
    if unknown := ParticipantStore(folder).remove(handles):
        raise _unknown_code(folder, unknown[0], "deleted")
    click.echo(f"Deleted {len(handles)} participants: {', '.join(handles)}")


def _handles(codes: tuple[str, ...]) -> list[str]:
    """The first four characters of each code, in upper case."""
    return list(dict.fromkeys(code.strip().upper()[:4] for code in codes))


def _unknown_code(folder: Path, handle: str, action: str) -> UserError:
    return UserError(f"Unknown participant code: {handle}. Nothing was {action}. Run `isovist study status {folder}`.")


def _text(path: Path) -> str:
    """The text of the first page."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UserError(f"Not a UTF-8 text: {path}. Save it in UTF-8.") from None
    if not text or len(text) > _LONGEST_TEXT:
        raise UserError(f"Text {'is empty' if not text else 'is too long'}: {path}. Give 1 to {_LONGEST_TEXT:,} characters.")
    return text


def _opened(plan: StudyPlan, into: Path) -> Study:
    from isovist.people.study.plan import opened

    with Progress(desc="reading the items", leave=False) as bar:
        return opened(plan, into, bar.update)


@contextmanager
def _study(folder: Path) -> Generator[tuple[Study, ParticipantStore]]:
    """The study in a folder and its participants; the images exist until the context ends."""
    from isovist.people.study.participants import ParticipantStore
    from isovist.people.study.plan import StudyPlan

    plan = StudyPlan.read(folder)
    with tempfile.TemporaryDirectory(prefix="isovist-study-") as into:
        yield _opened(plan, Path(into)), ParticipantStore(folder)
