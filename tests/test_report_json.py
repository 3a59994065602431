"""Results as JSON: `report.json`, and what `--json` prints."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from workbench import done, isovist


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home = tmp_path_factory.mktemp("runs")
    for model in ("random", "pixel-solver"):
        done("run", "--data", data, "--model", f"simulated/{model}", "--out", home / model)
    return home / "random", home / "pixel-solver"


@pytest.fixture(scope="module")
def report(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "both"
    printed = json.loads(done("report", *runs, "--json", "--out", out).out)
    assert printed == json.loads((out / "report.json").read_text(encoding="utf-8"))["tables"]
    return out


def cells(value: object) -> list[str]:
    """The cells of the CSV file for a value of the JSON file."""
    if isinstance(value, dict):
        return [cell for end in ("estimate", "low", "high") for cell in cells(value[end])]
    if isinstance(value, bool):
        return [str(int(value))]
    return ["" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)]


def test_tables_are_those_of_the_csv_files(report: Path) -> None:
    tables: dict[str, list[dict[str, Any]]] = json.loads((report / "report.json").read_text(encoding="utf-8"))["tables"]
    assert {f"{name}.csv" for name in tables} == {path.name for path in report.glob("*.csv")}
    assert {"overall", "results", "confusion", "position_bias"} <= set(tables)
    n_intervals = 0
    for name, records in tables.items():
        with (report / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert len(records) == len(rows) > 0, name
        for record, row in zip(records, rows, strict=True):
            place = 0
            for column, value in record.items():
                assert head[place] == column
                is_interval = any(end.endswith("_low") and end not in record for end in head[place + 1 : place + 2])
                width = 3 if is_interval else 1
                shown = cells(value) if value is not None else [""] * width
                assert [cell.removeprefix("'") for cell in row[place : place + width]] == shown, (name, record)
                place += width
                n_intervals += width == 3
    assert n_intervals > 20


def test_overall_results_are_ordered_and_compared(report: Path) -> None:
    first, second = json.loads((report / "report.json").read_text(encoding="utf-8"))["tables"]["overall"]
    assert (first["run"], second["run"]) == ("simulated/pixel-solver", "simulated/random")
    assert first["accuracy"]["estimate"] == 1 > second["accuracy"]["high"]
    assert first["tasks"] == second["tasks"] == 3
    text = (report / "report.md").read_text(encoding="utf-8")
    assert "pixel-solver has the highest chance-corrected accuracy. It is significantly more accurate than" in text
    assert text.index("## Overall results") < text.index("## simulated/random") < text.index("## Tasks") < text.index("### Accuracy")


def test_equal_models_are_not_told_apart(runs: tuple[Path, Path], tmp_path: Path, data: Path) -> None:
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "oracle")
    done("report", runs[1], tmp_path / "oracle", "--out", tmp_path / "report")
    assert "is not significantly different from that of" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")


def test_each_command_prints_json_alone(runs: tuple[Path, Path], data: Path, tmp_path: Path) -> None:
    def printed(*args: object, code: int = 0) -> Any:
        ended = isovist(*args, "--json")
        assert ended.code == code, ended
        return json.loads(ended.out)

    compared = printed("compare", *runs)
    assert {row["model"] for row in compared["models"]} == {"simulated/random", "simulated/pixel-solver"}
    assert all(row["significant"] is True for row in compared["pairs"])
    ranked = printed("leaderboard", *runs, "--out", tmp_path / "board")
    assert [row["model"] for row in ranked["leaderboard"] if row["suite"] == "all"] == ["simulated/pixel-solver", "simulated/random"]
    assert json.loads((tmp_path / "board" / "report.json").read_text(encoding="utf-8"))["tables"] == ranked
    assert printed("verify", data) == {"rows": 48, "differ": 0, "differences": []}
    (keys,) = printed("audit", "cdr/relative-compass-letter", "--check-keys", 5)
    assert keys == {"task": "cdr/relative-compass-letter", "keys": 5, "incorrect": []}
    audited = printed("audit", "cdr/relative-compass-letter", "--n", 40)
    assert all(row["passed"] for row in audited)
    run = printed("run", "cdr/relative-compass-letter", "--n", 4, "--model", "simulated/oracle", "--workers", 1, "--out", tmp_path / "run")
    assert (run["trials"], run["outcomes"], run["evaluated_now"]) == (4, {"correct": 4}, 4)
