"""`isovist submit`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import SuggestingGroup, echo
from isovist.cli.options import option, secret_option, verified
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.evaluation.run_spec import RunSpec


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Pack the responses of a run of a release into a file that an organiser can check, and check such a file.

    \b
    Example: isovist submit card --out card.toml
             isovist submit pack runs/release --card card.toml --out submission.zip
             isovist submit check submission.zip --data data/release --out submissions
             isovist leaderboard --from submissions --out leaderboard
    """


@command.command()
@click.option("--out", type=click.Path(path_type=Path), default=None, help="New TOML file [default: print the template].")
def card(out: Path | None) -> None:
    r"""Print or write a template of the model card: who ran the model, where and how.

    \b
    Example: isovist submit card --out card.toml
    """
    from isovist.common.atomic_write import write_atomically
    from isovist.reporting.submissions.model_card import TEMPLATE

    if out is None:
        click.echo(TEMPLATE, nl=False)
        return
    if out.exists():
        raise UserError(f"File exists: {out}. Choose another --out.")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, TEMPLATE)
    click.echo(f"Template: {out}. Fill it in and give it to `isovist submit pack --card {out}`.")


@command.command()
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="Zip file.")
@click.option(
    "--card", "card_file", type=click.Path(path_type=Path), default=None, metavar="FILE", help="Model card (`isovist submit card`)."
)
@option(RunSpec, "workers")
def pack(run: Path, out: Path, card_file: Path | None, workers: int) -> None:
    r"""Pack the responses of a run of a release: no images, questions, keys or seeds. The run is verified first.

    \b
    Example: isovist submit pack runs/release --card card.toml --out submission.zip
    """
    from isovist.reporting.submissions.model_card import read
    from isovist.reporting.submissions.pack import pack as pack_run

    model_card = read(card_file) if card_file else None
    with verified([run], verify=True, workers=workers) as verifier:
        submission = pack_run(run, out, model_card, verifier)
    items = sum(submission.counts.outcomes.values())
    click.echo(f"{submission.model}, {submission.release}: {items:,} items, {submission.counts.attempts:,} replies: {out}")
    if model_card is None:
        click.echo("The submission has no model card. Add --card; `isovist submit card` prints a template.", err=True)


@command.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    help="The organiser's dataset folder of the release (`isovist release generate`).",
)
@click.option(
    "--release", "name", default="", metavar="NAME", help="The release of the data, if it is a TOML file [default: as the data state]."
)
@secret_option("The secret file of a private seed")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder of checked submissions.")
@option(RunSpec, "workers")
@echo.json_option
def check(file: Path, data: Path, name: str, secret: Path | None, out: Path, workers: int, as_json: bool) -> None:
    r"""Check a submission against the items of its release and write it as a run folder in --out. Every reply is scored again.

    Exit code 1 and one line for each reason if the submission is refused; then nothing is written.

    \b
    Example: isovist submit check submission.zip --data data/release --out submissions
             isovist submit check submission.zip --data data/private --secret secret.toml --out submissions
    """
    from dataclasses import asdict

    from isovist.common.private_seeds import using
    from isovist.reporting.submissions.check import SAMPLE, organiser_data
    from isovist.reporting.submissions.check import check as check_submission

    with using(secret):
        with Progress(SAMPLE, desc="verifying the data", leave=False) as bar:
            verified_data = organiser_data(data, name, workers, bar.update)
        folder, result = check_submission(file, verified_data, out)
    if as_json:
        echo.as_json({"run": str(folder), **asdict(result)})
    click.echo(f"Accepted: {result.items:,} items scored again: {folder}", err=as_json)
    for note in result.notes:
        click.echo(f"note: {note}", err=as_json)
    if not echo.is_quiet():
        click.echo(f"Next: isovist leaderboard --from {out} --out leaderboard", err=as_json)


@command.command()
@click.argument("data", metavar="DATA", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write (new or empty).")
def questions(data: Path, out: Path) -> None:
    r"""Write the prompts and images of a dataset folder without keys, for a submitter who runs a private release.

    The submitter returns one JSON line with `id` and `response` for each item, for `isovist import predictions --source-tool jsonl`.

    \b
    Example: isovist submit questions data/private --out questions
    """
    from isovist.data.exporters.questions import FILE, export_questions

    with Progress() as bar:
        count = export_questions(data, out, bar.update)
    click.echo(f"{count:,} questions without keys: {out / FILE}")
