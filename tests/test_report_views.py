"""The parts of a report on items of several views, once more from rows and records: orders, single answers, joint questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from looking_round import HUES, Scene, looking_round
from recount import lines_of, page
from workbench import done, install, records, stored, write_records

from isovist.core.answers import Choice, JointAnswer
from isovist.core.task import PICTURES, Question, Reported, SamplingContext, Task

FOUR, TWO = looking_round(4), looking_round(2)
KEY = "ABCD"


def joint(scene: Scene) -> Question:
    """Where the dot is, and of which colour the dot at its right hand."""
    at = scene.hues.index(scene.asked)
    colours = tuple(HUES)
    beside = Choice(colours, colours.index(scene.hues[(at + 1) % 4]))
    return Question("Where is it, and what is beside it?", JointAnswer((("where", Choice(scene.ways, at)), ("beside", beside))))


def alone(part: int) -> Callable[[Scene], Question]:
    def ask(scene: Scene) -> Question:
        answer = joint(scene).answer
        assert isinstance(answer, JointAnswer)
        return Question(f"Question {part + 1}", answer.parts[part][1])

    return ask


def shared(plan: SamplingContext) -> Scene:
    """Its picture comes from the family's stream, so that the three tasks show the same."""
    return FOUR.sample(replace(plan, item_rng=plan.image_rng))


def same_cell(plan: SamplingContext) -> Scene:
    return shared(replace(plan, stratum=plan.image_stratum("asked", 4)))


SAME: Task[Scene] = replace(
    FOUR, sample=same_cell, settings={"pictures": PICTURES}, images=replace(FOUR.images, family="planted/round", orders=None)
)
JOINT: Task[Scene] = replace(SAME, id="planted/joint", ask=joint, answers=replace(SAME.answers, type="fields", chance=1 / 16))
FIRST: Task[Scene] = replace(SAME, id="planted/first", ask=alone(0))
SECOND: Task[Scene] = replace(SAME, id="planted/second", ask=alone(1), reported=Reported(prerequisite=FIRST.id))


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FOUR, TWO, JOINT, FIRST, SECOND)


def run(out: Path, *more: object, model: str = "simulated/random") -> Path:
    done("run", *more, "--model", model, "--workers", 1, "--out", out)
    return out


def report(run: Path) -> Path:
    done("report", run, "--out", run / "report")
    return run / "report"


def say(run: Path, words: Callable[[dict[str, Any], int], str]) -> None:
    """Puts other replies in the place of those on record, and scores them."""
    run_records = records(run)
    for number, record in enumerate(run_records):
        record["response"] = words(record, number)
    write_records(run, run_records)
    done("rescore", run)


def number_of(line: dict[str, str], *names: str) -> list[float]:
    return [float(line[name]) for name in names]


# Orders -----------------------------------------------------------------------------------------------------------


def test_accuracy_by_prompt_and_in_every_prompt_are_those_of_the_records(tmp_path: Path) -> None:
    made = run(tmp_path / "run", FOUR.id, "--n", 40, "--image-order", "start-3", "--image-order", "shuffled")
    by_item: dict[str, dict[str, float]] = {}
    for record in records(made):
        by_item.setdefault(record["item_id"], {})[record["variant"]] = record["credit"]
    out = report(made)
    lines = {line["order"]: line for line in lines_of(out, "image_orders.csv")}
    assert list(lines) == ["start", "shuffled"]
    for name, variant in (("start", "order:start-3"), ("shuffled", "order:shuffled")):
        pairs = [(values[""], values[variant]) for values in by_item.values()]
        line = lines[name]
        assert (line["n"], line["n_unscored"], line["prompts_per_item"]) == ("40", "0", "2")
        q, p = fmean((a + b) / 2 for a, b in pairs), fmean(a == b == 1 for a, b in pairs)
        assert number_of(line, "acc_q", "acc_p", "consistency_gap") == pytest.approx([q, p, q - p], abs=1e-5)
        for column, ends in (("acc_q", "ci"), ("acc_p", "acc_p"), ("consistency_gap", "consistency_gap")):
            low, at, high = number_of(line, f"{ends}_low", column, f"{ends}_high")
            assert 0 <= low < at < high <= 1
    shown = page(out).table("Image order")
    assert [row["Image order"] for row in shown] == ["another first image", "shuffled images"]


