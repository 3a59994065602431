"""The part of a report on levels that have names: every number once more from the records, beside the paper's figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from recount import lines_of, page
from workbench import done, records

from isovist.core.canonical_json import PUBLISHED
from isovist.data.reference import published, reference

TASK = "srbench/paper-folding"


def test_each_level_has_its_own_accuracy(tmp_path: Path) -> None:
    done("run", TASK, "cdr/relative-compass-letter", "--n", 45, "--model", "simulated/random", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    lines = lines_of(tmp_path / "report", "by_level.csv")
    assert {line["task"] for line in lines} == {TASK}  # the other one has a single level
    assert [line["level"] for line in lines] == [f"{a}-fold{'s' * (a > 1)}-{b}-hole{'s' * (b > 1)}" for a in (1, 2, 3) for b in (1, 2, 3)]
    run_records = [record for record in records(tmp_path / "run") if record["item_id"].startswith(TASK)]
    for line in lines:
        values = [record["credit"] for record in run_records if record["item_id"].split(":")[2] == line["level"]]
        assert int(line["n"]) == len(values) == 5
        assert float(line["accuracy"]) == pytest.approx(sum(values) / 5)
        assert float(line["chance"]) == pytest.approx(1 / 3, abs=1e-5)
        assert float(line["ci_low"]) < float(line["accuracy"]) < float(line["ci_high"]) or float(line["accuracy"]) in (0, 1)
    shown = page(tmp_path / "report").table("Level")
    assert [(row["Task"], row["Level"], row["n"]) for row in shown] == [(TASK, line["level"], "5") for line in lines]
    assert (tmp_path / "report" / "report.md").read_text().count(f"| {TASK} | simulated/random | 1-fold-1-hole | 5 |") == 1


def test_the_papers_figures_stand_beside_a_run_level_by_level(tmp_path: Path) -> None:
    tasks = ("dori/single-axis-rotation", "dori/view-parallelism")
    done("run", *tasks, "--n", 8, "--image-size", 200, "--model", "simulated/random", "--workers", 1, "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    shown = [row for row in page(tmp_path / "report").table("Human") if row["Condition"] == "standard"]
    assert [(row["Task"], row["Level"]) for row in shown] == [(task, level) for task in tasks[::-1] for level in ("coarse", "granular")]
    run_records = records(tmp_path / "run")
    for row in shown:
        values = [
            record["credit"]
            for record in run_records
            if record["item_id"].startswith(row["Task"]) and f":{row['Level']}:" in record["item_id"]
        ]
        assert row["simulated/random"] == f"{100 * sum(values) / 4:.1f}"
    # Tables 2, 3 and 4, each model from the first that has it
    figures = [[float(row[model]) for model in ("LLaVA-v1.6-34B", "Gemini 2.0 Flash", "Human")] for row in shown]
    assert figures == [[52.8, 67.0, 83.3], [35.3, 35.0, 86.6], [22.1, 28.5, 70.0], [26.2, 27.0, 70.0]]
    means = {line["value"]: line for line in lines_of(tmp_path / "report", "across_tasks.csv") if line["attribute"] == "level"}
    for level in ("coarse", "granular"):
        values = [record["credit"] for record in run_records if f":{level}:" in record["item_id"]]
        assert float(means[level]["accuracy"]) == pytest.approx(sum(values) / 8)


def test_figures_of_a_level_come_from_every_table_that_has_it() -> None:
    coarse = published("dori/view-parallelism", "coarse")
    assert (coarse["DeepSeek-7B-Chat"], coarse["Gemini 1.5 Pro"], coarse["Human"]) == (59.4, 68.5, 83.3)
    assert published("dori/canonical-orientation", "granular")["GPT-4-1"] == 46.0
    assert published("dori/view-parallelism") == {}  # the paper has no figure for both levels together


def test_figures_stand_beside_the_published_items_too() -> None:
    assert published(f"srbench{PUBLISHED}/mrt-easy") == published("srbench/mrt-easy") != {}


def test_the_averages_of_the_paper_tell_which_row_is_whose() -> None:
    """Each row of seven tasks against its printed average; the paper's own slips are known by model."""
    slips = {"Mantis-CLIP", "Mantis-Idefics2-8B", "DeepSeek-1.3B-Base", "DeepSeek-1.3B-Chat", "DeepSeek-7B-Base", "DeepSeek-7B-Chat"}
    slips |= {"Gemini 1.5 Pro", "Gemini 2.0 Flash", "GPT-4", "LLaVA-v1.6-13B"}
    for table in reference("dori").tables[:3]:
        for level in ("coarse", "granular"):
            rows = [row for row in table.rows if row.level == level]
            assert len(rows) == 8
            for place, model in enumerate(table.columns):
                *values, average = [row.values[place] or 0 for row in rows]
                exact = abs(sum(values) / 7 - average) <= 0.11
                assert exact or (model in slips and table.name != "Table 4"), (table.name, level, model)
