"""A run that shows one picture at a time: what is sent and in which order, what is on record, and how it goes on after a fault."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from looking_round import WAYS, asked_in, hue, looking_round, ways_in
from scripted import Asked, Said, fault, serving
from workbench import Ended, done, edit, install, isovist, records, refused, stored

from isovist.data.prompts import IMAGE, caption, from_captions

FOUR = looking_round(4)
N = 4


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FOUR)
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    done("generate", FOUR.id, "--n", N, "--workers", 1, "--out", tmp_path / "data")
    return tmp_path / "data"


def captions(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "captions.jsonl").read_text(encoding="utf-8").splitlines()]


def pictures(asked: Asked) -> list[bytes]:
    return [part for part in asked.content if isinstance(part, bytes)]


def looks(asked: Asked) -> Said:
    """Describes the picture it is shown; without one, answers from its notes alone."""
    if pictures(asked):
        return Said(f"There is a {hue(pictures(asked)[0])} dot here.")
    notes, question = asked.words.split("The pictures are views")
    place = next(k for k, note in enumerate(notes.split("Image ")[1:]) if f"a {asked_in(question)} dot" in note)
    way = ways_in("The pictures are views" + question)[place]
    return Said(f"Answer: {'ABCD'[WAYS[4].index(way)]}")


def run(data: Path, url: str, out: Path, *more: object) -> Ended:
    asked = (
        "run",
        "--data",
        data,
        "--model",
        "m",
        "--base-url",
        url,
        "--out",
        out,
        "--image-mode",
        "caption-first",
        "--max-connections",
        1,
    )
    return isovist(*asked, *more)


# What is sent -----------------------------------------------------------------------------------------------------


def test_pictures_are_described_one_by_one_and_the_question_is_asked_of_the_descriptions(data: Path, tmp_path: Path) -> None:
    with serving(looks) as server:
        ended = run(data, server.url, tmp_path / "run", "--image-order", "shuffled")
        sent = server.asked
    assert ended.code == 0, ended
    assert "8 items and variants (8 correct)" in ended.out  # four items, each in two orders
    assert len(sent) == 8 * 5
    for start in range(0, len(sent), 5):
        *steps, last = sent[start : start + 5]
        (row,) = (row for row in stored(data) if sorted(row.images) == sorted(pictures(request)[0] for request in steps))
        for k, step in enumerate(steps):
            assert len(pictures(step)) == 1
            assert asked_in(step.words)  # the question is known beforehand
            assert all(f"{way}" in step.words for way in row.choices)
            assert step.words.count("There is a") == k
            assert f"image {k + 1} of 4" in step.words
            assert "Answer:" not in step.words
        assert pictures(last) == []
        assert last.words.count("There is a") == 4
        assert '"Answer:"' in last.words


def test_every_request_is_on_record_once_and_the_receipt_counts_them_all(data: Path, tmp_path: Path) -> None:
    with serving(looks) as server:
        assert run(data, server.url, tmp_path / "run").code == 0
        assert len(server.asked) == 5 * N
    assert len(records(tmp_path / "run")) == N
    assert Counter(entry["picture"] for entry in captions(tmp_path / "run")) == dict.fromkeys((1, 2, 3, 4), N)
    assert all(record["image_hashes"] == [] for record in records(tmp_path / "run"))
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["image_mode"] == "caption-first"
    usage = info["usage"]
    assert (usage["trials"], usage["attempts"], usage["captions"]) == (N, N, 4 * N)
    assert (usage["input_tokens"], usage["output_tokens"]) == (70 * 5 * N, 5 * 5 * N)
    assert sum(usage["image_sizes"].values()) == 4 * N
    assert "0 changed" in done("rescore", tmp_path / "run").out
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "caption-first: the question refers to descriptions of the images" in page
    assert all(f">{tokens:,}</td>" in page for tokens in (70 * 5 * N, 5 * 5 * N))
    assert "There is a " in page  # the notes stand beside the samples


def test_the_estimate_counts_every_request(data: Path, tmp_path: Path) -> None:
    with serving(looks) as server:
        ended = run(data, server.url, tmp_path / "run")
    assert f"{5 * N} requests, {4 * N} images" in ended.err


# Faults -----------------------------------------------------------------------------------------------------------


def test_a_fault_in_a_description_is_one_of_the_item_and_only_what_is_missing_is_asked_again(data: Path, tmp_path: Path) -> None:
    def broken(asked: Asked) -> Said:
        bad = pictures(asked) == [third]
        return fault(400, "cannot see this") if bad else looks(asked)

    third = stored(data)[1].images[2]
    hit = [stored(data)[1]]
    with serving(broken) as server:
        ended = run(data, server.url, tmp_path / "run")
        assert ended.code == 1
        assert "caption of image 3: 400: " in ended.err
        assert len(server.asked) == 5 * (N - len(hit)) + 3 * len(hit)
        failed = [record for record in records(tmp_path / "run") if record["outcome"] == "request_error"]
        assert {record["item_id"] for record in failed} == {row.id for row in hit}
        assert all(len(record["image_hashes"]) == 1 and record["response"] == "" for record in failed)
        assert len(captions(tmp_path / "run")) == 4 * (N - len(hit)) + 2 * len(hit)

        server.script, before = looks, len(server.asked)
        assert run(data, server.url, tmp_path / "run").code == 0
        again = server.asked[before:]
    assert len(again) == 3 * len(hit)  # pictures 3 and 4, and the answer
    assert all("There is a" in asked.words for asked in again)
    assert Counter(record["outcome"] for record in records(tmp_path / "run")) == {"correct": N, "request_error": len(hit)}


def test_a_fault_at_the_answer_asks_the_answer_alone_again(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: looks(asked) if pictures(asked) else fault(400)) as server:
        ended = run(data, server.url, tmp_path / "run")
        assert ended.code == 2  # nothing at all was answered
        first = len(server.asked)
        server.script = looks
        assert run(data, server.url, tmp_path / "run").code == 0
        assert len(server.asked) - first == 5 * N - 4 * 3  # the first three were described before the run gave up
    assert len(captions(tmp_path / "run")) == 4 * N


def test_a_torn_line_of_captions_is_asked_again_and_a_damaged_one_is_refused(data: Path, tmp_path: Path) -> None:
    with serving(looks) as server:
        assert run(data, server.url, tmp_path / "run").code == 0
        (tmp_path / "run" / "records.jsonl").write_bytes(b"".join((tmp_path / "run" / "records.jsonl").read_bytes().splitlines(True)[:-1]))
        path = tmp_path / "run" / "captions.jsonl"
        path.write_bytes(path.read_bytes()[:-20])
        before = len(server.asked)
        assert run(data, server.url, tmp_path / "run").code == 0
        assert len(server.asked) - before == 2  # the last description, and the answer
        assert len(captions(tmp_path / "run")) == 4 * N

        (tmp_path / "run" / "records.jsonl").write_bytes(b"")
        path.write_bytes(b"{}\n" + path.read_bytes())
        ended = run(data, server.url, tmp_path / "run")
        assert ended.code == 2
        assert "captions.jsonl, line 1" in ended.err


def test_captions_of_other_words_are_asked_again(data: Path, tmp_path: Path) -> None:
    with serving(looks) as server:
        assert run(data, server.url, tmp_path / "run").code == 0
        (tmp_path / "run" / "records.jsonl").write_bytes(b"")
        entries = captions(tmp_path / "run")
        entries[0]["response"] = "A cat."  # what comes after it was written with other notes before
        (tmp_path / "run" / "captions.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        before = len(server.asked)
        run(data, server.url, tmp_path / "run")
        assert len(server.asked) - before == N + 3


def test_a_budget_counts_descriptions_too(data: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.m]\ninput = 1000\noutput = 2000\n")
    each = 5 * (70 * 1000 + 5 * 2000) / 1e6
    with serving(looks) as server:
        ended = run(data, server.url, tmp_path / "run", "--pricing", prices, "--max-cost", 2.5 * each)
        assert "Cost limit reached" in ended.err
        assert len(server.asked) == 2 * 5
        ended = run(data, server.url, tmp_path / "run", "--pricing", prices, "--max-cost", 3.5 * each)
        assert len(server.asked) == 3 * 5
        assert f"{3 * each:.2f} USD" in ended.out


# Runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "outcome"), [("simulated/oracle", "correct"), ("simulated/silent", "empty"), ("simulated/constant:A", None)]
)
def test_fakes_go_through_it(data: Path, tmp_path: Path, model: str, outcome: str | None) -> None:
    done("run", "--data", data, "--model", model, "--image-mode", "caption-first", "--out", tmp_path / "run")
    assert len(captions(tmp_path / "run")) == 4 * N
    assert outcome is None or {record["outcome"] for record in records(tmp_path / "run")} == {outcome}


def test_items_without_pictures_are_asked_at_once(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/oracle", "--image-mode", "caption-first", "--no-image", "--out", tmp_path / "run")
    assert {entry["variant"] for entry in captions(tmp_path / "run")} == {""}
    assert Counter(record["variant"] for record in records(tmp_path / "run")) == {"": N, "no-image": N}


def test_two_protocols_in_one_folder_are_refused(data: Path, tmp_path: Path) -> None:
    command = ("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "run")
    done(*command)
    refused(isovist(*command, "--image-mode", "caption-first"), "different image mode")
    edit(tmp_path / "run" / "run.json", lambda info: info.pop("image_mode"))  # a run from before there were two
    assert "0 evaluated now" in done(*command).out


# Words ------------------------------------------------------------------------------------------------------------


def test_marks_of_pictures_in_a_question_become_numbers_and_those_in_a_description_nothing() -> None:
    question = f"Compare {IMAGE} with {IMAGE}.\nA. same\nB. other"
    prompt = caption(question, 2, 2, ["a <image> of a dot"])
    assert prompt.count(IMAGE) == 1
    assert prompt.index(IMAGE) > prompt.index("image 2 of 2")
    assert "Compare (image 1) with (image 2).\nA. same\nB. other" in prompt
    last = from_captions(f"{IMAGE}\n{IMAGE}\nWhich?\nReply.", ["<image>", ""])
    assert IMAGE not in last
    assert last.endswith("\n\nWhich?\nReply.")
    assert "Image 1: (image)" in last
    assert "Image 2: (nothing)" in last


def test_thinking_in_a_description_is_left_out_of_the_notes(data: Path, tmp_path: Path) -> None:
    def thinks(asked: Asked) -> Said:
        reply = looks(asked)
        return Said(f"<thinking>perhaps a yellow one</thinking>{reply.content}") if pictures(asked) else reply

    with serving(thinks) as server:
        assert run(data, server.url, tmp_path / "run").code == 0
        assert not any("yellow" in asked.words for asked in server.asked)
    assert all("yellow" in entry["response"] for entry in captions(tmp_path / "run"))
