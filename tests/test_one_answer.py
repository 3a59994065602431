"""A model that gives one answer, or one to each level, is never better than guessing, however the keys of a set are spread."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from recount import lines_of
from simulated import Answered, answered, asked, rows, table_of
from workbench import done

from isovist.core.answers import Answer, Cell, Choice, Count, to_json
from isovist.core.rng import Rng
from isovist.evaluation.models.base import ModelResponse
from isovist.reporting.analysis import constant_responses
from isovist.reporting.analysis.response_bias import detect_constant_answers


def item_of(key: Answer, parsed_answer: str, level: str = "1", chance: float = 0.1) -> Answered:
    return Answered(key, parsed_answer, key.score(parsed_answer).credit, chance, level=level)


def right(items: list[Answered]) -> float:
    return mean([item.credit for item in items])


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_one_answer_to_everything_has_at_least_the_chance_that_it_earns() -> None:
    items = [item_of(Cell(((1, 1), (2, 3)) if n % 3 else ((3, 3),), 4, 4), "(2, 3)", str(n % 4), 0.1 + 0.2 * (n % 2)) for n in range(60)]
    constant = constant_responses.constant_answer(table_of(items))
    assert constant is not None
    assert (constant.by, constant.parts[0].n) == ("all", 60)
    chances = constant_responses.chances(table_of(items))
    assert mean(chances) == pytest.approx(right(items))
    assert all(stated <= now < 1 for stated, now in zip([item.chance for item in items], chances, strict=True))


def test_one_answer_to_each_level_too() -> None:
    items = [item_of(Count(level + (n == 0)), str(level), str(level)) for level in range(1, 9) for n in range(5)]
    constant = constant_responses.constant_answer(table_of(items))
    assert constant is not None
    assert (constant.by, len(constant.parts)) == ("level", 8)
    assert mean(constant_responses.chances(table_of(items))) == pytest.approx(0.8)


def test_the_stated_chance_stays_where_one_answer_earns_less() -> None:
    items = [item_of(Count(n % 10), "3", chance=0.5) for n in range(40)]
    assert constant_responses.chances(table_of(items)) == [0.5] * 40


def test_who_answers_as_the_keys_do_keeps_the_stated_chance() -> None:
    rng = Rng("keys")
    keys = [Count(rng.integer(0, 9)) for _ in range(60)]
    seen = [item_of(key, key.canonical(), str(place % 20)) for place, key in enumerate(keys)]
    assert constant_responses.constant_answer(table_of(seen)) is None
    assert constant_responses.chances(table_of(seen)) == [0.1] * 60
    by_level = [item_of(Count(level), str(level), str(level)) for level in range(1, 9) for _ in range(5)]  # one key a level tells nothing
    assert constant_responses.constant_answer(table_of(by_level)) is None
    assert constant_responses.constant_answer(table_of([item_of(Count(1), "1")] * 3)) is None


def test_a_good_model_on_lopsided_keys_keeps_its_skill() -> None:
    """19 of 20 keys are the same: nearly all replies are, and still the last ones are right."""
    items = [item_of(Count(3 + (n % 20 == 0)), str(3 + (n % 20 == 0))) for n in range(100)]
    assert mean(constant_responses.chances(table_of(items))) == pytest.approx(0.95)
    assert right(items) == 1


def test_a_letter_and_what_it_says_are_both_answers() -> None:
    options = ("north", "south", "west")
    turned = [item_of(Choice(options[n % 3 :] + options[: n % 3], 0), "ABC"[-n % 3]) for n in range(12)]
    constant = constant_responses.constant_answer(table_of(turned))
    assert constant is not None
    assert (constant.parts[0].answer.way, constant.parts[0].answer.text) == ("option", "north")


def test_the_finding_tells_how_often_the_answer_is_right_by_the_items_own_scorer() -> None:
    """The canonical key is a cell among several that are safe."""
    cells = [Cell(((n % 4 + 1, 2), (4, 4)) if n % 3 else ((n % 4 + 1, 2),), 7, 7) for n in range(100)]
    pool = rows(["perceptv/counting-circles"], 100)
    for task, task_rows in pool.items():
        metadata = [
            json.dumps({**json.loads(row.metadata_json), "answer": to_json(key)}) for row, key in zip(task_rows, cells, strict=True)
        ]
        pool[task] = [
            replace(row, answer=key.canonical(), answer_type=key.kind, metadata_json=data)
            for row, key, data in zip(task_rows, cells, metadata, strict=True)
        ]
    (finding,) = detect_constant_answers(asked(pool, "simulated/constant:(4, 4)"))
    credit = sum(key.score("(4, 4)").credit for key in cells) / 100
    assert credit > 0.15
    assert finding.expected_rate == pytest.approx(credit)
    assert f"correct for {100 * credit:.0f}%" in finding.sentence


def test_one_answer_to_each_level_is_a_finding() -> None:
    pool = rows(["perceptv/counting-circles"], 200)
    (finding,) = detect_constant_answers(answered(pool, lambda row, _: ModelResponse(f"Answer: {row.level}")))
    assert finding.sentence.startswith("Constant answer per level: one answer per level in 200 of 200 responses")


@pytest.mark.parametrize("model", ["simulated/constant:yes", "simulated/constant:no"])
def test_a_constant_model_has_no_skill_anywhere_in_a_report(tmp_path: Path, model: str) -> None:
    out = tmp_path / "report"
    done("run", "perceptv/cross-and-knots", "--n", 100, "--task-option", "size=200", "--model", model, "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", out)
    board = done("leaderboard", tmp_path / "run", "--out", tmp_path / "leaderboard").out
    assert float(board.partition(f"{model}  chance-corrected accuracy ")[2].partition(" [")[0]) <= 0
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "significantly above chance" in page
    for denial in ("not significantly above chance", "No task is significantly above chance", "0 of 1 task is significantly above chance"):
        page = page.replace(denial, "")
    assert "significantly above chance" not in page
    (result,) = lines_of(out, "results.csv")
    assert float(result["chance_corrected"]) <= 1e-9
    (baseline,) = lines_of(out, "constant_baseline.csv")
    assert float(baseline["gain"]) <= 1e-9 < float(baseline["baseline_accuracy"])
    assert float(baseline["baseline_accuracy_by_level"]) >= float(baseline["baseline_accuracy"])