def test_all_starts_together_are_harder_than_one(tmp_path: Path) -> None:
    made = run(tmp_path / "run", FOUR.id, TWO.id, "--n", 40, "--image-order", "start", "--image-order", "shuffled")
    values: dict[str, list[float]] = {}
    for record in records(made):
        if record["item_id"].startswith(FOUR.id) and record["variant"] in ("", "order:start-2", "order:start-3", "order:start-4"):
            values.setdefault(record["item_id"], []).append(record["credit"])
    lines = {(line["task"], line["order"]): line for line in lines_of(report(made), "image_orders.csv")}
    line = lines[FOUR.id, "start"]
    assert line["prompts_per_item"] == "4"
    assert float(line["acc_q"]) == pytest.approx(fmean(map(fmean, values.values())), abs=1e-5)
    assert float(line["acc_p"]) == pytest.approx(fmean(all(scores) for scores in values.values()), abs=1e-5)
    assert set(lines) == {(FOUR.id, "start"), (FOUR.id, "shuffled"), (TWO.id, "shuffled")}


def test_who_always_says_the_same_has_no_gap(tmp_path: Path) -> None:
    (line,) = lines_of(
        report(run(tmp_path / "run", FOUR.id, "--n", 16, "--image-order", "start-2", model="simulated/constant:B")), "image_orders.csv"
    )
    assert number_of(line, "acc_q", "acc_p", "consistency_gap", "consistency_gap_low") == [0.25, 0.25, 0, 0]
    assert float(line["consistency_gap_high"]) > 0


def test_the_numbers_wait_for_every_verdict(tmp_path: Path) -> None:
    made = run(tmp_path / "run", FOUR.id, "--n", 8, "--image-order", "start-2")
    write_records(made, [record for number, record in enumerate(records(made)) if number != 5])
    out = report(made)
    (line,) = lines_of(out, "image_orders.csv")
    assert (line["n"], line["n_unscored"], line["acc_q"], line["acc_p"], line["consistency_gap"]) == ("7", "1", "", "", "")
    assert "not reported (1 item not scored)" in (out / "index.html").read_text(encoding="utf-8")


# A single answer --------------------------------------------------------------------------------------------------


def test_the_floor_stands_beside_tasks_of_two_options_and_beside_who_says_the_same(tmp_path: Path) -> None:
    constant = report(run(tmp_path / "constant", FOUR.id, TWO.id, "--n", 40, model="simulated/constant:B"))
    lines = {line["task"]: line for line in lines_of(constant, "constant_baseline.csv")}
    assert set(lines) == {FOUR.id, TWO.id}
    assert number_of(lines[FOUR.id], "baseline_accuracy", "accuracy", "gain", "modal_answer_rate") == [0.25, 0.25, 0, 1]
    assert lines[FOUR.id]["modal_answer"] == "B"
    assert number_of(lines[TWO.id], "baseline_accuracy", "accuracy", "modal_answer_rate") == [0.5, 0.5, 1]
    assert [row["Task"] for row in page(constant).table("Best constant answer")] == [TWO.id, FOUR.id]
    guesser = report(run(tmp_path / "guesser", FOUR.id, TWO.id, "--n", 40))
    assert [line["task"] for line in lines_of(guesser, "constant_baseline.csv")] == [TWO.id]


def test_the_floor_is_the_best_answer_and_not_the_one_that_was_given(tmp_path: Path) -> None:
    made = run(tmp_path / "run", TWO.id, "--n", 5)  # of an odd number, one key has one more
    keys = [row.answer for row in stored(made / "data")]
    best = max("AB", key=keys.count)
    say(made, lambda record, number: f"Answer: {'AB'['BA'.index(best)]}")
    (line,) = lines_of(report(made), "constant_baseline.csv")
    assert number_of(line, "baseline_accuracy", "accuracy", "gain") == pytest.approx([0.6, 0.4, -0.2], abs=1e-5)


def test_silence_is_no_constant_answer(tmp_path: Path) -> None:
    assert not (report(run(tmp_path / "run", FOUR.id, TWO.id, "--n", 8, model="simulated/silent")) / "constant_baseline.csv").exists()


# Questions that build on each other -------------------------------------------------------------------------------


def told(row: Any, first: bool, second: bool) -> str:
    key = json.loads(row.answer)
    wrong = {"A": "B"}
    where = key["where"] if first else wrong.get(key["where"], "A")
    beside = key["beside"] if second else wrong.get(key["beside"], "A")
    return json.dumps({"where": where, "beside": beside})


PATTERN = [(True, True)] * 6 + [(True, False)] * 3 + [(False, True)] * 1 + [(False, False)] * 2
UNREAD = 2


def rights(pattern: Sequence[tuple[bool, bool]]) -> tuple[float, float, float, float]:
    """Accuracy of the first and of the second, and that of the second where the first is right and where it is wrong."""
    whole = [*pattern, *[(False, False)] * UNREAD]
    given = [second for first, second in whole if first]
    others = [second for first, second in whole if not first]
    return fmean(first for first, _ in whole), fmean(second for _, second in whole), fmean(given), fmean(others)


