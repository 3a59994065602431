"""Sections of a report: the page, Markdown and the CSV files are made of the same list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from isovist.reporting.reports.table import Table, anchor

FigureKey = tuple[str | int, ...]
"""The kind of a figure, then what distinguishes it from others of its kind."""


@dataclass(frozen=True, slots=True)
class Section:
    """A title, a takeaway, figures, a table and a note. Empty sections and files are not written."""

    title: str
    table: Table | None = None
    note: str = ""
    takeaway: str = ""
    """One sentence that is computed from the numbers; empty where they support none."""
    file: str = ""
    """The CSV file of the table; empty where `files` holds the data."""
    figures: tuple[FigureKey, ...] = ()
    caption: str = ""
    panels: bool = False
    """Whether the figures are small and stand side by side."""
    is_folded: bool = False
    """Whether the table is closed on the page."""
    folded: tuple[tuple[str, Table], ...] = ()
    """More tables with their summaries, closed on the page; Markdown leaves them out."""
    files: Mapping[str, Table] = field(default_factory=dict[str, Table])
    """CSV files with more rows or columns than the table."""
    part: str = ""
    """The part of the report that contains it (see `sections.order`)."""

    @property
    def anchor(self) -> str:
        return f"on-{anchor(self.title).casefold()}"

    @property
    def is_empty(self) -> bool:
        return not (self.table and self.table.rows) and not self.figures and not any(table.rows for _, table in self.folded)

    def markdown(self) -> str:
        """The takeaway, the table and its note; the takeaway alone for a section without a table."""
        if not self.table or not self.table.rows:
            return self.takeaway
        return "\n\n".join(filter(None, (self.takeaway, self.table.markdown().rstrip("\n"), self.note)))

    def latex(self) -> str:
        """The table under a comment with its title; empty for a section without a table."""
        return f"% {self.title}\n{self.table.latex()}\n" if self.table and self.table.rows else ""

    @property
    def csv_tables(self) -> dict[str, Table]:
        return {**({self.file: self.table} if self.file and self.table else {}), **self.files}


def tables(sections: Iterable[Section]) -> dict[str, Table]:
    """The tables of the CSV files of some sections, by the name of the file without its ending; without empty tables."""
    named = ((name, table) for section in sections for name, table in section.csv_tables.items())
    return {name.removesuffix(".csv"): table for name, table in named if table.rows}
