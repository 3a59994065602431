"""The takeaways of sections: their sentences, and that a report prints each of them everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from workbench import done

from isovist.reporting.reports.sections import takeaways


def sentence(*found: tuple[str, int, int], n_runs: int, verb: str = "be") -> str:
    runs: Any = range(n_runs)  # their number alone counts
    things = ((run, place < n) for run, n, total in found for place in range(total))
    return takeaways.counts(runs, things, "task", "good" if verb == "be" else "an error", "95% CIs", verb=verb)


@pytest.mark.parametrize(
    ("found", "n_runs", "expected"),
    [
        ([], 1, ""),
        ([("a", 3, 12)], 1, "3 of 12 tasks are good (95% CIs)."),
        ([("a", 1, 12)], 1, "1 of 12 tasks is good (95% CIs)."),
        ([("a", 0, 1)], 1, "0 of 1 task is good (95% CIs)."),
        ([("a", 3, 12)], 2, "Tasks good (95% CIs): 3 of 12 (a)."),
        ([("a", 3, 12), ("b", 0, 9)], 2, "Tasks good (95% CIs): 3 of 12 (a), 0 of 9 (b)."),
        ([(name, n, 9) for n, name in enumerate("abcdef")], 6, "Tasks good (95% CIs): 0 of 9 (a) to 5 of 9 (f), 6 models."),
        ([(name, 2, 9) for name in "abcdef"], 6, "Tasks good (95% CIs): 2 of 9 for each of 6 models."),
    ],
)
def test_counts_name_the_runs_of_several(found: list[tuple[str, int, int]], n_runs: int, expected: str) -> None:
    assert sentence(*found, n_runs=n_runs) == expected


def test_things_with_a_property() -> None:
    assert sentence(("a", 2, 3), n_runs=1, verb="have") == "2 of 3 tasks have an error (95% CIs)."
    assert sentence(("a", 2, 3), n_runs=2, verb="have") == "Tasks with an error (95% CIs): 2 of 3 (a)."


def test_a_report_prints_each_takeaway_on_the_page_in_markdown_and_in_json(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report", "--no-item-browser")
    found = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["takeaways"]
    assert {"Overall results", "Accuracy", "Error types"} <= found.keys()
    page, text = ((tmp_path / "report" / name).read_text(encoding="utf-8") for name in ("index.html", "report.md"))
    for takeaway in found.values():
        assert takeaway in text, takeaway
        assert takeaway.replace("<", "&lt;").replace("'", "&#39;") in page.replace("<b>", "").replace("</b>", "")
    n_above, n_tasks = found["Accuracy"].split(" tasks ")[0].split(" of ")
    assert json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["tables"]["overall"][0]["tasks"] == int(n_tasks)
    assert 0 <= int(n_above) <= int(n_tasks)
