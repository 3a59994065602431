"""`isovist report`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder for the report.")
def command(runs: tuple[Path, ...], out: Path) -> None:
    r"""What one or several models can and cannot see: one HTML file that opens offline, and tables beside it.

    \b
    Example: isovist report runs/4o-mini runs/qwen --out report
    """
    from isovist.dataset.manifest import write_atomically
    from isovist.report import (
        across,
        adaptive,
        angle_tables,
        by_level,
        facets,
        floors,
        level_tables,
        orders,
        parts,
        seeds,
        tables,
        whole_table,
    )
    from isovist.report.collect import collect
    from isovist.report.html import page

    collected = collect(runs)
    files = {
        "index.html": page(collected),
        "report.md": "\n".join(
            filter(
                None,
                (
                    part.markdown(collected)
                    for part in (tables, floors, orders, parts, by_level, across, seeds, angle_tables, adaptive, level_tables, whole_table)
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
        "across_tasks.csv": across.csv(collected),
        "facets.csv": facets.facets_csv(collected),
        "errors.csv": facets.errors_csv(collected),
        "angles.csv": angle_tables.angles_csv(collected),
        "angle_histogram.csv": angle_tables.histogram_csv(collected),
        "adaptive.csv": adaptive.csv(collected),
        "levels.csv": level_tables.levels_csv(collected),
        "thresholds.csv": level_tables.thresholds_csv(collected),
        "skills.csv": level_tables.skills_csv(collected),
        "paper_table.csv": whole_table.csv(collected),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_atomically(out / name, text)
    click.echo(f"{out / 'index.html'} (and {', '.join(name for name in files if name != 'index.html')})")
