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
from scripted import Asked, Said, serving
from workbench import done, edit, isovist, records, stored, write_records

from isovist.core.answers import Outcome
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.findings import significant_findings
from isovist.reporting.analysis.unparsed_responses import AccuracyRange, UnparsedResponses, may_reverse
from isovist.stats.proportions import ConfidenceInterval

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
    cut(home / "few", lambda place, task: place % 24 == 0, "few")  # 4 % of all; 1 of 16 in two tasks
    cut(home / "one", lambda place, task: task == LETTERS and place % 8 == 0, "one")  # 4 % of all
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
    assert "Unparsed responses in relative-compass-letter: 2 of 16 (12%; 2 truncated). Run again" in first
    assert re.search(
        r"mean of 3 tasks, 95% CI; unparsed responses are incorrect\)\. In the 2 tasks with few unparsed .*No deficit was detected", first
    )
    section = words.partition("Published results")[2]
    assert "Unparsed responses: 2 of 16 (12%; 2 truncated)" in section
    overview = list(csv.DictReader((tmp_path / "figures" / "overview.csv").read_text().splitlines()))
    assert LETTERS not in {line["task"] for line in overview}
    assert "Excluded: 1 task with more than 5% unparsed responses." in words


def test_a_few_unread_replies_are_no_headline(runs: Path, tmp_path: Path) -> None:
    ended = done("report", runs / "few", "--no-item-browser", "--out", tmp_path)
    share = [sum(task in record["item_id"] and record["outcome"] == "truncated" for record in records(runs / "few")) / N for task in TASKS]
    flagged = [task for task, fraction in zip(TASKS, share, strict=True) if fraction > 0.05]
    assert ("--max-tokens" in ended.out) == bool(flagged)
    assert f"{ALL // 24} of {ALL} (" not in ended.out


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
        (
            "stop",
            "Lorem ipsum.",
            (
                "16 without a parseable answer). By prompt style: final-line 33%. Inspect some of them. Another prompt style (--prompt-style) or "
                "--structured (replies in JSON) may help. `isovist rescore RUN --reader model:NAME` lets a model read them."
            ),
        ),
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
    assert not UnparsedResponses.of(Counter[Outcome]({"truncated": 1, "incorrect": 19})).many  # a twentieth is not more than a twentieth
    assert UnparsedResponses.of(Counter[Outcome]({"truncated": 1, "incorrect": 18})).many
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
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    ended = done("compare", runs / "half", runs / "whole", tmp_path / "random", "--out", tmp_path / "out")
    assert ended.out.startswith(f"half: Unparsed responses: {ALL // 2} of {ALL} (50%; {ALL // 2} truncated). ")
    assert re.search(r"simulated/oracle is significantly more accurate than simulated/random \(.*\) over all tasks\.", ended.out)
    for words in (ended.out, (tmp_path / "out" / "compare.md").read_text()):
        assert not re.search(r"(more accurate than|and) half\b", words)
        assert "half and" not in words
    pairs = list(csv.DictReader((tmp_path / "out" / "pairs.csv").read_text().splitlines()))
    models = list(csv.DictReader((tmp_path / "out" / "models.csv").read_text().splitlines()))
    ends = {
        (line["task"], line["model"]): (float(line["ci_low"]), float(line["ci_high"]) + (0.5 if line["model"] == "half" else 0))
        for line in models
    }
    for line in pairs:
        (low_a, high_a), (low_b, high_b) = (ends[line["task"], line[name]] for name in ("model_a", "model_b"))
        can_reach = low_a <= high_b and low_b <= high_a and "half" in (line["model_a"], line["model_b"])
        assert (line["inconclusive"] == "1") == can_reach
        assert line["inconclusive"] == "0" or line["significant"] == "0"
    assert all(line["inconclusive"] == "1" for line in pairs if {line["model_a"], line["model_b"]} == {"half", "simulated/oracle"})
    for line in models:
        if line["model"] == "half":
            assert (line["significance_group"], float(line["accuracy"]), float(line["accuracy_parsed"])) == ("", 0.5, 1.0)
        else:
            assert line["significance_group"]


def test_a_leaderboard_marks_models_with_unread_replies_and_gives_them_no_place(runs: Path, data: Path, tmp_path: Path) -> None:
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


def accuracy(low: float, high: float, n_unparsed: int) -> AccuracyRange:
    """Of 100 responses, with an interval that has any ends."""
    return AccuracyRange(
        UnparsedResponses(100, (("unparsed", n_unparsed),) if n_unparsed else ()),
        ConfidenceInterval((low + high) / 2, low, high),
        None,
        0.0,
        n_unparsed / 100,
        0,
    )


@pytest.mark.parametrize(
    ("a", "b", "can_reverse"),
    [
        (accuracy(0.4, 0.6, 30), accuracy(0.8, 0.9, 0), True),  # it could reach 0.9
        (accuracy(0.4, 0.6, 6), accuracy(0.8, 0.9, 0), False),  # it could reach 0.66
        (accuracy(0.4, 0.6, 5), accuracy(0.62, 0.9, 0), False),  # few: 5 % are not more than 5 %
        (accuracy(0.4, 0.6, 5), accuracy(0.5, 0.7, 5), False),  # few in both: the paired test decides
        (accuracy(0.4, 0.6, 6), accuracy(0.5, 0.7, 0), True),
        (accuracy(0.8, 0.9, 30), accuracy(0.4, 0.6, 0), False),  # all are incorrect already: it stays above
        (accuracy(0.8, 0.9, 30), accuracy(0.4, 0.6, 30), True),
        (accuracy(0.0, 0.04, 100), accuracy(0.9, 1.0, 0), True),
    ],
)
def test_an_order_is_uncertain_where_unparsed_responses_could_reverse_it(a: AccuracyRange, b: AccuracyRange, can_reverse: bool) -> None:
    assert may_reverse(a, b) == may_reverse(b, a) == can_reverse


