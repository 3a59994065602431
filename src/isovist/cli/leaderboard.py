"""`isovist leaderboard`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import option, run_folders, verified, verify_option
from isovist.common.errors import UserError
from isovist.evaluation.run_spec import RunSpec


@click.command()
@click.argument("runs", metavar="[RUN RUN...]", nargs=-1, type=click.Path(path_type=Path), callback=run_folders)
@click.option(
    "--from",
    "submissions",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FOLDER",
    help="Instead of runs, a folder of checked submissions (`isovist submit check`): a page over all releases, and one of each model.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the page and its tables.")
@verify_option
@option(RunSpec, "workers")
@echo.json_option
def command(runs: tuple[Path, ...], submissions: Path | None, out: Path, verify: bool, workers: int, as_json: bool) -> None:
    r"""Rank models by chance-corrected accuracy on their common items, by suite and overall, with ties.

    A model that lacks tasks of most other models is not ranked. The results of the papers are shown for reference.

    \b
    Example: isovist leaderboard runs/* --out leaderboard
             isovist leaderboard --from submissions --out leaderboard
    """
    if bool(runs) == (submissions is not None):
        raise UserError("Give runs, or a folder of checked submissions with --from, but not both.")
    if submissions is not None:
        _of_submissions(submissions, out, verify=verify, workers=workers, as_json=as_json)
        return
    from isovist.reporting.analysis.unparsed_responses import MARK
    from isovist.reporting.reports import leaderboard_page
    from isovist.reporting.reports.leaderboard import leaderboard
    from isovist.reporting.reports.report_folder import ReportFolder
    from isovist.reporting.reports.table import ci_text

    folder = ReportFolder(out)
    with verified(runs, verify=verify, workers=workers) as verifier:
        board = leaderboard(runs, verifier)
    for fact in board.readings:
        click.echo(fact, err=as_json)
    for model in range(board.ranked):
        score = board.whole.scores[model]
        if score is not None:
            line = f"{board.rank_text(model):>8}  {board.names[model]}  chance-corrected accuracy {ci_text(score.chance_corrected, kind='points')}"
            click.echo(f"{line}  {MARK} unparsed: {score.unparsed.short}" if score.unparsed.many else line, err=as_json)
    for model, reason in board.unranked.items():
        score = board.whole.scores[model]
        shown = f"  chance-corrected accuracy {ci_text(score.chance_corrected, kind='points')}" if score else ""
        click.echo(f"{'-':>8}  {board.names[model]}{shown}  no rank, {reason}", err=as_json)
    files, tables = leaderboard_page.files(board)
    records = {name: each.records() for name, each in tables.items()}
    if as_json:
        echo.as_json(records)
    folder.fill(files, records)
    for model, line in board.unparsed.items():
        click.echo(f"{MARK} {board.names[model]}: {line}", err=as_json)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})", err=as_json)


def _of_submissions(folder: Path, out: Path, *, verify: bool, workers: int, as_json: bool) -> None:
    """Write the site of a folder of checked submissions."""
    from isovist.reporting.analysis.text_format import pluralize
    from isovist.reporting.reports.report_folder import ReportFolder
    from isovist.reporting.reports.submissions import boards, entries_of
    from isovist.reporting.reports.submissions_site import site
    from isovist.reporting.reports.table import ci_text

    report = ReportFolder(out)
    entries = entries_of(folder)
    with verified([entry.folder for entry in entries], verify=verify, workers=workers) as verifier:
        by_release = boards(entries, verifier)
    files, tables = site(by_release)
    records = {name: each.records() for name, each in tables.items()}
    if as_json:
        echo.as_json(records)
    for board in by_release:
        click.echo(board.release, err=as_json)
        for model, score in enumerate(board.leaderboard.whole.scores):
            if score is not None:
                rank, interval = board.leaderboard.rank_text(model), ci_text(score.chance_corrected, kind="points")
                click.echo(f"{rank:>8}  {board.leaderboard.names[model]}  chance-corrected accuracy {interval}", err=as_json)
    for entry in entries:
        for note in entry.notes:
            click.echo(f"note: {entry.folder.name}: {note}", err=True)
    report.fill(files, records)
    counts = f"{pluralize(len(by_release), 'release')}, {pluralize(len(entries), 'submission')}"
    click.echo(f"{out / 'index.html'} ({counts})", err=as_json)
