"""The part of a report on accuracy against size: only where there are sizes, and every number once more from the files."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import browser
import pytest
import simulated
from conftest import TASKS
from recount import floats, lines_of, page
from scipy.stats import binomtest
from workbench import contents, done, edit, parquet, records, spoil, stored, write_records

from isovist.core.answers import Answer
from isovist.core.level_size import size
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.models.base import ModelResponse
from isovist.reporting.analysis.level_results import SizeLevels
from isovist.stats.proportions import ConfidenceInterval, mean_of
from isovist.suites import registry

SIZED = TASKS[:2]
N = 60
HOSTILE = "simulated/<script>alert(1)</script>"
ERROR = {"outcome": "request_error", "error": "ConnectionError", "response": "", "parsed_answer": None, "credit": 0.0}
Copy = Callable[[Path], Path]


@pytest.fixture(scope="module")
def sized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which the items of two tasks have six sizes, ten of each."""
    folder = tmp_path_factory.mktemp("sized") / "data"
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", folder)

    def with_sizes(rows: list[dict[str, Any]]) -> None:
        for place, row in enumerate(rows):
            row["level"] = str((1, 2, 3, 5, 8, 13)[place % 6])

    hashes: dict[str, str] = {}
    for task in SIZED:
        spoil(parquet(folder, task), with_sizes)
        path = parquet(folder, task)

        hashes[str(path.relative_to(folder))] = sha256(path.read_bytes()).hexdigest()
    edit(folder / MANIFEST, lambda manifest: manifest["hashes"].update(hashes))
    return folder


