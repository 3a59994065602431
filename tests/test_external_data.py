"""General data are read record by record, drawn by seed, and never trusted."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from external_data_files import BAD, ONE, bad, good, picture, talk, written

from isovist.common.errors import UserError
from isovist.data.dataset.training_examples import ChatMessage
from isovist.data.importers.benchmark_format import Unusable
from isovist.training import external_data
from isovist.training.external_data import RecordStore, SampledRecords, Source, draw, example, read, record


def drawn(folder: Path, records: list[Any], n: int, seed: int = 0, shows: Any = lambda image: None) -> SampledRecords:
    source = Source("general", written(folder / "general.json", records), folder / "images")
    source.check()
    RecordStore.write(folder / "records.sqlite", read(source.path))
    with closing(RecordStore(folder / "records.sqlite")) as store:
        assert len(store) == len(records)
        return draw(store, source, n, seed, 2, shows, lambda count: None)


def test_records_become_examples_with_their_pictures_and_turns(tmp_path: Path) -> None:
    records = good(tmp_path / "images", 3)
    source = Source("llava", written(tmp_path / "a.json", records), tmp_path / "images")
    one, two, none = (example(k, entry, source) for k, entry in enumerate(read(source.path)))
    assert one.images == (picture(0, "JPEG"),)
    assert two.images == (picture(10, "JPEG"), picture(11, "PNG"))
    assert none.images == ()
    assert one.turns == (
        ChatMessage("user", "<image>\nWhat of 0?"), ChatMessage("assistant", "It is 0."), ChatMessage("user", "And now?"), ChatMessage("assistant", "Now é."),
    )  # fmt: skip
    assert (one.id, one.kind, one.source, one.key) == ("llava#0/general", "general", "llava", "")


def test_a_system_turn_may_stand_first_and_other_pictures_become_png(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(picture(1, "GIF"))
    entry = {"image": "a.gif", "conversations": [{"from": "system", "value": "Be brief."}, *ONE]}
    training_example = example(0, entry, Source("g", tmp_path / "g.json", tmp_path))
    assert [turn.role for turn in training_example.turns] == ["system", "user", "assistant"]
    assert training_example.images[0].startswith(b"\x89PNG")


def test_records_that_follow_each_other_are_read_too(tmp_path: Path) -> None:
    records = good(tmp_path / "images", 4)
    (tmp_path / "a.jsonl").write_text(" \n" + "\n".join(map(json.dumps, records)))
    assert list(read(tmp_path / "a.jsonl")) == records


@pytest.mark.parametrize("text", ["", "[{", '{"a": 1} nonsense', "\x00", '["\xff"]'])
def test_what_is_no_json_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match="cannot be read as JSON") as raised:
        list(read(tmp_path / "a.json"))
    assert "\n" not in str(raised.value)


def test_a_record_nested_without_end_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" + '{"a":' * 5000 + "1" + "}" * 5000 + "]")
    RecordStore.write(tmp_path / "records.sqlite", read(tmp_path / "a.json"))
    with closing(RecordStore(tmp_path / "records.sqlite")) as store:
        assert [store[0]] == [None]


def test_a_draw_is_that_of_its_seed_and_a_larger_one_begins_with_it(tmp_path: Path) -> None:
    records = good(tmp_path / "images", 40)
    ten = drawn(tmp_path, records, 10).numbers
    assert len(set(ten)) == 10
    assert drawn(tmp_path, records, 10).numbers == ten != drawn(tmp_path, records, 10, seed=1).numbers
    assert drawn(tmp_path, records, 20).numbers[:10] == ten
    assert sorted(drawn(tmp_path, records, 40).numbers) == list(range(40))


def test_each_unusable_record_is_reported_and_replaced(tmp_path: Path) -> None:
    usable = good(tmp_path / "images", 8)
    records = [*bad(tmp_path / "images"), *usable, {**usable[2], "id": "again"}]
    sample = drawn(tmp_path, records, 8)
    used = [len(BAD) + k for k in range(8)]
    used[2] = min(sample.numbers, key=lambda number: number not in (used[2], len(records) - 1))  # one of the two that are the same
    assert sorted(sample.numbers) == sorted(used)
    reasons = dict(sample.reasons)
    reasons.pop("a duplicate of an earlier record", None)  # only if both were drawn
    assert reasons.keys() <= BAD.keys()
    assert all(list(BAD)[one.number] == one.reason for one in sample.rejected if one.number < len(BAD))
    with pytest.raises(UserError, match=rf"8 of its {len(records)} records can be used, and 9 are asked for"):
        drawn(tmp_path, records, 9)


@pytest.mark.parametrize("reason", BAD)
def test_every_reason_has_a_record(tmp_path: Path, reason: str) -> None:
    good(tmp_path / "images", 1)
    bad(tmp_path / "images")
    source = Source("g", tmp_path / "g.json", tmp_path / "images")
    with pytest.raises(Unusable) as raised:
        _ = [external_data.picture(source, name) for name in record(BAD[reason]).images]
    assert raised.value.reason == reason


@pytest.mark.parametrize("name", ["/etc/passwd", "a/../../b.png", "..\\b.png", "C:\\b.png", "a\0.png", "..", "/"])
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(Unusable, match="leaves the folder"):
        record({"image": name, "conversations": ONE})


def test_half_a_character_is_no_text() -> None:
    with pytest.raises(Unusable, match="not text"):
        record({"conversations": talk("Hello \ud800", "Yes.")})


def test_a_picture_of_a_test_is_not_drawn(tmp_path: Path) -> None:
    records = good(tmp_path / "images", 6)
    sample = drawn(tmp_path, records, 5, shows=lambda image: "some test" if image == picture(30, "JPEG") else None)
    assert 3 not in sample.numbers
    with pytest.raises(UserError, match="an image of a test set"):
        drawn(tmp_path, records, 6, shows=lambda image: "some test" if image == picture(30, "JPEG") else None)


def test_what_is_missing_is_one_line(tmp_path: Path) -> None:
    written(tmp_path / "a.json", [])
    for source, message in (
        (Source("g", tmp_path / "b.json", tmp_path), "no such file"),
        (Source("g", tmp_path, tmp_path), "a folder"),
        (Source("g", tmp_path / "a.json", tmp_path / "images"), "no such folder"),
    ):
        with pytest.raises(UserError, match=message):
            source.check()
    with pytest.raises(UserError, match="record 0 was drawn and cannot be used now"):
        example(0, {"image": "gone.png", "conversations": talk("<image> What?", "This.")}, Source("g", tmp_path / "a.json", tmp_path))
