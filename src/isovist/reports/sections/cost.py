"""The cost of each run: requests, tokens, time and price."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.analysis.collect import RunResults
from isovist.reports.section import Section
from isovist.reports.table import RUN, Column, Table

_NOTE = "Requests, tokens and seconds include variants, captions and failed attempts. The cost uses the prices given with --pricing."


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Runs of participants and imported runs have no requests."""
    columns = [RUN, Column("requests", "Requests", "count"), Column("input_tokens", "Input tokens", "count")]
    columns += [Column("output_tokens", "Output tokens", "count"), Column("seconds_per_request", "Seconds per request", "number")]
    columns += [Column("cost_usd", "Cost (USD)", "number")]
    rows = [
        (run.name, run.requests, *run.tokens, f"{run.seconds / run.requests:.2f}", "" if cost is None else f"{cost:.4f}")
        for run in runs
        if run.requests and not run.info.source_tool
        for cost in [run.info.usage.cost_usd if run.info.usage else None]
    ]
    return [Section("Requests and cost", Table(columns, rows), _NOTE, file="cost.csv")]
