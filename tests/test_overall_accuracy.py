"""One overall accuracy: report, summary, leaderboard and comparison print one number over the same tasks, whatever fails."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from workbench import done, edit, records, refused, stored, write_records
from workbench import isovist as isovist_command

import isovist
from isovist.stats.chance_correction import Scores, chance_corrected_score
from isovist.stats.clustered_means import clustered_mean, mean_of_tasks

TASKS = (
    "cdr/object-classification-letter",
    "cdr/object-classification-number",
    "cdr/relative-spatial-letter",
    "cdr/relative-spatial-number",
    "perceptv/counting-circles",
    "perceptv/layered-colours",
)
N = 18
ERROR = {"outcome": "request_error", "error": "ConnectionError", "response": "", "parsed_answer": None, "credit": 0.0}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overall") / "data"
    done("generate", *TASKS, "--n", N, "--out", folder)
    return folder


def model(data: Path, out: Path, name: str) -> Path:
    """A run in which all answers are correct."""
    done("run", "--data", data, "--model", "simulated/oracle", "--out", out / name)
    edit(out / name / "run.json", lambda info: info.update(model=name))
    return out / name


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One refuses four tasks and is right in two; the other is right in two thirds of each task."""
    out = tmp_path_factory.mktemp("runs")
    wrong = {row.id: row.key.wrong_answers()[0] for row in stored(data)}
    refusing, steady = model(data, out, "refusing"), model(data, out, "steady")
    easy = tuple(f"{task}@" for task in TASKS[:2])
    write_records(
        refusing,
        [
            record if record["item_id"].startswith(easy) else record | {"response": "", "finish_reason": "content_filter"}
            for record in records(refusing)
        ],
    )
    write_records(
        steady,
        [record | {"response": wrong[record["item_id"]]} if place % 3 == 0 else record for place, record in enumerate(records(steady))],
    )
    for run in (refusing, steady):
        done("rescore", run)
    return {"refusing": refusing, "steady": steady}


def everywhere(runs: list[Path], out: Path) -> dict[str, dict[str, tuple[float, float]]]:
    """Accuracy and chance-corrected accuracy in per cent by place and model; the models of the report, the leaderboard in their order."""
    done("report", *runs, "--out", out / "report", "--no-item-browser")
    done("leaderboard", *runs, "--out", out / "board")
    done("compare", *runs, "--out", out / "compare")
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for place, path, column, whole, name in (
        ("report", out / "report" / "overall.csv", "suite", "all", "run"),
        ("leaderboard", out / "board" / "leaderboard.csv", "suite", "all", "model"),
        ("compare", out / "compare" / "models.csv", "task", "all tasks", "model"),
    ):
        lines = [line for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines()) if line[column] == whole]
        found[place] = {
            line[name]: (round(100 * float(line["accuracy"]), 2), round(100 * float(line["chance_corrected"]), 2)) for line in lines
        }
    return found


def test_a_refusing_model_stands_last_with_one_number_everywhere(runs: dict[str, Path], tmp_path: Path) -> None:
    shown = everywhere([runs["refusing"], runs["steady"]], tmp_path)
    assert shown["report"] == shown["leaderboard"] == shown["compare"]
    assert [list(shown[place]) for place in ("report", "leaderboard")] == [["steady", "refusing"]] * 2
    assert (shown["report"]["refusing"][0], shown["report"]["steady"][0]) == (33.33, 66.67)
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert page.index("| steady |") < page.index("| refusing |")
    for name, run in runs.items():
        summary = isovist.load_run(run).summary()
        assert f"| {name} | {N * len(TASKS)} | {shown['report'][name][0]:.1f} |" in summary
        assert f"| {shown['report'][name][1]:.1f} |" in summary


