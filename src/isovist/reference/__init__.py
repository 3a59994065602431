"""The published result tables, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Any

from isovist.core.canonical_json import PUBLISHED
from isovist.errors import UserError


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One row of a published table; `values` in the order of the table's columns, None where the paper has none.

    `task` is a task's id, a glob where the paper has one row for several tasks, or empty where it is of no task.
    """

    label: str
    task: str
    values: tuple[float | None, ...]
    level: str = ""
    """The level of the task's items, where the paper has a row for each."""

    def covers(self, task: str) -> bool:
        return fnmatchcase(task, self.task)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    caption: str
    unit: str
    columns: tuple[str, ...]
    rows: tuple[ReferenceRow, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The row `label` of a table is the mean of its other rows, each weighted by the number of questions that the table `counts` has
    for it; the table `guessing` tells what guessing gives. Tables by their names.
    """

    label: str
    table: str
    counts: str
    guessing: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of the paper that sets tasks beside each other: labels, and a task's id or a glob for each."""

    name: str
    caption: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a paper published about a suite."""

    suite: str
    paper: Mapping[str, Any]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    whole: Whole | None = None
    comparisons: tuple[Comparison, ...] = ()

    def table(self, name: str) -> Table:
        """The table of this name. Raises KeyError if there is none."""
        return {table.name: table for table in self.tables}[name]

    def published(self, task: str, level: str = "") -> dict[str, float]:
        """The figures of a task, or of one of its levels, by model, each from the first table that has it.

        Without a level, all are from one table: later ones are of other things, such as models that were trained further.
        """
        figures: dict[str, float] = {}
        for table in self.tables:
            for row in table.rows:
                if row.covers(task) and row.level == level and (level or not figures):
                    named = zip(table.columns, row.values, strict=True)
                    figures |= {model: v for model, v in named if v is not None and model not in figures}
        return figures


def suites() -> list[str]:
    """The suites whose published tables are here."""
    return sorted(path.name.removesuffix(".json") for path in files(__name__).iterdir() if path.name.endswith(".json"))


@lru_cache(maxsize=16)
def reference(suite: str) -> Reference:
    """The published tables of a suite. Raises UserError if there are none."""
    if suite not in suites():
        raise UserError(f"no published tables for the suite {suite!r}; there are {', '.join(suites())}.")
    data = raw(suite)
    tables = tuple(
        Table(
            t["name"],
            t["caption"],
            t["unit"],
            tuple(t["columns"]),
            tuple(ReferenceRow(r["label"], r["task"], tuple(r["values"]), r.get("level", "")) for r in t["rows"]),
        )
        for t in data["tables"]
    )
    whole = Whole(**data["whole"]) if "whole" in data else None
    comparisons = tuple(
        Comparison(c["name"], c["caption"], tuple((row["label"], row["task"]) for row in c["rows"])) for c in data.get("comparisons", ())
    )
    return Reference(suite, data["paper"], tables, tuple(data["notes"]), whole, comparisons)


def raw(suite: str) -> dict[str, Any]:
    """The tables of a suite as they stand in its JSON file."""
    return json.loads(files(__name__).joinpath(f"{suite}.json").read_bytes())


def published(task: str, level: str = "") -> dict[str, float]:
    """The published figures of a task by model, in per cent, or of one of its levels; empty if there are none."""
    suite = task.partition("/")[0].removesuffix(PUBLISHED)
    task = "/".join((suite, *task.split("/")[1:]))
    return reference(suite).published(task, level) if suite in suites() else {}
