"""The numbers of a run worked out a second time, from its files alone, and what a reader finds in a report."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import TASKS
from scipy.stats import norm
from workbench import records

UNREAD = ("unparsed", "empty", "refused", "filtered", "truncated")


@dataclass
class Told:
    """What a run came to in one task, from its records and the rows of its data as any reader of JSON and Parquet sees them."""

    verdicts: list[tuple[dict[str, Any], dict[str, Any]]]
    missing: int

    @property
    def n(self) -> int:
        return len(self.verdicts)

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(record["outcome"] for _, record in self.verdicts)

    @property
    def right(self) -> float:
        return sum(record["credit"] for _, record in self.verdicts)

    @property
    def unread(self) -> int:
        return sum(self.outcomes[outcome] for outcome in UNREAD)

    @property
    def wilson(self) -> tuple[float, float]:
        return self.within(0.95)

    def within(self, confidence: float) -> tuple[float, float]:
        """Wilson's interval, from the textbook."""
        z, p, n = float(norm.ppf((1 + confidence) / 2)), self.right / self.n, self.n
        centre, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
        return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)

    @property
    def chance(self) -> float:
        return sum(row["chance"] for row, _ in self.verdicts) / self.n

    @property
    def above(self) -> float:
        return (self.right / self.n - self.chance) / (1 - self.chance)

    @property
    def shares(self) -> list[float]:
        """As `results.csv` has them."""
        bounds = (self.right / self.n, (self.right + self.unread) / self.n)
        return [self.right / self.n, *self.wilson, self.chance, self.above, *bounds]

    @property
    def confusion(self) -> Counter[tuple[str, str]]:
        def option(row: dict[str, Any], letter: str | None) -> str:
            return row["choices"]["ABCDEFGH".index(letter)] if letter else "(unparsed)"

        return Counter((option(row, row["answer"]), option(row, record["parsed_answer"])) for row, record in self.verdicts)


def told(run: Path, data: Path) -> dict[str, Told]:
    last = {record["item_id"]: record for record in records(run)}
    by_task: dict[str, Told] = {}
    for task in TASKS:
        rows = [row for file in sorted((data / task).glob("*.parquet")) for row in pq.read_table(file).to_pylist()]
        pairs = [(row, last[row["id"]]) for row in rows if row["id"] in last]
        by_task[task] = Told([(row, record) for row, record in pairs if record["outcome"] != "request_error"], len(rows) - len(pairs))
    return by_task


@dataclass
class Page(HTMLParser):
    """What a browser would find in the page: tables as rows of words, sources, and the hints of the figures by their section."""

    text: str
    tables: list[list[list[str]]] = field(default_factory=list[list[list[str]]])
    tags: Counter[str] = field(default_factory=Counter[str])
    attributes: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    hints: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    words: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._section, self._cell, self._title = "", False, False
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        match tag:
            case "h2" | "h3" | "h4":
                self._section = dict(attrs).get("id") or self._section
            case "table":
                self.tables.append([])
            case "tr":
                self.tables[-1].append([])
            case "td" | "th":
                self.tables[-1][-1].append("")
            case _:
                pass
        self._cell = tag in ("td", "th") or (self._cell and tag not in ("table", "tr"))
        self._title = tag == "title"

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag not in ("td", "th")
        self._title = False

    def handle_data(self, data: str) -> None:
        self.words += data.replace("\xa0", " ")
        if self._cell:
            self.tables[-1][-1][-1] += data.replace("\xa0", " ")
        if self._title:
            self.hints.setdefault(self._section, []).append(data)

    def table(self, head: str) -> list[dict[str, str]]:
        """The first table with a column of that name, each line by the names of the columns without their units."""
        named = [[[name.removesuffix(" (%)") for name in table[0]], *table[1:]] for table in self.tables]
        (names, *lines) = next(table for table in named if head in table[0])
        return [dict(zip(names, line, strict=False)) for line in lines]


def page(report: Path) -> Page:
    return Page((report / "index.html").read_text(encoding="utf-8"))


def lines_of(report: Path, name: str = "results.csv") -> list[dict[str, str]]:
    """The lines of a table below its head; a table without any is not written."""
    if name != "results.csv" and not (report / name).exists():
        return []
    return list(csv.DictReader((report / name).read_text(encoding="utf-8").splitlines()))


def floats(words: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", words)]


def per_cent(*shares: float) -> Any:
    """To the one place that is printed."""
    return pytest.approx([100 * share for share in shares], abs=0.0501)
