"""A server that sends whatever it likes: every string is stored and scored, every fault is one line with the server's own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import Asked, Said, serving
from workbench import Ended, contents, done, edit, isovist, records, refused, verdicts

from isovist.common.json_lines import whole
from isovist.core.answers import Choice
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.models.wire import NoReply, completion
from isovist.evaluation.run.records import AttemptRecord, RecordWriter, read

LETTERS = "cdr/relative-compass-letter"
HALF = "\ud83d"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths instead of seconds."""
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", LETTERS, "--data", data, "--model", "m", "--base-url", url, "--out", out, "--n", 3, *more)


def body(**more: Any) -> dict[str, Any]:
    """A chat completion, changed."""
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Answer: B"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 70, "completion_tokens": 5, "total_tokens": 75},
    } | more


def message(**more: Any) -> list[dict[str, Any]]:
    return [{"index": 0, "message": {"role": "assistant", "content": "Answer: B"} | more, "finish_reason": "stop"}]


def says(payload: object) -> Callable[[Asked], Said]:
    """A server that always sends this; JSON may hold halves of characters, in its own words for them."""
    raw = payload if isinstance(payload, str) else json.dumps(payload)
    return lambda asked: Said(raw=raw)


# Every string -----------------------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    [HALF, "\udc00", HALF + "\ude00", "\0", "a\0b", "\n", "\r\n", "\u2028", "\u2029", "\x85", "\x1b[31m", "\ufeff", "\ufffe", "Answer: B" + HALF]
)  # fmt: skip


@given(ANY_TEXT)
def test_a_text_without_halves_stays_and_halves_become_one_mark(text: str) -> None:
    cleaned = whole(text)
    assert cleaned.encode().decode() == cleaned
    assert whole(cleaned) == cleaned
    halves = any("\ud800" <= letter <= "\udfff" for letter in text)
    assert (cleaned == text) == (not halves)
    assert whole(f"<{HALF}>") == "<\ufffd>"
    assert whole(HALF + "\ude00") == "\U0001f600"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_any_strings_of_a_reply_are_scored_and_read_back(tmp_path: Path, text: str, reasoning: str, finish: str, name: str) -> None:
    reply = ModelResponse(text, reasoning, finish, served_by=name)
    score = Choice(("North", "East"), 1).score(reply.text)
    record = AttemptRecord(
        "a", "", [], 1, reply.text, reply.reasoning, score.outcome, score.credit, score.parsed_answer, served_by=reply.served_by
    )
    path = tmp_path / "records.jsonl"
    path.unlink(missing_ok=True)
    log = RecordWriter(path)
    for _ in range(2):
        log.append(record)
    log.close()
    assert list(read(path)) == [record, record]
    assert path.read_bytes().count(b"\n") == 2


@given(st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens", "x"]), st.none() | st.integers() | st.floats() | ANY_TEXT | st.booleans() | st.just({}) | st.just([]) | st.just(10**400)) | st.none() | st.integers() | ANY_TEXT | st.lists(st.integers()))  # fmt: skip
def test_odd_counts_cost_no_reply(usage: object) -> None:
    response = completion(json.dumps(body(usage=usage)).encode())
    assert response["choices"][0]["message"]["content"] == "Answer: B"
    counts = response["usage"]
    assert counts is None or all(type(count) is int and count >= 0 for count in counts.values())


ANY_JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | ANY_TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["error", "message", "code", "choices", "content", "detail", "usage", "finish_reason", "model", "text", "reasoning"]), inner, max_size=4), max_leaves=12)  # fmt: skip


@given(ANY_JSON)
def test_whatever_a_server_sends_is_a_reply_or_a_fault_in_words(payload: object) -> None:
    outcome: object = None
    try:
        outcome = completion(json.dumps(payload).encode())
    except NoReply as error:
        outcome = str(error).removeprefix("the server sent ")
        payload = str(error)
    assert outcome != payload
    json.dumps(outcome, ensure_ascii=False).encode()


@given(st.binary())
def test_bytes_that_are_no_json_are_a_fault_in_words(raw: bytes) -> None:
    with pytest.raises(NoReply, match="the server sent"):
        completion(raw)


STRINGS = {
    "half a pair": HALF,
    "the other half": "\udc00 Answer: B",
    "halves the wrong way round": "\udc00\ud83d",
    "a zero byte": "\0",
    "ends of lines": "Answer: B\r\n\u2028\u2029\x85\x0b",
    "a terminal's codes": "\x1b[31mAnswer: B\x1b[0m",
    "two million letters": "la " * 700_000,
    "a deep nest": "[" * 100_000,
}


