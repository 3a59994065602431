"""The parts of a report on what items show and on the errors that wrong options stand for, once more from rows and records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from recount import lines_of, page
from workbench import done, records, stored

TASKS = ("srbench/mrt-easy", "srbench/mrt-hard")
N = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "random"
    done("run", *TASKS, "cdr/relative-compass-letter", "--n", N, "--model", "fake/random", "--out", run)
    return run


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    done("report", run, "--out", out)
    return out


def test_accuracy_by_angle_is_that_of_the_records(run: Path, report: Path) -> None:
    values = {record["item_id"]: record["value"] for record in records(run)}
    rows = [row for row in stored(run / "data") if row.task in TASKS]
    lines = lines_of(report, "facets.csv")
    assert {line["task"] for line in lines} == set(TASKS)  # the other task has no facets
    assert {line["facet"] for line in lines} == {"disparity", "form", "axis"}
    for line in lines:
        of = [values[row.id] for row in rows if row.task == line["task"] and row.told["facets"].get(line["facet"]) == line["value"]]
        assert int(line["n"]) == len(of)
        assert float(line["accuracy"]) == pytest.approx(sum(of) / len(of), abs=1e-5)
    for row in rows:  # the facet is what the scene says
        degrees = row.told["facets"]["disparity"].removesuffix(" degrees").split("-")
        assert float(degrees[0]) - 0.5 <= row.told["scene"]["disparity"] <= float(degrees[-1]) + 0.5
    shown = page(report).table("Facet")
    assert [(row["Facet"], row["Value"]) for row in shown if row["Task"] == TASKS[1]] == [
        ("disparity", "60-83 degrees"), ("disparity", "90-94 degrees"), ("disparity", "104-108 degrees"), ("disparity", "120-139 degrees"),
        ("form", "branching"), ("form", "snake"),
    ]  # fmt: skip


def test_the_errors_are_those_of_the_chosen_options(run: Path, report: Path) -> None:
    said = {record["item_id"]: record["parsed"] for record in records(run)}
    chosen: Counter[tuple[str, str]] = Counter()
    for row in stored(run / "data"):
        if row.task in TASKS and said[row.id] != row.answer:
            chosen[row.task, row.told["scene"]["options"]["ABCD".index(said[row.id])]["kind"]] += 1
    lines = lines_of(report, "errors.csv")
    assert {(line["task"], line["error"]): int(line["chosen"]) for line in lines} == chosen
    assert [(line["error"], line["offered"]) for line in lines if line["task"] == TASKS[1]] == [
        ("mirror", str(2 * N)),
        ("near-miss", str(N)),
    ]
    assert not any(error == "rotation" for _, error in chosen)
    shown = page(report).table("Wrong option")
    assert {(row["Task"], row["Wrong option"]): int(row["Chosen"]) for row in shown} == chosen
