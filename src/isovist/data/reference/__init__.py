"""Published result tables as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Any

from isovist.common.errors import UserError
from isovist.core.canonical_json import PUBLISHED

STANDARD, SOFT, TWO_ORDERS, BOTH_ORDERS, SHUFFLED, DESCRIPTIONS, IN_3D = (
    "",
    "soft accuracy",
    "mean of two image orders",
    "correct in both image orders",
    "shuffled images",
    "descriptions in place of images",
    "3-D scenes",
)
CONDITIONS = (STANDARD, SOFT, TWO_ORDERS, BOTH_ORDERS, SHUFFLED, DESCRIPTIONS, IN_3D)
"""The conditions, and with them the measures, of published results that a run can have. Other tables are about models after training, chance
levels and numbers of questions.
"""


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One row of a published table; `values` in the order of the columns, None if the paper has no value.

    `task`: a task id, a glob if the paper has one row for several tasks, or "" if the row is not about a task; `level`: the level of the
    items, if the paper has a row per level; `condition`: one of `CONDITIONS`, or what else it is about.
    """

    label: str
    task: str
    values: tuple[float | None, ...]
    level: str = ""
    condition: str = STANDARD

    def covers(self, task: str) -> bool:
        return fnmatchcase(task, self.task)


@dataclass(frozen=True, slots=True)
class Table:
    """`aside`: the columns that are no results of the condition of their rows, such as chance levels."""

    name: str
    caption: str
    unit: str
    columns: tuple[str, ...]
    rows: tuple[ReferenceRow, ...]
    aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    """The row `label` of a table is the mean of its other rows, weighted by the number of questions in the table `counts`. The table
    `guessing` has the chance levels. Tables are given by name.
    """

    label: str
    table: str
    counts: str
    guessing: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of the paper that compares tasks: labels, and a task id or a glob for each."""

    name: str
    caption: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The published results of a suite."""

    suite: str
    paper: Mapping[str, Any]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    whole: Whole | None = None
    comparisons: tuple[Comparison, ...] = ()
    means: tuple[tuple[str, str], ...] = ()
    """Table and label of the rows that are means over all tasks of the suite, in this order."""
    differences: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the paper has, by task id or glob, for tasks whose images or questions are of another kind."""
    scored: str = STANDARD
    """The condition whose results the paper's scorer gives (`isovist.core.task.Task`)."""

    def difference_of(self, task: str) -> str:
        """Return what the paper has; "" if images and questions are of the same kind as those of the task."""
        return next((kind for name, kind in self.differences.items() if fnmatchcase(task, name)), "")

    def table(self, name: str) -> Table:
        """Return the table of this name. Raises KeyError if there is none."""
        return {table.name: table for table in self.tables}[name]

    def published(self, task: str, level: str = "", condition: str = STANDARD) -> dict[str, float]:
        """Return the results of a task, or of one of its levels, in a condition, by model or "Human". The first table that has a model counts."""
        figures: dict[str, float] = {}
        for table in self.tables:
            for row in table.rows:
                if row.covers(task) and (row.level, row.condition) == (level, condition):
                    named = zip(table.columns, row.values, strict=True)
                    figures |= {model: v for model, v in named if v is not None and model not in (*table.aside, *figures)}
        return figures

    def published_mean(self) -> dict[str, float]:
        """Return the results over all tasks of the suite by model; where several rows have a model, that of the first."""
        figures: dict[str, float] = {}
        for name, label in self.means:
            table = self.table(name)
            values = next(row.values for row in table.rows if row.label == label)
            figures = {model: v for model, v in zip(table.columns, values, strict=True) if v is not None} | figures
        return figures


def suites() -> list[str]:
    """Return the suites with published tables."""
    return sorted(path.name.removesuffix(".json") for path in files(__name__).iterdir() if path.name.endswith(".json"))


@lru_cache(maxsize=16)
def reference(suite: str) -> Reference:
    """Return the published tables of a suite. Raises UserError if there are none."""
    if suite not in suites():
        raise UserError(f"No published tables: suite {suite!r}. Choose one of {', '.join(suites())}.")
    data = raw(suite)
    tables = tuple(
        Table(
            t["name"],
            t["caption"],
            t["unit"],
            tuple(t["columns"]),
            tuple(
                ReferenceRow(
                    r["label"], r["task"], tuple(r["values"]), r.get("level", ""), r.get("condition", t.get("condition", STANDARD))
                )
                for r in t["rows"]
            ),
            tuple(t.get("aside", ())),
        )
        for t in data["tables"]
    )
    whole = Whole(**data["whole"]) if "whole" in data else None
    comparisons = tuple(
        Comparison(c["name"], c["caption"], tuple((row["label"], row["task"]) for row in c["rows"])) for c in data.get("comparisons", ())
    )
    means = tuple((row["table"], row["label"]) for row in data.get("means", ()))
    return Reference(
        suite,
        data["paper"],
        tables,
        tuple(data["notes"]),
        whole,
        comparisons,
        means,
        data.get("differences", {}),
        data.get("scored", STANDARD),
    )


def raw(suite: str) -> dict[str, Any]:
    """Return the content of the JSON file of a suite."""
    return json.loads(files(__name__).joinpath(f"{suite}.json").read_bytes())


def published(task: str, level: str = "", condition: str = STANDARD) -> dict[str, float]:
    """Return the published results of a task or of one of its levels in a condition by model, in per cent; empty if there are none."""
    suite, task = _of_paper(task)
    return reference(suite).published(task, level, condition) if suite in suites() else {}


def scored(task: str) -> str:
    """Return the condition whose results the scorer of the task's paper gives."""
    suite, _ = _of_paper(task)
    return reference(suite).scored if suite in suites() else STANDARD


def _of_paper(task: str) -> tuple[str, str]:
    """The suite and the task whose results in the paper are those of a task, which may be of imported items."""
    suite, slash, name = task.partition("/")
    suite = suite.removesuffix(PUBLISHED)
    return suite, suite + slash + name
