"""What `isovist report --log` hands to an experiment tracker, and what the clients of W&B and MLflow make of it, offline."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from workbench import done, isovist, spawned

from isovist.common.errors import UserError
from isovist.common.installation import install_command
from isovist.reporting.analysis.collect import RunResults, load_results
from isovist.reporting.reports.report import write_report
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.tracking import log_report
from isovist.reporting.tracking.evaluation_log import EvaluationLog, _side_by_side, evaluation_logs

N_EXAMPLES = 7
MODELS = ("simulated/oracle", "simulated/garbled")


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One run of correct answers, with responses of one image removed, and one that cannot be parsed."""
    place = tmp_path_factory.mktemp("tracked")
    for model in MODELS:
        done("run", "--data", data, "--model", model, "--no-image", "--workers", 1, "--out", place / model.partition("/")[2])
    return [place / model.partition("/")[2] for model in MODELS]


@pytest.fixture(scope="module")
def results(runs: list[Path]) -> list[RunResults]:
    return load_results(runs)


@pytest.fixture(scope="module")
def folder(results: list[RunResults], tmp_path_factory: pytest.TempPathFactory) -> ReportFolder:
    folder = ReportFolder(tmp_path_factory.mktemp("tracked") / "report")
    write_report(results, folder, has_item_browser=True)
    return folder


@pytest.fixture(scope="module")
def logs(results: list[RunResults], folder: ReportFolder) -> list[EvaluationLog]:
    return list(evaluation_logs(results, folder, N_EXAMPLES))


# What is logged ---------------------------------------------------------------------------------------------------


def test_each_run_is_logged_with_its_settings(logs: list[EvaluationLog], runs: list[Path]) -> None:
    assert [(log.name, log.group) for log in logs] == [(model, "report") for model in MODELS]
    for log, run in zip(logs, runs, strict=True):
        written = json.loads((run / "run.json").read_text())
        assert log.config == {name: written[name] for name in written if name not in ("usage", "format")} | {"run_folders": [str(run)]}


def test_the_numbers_are_those_of_the_report(logs: list[EvaluationLog], results: list[RunResults]) -> None:
    for log, run in zip(logs, results, strict=True):
        assert len(run.tasks) == 3
        for task in run.tasks:
            interval = task.accuracy
            assert interval is not None
            for name, value in (("accuracy", interval.estimate), ("accuracy_low", interval.low), ("accuracy_high", interval.high)):
                assert log.metrics[f"task/{task.task}/{name}"] == pytest.approx(value, abs=1e-5)
            assert log.metrics[f"task/{task.task}/chance"] == pytest.approx(task.chance, abs=1e-5)
        assert log.metrics["requests"] == 2 * 3 * 16
        assert "cost_usd" not in log.metrics
    correct, garbled = (log.metrics for log in logs)
    assert (correct["accuracy"], correct["chance_corrected"], correct["unparsed"], correct["outcome/correct"]) == (1, 1, 0, 48)
    assert (garbled["unparsed"], garbled["outcome/unparsed"]) == (1, 48)
    assert garbled["accuracy"] == 0  # unparsed responses are incorrect


def test_the_tables_hold_the_rows_of_the_run_alone(logs: list[EvaluationLog], folder: ReportFolder) -> None:
    for log in logs:
        assert {"overall", "tasks", "variants"} <= set(log.tables)
        for table in log.tables.values():
            assert {row[table.columns.index("run")] for row in table.rows} == {log.name}
    overall = logs[0].tables["overall"]
    row = dict(zip(overall.columns, overall.rows[0], strict=True))
    (reported,) = [row for row in folder.tables["overall"] if row["run"] == logs[0].name]  # type: ignore[index, attr-defined]
    assert (row["accuracy"], row["accuracy_low"]) == (reported["accuracy"]["estimate"], reported["accuracy"]["low"])


