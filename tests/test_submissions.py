"""Submissions: a run of a small release is packed, checked and shown; what was tampered with is refused with its reason, and garbage too."""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import browser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench import contents, done, edit, isovist, records, refused, write_records

from isovist.common.errors import CheckFailed, UserError
from isovist.common.private_seeds import using
from isovist.data.releases.definition import release_file
from isovist.reporting.submissions.archive import MEMBERS
from isovist.reporting.submissions.check import OrganiserData, check, organiser_data
from isovist.reporting.submissions.model_card import TEMPLATE

TASKS = ("cdr/relative-compass-letter", "cdr/object-classification-number")
HOSTILE = '<img src=x onerror="document.title=1">'


@dataclass(frozen=True)
class World:
    """A release with a private seed, its data, a run and the submission of it."""

    home: Path
    data: OrganiserData

    @property
    def zip(self) -> Path:
        return self.home / "random.zip"

    @property
    def options(self) -> tuple[object, ...]:
        return ("--data", self.home / "data", "--release", self.home / "compass-1.toml", "--secret", self.home / "secret.toml")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    home = tmp_path_factory.mktemp("submissions")
    release, secret = home / "compass-1.toml", home / "secret.toml"
    done("release", "new", "compass-1", *TASKS, "--short", 4, "--full", 8, "--seed", 7, "--out", release, "--workers", 1)
    secret.write_text(f'release = "compass-1"\nsecret = "{"5e" * 32}"\n', encoding="utf-8")  # the same items in every test run
    done("release", "generate", release, "--secret", secret, "--out", home / "data", "--workers", 1)
    (home / "card.toml").write_text(TEMPLATE.replace("2026-12-31", today()), encoding="utf-8")
    # without the secret, as a submitter has no other than the data
    for model in ("random", "oracle"):
        done("run", "--data", home / "data", "--model", f"simulated/{model}", "--out", home / model)
        done("submit", "pack", home / model, "--card", home / "card.toml", "--out", home / f"{model}.zip", "--workers", 1)
    with using(secret):
        return World(home, organiser_data(home / "data", str(release), 1))


def today() -> str:
    return datetime.now(UTC).date().isoformat()


# What a submission holds -----------------------------------------------------------------------------------------


