"""`isovist compare`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.item_options import workers_option
from isovist.cli.run_verification import verified, verify_option


@click.command()
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for a page and tables.")
@verify_option
@workers_option()
@echo.json_option
def command(runs: tuple[Path, ...], out: Path | None, verify: bool, workers: int, as_json: bool) -> None:
    r"""Compare models on the same items with paired significance tests.

    \b
    Example: isovist compare runs/4o-mini runs/qwen --out comparison
    """
    from isovist.reports import compare_page, compare_tables
    from isovist.reports.compare import compare
    from isovist.reports.report_folder import ReportFolder

    with verified(runs, verify=verify, workers=workers) as verifier:
        comparison = compare(runs, verifier)
    for name, sentence in compare_tables.unparsed_first(comparison):
        click.echo(f"{name}: {sentence}", err=as_json)
    if headline := compare_tables.headline(comparison):
        click.echo(headline, err=as_json)
    for fact in compare_tables.facts(comparison):
        click.echo(f"  {fact}", err=as_json)
    models, pairs = compare_tables.models_table(comparison), compare_tables.pairs_table(comparison)
    tables = {"models": models.records(), "pairs": pairs.records()}
    if as_json:
        echo.as_json(tables)
    else:
        click.echo()
        for _, table in compare_tables.tables(comparison):
            click.echo(compare_tables.in_columns(table))
    if out is None:
        return
    files = {
        "index.html": compare_page.page(comparison),
        "compare.md": compare_tables.to_markdown(comparison),
        "models.csv": models.csv(),
        "pairs.csv": pairs.csv(),
        "accuracy.svg": compare_page.figure(comparison),
    }
    if len(comparison.names) == 2:
        files["differences.svg"] = compare_page.differences(comparison)
    ReportFolder(out).fill(files, tables)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})", err=as_json)