def test_examples_come_from_all_tasks_in_turn_with_image_response_and_key(logs: list[EvaluationLog]) -> None:
    for log in logs:
        rows = [dict(zip(log.examples.columns, row, strict=True)) for row in log.examples.rows]
        assert len(rows) == N_EXAMPLES == len({row["item"] for row in rows})
        tasks = [row["task"] for row in rows]
        assert len(set(tasks[:3])) == 3
        assert tasks[:3] == tasks[3:6]
        assert {row["outcome"] for row in rows} == {"correct" if log.name == MODELS[0] else "unparsed"}
        for row in rows:
            assert row["image"].size == (200, 200)
            assert row["response"]
            assert row["key"] in row["prompt"]
        assert not {row["parsed_answer"] == row["key"] for row in rows} - {log.name == MODELS[0]}


def test_no_example_is_logged_on_request(results: list[RunResults], folder: ReportFolder) -> None:
    assert [log.examples.rows for log in evaluation_logs(results, folder, 0)] == [(), ()]


def test_incorrect_and_unparsed_responses_come_before_correct_ones(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--workers", 1, "--out", tmp_path / "run")
    results, folder = load_results([tmp_path / "run"]), ReportFolder(tmp_path / "report")
    write_report(results, folder, has_item_browser=False)
    (log,) = evaluation_logs(results, folder, 1000)
    assert len(log.examples.rows) == 48
    outcomes: dict[str, list[str]] = {}
    for row in (dict(zip(log.examples.columns, row, strict=True)) for row in log.examples.rows):
        outcomes.setdefault(row["task"], []).append(row["outcome"])
    assert any("correct" in of_task for of_task in outcomes.values())
    for of_task in outcomes.values():
        pairs = 2 * of_task.count("correct")
        assert of_task == ["incorrect", "correct"] * (pairs // 2) + ["incorrect"] * (len(of_task) - pairs)


def test_the_images_of_an_item_are_one_image_from_left_to_right() -> None:
    def png(size: tuple[int, int], colour: str) -> bytes:
        buffer = io.BytesIO()
        Image.new("RGB", size, colour).save(buffer, "PNG")
        return buffer.getvalue()

    row = _side_by_side([png((10, 20), "red"), png((30, 10), "blue")])
    assert row.size == (48, 20)
    assert [row.getpixel(at) for at in ((0, 19), (9, 0), (12, 0), (18, 9), (47, 0), (47, 10))] == [
        (255, 0, 0), (255, 0, 0), (255, 255, 255), (0, 0, 255), (0, 0, 255), (255, 255, 255),
    ]  # fmt: skip
    assert _side_by_side([]).size == (1, 1)


def test_the_files_of_the_report_are_logged_without_the_item_browser(logs: list[EvaluationLog]) -> None:
    files = set(logs[0].files)
    assert {"index.html", "overall.csv", "figures/overview.svg"} <= files
    assert (logs[0].folder / "items.html").exists()
    assert not {name for name in files if name.startswith("items")}
    assert all((logs[0].folder / name).is_file() for name in files)


# The command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tracker", ["wandb", "mlflow"])
def test_a_missing_client_is_named_before_the_report_is_written(
    runs: list[Path], tmp_path: Path, tracker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isovist.common.errors.find_spec", lambda name: None)
    ended = isovist("report", *runs, "--out", tmp_path / "report", "--workers", 1, "--log", tracker)
    assert ended.code == 2
    assert install_command(tracker) in ended.err
    assert not (tmp_path / "report").exists()


def test_what_a_client_raises_is_one_line(results: list[RunResults], folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        @staticmethod
        def log(evaluation: EvaluationLog) -> str:
            raise ConnectionError("no route\nto the server")

    monkeypatch.setattr("isovist.common.errors.find_spec", lambda name: object())
    monkeypatch.setattr("isovist.reporting.tracking.import_module", lambda name: Client)
    with pytest.raises(UserError, match=r"Cannot log the report \(no route\): --log wandb"):
        log_report("wandb", results, folder, 1)


# The clients ------------------------------------------------------------------------------------------------------


def _records(path: Path) -> Iterator[Any]:
    """The records of a W&B file: a log of LevelDB with messages of W&B."""
    from wandb.proto import wandb_internal_pb2  # pyright: ignore[reportMissingImports]

    data, place, message = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        if 32768 - place % 32768 < 7:
            place += 32768 - place % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[place : place + 7])
        message += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # whole, or its last part
            yield wandb_internal_pb2.Record.FromString(message)
            message = b""


@pytest.mark.filterwarnings("ignore")
def test_wandb_keeps_settings_numbers_tables_and_images(runs: list[Path], logs: list[EvaluationLog], tmp_path: Path) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed; `just test-tracking` runs this")
    ended = spawned(
        "report", runs[0], "--out", tmp_path / "report", "--workers", 1, "--log", "wandb", "--log-examples", N_EXAMPLES,
        WANDB_MODE="offline", WANDB_DIR=str(tmp_path), WANDB_DATA_DIR=str(tmp_path / "data"), WANDB_CACHE_DIR=str(tmp_path / "cache"),
    )  # fmt: skip
    assert ended.code == 0, ended
    assert "simulated/oracle: logged to W&B in " in ended.out
    (file,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    records = list(_records(file))
    (run,) = [record.run for record in records if record.WhichOneof("record_type") == "run"]
    assert (run.project, run.display_name, run.run_group) == ("isovist", "simulated/oracle", "report")
    config = {item.key: json.loads(item.value_json) for item in run.config.update}
    assert {name: config[name] for name in logs[0].config} == logs[0].config
    summary = {item.key or ".".join(item.nested_key): item.value_json for record in records for item in record.summary.update}
    assert {name: json.loads(summary[name]) for name in logs[0].metrics} == pytest.approx(dict(logs[0].metrics))
    assert json.loads(summary["accuracy"]) == 1
    tables = {path.name.partition("_0_")[0]: json.loads(path.read_text()) for path in file.parent.glob("files/media/table/*.json")}
    assert set(tables) == {*logs[0].tables, "examples"}
    assert tables["tasks"]["columns"] == list(logs[0].tables["tasks"].columns)
    assert [row[0] for row in tables["examples"]["data"]] == [row[0] for row in logs[0].examples.rows]
    artifacts = {record.artifact.type: record.artifact for record in records if record.WhichOneof("record_type") == "artifact"}
    listed = json.loads((tmp_path / "report" / "report.json").read_text())["files"]
    assert {entry.path for entry in artifacts["report"].manifest.contents} == {name for name in listed if not name.startswith("items")}
    examples = [
        record.artifact
        for record in records
        if record.WhichOneof("record_type") == "artifact" and record.artifact.name.endswith("-examples")
    ]
    images = [entry for entry in examples[0].manifest.contents if entry.path.endswith(".png")]
    assert len(images) == N_EXAMPLES
    assert Image.open(images[0].local_path).size == (200, 200)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_settings_numbers_tables_and_images(
    runs: list[Path], logs: list[EvaluationLog], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed; `just test-tracking` runs this")
    store = {"MLFLOW_TRACKING_URI": f"file://{tmp_path / 'store'}", "MLFLOW_ALLOW_FILE_STORE": "true"}
    for name, value in store.items():
        monkeypatch.setenv(name, value)
    ended = spawned("report", *runs, "--out", tmp_path / "report", "--workers", 1, "--log", "mlflow", "--log-examples", N_EXAMPLES)
    assert ended.code == 0, ended
    client = mlflow.MlflowClient(store["MLFLOW_TRACKING_URI"])
    experiment = client.get_experiment_by_name("isovist")
    found = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
    assert set(found) == set(MODELS)
    for log in logs:
        run = found[log.name]
        assert f"{log.name}: logged to MLflow, run {run.info.run_id} at " in ended.out
        assert (run.data.params["model"], run.data.params["options.temperature"]) == (log.name, "0.0")
        assert run.data.metrics == pytest.approx(dict(log.metrics))
        saved = Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=str(tmp_path / run.info.run_id)))
        for name, table in log.tables.items():
            assert json.loads((saved / f"{name}.json").read_text())["columns"] == list(table.columns)
        examples = json.loads((saved / "examples.json").read_text())
        assert [row[0] for row in examples["data"]] == [row[0] for row in log.examples.rows]
        image = examples["data"][0][examples["columns"].index("image")]
        assert Image.open(saved / image["filepath"]).size == (200, 200)
        assert {f"report/{name}" for name in log.files} <= {path.relative_to(saved).as_posix() for path in saved.rglob("*")}
