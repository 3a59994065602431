"""Findings, errors against what was offered, and confusion wheels in a report: once more from rows and records."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from recount import lines_of, page
from workbench import done, records, stored

from isovist.reporting.analysis.text_format import percent
from isovist.world.scenes.compass import COMPASS_DIRECTIONS
from isovist.world.scenes.distractor_types import split_types

TASK, OTHER = "cdr/relative-compass-letter", "srbench/mrt-hard"
MODEL = "simulated/deficit:left-right,noise=0.3"
N = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "flips"
    done("run", TASK, OTHER, "--n", N, "--model", MODEL, "--out", run)
    return run


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    done("report", run, "--out", out)
    return out


def _wheel(report: Path) -> ET.Element:
    """The one wheel of the page."""
    (svg,) = re.findall(r'<svg [^>]*aria-label="Errors by angle from the key: .*?</svg>', page(report).text, re.DOTALL)
    return ET.fromstring(svg)


def test_the_planted_deficit_is_told(run: Path, report: Path) -> None:
    line, *others = lines_of(report, "findings.csv")
    # what follows from it: diagonal directions fail more often, and a rule without the position of the origin does better
    assert {other["kind"] for other in others} <= {"difficulty-relation", "shortcut-performance"}
    assert (line["run"], line["kind"], line["tasks"]) == (MODEL, "left-right-confusion", TASK)
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    wrong = [row for row in stored(run / "data") if row.task == TASK and answers[row.id] != row.answer]
    flips = [["left-right mirrored" in split_types(error) for error in row.metadata.distractor_types] for row in wrong]
    could = [(flip, row) for flip, row in zip(flips, wrong, strict=True) if any(flip)]
    made = sum(flip["ABCDEFGH".index(answers[row.id])] for flip, row in could)
    assert int(line["n"]) == len(could)
    assert float(line["observed_rate"]) == pytest.approx(made / len(could), abs=1e-5)
    assert float(line["expected_rate"]) == pytest.approx(1 / 7, abs=1e-5)
    assert f"{made} of {len(could)} errors" in line["sentence"]
    assert line["sentence"] in (report / "report.md").read_text(encoding="utf-8")
    assert line["sentence"] in page(report).words


def test_errors_stand_against_what_was_offered(run: Path, report: Path) -> None:
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    offered, wrong, chosen, due = (
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
    )
    for row in stored(run / "data"):
        option_types = [() if "ABCDEFGH"[i] == row.answer else split_types(error) for i, error in enumerate(row.metadata.distractor_types)]
        for name in {name for types in option_types for name in types}:
            ways = [i for i, types in enumerate(option_types) if name in types]
            offered[row.task, name] += len(ways)
            if answers[row.id] != row.answer:
                wrong[row.task, name] += 1
                chosen[row.task, name] += "ABCDEFGH".index(answers[row.id]) in ways
                due[row.task, name] += len(ways) / (len(option_types) - 1)  # pyright: ignore[reportArgumentType] - a sum of shares
    lines = {(line["task"], line["error_type"]): line for line in lines_of(report, "error_types.csv")}
    assert lines.keys() == offered.keys()
    for key, line in lines.items():
        assert (int(line["n_offered"]), int(line["n_errors_with_type_offered"]), int(line["n_chosen"])) == (
            offered[key],
            wrong[key],
            chosen[key],
        )
        assert float(line["proportion"]) == pytest.approx(chosen[key] / wrong[key], abs=1e-5)
        assert float(line["expected_proportion"]) == pytest.approx(due[key] / wrong[key], abs=1e-5)
        assert float(line["ci_low"]) <= float(line["proportion"]) <= float(line["ci_high"])
    significant, every = [table for table in page(report).tables if "Errors with type offered" in table[0]]
    task, name, count = (every[0].index(head) for head in ("Task", "Error type", "Chosen"))
    assert {(row[task], row[name]): int(row[count]) for row in every[1:]} == {key: chosen[key] for key in offered}
    assert significant[0] == every[0]
    assert (significant[1][task], significant[1][name]) == (TASK, "left-right mirrored")
    assert len(significant) < len(every)


def test_the_wheel_counts_wrong_answers_around_the_key(run: Path, report: Path) -> None:
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    counts = Counter[int]()
    for row in stored(run / "data"):
        if row.task == TASK and answers[row.id] != row.answer:
            key, chosen = (COMPASS_DIRECTIONS.index(row.choices["ABCDEFGH".index(letter)]) for letter in (row.answer, answers[row.id]))
            counts[(45 * (chosen - key) + 135) % 360 - 135] += 1  # above -180 up to 180
    lines = [line for line in lines_of(report, "error_wheel.csv") if line["task"] == TASK]
    assert {int(line["error_deg"]): int(line["count"]) for line in lines if int(line["count"])} == counts
    assert len(lines) == 7
    for line in lines:
        assert int(line["n_errors"]) == counts.total() == N - int(line["n_correct"])
        assert float(line["expected"]) == pytest.approx(counts.total() / 7, abs=1e-4)
    assert not any(line["task"] == OTHER for line in lines_of(report, "error_wheel.csv"))  # it has no directions
    svg = _wheel(report)
    words = [node.text or "" for node in svg.iter() if node.tag.endswith("text")]
    for error, count in counts.items():
        name = "±180°" if error == 180 else f"{error:+d}°".replace("-", "−")
        assert f"{name}: {count}" in words
    assert f"{100 * (N - counts.total()) / N:.0f}%" in words
    assert (report / "figures" / "wheel-cdr-relative-compass-letter.svg").is_file()


def test_the_longest_spoke_points_to_the_most_frequent_error(report: Path) -> None:
    """From the paths: a spoke's far end lies where its error is, clockwise from the key at the top."""
    lines = [line for line in lines_of(report, "error_wheel.csv") if line["task"] == TASK and int(line["count"])]
    most = max(lines, key=lambda line: int(line["count"]))
    svg = _wheel(report)
    spokes = [node for node in svg.iter() if node.tag.endswith("path") and node.get("fill") not in (None, "none")]
    hints = {child.text or "": node.get("d", "") for node in spokes for child in node if child.tag.endswith("title")}
    assert len(hints) == len(lines)

    def ends(path: str) -> tuple[float, float]:
        x0, y0, *_, x1, y1 = [float(number) for number in re.findall(r"-?\d+\.\d+", path.split(" L ", maxsplit=1)[0])]
        return (x0 + x1) / 2, (y0 + y1) / 2

    middles = {hint: ends(path) for hint, path in hints.items()}
    ring = [node for node in svg.iter() if node.tag.endswith("circle")]
    centre = float(ring[0].get("cx", 0)), float(ring[0].get("cy", 0))
    far = {hint: ((x - centre[0]) ** 2 + (y - centre[1]) ** 2) ** 0.5 for hint, (x, y) in middles.items()}
    longest = max(far, key=far.__getitem__)
    assert f": {most['count']} of " in longest
    x, y = middles[longest]
    error = int(most["error_deg"])
    assert (x > centre[0] + 1) == (0 < error < 180)
    assert (y > centre[1] + 1) == (abs(error) > 90)


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0%"), (0.004, "0.4%"), (0.02, "2%"), (0.5, "50%"), (0.98, "98%"), (0.996, "99.6%"), (1, "100%")]
)
def test_shares_near_none_and_all_are_told_to_a_tenth(share: float, words: str) -> None:
    assert percent(share) == words
