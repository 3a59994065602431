"""What is wrong beyond noise, in words with the numbers behind them (see `isovist.analysis`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.findings import Finding
from isovist.reports.tables import as_csv, as_markdown


@dataclass(frozen=True, slots=True)
class Line:
    """One finding about one run."""

    run: str
    finding: Finding


def lines(runs: Sequence[RunResults]) -> list[Line]:
    return [Line(run.name, finding) for run in runs for finding in run.findings]


def markdown(runs: Sequence[RunResults]) -> str:
    """Empty where nothing was found."""
    head = ("model", "finding", "n", "seen %", "expected %", "p (Holm)")
    rows = [
        (
            it.run,
            it.finding.sentence,
            str(it.finding.n),
            f"{100 * it.finding.observed_rate:.1f}",
            f"{100 * it.finding.expected_rate:.1f}",
            p(it.finding.p_adjusted),
        )
        for it in lines(runs)
    ]
    return as_markdown(head, rows) if rows else ""


def p(value: float) -> str:
    """A p-value in words."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def csv(runs: Sequence[RunResults]) -> str:
    """One line a run and finding, shares of 1."""
    rows: list[Sequence[object]] = []
    for it in lines(runs):
        found = it.finding
        rows.append(
            [
                it.run,
                found.kind,
                " ".join(found.tasks),
                found.sentence,
                found.n,
                found.observed_rate,
                found.expected_rate,
                found.p_adjusted,
                found.items_affected,
            ]
        )
    return as_csv(["run", "kind", "tasks", "words", "n", "share", "expected", "p", "cost"], rows)
