"""`isovist run --adaptive`: sizes chosen by the answers, fresh items, resumed from the records alone."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import browser
import pytest
from recount import page
from scripted import Asked, Said, serving
from workbench import RECORDS, RUN, contents, done, edit, isovist, records, refused, spawned, started, stored, until, write_records

from isovist.evaluation.run.run_folder import RunFolder

TASK = "perceptv/counting-circles"
OTHER = "perceptv/circle-right-triangle"
MODEL = "simulated/psychometric:threshold=9,slope=8"
ONE = ("run", TASK, "--adaptive", "--model", MODEL, "--max-connections", 1, "--workers", 1, "--max-items", 30)


def ids(run: Path) -> list[str]:
    return [record["item_id"] for record in records(run)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("adaptive") / "run"
    done(*ONE, "--out", run)
    return run


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def test_it_asks_around_the_size_where_accuracy_falls_each_item_once(whole: Path) -> None:
    asked = ids(whole)
    assert len(asked) == len(set(asked)) == 30
    sizes = Counter(int(id.split(":")[2]) for id in asked)
    assert [int(id.split(":")[2]) for id in asked[:4]] == [1, 7, 14, 20]
    assert sum(n for size, n in sizes.items() if 6 <= size <= 12) >= 15
    for size, n in sizes.items():  # the items of a size in their order, none left out
        assert sorted(int(id.split("#")[0].split(":")[4]) for id in asked if f":{size}:" in id) == list(range(n))


def test_the_run_is_as_any_other_to_what_comes_after(whole: Path, tmp_path: Path) -> None:
    assert "30 rows, 0 differ" in done("verify", whole / "data", "--workers", 1).out
    assert "30 responses scored again, 0 changed" in done("rescore", whole).out
    assert {row.id for row in stored(whole / "data")} == set(ids(whole))
    assert "30 items" in done("export", whole / "data", "--format", "vlmevalkit", "--out", tmp_path / "out").out
    assert "30 items (30 correct)" in done("run", "--data", whole / "data", "--model", "simulated/oracle", "--out", tmp_path / "oracle").out


def test_the_most_items_hang_on_chance_and_it_says_so(tmp_path: Path) -> None:
    command = (
        "run",
        TASK,
        OTHER,
        "--adaptive",
        "--model",
        "simulated/psychometric:threshold=4,slope=3",
        "--level",
        "2,3,5,8",
        "--ci-half-width",
        0.01,
        "--workers",
        1,
    )
    ended = done(*command, "--out", tmp_path / "run")
    assert f"Up to 100 items instead of 80, because chance is high: {OTHER}." in ended.err
    assert Counter(id.split("@")[0] for id in ids(tmp_path / "run")) == {TASK: 80, OTHER: 100}
    adaptive = json.loads((tmp_path / "run" / RUN).read_text())["adaptive"]
    assert (adaptive["max_items"], {part["task"]: part["n"] for part in adaptive["pool"]}) == (None, {TASK: 80, OTHER: 100})
    assert "0 evaluated now" in done(*command, "--out", tmp_path / "run").out
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    lines = csv.DictReader((tmp_path / "report" / "adaptive.csv").read_text().splitlines())
    assert {line["task"]: (line["max_items"], line["stop_reason"]) for line in lines} == {
        TASK: ("80", "item limit reached"),
        OTHER: ("100", "item limit reached"),
    }
    assert "at most 80 or 100 items per task" in (tmp_path / "report" / "index.html").read_text()


def test_the_run_says_how_it_chose(whole: Path) -> None:
    adaptive = json.loads((whole / RUN).read_text())["adaptive"]
    assert (adaptive["target_half_width"], adaptive["max_items"], adaptive["batch_size"]) == (1.0, 30, 1)
    assert adaptive["method"]
    assert [(part["task"], part["seed"]) for part in adaptive["pool"]] == [(TASK, 0)]


def test_the_report_gives_the_half_way_size_and_withholds_the_share_of_right_answers(whole: Path, tmp_path: Path) -> None:
    done("report", whole, "--out", tmp_path)
    (line,) = csv.DictReader((tmp_path / "adaptive.csv").read_text().splitlines())
    (curve,) = csv.DictReader((tmp_path / "thresholds.csv").read_text().splitlines())
    (result,) = csv.DictReader((tmp_path / "results.csv").read_text().splitlines())
    assert float(line["threshold"]) == float(curve["threshold"]) == pytest.approx(9, abs=2)
    assert float(line["half_width"]) == pytest.approx((float(line["ci_high"]) - float(line["ci_low"])) / 2, rel=1e-3)
    assert (result["accuracy"], result["accuracy_if_unparsed_incorrect"], result["chance_corrected"]) == ("", "", "")
    assert "not reported (adaptive run)" in (tmp_path / "report.md").read_text()
    page = (tmp_path / "index.html").read_text()
    assert ">Adaptive testing</h3>" in page
    assert "not reported (adaptive run)" in page
    assert "not significantly above chance" not in page
    assert all(row["accuracy"] == "" for row in csv.DictReader((tmp_path / "skills.csv").read_text().splitlines()))
    assert "Skill profile" not in page
    assert not (tmp_path / "profile.csv").exists()


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="no Chromium")
def test_the_page_is_whole_and_quiet(whole: Path, tmp_path: Path) -> None:
    done("report", whole, "--out", tmp_path)
    layout, console = browser.layout(tmp_path / "index.html", (1000, 1400), tmp_path / "home")
    assert console == []
    assert (layout["sticks_out"], layout["boxes"], layout["broken"]) == (0, [], [])


def test_shares_of_right_answers_are_not_compared(whole: Path, tmp_path: Path) -> None:
    refused(isovist("compare", whole, whole), "adaptive run", "size thresholds", "--data DIR")
    refused(isovist("leaderboard", whole, "--out", tmp_path / "board"), "adaptive run", "size thresholds", "--data DIR")


def test_the_first_screen_tells_up_to_which_size_and_draws_it(whole: Path, tmp_path: Path) -> None:
    done("report", whole, "--out", tmp_path)
    (line,) = csv.DictReader((tmp_path / "adaptive.csv").read_text().splitlines())
    at, low, high = (float(line[name]) for name in ("threshold", "ci_low", "ci_high"))
    page_words = page(tmp_path).words
    sentence = f"Size threshold in counting-circles: {at:.1f}"
    assert f"{sentence} [{low:.1f}, {high:.1f}] (" in page_words
    assert f"{sentence} [{low:.1f}, {high:.1f}] (" in (tmp_path / "report.md").read_text()
    assert "No other significant findings" in page_words
    assert "size thresholds, failed" not in page_words
    svg = (tmp_path / "figures" / "thresholds.svg").read_text()
    assert re.findall("<title>([^<]*size threshold[^<]*)", svg) == [
        f"{MODEL}, {TASK}: size threshold {at:.1f} [{low:.1f}, {high:.1f}], 30 items"
    ]
    assert not (tmp_path / "figures" / "overview.svg").exists()


@pytest.mark.parametrize(
    ("model", "phrase", "dot"),
    [("oracle", "above 20 (95% CI: above 20.0) (20 items).", 20), ("constant:19", "below 1 (95% CI: below 1.0) (20 items).", 1)],
)
def test_who_is_right_or_wrong_at_every_size_is_told_so(model: str, phrase: str, dot: int, tmp_path: Path) -> None:
    done(*ONE[:3], "--model", f"simulated/{model}", *ONE[5:], "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    assert f"Size threshold in counting-circles: {phrase}" in page(tmp_path / "report").words
    (circle,) = re.findall(r'<circle cx="([0-9.]+)"[^>]* fill="#ffffff"', (tmp_path / "report" / "figures" / "thresholds.svg").read_text())
    assert float(circle) == {1: 262.0, 20: 804.0}[dot]  # at the end of the sizes


def test_a_run_that_is_precise_enough_stops_and_says_so(tmp_path: Path) -> None:
    ended = done(*ONE[:-2], "--max-items", 80, "--ci-half-width", 3, "--out", tmp_path / "run")
    assert ended.err.rstrip().endswith(f"{len(records(tmp_path / 'run'))} items (target precision reached)")
    assert len(records(tmp_path / "run")) < 60
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    (line,) = csv.DictReader((tmp_path / "report" / "adaptive.csv").read_text().splitlines())
    assert float(line["half_width"]) <= 3
    assert line["stop_reason"] == "target precision reached"


# Going on ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 1, 3, 4, 17, 29])
def test_a_run_killed_after_any_record_goes_on_with_the_very_same_questions(whole: Path, copied: Path, keep: int) -> None:
    write_records(copied, records(copied)[:keep])
    edit(copied / RUN, lambda run_info: run_info.update(data_hash="", finished=""))
    shutil.rmtree(copied / "data")
    refused(isovist("report", copied, "--out", copied / "report"), "Adaptive run is incomplete", "Run the same command again")
    ended = done(*ONE, "--out", copied)
    assert f"{30 - keep} evaluated now" in ended.out
    assert ids(copied) == ids(whole)
    assert contents(copied / "data") == contents(whole / "data")


def test_eight_requests_at_once_ask_the_same_again_after_a_kill(tmp_path: Path) -> None:
    command = ("run", TASK, "--adaptive", "--model", MODEL, "--max-connections", 8, "--workers", 1, "--max-items", 28)
    done(*command, "--out", tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    kept = records(tmp_path / "b")
    write_records(tmp_path / "b", [*kept[:8], kept[14], kept[9]])  # two of the second eight, in another order
    done(*command, "--max-connections", 2, "--out", tmp_path / "b")
    assert sorted(ids(tmp_path / "b")) == sorted(ids(tmp_path / "a"))
    assert contents(tmp_path / "b" / "data") == contents(tmp_path / "a" / "data")


def test_a_finished_run_asks_nothing_more_and_a_higher_limit_goes_on(copied: Path) -> None:
    before = contents(copied)
    again = done(*ONE, "--out", copied)
    assert "0 evaluated now" in again.out
    assert re.search(
        r"size threshold [\d.]+, 95% CI \[[\d.]+, [\d.]+\], 30 items \(item limit reached, half-width [\d.]+ instead of 1\)", again.err
    )
    after = contents(copied)
    assert {name for name in before if before[name] != after[name]} <= {RUN}
    assert "5 evaluated now" in done(*ONE[:-1], 35, "--out", copied).out
    assert "35 rows, 0 differ" in done("verify", copied / "data", "--workers", 1).out


def test_killed_while_asking_it_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = ("run", TASK, "--adaptive", "--model", MODEL, "--max-connections", 1, "--workers", 1, "--max-items", 40, "--out", run)
    with started(*command) as process:
        until(lambda: (run / RECORDS).exists() and (run / RECORDS).read_bytes().count(b"\n") >= 5)
        process.kill()
        process.wait()
    done(*command)
    again = tmp_path / "again"
    done(*command[:-1], again)
    assert ids(run) == ids(again)


def test_machine_faults_are_no_answers_and_are_asked_again(whole: Path, copied: Path) -> None:
    run_records = records(copied)

    def faulty(record: dict[str, Any]) -> dict[str, Any]:
        return record | {"outcome": "request_error", "error": "503", "response": "", "credit": 0.0, "parsed_answer": None}

    write_records(copied, [faulty(record) if place in (2, 9) else record for place, record in enumerate(run_records[:10])])
    ended = done(*ONE, "--out", copied)
    assert "22 evaluated now" in ended.out
    assert "error" not in ended.out
    counts = Counter(ids(copied))
    assert [id for id, n in counts.items() if n == 2] == [run_records[2]["item_id"], run_records[9]["item_id"]]
    given_up = [faulty(record) | {"attempt": 5} if place == 2 else record for place, record in enumerate(records(copied)) if place != 10]
    write_records(copied, given_up)
    last = isovist(*ONE, "--out", copied)
    assert last.code == 1
    assert "1 request_error" in last.out
    assert "1 items failed permanently" in last.err


def test_the_same_replies_give_the_same_questions_whoever_is_quicker(tmp_path: Path) -> None:
    """A server that says the same to the same request, late in the one run and early in the other."""
    pytest.importorskip("openai")
    asked_ids: list[list[str]] = []
    for late in (0, 1):

        def said(asked: Asked, late: int = late) -> Said:
            chance = sha256(asked.raw).digest()[0]
            answer = ("yes" if chance % 2 else "no") if "triangle" in asked.words else str(1 + chance % 8)
            return Said(f"Answer: {answer}", wait_s=0.03 * ((chance // 8 + late) % 2))

        with serving(said) as server:
            run = tmp_path / str(late)
            command = (
                "run",
                TASK,
                OTHER,
                "--adaptive",
                "--model",
                "m",
                "--base-url",
                server.url,
                "--max-connections",
                6,
                "--max-items",
                16,
            )
            done(*command, "--workers", 1, "--out", run)
        asked_ids.append(ids(run))
    assert sorted(asked_ids[0]) == sorted(asked_ids[1])
    assert asked_ids[0] != asked_ids[1]  # the answers came in another order
    assert len(asked_ids[0]) == 32


def test_a_budget_ends_it_with_what_there_is(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    (tmp_path / "prices.toml").write_text('[models."*"]\ninput = 10000\noutput = 10000\n')  # 75 tokens: 0.75 dollars
    run = tmp_path / "run"
    with serving(lambda asked: Said("Answer: 3")) as server:
        command = (
            "run",
            TASK,
            "--adaptive",
            "--model",
            "m",
            "--base-url",
            server.url,
            "--max-items",
            20,
            "--max-connections",
            3,
            "--out",
            run,
        )
        ended = isovist(*command, "--pricing", tmp_path / "prices.toml", "--max-cost", 6)
        assert ended.code == 1
        assert "Cost limit reached" in ended.err
        asked = len(records(run))
        assert 6 <= asked <= 8
        done("report", run, "--out", tmp_path / "report")
        (line,) = csv.DictReader((tmp_path / "report" / "adaptive.csv").read_text().splitlines())
        assert (line["n"], line["stop_reason"]) in {(str(asked), "incomplete"), (str(asked + 1), "1 item not scored")}
        assert "20 items" in done(*command).out
        assert len(records(run)) == 20


def test_pictures_that_are_described_first_go_together_with_it(tmp_path: Path) -> None:
    done(*ONE, "--image-mode", "caption-first", "--out", tmp_path)
    assert len(records(tmp_path)) == 30
    assert json.loads((tmp_path / RUN).read_text())["usage"]["captions"] == 30


def test_a_second_run_in_the_folder_is_refused_and_changes_nothing(copied: Path) -> None:
    before = contents(copied)
    with RunFolder(copied).locked():
        refused(isovist(*ONE[:-1], 40, "--out", copied), "in use by another process")
    assert {name: told for name, told in contents(copied).items() if name != ".lock"} == {n: t for n, t in before.items() if n != ".lock"}


def test_the_questions_hang_on_no_hash_seed_and_no_number_of_workers(whole: Path, tmp_path: Path) -> None:
    ended = spawned(*ONE, "--workers", 2, "--out", tmp_path / "run", PYTHONHASHSEED="2")
    assert ended.code == 0, ended
    assert ids(tmp_path / "run") == ids(whole)
    assert contents(tmp_path / "run" / "data") == contents(whole / "data")


def test_tasks_are_searched_each_on_its_own_and_take_turns(whole: Path, tmp_path: Path) -> None:
    done("run", TASK, OTHER, "--adaptive", "--model", MODEL, "--max-connections", 1, "--workers", 1, "--max-items", 30, "--out", tmp_path)
    both = ids(tmp_path)
    assert [id for id in both if id.startswith(TASK)] == ids(whole)
    assert {id.split("@")[0] for id in both[:2]} == {TASK, OTHER}


def test_another_seed_asks_other_items_and_levels_narrow_the_choice(whole: Path, tmp_path: Path) -> None:
    done(*ONE, "--seed", 1, "--level", "2,3,5,8,13", "--out", tmp_path)
    asked = ids(tmp_path)
    assert not set(asked) & set(ids(whole))
    assert {id.split(":")[2] for id in asked} <= {"2", "3", "5", "8", "13"}


# What is refused --------------------------------------------------------------------------------------------------

BAD: dict[str, tuple[tuple[object, ...], tuple[str, ...]]] = {
    "a task without sizes": (
        ("cdr/relative-spatial-letter", "--adaptive"),
        ("cdr/relative-spatial-letter", "not problem sizes", "perceptv"),
    ),
    "one of several": ((TASK, "srbench/paper-folding", "--adaptive"), ("srbench/paper-folding", "not problem sizes")),
    "too few sizes": ((TASK, "--adaptive", "--level", "1,2,3"), (TASK, "Name 4 or more")),
    "a size twice": ((TASK, "--adaptive", "--level", "1,2,3,4,4"), (TASK, "Name 4 or more")),
    "no precision": ((TASK, "--adaptive", "--ci-half-width", 0), ("--ci-half-width: 0", "above 0")),
    "a negative precision": ((TASK, "--adaptive", "--ci-half-width", -1), ("--ci-half-width: -1", "above 0")),
    "no number": ((TASK, "--adaptive", "--ci-half-width", "nan"), ("--ci-half-width: nan", "above 0")),
    "too few items": ((TASK, "--adaptive", "--max-items", 3), ("--max-items", "10")),
    "a number of items": ((TASK, "--adaptive", "--n", 50), ("--limit", "--max-items")),
    "the paper's number": ((TASK, "--adaptive", "--preset", "paper"), ("--preset", "--max-items")),
    "stored items": (("--adaptive", "--data", "somewhere"), ("--data", "incompatible")),
    "another way to ask": ((TASK, "--adaptive", "--no-image"), ("Variants are incompatible",)),
    "precision alone": ((TASK, "--ci-half-width", 2), ("--ci-half-width", "--adaptive")),
    "most alone": ((TASK, "--max-items", 20), ("--max-items", "--adaptive")),
}


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_go_together_is_told_in_one_line_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    args, words = BAD[name]
    refused(isovist("run", *args, "--model", MODEL, "--out", tmp_path / "run"), *words)
    assert not (tmp_path / "run").exists()


def test_a_folder_holds_a_run_of_one_kind(copied: Path, tmp_path: Path) -> None:
    before = contents(copied)
    refused(isovist("run", TASK, "--model", MODEL, "--n", 4, "--out", copied), "has a run that is adaptive", "another --out folder")
    for more in (("--seed", 1), ("--level", "1,2,3,4,5")):
        refused(isovist(*ONE, *more, "--out", copied), "another --out folder")
    edit(copied / RUN, lambda told: told["adaptive"].update(method="older/0"))
    refused(isovist(*ONE, "--out", copied), "another selection rule", "older/0")
    assert {name for name, now in contents(copied).items() if before[name] != now} == {RUN}
    done("run", TASK, "--model", MODEL, "--n", 4, "--out", tmp_path / "plain", "--workers", 1)
    refused(isovist(*ONE, "--out", tmp_path / "plain"), "has a run that is not adaptive")


def test_a_folder_of_data_that_is_of_no_run_stays(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.txt").write_text("mine")
    refused(isovist(*ONE, "--out", tmp_path), "Folder has data but no run", "another --out folder")
    assert contents(tmp_path) == {"data/mine.txt": b"mine"}


@pytest.mark.parametrize("name", ["threshold=0", "threshold=x", "slop=3", "lapse=2", "threshold=nan"])
def test_a_simulated_model_with_an_invalid_curve_is_refused(name: str, tmp_path: Path) -> None:
    refused(isovist("run", TASK, "--model", f"simulated/psychometric:{name}", "--out", tmp_path / "run"), "threshold=9,slope=4,lapse=0.02")
