"""The report: every number in it is worked out a second time from the files of the runs, and one file is all it needs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import browser
import pyarrow.parquet as pq
import pytest
from conftest import TASKS, N
from recount import UNREAD, floats, lines_of, page, per_cent, told
from workbench import contents, done, isovist, records, refused, write_records

from isovist.data.dataset.generate import generate
from isovist.data.dataset.generation_request import requested
from isovist.data.item_options import ItemOptions
from isovist.reporting.reports.figures.svg import HUES

OUTCOMES = ("correct", "partial", "incorrect", *UNREAD, "request_error")
LETTERS = "cdr/relative-compass-letter"
HOSTILE = '</pre><script>alert("x")</script><img src=https://example.org/x.png>'
Copy = Callable[[Path], Path]


# Runs that hold every outcome --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a guesser, some of whose replies came to nothing."""
    run = tmp_path_factory.mktemp("runs") / "mixed"
    done("run", "--data", data, "--model", "simulated/random", "--out", run)
    run_records = records(run)
    unread = [
        ("stop", HOSTILE),
        ("stop", ""),
        ("refusal", "I cannot help."),
        ("content_filter", ""),
        ("max_tokens", "B or"),
        ("stop", "=1+1"),
    ]
    for place, (finish, reply) in enumerate(unread):
        run_records[place * 5 + 1] |= {"finish_reason": finish, "response": reply}
    write_records(run, run_records)
    done("rescore", run)
    assert [records(run)[place * 5 + 1]["outcome"] for place in range(6)] == [
        "unparsed",
        "empty",
        "refused",
        "filtered",
        "truncated",
        "unparsed",
    ]
    return run


