"""A server on a bad night: whatever it does, every item ends with one verdict, and the totals are those of a good night."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Asked, Book, Said, fault, serving
from workbench import Ended, done, isovist, records, started, stored, until, verdicts

from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.models.request_errors import fault as told_by

LETTERS = "cdr/relative-compass-letter"
MANY = "cdr/relative-spatial-letter"

BAD: dict[str, Callable[[], Said]] = {
    "too many requests": lambda: fault(429, "slow down"),
    "too many requests, with a time": lambda: fault(429, "slow down", retry_after="0.2"),
    "an inner fault": lambda: fault(500, "the cooling failed"),
    "an overloaded server": lambda: fault(503, "come back later"),
    "a connection that is reset": lambda: Said(sent=0),
    "a reply that is cut in the middle": lambda: Said("Answer: A", sent=0.5),
    "JSON that ends too soon": lambda: Said(raw='{"id": "x", "choices": [{'),
    "no choice": lambda: Said(raw='{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
    "a page": lambda: Said(raw="<html>Bad gateway</html>", kind="text/html"),
    "a page with an error": lambda: Said(status=502, raw="<html>Bad gateway</html>", kind="text/html"),
    "silence": lambda: Said("Answer: A", wait_s=12.0),  # longer than any time limit here
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths instead of seconds, except in processes that are started."""
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


def answered(row: ItemRow) -> Said:
    """Three in four right, by the item and not by chance."""
    right = row.index % 4 > 0
    return Said(f"Answer: {row.answer if right else 'ABCDEFGH'[('ABCDEFGH'.index(row.answer) + 1) % 8]}")


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", "--data", data, "--model", "night", "--base-url", url, "--out", out, *more)


@pytest.mark.parametrize("name", BAD)
def test_a_fault_that_passes_is_no_verdict_and_is_asked_again(data: Path, tmp_path: Path, name: str) -> None:
    """Each item meets the fault once. What the loop does not mend by itself, the same command does."""
    book, met = Book(data), set[str]()
    lock = threading.Lock()

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        with lock:
            first = row.id not in met
            met.add(row.id)
        return BAD[name]() if first and row.index % 5 == 2 else answered(row)

    limit = 4 if name == "silence" else 60  # seconds
    with serving(answer) as server:
        command = (LETTERS, "--max-connections", 4, "--timeout", limit)
        ended = ask(data, server.url, tmp_path / "run", *command)
        for _ in range(2):
            if ended.code == 1:
                ended = ask(data, server.url, tmp_path / "run", *command)
        assert ended.code == 0, ended
        rows = {row.id: row for row in stored(data, LETTERS)}
        times = Counter(book.row(asked).id for asked in server.asked)
        assert times == {id: 1 + (row.index % 5 == 2) for id, row in rows.items()}  # nothing is sent twice without need
    assert {id: value for id, (_, value) in verdicts(tmp_path / "run").items()} == {
        id: float(row.index % 4 > 0) for id, row in rows.items()
    }
    for record in records(tmp_path / "run"):
        assert (record["outcome"] == "request_error") == (record["error"] != "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Incorrect API key provided: sk-proj-1234567890", "Incorrect API key provided: [key]"),
        ("header Bearer abc123def456 refused", "header [key] refused"),
        ("No FOO_API_KEY defined in the environment", "No FOO_API_KEY defined in the environment"),
        ("the key is wrong", "the key is wrong"),
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_a_message_and_nothing_else(message: str, expected: str) -> None:
    assert told_by(RuntimeError(message)).words == f"RuntimeError: {expected}"


def test_what_is_missing_on_this_machine_does_not_come_by_waiting() -> None:
    class PrerequisiteError(Exception):
        """As Inspect AI words it."""

    error = told_by(PrerequisiteError("[bold]ERROR[/bold]: vLLM Server requires optional dependencies."))
    assert (error.words, error.is_transient, error.is_permanent) == ("vLLM Server requires optional dependencies", False, True)


@pytest.mark.parametrize(
    ("name", "remedy"), [("NoRegionError", "AWS_DEFAULT_REGION"), ("NoCredentialsError", "AWS_PROFILE"), ("ProfileNotFound", "AWS_PROFILE")]
)
def test_a_missing_setting_of_bedrock_is_named_at_once(name: str, remedy: str) -> None:
    error = told_by(type(name, (Exception,), {})("You must specify a region."))
    assert (error.is_transient, error.is_permanent) == (False, True)
    assert remedy in error.words


