"""The first words of a report: whether a model guesses, how good it is, what may go unseen, and what is to be done about missing items."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TASKS, N
from recount import lines_of, page, told
from workbench import done, records, write_records

from isovist.evaluation.run.run_folder import BY_STUDY
from isovist.reporting.analysis.overall_performance import Part
from isovist.reporting.reports.sections.headline import weakest_areas_sentence
from isovist.stats.proportions import ConfidenceInterval

LETTERS = TASKS[1]
SCORE = r"Overall chance-corrected accuracy: (-?\d+) \[(-?\d+), (-?\d+)\] \(0 = chance, 100 = perfect; "
Copy = Callable[[Path], Path]


@pytest.fixture(scope="module")
def random(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("standing") / "random"
    done("run", "--data", data, "--model", "simulated/random", "--out", run)
    return run


def changed(run: Path, right: Callable[[str, int], bool]) -> Path:
    """The run with other outcomes: for each task and place, whether it is right."""
    lines, places = records(run), dict.fromkeys(TASKS, 0)
    for record in lines:
        task = record["item_id"].partition("@")[0]
        good = right(task, places[task])
        record |= {"outcome": "correct" if good else "incorrect", "credit": float(good)}
        places[task] += 1
    write_records(run, lines)
    return run


def words(run: Path, out: Path) -> str:
    folder = out / "report"
    done("report", run, "--no-item-browser", "--no-verify", "--out", folder)
    return page(folder).words.replace("\N{NO-BREAK SPACE}", " ")


def test_a_guesser_is_called_one_before_anything_else(random: Path, data: Path, tmp_path: Path) -> None:
    text = words(random, tmp_path)
    score = text.index("This is not significantly different from chance.")
    assert score < text.index("No significant findings")
    (at, low, high) = re.findall(SCORE, text)[0]
    above = [score.above for score in told(random, data).values()]
    assert int(at) == round(100 * sum(above) / len(above))
    assert int(low) <= 0 < int(high)


def test_one_who_errs_by_a_rule_scores_like_a_guesser_and_is_not_said_to_guess(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/constant:B", "--out", tmp_path / "run")
    text = words(tmp_path / "run", tmp_path / "report")
    assert "This is not significantly different from chance." in text
    assert "Constant answer: " in text


def test_one_who_is_right_nowhere_is_no_guesser_but_worse(random: Path, copied: Copy, tmp_path: Path) -> None:
    assert "This is significantly below chance." in words(changed(copied(random), lambda task, place: False), tmp_path)


def test_one_who_is_good_everywhere_is_told_so_and_what_could_not_be_seen(random: Path, data: Path, copied: Copy, tmp_path: Path) -> None:
    run = changed(copied(random), lambda task, place: True)
    text = words(run, tmp_path)
    assert re.search(
        r"Overall chance-corrected accuracy: 100 \[\d+, 100\] .*mean of 3 tasks, 95% CI\)\. This is significantly above chance\. No deficit was detected\.",
        text,
    )
    limit = r"With (\d+) items per task, a deficit that affects fewer than (\d+)% of a task's items may remain undetected"
    (n, most) = re.findall(limit, text)[0]
    assert int(n) == N
    low, _ = told(run, data)[LETTERS].within(1 - 0.05 / len(TASKS))
    assert int(most) == round(100 * (1 - low))


def test_a_skill_at_the_level_of_guessing_is_named_first(random: Path, copied: Copy, tmp_path: Path) -> None:
    text = words(changed(copied(random), lambda task, place: task != LETTERS or place < 2), tmp_path)
    (names,) = re.findall(r"Performance is not significantly different from chance in tasks that require ([^.:]*?) \(", text)
    assert set(re.split(", | or ", names)) == {"relative position", "compass naming", "frame rotation"}
    assert "No deficit" not in text


def test_skills_below_guessing_and_those_with_too_few_items_are_not_told_as_guessing() -> None:
    intervals = ConfidenceInterval(0.4, -0.1, 0.8), ConfidenceInterval(0.05, -0.1, 0.3), ConfidenceInterval(-0.1, -0.14, -0.05)
    many, guessed, below = (Part(name, interval) for name, interval in zip(("maps", "mazes", "folds"), intervals, strict=True))
    assert weakest_areas_sentence([many], skills=True) == "Too few items to test against chance in tasks that require maps"
    assert weakest_areas_sentence([below], skills=True) == "Performance is significantly below chance in tasks that require folds"
    assert (
        weakest_areas_sentence([many, guessed], skills=False) == "Performance is not significantly different from chance in maps and mazes"
    )
    assert weakest_areas_sentence([guessed, below], skills=True) == (
        "Performance is not significantly different from chance, or below chance, in tasks that require mazes or folds"
    )


def test_one_who_is_better_but_not_good_is_not_praised(random: Path, copied: Copy, tmp_path: Path) -> None:
    text = words(changed(copied(random), lambda task, place: place < 12), tmp_path)
    assert not lines_of(tmp_path / "report", "findings.csv")
    assert "This is significantly above chance. All tasks are significantly above chance. No deficit was detected." in text


def test_with_many_missing_items_nothing_is_said_of_guessing(random: Path, copied: Copy, tmp_path: Path) -> None:
    run = copied(random)
    write_records(run, [record for place, record in enumerate(records(run)) if place % 8])  # an eighth of each task is missing
    text = words(run, tmp_path)
    assert "Overall chance-corrected accuracy" in text
    assert "different from chance" not in text
    assert "items are not scored, which widens the intervals." in text


@pytest.mark.parametrize(
    ("asked_by", "expected", "unsaid"),
    [
        (
            BY_STUDY,
            "2 items are not answered, which widens the intervals of their tasks. While `isovist study serve` runs",
            "same command",
        ),
        ("lmms-eval", "2 items are not scored, which widens the intervals. Evaluate them with lmms-eval", "same command"),
        ("", "2 items are not scored, which widens the intervals. Run the same command again.", "study"),
    ],
)
def test_what_is_to_be_done_about_missing_items_depends_on_who_asked(
    random: Path, copied: Copy, tmp_path: Path, asked_by: str, expected: str, unsaid: str
) -> None:
    run = copied(random)
    write_records(run, records(run)[:-2])
    info = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(info | {"source_tool": asked_by}))
    first = words(run, tmp_path).partition("All items")[0].partition("Published results")[0]
    assert expected in first
    assert unsaid not in first


def test_what_has_no_accuracy_is_not_counted_among_what_is_guessed(random: Path, copied: Copy, tmp_path: Path) -> None:
    run = copied(random)
    write_records(run, [record for record in records(run) if not record["item_id"].startswith(f"{TASKS[0]}@")])
    text = words(changed(run, lambda task, place: False), tmp_path)
    assert "No task is significantly above chance." in text
    assert "mean of 2 tasks" in text


def test_one_lucky_item_is_no_skill(tmp_path: Path) -> None:
    """A guess in eight is right, so one right answer cannot be told from it, although Wilson's interval of one item lies above 1/8."""
    done("run", "cdr/relative-compass-letter", "--n", 1, "--model", "simulated/oracle", "--out", tmp_path / "run")
    text = words(tmp_path / "run", tmp_path / "report")
    assert "1 item, 1 task, evaluated" in text
    assert "This is not significantly different from chance." in text
    assert "The exact test with 1 item is not significant." in text
    assert "No task is significantly above chance." in text
    assert "in 1 item (1 task)" in text
    assert "are significantly above chance" not in text
