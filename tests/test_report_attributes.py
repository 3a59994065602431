"""The parts of a report on what items show and on the errors that wrong options stand for, once more from rows and records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
from recount import lines_of, page
from workbench import RECORDS, done, records, stored

from isovist.stats.proportions import wilson

TASKS = ("srbench/mrt-easy", "srbench/mrt-hard")
N = 40


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "random"
    done("run", *TASKS, "cdr/relative-compass-letter", "--n", N, "--model", "simulated/random", "--out", run)
    return run


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    done("report", run, "--out", out)
    return out


def test_accuracy_by_angle_is_that_of_the_records(run: Path, report: Path) -> None:
    values = {record["item_id"]: record["credit"] for record in records(run)}
    rows = [row for row in stored(run / "data") if row.task in TASKS]
    lines = lines_of(report, "attributes.csv")
    assert {line["task"] for line in lines} == {*TASKS, "cdr/relative-compass-letter"}
    lines = [line for line in lines if line["task"] in TASKS]
    assert {line["attribute"] for line in lines} == {"disparity", "form", "axis"}
    for line in lines:
        facet_values = [
            values[row.id] for row in rows if row.task == line["task"] and row.metadata.attributes.get(line["attribute"]) == line["value"]
        ]
        assert int(line["n"]) == len(facet_values)
        assert float(line["accuracy"]) == pytest.approx(sum(facet_values) / len(facet_values), abs=1e-5)
    for row in rows:  # the facet is what the scene says
        degrees = row.metadata.attributes["disparity"].removesuffix(" degrees").split("-")
        assert float(degrees[0]) - 0.5 <= row.metadata.scene["disparity"] <= float(degrees[-1]) + 0.5
    (heads, *shown) = next(table for table in page(report).tables if {"Task", "Attribute"} <= set(table[0]))
    task, attribute, value = (heads.index(head) for head in ("Task", "Attribute", "Value"))
    assert [(row[attribute], row[value]) for row in shown if row[task] == TASKS[1]] == [
        ("disparity", "60-83 degrees"), ("disparity", "90-94 degrees"), ("disparity", "104-108 degrees"), ("disparity", "120-139 degrees"),
        ("form", "branching"), ("form", "snake"),
    ]  # fmt: skip


def test_the_errors_are_those_of_the_chosen_options(run: Path, report: Path) -> None:
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    chosen: Counter[tuple[str, str]] = Counter()
    for row in stored(run / "data"):
        if row.task in TASKS and answers[row.id] != row.answer:
            chosen[row.task, row.metadata.scene["options"]["ABCD".index(answers[row.id])]["kind"]] += 1
    letters = [
        line for line in lines_of(report, "distractor_choices.csv") if line["task"] not in TASKS
    ]  # directions, see test_error_geometry
    assert sum(int(line["n_offered"]) for line in letters) == 7 * N
    lines = [line for line in lines_of(report, "distractor_choices.csv") if line["task"] in TASKS]
    assert {(line["task"], line["distractor_type"]): int(line["n_chosen"]) for line in lines} == chosen
    assert sorted((line["distractor_type"], line["n_offered"]) for line in lines if line["task"] == TASKS[1]) == [
        ("mirror", str(N)),
        ("mirrored-near-miss", str(N)),
        ("near-miss", str(N)),
    ]
    assert not any(error == "rotation" for _, error in chosen)
    shown = page(report).table("Errors with type offered")
    assert {(row["Task"], row["Error type"]): int(row["Chosen"]) for row in shown if row["Task"] in TASKS} == chosen


def test_over_the_tasks_of_a_suite_every_task_has_the_same_weight(run: Path, report: Path) -> None:
    values = {record["item_id"]: record["credit"] for record in records(run)}
    rows = stored(run / "data")
    lines = lines_of(report, "across_tasks.csv")
    assert {(line["suite"], line["attribute"]) for line in lines} == {("srbench", name) for name in ("disparity", "form", "options")} | {
        ("all", "options")
    }
    several = 0
    for line in lines:
        by_task: dict[str, list[float]] = {}
        for row in rows:
            facets = {**row.metadata.attributes, "options": str(len(row.choices))}
            if facets.get(line["attribute"]) == line["value"] and line["suite"] in (row.suite, "all"):
                by_task.setdefault(row.task, []).append(values[row.id])
        assert (int(line["tasks"]), int(line["n"])) == (len(by_task), sum(map(len, by_task.values())))
        assert float(line["accuracy"]) == pytest.approx(fmean(fmean(scores) for scores in by_task.values()), abs=1e-5)
        assert float(line["ci_low"]) < float(line["accuracy"]) < float(line["ci_high"])
        if len(by_task) > 1:  # narrower than the interval of any of its tasks
            several += 1
            widths = [interval.high - interval.low for interval in (wilson(round(sum(scores)), len(scores)) for scores in by_task.values())]
            assert float(line["ci_high"]) - float(line["ci_low"]) < max(widths)
    assert several >= 2


def test_the_number_of_options_is_told_over_all_tasks(run: Path, report: Path) -> None:
    lines = {line["value"]: line for line in lines_of(report, "across_tasks.csv") if line["suite"] == "all"}
    assert list(lines) == ["3", "4", "8"]
    assert [float(line["chance"]) for line in lines.values()] == pytest.approx([1 / 3, 1 / 4, 1 / 8], abs=1e-5)
    shown = [(row["Attribute"], row["Value"], row["n"]) for row in page(report).table("Suite") if row["Suite"] == "all"]
    assert shown == [("options", value, line["n"]) for value, line in lines.items()]


def test_a_facet_has_the_items_with_a_verdict_and_a_wider_interval(run: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    copy = copied(run)
    lost = records(copy)[0]["item_id"]
    (row,) = [row for row in stored(copy / "data") if row.id == lost]
    lines = (copy / RECORDS).read_text().splitlines()
    (copy / RECORDS).write_text("\n".join(lines[1:]) + "\n")
    done("report", copy, "--out", tmp_path / "report")
    for line in lines_of(tmp_path / "report", "across_tasks.csv"):
        of_it = {**row.metadata.attributes, "options": str(len(row.choices))}.get(line["attribute"]) == line["value"]
        held = of_it and line["suite"] in (row.suite, "all")
        assert line["n_unscored"] == str(int(held))
        assert float(line["ci_low"]) < float(line["accuracy"]) or float(line["accuracy"]) == 0
