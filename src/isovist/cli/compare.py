"""`isovist compare`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import option, run_folders, verified, verify_option
from isovist.evaluation.run_spec import RunSpec


@click.command()
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=click.Path(path_type=Path), callback=run_folders)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for a page and tables.")
@verify_option
@option(RunSpec, "workers")
@echo.json_option
def command(runs: tuple[Path, ...], out: Path | None, verify: bool, workers: int, as_json: bool) -> None:
    r"""Compare models on the same items with paired significance tests.

    \b
    Example: isovist compare runs/4o-mini runs/qwen --out comparison
    """
    from isovist.reporting.reports.compare import compare
    from isovist.reporting.reports.compare_tables import in_columns
    from isovist.reporting.reports.model_comparison import ModelComparison
    from isovist.reporting.reports.report_folder import ReportFolder

    if out is not None:
        ReportFolder(out)  # a folder with other files is refused at once
    with verified(runs, verify=verify, workers=workers) as verifier:
        comparison = ModelComparison(compare(runs, verifier))
    for line in (*comparison.sentences, *(f"  {fact}" for fact in comparison.facts)):
        click.echo(line, err=as_json)
    if as_json:
        echo.as_json(comparison.records())
    else:
        click.echo()
        for table in comparison.tables.values():
            click.echo(in_columns(table))
    if out is not None:
        page = comparison.report(out)
        click.echo(f"{page} (and {', '.join(name for name in comparison.files if name != page.name)})", err=as_json)
