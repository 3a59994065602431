"""The part of a report on errors of angles, once more from rows and records."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from recount import Page, lines_of, page
from workbench import RECORDS, done, isovist, parquet, records, refused, spoil, stored

from isovist.core.answers import LETTERS

TASKS = ("cdr/relative-spatial-letter", "cdr/relative-compass-letter")
N = 64
STEP = 45
NAMES = {
    TASKS[0]: ("up", "upper right", "right", "lower right", "down", "lower left", "left", "upper left"),
    TASKS[1]: ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest"),
}


def off(task: str, answer: str, key: str) -> int:
    """Degrees clockwise from the key, above -180 up to 180."""
    steps = (NAMES[task].index(answer) - NAMES[task].index(key)) % 8
    return STEP * (steps - 8 if steps > 4 else steps)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that takes the next direction clockwise in every third item, its opposite in every sixteenth, and once says nothing."""
    run = tmp_path_factory.mktemp("runs") / "leaning"
    done("run", *TASKS, "cdr/object-classification-letter", "--n", N, "--model", "simulated/oracle", "--workers", 1, "--out", run)
    rows = {row.id: row for row in stored(run / "data")}
    lines: list[str] = []
    for nth, record in enumerate(records(run)):
        row = rows[record["item_id"]]
        if row.task in TASKS:
            turn = 4 if nth % 16 == 5 else 1 if nth % 3 == 0 else 0
            names = NAMES[row.task]
            answer = names[(names.index(row.choices[LETTERS.index(row.answer)]) + turn) % 8]
            letter = LETTERS[row.choices.index(answer)]
            fields = {
                "parsed_answer": letter,
                "outcome": "incorrect" if turn else "correct",
                "credit": float(not turn),
                "response": f"Answer: {letter}",
            }
            record.update(fields if nth != 7 else {"parsed_answer": None, "outcome": "unparsed", "credit": 0.0, "response": "Hm."})
        lines.append(json.dumps(record))
    (run / RECORDS).write_text("\n".join(lines) + "\n")
    return run


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    done("report", run, "--out", out)
    return out


@pytest.fixture(scope="module")
def errors(run: Path) -> dict[str, list[int]]:
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    errors_by_task: dict[str, list[int]] = {task: [] for task in TASKS}
    for row in stored(run / "data"):
        if row.task in TASKS and answers[row.id]:
            errors_by_task[row.task].append(
                off(row.task, row.choices[LETTERS.index(answers[row.id])], row.choices[LETTERS.index(row.answer)])
            )
    return errors_by_task


def test_the_histogram_counts_the_signed_errors(report: Path, errors: dict[str, list[int]]) -> None:
    lines = lines_of(report, "angle_histogram.csv")
    assert {line["task"] for line in lines} == set(TASKS)  # the other task has no angles
    for task in TASKS:
        lines_by_error = {int(line["error_deg"]): line for line in lines if line["task"] == task}
        assert list(lines_by_error) == [-135, -90, -45, 0, 45, 90, 135, 180]
        counts = Counter(errors[task])
        assert {error: int(line["count"]) for error, line in lines_by_error.items()} == {error: counts[error] for error in lines_by_error}
        assert {float(line["expected_by_chance"]) for line in lines_by_error.values()} == {len(errors[task]) / 8}


def test_size_bias_and_opposites_are_those_of_the_errors(report: Path, errors: dict[str, list[int]]) -> None:
    lines = {line["task"]: line for line in lines_of(report, "angular_errors.csv")}
    assert set(lines) == set(TASKS)
    for task, line in lines.items():
        task_errors = errors[task]
        assert (int(line["n"]), int(line["unparsed"]), int(line["n_without_angle"]), int(line["n_unscored"])) == (
            len(task_errors),
            N - len(task_errors),
            0,
            0,
        )
        size = fmean(abs(error) for error in task_errors)
        assert float(line["mean_absolute_error_deg"]) == pytest.approx(size, rel=1e-5)
        assert float(line["ci_low"]) < size < float(line["ci_high"])
        assert float(line["expected_by_chance_deg"]) == pytest.approx(90)
        assert line["bias"] == "clockwise"
        assert 0 < float(line["direction_deg_low"]) < float(line["direction_deg"]) < float(line["direction_deg_high"]) < 90
        assert int(line["opposite"]) == task_errors.count(180) > 0
        assert int(line["opposite_possible"]) == len(task_errors)
        assert float(line["opposite_expected_by_chance"]) == float(line["mirrored_expected_by_chance"]) == pytest.approx(1 / 8)
    assert sum(int(line["unparsed"]) for line in lines.values()) == 1


def test_mirrored_answers_are_counted_where_left_and_right_differ(run: Path, report: Path) -> None:
    answers = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    for line in lines_of(report, "angular_errors.csv"):
        names, possible, mirrored, both = NAMES[line["task"]], 0, 0, 0
        for row in stored(run / "data", line["task"]):
            if answers[row.id]:
                key, answer = (names.index(row.choices[LETTERS.index(letter)]) for letter in (row.answer, answers[row.id]))
                possible += key % 4 != 0
                mirrored += key % 4 != 0 and answer == -key % 8
                both += key in (2, 6) and answer == -key % 8
        assert (int(line["mirrored_possible"]), int(line["mirrored"]), int(line["opposite_and_mirrored"])) == (possible, mirrored, both)


def test_the_page_shows_the_numbers_and_a_histogram_for_each_task(report: Path, errors: dict[str, list[int]]) -> None:
    shown: Page = page(report)
    table = {row["Task"]: row for row in shown.table("Mean error (°)")}
    for task in TASKS:
        size = fmean(abs(error) for error in errors[task])
        assert table[task]["Mean error (°)"] == f"{size:.1f}"
        assert table[task]["Bias (°)"].startswith("clockwise, +")
        hints = shown.hints[task.replace("/", "-")]
        for error, name in ((0, "0"), (45, "+45"), (180, "±180"), (-90, "−90")):
            assert f"{name}: {errors[task].count(error)} of {len(errors[task])}; expected by chance: {len(errors[task]) / 8:.1f}" in hints
    assert not any("expected by chance" in hint for hint in shown.hints["cdr-object-classification-letter"])
    assert (report / "report.md").read_text(encoding="utf-8").count("| clockwise, +") == len(TASKS)


def test_as_long_as_items_have_no_verdict_the_numbers_are_withheld(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    done("run", TASKS[0], "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", copy)
    lines = (copy / RECORDS).read_text().splitlines()
    (copy / RECORDS).write_text("\n".join(lines[1:]) + "\n")
    done("report", copy, "--out", tmp_path / "report")
    (line,) = lines_of(tmp_path / "report", "angular_errors.csv")
    assert line["n_unscored"] == "1"
    assert line["mean_absolute_error_deg"] == line["bias"] == line["direction_deg"] == ""
    (row,) = page(tmp_path / "report").table("Mean error (°)")
    assert row["Mean error (°)"] == "not reported (1 item not scored)"


def test_angles_that_are_not_those_of_the_options_are_one_line(run: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    done("generate", TASKS[0], "--n", 4, "--workers", 1, "--out", data)
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")

    def spoilt(rows: list[dict[str, str]]) -> None:
        for row in rows:
            metadata = json.loads(row["metadata"])
            metadata["option_angles"]["direction"]["angles_deg"].pop()
            row["metadata"] = json.dumps(metadata)

    spoil(parquet(data, TASKS[0]), spoilt)
    refused(isovist("report", tmp_path / "run", "--no-verify", "--out", tmp_path / "report"), "angles")
    assert not (tmp_path / "report").exists()