def test_parts_of_a_joint_answer_and_the_second_given_the_first(tmp_path: Path) -> None:
    made = run(tmp_path / "run", JOINT.id, "--n", len(PATTERN) + UNREAD)
    rows = {row.id: row for row in stored(made / "data")}
    say(made, lambda record, number: told(rows[record["item_id"]], *PATTERN[number]) if number < len(PATTERN) else "Where?")
    first, second, given, otherwise = rights(PATTERN)
    a, b = lines_of(report(made), "conditional_accuracy.csv")
    assert (a["question"], a["prerequisite"], b["question"], b["prerequisite"], b["n_prerequisite_correct"]) == (
        "where",
        "",
        "beside",
        "where",
        "9",
    )
    assert float(a["accuracy"]) == pytest.approx(first, abs=1e-5)
    assert number_of(b, "accuracy", "accuracy_if_correct", "accuracy_if_incorrect") == pytest.approx([second, given, otherwise], abs=1e-5)
    assert float(b["accuracy_if_correct_low"]) < given < float(b["accuracy_if_correct_high"])


def test_two_tasks_about_the_same_thing_are_paired_item_by_item(tmp_path: Path) -> None:
    made = run(tmp_path / "run", SECOND.id, FIRST.id, "--n", len(PATTERN) + UNREAD)
    rows = {row.id: row for row in stored(made / "data")}
    pattern = [*PATTERN, *[(False, False)] * UNREAD]

    def words(record: dict[str, Any], number: int) -> str:
        row = rows[record["item_id"]]
        right = pattern[row.index][row.task == SECOND.id]
        return f"Answer: {row.answer if right else KEY[(KEY.index(row.answer) + 1) % 4]}"

    say(made, words)
    _, second, given, otherwise = rights(PATTERN)
    out = report(made)
    (line,) = lines_of(out, "conditional_accuracy.csv")
    assert (line["task"], line["prerequisite"], line["n"], line["n_prerequisite_correct"]) == (SECOND.id, FIRST.id, str(len(pattern)), "9")
    assert number_of(line, "accuracy", "accuracy_if_correct", "accuracy_if_incorrect") == pytest.approx(
        [second, given, otherwise], abs=1e-5
    )
    (shown,) = page(out).table("If correct")
    assert shown["If correct"] == f"{100 * given:.1f}"
    assert (shown["Prerequisite"], shown["n correct"]) == (FIRST.id, "9")


def test_shuffled_images_have_rows_of_their_own(tmp_path: Path) -> None:
    tasks = ("cospace/planning-question", "cospace/planning-decision")
    done("run", *tasks, "--n", 8, "--image-size", 256, "--image-order", "shuffled", "--workers", 1, "--model", "simulated/random", "--out",
         tmp_path / "run")  # fmt: skip
    correct: dict[tuple[str, str, str], bool] = {}
    for record in records(tmp_path / "run"):
        task, _, place = record["item_id"].partition("@")
        correct[record["variant"], task, place.partition("#")[0].split(":")[4]] = record["credit"] == 1
    assert {variant for variant, *_ in correct} == {"", "order:shuffled"}
    for line, variant in zip(lines_of(report(tmp_path / "run"), "conditional_accuracy.csv"), ("", "order:shuffled"), strict=True):
        assert line["condition"] == ("shuffled images" if variant else "")
        assert int(line["n_prerequisite_correct"]) == sum(correct[variant, tasks[0], str(k)] for k in range(8))
        assert float(line["accuracy"]) == pytest.approx(sum(correct[variant, tasks[1], str(k)] for k in range(8)) / 8)


# Groups -----------------------------------------------------------------------------------------------------------


def test_items_of_one_scene_count_together(tmp_path: Path) -> None:
    """Twenty items about five pictures, all of a picture right or wrong: as wide as for five and not for twenty."""
    width: dict[str, float] = {}
    for pictures, name in ((5, "together"), (20, "apart")):
        made = run(tmp_path / name, FIRST.id, "--n", 20, "--task-option", f"pictures={pictures}")
        keys = {row.id: row.answer if row.index % 5 < 2 else "Z" for row in stored(made / "data")}
        say(made, lambda record, number, keys=keys: f"Answer: {keys[record['item_id']]}")
        (line,) = lines_of(report(made), "results.csv")
        assert line["n_clusters"] == str(pictures)
        low, at, high = number_of(line, "ci_low", "accuracy", "ci_high")
        assert at == pytest.approx(0.4)
        width[name] = high - low
    assert width["together"] > 1.5 * width["apart"]
