"""Replies that could not be read are told before anything else, and nothing else is claimed of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TASKS, N
from recount import lines_of, page
from scripted import Said, serving
from workbench import done, edit, isovist, records, stored, write_records

from isovist.analysis.detectors import DETECTORS
from isovist.analysis.findings import significant_findings
from isovist.analysis.unparsed_responses import Unreadable
from isovist.core.answers import Outcome

LETTERS = TASKS[1]
ALL = N * len(TASKS)


def cut(run: Path, which: Callable[[int, str], bool], name: str, *, finish: str = "max_tokens", reply: str = "First, I look") -> Path:
    """The run with some replies cut off, by their place and their task, of a model of another name."""
    write_records(
        run,
        [
            record | {"reply": reply, "finish_reason": finish} if which(place, record["item_id"].partition("@")[0]) else record
            for place, record in enumerate(records(run))
        ],
    )
    edit(run / "run.json", lambda info: info.update(model=name))
    done("rescore", run)
    return run


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("unread")
    for name in ("all", "half", "few", "one", "whole"):
        done("run", "--data", data, "--model", "simulated/oracle", "--out", home / name)
    cut(home / "all", lambda place, task: True, "all")
    cut(home / "half", lambda place, task: place % 2 == 0, "half")
    cut(home / "few", lambda place, task: place % 12 == 0, "few")  # 8 % of all; 2 of 16 in one task
    cut(home / "one", lambda place, task: task == LETTERS and place % 4 == 0, "one")
    return home


def lead_of(out: Path) -> str:
    """The first paragraph of the page below its head."""
    text = page(out).words
    return text.partition("What ")[2].partition(" can see")[2]


def test_a_truncated_run_leads_with_that_and_is_not_said_to_guess(runs: Path, tmp_path: Path) -> None:
    ended = done("report", runs / "all", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    first = f"{ALL} of {ALL} replies (100 %) were truncated: ask again with a higher --max-tokens (it was 32,768), in a new folder."
    assert ended.out.splitlines()[-1].startswith(f"all: {first} With the unread ones as wrong, the accuracy is 0.0 %")
    markdown = (tmp_path / "report.md").read_text()
    assert markdown.splitlines()[2].startswith(first)
    for text in (words, markdown):
        assert first in text
        assert text.index(first) < text.index("was asked")
        for claim in ("worse than guessing", "from guessing:", "not surely better than a guesser", "Looked for and not found"):
            assert claim not in text, claim
    assert "No reply could be read, so that nothing can be found." in words
    assert {line["kind"] for line in lines_of(tmp_path, "findings.csv")} == {"truncated-replies"}
    assert not (tmp_path / "figures" / "overview.svg").exists()


def test_the_accuracy_of_the_readable_ones_stands_beside_the_strict_one(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "half", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    half = ALL // 2
    (accuracy,) = re.findall(
        rf"{half} of {ALL} replies \(50 %\) were truncated: .*? Of the {half} readable ones 100\.0 % are right "
        rf"\(95 % interval [\d.]+ to 100\.0, n = {half}; chance [\d.]+ %\); with the unread ones as wrong it is (50\.0) % "
        rf"\(95 % interval [\d.]+ to [\d.]+, n = {ALL}\)",
        words.partition("was asked")[0],
    )
    assert accuracy == "50.0"
    for line in lines_of(tmp_path):
        assert (int(line["readable"]), float(line["readable_accuracy"]), float(line["accuracy"])) == (N // 2, 1.0, 0.5)
        assert float(line["bound_high"]) == 1.0
    for line in page(tmp_path).table("Readable only"):
        assert line["Accuracy"] == "50.0 ‡"
        assert line["Readable only"].endswith(f"n = {N // 2}")
    assert "‡" in (tmp_path / "report.md").read_text()
    assert "ddagger" in (tmp_path / "report.tex").read_text()


def test_one_task_of_a_run_leads_too_and_the_others_are_judged(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "one", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    first = words.partition("was asked")[0]
    assert "In relative-compass-letter 4 of 16 replies (25 %) were truncated: ask again" in first
    assert re.search(r"In the other 2 tasks, no failing skill was found: .* the mean of 2 tasks", first)
    section = words.partition("Task by task")[2].partition("Name the wind")[0]
    assert "4 of 16 replies (25 %) were truncated" in section
    overview = list(csv.DictReader((tmp_path / "figures" / "overview.csv").read_text().splitlines()))
    assert LETTERS not in {line["task"] for line in overview}
    assert "Left out: 1 task of which more than 10 % of the replies could not be read." in words


def test_a_few_unread_replies_are_no_headline(runs: Path, tmp_path: Path) -> None:
    ended = done("report", runs / "few", "--no-item-browser", "--out", tmp_path)
    share = [sum(task in record["item_id"] and record["outcome"] == "truncated" for record in records(runs / "few")) / N for task in TASKS]
    flagged = [task for task, fraction in zip(TASKS, share, strict=True) if fraction > 0.1]
    assert ("--max-tokens" in ended.out) == bool(flagged)
    assert f"{ALL // 12} of {ALL} replies" not in ended.out


@pytest.mark.parametrize(
    ("finish", "reply", "words"),
    [
        ("stop", "", "are empty: look at a few of them; where a model thinks until its limit, a higher --max-tokens (it was 32,768) helps"),
        ("refusal", "No.", "are refusals: look at what was refused"),
        ("content_filter", "", "were stopped by a content filter: look at what was stopped"),
        ("stop", "Lorem ipsum.", "hold no answer that can be read: look at a few of them; another prompt style (--prompt-style) may help"),
    ],
)
def test_each_kind_has_its_remedy(data: Path, tmp_path: Path, finish: str, reply: str, words: str) -> None:
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")
    cut(tmp_path / "run", lambda place, task: place % 3 == 0, "some", finish=finish, reply=reply)
    ended = done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    assert f"some: 16 of 48 replies (33 %) {words}" in ended.out


def test_several_kinds_are_counted_each() -> None:
    unreadable = Unreadable.of(Counter[Outcome]({"truncated": 5, "empty": 2, "correct": 3, "error": 1}))
    assert unreadable.words == "7 of 10 replies (70 %) could not be read, 5 truncated, 2 empty"
    assert unreadable.many
    assert not Unreadable.of(Counter[Outcome]({"truncated": 1, "wrong": 9})).many  # a tenth is not more than a tenth
    assert not Unreadable.of([]).many


def test_curves_and_knobs_are_not_of_unread_replies(tmp_path: Path) -> None:
    """Larger mazes need longer replies: that these are cut off says nothing about mazes."""
    run = tmp_path / "run"
    done("run", "perceptv/maze-solving", "--n", 80, "--model", "simulated/oracle", "--workers", 1, "--out", run)
    sizes = {row.id: int(row.level) for row in stored(run / "data")}
    large = sorted(set(sizes.values()))[len(set(sizes.values())) // 2]
    run_records = records(run)
    write_records(
        run,
        [
            record | {"reply": "(1,", "finish_reason": "max_tokens"} if sizes[record["item_id"]] > large else record
            for record in run_records
        ],
    )
    done("rescore", run)
    done("report", run, "--no-item-browser", "--out", tmp_path / "report")
    assert {line["kind"] for line in lines_of(tmp_path / "report", "findings.csv")} == {"truncated-replies"}
    (line,) = lines_of(tmp_path / "report", "thresholds.csv")
    assert line["halfway"] == line["low"] == line["high"] == ""
    assert re.search(r"withheld: \d+ of 80 replies unread", (tmp_path / "report" / "report.md").read_text())
    assert not lines_of(tmp_path / "report", "difficulty.csv")


def test_no_finding_but_of_form_rests_on_an_unread_reply(data: Path) -> None:
    from simulated import answered, rows

    from isovist.models.base import ModelResponse

    pool = rows(["cdr/relative-compass-letter", "srbench/maze-nav-turns"], 60)
    evidence = answered(pool, lambda row, key: ModelResponse("...", finish_reason="max_tokens"))
    assert {finding.kind for finding in significant_findings(evidence, DETECTORS)} == {"truncated-replies"}


def test_the_last_line_of_a_run_says_so(tmp_path: Path) -> None:
    done("generate", LETTERS, "--n", 6, "--workers", 1, "--out", tmp_path / "data")
    with serving(lambda asked: Said("Let me look at the", finish="length")) as server:
        ask = ("run", "--data", tmp_path / "data", "--model", "m", "--base-url", server.url, "--max-tokens", 5, "--no-confirm")
        ended = isovist(*ask, "--out", tmp_path / "run")
    assert ended.code == 0, ended
    last = "6 of 6 replies (100 %) were truncated: ask again with a higher --max-tokens (it was 5), in a new folder."
    assert ended.err.splitlines()[-1] == last


def test_a_comparison_does_not_assert_what_may_come_from_truncation(runs: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    ended = done("compare", runs / "half", runs / "whole", tmp_path / "random", "--out", tmp_path / "out")
    assert ended.out.startswith(
        f"half: {ALL // 2} of {ALL} replies (50 %) were truncated, so that how it differs from others is not told: "
    )
    assert "simulated/oracle is better than simulated/random over all tasks." in ended.out
    for words in (ended.out, (tmp_path / "out" / "compare.md").read_text()):
        assert not re.search(r"(better than|and) half\b", words)
        assert "half and" not in words
    pairs = list(csv.DictReader((tmp_path / "out" / "pairs.csv").read_text().splitlines()))
    for line in pairs:
        assert (line["open"] == "True") == ("half" in (line["a"], line["b"]))
        assert line["open"] == "False" or line["apart"] == "False"
    models = list(csv.DictReader((tmp_path / "out" / "models.csv").read_text().splitlines()))
    for line in models:
        if line["model"] == "half":
            assert (line["ties"], float(line["accuracy"]), float(line["readable_accuracy"])) == ("", 0.5, 1.0)
        else:
            assert line["ties"]


def test_a_leaderboard_marks_models_with_unread_replies_and_gives_them_no_place(runs: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    ended = done("leaderboard", runs / "all", runs / "whole", tmp_path / "random", "--out", tmp_path / "out")
    (line,) = [line for line in ended.out.splitlines() if "  all  " in line]
    assert line.split()[0] == "open"
    assert line.endswith(f"‡ unread: {ALL} of {ALL} ({ALL} truncated)")
    assert f"‡ all: {ALL} of {ALL} replies (100 %) were truncated, so that its place is not told" in ended.out
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "below it: all" not in html
    assert f"<b>all</b>: <b>{ALL} of {ALL} replies (100\N{NO-BREAK SPACE}%) were truncated" in html
    for row in csv.DictReader((tmp_path / "out" / "leaderboard.csv").read_text().splitlines()):
        assert int(row["unread"]) == (ALL if row["model"] == "all" else 0)
        assert bool(row["ties"]) == (row["model"] != "all")
