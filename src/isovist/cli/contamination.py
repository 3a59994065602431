"""`isovist contamination`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import option, verified, verify_option
from isovist.evaluation.run_spec import RunSpec


@click.command()
@click.option(
    "--public", multiple=True, required=True, metavar="RUN", type=click.Path(path_type=Path), help="Run on public items; repeatable."
)
@click.option(
    "--private", multiple=True, required=True, metavar="RUN", type=click.Path(path_type=Path),
    help="Run of the same model on items of a private or fresh seed; repeatable.",
)  # fmt: skip
@click.option("--csv", type=click.Path(path_type=Path, dir_okay=False), help="File for the table.")
@verify_option
@option(RunSpec, "workers")
@echo.json_option
def command(public: tuple[Path, ...], private: tuple[Path, ...], csv: Path | None, verify: bool, workers: int, as_json: bool) -> None:
    r"""Compare the accuracy of one model on items of a public seed and of a private seed.

    A higher accuracy on the public items is evidence of memorised items. The runs have the same settings, tasks and levels.

    \b
    Example: isovist contamination --public runs/seed-0 --private runs/seed-7391
    """
    from isovist.common.atomic_write import write_atomically
    from isovist.reporting.analysis.contamination import contamination
    from isovist.reporting.reports.compare_tables import in_columns
    from isovist.reporting.reports.contamination import facts, headline, table

    with verified((*public, *private), verify=verify, workers=workers) as verifier:
        result = contamination(public, private, verifier)
    rows = table(result)
    for line in (*headline(result), *(f"  {fact}" for fact in facts(result))):
        click.echo(line, err=as_json)
    if csv is not None:
        write_atomically(csv, rows.csv())
    if as_json:
        echo.as_json({"model": result.model, "differences": rows.records()})
    else:
        click.echo(f"\n{in_columns(rows)}", nl=False)
