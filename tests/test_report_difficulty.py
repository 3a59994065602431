"""The report's section on what makes items hard, for runs made by hand, against the records."""

from __future__ import annotations

from pathlib import Path

import pytest
from recount import lines_of
from workbench import done, records, stored

N = 48
TASK = "cdr/relative-compass-letter"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    run, out = tmp_path_factory.mktemp("runs") / "random", tmp_path_factory.mktemp("report")
    done("run", TASK, "perceptv/counting-locations", "--n", N, "--model", "simulated/random", "--out", run)
    done("report", run, "--out", out, "--no-item-browser")
    return run, out


def test_every_knob_stands_in_the_table_with_what_was_counted_at_its_ends(report: tuple[Path, Path]) -> None:
    run, out = report
    values = {record["item_id"]: record["credit"] for record in records(run)}
    rows = [row for row in stored(run / "data") if row.task == TASK]
    lines = {line["factor"]: line for line in lines_of(out, "difficulty.csv") if line["task"] == TASK}
    assert {"compass rotation", "relation"} <= set(lines) <= {"compass rotation", "relation", "symbols in the image"}
    for knob, line in lines.items():
        assert int(line["n"]) == N
        for end in ("from", "to"):
            end_values = [values[row.id] for row in rows if row.metadata.attributes[knob] == line[end]]
            assert float(line[f"accuracy_{end}"]) == pytest.approx(sum(end_values) / len(end_values), abs=1e-5)
        assert float(line["ci_low"]) <= float(line["change"]) <= float(line["ci_high"])
        assert float(line["p"]) <= float(line["p_adjusted"]) <= 1
    text = (out / "index.html").read_text(encoding="utf-8")
    assert ">Difficulty factors<" in text
    assert "0 to 180 degrees" in text


def test_accuracy_by_angle_has_a_panel_and_a_table(report: tuple[Path, Path]) -> None:
    run, out = report
    values = {record["item_id"]: record["credit"] for record in records(run)}
    rows = [row for row in stored(run / "data") if row.task == TASK]
    lines = [line for line in lines_of(out, "factor_curves.csv") if line["factor"] == "compass rotation"]
    assert [float(line["value"]) for line in lines] == [0, 45, 90, 135, 180]
    for line in lines:
        angle_values = [
            values[row.id] for row in rows if row.metadata.attributes["compass rotation"] == f"{float(line['value']):.0f} degrees"
        ]
        assert (int(line["n"]), float(line["accuracy"])) == (
            len(angle_values),
            pytest.approx(sum(angle_values) / len(angle_values), abs=1e-5),
        )
    assert (out / "figures" / "factor-cdr-relative-compass-letter-compass-rotation.svg").exists()


def test_who_is_right_everywhere_is_told_of_no_knob(report: tuple[Path, Path], tmp_path: Path) -> None:
    run, out = report
    assert lines_of(out, "difficulty.csv")
    done("run", "--data", run / "data", "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report", "--no-item-browser")
    assert not lines_of(tmp_path / "report", "difficulty.csv")
    assert "No difficulty factor" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_a_run_that_is_not_done_has_no_table(tmp_path: Path) -> None:
    """Items that were never asked may be the hard ones."""
    done("generate", TASK, "--n", N, "--out", tmp_path / "data")
    done("run", "--data", tmp_path / "data", "--model", "simulated/random", "--out", tmp_path / "run")
    kept = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run" / "records.jsonl").write_text("".join(kept[: -N // 10]), encoding="utf-8")
    done("report", tmp_path / "run", "--out", tmp_path / "report", "--no-item-browser")
    for name in ("difficulty.csv", "factor_curves.csv", "subtasks.csv"):
        assert lines_of(tmp_path / "report", name) == []
    assert "Difficulty factors" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
