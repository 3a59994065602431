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

from isovist.reports.sections.headline import Part, weakest_areas_sentence
from isovist.run.run_folder import BY_STUDY
from isovist.stats.proportions import ConfidenceInterval

LETTERS = TASKS[1]
SCALE = r"on the way from guessing \(0\) to all right \(100\) it stands at"
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
        record |= {"outcome": "correct" if good else "wrong", "value": float(good)}
        places[task] += 1
    write_records(run, lines)
    return run


def words(run: Path, out: Path) -> str:
    done("report", run, "--no-item-browser", "--no-verify", "--out", out)
    return page(out).words.replace("\N{NO-BREAK SPACE}", " ")


def test_a_guesser_is_called_one_before_anything_else(random: Path, data: Path, tmp_path: Path) -> None:
    text = words(random, tmp_path)
    told_first = text.index("It cannot be told from guessing: on the way")
    assert told_first < text.index("Looked for and not found")
    (at, low, high) = re.findall(rf"It cannot be told from guessing: {SCALE} (-?\d+) \(95 % interval (-?\d+) to (-?\d+)\)", text)[0]
    above = [score.above for score in told(random, data).values()]
    assert int(at) == round(100 * sum(above) / len(above))
    assert int(low) <= 0 < int(high)


def test_one_who_errs_by_a_rule_scores_like_a_guesser_and_is_not_said_to_guess(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/constant:B", "--out", tmp_path / "run")
    text = words(tmp_path / "run", tmp_path / "report")
    assert "Its score cannot be told from guessing: on the way" in text
    assert "It cannot be told from guessing" not in text


def test_one_who_is_right_nowhere_is_no_guesser_but_worse(random: Path, copied: Copy, tmp_path: Path) -> None:
    assert "It does worse than guessing:" in words(changed(copied(random), lambda task, place: False), tmp_path)


def test_one_who_is_good_everywhere_is_told_so_and_what_could_not_be_seen(random: Path, data: Path, copied: Copy, tmp_path: Path) -> None:
    run = changed(copied(random), lambda task, place: True)
    text = words(run, tmp_path)
    assert re.search(rf"No failing skill was found: {SCALE} 100 \(95 % interval \d+ to 100\), the mean of 3 tasks", text)
    (n, most) = re.findall(r"With (\d+) items in a task, a failing that costs less than (\d+) of 100 items of a task may go unseen", text)[
        0
    ]
    assert int(n) == N
    low, _ = told(run, data)[LETTERS].within(1 - 0.05 / len(TASKS))
    assert int(most) == round(100 * (1 - low))


def test_a_skill_at_the_level_of_guessing_is_named_first(random: Path, copied: Copy, tmp_path: Path) -> None:
    text = words(changed(copied(random), lambda task, place: task != LETTERS or place < 2), tmp_path)
    (names,) = re.findall(rf"In tasks that need ([^.:]*?) it cannot be told from guessing: {SCALE} ", text)
    assert set(re.split(", | or ", names)) == {"relative position", "compass naming", "frame rotation"}
    assert "No failing" not in text


def test_skills_below_guessing_and_those_with_too_few_items_are_not_told_as_guessing() -> None:
    intervals = ConfidenceInterval(0.4, -0.1, 0.8), ConfidenceInterval(0.05, -0.1, 0.3), ConfidenceInterval(-0.1, -0.14, -0.05)
    many, guessed, below = (Part(name, interval) for name, interval in zip(("maps", "mazes", "folds"), intervals, strict=True))
    assert weakest_areas_sentence([many], "it", skills=True) == "In tasks that need maps there are too few items to tell it from guessing"
    assert weakest_areas_sentence([below], "its score", skills=True) == "In tasks that need folds it does worse than guessing"
    assert weakest_areas_sentence([many, guessed], "it", skills=False) == "In maps and mazes it cannot be told from guessing"
    assert weakest_areas_sentence([guessed, below], "its score", skills=True) == (
        "In tasks that need mazes or folds its score cannot be told from guessing, or is below it"
    )


def test_one_who_is_better_but_not_good_is_not_praised(random: Path, copied: Copy, tmp_path: Path) -> None:
    text = words(changed(copied(random), lambda task, place: place < 12), tmp_path)
    assert "No failing skill was found" not in text
    assert not lines_of(tmp_path, "findings.csv")
    assert re.search(rf"It is better than guessing in every task, and no failing stands out: {SCALE} \d+", text)


def test_without_an_accuracy_nothing_is_said_of_guessing(random: Path, copied: Copy, tmp_path: Path) -> None:
    run = copied(random)
    write_records(run, [record for place, record in enumerate(records(run)) if place % N])  # one item of each task is missing
    assert "guessing: " not in words(run, tmp_path).partition("How far above")[0]


@pytest.mark.parametrize(
    ("asked_by", "expected", "unsaid"),
    [
        (
            BY_STUDY,
            "2 items are not answered yet, and the accuracy of their tasks is withheld: while `isovist study serve` runs",
            "same command",
        ),
        ("lmms-eval", "2 items have no verdict: let lmms-eval ask what is missing", "same command"),
        ("", "2 items have no verdict yet; run the same command again.", "study"),
    ],
)
def test_what_is_to_be_done_about_missing_items_depends_on_who_asked(
    random: Path, copied: Copy, tmp_path: Path, asked_by: str, expected: str, unsaid: str
) -> None:
    run = copied(random)
    write_records(run, records(run)[:-2])
    info = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(info | {"source_tool": asked_by}))
    first = words(run, tmp_path).partition("Contents")[0].partition("Accuracy")[0]
    assert expected in first
    assert unsaid not in first


def test_what_has_no_accuracy_is_not_counted_among_what_is_guessed(random: Path, copied: Copy, tmp_path: Path) -> None:
    run = copied(random)
    write_records(run, [record for record in records(run) if not record["item_id"].startswith(f"{TASKS[0]}@")])
    text = words(changed(run, lambda task, place: False), tmp_path)
    assert "It is not surely better than a guesser in any of the 2 with an accuracy." in text
    assert "any of them" not in text


def test_one_lucky_item_is_no_skill(tmp_path: Path) -> None:
    """A guess in eight is right, so one right answer cannot be told from it, although Wilson's interval of one item lies above 1/8."""
    done("run", "cdr/relative-compass-letter", "--n", 1, "--model", "simulated/oracle", "--out", tmp_path / "run")
    text = words(tmp_path / "run", tmp_path / "report")
    assert "1 question, 1 task, asked" in text
    assert "It cannot be told from guessing: on the way" in text
    assert "1 item cannot tell." in text
    assert "It is not surely better than a guesser in any of them" in text
    assert "in 1 item of 1 task" in text
    assert "it is better than a guesser" not in text
