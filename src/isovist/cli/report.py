"""`isovist report`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder for the report.")
@click.option("--items/--no-items", "browsed", default=None, help="A page of every item, with all pictures; without, up to 200 MB of data.")
def command(runs: tuple[Path, ...], out: Path, browsed: bool | None) -> None:
    r"""What one or several models can and cannot see: one HTML file that opens offline, and tables beside it.

    \b
    Example: isovist report runs/4o-mini runs/qwen --out report
    """
    from tqdm import tqdm

    from isovist.report import (
        across,
        adaptive,
        angle_tables,
        by_level,
        facets,
        figure_files,
        findings,
        floors,
        geometry,
        item_browser,
        letters,
        level_tables,
        orders,
        parts,
        seeds,
        standing,
        tables,
        times,
        wheels,
        whole_table,
        why,
    )
    from isovist.report.collect import collect
    from isovist.report.folder import ReportFolder
    from isovist.report.html import page

    report = ReportFolder(out)
    collected = collect(runs)
    weight = 0 if browsed else item_browser.weight(runs)
    browser = weight <= item_browser.LIGHT if browsed is None else browsed
    drawn = figure_files.every(collected)
    files = {
        "index.html": page(collected, drawn, browser=browser),
        "report.md": "\n".join(
            filter(
                None,
                (
                    part.markdown(collected)
                    for part in (
                        tables,
                        standing,
                        findings,
                        geometry,
                        why,
                        floors,
                        orders,
                        parts,
                        by_level,
                        across,
                        seeds,
                        times,
                        angle_tables,
                        adaptive,
                        level_tables,
                        whole_table,
                    )
                ),
            )
        ),
        "report.tex": tables.latex(collected),
        "results.csv": tables.results_csv(collected),
        "confusion.csv": tables.confusion_csv(collected),
        "variants.csv": tables.variants_csv(collected),
        "floors.csv": floors.csv(collected),
        "orders.csv": orders.csv(collected),
        "parts.csv": parts.csv(collected),
        "by_level.csv": by_level.csv(collected),
        "seeds.csv": seeds.csv(collected),
        "times.csv": times.csv(collected),
        "across_tasks.csv": across.csv(collected),
        "facets.csv": facets.facets_csv(collected),
        "errors.csv": facets.errors_csv(collected),
        "error_geometry.csv": geometry.csv(collected),
        "findings.csv": findings.csv(collected),
        "letters.csv": letters.csv(collected),
        "wheels.csv": wheels.csv(collected),
        "angles.csv": angle_tables.angles_csv(collected),
        "angle_histogram.csv": angle_tables.histogram_csv(collected),
        "adaptive.csv": adaptive.csv(collected),
        "levels.csv": level_tables.levels_csv(collected),
        "thresholds.csv": level_tables.thresholds_csv(collected),
        "skills.csv": level_tables.skills_csv(collected),
        "paper_table.csv": whole_table.csv(collected),
        **why.files(collected),
    }
    written = files | figure_files.files(drawn, collected)
    report.check([*written, item_browser.PAGE] if browser else written, item_browser.FOLDER if browser else "")
    report.put(written)
    items = set[str]()
    if browser:
        with tqdm(total=sum(run.n + run.faults for run in collected), unit=" items", disable=None, leave=False) as bar:
            items = item_browser.write(runs, collected, report, bar.update)
    elif browsed is None:
        click.echo(f"no page of every item: its data are {weight / 1e6:,.0f} MB; --items writes it.", err=True)
    report.drop(items.union(written))
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
