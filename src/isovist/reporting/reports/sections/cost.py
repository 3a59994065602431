"""The cost of each run: requests, tokens, time and price."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, Column, Table

_NOTE = "Requests, tokens and seconds include variants, captions and failed attempts. The cost uses the prices given with --pricing, else the built-in ones."


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Runs of participants and imported runs have no requests."""
    columns = [RUN, Column("requests", "Requests", "count"), Column("input_tokens", "Input tokens", "count")]
    columns += [Column("output_tokens", "Output tokens", "count"), Column("seconds_per_request", "Seconds per request", "number")]
    columns += [Column("cost_usd", "Cost (USD)", "number")]
    rows = [
        (
            *(run.name, run.totals.attempts, run.totals.input_tokens, run.totals.output_tokens),
            *(f"{run.totals.seconds / run.totals.attempts:.2f}", _cost(run)),
        )
        for run in runs
        if run.totals.attempts and not run.info.source_tool
    ]
    requests, tokens = sum(int(row[1]) for row in rows), sum(int(row[2]) + int(row[3]) for row in rows)
    costs = [row[-1] for row in rows]
    cost = f" for {sum(map(float, costs)):.2f} USD" if all(costs) else ""
    content = f" with {pluralize(tokens, 'token')}" if tokens else ""
    takeaway = f"{pluralize(requests, 'request')}{content} in all{cost}." if rows else ""
    return [Section("Requests and cost", Table(columns, rows), _NOTE, takeaway, file="cost.csv")]


def _cost(run: RunResults) -> str:
    """The sum over the folders of the run; empty if the price of one is unknown."""
    costs = [part.info.usage.cost_usd if part.info.usage else None for part in run.run.parts]
    known = [cost for cost in costs if cost is not None]
    return f"{sum(known):.4f}" if len(known) == len(costs) else ""