def unpacked(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with zipfile.ZipFile(path) as archive:
        replies = [json.loads(line) for line in archive.read("replies.jsonl").splitlines()]
        return json.loads(archive.read("submission.json")), replies


def packed(path: Path, submission: dict[str, Any], replies: list[dict[str, Any]], *, hashed: bool = True) -> Path:
    """A zip file of these facts and replies, with counts and hash that agree unless `hashed` is false."""
    lines = "".join(json.dumps(reply) + "\n" for reply in replies).encode()
    if hashed:
        submission = submission | {"replies_sha256": sha256(lines).hexdigest()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("replies.jsonl", lines)
        archive.writestr("submission.json", json.dumps(submission))
    return path


def test_a_submission_has_no_key_no_question_and_no_secret(world: World) -> None:
    with zipfile.ZipFile(world.zip) as archive:
        assert sorted(archive.namelist()) == sorted(MEMBERS)
        text = b"".join(archive.read(name) for name in MEMBERS).decode()
    secret = (world.home / "secret.toml").read_text().split('secret = "')[1][:64]
    submission, replies = unpacked(world.zip)
    assert secret not in text
    assert "map" not in text  # of a question
    assert submission["release"] == "compass-1/short"
    assert submission["commitment"] == world.data.commitment
    assert submission["replies_sha256"] == sha256(zipfile.ZipFile(world.zip).read("replies.jsonl")).hexdigest()
    assert sum(submission["counts"]["outcomes"].values()) == len(replies) == len(records(world.home / "random"))
    assert submission["options"]["base_url"] == ""


def test_packing_is_deterministic(world: World, tmp_path: Path) -> None:
    done("submit", "pack", world.home / "random", "--card", world.home / "card.toml", "--out", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == world.zip.read_bytes()


def test_what_is_no_whole_run_of_a_release_is_not_packed(world: World, data: Path, copied: Callable[[Path], Path], tmp_path: Path) -> None:
    out = tmp_path / "out.zip"
    run = copied(world.home / "random")
    lines = records(run)
    write_records(run, lines[:-1])
    refused(isovist("submit", "pack", run, "--out", out), "1 of", "no score")
    write_records(run, [line | {"outcome": "correct", "credit": 1.0} for line in lines])
    ended = isovist("submit", "pack", run, "--out", out)
    assert ended.code == 1
    assert "stored scores differ" in ended.err
    write_records(run, lines)
    edit(run / "run.json", lambda info: info.update(shard="0/2"))
    refused(isovist("submit", "pack", run, "--out", out), "shard 0/2")
    edit(run / "run.json", lambda info: info.update(shard="", options=info["options"] | {"model_args": {"header": "Bearer abc123def456"}}))
    refused(isovist("submit", "pack", run, "--out", out), "may hold a key")
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "other")
    refused(isovist("submit", "pack", tmp_path / "other", "--out", out), "not of a release", "--release NAME")
    refused(isovist("submit", "pack", world.home / "random", "--out", tmp_path / "out.tar"), ".zip")
    assert not out.exists()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('who = "Example Lab"', "", "who"),
        ('who = "Example Lab"', 'who = ""', "who: give a text"),
        ("shots = 0", "shots = 5", "shots = 5"),
        ("shots = 0", 'shots = "none"', "shots"),
        ("open_weights = true", "open_weights = 1", "open_weights"),
        ('notes = ""', 'notes = ""\nprize = 1', "prize"),
        ("https://example.org", "javascript:alert(1)", "link"),
        ("2026-12-31", "yesterday", "date"),
        ("[", "[", ""),
    ],
)
def test_an_invalid_card_is_refused_with_its_field(world: World, tmp_path: Path, old: str, new: str, reason: str) -> None:
    card = tmp_path / "card.toml"
    card.write_text(TEMPLATE.replace(old, new) if reason else "who = [", encoding="utf-8")
    line = refused(isovist("submit", "pack", world.home / "random", "--card", card, "--out", tmp_path / "out.zip"), str(card), reason)
    assert "isovist submit card" in line


def test_the_template_of_a_card_is_written_once(tmp_path: Path) -> None:
    assert done("submit", "card").out == TEMPLATE
    done("submit", "card", "--out", tmp_path / "card.toml")
    assert (tmp_path / "card.toml").read_text() == TEMPLATE
    refused(isovist("submit", "card", "--out", tmp_path / "card.toml"), "exists")


# The check -------------------------------------------------------------------------------------------------------


