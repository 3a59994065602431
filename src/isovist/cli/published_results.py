"""`isovist published-results`."""

from __future__ import annotations

import json

import click

from isovist.cli.completion import suites


@click.command()
@click.argument("suite", shell_complete=suites)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(suite: str, as_json: bool) -> None:
    r"""Print the result tables of a suite's paper.

    \b
    Example: isovist published-results cdr
    """
    from isovist.data.reference import raw, reference

    published = reference(suite)
    if as_json:
        click.echo(json.dumps(raw(suite), indent=1, ensure_ascii=False))
        return
    click.echo(f"{published.paper['title']} (arXiv {published.paper['arxiv']})")
    if "source" in published.paper:
        click.echo(f"Source: {published.paper['source']}")
    for table in published.tables:
        width = max(len(row.label) for row in table.rows)
        click.echo(f"\n{table.name}: {table.caption}, {table.unit}\n")
        click.echo(" " * width + "".join(f"  {column:>{max(7, len(column))}}" for column in table.columns))
        for row in table.rows:
            cells = ("-" if value is None else f"{value:.2f}" for value in row.values)
            line = "".join(f"  {cell:>{max(7, len(column))}}" for cell, column in zip(cells, table.columns, strict=True))
            click.echo(f"{row.label:<{width}}{line}")
    click.echo()
    for note in published.notes:
        click.echo(f"- {note}")