def test_a_model_that_cannot_reach_another_keeps_its_order(runs: Path, data: Path, tmp_path: Path) -> None:
    """Half of the responses of a perfect model are unparsed: it may be the best, but it is better than one without any answer."""
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "wrong")
    wrong = {row.id: row.key.wrong_answers()[0] for row in stored(data)}
    write_records(tmp_path / "wrong", [record | {"response": wrong[record["item_id"]]} for record in records(tmp_path / "wrong")])
    edit(tmp_path / "wrong" / "run.json", lambda info: info.update(model="wrong"))
    done("rescore", tmp_path / "wrong")
    ended = done("leaderboard", runs / "half", runs / "whole", tmp_path / "wrong", "--out", tmp_path / "out")
    ranks = {name: rank.strip() for rank, name in re.findall(r"^ *(\S.*?)  (\S+)  chance-corrected", ended.out, re.MULTILINE)}
    assert ranks == {"half": "1 to 2", "simulated/oracle": "1 to 2", "wrong": "3"}
    assert "No order is claimed between it and a model whose interval it could reach" in ended.out
    compared = done("compare", runs / "half", runs / "whole", tmp_path / "wrong").out
    assert re.search(r"half is significantly more accurate than wrong \(", compared)
    assert not re.search(r"simulated/oracle is significantly more accurate than (half|wrong \([^)]*\) and half)", compared)
    done("report", runs / "half", runs / "whole", tmp_path / "wrong", "--no-item-browser", "--out", tmp_path / "report")
    words = page(tmp_path / "report").words
    assert "No order is claimed between oracle and half: unparsed or missing responses could reverse it." in words
    assert "oracle has the highest chance-corrected accuracy. It is significantly more accurate than wrong" in words


def test_the_share_of_each_prompt_style_is_named(data: Path, tmp_path: Path) -> None:
    """Of the run and of its report: the styles that were asked, and structured replies."""

    def script(asked: Asked) -> Said:
        return Said("Answer: A" if "Reason step by step" in asked.words else "Who knows?")

    with serving(script) as server:
        ask = ("run", "--data", data, "--model", "m", "--base-url", server.url, "--no-confirm", "--out", tmp_path / "run")
        ended = isovist(*ask, LETTERS, "--structured", "--compare-prompt-styles", "step-by-step,direct", "--no-image")
    shares = "By prompt style: final-line 100%, step-by-step 0%, direct 100%, structured 100%. Inspect some of them. Another prompt style (--prompt-style) may help. "
    assert shares in ended.err.splitlines()[-1]
    report = done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert '<span class="option">--prompt-style</span>) may help. <code>isovist rescore RUN <span class="option">--reader</span>' in html
    for text in (report.out, page(tmp_path / "report").words, (tmp_path / "report" / "report.md").read_text()):
        assert f"Unparsed responses: {N} of {N} (100%; {N} without a parseable answer). {shares}" in text


def test_what_rescoring_changes_is_printed(data: Path, tmp_path: Path) -> None:
    for name in ("changed", "same"):
        done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", tmp_path / name)
    edit(tmp_path / "changed" / "run.json", lambda info: info.update(model="model-1"))
    run_records = records(tmp_path / "changed")
    wrong = {row.id: row.key.wrong_answers() for row in stored(data)}
    other = {"outcome": "incorrect", "credit": 0.0}
    for place, changes in enumerate(
        [
            {"outcome": "unparsed", "credit": 0.0, "parsed_answer": None},  # unparsed to correct
            other | {"parsed_answer": wrong[run_records[1]["item_id"]][0]},  # incorrect to correct
            {"response": "Who knows?"},  # correct to unparsed
            other | {"response": wrong[run_records[3]["item_id"]][0], "parsed_answer": wrong[run_records[3]["item_id"]][1]},
            {"response": wrong[run_records[4]["item_id"]][0]},  # correct to incorrect
            {"outcome": "unparsed", "credit": 0.0, "parsed_answer": None},
        ]
    ):
        run_records[place] |= changes
    write_records(tmp_path / "changed", run_records)
    once = done("rescore", tmp_path / "changed", tmp_path / "same").out
    assert once.splitlines() == [
        f"{tmp_path / 'changed'}: {N} responses scored again, 6 changed",
        "  correct -> incorrect: 1",
        "  correct -> unparsed: 1",
        "  incorrect -> correct: 1",
        "  incorrect -> incorrect: 1",
        "  unparsed -> correct: 2",
        "  answers: 2 from unparsed to an answer, 1 from an answer to unparsed, 3 from one value to another",
        "  now correct: 3, now incorrect: 1",
        f"  model-1: accuracy {100 * (N - 4) / N:.1f}% -> {100 * (N - 3) / N:.1f}% (n = {N})",
        f"{tmp_path / 'same'}: {N} responses scored again, 0 changed",
    ]
    assert done("rescore", tmp_path / "changed").out == f"{N} responses scored again, 0 changed\n"