@pytest.mark.parametrize("name", STRINGS)
def test_every_string_is_stored_scored_and_shown(data: Path, tmp_path: Path, name: str) -> None:
    """In the reply, the reasoning, the model's name and the reason to end; and all that reads the run works on it."""
    text, run = STRINGS[name], tmp_path / "run"
    payload = body(
        model=text[:1000], choices=[{"index": 0, "message": {"content": text, "reasoning_content": text}, "finish_reason": text[:50]}]
    )
    with serving(says(payload)) as server:
        ended = ask(data, server.url, run)
        assert ended.code == 0, ended
        server.asked.clear()
        assert ask(data, server.url, run).code == 0
        assert not server.asked  # all are on record
    run_records = records(run)
    assert len(run_records) == 3
    for record in run_records:
        assert record["response"] == record["reasoning"] == whole(text)
        assert record["served_by"] == whole(text[:1000])
        assert record["outcome"] == "truncated"  # an unknown reason to end
    done("rescore", run)
    assert records(run) == run_records
    done("report", run, "--out", tmp_path / "report", "--item-browser")
    done("leaderboard", run, "--out", tmp_path / "board")
    for file in tmp_path.rglob("*"):
        if file.suffix in (".html", ".csv", ".json", ".md"):
            file.read_text(encoding="utf-8")


def test_an_old_record_with_half_a_pair_in_json_is_read(oracle: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    """As a tool writes it that keeps to ASCII."""
    run = copied(oracle)
    run_records = records(run)
    run_records[0]["response"] += HALF
    (run / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in run_records))
    assert next(read(run / "records.jsonl")).response.endswith("\ufffd")
    done("report", run, "--out", tmp_path / "report")
    done("rescore", run)
    assert next(read(run / "records.jsonl")).response.endswith("\ufffd")


# What is no reply -------------------------------------------------------------------------------------------------

NO_REPLY: dict[str, tuple[object, str]] = {
    "an error object": ({"error": {"message": "the model is being loaded", "code": 503}}, "the server sent an error: the model is being loaded"),
    "an error in words": ({"error": "no more room"}, "the server sent an error: no more room"),
    "an error of another kind": ({"object": "error", "message": "bad luck", "code": 40303}, "the server sent an error: bad luck"),
    "a detail": ({"detail": "not today"}, "the server sent an error: not today"),
    "an error in the choice": ({"choices": [{"error": {"message": "upstream died"}, "message": {"content": ""}}]}, "upstream died"),
    "an error with half a pair": ({"error": {"message": f"oh {HALF}"}}, "oh \ufffd"),
    "a page": ("<html><head><style>p {}</style></head><body><h1>Bad\ngateway</h1></body></html>", "no JSON but: Bad gateway"),
    "nothing": ("", "an empty body"),
    "null": ("null", "no chat completion but: null"),
    "a list": ("[1, 2]", "no chat completion but: [1, 2]"),
    "no choices": (body(choices=None), "no choice"),
    "choices that are none": (body(choices="none"), "no choice"),
    "a choice without a message": (body(choices=[{"index": 0, "message": None}]), "a choice without a message"),
    "a deep nest": ('{"choices": ' + "[" * 100_000, "no JSON but: {"),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_REPLY)
def test_what_is_no_reply_is_one_line_with_the_servers_own_words(data: Path, tmp_path: Path, name: str) -> None:
    payload, words = NO_REPLY[name]
    with serving(says(payload)) as server:
        line = refused_at_last(ask(data, server.url, tmp_path / "run"))
    assert words in line
    assert "NoneType" not in line
    assert {record["outcome"] for record in records(tmp_path / "run")} == {"request_error"}
    assert all(words in record["error"] for record in records(tmp_path / "run"))
    with serving(lambda asked: Said("Answer: B")) as server:  # and the same folder goes on
        edit(tmp_path / "run" / "run.json", lambda info: info["options"].update(base_url=server.url))
        assert ask(data, server.url, tmp_path / "run").code == 0
    assert len(verdicts(tmp_path / "run")) == 3


def refused_at_last(ended: Ended) -> str:
    """The one line of a refusal after the line of the estimate."""
    assert ended.code == 2, ended
    assert ended.out == ""
    estimate, line = ended.err.splitlines()
    assert "Estimated input" in estimate
    return line