def test_one_failed_request_does_not_drop_its_task(data: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    run = model(data, tmp_path, "nearly")
    lost = records(run)[0]["item_id"]
    write_records(run, [record | ERROR if record["item_id"] == lost else record for record in records(run)])
    shown = everywhere([run, runs["steady"]], tmp_path)
    assert shown["report"] == shown["leaderboard"] == shown["compare"]
    assert shown["report"]["nearly"] == (100.0, 100.0)
    lines = {
        line["task"]: line
        for line in csv.DictReader((tmp_path / "report" / "results.csv").read_text().splitlines())
        if line["run"] == "nearly"
    }
    task = lost.partition("@")[0]
    assert (lines[task]["n"], float(lines[task]["accuracy"])) == (str(N - 1), 1)
    whole = next(line for name, line in lines.items() if name == TASKS[1])
    assert float(lines[task]["ci_low"]) < float(whole["ci_low"])
    assert f"{N - 1} of {N}" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "1 item not scored" in (tmp_path / "board" / "index.html").read_text(encoding="utf-8")


def test_a_model_whose_missing_items_could_change_its_rank_has_none(data: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    run = model(data, tmp_path, "half")
    kept = records(run)
    write_records(run, [record | ERROR if place % 2 else record for place, record in enumerate(kept)])
    shown = everywhere([run, runs["steady"], runs["refusing"]], tmp_path)
    compared = (tmp_path / "compare" / "compare.md").read_text(encoding="utf-8")
    assert "half is significantly" not in compared
    assert "| all tasks | half | steady |" in compared
    assert "inconclusive" in next(line for line in compared.splitlines() if "| all tasks | half | steady |" in line)
    reason = f"{N * len(TASKS) // 2} items not scored, which could change its rank"
    assert f"half has no rank: {reason}." in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert reason in (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert [list(shown[place]) for place in ("report", "leaderboard")] == [["steady", "refusing", "half"]] * 2
    assert shown["report"]["half"] == shown["compare"]["half"] == (100.0, 100.0)
    nearly = model(data, tmp_path, "nearly")  # one missing item, with a result that "half" could reach: the latter takes no rank from it
    wrong = {row.id: row.key.wrong_answers()[0] for row in stored(data)}
    write_records(
        nearly,
        [
            record | ERROR if not place else record | {"response": wrong[record["item_id"]]} if place % 5 == 0 else record
            for place, record in enumerate(records(nearly))
        ],
    )
    done("rescore", nearly)
    ended = done("leaderboard", run, nearly, runs["steady"], "--out", tmp_path / "four").out
    assert [line.split()[-1] for line in ended.splitlines() if " no rank, " in line] == ["rank"]
    assert "half  chance-corrected accuracy 100.0" in ended
    ranks = {line["model"]: line["ranked"] for line in csv.DictReader((tmp_path / "board" / "leaderboard.csv").read_text().splitlines())}
    assert ranks == {"steady": "1", "refusing": "1", "half": "0"}


def test_a_folder_of_runs_stands_for_its_runs(runs: dict[str, Path], tmp_path: Path) -> None:
    home = runs["steady"].parent
    (home / "notes").mkdir(exist_ok=True)
    for command in ("report", "leaderboard", "compare"):
        done(command, home, "--out", tmp_path / command)
        assert all(name in (tmp_path / command / "index.html").read_text(encoding="utf-8") for name in runs)
    refused(isovist_command("report", home / "notes", "--out", tmp_path / "out"), str(home / "notes"))


def test_tasks_have_the_same_weight_in_a_comparison_whatever_their_numbers_of_items(tmp_path: Path) -> None:
    done("generate", TASKS[0], "--n", 30, "--out", tmp_path / "a")
    done("generate", TASKS[2], "--n", 10, "--out", tmp_path / "b")
    folders: dict[str, Path] = {}
    for name in ("one", "other"):
        done("run", "--data", tmp_path / "a", "--model", "simulated/oracle", "--out", tmp_path / name / "a")
        done(
            "run",
            "--data",
            tmp_path / "b",
            "--model",
            "simulated/oracle" if name == "one" else "simulated/garbled",
            "--out",
            tmp_path / name / "b",
        )
        for part in "ab":
            edit(tmp_path / name / part / "run.json", lambda info, name=name: info.update(model=name))
        folders |= {f"{name}/{part}": tmp_path / name / part for part in "ab"}
    done("compare", *folders.values(), "--out", tmp_path / "out")
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["tables"]
    whole = {row["model"]: row["accuracy"]["estimate"] for row in written["models"] if row["task"] == "all tasks"}
    assert whole == {"one": 1, "other": 0.5}  # 30 of 40 items are correct
    (pair,) = [row for row in written["pairs"] if row["task"] == "all tasks"]
    assert pair["difference"]["estimate"] == -0.5


@pytest.mark.parametrize("n_missing", [1, 4, 20])
def test_the_interval_of_a_task_holds_what_the_missing_items_could_make_of_it(n_missing: int) -> None:
    rng = np.random.default_rng(n_missing)
    values = [float(value) for value in rng.random(40) < 0.6]
    interval = mean_of_tasks([(values, range(40))], missing=[n_missing])
    plain = clustered_mean(values, range(40))
    n = 40 + n_missing
    assert interval.estimate == plain.estimate
    lowest, highest = sum(values) / n, (sum(values) + n_missing) / n
    assert interval.low == pytest.approx(max(0, plain.low - (plain.estimate - lowest)))
    assert interval.high == pytest.approx(min(1, plain.high + highest - plain.estimate))


def test_missing_items_of_one_of_several_tasks_count_by_its_weight() -> None:
    tasks = [Scores([1.0, 0.0] * 20, [0.25] * 40, range(40)), Scores([1.0, 0.0] * 20, [0.25] * 40, range(40, 80), 10)]
    whole, complete = chance_corrected_score(tasks), chance_corrected_score([tasks[0], Scores([1.0, 0.0] * 20, [0.25] * 40, range(40, 80))])
    share = 10 / 50 * 0.5 / 0.75 / 2  # of its items, times accuracy 0.5, in the range above chance, one of two tasks
    assert (whole.low, whole.high) == pytest.approx((complete.low - share, complete.high + share))
