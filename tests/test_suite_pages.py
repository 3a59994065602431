"""The tables of tasks on the suite pages name every task, with the measured figures of its best rules."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from isovist.suites import registry

DOCS = Path(__file__).parents[1] / "docs"
SUITES = ("cdr", "cospace", "dori", "perceptv", "srbench", "viewpoint", "solids")
MEASURED = json.loads((files("isovist.data") / "reference" / "shortcuts" / "measured.json").read_text(encoding="utf-8"))


def names(cell: str) -> list[str]:
    """The tasks of a row: "sort-circles, sort-lines", or "list-colours, -shapes", where an ending takes the place of the last word."""
    first, *others = cell.split(", ")
    return [first, *(first.rsplit("-", 1)[0] + other if other.startswith("-") else other for other in others)]


def task_rows(suite: str) -> dict[str, tuple[str, str]]:
    """For each task the text of its row, and the last cell of it."""
    text = (DOCS / f"{suite}.md").read_text(encoding="utf-8")
    section = text.partition("\n## Tasks\n")[2].partition("\n## ")[0]
    table = section.partition(f"| task ({suite}/...) |")[2].partition("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {f"{suite}/{name}": (" ".join(row), row[-1]) for row in cells for name in names(row[0])}


@pytest.mark.parametrize("suite", SUITES)
def test_the_table_names_every_task_of_the_suite(suite: str) -> None:
    assert sorted(task_rows(suite)) == sorted(name for name in registry.tasks() if name.startswith(f"{suite}/"))


@pytest.mark.parametrize("suite", SUITES)
def test_the_table_gives_the_measured_figures(suite: str) -> None:
    rows = task_rows(suite)
    levels = ("coarse", "granular") if suite == "dori" else ("",)
    measured = [row for row in MEASURED if row["task"] in rows and row["level"] in levels and not row.get("kind")]
    figures = {row["task"] for row in measured}
    assert len(measured) == len(figures) * len(levels)
    for task in rows.keys() - figures:  # a new version that was not measured yet
        assert "not measured" in rows[task][1], task
    for row in measured:
        text, last = rows[row["task"]]
        shown = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", last)}
        for rate in filter(None, (row["shortcut"], row["partial"])):
            assert min(abs(100 * rate["accuracy"] - number) for number in shown) <= 0.051, (row["task"], row["level"], rate["rule"], last)
        chances = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}
        assert min(abs(100 * row["chance"] - number) for number in chances) <= 0.06, (row["task"], row["level"], row["chance"], text)
