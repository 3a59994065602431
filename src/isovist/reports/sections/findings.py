"""What is wrong beyond noise, in words with the numbers behind them (see `isovist.analysis`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.findings import Finding
from isovist.reports.tables import as_csv, as_markdown


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding about one run."""

    run: str
    finding: Finding


def build_rows(runs: Sequence[RunResults]) -> list[FindingRow]:
    return [FindingRow(run.name, finding) for run in runs for finding in run.findings]


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty where nothing was found."""
    head = ("model", "finding", "n", "seen %", "expected %", "p (Holm)")
    rows = [
        (
            line.run,
            line.finding.sentence,
            str(line.finding.n),
            f"{100 * line.finding.observed_rate:.1f}",
            f"{100 * line.finding.expected_rate:.1f}",
            p(line.finding.p_adjusted),
        )
        for line in build_rows(runs)
    ]
    return as_markdown(head, rows) if rows else ""


def p(value: float) -> str:
    """A p-value in words."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run and finding, shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        finding = line.finding
        rows.append(
            [
                line.run,
                finding.kind,
                " ".join(finding.tasks),
                finding.sentence,
                finding.n,
                finding.observed_rate,
                finding.expected_rate,
                finding.p_adjusted,
                finding.items_affected,
            ]
        )
    return as_csv(["run", "kind", "tasks", "words", "n", "share", "expected", "p", "cost"], rows)