@pytest.fixture(scope="module")
def falling(sized: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is right up to size 3 in the first task, half of the time at 5, and always in the second."""
    run = tmp_path_factory.mktemp("runs") / "falling"
    done("run", "--data", sized, "--model", "simulated/oracle", "--out", run)
    run_records, place = records(run), 0
    levels, keys = level_of(sized), {row.id: row.key for row in stored(sized)}
    for record in run_records:
        if record["item_id"].startswith(SIZED[0]):
            place += levels[record["item_id"]] == "5"
            if int(levels[record["item_id"]]) > 5 or (levels[record["item_id"]] == "5" and place % 2):
                wrong = keys[record["item_id"]].wrong_answers()[0]
                record |= {
                    "outcome": "incorrect",
                    "credit": 0.0,
                    "parsed_answer": keys[record["item_id"]].score(wrong).parsed_answer,
                    "response": wrong,
                }
    write_records(run, run_records)
    return run


def level_of(data: Path) -> dict[str, str]:
    return {row.id: row.level for row in stored(data)}


@pytest.fixture(scope="module")
def report(falling: Path, sized: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on that run and on a guesser with a hostile name."""
    folder = tmp_path_factory.mktemp("report")
    done("run", "--data", sized, "--model", "simulated/random", "--out", folder / "run")
    text = (folder / "run" / "run.json").read_text().replace('"simulated/random"', json.dumps(HOSTILE))
    (folder / "run" / "run.json").write_text(text)
    done("report", falling, folder / "run", "--no-verify", "--out", folder / "report")
    return folder / "report"


def test_only_a_whole_number_from_1_is_a_size() -> None:
    assert [size(level) for level in ("1", "20", "100000")] == [1, 20, 100_000]
    for level in ("", "0", "-1", "01", "1.5", "1 ", "standard", "²", "١", "9" * 5000):
        assert size(level) is None, level[:20]


def test_every_level_is_counted_once_more(report: Path, falling: Path, sized: Path) -> None:
    lines = [line for line in lines_of(report, "levels.csv") if line["run"] == "simulated/oracle"]
    assert [(line["task"], line["level"]) for line in lines] == [
        (task, level) for task in SIZED for level in ("1", "2", "3", "5", "8", "13")
    ]
    levels = level_of(sized)
    for line in lines:
        values = [r["credit"] for r in records(falling) if r["item_id"].startswith(line["task"]) and levels[r["item_id"]] == line["level"]]
        wilson = binomtest(int(sum(values)), len(values)).proportion_ci(0.95, "wilson")
        assert (int(line["n"]), int(line["n_unscored"])) == (len(values), 0) == (10, 0)
        expected = (sum(values) / len(values), wilson.low, wilson.high)
        assert [float(line[name]) for name in ("accuracy", "ci_low", "ci_high")] == pytest.approx(expected, abs=1e-5)
        assert 0 < float(line["chance"]) < 1


def test_the_half_way_size_is_the_same_in_every_format(report: Path) -> None:
    lines_by_run = {(line["task"], line["run"]): line for line in lines_of(report, "thresholds.csv")}
    assert len(lines_by_run) == 4
    fell, never = lines_by_run[SIZED[0], "simulated/oracle"], lines_by_run[SIZED[1], "simulated/oracle"]
    assert fell["range_status"] == "within"
    assert 3 < float(fell["ci_low"]) < float(fell["threshold"]) < float(fell["ci_high"]) < 8
    assert (never["range_status"], never["threshold"], never["ci_high"]) == ("above", "", "")
    shown = {(line["Task"], line["Model"]): line for line in page(report).table("Size threshold")}
    assert shown.keys() == lines_by_run.keys()
    line = shown[SIZED[0], "simulated/oracle"]
    assert floats(line["Size threshold"]) == [pytest.approx(float(fell["threshold"]), abs=0.0501)]
    assert floats(line["95% CI"]) == pytest.approx([float(fell["ci_low"]), float(fell["ci_high"])], abs=0.0501)
    assert (line["Sizes"], line["At smallest"], line["At largest"]) == ("1 to 13", "100.0", "0.0")
    assert shown[SIZED[1], "simulated/oracle"]["Size threshold"] == "above 13"
    markdown = (report / "report.md").read_text()
    for (task, model), cells in shown.items():
        ends = f"{cells['At smallest']} | {cells['At largest']}"
        assert (
            f"| {task} | {model} | {cells['n']} | {cells['Sizes']} | {ends} | {cells['Size threshold']} | {cells['95% CI']} |" in markdown
        )


def test_a_skill_has_the_mean_of_its_tasks(report: Path) -> None:
    results = {(line["run"], line["task"]): line for line in lines_of(report)}
    lines = lines_of(report, "skills.csv")
    skills = {skill for task in SIZED for skill in registry.task(task).skills}
    assert {line["skill"] for line in lines} == skills
    for line in lines:
        tasks = [results[line["run"], task] for task in SIZED if line["skill"] in registry.task(task).skills]
        assert int(line["tasks"]) == len(tasks)
        for name in ("accuracy", "chance"):
            assert float(line[name]) == pytest.approx(sum(float(task[name]) for task in tasks) / len(tasks), abs=1e-5)
        interval = mean_of([ConfidenceInterval(float(task["accuracy"]), float(task["ci_low"]), float(task["ci_high"])) for task in tasks])
        assert (float(line["ci_low"]), float(line["ci_high"])) == pytest.approx((interval.low, interval.high), abs=1e-5)
    shown = page(report).table("Thresholds in range")
    assert {(line["Skill"], line["Model"]) for line in shown} == {(line["skill"], line["run"]) for line in lines}


def test_each_sized_task_has_a_panel_and_names_are_never_markup(report: Path) -> None:
    report_page = page(report)
    labels = [value for _, name, value in report_page.attributes if name == "aria-label" and value.startswith("Accuracy by size")]
    skills = sorted({skill for task in SIZED for skill in registry.task(task).skills})
    assert labels == [f"Accuracy by size in {name}" for name in (*SIZED, *skills)]
    assert report_page.tags["script"] == 1
    assert HOSTILE not in report_page.text
    hints = "\n".join(hint for section in report_page.hints.values() for hint in section)
    assert "simulated/oracle, size 5: 50.0 [" in hints
    assert f"{HOSTILE}, size 13: " in hints
    several = [skill for skill in skills if all(skill in registry.task(task).skills for task in SIZED)]
    assert several
    size_of_both = [line for line in lines_of(report, "levels.csv") if (line["run"], line["level"]) == ("simulated/oracle", "5")]
    (n,) = {sum(int(line["n"]) for line in size_of_both)}
    assert any(hint.startswith("simulated/oracle, size 5: ") and hint.endswith(f"n = {n}") for hint in hints.split("\n"))


def test_without_a_verdict_on_many_items_the_half_way_size_is_withheld(falling: Path, tmp_path: Path) -> None:
    """Without one, its interval contains that with all items, whatever the missing item would be."""
    whole = thresholds(falling, tmp_path / "whole")
    run_records = records(falling)
    task = run_records[0]["item_id"].partition("@")[0]
    n = sum(record["item_id"].startswith(f"{task}@") for record in run_records)
    for n_missing in (1, n // 8):
        run = Path(shutil.copytree(falling, tmp_path / f"run-{n_missing}"))
        write_records(run, [record | ERROR if place < n_missing else record for place, record in enumerate(run_records)])
        line = thresholds(run, tmp_path / str(n_missing))[task]
        assert line["n_unscored"] == str(n_missing)
        if n_missing > 1:
            assert line["threshold"] == ""
            continue
        low, high = (float(line[end] or fallback) for end, fallback in (("ci_low", 0), ("ci_high", 99)))
        assert low <= float(whole[task]["ci_low"] or 0)
        assert high >= float(whole[task]["ci_high"] or 99)
    shown = {line["Task"]: line for line in page(tmp_path / str(n // 8)).table("Size threshold")}
    assert shown[task]["Size threshold"] == f"not reported ({n // 8} items not scored)"
    blank = [line for line in lines_of(tmp_path / "1", "levels.csv") if line["n_unscored"] == "1"]
    assert [(line["task"], line["n"]) for line in blank] == [(task, "9")]
    for name, text in contents(tmp_path / "1").items():
        assert not re.search(rb"\b(nan|None)\b", text), name


def thresholds(run: Path, out: Path) -> dict[str, dict[str, str]]:
    done("report", run, "--no-verify", "--out", out)
    return {line["task"]: line for line in lines_of(out, "thresholds.csv")}


def test_a_report_on_tasks_without_sizes_has_no_such_part(oracle: Path, tmp_path: Path) -> None:
    done("report", oracle, "--out", tmp_path / "report")
    markdown = (tmp_path / "report" / "report.md").read_text()
    for words in ("Accuracy by size", "Size threshold"):
        assert words not in page(tmp_path / "report").text
        assert words not in markdown
    for name in ("levels.csv", "thresholds.csv", "skills.csv"):
        assert lines_of(tmp_path / "report", name) == []


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [1280, 500])
def test_the_panels_fit_their_window(report: Path, tmp_path: Path, width: int) -> None:
    copy = Path(shutil.copytree(report, tmp_path / "report"))
    layout, console = browser.layout(copy / "index.html", (width, 900), tmp_path / "home")
    assert (layout["sticks_out"], layout["boxes"], console) == (0, [], [])


def test_items_that_share_a_picture_make_a_half_way_size_less_sure() -> None:
    """Each picture's four items are all right or all wrong: they tell as much as one."""

    def asked(members: int, *, shared: bool) -> SizeLevels:
        def row(at: int, place: int) -> ItemRow:
            picture = place // members
            return replace(
                some_row, id=f"{at}:{place}", index=picture, level=str(at), chance=0.0, group=f"{at}:{picture if shared else place}"
            )

        def reply(row: ItemRow, key: Answer) -> ModelResponse:
            is_correct = row.index < 20 / (1 + (int(row.level) / 6) ** 4)
            return ModelResponse(f"Answer: {key.canonical() if is_correct else key.wrong_answers()[0]}")

        rows = simulated.results([row(at, place) for at in range(1, 13) for place in range(20 * members)], reply)
        return SizeLevels("run", "task", rows.by("size"))

    some_row = simulated.rows([TASKS[0]], 1)[TASKS[0]][0]

    alone, apart, together = (asked(*how[:1], shared=how[1]).estimate for how in ((1, False), (4, False), (4, True)))
    assert alone
    assert apart
    assert together
    assert together.threshold == pytest.approx(alone.threshold or 0, rel=0.01)
    widths = [(estimate.high or 0) - (estimate.low or 0) for estimate in (alone, apart, together)]
    assert widths[1] < 0.6 * widths[0]
    assert widths[2] == pytest.approx(widths[0], rel=0.1)
