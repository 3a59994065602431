"""`isovist leaderboard`: the order, the ties and the common items are those of the records, and its page sorts without a network."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import browser
import driven
import numpy as np
import pytest
from conftest import TASKS, N
from workbench import done, edit, isovist, records, refused, stored, verdicts, write_records

from isovist.data.reference import published

HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("leaderboard")
    for name in ("random", "pixel-solver", "oracle"):
        done("run", "--data", data, "--model", f"simulated/{name}", "--out", home / name)
    # a run that was never asked one of the tasks, and whose model has an odd name
    shutil.copytree(home / "random", home / "short")
    write_records(home / "short", [record for record in records(home / "short") if not record["item_id"].startswith(TASKS[0])])
    edit(home / "short" / "run.json", lambda run_info: run_info.update(model=HOSTILE))
    return home


@pytest.fixture(scope="module")
def board(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("board") / "out"
    ended = done("leaderboard", *(runs / name for name in ("short", "random", "pixel-solver", "oracle")), "--out", out)
    assert "1 to 2  simulated/pixel-solver" in ended.out
    assert f"-  {HOSTILE}  no rank, missing tasks: {TASKS[0]}" in ended.out
    return out


def lines(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_the_scores_are_those_of_the_records(board: Path, runs: Path) -> None:
    whole = {line["model"]: line for line in lines(board / "leaderboard.csv") if line["suite"] == "all"}
    assert list(whole) == ["simulated/oracle", "simulated/pixel-solver", "simulated/random"]
    assert [(line["rank_best"], line["rank_worst"], line["significance_group"]) for line in whole.values()] == [
        ("1", "2", "a"),
        ("1", "2", "a"),
        ("3", "3", "b"),
    ]
    by_id = verdicts(runs / "random")
    credit = [value for _, value in by_id.values()]
    random = whole["simulated/random"]
    assert int(random["n"]) == len(credit) == N * len(TASKS)
    assert float(random["accuracy"]) == pytest.approx(sum(credit) / len(credit), abs=1e-5)
    means = {task: sum(value for id, (_, value) in by_id.items() if id.startswith(task)) / N for task in TASKS}
    chances = {task: 0.25 if "classification" in task else 0.125 for task in TASKS}
    mean = sum((means[task] - chances[task]) / (1 - chances[task]) for task in TASKS) / len(TASKS)
    assert float(random["chance_corrected"]) == pytest.approx(mean, abs=1e-5)
    assert (
        float(random["ci_low"]) < float(random["chance_corrected"]) < float(random["ci_high"]) < float(whole["simulated/oracle"]["ci_low"])
    )


def test_who_cannot_be_told_from_guessing_is_named_and_hollow(board: Path) -> None:
    ends = {line["model"]: float(line["ci_low"]) for line in lines(board / "leaderboard.csv") if line["suite"] == "all"}
    guessing = [model for model, low in ends.items() if low <= 0]
    assert guessing == ["simulated/random"]
    assert "Hollow markers: not significantly above chance (simulated/random).</p>" in (board / "index.html").read_text(encoding="utf-8")
    dots = re.findall(r'<circle[^>]*fill="([^"]+)"[^>]*><title>(.*?): ', (board / "leaderboard.svg").read_text(encoding="utf-8"))
    assert {model for fill, model in dots if fill == "#ffffff"} == set(guessing)
    assert len(dots) == len(ends)


def test_who_is_below_guessing_is_not_said_to_guess(runs: Path, data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "wrong")
    wrong = {row.id: row.key.wrong_answers()[0] for row in stored(data)}
    write_records(tmp_path / "wrong", [record | {"response": wrong[record["item_id"]]} for record in records(tmp_path / "wrong")])
    edit(tmp_path / "wrong" / "run.json", lambda run_info: run_info.update(model="wrong"))
    done("rescore", tmp_path / "wrong")
    done("leaderboard", runs / "random", tmp_path / "wrong", "--out", tmp_path / "out")
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "not significantly above chance (simulated/random); significantly below chance: wrong.</p>" in html


def test_published_rows_are_marked_and_have_no_place(board: Path) -> None:
    published_lines = [line for line in lines(board / "tasks.csv") if line["source"] == "published"]
    assert {line["task"] for line in published_lines} == set(TASKS)
    for task in TASKS:
        accuracies = {line["model"]: 100 * float(line["accuracy"]) for line in published_lines if line["task"] == task}
        assert accuracies == pytest.approx(published(task), abs=1e-3)
    assert not {line["model"] for line in published_lines} & {line["model"] for line in lines(board / "leaderboard.csv")}
    assert (board / "index.html").read_text().count(">published<") == len({line["model"] for line in published_lines})


def test_each_model_is_scored_on_its_items_with_a_verdict(runs: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    run = copied(runs / "oracle")
    write_records(run, records(run)[:-4])
    done("leaderboard", runs / "random", run, "--out", tmp_path / "out")
    counts = {line["model"]: int(line["n"]) for line in lines(tmp_path / "out" / "leaderboard.csv")}
    assert counts == {"simulated/oracle": N * len(TASKS) - 4, "simulated/random": N * len(TASKS)}
    assert "simulated/oracle: 4 items not scored" in (tmp_path / "out" / "index.html").read_text()


def test_runs_without_a_common_item_are_refused(runs: Path, tmp_path: Path) -> None:
    done("run", TASKS[0], "--n", 2, "--seed", 5, "--workers", 1, "--model", "simulated/random", "--out", tmp_path / "other")
    done("run", TASKS[0], "--n", 2, "--seed", 6, "--workers", 1, "--model", "simulated/oracle", "--out", tmp_path / "another")
    refused(
        isovist("leaderboard", tmp_path / "other", tmp_path / "another", "--out", tmp_path / "out"), str(tmp_path / "other"), "--data DIR"
    )
    assert not (tmp_path / "out").exists()


def test_one_run_has_a_page_of_its_own(runs: Path, tmp_path: Path) -> None:
    done("leaderboard", runs / "oracle", "--out", tmp_path / "out")
    assert [line["rank_worst"] for line in lines(tmp_path / "out" / "leaderboard.csv")] == ["1", "1"]


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desk", "hand"])
def test_the_page_sorts_and_fits_its_window(board: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    names = "[...document.querySelector('table.data').tBodies[0].rows].map((row) => row.cells[1].textContent)"
    press = "[...document.querySelectorAll('table.data th button')].find((it) => it.textContent === {}).click()"
    with driven.opened(tmp_path / "home", size) as page:
        page.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        page.open((board / "index.html").as_uri())
        page.until("document.querySelector('table.data th button') !== null")
        order = ["simulated/oracle", "simulated/pixel-solver", "simulated/random", HOSTILE]
        assert page.js(names) == order
        page.js(press.format(json.dumps("Model")))
        assert page.js(names) == sorted(order)
        page.js(press.format(json.dumps("Chance-corrected")))
        assert page.js(names) == order
        page.js(press.format(json.dumps("Chance-corrected")))
        assert page.js(names) == ["simulated/random", "simulated/oracle", "simulated/pixel-solver", HOSTILE]  # what has none stands last
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
        assert page.js("document.title") == "Leaderboard: 4 models"
        assert page.js("performance.getEntriesByType('resource').filter((it) => !it.name.startsWith('data:')).length") == 0
        assert page.console == []
    pixels, console = browser.screenshot(board / "index.html", (1280, 900), tmp_path / "still")
    assert console == []
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
