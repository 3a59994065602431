"""Several seeds of one model in a report: mean and standard error by task and level."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, pstdev

import pytest
from recount import lines_of, page
from workbench import done, records

TASKS = ("srbench/maze-nav-turns", "cdr/relative-compass-letter")
SEEDS = (42, 1998, 107983)


def test_mean_and_standard_error_over_three_seeds(tmp_path: Path) -> None:
    for seed in SEEDS:
        done("run", *TASKS, "--n", 24, "--seed", seed, "--model", "simulated/random", "--out", tmp_path / str(seed))
    done("report", *(tmp_path / str(seed) for seed in SEEDS), "--out", tmp_path / "report")
    assert len(lines_of(tmp_path / "report")) == len(TASKS)  # one run of three seeds
    scored = [[(record["item_id"], record["credit"]) for record in records(tmp_path / str(seed))] for seed in SEEDS]
    lines = lines_of(tmp_path / "report", "seeds.csv")
    assert [line["task"] for line in lines if not line["level"]] == sorted(TASKS)
    for line in lines:
        assert line["seeds"] == "42 1998 107983"
        if not line["level"]:
            shares = [fmean(credit for item, credit in each if item.startswith(line["task"] + "@")) for each in scored]
            assert len(set(shares)) > 1
            assert float(line["mean"]) == pytest.approx(fmean(shares), abs=1e-5)
            assert float(line["standard_error"]) == pytest.approx(pstdev(shares) / 2**0.5, abs=1e-5)  # of three: s / sqrt 3
    assert sum(line["level"] != "" for line in lines) == 6  # the levels of the mazes; the other task has one
    assert "Variation across seeds" in (tmp_path / "report" / "index.html").read_text()
    shown = page(tmp_path / "report").table("Standard error")
    assert [row["Level"] for row in shown if row["Task"] == TASKS[1]] == ["all"]


def test_one_seed_has_no_standard_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        done("run", TASKS[1], "--n", 8, "--model", "simulated/random", "--out", tmp_path / name)
    done("report", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "report")
    assert lines_of(tmp_path / "report", "seeds.csv") == []
    assert "Variation across seeds" not in (tmp_path / "report" / "index.html").read_text()
