"""A figure of a report that is a file of its own as well."""

from __future__ import annotations

from dataclasses import dataclass

FOLDER = "figures"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `csv`: its numbers; empty where a table of the report has them."""

    label: str
    name: str
    """Of its files, without the ending."""
    svg: str
    """As it stands in the page."""
    table: str
    """The path of the CSV file with its numbers, from the report's folder."""
    csv: str = ""
    runs: tuple[str, ...] = ()
    """The runs it shows, if not all."""
    of: tuple[str | int, ...] = ()
    """What it shows, by which the page finds it: its kind, then what tells it from others of that kind."""

    @property
    def svg_path(self) -> str:
        return f"{FOLDER}/{self.name}.svg"