def test_the_code_in_an_error_object_is_taken_for_the_status(data: Path, tmp_path: Path) -> None:
    with serving(says({"error": {"message": "no such key", "code": 401}})) as server:
        line = refused_at_last(ask(data, server.url, tmp_path / "run"))
        assert len(server.asked) == 1  # it will not pass
    assert "No response to 1 requests" in line


ODD: dict[str, dict[str, Any]] = {
    "usage is null": {"usage": None},
    "usage is a text": {"usage": "much"},
    "counts are texts": {"usage": {"prompt_tokens": "70", "completion_tokens": "5"}},
    "counts are null": {"usage": {"prompt_tokens": None, "completion_tokens": None}},
    "counts are below zero": {"usage": {"prompt_tokens": -70, "completion_tokens": 5}},
    "counts are fractions": {"usage": {"prompt_tokens": 70.5, "completion_tokens": 5.5}},
    "counts are beyond measure": {"usage": {"prompt_tokens": 10**400, "completion_tokens": 5}},
    "counts are missing": {"usage": {}},
    "counts are nested": {"usage": {"prompt_tokens": {"text": 70}, "completion_tokens": [5]}},
    "no model": {"model": None},
    "a model that is a number": {"model": 7},
    "no id": {"id": None},
    "content in parts": {"choices": message(content=[{"type": "text", "text": "Answer:"}, {"type": "text", "text": " B"}])},
    "content in strings": {"choices": message(content=["Answer:", " B", 7, None])},
    "reasoning in parts": {"choices": message(content=[{"type": "reasoning", "text": "Answer: A"}, {"type": "text", "text": "Answer: B"}])},
    "thinking in parts of parts": {
        "choices": message(
            content=[{"type": "thinking", "thinking": [{"type": "text", "text": "A"}]}, {"type": "text", "text": "Answer: B"}]
        )
    },
    "odd fields": {"choices": message(tool_calls="none", function_call=7, annotations=3, audio="x", refusal=False, reasoning=7)},
    "odd choices": {"choices": [{"index": None, "logprobs": "no", "finish_reason": None, "message": {"content": "Answer: B"}}]},
    "an error beside a reply": {"error": {"message": "a warning"}},
}


@pytest.mark.parametrize("name", ODD)
def test_a_reply_with_odd_fields_is_kept(data: Path, tmp_path: Path, name: str) -> None:
    with serving(says(body(**ODD[name]))) as server:
        assert ask(data, server.url, tmp_path / "run").code == 0
    for record in records(tmp_path / "run"):
        assert (record["response"], record["parsed_answer"], record["error"]) == ("Answer: B", "B", "")
        assert record["usage"] == ({} if "usage" in ODD[name] else {"input_tokens": 70, "output_tokens": 5})


def test_a_key_that_the_server_repeats_stands_nowhere(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "plainwords0815"  # nothing that looks like a key
    monkeypatch.setenv("ISOVIST_API_KEY", key)
    payload = body(model=f"m-{key}", choices=message(content=f"You sent {key}. Answer: B", reasoning_content=f"Bearer {key}"))
    with serving(says(payload)) as server:
        ended = ask(data, server.url, tmp_path / "run")
        assert ended.code == 0, ended
        done("report", tmp_path / "run", "--out", tmp_path / "report")
        assert {asked.key for asked in server.asked} == {f"Bearer {key}"}
    assert key not in ended.out + ended.err
    assert not [name for name, text in contents(tmp_path).items() if key.encode() in text]
    assert {record["response"] for record in records(tmp_path / "run")} == {"You sent [key]. Answer: B"}
    assert {record["parsed_answer"] for record in records(tmp_path / "run")} == {"B"}


def test_a_password_in_an_address_is_refused(data: Path, tmp_path: Path) -> None:
    line = refused(ask(data, "http://me:secret@localhost:1/v1", tmp_path / "run"), "ISOVIST_API_KEY")
    assert "secret" not in line
    assert not (tmp_path / "run").exists()


def test_a_refusal_with_odd_words_is_one_line(data: Path, tmp_path: Path) -> None:
    for payload in (
        {"error": {"message": {"a": [1]}, "code": [3]}},
        {"error": HALF},
        {"detail": [{"msg": "field\nrequired\x1b[2J"}]},
        [],
        3,
    ):
        with serving(lambda asked, told=payload: Said(status=400, raw=json.dumps(told))) as server:
            line = refused_at_last(ask(data, server.url, tmp_path / f"run-{len(list(tmp_path.iterdir()))}"))
            assert "\x1b" not in line
