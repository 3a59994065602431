"""`isovist leaderboard`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.item_options import workers_option
from isovist.cli.run_verification import verified, verify_option


@click.command()
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the page and its tables.")
@verify_option
@workers_option()
def command(runs: tuple[Path, ...], out: Path, verify: bool, workers: int) -> None:
    r"""Rank models by chance-corrected accuracy on their common items, by suite and overall, with ties.

    A model that lacks tasks of most other models is not ranked. The results of the papers are shown for reference.

    \b
    Example: isovist leaderboard runs/* --out leaderboard
    """
    from isovist.analysis.unparsed_responses import MARK
    from isovist.reports import leaderboard_page
    from isovist.reports.figures.text_to_paths import convert_text_to_paths
    from isovist.reports.leaderboard import leaderboard
    from isovist.reports.report_folder import ReportFolder
    from isovist.reports.table import ci_text

    with verified(runs, verify=verify, workers=workers) as verifier:
        board = leaderboard(runs, verifier)
    for fact in board.readings:
        click.echo(fact)
    for model in range(board.ranked):
        score = board.whole.scores[model]
        if score is not None:
            line = f"{board.rank_text(model):>8}  {board.names[model]}  chance-corrected accuracy {ci_text(score.chance_corrected, kind='points')}"
            click.echo(f"{line}  {MARK} unparsed: {score.unparsed.short}" if score.unparsed.many else line)
    for model, tasks in board.unranked.items():
        click.echo(f"{'-':>8}  {board.names[model]}  no rank, missing tasks: {', '.join(tasks)}")
    files = {
        "index.html": leaderboard_page.page(board),
        "leaderboard.csv": leaderboard_page.models_table(board).csv(),
        "tasks.csv": leaderboard_page.tasks_table(board).csv(),
        "leaderboard.svg": convert_text_to_paths(leaderboard_page.figure(board)),
    }
    ReportFolder(out).fill(files)
    for model, line in board.unparsed.items():
        click.echo(f"{MARK} {board.names[model]}: {line}")
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
