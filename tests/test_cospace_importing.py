"""CoSpace's published files become items of several pictures, with their other orders and their pairs of questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from looking_round import looking_round
from published_sets import by_part, cospace, picture, rejected
from recount import lines_of
from workbench import done, install, isovist, records, refused

from isovist.core.answers import JointAnswer
from isovist.core.task import Paper, Reported
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.benchmarks.cospace import listed
from isovist.suites.cospace.published_scorer import published

Told = dict[str, Any]
READ, IMPORTED, ITEMS, ORDERS = 22, 10, 14, 8


@pytest.fixture
def found(tmp_path: Path) -> dict[str, list[ItemRow]]:
    ended = done("import", "cospace", cospace(tmp_path / "set"), "--out", tmp_path / "out")
    assert ended.out.endswith(f"Imported {IMPORTED} of {READ} records as {ITEMS} items with {ORDERS} other image orders. Skipped: 4.\n")
    return by_part(tmp_path / "out")


def spoiled(folder: Path, name: str, change: Told, number: int = 0) -> Path:
    """The set with one record changed."""
    path = cospace(folder) / "src" / "data" / "anno" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[number] |= change
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_every_task_of_the_set_has_its_items(found: dict[str, list[ItemRow]]) -> None:
    assert {part: [(row.answer_type, row.answer, len(row.images)) for row in rows] for part, rows in found.items()} == {
        "direction-recognition": [("choice", "B", 4), ("choice", "D", 4), ("choice", "B", 4)],
        "directional-object": [("choice", "C", 4)],
        "counting": [("count", "3", 4)],
        "rotation-angle": [("choice", "A", 4), ("choice", "B", 4)],
        "rotation-difference": [("count", "2", 5)],
        "planning": [("fields", '{"Answer1": "C", "Answer2": "D"}', 4)] * 2,
        "planning-question": [("choice", "C", 4)] * 2,
        "planning-decision": [("choice", "D", 4)] * 2,
    }
    road = found["direction-recognition"][0]
    assert road.choices == ("north to south", "east to west", "northeast to southwest", "northwest to southeast")
    assert road.images == tuple(picture(k, "JPEG") for k in range(4))  # byte for byte, from the folder of another name
    assert road.metadata.question.endswith(
        "The camera points north in image 1, east in image 2, south in image 3, and west in image 4.\nWhich way does the road run?"
    )
    assert found["directional-object"][0].choices == ("a bus", "a garden", "A tall tree", "A kiosk")
    assert found["rotation-angle"][0].choices == ("45", "90")
    assert [row.metadata.attributes["steps"] for row in found["rotation-angle"]] == ["even", "uneven"]
    assert found["rotation-difference"][0].images[1] == picture(46, "JPEG")
    assert found["counting"][0].chance == 0.1
    assert found["rotation-difference"][0].chance == 0.2
    joint = found["planning"][0].key
    assert isinstance(joint, JointAnswer)
    assert [name for name, _ in joint.parts] == ["Answer1", "Answer2"]


def test_pairs_of_planning_share_their_group_and_place(found: dict[str, list[ItemRow]]) -> None:
    for question, decision, both in zip(found["planning-question"], found["planning-decision"], found["planning"], strict=True):
        assert question.group == decision.group == both.group
        assert question.index == decision.index == both.index
    assert len({row.group for rows in found.values() for row in rows}) == 5


def test_other_orders_are_stored_with_the_item_and_their_words_fit(found: dict[str, list[ItemRow]]) -> None:
    road, fourth, first = found["direction-recognition"]
    assert {name: order.images for name, order in road.metadata.image_orders.items()} == {"start-2": (1, 2, 3, 0), "shuffled": (0, 3, 1, 2)}
    assert (
        "points east in image 1, south in image 2, west in image 3, and north in image 4.\nWhich way"
        in road.metadata.image_orders["start-2"].question
    )
    assert "no particular order. The camera points north in image 1.\nWhich way" in road.metadata.image_orders["shuffled"].question
    assert fourth.metadata.image_orders == {}  # in another order its fourth picture faces elsewhere
    assert list(first.metadata.image_orders) == ["shuffled"]  # only there its first picture stays the first
    assert list(found["directional-object"][0].metadata.image_orders) == ["shuffled"]  # the other one has another key
    assert found["counting"][0].metadata.image_orders["start-3"].images == (2, 3, 0, 1)
    assert (
        "to your front in image 1, to your right in image 2, to your back in image 3, and to your left in image 4"
        in found["planning-question"][0].metadata.question
    )
    assert "The camera points to your front in image 1." in found["planning-question"][0].metadata.image_orders["shuffled"].question
    same = found["planning"][1].metadata.image_orders["shuffled"]
    assert same.images == (0, 1, 2, 3)  # the published random order can be the item's own
    assert "in no particular order. The camera points to your front in image 1." in same.question


@pytest.mark.parametrize("published", ["0", "11"])
def test_counts_of_the_published_range_are_keys(tmp_path: Path, published: str) -> None:
    done("import", "cospace", spoiled(tmp_path / "set", "counting", {"answer": published}), "--out", tmp_path / "out")
    (row,) = by_part(tmp_path / "out")["counting"]
    assert (row.answer_type, row.answer) == ("count", published)
    assert row.key.score(f"Answer: {published}").credit == 1
    assert row.key.score("Answer: 3").credit == 0


def test_what_is_no_other_order_is_told_with_its_reason(tmp_path: Path, found: dict[str, list[ItemRow]]) -> None:
    assert found
    assert Counter(
        (Path(rejection["file"]).stem, rejection["record"], rejection["reason"]) for rejection in rejected(tmp_path / "out")
    ) == {
        ("direction-turn", 1, "another order, but the question refers to an image by its position"): 1,
        ("direction-2", 1, "another order, but the question refers to an image by its position"): 1,
        ("object-turn", 0, "another order has another key"): 1,
        ("direction-turn", 2, "another order, but the question refers to an image by its position"): 1,
    }


def test_a_run_over_the_set_asks_pairs_and_reports_beside_the_paper(
    tmp_path: Path, found: dict[str, list[ItemRow]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found
    decision = replace(
        looking_round(4),
        id="cospace/planning-decision",
        paper=Paper(scorer=published),
        reported=Reported(prerequisite="cospace/planning-question"),
    )
    install(monkeypatch, decision)  # published items are scored and paired as those of the suite
    run = tmp_path / "run"
    done(
        "run",
        "--data",
        tmp_path / "out",
        "--model",
        "simulated/oracle",
        "--image-order",
        "start",
        "--image-order",
        "shuffled",
        "--out",
        run,
    )
    assert Counter(record["variant"] for record in records(run)) == {"": 14, "order:start-2": 1, "order:start-3": 1, "order:shuffled": 10}
    assert all(record["published_credit"] == 1 for record in records(run))
    done("report", run, "--out", tmp_path / "report")
    lines = lines_of(tmp_path / "report", "image_orders.csv")
    assert {(line["task"].partition("/")[2], line["order"], line["acc_p"]) for line in lines} == {
        ("direction-recognition", "start", "1"),
        ("direction-recognition", "shuffled", "1"),
        ("directional-object", "shuffled", "1"),
        ("counting", "start", "1"),
        ("counting", "shuffled", "1"),
        ("planning", "shuffled", "1"),
        ("planning-question", "shuffled", "1"),
        ("planning-decision", "shuffled", "1"),
    }
    pairs = [line for line in lines_of(tmp_path / "report", "conditional_accuracy.csv") if line["task"].endswith("planning-decision")]
    assert [pair["condition"] for pair in pairs] == ["", "shuffled images"]
    for pair in pairs:
        assert (pair["prerequisite"], pair["n"], pair["accuracy_if_correct"]) == ("cospace-published/planning-question", "2", "1")
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "| Task | Condition | simulated/oracle (%) | 95% CI | Claude-3.7-sonnet | Gemini-1.5-pro | GPT-4o |" in page
    for start, figures in (
        ("direction-recognition | mean of two image orders", "44.40 | 37.60 | 40.40"),
        ("planning-question | standard", "54.73 | 51.64 | 53.05"),
    ):
        assert re.search(rf"\| cospace-published/{re.escape(start)} \| 100\.0 \| \[[\d.]+, 100\.0\]†? \| {re.escape(figures)} \|", page), (
            start
        )
    done("verify", tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("direction", {"images": ["../../data/images/5/0.jpg", "../../data/images/5/1.jpg", "../../data/images/5/2.jpg", "../../data/images/5/9.jpg"]}, "the image is missing"),
        ("direction", {"images": ["../../data/images/5/0.jpg"]}, "not 4 pictures"),
        ("direction", {"images": "0.jpg"}, "the images are not a list of names"),
        ("direction", {"images": ["../../../etc/passwd"] * 4}, "an image name is not FOLDER/SCENE/FILE"),
        ("direction", {"answer": "E"}, "the answer is not among the options"),
        ("direction", {"options": "north, east"}, "the options are not labelled A, B, C ..."),
        ("direction", {"options": "A. north B. North"}, "two options are the same"),
        ("direction", {"task": "chance-performance"}, "an unknown task"),
        ("direction", {"index": "0"}, "the index is not a number"),
        ("direction", {"index": 1}, "another item has its index"),
        ("direction-turn", {"index": 7}, "another order of a missing item"),
        ("direction-turn", {"question": "Which way?"}, "another order has another question"),
        ("direction-turn", {"options": "A. north B. east"}, "another order has other options"),
        ("direction-turn", {"images": ["../../data/images/7/0.jpg"] * 4}, "another order has other images"),
        ("direction-turn", {"images": [f"../../data/images/5/{k}.jpg" for k in range(4)]}, "another order is the same as that of the item"),
        ("direction-turn", {"images": [f"../../data/images/5/{k}.jpg" for k in (1, 0, 2, 3)]}, "another start, but not in clockwise order"),
        ("counting", {"answer": "three"}, "the answer is not a number"),
        ("dif-ang", {"answer": "6"}, "the answer is not one of the images"),
        ("planning", {"answer-dec": None}, "no answer-dec"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_used_is_told_and_the_counts_add_up(tmp_path: Path, name: str, change: Told, reason: str) -> None:
    ended = done("import", "cospace", spoiled(tmp_path / "set", name, change), "--out", tmp_path / "out")
    rejections = rejected(tmp_path / "out")
    assert reason in {rejection["reason"] for rejection in rejections}
    assert reason in ended.err
    words = ended.out.splitlines()[-1].replace(",", "").split()
    read, orders = (int(words[words.index(word) - 1]) for word in ("records", "other"))
    used, lost = (int(words[words.index(word) + 1].rstrip(".")) for word in ("Imported", "Skipped:"))
    assert read == READ == used + orders + lost
    assert lost == len(rejections)


def test_a_set_without_its_pictures_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    folder = cospace(tmp_path / "set")
    refused_by = isovist("import", "cospace", folder / "src" / "data" / "anno", "--out", tmp_path / "out")
    refused(refused_by, "No usable record of CoSpace", "the image is missing")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("A. north B. east C. south D. west", ("north", "east", "south", "west")),
        ("A.45 B.90", ("45", "90")),
        ("a. North;  b) East, C:South", ("North", "East", "South")),
        ("(A) a bus (B) a tree.", ("a bus", "a tree")),
        ("A. A row of palms B. A bus C. a D-shaped arch", ("A row of palms", "A bus", "a D-shaped arch")),
        ("A. go ahead\nB. turn back and go ahead", ("go ahead", "turn back and go ahead")),
    ],
)
def test_options_are_told_apart_whatever_their_spacing_and_case(text: str, options: tuple[str, ...]) -> None:
    assert listed(text) == options


@pytest.mark.parametrize("text", ["", "A. north", "B. east A. north", "see A. north B. east", "north east"])
def test_what_lists_no_options_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="not labelled"):
        listed(text)
