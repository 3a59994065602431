"""What is wrong beyond noise, in words with the numbers behind them (see `isovist.analysis`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import Run
from isovist.analysis.findings import Finding
from isovist.reports.tables import as_csv, as_markdown


@dataclass(frozen=True, slots=True)
class Line:
    """One finding about one run."""

    run: str
    finding: Finding


def lines(runs: Sequence[Run]) -> list[Line]:
    return [Line(run.name, finding) for run in runs for finding in run.findings]


def markdown(runs: Sequence[Run]) -> str:
    """Empty where nothing was found."""
    head = ("model", "finding", "n", "seen %", "expected %", "p (Holm)")
    rows = [
        (it.run, it.finding.words, str(it.finding.n), f"{100 * it.finding.share:.1f}", f"{100 * it.finding.expected:.1f}", p(it.finding.p))
        for it in lines(runs)
    ]
    return as_markdown(head, rows) if rows else ""


def p(value: float) -> str:
    """A p-value in words."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def csv(runs: Sequence[Run]) -> str:
    """One line a run and finding, shares of 1."""
    rows: list[Sequence[object]] = []
    for it in lines(runs):
        found = it.finding
        rows.append([it.run, found.kind, " ".join(found.tasks), found.words, found.n, found.share, found.expected, found.p, found.cost])
    return as_csv(["run", "kind", "tasks", "words", "n", "share", "expected", "p", "cost"], rows)