@pytest.fixture(scope="module")
def constant(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "constant"
    done("run", "--data", data, "--model", "simulated/constant:B", "--out", run)
    return run


@pytest.fixture(scope="module")
def report(mixed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "one"
    done("report", mixed, "--out", out)
    return out


@pytest.fixture(scope="module")
def both(mixed: Path, constant: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "both"
    done("report", mixed, constant, "--out", out)
    return out


# One file ---------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing(report: Path) -> None:
    report_page = page(report)
    assert not report_page.tags.keys() & {"iframe", "object", "embed", "base", "form"}
    (script,) = re.findall(r"<script>(.*?)</script>", report_page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(value for tag, name, value in report_page.attributes if tag == "meta" and name == "content" and "default-src" in value)
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")
    for tag, name, value in report_page.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "href", "srcset", "action", "data", "poster", "xlink:href"):
            beside = tag == "a" and (report / value.partition("#")[0]).is_file()  # what the report wrote itself
            assert value.startswith(("data:", "#")) or beside, (tag, name, value)
        if name == "style":
            assert "url(" not in value
    style = re.search(r"<style>(.*?)</style>", report_page.text, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_replies_are_shown_as_they_are_and_never_taken_for_markup(report: Path) -> None:
    report_page = page(report)
    assert HOSTILE in report_page.words
    assert HOSTILE not in report_page.text
    assert not [
        value for tag, name, value in report_page.attributes if tag == "img" and name == "src" and not value.startswith("data:image/png")
    ]


def test_samples_show_the_very_pictures_of_their_items(report: Path, data: Path) -> None:
    report_page = page(report)
    rows = {row["id"]: row for task in TASKS for file in (data / task).glob("*.parquet") for row in pq.read_table(file).to_pylist()}
    shown = re.findall(r'<div class="sample">(.*?)<p class="id">(.*?)</p>', report_page.text, re.DOTALL)
    assert len(shown) == len(re.findall('class="sample"', report_page.text)) >= 2 * len(TASKS)
    outcomes: set[str] = set()
    for inside, id in shown:
        pictures = [base64.b64decode(data) for data in re.findall(r'src="data:image/png;base64,([^"]+)"', inside)]
        assert pictures == [image["bytes"] for image in rows[id]["images"]]
        assert f"key <b>{rows[id]['answer']}</b>" in inside
        outcomes |= set(re.findall(r'<span class="tag \w+">(\w+)</span>', inside))
    assert {"correct", "incorrect"} < outcomes


# Every number -----------------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_records(report: Path, mixed: Path, data: Path) -> None:
    lines = {line["Task"]: line for line in page(report).table("Range if unparsed")}
    assert set(lines) == set(TASKS)
    for task, expected in told(mixed, data).items():
        line = lines[task]
        assert line["n"] == str(expected.n) == str(N)
        assert floats(line["Accuracy"]) == per_cent(expected.right / N)
        assert floats(line["95% CI"]) == per_cent(*expected.wilson)
        assert floats(line["Chance"]) == per_cent(expected.chance)
        above = ((share - expected.chance) / (1 - expected.chance) for share in expected.wilson)
        assert floats(line["Chance-corrected"]) == per_cent(expected.above, *above)
        assert floats(line["Range if unparsed"]) == per_cent(expected.right / N, (expected.right + expected.unread) / N)
        assert {outcome: int(count) for count, outcome in map(str.split, line["Outcomes"].split(", "))} == expected.outcomes
    assert sum(expected.unread for expected in told(mixed, data).values()) == 6


def test_every_format_tells_the_same(both: Path, mixed: Path, constant: Path, data: Path) -> None:
    lines = lines_of(both)
    table = (both / "report.md").read_text().partition("### Accuracy\n\n")[2].split("\n\n")[1]
    markdown = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]
    block = (both / "report.tex").read_text().partition("% Accuracy\n")[2].partition("\n\n")[0]
    latex = [line.removesuffix(" \\\\").split(" & ") for line in block.splitlines() if line.startswith("cdr/")]
    html = page(both).table("Range if unparsed")
    expected = {"simulated/random": told(mixed, data), "simulated/constant:B": told(constant, data)}
    assert len(lines) == len(latex) == len(html) == len(markdown) - 2 == 2 * len(TASKS)
    assert [row[:2] for row in latex] == [row[:2] for row in markdown[2 : 2 + 2 * len(TASKS)]]
    for line, row, tex in zip(lines, markdown[2:], latex, strict=False):
        right = expected[line["run"]][line["task"]]
        shares = [
            float(line[name])
            for name in (
                "accuracy",
                "ci_low",
                "ci_high",
                "chance",
                "chance_corrected",
                "accuracy_if_unparsed_incorrect",
                "accuracy_if_unparsed_correct",
            )
        ]
        assert shares == pytest.approx(right.shares, abs=1e-5)
        ends = [(float(line[name]) - shares[3]) / (1 - shares[3]) for name in ("ci_low", "ci_high")]
        assert [float(line[name]) for name in ("chance_corrected_low", "chance_corrected_high")] == pytest.approx(ends, abs=1e-5)
        shares[5:5] = [float(line[name]) for name in ("chance_corrected_low", "chance_corrected_high")]
        assert {outcome: int(line[outcome]) for outcome in OUTCOMES if int(line[outcome])} == right.outcomes
        assert (int(line["n"]), int(line["n_not_presented"])) == (N, 0)
        assert row[:3] == [line["task"], line["run"], line["n"]]
        printed = [f"{number:.1f}" for number in (100 * share for share in shares)]
        del row[6]  # the best shortcut, see test_measured_shortcuts
        assert [number for cell in row[3:8] for number in re.findall(r"-?\d+\.\d", cell)] == printed
        assert re.findall(r"-?\d+\.\d", " ".join([*tex[3:5], *tex[6:8]])) == printed
    names = ("n", "Accuracy", "95% CI", "Chance", "Chance-corrected", "Range if unparsed")
    by_run = {run: [line for line in html if line["Model"] == run] for run in expected}
    for run, shown in by_run.items():
        for cells, row in zip(shown, [row for row in markdown[2:] if row[1:2] == [run]], strict=True):
            assert [cells[name] for name in names] == row[2:8]
            assert cells["Best shortcut"] != ""


def test_the_confusion_matrix_counts_answers_by_what_they_say(report: Path, mixed: Path, data: Path) -> None:
    report_page, listed = page(report), lines_of(report, "confusion.csv")
    for task, expected in told(mixed, data).items():
        assert {(line["key"], line["answer"]): int(line["count"]) for line in listed if line["task"] == task} == expected.confusion
        hints = re.findall(r"(\S.*?) answered (.*?): (\d+) of (\d+)", "\n".join(report_page.hints.get(task.replace("/", "-"), [])))
        shown = {(key, answer): int(count) for key, answer, count, _ in hints if int(count)}
        if not shown:
            assert len({name for pair in expected.confusion for name in pair}) > 16, f"{task} has no matrix"
            continue
        assert shown == expected.confusion
        totals = Counter(key for key, _ in expected.confusion.elements())
        assert {(key, int(total)) for key, _, _, total in hints} >= set(totals.items())


def test_the_letters_chosen_and_right_are_counted(both: Path, mixed: Path, constant: Path, data: Path) -> None:
    hints = page(both).hints
    for task in TASKS:
        shown = re.findall(r"([A-Z]): chosen (\d+) times, key (\d+) times", "\n".join(hints[task.replace("/", "-")]))
        expected: list[tuple[str, str, str]] = []
        for run in (mixed, constant):
            verdicts = told(run, data)[task].verdicts
            chosen, keyed = Counter(record["parsed_answer"] for _, record in verdicts), Counter(row["answer"] for row, _ in verdicts)
            letters = "ABCDEFGH"[: len(verdicts[0][0]["choices"])]
            expected += [(letter, str(chosen[letter]), str(keyed[letter])) for letter in letters]
        assert shown == expected
    # always the same letter is the strongest preference there is
    assert "Position bias: Cramér's V = 1.00 (chi-square test, p < 0.001)." in page(both).words


def test_the_first_screen_makes_no_claim_that_holds_only_for_one_task_alone(copied: Copy, constant: Path, tmp_path: Path) -> None:
    """Five of sixteen right at a chance of an eighth: more than chance by the interval that is shown, one of three tasks."""
    run = copied(constant)
    changed, right = records(run), Counter[str]()
    for record in changed:
        task = record["item_id"].partition("@")[0]
        right[task] += 1
        good = right[task] <= (5 if task == LETTERS else 1)
        record |= {"outcome": "correct" if good else "incorrect", "credit": float(good)}
    write_records(run, changed)
    done("report", run, "--no-verify", "--out", tmp_path / "report")
    (line,) = [line for line in lines_of(tmp_path / "report", "results.csv") if line["task"] == LETTERS]
    assert float(line["ci_low"]) > float(line["chance"])
    assert "No task is significantly above chance." in page(tmp_path / "report").words


def test_the_first_screen_says_what_the_numbers_say(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    done("report", tmp_path / "random", "--no-item-browser", "--out", tmp_path / "of-random")
    within = 1 - 0.05 / len(TASKS)
    guessing = [
        task.partition("/")[2] for task, summary in told(tmp_path / "random", data).items() if summary.within(within)[0] <= summary.chance
    ]
    assert guessing, "the guesser was lucky: take another seed"
    words = page(tmp_path / "of-random").words
    if len(guessing) == len(TASKS):
        assert "No task is significantly above chance." in words
    else:
        assert re.search(rf"{len(guessing)} of {len(TASKS)} tasks (is|are) not significantly above chance: {', '.join(guessing)}\.", words)
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert f"simulated/oracle: {3 * N} items in 3 tasks. All tasks are significantly above chance." in page(tmp_path / "report").words


PUBLISHED = {
    "cdr/object-classification-number": (99.89, 99.89, 100, 99.00, 98.89, 100),
    "cdr/relative-compass-letter": (13.04, 13.95, 14.97, 19.90, 15.27, 21.35),
    "cdr/spatial-direction-icon": (14.08, 25.72, 37.00, 33.96, 61.42, 62.64),
}
MODELS = ("LLaVA-7B", "LLaVA-13B", "Claude-3-Haiku", "Claude-3-Sonnet", "GPT-4o-mini", "Gemini-1.5-Pro")


def test_the_papers_figures_stand_beside_ours(report: Path) -> None:
    lines = {line["Task"]: line for line in page(report).table("GPT-4o-mini")}
    markdown = (report / "report.md").read_text()
    assert set(lines) == set(PUBLISHED)
    for task, figures in PUBLISHED.items():
        assert [float(lines[task][model]) for model in MODELS] == pytest.approx(figures, abs=0.0501)
        assert f"| {task} |" in markdown.partition("## Published results: cdr")[2]
        assert all(f"{figure:.2f}" in markdown for figure in figures)
    assert "arXiv 2412.16599" in page(report).words


# Runs that are not whole, and several ------------------------------------------------------------------------------


def test_the_accuracy_is_that_of_the_scored_items_with_a_wider_interval(mixed: Path, tmp_path: Path, copied: Copy) -> None:
    run = copied(mixed)
    kept = [record for record in records(run) if TASKS[0] not in record["item_id"]]
    cut = [record for record in records(run) if TASKS[0] in record["item_id"]][:-3]
    cut[0] |= {"outcome": "request_error", "error": "ConnectionError", "response": "", "parsed_answer": None, "credit": 0.0}
    write_records(run, kept + cut)
    done("report", run, "--out", tmp_path / "report")
    report_page = page(tmp_path / "report")
    lines = {line["Task"]: line for line in report_page.table("Range if unparsed")}
    assert (lines[TASKS[0]]["n"], lines[TASKS[1]]["n"]) == (f"{N - 4} of {N}", str(N))
    accuracy = sum(record["credit"] for record in cut[1:]) / (N - 4)
    assert lines[TASKS[0]]["Accuracy"].startswith(f"{100 * accuracy:.1f}")
    assert "3 not presented" in report_page.words.replace("\xa0", " ")
    assert "4 items are not scored" in report_page.words
    for line in lines_of(tmp_path / "report"):
        lowest = float(line["accuracy"]) * (N - 4) / N if line["task"] == TASKS[0] else float(line["accuracy"])
        assert float(line["ci_low"]) <= lowest
        assert int(line["request_error"]) + int(line["n_not_presented"]) == (4 if line["task"] == TASKS[0] else 0)
    assert f"{TASKS[0]} & simulated/random & {N - 4} of {N} & " in (tmp_path / "report" / "report.tex").read_text()


@pytest.mark.parametrize("other", ["other", "here/mixed"], ids=["another name", "the same name elsewhere"])
def test_runs_of_one_model_are_told_apart(mixed: Path, constant: Path, tmp_path: Path, other: str) -> None:
    run = Path(shutil.copytree(mixed, tmp_path / other))
    done("report", mixed, run, constant, "--out", tmp_path / "report")
    names = {line["run"] for line in lines_of(tmp_path / "report")}
    assert len(names) == 3, names
    assert sum("simulated/random" in name for name in names) == 2
    assert "simulated/constant:B" in names
    assert {line["Model"] for line in page(tmp_path / "report").table("Range if unparsed")} == names


def test_a_report_is_the_same_again(mixed: Path, report: Path, tmp_path: Path) -> None:
    done("report", mixed, "--out", tmp_path)
    assert contents(tmp_path) == contents(report)


def test_an_outsiders_words_are_no_formula_of_a_spreadsheet(mixed: Path, tmp_path: Path, copied: Copy) -> None:
    run = copied(mixed)
    text = (run / "run.json").read_text().replace('"simulated/random"', json.dumps("=HYPERLINK(1)"))
    (run / "run.json").write_text(text)
    done("report", run, "--out", tmp_path / "report")
    for name in ("results.csv", "confusion.csv"):
        for line in lines_of(tmp_path / "report", name):
            assert "HYPERLINK" in line["run"]
            assert not [cell for cell in line.values() if cell.startswith(("=", "+", "@"))]


@pytest.mark.parametrize("which", ["data", "file", "none", "second"])
def test_what_is_no_run_is_one_line_and_nothing_is_written(data: Path, mixed: Path, tmp_path: Path, which: str) -> None:
    (tmp_path / "file").write_text("mine")
    path = {"data": data, "file": tmp_path / "file", "none": tmp_path / "none", "second": tmp_path}[which]
    first = [mixed] if which == "second" else []
    refused(isovist("report", *first, path, "--out", tmp_path / "out"), str(path), "isovist run")
    assert contents(tmp_path) == {"file": b"mine"}


def test_a_run_of_nothing_has_a_report(tmp_path: Path) -> None:
    generate(requested((LETTERS,), ItemOptions(), default=0)[0], tmp_path / "data")
    done("run", "--data", tmp_path / "data", "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert ": 0 items in " in page(tmp_path / "report").words
    assert "nan" not in page(tmp_path / "report").words.casefold()


def test_a_run_of_faults_alone_shows_no_number_that_is_none(mixed: Path, tmp_path: Path, copied: Copy) -> None:
    run = copied(mixed)
    run_records = records(run)
    for record in run_records:
        record |= {"outcome": "request_error", "error": "ConnectionError", "response": "", "parsed_answer": None, "credit": 0.0}
    write_records(run, run_records)
    done("report", run, "--out", tmp_path / "report")
    for name, text in contents(tmp_path / "report").items():
        assert not re.search(rb"\bnan\b", text), name


# In a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
@pytest.mark.parametrize("size", [(1280, 900), (500, 900)], ids=["desk", "hand"])
def test_the_page_fits_its_window_and_says_nothing_on_the_console(both: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    layout, console = browser.layout(both / "index.html", size, tmp_path)
    assert layout["width"] == size[0]
    assert layout["images"] >= 4 * len(TASKS)
    assert (layout["sticks_out"], layout["boxes"], layout["broken"], console) == (0, [], [], [])


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
def test_the_first_screen_shows_the_marks_of_both_runs(both: Path, tmp_path: Path) -> None:
    pixels, console = browser.screenshot(both / "index.html", (1280, 900), tmp_path / "home")
    assert console == []
    assert pixels.shape == (900, 1280, 3)
    for hue in HUES[:2]:
        colour = [int(hue[i : i + 2], 16) for i in (1, 3, 5)]
        assert (pixels == colour).all(axis=2).sum() > 50, hue
