"""Figures of a report, each also a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.figures.svg import RunMark, run_mark
from isovist.reporting.reports.section import FigureKey

FOLDER = "figures"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with the file of its numbers."""

    label: str
    name: str
    """The name of its files, without the ending."""
    svg: str
    """As on the page."""
    table: str
    """The path of the CSV file with its numbers, relative to the report folder."""
    csv: str = ""
    """The content of that file; empty for a table of the report."""
    runs: tuple[str, ...] = ()
    """The runs in it, if not all."""
    key: FigureKey = ()

    @property
    def svg_path(self) -> str:
        return f"{FOLDER}/{self.name}.svg"


def run_marks(runs: Sequence[RunResults]) -> dict[str, RunMark]:
    """The mark of each run."""
    return {run.name: run_mark(number) for number, run in enumerate(runs)}
