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

from isovist.core.answers import Outcome
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.findings import significant_findings
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses

LETTERS = TASKS[1]
ALL = N * len(TASKS)


def cut(run: Path, which: Callable[[int, str], bool], name: str, *, finish: str = "max_tokens", reply: str = "First, I look") -> Path:
    """The run with some replies cut off, by their place and their task, of a model of another name."""
    write_records(
        run,
        [
            record | {"response": reply, "finish_reason": finish} if which(place, record["item_id"].partition("@")[0]) else record
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
    return page(out).words.partition("Spatial perception report")[2]


def test_a_truncated_run_leads_with_that_and_is_not_said_to_guess(runs: Path, tmp_path: Path) -> None:
    ended = done("report", runs / "all", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    first = (
        f"Unparsed responses: {ALL} of {ALL} (100%; {ALL} truncated). Run again with a higher --max-tokens (now 32,768), in a new folder."
    )
    assert ended.out.splitlines()[-1].startswith(f"all: {first} Accuracy with unparsed responses scored as incorrect: 0.0%")
    markdown = (tmp_path / "report.md").read_text()
    assert markdown.splitlines()[2].startswith(first)
    for text in (words, markdown):
        assert first in text
        assert text.index(first) < text.index("items in 3 tasks")
        for claim in ("below chance", "different from chance", "significantly above chance", "No significant findings"):
            assert claim not in text, claim
    assert "No response is parsed, so no finding can be tested." in words
    assert {line["kind"] for line in lines_of(tmp_path, "findings.csv")} == {"truncated-responses"}
    assert not (tmp_path / "figures" / "overview.svg").exists()


def test_the_accuracy_of_the_readable_ones_stands_beside_the_strict_one(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "half", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    half = ALL // 2
    (accuracy,) = re.findall(
        rf"Unparsed responses: {half} of {ALL} \(50%; {half} truncated\)\. .*? Accuracy of the {half} parsed responses: 100\.0% "
        rf"\[[\d.]+, 100\.0\] \(chance [\d.]+%\)\. Accuracy with unparsed responses scored as incorrect: (50\.0)% "
        rf"\[[\d.]+, [\d.]+\] \(95% CI, n = {ALL}\)",
        words.partition("items in 3 tasks")[0],
    )
    assert accuracy == "50.0"
    for line in lines_of(tmp_path):
        assert (int(line["n_parsed"]), float(line["accuracy_parsed"]), float(line["accuracy"])) == (N // 2, 1.0, 0.5)
        assert float(line["accuracy_if_unparsed_correct"]) == 1.0
    for line in page(tmp_path).table("Parsed only"):
        assert line["Accuracy"] == "50.0 ‡"
        assert line["Parsed only"].endswith(f"n = {N // 2}")
    assert "‡" in (tmp_path / "report.md").read_text()
    assert "ddagger" in (tmp_path / "report.tex").read_text()


def test_one_task_of_a_run_leads_too_and_the_others_are_judged(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "one", "--no-item-browser", "--out", tmp_path)
    words = page(tmp_path).words
    first = words.partition("items in 3 tasks")[0]
    assert "Unparsed responses in relative-compass-letter: 4 of 16 (25%; 4 truncated). Run again" in first
    assert re.search(r"Chance-corrected accuracy in the other 2 tasks: .*mean of 2 tasks.* No deficit was detected", first)
    section = words.partition("Published results")[2]
    assert "Unparsed responses: 4 of 16 (25%; 4 truncated)" in section
    overview = list(csv.DictReader((tmp_path / "figures" / "overview.csv").read_text().splitlines()))
    assert LETTERS not in {line["task"] for line in overview}
    assert "Excluded: 1 task with more than 10% unparsed responses." in words


def test_a_few_unread_replies_are_no_headline(runs: Path, tmp_path: Path) -> None:
    ended = done("report", runs / "few", "--no-item-browser", "--out", tmp_path)
    share = [sum(task in record["item_id"] and record["outcome"] == "truncated" for record in records(runs / "few")) / N for task in TASKS]
    flagged = [task for task, fraction in zip(TASKS, share, strict=True) if fraction > 0.1]
    assert ("--max-tokens" in ended.out) == bool(flagged)
    assert f"{ALL // 12} of {ALL} (" not in ended.out


@pytest.mark.parametrize(
    ("finish", "reply", "words"),
    [
        (
            "stop",
            "",
            "16 empty). Inspect some of them. If a model reasons up to its token limit, a higher --max-tokens (now 32,768) helps.",
        ),
        ("refusal", "No.", "16 refused). Inspect the refused items."),
        ("content_filter", "", "16 filtered). Inspect the filtered items."),
        ("stop", "Lorem ipsum.", "16 without a parseable answer). Inspect some of them. Another prompt style (--prompt-style) may help."),
    ],
)
def test_each_kind_has_its_remedy(data: Path, tmp_path: Path, finish: str, reply: str, words: str) -> None:
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")
    cut(tmp_path / "run", lambda place, task: place % 3 == 0, "some", finish=finish, reply=reply)
    ended = done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    assert f"some: Unparsed responses: 16 of 48 (33%; {words}" in ended.out


def test_several_kinds_are_counted_each() -> None:
    unreadable = UnparsedResponses.of(Counter[Outcome]({"truncated": 5, "empty": 2, "correct": 3, "request_error": 1}))
    assert unreadable.counts_text == "7 of 10 (70%; 5 truncated, 2 empty)"
    assert unreadable.many
    assert not UnparsedResponses.of(Counter[Outcome]({"truncated": 1, "incorrect": 9})).many  # a tenth is not more than a tenth
    assert not UnparsedResponses.of([]).many


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
            record | {"response": "(1,", "finish_reason": "max_tokens"} if sizes[record["item_id"]] > large else record
            for record in run_records
        ],
    )
    done("rescore", run)
    done("report", run, "--no-item-browser", "--out", tmp_path / "report")
    assert {line["kind"] for line in lines_of(tmp_path / "report", "findings.csv")} == {"truncated-responses"}
    (line,) = lines_of(tmp_path / "report", "thresholds.csv")
    assert line["threshold"] == line["ci_low"] == line["ci_high"] == ""
    assert re.search(r"not reported \(\d+ of 80 responses unparsed\)", (tmp_path / "report" / "report.md").read_text())
    assert not lines_of(tmp_path / "report", "difficulty.csv")


def test_no_finding_but_of_form_rests_on_an_unread_reply(data: Path) -> None:
    from simulated import answered, rows

    from isovist.evaluation.models.base import ModelResponse

    pool = rows(["cdr/relative-compass-letter", "srbench/maze-nav-turns"], 60)
    evidence = answered(pool, lambda row, key: ModelResponse("...", finish_reason="max_tokens"))
    assert {finding.kind for finding in significant_findings(evidence, DETECTORS)} == {"truncated-responses"}


def test_the_last_line_of_a_run_says_so(tmp_path: Path) -> None:
    done("generate", LETTERS, "--n", 6, "--workers", 1, "--out", tmp_path / "data")
    with serving(lambda asked: Said("Let me look at the", finish="length")) as server:
        ask = ("run", "--data", tmp_path / "data", "--model", "m", "--base-url", server.url, "--max-tokens", 5, "--no-confirm")
        ended = isovist(*ask, "--out", tmp_path / "run")
    assert ended.code == 0, ended
    last = "Unparsed responses: 6 of 6 (100%; 6 truncated). Run again with a higher --max-tokens (now 5), in a new folder."
    assert ended.err.splitlines()[-1] == last


def test_a_comparison_does_not_assert_what_may_come_from_truncation(runs: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    ended = done("compare", runs / "half", runs / "whole", tmp_path / "random", "--out", tmp_path / "out")
    assert ended.out.startswith(f"half: Unparsed responses: {ALL // 2} of {ALL} (50%; {ALL // 2} truncated). ")
    assert re.search(r"simulated/oracle is significantly more accurate than simulated/random \(.*\) over all tasks\.", ended.out)
    for words in (ended.out, (tmp_path / "out" / "compare.md").read_text()):
        assert not re.search(r"(more accurate than|and) half\b", words)
        assert "half and" not in words
    pairs = list(csv.DictReader((tmp_path / "out" / "pairs.csv").read_text().splitlines()))
    for line in pairs:
        assert (line["inconclusive"] == "1") == ("half" in (line["model_a"], line["model_b"]))
        assert line["inconclusive"] == "0" or line["significant"] == "0"
    models = list(csv.DictReader((tmp_path / "out" / "models.csv").read_text().splitlines()))
    for line in models:
        if line["model"] == "half":
            assert (line["significance_group"], float(line["accuracy"]), float(line["accuracy_parsed"])) == ("", 0.5, 1.0)
        else:
            assert line["significance_group"]


def test_a_leaderboard_marks_models_with_unread_replies_and_gives_them_no_place(runs: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    ended = done("leaderboard", runs / "all", runs / "whole", tmp_path / "random", "--out", tmp_path / "out")
    (line,) = [line for line in ended.out.splitlines() if "  all  " in line]
    assert line.split()[0] == "inconclusive"
    assert line.endswith(f"‡ unparsed: {ALL} of {ALL} ({ALL} truncated)")
    assert f"‡ all: Unparsed responses: {ALL} of {ALL} (100%; {ALL} truncated)" in ended.out
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "below chance: all" not in html
    assert f"<b>all</b>: <b>Unparsed responses: {ALL} of {ALL}</b>" in html
    for row in csv.DictReader((tmp_path / "out" / "leaderboard.csv").read_text().splitlines()):
        assert int(row["unparsed"]) == (ALL if row["model"] == "all" else 0)
        assert bool(row["significance_group"]) == (row["model"] != "all")
