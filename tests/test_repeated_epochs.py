"""Repeated epochs: pass@k against all subsets, majority votes, tokens per correct answer, and their table."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import done

from isovist.reporting.analysis.repeated_epochs import majority_credit, pass_at


@given(st.integers(1, 8), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_correct_response(n: int, data: st.DataObject) -> None:
    correct, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    subsets = list(combinations(range(n), k))
    assert pass_at(n, correct, k) == pytest.approx(sum(min(subset) < correct for subset in subsets) / len(subsets))


@pytest.mark.parametrize(
    ("answers", "scores", "expected"),
    [
        ([1, 1, 2], [1, 1, 0], 1),
        ([1, 2, 2], [1, 0, 0], 0),
        ([1, 2, 1, 2], [1, 0, 1, 0], 0.5),
        ([-1, -1, 3], [0, 0, 1], 1),
        ([-1, -1], [0, 0], 0),
        ([1, 2, 3], [0, 0.5, 1], 0.5),
    ],
)
def test_the_majority_is_the_most_frequent_parsed_answer(answers: list[float], scores: list[float], expected: float) -> None:
    assert majority_credit(answers, scores) == pytest.approx(expected)


def test_a_report_has_the_table(tmp_path: Path) -> None:
    task = "cdr/relative-compass-letter"
    model = "simulated/deficit:left-right,noise=0.5"
    done("run", task, "--model", model, "--n", 60, "--epochs", 4, "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    with (tmp_path / "report" / "epochs.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["task"], row["epochs"], row["n"]) == (task, "4", "60")
    values = [float(row[f"pass_at_{k}"]) for k in (1, 2, "all")]
    assert values == sorted(values)
    assert values[0] < values[1] < values[2]
    for k, prefix in ((1, "ci"), (2, "pass_at_2"), ("all", "pass_at_all")):
        assert float(row[f"{prefix}_low"]) <= float(row[f"pass_at_{k}"]) <= float(row[f"{prefix}_high"])
    first = (tmp_path / "report" / "report.md").read_text(encoding="utf-8").partition("## Abilities")[0]
    assert "| pass@4 (%) | 95% CI | maj@4 (%) | 95% CI |" in first
    assert f"| {100 * values[2]:.1f} |" in first
    assert "pass@4" in (tmp_path / "report" / "report.tex").read_text(encoding="utf-8")
    assert row["tokens_per_correct"] == ""  # a simulated model reports no tokens
    assert "Repeated epochs" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_a_run_with_one_epoch_has_no_table(tmp_path: Path) -> None:
    done("run", "cdr/step-cell-letter", "--model", "simulated/random", "--n", 8, "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    assert "Repeated epochs" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
