"""Models behind a server: what is sent to it, what each of its answers comes to, and a real server with a tiny real model."""

from __future__ import annotations

import gc
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import N
from scripted import Asked, Book, Said, Script, fault, serving
from workbench import Ended, contents, done, isovist, parquet, records, refused, spoil, stored, until, verdicts

from isovist.data.prompts import IMAGE

LETTERS = "cdr/relative-compass-letter"


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist(
        "run", LETTERS, "--data", data, "--model", "some/model-1", "--base-url", url, "--max-connections", 4, "--out", out, *more
    )


def said(data: Path, out: Path, script: Script, *more: object) -> list[dict[str, Any]]:
    """The records of a run that a script answered."""
    with serving(script) as server:
        ended = ask(data, server.url, out, *more)
    assert ended.code == 0, ended
    return records(out)


BARE = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("inspect_ai", "openai", "anthropic", "httpx", "httpx2", "pandas", "sklearn"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refusing())
from isovist.__main__ import main
sys.argv = ["isovist", *sys.argv[1:]]
main()
"""


def test_a_server_needs_no_package_of_a_provider(data: Path, tmp_path: Path) -> None:
    replies = iter([Said("Answer: A"), fault(503), Said("<think>so</think>Answer: B"), Said("A", more={"reasoning_content": "so"})])
    options = ("--model", "m", "--max-connections", "1", "--limit", "3", "--structured", "--no-confirm")
    with serving(lambda asked: next(replies, Said("Answer: A"))) as server:
        command = ("run", LETTERS, "--data", data, *options, "--base-url", server.url, "--out", tmp_path / "run")
        ended = subprocess.run([sys.executable, "-c", BARE, *map(str, command)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert [record["reasoning"] for record in records(tmp_path / "run")][:3] == ["", "so", "so"]


@pytest.fixture
def book(data: Path) -> Book:
    return Book(data)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


# What is sent -----------------------------------------------------------------------------------------------------


def test_a_request_holds_the_very_pictures_and_words_of_its_item(data: Path, tmp_path: Path, book: Book) -> None:
    """`Book.row` finds a row by the bytes and words of a request; one other byte, and there is none."""
    with serving(lambda asked: Said(f"Answer: {book.row(asked).answer}")) as server:
        assert ask(data, server.url, tmp_path / "run").code == 0
        rows = {row.id: row for row in stored(data, LETTERS)}
        assert sorted(book.row(asked).id for asked in server.asked) == sorted(rows)  # each once
        for asked in server.asked:
            kinds = [type(part) for part in asked.content]
            assert kinds == [bytes, str]  # the picture stands first, as in the prompt
            assert asked.path == "/v1/chat/completions"
    assert set(verdicts(tmp_path / "run").values()) == {("correct", 1.0)}


def interleaved(row: dict[str, Any]) -> None:
    """Gives a row two more pictures, all of them amid the words."""
    head, _, words = row["prompt"].partition("\n")
    assert head == IMAGE
    row["images"] *= 3
    row["prompt"] = f"First {IMAGE} then\n{IMAGE}\n{words} And {IMAGE}"


def test_several_pictures_stand_where_the_prompt_says(data: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    changed = copied(data)
    spoil(parquet(changed, LETTERS), lambda rows: [interleaved(row) for row in rows])
    with serving(lambda asked: Said("Answer: A")) as server:
        assert ask(changed, server.url, tmp_path / "run").code == 0
        for asked in server.asked:
            first, one, then, two, words, three = asked.content
            assert (first, then) == ("First ", " then")
            assert isinstance(words, str)
            assert words.endswith(" And ")
            assert isinstance(one, bytes)
            assert one == two == three


def test_a_request_tells_the_model_the_temperature_and_the_longest_reply(data: Path, tmp_path: Path, book: Book) -> None:
    def answer(asked: Asked) -> Said:
        return Said(f"Answer: {book.row(asked).answer}")

    with serving(answer) as server:
        ask(data, server.url, tmp_path / "plain")
        for asked in server.asked:
            body = {name: value for name, value in asked.body.items() if name != "messages"}
            assert body == {"model": "some/model-1", "temperature": 0.0, "max_tokens": 32768}
        server.asked.clear()
        ask(data, server.url, tmp_path / "told", "--temperature", 0.7, "--max-tokens", 33)
        assert {(asked.body["temperature"], asked.body["max_tokens"]) for asked in server.asked} == {(0.7, 33)}


def test_another_style_is_sent_and_no_key_of_an_item_is(data: Path, tmp_path: Path) -> None:
    rows = stored(data, LETTERS)
    with serving(lambda asked: Said("")) as server:
        ask(data, server.url, tmp_path, "--prompt-style", "direct")
        sent = sorted(asked.words for asked in server.asked)
        raw = b"".join(asked.raw for asked in server.asked)
    assert sent == sorted(row.prompt_in_style("direct").removeprefix("<image>\n") for row in rows)
    for row in rows:
        assert row.metadata.reasoning is not None
        assert row.metadata.reasoning.splitlines()[0] not in raw.decode()
        assert row.id.encode() not in raw


@pytest.mark.parametrize("variable", ["ISOVIST_API_KEY", "OPENAI_API_KEY"])
def test_a_key_is_sent_and_written_nowhere(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    key = "sk-Zq81LmPv4TxKw0aa"
    monkeypatch.setenv(variable, key)
    with serving(lambda asked: fault(401, f"Incorrect API key provided: {key}")) as server:
        ended = ask(data, server.url, tmp_path, "--max-connections", 1)
        assert {asked.key for asked in server.asked} == {f"Bearer {key}"}
    assert key not in ended.out + ended.err
    assert not [name for name, text in contents(tmp_path).items() if key.encode() in text]


def test_as_many_requests_are_under_way_as_was_said(data: Path, tmp_path: Path) -> None:
    """The first request goes alone; from then on the server answers only when three have come in, and would see a fourth."""
    three, lock = threading.Barrier(3, timeout=60), threading.Lock()
    seen, under_way, most = 0, 0, 0

    def together(asked: Asked) -> Said:
        nonlocal seen, under_way, most
        with lock:
            seen += 1
            under_way += 1
            most = max(most, under_way)
            alone = seen == 1
        if not alone:
            three.wait()
        with lock:
            under_way -= 1
        return Said("Answer: A")

    assert (N - 1) % 3 == 0
    assert len(said(data, tmp_path, together, "--max-connections", 3)) == N
    assert most == 3


def test_a_finished_run_leaves_no_connection_open(data: Path, tmp_path: Path) -> None:
    """The server has one thread for each connection; another run in the same process must not meet the leftovers."""

    def connections() -> list[str]:
        return [thread.name for thread in threading.enumerate() if "process_request" in thread.name]

    until(lambda: not connections(), 5)
    with serving(lambda asked: Said("Answer: A")) as server:
        ask(data, server.url, tmp_path)
        until(lambda: not connections(), 5)


# What comes back --------------------------------------------------------------------------------------------------

THOUGHT = "The letter lies to the left. Answer: B"

CAME_TO: dict[str, tuple[Said, dict[str, object]]] = {
    "a letter": (Said("Answer: B"), {"parsed_answer": "B", "finish_reason": "stop", "reasoning": ""}),
    "a reply that was cut off": (
        Said("Answer: B", "length"),
        {"outcome": "truncated", "parsed_answer": None, "finish_reason": "max_tokens"},
    ),
    "a filtered reply": (Said("Answer: B", "content_filter"), {"outcome": "filtered", "parsed_answer": None}),
    "an empty reply": (Said(""), {"outcome": "empty", "parsed_answer": None}),
    "white space": (Said(" \n\t"), {"outcome": "empty", "parsed_answer": None}),
    "no words at all": (Said(None), {"outcome": "empty", "parsed_answer": None, "response": ""}),
    "reasoning beside a reply": (Said("Answer: C", more={"reasoning_content": THOUGHT}), {"parsed_answer": "C", "reasoning": THOUGHT}),
    "reasoning without a reply": (Said("", more={"reasoning_content": THOUGHT}), {"outcome": "empty", "reasoning": THOUGHT}),
    "reasoning that never came to a reply": (
        Said("", "length", more={"reasoning_content": THOUGHT}),
        {"outcome": "truncated", "parsed_answer": None, "reasoning": THOUGHT},
    ),
    "reasoning with words beside it": (
        Said("So it goes.", more={"reasoning_content": THOUGHT}),
        {"outcome": "unparsed", "parsed_answer": None, "reasoning": THOUGHT},
    ),
    "reasoning in marks": (
        Said(f"<think>{THOUGHT}</think>\nAnswer: C"),
        {"parsed_answer": "C", "reasoning": THOUGHT, "response": "Answer: C"},
    ),
    "reasoning without its end": (Said(f"<think>{THOUGHT}"), {"outcome": "empty", "parsed_answer": None}),
    "the server's own refusal": (Said(None, more={"refusal": "That breaks a rule."}), {"outcome": "refused", "parsed_answer": None}),
}


@pytest.mark.parametrize("name", CAME_TO)
def test_what_a_reply_comes_to(data: Path, tmp_path: Path, name: str) -> None:
    reply, expected = CAME_TO[name]
    run_records = said(data, tmp_path, lambda asked: reply)
    keys = {row.id: row.answer for row in stored(data, LETTERS)}
    assert len(run_records) == N
    for record in run_records:
        assert {field: record[field] for field in expected} == expected
        if expected.get("parsed_answer"):
            right = record["parsed_answer"] == keys[record["item_id"]]
            assert (record["outcome"], record["credit"]) == (("correct", 1.0) if right else ("incorrect", 0.0))
        else:
            assert record["credit"] == 0.0
        assert (record["error"], record["served_by"]) == ("", "some/model-1-as-served")
        assert record["usage"] == {"input_tokens": 70, "output_tokens": 5}


FAULTS: dict[int, tuple[Said, str]] = {
    1: (fault(500, "the cooling failed"), "the cooling failed"),
    2: (fault(400, "no picture was understood"), "no picture was understood"),
    4: (Said(raw='{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'), "no choice"),
    6: (Said(raw='{"id": '), 'the server sent no JSON but: {"id":'),
    8: (Said(raw="<html>a gateway's page</html>", kind="text/html"), "a gateway's page"),
    9: (fault(404, "no such model"), "no such model"),
}
"""By the index of the item that is answered so, with words that tell a reader of the record what was wrong."""


def test_a_fault_of_the_server_is_no_verdict_and_is_asked_again(
    data: Path, tmp_path: Path, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        return FAULTS[row.index][0] if row.index in FAULTS else Said(f"Answer: {row.answer}")

    run, rows = tmp_path / "run", {row.id: row for row in stored(data, LETTERS)}
    with serving(answer) as server:
        ended = ask(data, server.url, run)
        assert ended.code == 1, ended
        assert f"{N - len(FAULTS)} correct, {len(FAULTS)} request_error" in ended.out
        assert f"{len(FAULTS)} items not scored: request error" in ended.err
        by_index = {rows[record["item_id"]].index: record for record in records(run)}
        assert {index for index, record in by_index.items() if record["outcome"] == "request_error"} == set(FAULTS)
        for index, (_, words) in FAULTS.items():
            record = by_index[index]
            assert (record["parsed_answer"], record["response"], record["finish_reason"]) == (None, "", "error")
            assert words in record["error"], record["error"]
            assert "\n" not in record["error"]

        done("report", run, "--out", tmp_path / "report")
        (_, line) = (tmp_path / "report" / "results.csv").read_text().splitlines()
        assert line.split(",")[3:5] == [str(N - len(FAULTS)), "1"]

        server.script = lambda asked: Said(f"Answer: {book.row(asked).answer}")
        server.asked.clear()
        again = ask(data, server.url, run)
        assert again.code == 0, again
        assert {book.row(asked).index for asked in server.asked} == set(FAULTS)
    assert set(verdicts(run).values()) == {("correct", 1.0)}
    last = {record["item_id"]: record["attempt"] for record in records(run)}
    assert {rows[id].index for id, attempt in last.items() if attempt == 2} == set(FAULTS)


def test_requests_that_were_answered_stay_in_no_memory(data: Path, tmp_path: Path) -> None:
    """Inspect AI keeps its requests for a log that a run does not write; in a long run they would fill the memory."""
    from inspect_ai.event import ModelEvent

    alive: list[int] = []

    def answer(asked: Asked) -> Said:
        gc.collect()
        alive.append(sum(isinstance(candidate, ModelEvent) for candidate in gc.get_objects()))
        return Said("Answer: A")

    gc.freeze()  # what was there before is passed over: all that hundreds of tests have left takes a second to look through
    try:
        said(data, tmp_path, answer, "--max-connections", 1)
    finally:
        gc.unfreeze()
    assert len(alive) == N
    assert max(alive) - min(alive) <= 2


def test_a_busy_server_is_asked_again_at_once_and_no_fault_is_recorded(data: Path, tmp_path: Path, book: Book) -> None:
    turned_away: list[str] = []

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        if row.index == 3 and not turned_away:
            turned_away.append(row.id)
            return fault(429, "slow down")
        return Said(f"Answer: {row.answer}")

    run_records = said(data, tmp_path, answer)
    assert turned_away
    assert {(record["outcome"], record["attempt"], record["error"]) for record in run_records} == {("correct", 1, "")}


def test_a_server_that_answers_nothing_stops_the_run_with_its_reason(data: Path, tmp_path: Path, book: Book) -> None:
    with serving(lambda asked: fault(404, "The model `some/model-1` does not exist")) as server:
        ended = ask(data, server.url, tmp_path / "run", "--max-connections", 2)
        assert ended.code == 2, ended
        message = ended.err.splitlines()[-1]
        assert message.startswith("isovist: No response to 1 requests (last: ")
        assert "does not exist): some/model-1." in message
        assert len(server.asked) == 1  # no model of that name is a fault that stays
        assert "data:image" not in message
        assert "Answer:" not in message  # the prompt is no reason
        assert {outcome for outcome, _ in verdicts(tmp_path / "run").values()} == {"request_error"}
        server.script = lambda asked: Said(f"Answer: {book.row(asked).answer}")
        assert ask(data, server.url, tmp_path / "run").code == 0
    assert set(verdicts(tmp_path / "run").values()) == {("correct", 1.0)}
    assert len(verdicts(tmp_path / "run")) == N


# A server that is not there ---------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/v1", "localhost:{port}/v1", "ftp://localhost/v1", "http://127.0.0.1:99999/v1", "http://", "nonsense"]
)
def test_a_server_that_cannot_be_reached_is_one_line(data: Path, tmp_path: Path, url: str) -> None:
    url = url.format(port=free_port())
    refused(ask(data, url, tmp_path / "run"), "--base-url", url)
    assert not (tmp_path / "run").exists()


# A real server ----------------------------------------------------------------------------------------------------


def fresh(url: str, out: Path, *more: object) -> list[dict[str, Any]]:
    """The records of three fresh items, asked of the real server."""
    args = ("run", LETTERS, "--n", 3, "--workers", 1, "--model", "tiny", "--base-url", url, "--max-connections", 2, "--max-tokens", 12)
    done(*args, "--out", out, *more)
    return records(out)


def test_a_real_server_sees_pictures_and_its_noise_is_judged(real: str, tmp_path: Path) -> None:
    run_records = fresh(real, tmp_path / "a", "--image-size", 96)
    assert len(run_records) == 3
    for record in run_records:
        assert record["error"] == ""
        assert record["usage"]["input_tokens"] > 0
        assert 0 < record["usage"]["output_tokens"] <= 12
        # a random model ends a reply by accident only, and what is cut off is never read
        assert (record["outcome"] == "truncated") == (record["finish_reason"] == "max_tokens")
    assert "truncated" in {record["outcome"] for record in run_records}
    done("rescore", tmp_path / "a")
    done("report", tmp_path / "a", "--out", tmp_path / "report")

    # the same words with a larger picture are more tokens: the pictures do reach the model
    def place(record: dict[str, Any]) -> str:
        return str(record["item_id"]).partition(":size=")[0].partition("#")[0]

    large = {place(record): record for record in fresh(real, tmp_path / "b")}
    for record in run_records:
        other = large[place(record)]
        assert other["prompt_hash"] == record["prompt_hash"]
        assert other["usage"]["input_tokens"] > record["usage"]["input_tokens"]


def test_a_real_server_sees_every_picture_of_a_prompt(real: str, data: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    def tokens(data: Path, out: Path) -> dict[str, int]:
        done("run", LETTERS, "--data", data, "--n", 1, "--model", "tiny", "--base-url", real, "--max-tokens", 4, "--out", out)
        return {record["item_id"]: record["usage"]["input_tokens"] for record in records(out)}

    one = tokens(data, tmp_path / "one")
    changed = copied(data)
    spoil(parquet(changed, LETTERS), lambda rows: [interleaved(row) for row in rows])
    three = tokens(changed, tmp_path / "three")
    side = 200  # pixels; the tiny model makes one token of 28 x 28 of them
    assert all(three[item] - one[item] > 2 * (side // 28 - 1) ** 2 for item in one)


def test_a_real_server_says_the_same_again_at_temperature_zero(real: str, tmp_path: Path) -> None:
    def replies(run: Path) -> dict[str, str]:
        return {record["item_id"]: record["response"] for record in fresh(real, run, "--max-connections", 1, "--image-size", 96)}

    assert replies(tmp_path / "a") == replies(tmp_path / "b")
    assert json.loads((tmp_path / "a" / "run.json").read_bytes())["options"]["base_url"] == real


def test_a_real_server_takes_a_system_prompt_examples_and_texts_that_end_a_response(real: str, tmp_path: Path) -> None:
    common = ("--max-connections", 1, "--image-size", 96)
    plain = fresh(real, tmp_path / "plain", *common)
    systematic = {record["item_id"]: record for record in fresh(real, tmp_path / "system", *common, "--system-prompt", "Be brief. " * 4)}
    shown = fresh(real, tmp_path / "shots", *common, "--shots", 2)
    tokens = {record["item_id"]: record["usage"]["input_tokens"] for record in plain}
    assert all(systematic[id]["usage"]["input_tokens"] > n for id, n in tokens.items())
    examples = [record for record in shown if record["variant"] == "shots:2"]
    assert len(examples) == 3
    for record in examples:
        assert record["error"] == ""
        assert len(record["image_hashes"]) == 3
        assert record["usage"]["input_tokens"] > 2 * tokens[record["item_id"]]

    first = next(record for record in plain if len(record["response"]) > 3)
    stop = first["response"][2]
    for record in fresh(real, tmp_path / "stop", *common, "--stop", stop):
        whole = next(other for other in plain if other["item_id"] == record["item_id"])
        assert record["response"] == whole["response"].partition(stop)[0]
        assert (record["finish_reason"] == "stop") or stop not in whole["response"]
