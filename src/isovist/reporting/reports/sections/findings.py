"""The significant findings with their numbers (see `isovist.reporting.analysis.findings`)."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import Column, N, Table


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """The page shows the findings on its first screen; this is their table in Markdown and CSV."""
    columns = [Column("run", "Model", "run"), Column("kind"), Column("tasks"), Column("sentence", "Finding"), N]
    columns += [Column("observed_rate", "Observed", "percent"), Column("expected_rate", "Expected", "percent")]
    columns += [Column("p_adjusted", "p (Holm)", "p"), Column("items_affected")]
    rows = [
        (
            *(run.name, finding.kind, " ".join(finding.tasks), finding.sentence, finding.n, finding.observed_rate, finding.expected_rate),
            *(finding.p_adjusted, finding.items_affected),
        )
        for run in runs
        for finding in run.findings
    ]
    return [Section("Significant findings (Holm-adjusted p < 0.05)", Table(columns, rows), file="findings.csv")]
