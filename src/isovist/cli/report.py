"""`isovist report`."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import Count, option, run_folders, verified, verify_option
from isovist.common.progress import Progress, stage
from isovist.evaluation.run_spec import RunSpec


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path), callback=run_folders)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Report folder.")
@click.option(
    "--item-browser/--no-item-browser",
    "browsed",
    default=None,
    help="Write a page of every item with all images, of a sample above 20,000 items [default: for up to 200 MB of data].",
)
@click.option(
    "--log",
    "trackers",
    type=click.Choice(["wandb", "mlflow"]),
    multiple=True,
    help="Also log each run to this experiment tracker (repeatable); its own environment variables decide where.",
)
@click.option("--log-examples", type=Count(min=0), default=60, show_default=True, help="Items of each run in the log.")
@verify_option
@option(RunSpec, "workers")
@echo.json_option
def command(
    runs: tuple[Path, ...], out: Path, browsed: bool | None, trackers: tuple[str, ...], log_examples: int, verify: bool, workers: int,
    as_json: bool,
) -> None:  # fmt: skip
    r"""Report the performance of one or several models: one HTML file that opens offline, with tables and figures.

    \b
    Example: isovist report runs/4o-mini runs/qwen --out report
    """
    from isovist.reporting.analysis.collect import load_results
    from isovist.reporting.reports import item_browser
    from isovist.reporting.reports.report import write_report
    from isovist.reporting.reports.report_folder import ReportFolder
    from isovist.reporting.reports.samples import MOST_BROWSED, n_items
    from isovist.reporting.reports.sections import unparsed_first
    from isovist.reporting.tracking import log_report, require

    for tracker in trackers:
        require(tracker)
    folder = ReportFolder(out)
    with verified(runs, verify=verify, workers=workers) as verifier:
        results = load_results(runs, verifier)
    gc.freeze()  # the results stay until the end: the collector need not scan them again
    writing = click.get_current_context().with_resource(stage("writing the tables"))
    weight = 0 if browsed else item_browser.weight(results)
    has_browser = weight <= item_browser.LIGHT if browsed is None else browsed
    with ExitStack() as open_bars:
        bars: list[Progress] = []

        def next_stage() -> None:
            writing.close()
            if has_browser:
                bars.append(open_bars.enter_context(Progress(min(n_items(results), MOST_BROWSED), leave=False)))

        def item_written() -> None:
            bars[-1].update()

        files = write_report(results, folder, has_item_browser=has_browser, on_tables=next_stage, on_item=item_written)
    if not has_browser and browsed is None:
        click.echo(f"Item page not written: its data have {weight / 1e6:,.0f} MB. Add --item-browser to write it.", err=True)
    if as_json:
        echo.as_json(folder.tables)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})", err=as_json)
    for run in results:
        for sentence in filter(None, (*run.caveats, unparsed_first.unparsed_sentences(run))):
            click.echo(sentence if sentence.startswith(run.name) else f"{run.name}: {sentence}", err=as_json)
    for tracker in dict.fromkeys(trackers):
        for sentence in log_report(tracker, results, folder, log_examples):
            click.echo(sentence, err=as_json)