def test_the_time_that_the_server_asks_for_is_waited(data: Path, tmp_path: Path) -> None:
    import time

    book = Book(data)
    seen: dict[str, list[float]] = {}

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        seen.setdefault(row.id, []).append(time.monotonic())
        return fault(429, "slow down", retry_after="1") if row.index == 3 and len(seen[row.id]) == 1 else answered(row)

    with serving(answer) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS, "--max-connections", 2).code == 0
    (twice,) = [times for times in seen.values() if len(times) > 1]
    assert twice[1] - twice[0] >= 1.0  # and not the few hundredths of this file


def test_a_server_with_too_many_requests_is_asked_again_for_a_minute(data: Path, tmp_path: Path) -> None:
    """Twice as often as one with another fault: 1 + 2 + 4 + 8 + 16 + 32 s."""
    book, times = Book(data), Counter[str]()

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        times[row.id] += 1
        return fault(429, "slow down") if row.index == 3 and times[row.id] <= 6 else answered(row)

    with serving(answer) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS, "--max-connections", 2).code == 0
    assert max(times.values()) == 7
    assert not [record for record in records(tmp_path / "run") if record["error"]]


def test_a_quota_that_is_used_up_stops_the_run_at_once(data: Path, tmp_path: Path) -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    with serving(lambda asked: fault(429, words)) as server:
        ended = ask(data, server.url, tmp_path / "run", LETTERS)
        assert len(server.asked) == 1
    assert ended.code == 2
    assert "exceeded your current quota" in ended.err.splitlines()[-1]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_fault_that_stays_stops_the_run_at_once(data: Path, tmp_path: Path, status: int) -> None:
    with serving(lambda asked: fault(status, "not with this key")) as server:
        ended = ask(data, server.url, tmp_path / "run", LETTERS)
        assert len(server.asked) == 1
    assert ended.code == 2
    assert "not with this key" in ended.err.splitlines()[-1]


@pytest.mark.parametrize("words", ["the image is too large", "request (380 tokens) exceeds the available context size (256 tokens)"])
def test_a_model_that_can_answer_no_item_stops_the_run_after_three(data: Path, tmp_path: Path, words: str) -> None:
    with serving(lambda asked: fault(400, words)) as server:
        ended = ask(data, server.url, tmp_path / "run", LETTERS)
        assert len(server.asked) == 3
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith("isovist: No response to 3 requests (last: ")
    assert words in ended.err.splitlines()[-1]


def test_a_run_that_stops_by_an_error_is_not_written_again_unless_it_changed(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: fault(401, "not with this key")) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS).code == 2
        before = (tmp_path / "run" / "run.json").stat().st_ino
        assert ask(data, server.url, tmp_path / "run", LETTERS).code == 2
    assert (tmp_path / "run" / "run.json").stat().st_ino == before


def test_a_prompt_that_is_too_long_for_the_model_is_no_verdict(data: Path, tmp_path: Path) -> None:
    """As OpenAI says it, which the model layer hands on as if the model had spoken."""
    book = Book(data)
    words = "This model's maximum context length is 8192 tokens. Answer: A"
    body = json.dumps({"error": {"message": words, "type": "invalid_request_error", "code": "context_length_exceeded"}})

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        return Said(status=400, raw=body) if row.index == 5 else answered(row)

    with serving(answer) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS).code == 1
    (record,) = [record for record in records(tmp_path / "run") if record["outcome"] == "request_error"]
    assert record["error"].startswith("the prompt is too long for the model (This model's maximum")
    assert (record["response"], record["parsed_answer"]) == ("", None)


def test_a_few_items_that_always_fail_do_not_keep_the_others_from_being_asked(data: Path, tmp_path: Path) -> None:
    book = Book(data)
    with serving(lambda asked: fault(400, "no") if book.row(asked).index in (0, 1, 5, 9) else answered(book.row(asked))) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS).code == 1
        again = ask(data, server.url, tmp_path / "run", LETTERS)
    assert again.code == 1
    assert "4 items not scored: request error" in again.err
    assert sum(outcome != "request_error" for outcome, _ in verdicts(tmp_path / "run").values()) == len(stored(data, LETTERS)) - 4


def test_a_key_that_is_withdrawn_in_the_middle_stops_the_run_and_the_same_command_goes_on(data: Path, tmp_path: Path) -> None:
    book = Book(data)
    asked_before: list[Asked] = []

    def withdrawn(asked: Asked) -> Said:
        asked_before.append(asked)
        return answered(book.row(asked)) if len(asked_before) <= 4 else fault(401, "the key was withdrawn")

    with serving(withdrawn) as server:
        ended = ask(data, server.url, tmp_path / "run", LETTERS, "--max-connections", 1)
        assert ended.code == 2
        assert "the key was withdrawn" in ended.err.splitlines()[-1]
        assert len(server.asked) == 4 + 5
        server.script = lambda asked: answered(book.row(asked))
        assert ask(data, server.url, tmp_path / "run", LETTERS, "--max-connections", 1).code == 0
    assert len(verdicts(tmp_path / "run")) == len(stored(data, LETTERS))


