"""Runs before and after training, item by item: with simulated models, whose results are known."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from workbench import done, isovist, refused

from isovist.training.before_after import arm, compared, markdown, published
from isovist.training.before_after import csv as as_csv

TASKS = ("cdr/relative-compass-icon", "cdr/object-classification-number")
N = 10


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of the same items by several simulated models, and one of other items."""
    base = tmp_path_factory.mktemp("compared")
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", base / "items")
    for name in ("random", "oracle", "silent"):
        done("run", "--data", base / "items", "--model", f"simulated/{name}", "--out", base / name)
    done("run", *TASKS, "--n", N, "--seed", 1, "--workers", 1, "--model", "simulated/oracle", "--out", base / "other")
    return base


def test_changes_are_reported_by_item(runs: Path) -> None:
    comparison = compared([arm(str(runs / "random")), arm(f"CoTAll={runs / 'oracle'}"), arm(str(runs / "silent"))])
    assert comparison.arms == ("random", "CoTAll", "silent")
    for before, after, mute in comparison.tasks.values():
        assert before.accuracy is not None
        assert before.change is None
        assert after.change is not None
        assert mute.change is not None
        assert after.change.estimate == pytest.approx(1 - before.accuracy.estimate)
        assert after.change.low < after.change.estimate <= after.change.high
        assert mute.change.estimate == pytest.approx(-before.accuracy.estimate)
        assert (before.unparsed, after.unparsed, mute.unparsed) == (0, 0, 1)
        assert after.trained is None
    (both,) = comparison.together.values()
    assert both[1].n == 2 * N
    rows = list(csv.DictReader(io.StringIO(as_csv(comparison))))
    assert len(rows) == 6
    assert {(row["run"], row["unparsed_after"]) for row in rows} == {("CoTAll", "0"), ("silent", "1")}


def test_the_papers_table_stands_beside_the_runs(runs: Path) -> None:
    text = markdown(compared([arm(str(runs / "random")), arm(f"cotall={runs / 'oracle'}"), arm(f"mine={runs / 'silent'}")]))
    head, _, theirs, here, _ = (line.strip("| ").split(" | ") for line in text.splitlines()[2:7])
    assert head == ["fine-tuning data", *published().columns, "mine"]
    assert theirs[1:] == [f"{value:.2f}" for value in published().rows[0].values if value is not None] + ["-"]
    by_column = dict(zip(head, here, strict=True))
    assert by_column["CoTAll"] == "100.0"
    assert by_column["mine"] == "0.0"
    assert by_column["7B_Base"] not in ("-", "100.0")
    assert by_column["All+40K"] == "-"


def test_without_its_task_the_papers_table_is_left_out(runs: Path, tmp_path: Path) -> None:
    for name in ("random", "oracle"):
        done("run", TASKS[1], "--data", runs / "items", "--model", f"simulated/{name}", "--out", tmp_path / name)
    text = markdown(compared([arm(str(tmp_path / name)) for name in ("random", "oracle")]))
    assert "7B_Base" not in text
    assert text.startswith("| task |")


def test_trained_tasks_are_marked(runs: Path, tmp_path: Path) -> None:
    """The model of a training run knows what it was taught; the settings of such a run are put beside a simulated model's records."""
    from isovist.training.settings import Data, Model, Settings, TrainingArguments
    from isovist.training.training_folder import DataFingerprint, Training, TrainingFolder

    settings = Settings(Model("m"), Data("d"), TrainingArguments(steps=1))
    training = TrainingFolder(tmp_path / "training")
    training.claim(
        Training(
            "sft", settings, "m", DataFingerprint("d", "0", 1, {"cdr/relative-compass-icon/answer": 1, "general/general": 1}), None, "", {}
        )
    )
    after = tmp_path / "after"
    done("run", "--data", runs / "items", "--model", "simulated/oracle", "--out", after)
    info = json.loads((after / "run.json").read_text())
    (after / "run.json").write_text(json.dumps(info | {"model": f"hf/{training.model}?device=cpu"}))
    comparison = compared([arm(str(runs / "random")), arm(str(after))])
    assert {task: cells[1].trained for task, cells in comparison.tasks.items()} == {TASKS[0]: True, TASKS[1]: False}
    assert comparison.together == {}, "one task of each kind is no group"


def test_items_without_a_verdict_withhold_the_comparison(runs: Path, tmp_path: Path) -> None:
    done("run", "--data", runs / "items", "--model", "simulated/oracle", "--out", tmp_path / "part")
    records = (tmp_path / "part" / "records.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "part" / "records.jsonl").write_text("".join(records[1:]))
    comparison = compared([arm(str(runs / "random")), arm(str(tmp_path / "part"))])
    cells = next(cells for task, cells in comparison.tasks.items() if json.loads(records[0])["item_id"].startswith(task))
    assert (cells[1].n_unscored, cells[1].accuracy, cells[1].change) == (1, None, None)
    assert "not reported (1 not scored)" in markdown(comparison)


def test_runs_that_cannot_be_compared_are_refused(runs: Path, tmp_path: Path) -> None:
    done("run", "--data", runs / "items", "--model", "simulated/oracle", "--prompt-style", "direct", "--out", tmp_path / "direct")
    for given, words in (
        ((runs / "random",), "Too few runs"),
        ((runs / "random", runs / "other"), "other items"),
        ((runs / "random", tmp_path / "direct"), "another style"),
        ((runs / "random", f"random={runs / 'oracle'}"), "two of the runs are called random"),
        ((runs / "random", f"={runs / 'oracle'}"), "NAME=FOLDER"),
        ((runs / "random", tmp_path / "none"), "no run"),
    ):
        refused(isovist("train", "table", *given, "--out", tmp_path / "tables"), words)
    assert not (tmp_path / "tables").exists()


def test_the_tables_are_written(runs: Path, tmp_path: Path) -> None:
    ended = done("train", "table", runs / "random", f"All={runs / 'oracle'}", "--out", tmp_path / "tables")
    assert (tmp_path / "tables" / "training.md").read_text() == ended.out.removesuffix("\n")
    assert (tmp_path / "tables" / "training.csv").read_text().startswith("task,trained,run,")


def test_altered_verdicts_are_found(runs: Path, tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt"
    shutil.copytree(runs / "random", spoilt)
    records = (spoilt / "records.jsonl").read_text(encoding="utf-8").replace('"outcome": "incorrect"', '"outcome": "correct"')
    (spoilt / "records.jsonl").write_text(records, encoding="utf-8")
    ended = isovist("train", "table", runs / "oracle", f"mine={spoilt}", "--out", tmp_path / "tables")
    assert ended.code == 1
    assert "stored scores differ from the new scores" in ended.err
    assert not (tmp_path / "tables").exists()
    done("train", "table", runs / "oracle", f"mine={spoilt}", "--no-verify")
