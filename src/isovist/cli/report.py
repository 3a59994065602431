"""`isovist report`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.item_options import workers_option
from isovist.cli.progress import Progress, stage
from isovist.cli.run_verification import verified, verify_option


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the report.")
@click.option(
    "--item-browser/--no-item-browser",
    "requested",
    default=None,
    help="Write a page of every item with all images [default: for up to 200 MB of data].",
)
@verify_option
@workers_option()
def command(runs: tuple[Path, ...], out: Path, requested: bool | None, verify: bool, workers: int) -> None:
    r"""Write a report about one or several models: one HTML file that opens offline, and tables as CSV, Markdown and LaTeX.

    \b
    Example: isovist report runs/4o-mini runs/qwen --out report
    """
    from isovist.analysis.collect import load_results
    from isovist.reports import csv_files, item_browser, markdown, tables
    from isovist.reports.figures import export
    from isovist.reports.html import page
    from isovist.reports.report_folder import ReportFolder
    from isovist.reports.sections import unparsed_first

    report = ReportFolder(out)
    with verified(runs, verify=verify, workers=workers) as verifier:
        collected = load_results(runs, verifier)
    working = click.get_current_context().with_resource(stage("writing the tables"))
    weight = 0 if requested else item_browser.weight(runs)
    browser = weight <= item_browser.LIGHT if requested is None else requested
    drawn = export.every(collected)
    files = {
        "index.html": page(collected, drawn, browser=browser),
        "report.md": markdown.page(collected),
        "report.tex": tables.latex(collected),
        **csv_files.files(collected),
    }
    written = files | export.files(drawn, collected)
    report.check([*written, item_browser.PAGE] if browser else written, item_browser.FOLDER if browser else "")
    report.put(written)
    working.close()
    items = set[str]()
    if browser:
        with Progress(sum(run.n + run.unscored_items for run in collected), leave=False) as bar:
            items = item_browser.write(runs, collected, report, bar.update)
    elif requested is None:
        click.echo(f"No item browser: its data are {weight / 1e6:,.0f} MB. Add --item-browser to write it.", err=True)
    report.drop(items.union(written))
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
    for run in collected:
        for sentence in filter(None, (run.reading.fact(run.name), unparsed_first.lead(run))):
            click.echo(sentence if sentence.startswith(run.name) else f"{run.name}: {sentence}")