def test_an_item_that_fails_too_often_is_left_until_more_attempts_are_allowed(data: Path, tmp_path: Path) -> None:
    book = Book(data)

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        return fault(400, "this picture is cursed") if row.index == 7 else answered(row)

    def again(*more: object) -> Ended:
        return ask(data, server.url, tmp_path / "run", LETTERS, "--max-attempts", 2, *more)

    with serving(answer) as server:
        assert again().code == again().code == 1
        server.asked.clear()
        ended = again()
        assert (ended.code, server.asked) == (1, [])
        assert "1 items failed permanently" in ended.err
        server.script = lambda asked: answered(book.row(asked))
        assert again("--max-attempts", 3).code == 0
    assert {record["attempt"] for record in records(tmp_path / "run") if record["error"]} == {1, 2}


def test_a_server_that_dies_and_comes_back(data: Path, tmp_path: Path) -> None:
    """First it answers, then nobody listens, then there is one again, at the same address or another."""
    book = Book(data)
    count = 0

    def dying(asked: Asked) -> Said:
        nonlocal count
        count += 1
        return answered(book.row(asked)) if count <= 6 else Said(sent=0)

    with serving(dying) as server:
        port = int(server.url.rpartition(":")[2].partition("/")[0])
        assert ask(data, server.url, tmp_path / "run", LETTERS, "--max-connections", 2).code == 1
    kept = {id for id, (outcome, _) in verdicts(tmp_path / "run").items() if outcome != "request_error"}
    assert len(kept) == 6
    assert ask(data, server.url, tmp_path / "run", LETTERS).code == 2  # nobody is there
    with serving(lambda asked: answered(book.row(asked)), port) as server:
        assert ask(data, server.url, tmp_path / "run", LETTERS).code == 0
        assert {book.row(asked).id for asked in server.asked} == {row.id for row in stored(data, LETTERS)} - kept
    assert {outcome for outcome, _ in verdicts(tmp_path / "run").values()} == {"correct", "incorrect"}


# Under load -------------------------------------------------------------------------------------------------------

N = 2000
BAD_SHARE = 0.15


def load(folder: Path) -> Path:
    done("generate", MANY, "--n", N, "--out", folder)
    return folder


@pytest.mark.slow
def test_two_thousand_items_on_a_bad_night_come_to_the_totals_of_a_good_one(tmp_path: Path) -> None:
    """Every fault at random, killed at random moments as well; at the end each item has one verdict, the right one."""
    data = load(tmp_path / "data")
    book, lock, rng = Book(data), threading.Lock(), random.Random(7)
    times: Counter[str] = Counter()
    kills = 0

    def night(asked: Asked) -> Said:
        row = book.row(asked)
        with lock:
            times[row.id] += 1
            bad = BAD[rng.choice(list(BAD))]() if rng.random() < BAD_SHARE and times[row.id] < 4 else None
        return bad or Said(answered(row).content, wait_s=0.02)

    with serving(night) as server:
        command = ("run", "--data", data, "--model", "night", "--base-url", server.url, "--out", tmp_path / "bad", "--timeout", 8)
        path = tmp_path / "bad" / "records.jsonl"
        for kill_at in (150, 600, 1100):  # records on disk
            with started(*command, "--max-connections", 50) as process:

                def far(process: subprocess.Popen[str] = process, at: int = kill_at) -> bool:
                    return process.poll() is not None or (path.exists() and path.read_bytes().count(b"\n") >= at)

                until(far, 120)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    kills += 1
                process.wait()
        assert kills == 3
        ended = isovist(*command, "--max-connections", 50)
        for _ in range(3):
            if ended.code == 1:
                ended = isovist(*command, "--max-connections", 50)
        assert ended.code == 0, ended
        server.script = lambda asked: answered(book.row(asked))
        done("run", "--data", data, "--model", "night", "--base-url", server.url, "--out", tmp_path / "good", "--max-connections", 50)
    bad, good = verdicts(tmp_path / "bad"), verdicts(tmp_path / "good")
    assert bad == good
    assert len(bad) == N
    final = [record["item_id"] for record in records(tmp_path / "bad") if record["outcome"] != "request_error"]
    assert len(final) == len(set(final)) == N  # exactly one verdict each
    assert all(record["credit"] == 0.0 and record["parsed_answer"] is None for record in records(tmp_path / "bad") if record["error"])
