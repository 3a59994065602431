"""Items asked with their pictures in another order: what is stored, what is sent, and what conformance makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from looking_round import Scene, asked_in, hue, looking_round, ways_in, words
from workbench import done, edit, install, isovist, parquet, records, refused, spoil, stored

from isovist.audit.testing import conformance
from isovist.core.task import Task
from isovist.data.dataset.rows import ItemRow
from isovist.data.prompts import IMAGE
from isovist.evaluation.run.variants import VariantSettings, family, kind_of, trials

FOUR, TWO = looking_round(4), looking_round(2)
CHECK = conformance.another_order_of_the_pictures_keeps_the_answer


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FOUR, TWO)


@pytest.fixture
def rows(tmp_path: Path) -> list[ItemRow]:
    done("generate", FOUR.id, TWO.id, "--n", 6, "--workers", 1, "--out", tmp_path / "data")
    return stored(tmp_path / "data")


# What is sent -----------------------------------------------------------------------------------------------------


def test_in_another_order_the_words_still_point_at_the_picture_with_the_key(rows: list[ItemRow]) -> None:
    for row in rows:
        mine = {a.variant: a for a in trials([row], VariantSettings(image_orders=("start", "shuffled")), "direct")}
        starts = [f"order:start-{k}" for k in (2, 3, 4)] if row.task == FOUR.id else []
        assert list(mine) == ["", *starts, "order:shuffled"]
        for name, asking in mine.items():
            assert asking.key == row.key
            assert asking.prompt.count(IMAGE) == len(asking.images) == len(row.images)
            assert "nothing else" in asking.prompt  # the style of the run
            number = [hue(image) for image in asking.images].index(asked_in(asking.prompt))
            assert ways_in(asking.prompt)[number] == row.key.balance_bin()
            assert sorted(asking.images) == sorted(row.images)
            assert (asking.images == row.images) == (name == "")


def test_one_start_can_be_asked_alone_and_starts_are_one_family(rows: list[ItemRow]) -> None:
    row = next(row for row in rows if row.task == FOUR.id)
    assert VariantSettings(image_orders=("start-3",)).names(row.key, "direct", row.metadata.image_orders) == ["", "order:start-3"]
    assert VariantSettings().names(row.key, "direct", row.metadata.image_orders) == [""]
    assert {family(f"order:start-{k}") for k in (2, 3, 4)} == {"order:start"}
    assert (kind_of("shuffled"), kind_of("from-end-12"), kind_of("-2"), kind_of("start-x")) == ("shuffled", "from-end", "-2", "start-x")
    both = VariantSettings(image_orders=("start",)) | VariantSettings(image_orders=("shuffled", "start"))
    assert both.image_orders == ("start", "shuffled")


def test_a_run_asks_the_orders_and_the_report_compares_them(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done(
        "run",
        FOUR.id,
        "--n",
        8,
        "--model",
        "simulated/oracle",
        "--out",
        run,
        "--workers",
        1,
        "--image-order",
        "start",
        "--image-order",
        "shuffled",
    )
    assert Counter(record["variant"] for record in records(run)) == dict.fromkeys(
        ("", "order:start-2", "order:start-3", "order:start-4", "order:shuffled"), 8
    )
    for record in records(run):
        same = next(r for r in records(run) if r["item_id"] == record["item_id"] and not r["variant"])
        assert sorted(record["image_hashes"]) == sorted(same["image_hashes"])
        assert (record["image_hashes"] == same["image_hashes"]) == (not record["variant"])
        assert (record["prompt_hash"] == same["prompt_hash"]) == (not record["variant"])
    assert "0 changed" in done("rescore", run).out
    done("report", run, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "another first image" in page
    assert "shuffled images" in page
    csv = (tmp_path / "report" / "variants.csv").read_text(encoding="utf-8")
    assert "order:start" in csv
    assert "order:shuffled" in csv


def test_an_order_may_be_added_to_a_run(tmp_path: Path) -> None:
    command = ("run", FOUR.id, "--n", 4, "--model", "simulated/random", "--out", tmp_path / "run", "--workers", 1)
    done(*command)
    assert "12 evaluated now" in done(*command, "--image-order", "start").out
    assert "4 evaluated now" in done(*command, "--image-order", "shuffled").out
    assert "0 evaluated now" in done(*command).out


def test_an_order_that_no_item_has_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    run = tmp_path / "run"
    for task in ("cdr/relative-compass-letter", FOUR.id):
        refused(
            isovist("run", task, "--n", 4, "--model", "simulated/random", "--out", run, "--image-order", "reversed"),
            "--image-order reversed",
            "Remove it",
        )
        assert not run.exists()
    refused(isovist("run", TWO.id, "--n", 4, "--model", "simulated/random", "--out", run, "--image-order", "start"), "--image-order start")
    assert not run.exists()
    done("run", TWO.id, FOUR.id, "--n", 4, "--workers", 1, "--model", "simulated/random", "--out", tmp_path / "3", "--image-order", "start")
    varied = Counter(record["item_id"].partition("@")[0] for record in records(tmp_path / "3") if record["variant"])
    assert varied == {FOUR.id: 12}  # those that have it are asked, the others are not


# What is stored ---------------------------------------------------------------------------------------------------


def test_orders_are_stored_with_the_row_and_verified(tmp_path: Path) -> None:
    done("generate", FOUR.id, "--n", 4, "--workers", 1, "--out", tmp_path / "data")
    row = stored(tmp_path / "data")[0]
    assert row.metadata.image_orders["start-2"].images == (1, 2, 3, 0)
    assert row.metadata.image_orders["start-2"].question != row.metadata.question
    done("verify", tmp_path / "data", "--workers", 1)

    def shift(rows: list[dict[str, Any]]) -> None:
        rows[0]["metadata"] = rows[0]["metadata"].replace('"start-2": {"images": [1, 2, 3, 0]', '"start-2": {"images": [2, 3, 0, 1]')

    spoil(parquet(tmp_path / "data", FOUR.id), shift)
    assert "orders" in isovist("verify", tmp_path / "data", "--workers", 1).out


def test_rows_that_name_no_order_of_their_pictures_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    done("generate", FOUR.id, "--n", 4, "--workers", 1, "--out", tmp_path / "data")

    def lose(rows: list[dict[str, Any]]) -> None:
        rows[2]["metadata"] = rows[2]["metadata"].replace('"start-2": {"images": [1, 2, 3, 0]', '"start-2": {"images": [1, 2, 3]')

    spoil(parquet(tmp_path / "data", FOUR.id), lose)
    file = parquet(tmp_path / "data", FOUR.id)
    spoilt = {file.relative_to(tmp_path / "data").as_posix(): sha256(file.read_bytes()).hexdigest()}
    edit(tmp_path / "data" / "isovist.json", lambda manifest: manifest["hashes"].update(spoilt))
    refused(
        isovist("run", "--data", tmp_path / "data", "--model", "simulated/random", "--out", tmp_path / "run"),
        "start-2 is not an order",
        ":2#",
    )


# Conformance ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [FOUR, TWO], ids=lambda task: task.id)
def test_a_task_with_orders_passes(task: Task[Scene]) -> None:
    for check in (CHECK, conformance.the_drawing_alone_gives_the_answer, conformance.answers_are_balanced):
        check(task)


def kept(scene: Scene) -> Any:
    """Turns the pictures and leaves the words as they were."""
    return {"start-2": ((1, 2, 3, 0), words(scene, range(4)))}


@pytest.mark.parametrize(
    ("orders", "says"),
    [
        (kept, "rederived in this image order"),
        (lambda scene: {}, "gives no order for any item"),
        (lambda scene: {"start-2": ((0, 1, 2, 3), words(scene, range(4)))}, "same order as in the item itself"),
        (lambda scene: {"start-2": ((1, 2, 3), words(scene, range(4)))}, "is not a permutation of 4 pictures"),
        (lambda scene: {"Start 2": ((1, 2, 3, 0), words(scene, (1, 2, 3, 0)))}, "invalid name of an image order"),
    ],
)
def test_a_fault_in_an_order_is_caught(monkeypatch: pytest.MonkeyPatch, orders: Callable[[Scene], Any], says: str) -> None:
    faulty = replace(FOUR, images=replace(FOUR.images, orders=orders))
    install(monkeypatch, faulty)
    with pytest.raises(AssertionError, match=says):
        CHECK(faulty)
