"""`isovist leaderboard`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="A folder for the page and its tables.")
def command(runs: tuple[Path, ...], out: Path) -> None:
    r"""Many models in order, on the items that all of them were asked: above chance by suite and over all, ties told as ties.

    Models that lack tasks which most were asked have no place. The papers' figures stand beside, marked as published.

    \b
    Example: isovist leaderboard runs/* --out leaderboard
    """
    from isovist.report import leaderboard_page
    from isovist.report.folder import ReportFolder
    from isovist.report.leaderboard import leaderboard
    from isovist.report.outlined import outlined

    found = leaderboard(runs)
    for model in range(found.ranked):
        score = found.whole.scores[model]
        if score is not None:
            estimate, low, high = (100 * share for share in score.above)
            click.echo(f"{found.place(model):>8}  {found.names[model]}  {estimate:.1f} above chance ({low:.1f} to {high:.1f})")
    for model, tasks in found.lacking.items():
        click.echo(f"{'-':>8}  {found.names[model]}  has no place: no verdict on {', '.join(tasks)}")
    files = {
        "index.html": leaderboard_page.page(found),
        "leaderboard.csv": leaderboard_page.models_csv(found),
        "tasks.csv": leaderboard_page.tasks_csv(found),
        "leaderboard.svg": outlined(leaderboard_page.figure(found)),
    }
    ReportFolder(out).fill(files)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