def test_an_accepted_submission_is_a_run_and_the_check_is_idempotent(world: World, tmp_path: Path) -> None:
    ended = done("submit", "check", world.zip, *world.options, "--out", tmp_path, "--workers", 1)
    (run,) = tmp_path.iterdir()
    assert str(run) in ended.out
    assert sorted(path.name for path in run.iterdir()) == ["check.json", "records.jsonl", "run.json", "submission.json"]
    before = contents(run)
    stored = {record["item_id"]: (record["response"], record["outcome"], record["credit"]) for record in records(world.home / "random")}
    assert {record["item_id"]: (record["response"], record["outcome"], record["credit"]) for record in records(run)} == stored
    done("submit", "check", world.zip, *world.options, "--out", tmp_path, "--workers", 1)
    assert contents(run) == before
    done("report", run, "--out", tmp_path / "report")
    assert "compass-1/short, private seeds" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_a_refused_submission_has_exit_code_1_and_writes_nothing(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    file = packed(tmp_path / "bad.zip", submission, replies[1:])
    ended = isovist("submit", "check", file, *world.options, "--out", tmp_path / "out", "--workers", 1)
    assert ended.code == 1
    assert ended.out == ""
    assert all(line.startswith("isovist: ") for line in ended.err.splitlines())
    assert not (tmp_path / "out").exists()


def test_data_that_are_not_the_organisers_are_refused(world: World, data: Path, tmp_path: Path) -> None:
    refused(isovist("submit", "check", world.zip, "--data", data, "--out", tmp_path), "not that of a release")
    options = ("--data", world.home / "data", "--release", world.home / "compass-1.toml", "--out", tmp_path)
    refused(isovist("submit", "check", world.zip, *options), "private seed", "--secret")
    other = tmp_path / "other.toml"
    done("release", "secret", world.home / "compass-1.toml", "--out", other)
    refused(isovist("submit", "check", world.zip, *options, "--secret", other), "Wrong secret")
    refused(isovist("submit", "check", tmp_path / "none.zip", *world.options, "--out", tmp_path), "none.zip")


Facts = dict[str, Any]
Replies = list[dict[str, Any]]
Tamper = Callable[[Facts, Replies], object]


def reply_of(change: dict[str, Any], place: int = 0) -> Tamper:
    return lambda facts, replies: replies[place].update(change)


def incorrect_one(replies: Replies) -> dict[str, Any]:
    return next(reply for reply in replies if reply["outcome"] == "incorrect")


def swapped(facts: Facts, replies: Replies) -> None:
    """The replies to two items of a task with the same outcome change places, with their hashes."""
    first = incorrect_one(replies)
    second = next(
        reply
        for reply in replies
        if reply is not first and reply["outcome"] == "incorrect" and reply["prompt_hash"] != first["prompt_hash"]
    )
    first["item_id"], second["item_id"] = second["item_id"], first["item_id"]


def best_of_two(facts: Facts, replies: Replies) -> None:
    replies.insert(1, replies[0] | {"attempt": 2})
    facts["counts"]["attempts"] += 1


def error_with(**text: str) -> Tamper:
    """The first reply becomes a request error, and the same item is asked again."""

    def tamper(facts: Facts, replies: Replies) -> None:
        failed = {"outcome": "request_error", "credit": 0.0, "parsed_answer": None, "error": "timeout", "finish_reason": "error"}
        replies.insert(1, replies[0] | {"attempt": 2})
        replies[0] = replies[0] | failed | {"response": "", "reasoning": ""} | text
        facts["counts"]["attempts"] += 1

    return tamper


def other_token(id: str) -> str:
    return f"{id[:-16]}{'0' * 16}"


def with_card(**change: object) -> Tamper:
    return lambda facts, replies: facts["card"].update(change)


TAMPERED: dict[str, tuple[Tamper, str]] = {
    "outcome": (lambda facts, replies: incorrect_one(replies).update(outcome="correct"), "outcome, credit or parsed answer were altered"),
    "credit": (lambda facts, replies: incorrect_one(replies).update(credit=1.0), "outcome, credit or parsed answer were altered"),
    "parsed answer": (lambda facts, replies: incorrect_one(replies).update(parsed_answer="Z"), "were altered"),
    "both, with the counts": (lambda facts, replies: [reply.update(outcome="correct", credit=1.0) for reply in replies], "were altered"),
    "another parser": (
        lambda facts, replies: (facts["versions"].update(parser="0123"), incorrect_one(replies).update(credit=1.0)),
        "states another parser (0123 of isovist 0.1.0",
    ),
    "swapped replies": (swapped, "Prompt hashes that are not those of the items"),
    "dropped item": (lambda facts, replies: replies.pop(), "Items without a scored reply"),
    "repeated item": (lambda facts, replies: replies.append(dict(replies[0])), "after a scored reply to the same item"),
    "best of two": (best_of_two, "so that the best one could be chosen"),
    "error with a reply": (error_with(response="Answer: A"), "Request errors that carry a reply"),
    "error with reasoning": (error_with(reasoning="It is A."), "Request errors that carry a reply"),
    "attempt 3 alone": (reply_of({"attempt": 3}), "Attempts that are not numbered"),
    "attempt 0": (reply_of({"attempt": 0}), "Attempts that are not numbered"),
    "made-up item": (lambda facts, replies: replies[0].update(item_id=other_token(replies[0]["item_id"])), "not of compass-1/short"),
    "another release": (lambda facts, replies: replies[0].update(item_id="cdr/x@1:test:standard:0:0#abc"), "not of compass-1/short"),
    "variant": (reply_of({"variant": "no-image"}), "not to the standard condition"),
    "release": (lambda facts, replies: facts.update(release="compass-2/short"), "is of compass-2/short, the data are of compass-1/short"),
    "form": (lambda facts, replies: facts.update(release="compass-1/full"), "is of compass-1/full"),
    "commitment": (lambda facts, replies: facts.update(commitment="f" * 64), "another seed: commitment ffffffffffffffff"),
    "no commitment": (lambda facts, replies: facts.update(commitment=""), "public development seed instead of commitment"),
    "prompt": (reply_of({"prompt_hash": "0" * 16}), "Prompt hashes that are not those"),
    "images": (reply_of({"image_hashes": ["0" * 16]}), "Image hashes that are not those of the items"),
    "no images": (reply_of({"image_hashes": []}), "Image hashes that are not those of the items"),
    "negative tokens": (reply_of({"usage": {"output_tokens": -5}}), "an impossible number"),
    "many tokens": (reply_of({"usage": {"output_tokens": 10**30}}), "an impossible number"),
    "latency NaN": (reply_of({"latency_s": float("nan")}), "an impossible number"),
    "latency infinite": (reply_of({"latency_s": float("inf")}), "an impossible number"),
    "latency negative": (reply_of({"latency_s": -1.0}), "an impossible number"),
    "unknown field": (reply_of({"published_credit": 1.0}), "Lines that are not replies"),
    "type of a field": (reply_of({"attempt": "1"}), "Lines that are not replies"),
    "unknown outcome": (reply_of({"outcome": "perfect"}), "Lines that are not replies"),
    "several models": (reply_of({"served_by": "another"}), "Several models served the replies: another, simulated/random"),
    "finished first": (lambda facts, replies: facts.update(finished="2025-01-01T00:00:00+00:00"), "before it started"),
    "future": (lambda facts, replies: facts.update(finished="2199-01-01T00:00:00+00:00"), "in the future"),
    "no time": (lambda facts, replies: facts.update(started="yesterday"), "Invalid time"),
    "first year": (lambda facts, replies: facts.update(started="0001-01-01T00:00:00+23:59"), "Invalid time"),
    "counts": (lambda facts, replies: facts["counts"].update(input_tokens=7), "count of input tokens is 0, the submission states 7"),
    "outcomes": (lambda facts, replies: facts["counts"]["outcomes"].update(correct=99), "count of outcomes"),
    "served by": (lambda facts, replies: facts["counts"].update(served_by=["gpt"]), "count of served by"),
    "prompt style": (lambda facts, replies: facts.update(style="paper"), "Prompt style paper"),
    "server": (lambda facts, replies: facts["options"].update(base_url="http://user:pass@host"), "name a server"),
    "temperature": (lambda facts, replies: facts["options"].update(temperature=float("nan")), "Invalid temperature"),
    "model without a name": (lambda facts, replies: facts.update(model=" "), "Invalid model"),
    "model with a control character": (lambda facts, replies: facts.update(model="a\x1b[31m"), "Invalid model: 'a?[31m'"),
    "no parser": (lambda facts, replies: facts["versions"].pop("parser"), "lack that of the parser"),
    "format": (lambda facts, replies: facts.update(format=2), "format 2; this version reads 1"),
    "field of the facts": (lambda facts, replies: facts.update(prize=1), "submission.json cannot be read"),
    "concurrency": (lambda facts, replies: facts["options"].update(concurrency=10**400), "Invalid concurrency"),
    "count of 4,000 digits": (lambda facts, replies: facts["counts"].update(attempts=10**4000), "count of attempts"),
    "many versions": (lambda facts, replies: facts["versions"].update((f"p{n}", "1") for n in range(300)), "More than 200 versions"),
    "shots": (with_card(shots=5), "Model card: shots = 5"),
    "link": (with_card(link="javascript:alert(1)"), "Model card: link"),
    "date before the run": (with_card(date="2020-01-01"), "date of the model card"),
    "date in the future": (with_card(date="9999-12-31"), "date of the model card"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_refused_with_its_reason(world: World, tmp_path: Path, name: str) -> None:
    tamper, reason = TAMPERED[name]
    submission, replies = unpacked(world.zip)
    tamper(submission, replies)
    reasons = refusal(packed(tmp_path / "bad.zip", submission, replies), world, tmp_path)
    assert any(reason in line for line in reasons), reasons
    assert "\x1b" not in "".join(reasons)


def refusal(file: Path, world: World, home: Path) -> tuple[str, ...]:
    with using(world.home / "secret.toml"), pytest.raises(CheckFailed) as refused_with:
        check(file, world.data, home / "out")
    assert not (home / "out").exists()
    return refused_with.value.lines


def test_a_hash_that_is_not_that_of_the_replies_is_refused(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    incorrect = [reply for reply in replies if reply["outcome"] == "incorrect"]
    a, b = incorrect[:2]
    a["reasoning"], b["reasoning"] = "because", "so"  # nothing else depends on it
    (reason,) = refusal(packed(tmp_path / "bad.zip", submission, replies, hashed=False), world, tmp_path)
    assert "SHA-256" in reason


def test_an_item_of_the_other_form_is_refused(world: World, tmp_path: Path) -> None:
    done("release", "generate", world.home / "compass-1.toml", "--form", "full", "--secret", world.home / "secret.toml", "--out", tmp_path / "full", "--workers", 1)  # fmt: skip
    done("run", "--data", tmp_path / "full", "--model", "simulated/random", "--out", tmp_path / "run")
    done("submit", "pack", tmp_path / "run", "--out", tmp_path / "full.zip", "--workers", 1)
    assert "is of compass-1/full" in refusal(tmp_path / "full.zip", world, tmp_path)[0]
    submission, replies = unpacked(world.zip)
    known = {reply["item_id"] for reply in replies}
    foreign = next(reply for reply in unpacked(tmp_path / "full.zip")[1] if reply["item_id"] not in known)
    reasons = refusal(packed(tmp_path / "bad.zip", submission, [foreign, *replies[1:]]), world, tmp_path)
    assert any("not of compass-1/short" in line for line in reasons)


def test_signs_that_are_no_proof_become_notes(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    submission |= {"model": "lab/model", "card": None, "options": submission["options"] | {"reasoning_effort": "high"}}
    with using(world.home / "secret.toml"):
        folder, result = check(packed(tmp_path / "odd.zip", submission, replies), world.data, tmp_path / "out")
    assert folder.name.startswith("lab-model-")
    for words in ("no model card", "latency", "count of tokens", "request reasoning (high)"):
        assert any(words in note for note in result.notes), (words, result.notes)
    assert not any("request error" in note or "date of the release" in note for note in result.notes)


@pytest.mark.parametrize(
    ("errors", "facts", "words"),
    [
        (98, {}, "98 request errors of one item"),
        (10, {}, ""),
        (0, {"started": "2024-03-01T10:00:00+00:00", "finished": "2024-03-01T10:00:09+00:00"}, "before the date of the release"),
        (0, {"finished": "started"}, "The run lasted 0 s, its longest request 4.0 s."),
        (0, {"finished": "later"}, ""),
    ],
)
def test_many_errors_and_impossible_times_become_notes(world: World, tmp_path: Path, errors: int, facts: Facts, words: str) -> None:
    submission, replies = unpacked(world.zip)
    started = datetime.fromisoformat(submission["started"]) - timedelta(minutes=5)
    submission |= {"model": "lab/model", "started": started.isoformat(), "finished": (started + timedelta(seconds=9)).isoformat()} | facts
    if "T" not in submission["finished"]:
        seconds = {"started": 0, "later": 5}[submission["finished"]]
        submission["finished"] = (started + timedelta(seconds=seconds)).isoformat()
    failed = {"response": "", "outcome": "request_error", "credit": 0.0, "parsed_answer": None, "error": "timeout", "latency_s": 0.1}
    attempts = [replies[0] | failed | {"attempt": number} for number in range(1, errors + 1)]
    replies = [*attempts, *(reply | {"latency_s": 4.0, "usage": {"output_tokens": 5}} for reply in replies)]
    replies[errors]["attempt"] = errors + 1
    submission["counts"] |= {"attempts": len(replies), "output_tokens": 5 * (len(replies) - errors)}
    with using(world.home / "secret.toml"):
        _, result = check(packed(tmp_path / "odd.zip", submission, replies), world.data, tmp_path / "out")
    assert [note for note in result.notes if words and words in note] if words else result.notes == ()


def test_options_of_any_depth_are_read_or_refused(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    for depth in (100, 190, 250):
        deep: dict[str, Any] = {}
        for _ in range(depth):
            deep = {"a": [deep]}
        submission["options"]["model_args"] = deep
        accepted_or_refused(packed(tmp_path / "deep.zip", submission, replies), world)


def test_retried_requests_are_accepted(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    failed = replies[0] | {
        "response": "",
        "outcome": "request_error",
        "credit": 0.0,
        "parsed_answer": None,
        "error": "timeout",
        "served_by": "",
    }
    retried = [failed, replies[0] | {"attempt": 2}, *replies[1:]]
    submission["counts"]["attempts"] += 1
    with using(world.home / "secret.toml"):
        check(packed(tmp_path / "retried.zip", submission, retried), world.data, tmp_path / "out")


# Zip files -------------------------------------------------------------------------------------------------------


def members(path: Path, files: dict[str, bytes], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = mode << 16
            archive.writestr(member, data)
    return path


def test_a_zip_file_with_other_members_is_refused(world: World, tmp_path: Path) -> None:
    with zipfile.ZipFile(world.zip) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    path = tmp_path / "bad.zip"
    for other in ({"replies.jsonl": b""}, files | {"more.txt": b""}, {f"../{name}": data for name, data in files.items()}, {}):
        (reason,) = refusal(members(path, other), world, tmp_path)
        assert "does not have exactly replies.jsonl and submission.json" in reason
    (reason,) = refusal(members(path, files, stat.S_IFLNK | 0o777), world, tmp_path)
    assert "not a regular file" in reason
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("replies.jsonl", "submission.json"):
            archive.writestr(name, files[name])
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("submission.json", files["submission.json"])
    assert "exactly" in refusal(path, world, tmp_path)[0]


def test_a_zip_bomb_is_refused_before_it_is_read(world: World, tmp_path: Path) -> None:
    (reason,) = refusal(members(tmp_path / "bomb.zip", {"replies.jsonl": bytes(64 << 20), "submission.json": b"{}"}), world, tmp_path)
    assert "compressed by more than" in reason
    (reason,) = refusal(members(tmp_path / "large.zip", {"replies.jsonl": b"", "submission.json": os.urandom(2 << 20)}), world, tmp_path)
    assert "the most are" in reason


def test_a_damaged_zip_file_is_refused(world: World, tmp_path: Path) -> None:
    content = world.zip.read_bytes()
    path = tmp_path / "bad.zip"
    for damaged in (
        content[:-30],
        content[: len(content) // 2],
        b"",
        b"PK\x05\x06" + bytes(18),
        content[:60] + b"\xff" * 20 + content[80:],
    ):
        path.write_bytes(damaged)
        assert refusal(path, world, tmp_path)
    encrypted = bytearray(content)
    place = encrypted.rfind(b"PK\x01\x02")
    struct.pack_into("<H", encrypted, place + 8, 1)
    path.write_bytes(encrypted)
    assert "encrypted" in refusal(path, world, tmp_path)[0]


def accepted_or_refused(path: Path, world: World) -> None:
    """Anything but an acceptance or a refusal with a reason is an error of the check."""
    with using(world.home / "secret.toml"), suppress(CheckFailed, UserError):
        check(path, world.data, path.parent / "out")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 4000), new=st.binary(min_size=0, max_size=12))
def test_a_zip_file_with_other_bytes_raises_no_other_error(world: World, tmp_path: Path, place: int, new: bytes) -> None:
    content = world.zip.read_bytes()
    path = tmp_path / "fuzzed.zip"
    at = place % len(content)
    path.write_bytes(content[:at] + new + content[at + len(new) :])
    accepted_or_refused(path, world)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_other_json_raises_no_other_error(world: World, tmp_path: Path, data: st.DataObject) -> None:
    submission, replies = unpacked(world.zip)
    target = data.draw(st.sampled_from([submission, submission["options"], submission["counts"], submission["card"], *replies[:1]]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(JSON)
    accepted_or_refused(packed(tmp_path / "fuzzed.zip", submission, replies), world)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.just(b"[" * 100_000) | st.just(b'{"format": ' * 5000), st.binary(max_size=300))
def test_files_that_are_no_json_raise_no_other_error(world: World, tmp_path: Path, facts: bytes, replies: bytes) -> None:
    accepted_or_refused(members(tmp_path / "fuzzed.zip", {"replies.jsonl": replies, "submission.json": facts}), world)
    submission = zipfile.ZipFile(world.zip).read("submission.json")
    accepted_or_refused(members(tmp_path / "fuzzed.zip", {"replies.jsonl": replies + facts, "submission.json": submission}), world)


# The leaderboard -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The leaderboard of two submissions with a private seed, one with the public seed, and imported responses to questions without keys."""
    home = tmp_path_factory.mktemp("site")
    submissions, release = home / "submissions", world.home / "compass-1.toml"
    hostile, replies = unpacked(world.zip)
    hostile["card"] |= {"who": HOSTILE, "notes": HOSTILE}
    with using(world.home / "secret.toml"):
        check(packed(home / "hostile.zip", hostile | {"model": HOSTILE}, replies), world.data, submissions)
        check(world.home / "oracle.zip", world.data, submissions)
    done("release", "generate", release, "--out", home / "public", "--workers", 1)
    done("run", "--data", home / "public", "--model", "simulated/oracle", "--out", home / "run")
    done("submit", "pack", home / "run", "--card", world.home / "card.toml", "--out", home / "public.zip", "--workers", 1)
    done("submit", "check", home / "public.zip", "--data", home / "public", "--release", release, "--out", submissions, "--workers", 1)
    done("submit", "questions", world.home / "data", "--out", home / "questions")
    questions = [json.loads(line) for line in (home / "questions" / "questions.jsonl").read_text().splitlines()]
    answers = home / "lab-model"
    answers.mkdir()
    (answers / "replies.jsonl").write_text("".join(json.dumps({"id": each["id"], "response": "Answer: A"}) + "\n" for each in questions))
    options = ("--source-tool", "jsonl", "--data", world.home / "data", "--out", submissions / "imported")
    done("import", "predictions", answers, *options)
    done("leaderboard", "--from", submissions, "--out", home / "site", "--workers", 1)
    return home / "site"


def test_questions_have_no_keys(world: World, site: Path) -> None:
    folder = site.parent / "questions"
    lines = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    assert {tuple(line) for line in lines} == {("id", "prompt", "images")}
    assert {path.name.rpartition(".")[2] for path in folder.rglob("*") if path.is_file()} == {"jsonl", "png"}
    assert [line["id"][-16:] for line in lines] == sorted(line["id"][-16:] for line in lines)  # not the order of their indices
    assert len({path.stat().st_mtime for path in folder.rglob("*.*")}) == 1
    for line in lines:
        assert line["prompt"].count("<image>") == len(line["images"])
        assert all((folder / image).is_file() for image in line["images"])


def test_the_site_has_every_release_and_model(world: World, site: Path) -> None:
    private = f"compass-1-short-{world.data.commitment[:8]}"
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {"index.html", "models.csv", "compass-1-short/index.html", f"{private}/index.html", f"{private}/leaderboard.csv"} <= names
    overview = (site / "index.html").read_text(encoding="utf-8")
    assert HOSTILE not in overview
    assert "compass-1/short, private seeds" in overview
    assert "compass-1/short, public development seed" in overview
    assert world.data.commitment in overview
    rows = json.loads((site / "report.json").read_text())["tables"]["models"]
    assert [(row["model"], row["release"].partition(", ")[2]) for row in rows][:2] == [
        ("simulated/oracle", "public development seed"),
        ("simulated/oracle", "private seeds"),
    ]
    assert len(rows) == 4
    pages = [(site / name).read_text(encoding="utf-8") for name in sorted(names) if name.startswith("models/")]
    assert len(pages) == 4
    assert not any(HOSTILE in page for page in pages)
    assert any("imported by the organiser (JSON Lines)" in page for page in pages)
    assert sum("Example Lab" in page for page in pages) == 2


def test_every_link_of_the_site_leads_to_a_file(site: Path) -> None:
    for page in site.rglob("*.html"):
        for target in re.findall(r'href="([^"#]+)"', page.read_text(encoding="utf-8")):
            if not target.startswith(("https:", "data:")):
                assert (page.parent / target).is_file(), (page, target)


def test_incomplete_runs_and_other_folders_are_refused(world: World, site: Path, tmp_path: Path) -> None:
    refused(isovist("leaderboard", "--from", tmp_path, "--out", tmp_path / "out"), "no checked submission")
    refused(isovist("leaderboard", "--out", tmp_path / "out"), "--from")
    with using(world.home / "secret.toml"):
        folder, _ = check(world.zip, world.data, tmp_path / "submissions")
    write_records(folder, records(folder)[1:])
    refused(isovist("leaderboard", "--from", tmp_path / "submissions", "--out", tmp_path / "out"), "1 of", "have no score")
    assert not (tmp_path / "out").exists()


def test_copies_of_a_submission_are_noted(world: World, tmp_path: Path) -> None:
    submission, replies = unpacked(world.zip)
    copy = packed(tmp_path / "copy.zip", submission | {"model": "lab/model"}, replies)
    with using(world.home / "secret.toml"):
        check(world.zip, world.data, tmp_path / "submissions")
        check(copy, replace(world.data), tmp_path / "submissions")
    ended = done("leaderboard", "--from", tmp_path / "submissions", "--out", tmp_path / "out", "--workers", 1)
    assert ended.err.count("All responses are equal to those of") == 2


ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("path", sorted((ROOT / "leaderboard").glob("*.zip")), ids=lambda path: path.stem)
def test_the_reference_submissions_are_of_the_release_as_it_is(path: Path) -> None:
    submission, replies = unpacked(path)
    name, _, form = submission["release"].partition("/")
    file = release_file(name)
    digests = {(task.id, digest) for task in file.release.tasks for digest in file.digests[task.id][: task.count(form)]}
    assert {(reply["item_id"].partition("@")[0], reply["item_id"].rpartition("#")[2][:8]) for reply in replies} == digests
    assert path.stat().st_size < 200_000


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1280, 900), (500, 900)])
def test_the_pages_fit_the_window_and_load_nothing(site: Path, size: tuple[int, int], tmp_path: Path) -> None:
    if browser.FOUND is None:
        pytest.skip("needs Chromium")
    for page in (site / "index.html", next((site / "models").glob("*oracle*.html"))):
        layout, console = browser.layout(page, size, tmp_path / "browser")
        assert layout["sticks_out"] == 0
        assert layout["boxes"] == []
        assert console == []
