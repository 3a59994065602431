"""The results table: its columns, and its numbers against the records of the runs and against the report."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from workbench import done, records, write_records

import isovist
from isovist.common.errors import CheckFailed, UserError
from isovist.reporting.analysis.results import COLUMNS, SCHEMA
from isovist.reporting.analysis.trial_table import NOT_PRESENTED

Copy = Callable[[Path], Path]
PAGE = Path(__file__).parent.parent / "docs" / "results.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with rotated options and without images, over a task with options, one with angles and one with numbers."""
    folder = tmp_path_factory.mktemp("runs") / "random"
    tasks = ("cdr/relative-compass-letter", "perceptv/counting-circles")
    done("run", *tasks, "--n", 8, "--model", "simulated/random", "--circular-eval", "--no-image", "--workers", 1, "--out", folder)
    return folder


def rows_of(folder: Path, **options: bool) -> list[dict[str, Any]]:
    return isovist.results(folder, **options).arrow.to_pylist(maps_as_pydicts="strict")


def test_columns_are_documented_in_one_place() -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert listed == [f"| `{column.name}` | {kind_of(column.type)} | {column.description} |" for column in COLUMNS]


def kind_of(column_type: Any) -> str:
    text = str(column_type)
    return (
        "string"
        if text.startswith("dictionary")
        else text.replace("<item: string>", " of string").replace("<string, ", " of string to ").rstrip(">")
    )


def test_a_row_for_each_item_and_variant(run: Path) -> None:
    rows = rows_of(run)
    expected = {(record["item_id"], record["variant"]) for record in records(run)}
    assert {(row["item_id"], row["variant"]) for row in rows} == expected
    assert len(rows) == len(expected)
    for row in rows:
        assert row["model"] == row["run"] == "simulated/random"
        assert row["task"].startswith(f"{row['suite']}/")
        assert row["item_id"].startswith(f"{row['task']}@")
        assert (row["size"] is None) == (row["suite"] == "cdr")


def test_numbers_are_those_of_the_records(run: Path) -> None:
    by_trial = {(record["item_id"], record["variant"]): record for record in records(run)}
    for row in rows_of(run):
        record = by_trial[row["item_id"], row["variant"]]
        assert (row["outcome"], row["credit"], row["parsed_answer"]) == (record["outcome"], record["credit"], record["parsed_answer"])
        assert row["latency_s"] == pytest.approx(record["latency_s"])
        assert row["finish_reason"] == record["finish_reason"]


def test_options_are_those_of_the_variant(run: Path) -> None:
    rows = [row for row in rows_of(run) if row["options"]]
    standard = {row["item_id"]: row for row in rows if not row["variant"]}
    assert len({row["variant"] for row in rows}) == 9
    for row in rows:
        before = standard[row["item_id"]]
        assert row["options"][row["key_index"]] == row["key_text"] == before["key_text"]
        assert row["distractor_types"][row["key_index"]] == ""
        types = dict(zip(row["options"], row["distractor_types"], strict=True))
        assert types == dict(zip(before["options"], before["distractor_types"], strict=True))
        assert row["key"] == "ABCDEFGH"[row["key_index"]]
        if row["outcome"] == "correct":
            assert row["angular_errors"] == {"direction": 0.0}
            assert row["distractor_type"] is None
        else:
            assert row["angular_errors"]["direction"] == error_between(row["key_text"], row["chosen_text"])
            assert types[row["chosen_text"]].split("; ")[0] == row["distractor_type"]


DIRECTIONS = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")


def error_between(key: str, chosen: str) -> float:
    error = 45.0 * (DIRECTIONS.index(chosen) - DIRECTIONS.index(key)) % 360
    return error - 360 if error > 180 else error


def test_means_are_those_of_the_report(run: Path, tmp_path: Path) -> None:
    done("report", run, "--out", tmp_path / "report")
    with (tmp_path / "report" / "results.csv").open(encoding="utf-8") as file:
        reported = {row["task"]: row for row in csv.DictReader(file)}
    table = isovist.results(run).arrow
    standard = table.filter(pc.field("variant") == "")
    for task in standard.group_by("task").aggregate([("credit", "mean"), ("credit", "count"), ("chance", "mean")]).to_pylist():
        row = reported[task["task"]]
        assert float(row["accuracy"]) == pytest.approx(task["credit_mean"], abs=1e-6)
        assert float(row["chance"]) == pytest.approx(task["chance_mean"], abs=1e-6)
        assert int(row["n"]) == task["credit_count"] == 8


def test_trials_without_a_score_have_rows(run: Path, copied: Copy) -> None:
    folder = copied(run)
    run_records = records(folder)
    never, faulty, retried = (run_records[place] for place in (0, 1, 2))
    fault = {"outcome": "request_error", "credit": 0.0, "parsed_answer": None, "error": "timeout", "response": "", "latency_s": 2.0}
    write_records(folder, [faulty | fault, retried | fault, *({**record, "attempt": 2} for record in run_records[2:])])
    rows = {(row["item_id"], row["variant"]): row for row in rows_of(folder)}
    missing, unscored, scored = (rows[record["item_id"], record["variant"]] for record in (never, faulty, retried))
    assert (missing["outcome"], missing["credit"], missing["attempts"]) == (NOT_PRESENTED, None, 0)
    assert (unscored["outcome"], unscored["credit"], unscored["attempts"]) == ("request_error", None, 1)
    assert scored["outcome"] == retried["outcome"]
    assert (scored["attempts"], scored["latency_s"]) == (2, pytest.approx(2.0 + retried["latency_s"]))


def test_several_runs_make_one_table(run: Path, copied: Copy, tmp_path: Path) -> None:
    other = copied(run)
    both = isovist.results(run, other)
    assert len(both) == 2 * len(isovist.results(run))
    counts = both.arrow.group_by("run").aggregate([("credit", "count")]).to_pylist()
    assert Counter(row["run"] for row in both.arrow.to_pylist()) == {row["run"]: row["credit_count"] for row in counts}
    assert set(both.runs) == {row["run"] for row in counts}
    both.to_parquet(tmp_path / "both.parquet")
    stored = pq.read_table(tmp_path / "both.parquet")
    assert stored.to_pylist() == both.arrow.to_pylist()
    assert stored.schema.field("credit").metadata == SCHEMA.field("credit").metadata


def test_a_data_frame(run: Path) -> None:
    pytest.importorskip("pandas")
    frame = isovist.results(run).to_pandas()
    assert list(frame.columns) == SCHEMA.names
    standard = frame[frame["variant"] == ""]
    assert standard.groupby("task", observed=True)["credit"].count().to_dict() == dict.fromkeys(set(standard["task"]), 8)


def test_rows_are_the_same_in_any_process(run: Path) -> None:
    first, second = (isovist.results(run).arrow for _ in range(2))
    assert first.equals(second)


def test_altered_scores_are_found(run: Path, copied: Copy) -> None:
    folder = copied(run)
    run_records = records(folder)
    place = next(place for place, record in enumerate(run_records) if record["outcome"] == "incorrect")
    run_records[place] |= {"outcome": "correct", "credit": 1.0}
    write_records(folder, run_records)
    with pytest.raises(CheckFailed, match="stored scores differ"):
        isovist.results(folder)
    assert any(row["credit"] == 1.0 for row in rows_of(folder, verify=False))


def test_bad_folders(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no run"):
        isovist.results(tmp_path)
    with pytest.raises(UserError, match="given 2 times"):
        isovist.results(run, run)
