"""`isovist compare`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="A folder for a page and tables.")
def command(runs: tuple[Path, ...], out: Path | None) -> None:
    r"""Which of several models is better on the same items, beyond noise: paired by item, ties told as ties.

    \b
    Example: isovist compare runs/4o-mini runs/qwen --out comparison
    """
    from isovist.report import compare_page, compare_tables
    from isovist.report.compare import compare
    from isovist.report.folder import ReportFolder

    found = compare(runs)
    click.echo(compare_tables.headline(found))
    for fact in compare_tables.facts(found):
        click.echo(f"  {fact}")
    click.echo()
    click.echo(compare_tables.in_columns(*compare_tables.accuracies(found)))
    click.echo(compare_tables.in_columns(*compare_tables.pairs(found)))
    if out is None:
        return
    files = {
        "index.html": compare_page.page(found),
        "compare.md": compare_tables.markdown(found),
        "models.csv": compare_tables.models_csv(found),
        "pairs.csv": compare_tables.pairs_csv(found),
        "accuracy.svg": compare_page.figure(found),
    }
    if len(found.names) == 2:
        files["differences.svg"] = compare_page.differences(found)
    ReportFolder(out).fill(files)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
