"""What servers answer besides answers: reasons to end, refused fields, reasoning alone, huge bodies, redirects, and nothing at all."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from scripted import Asked, Said, fault, serving
from test_hostile_server import ask, body
from workbench import Ended, done, isovist, records, refused

import isovist as package
from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.evaluation.models.connections import certificates, check_address, endpoint_path
from isovist.evaluation.models.finish_reasons import end_of, finish_reason
from isovist.evaluation.models.request_errors import fault as request_error
from isovist.evaluation.models.request_errors import is_unsupported, refused_field, too_long
from isovist.evaluation.models.wire import completion


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


# Reasons to end ---------------------------------------------------------------------------------------------------

ENDS = {
    "complete": ("stop", "STOP", "end_turn", "endTurn", "eos_token", "stop_sequence", "COMPLETE", "FinishReason.STOP", "REASON_STOP", None, ""),
    "truncated": ("length", "max_tokens", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "FINISH_REASON_MAX_TOKENS", "maxTokens", "max-tokens",
                  "model_length", "model_context_window_exceeded", "limit", {"type": "length", "length": 64}, "REASON_MAX_LEN"),
    "filtered": ("content_filter", "content-filter", "SAFETY", "RECITATION", "BLOCKLIST", "SPII", "guardrail_intervened", "CONTENT_FILTERED"),
    "refused": ("refusal",),
    "failed": ("abort", "error", "cancelled", "insufficient_system_resource", "MALFORMED_FUNCTION_CALL", "OTHER", "engine_dead", "timeout"),
    "unknown": ("stopped_by_moonlight", "unknown", 7, "FINISH_REASON_UNSPECIFIED", "\ud83d", "!"),
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_every_known_reason_means_one_of_five_and_others_are_unknown(end: str) -> None:
    for value in ENDS[end]:
        reason = finish_reason(value)
        assert end_of(reason) == end, value
        assert finish_reason(reason) == reason, "a record is read as it was written"


@pytest.mark.parametrize(
    ("finish", "outcome"),
    [("eos", "correct"), ("MAX_TOKENS", "truncated"), ("SAFETY", "filtered"), ("abort", "request_error"), ("moonlight", "truncated")],
)
def test_a_reply_that_ended_early_is_no_answer(data: Path, tmp_path: Path, finish: str, outcome: str) -> None:
    with serving(lambda asked: Said("Answer: B", finish)) as server:
        ended = ask(data, server.url, tmp_path / "run", "--timeout", 5)
    outcomes = {record["outcome"] for record in records(tmp_path / "run")}
    assert outcomes <= ({"correct", "incorrect"} if outcome == "correct" else {outcome})
    assert ("moonlight" in ended.err) == (finish == "moonlight")
    if outcome == "request_error":
        assert f"finish reason {finish}" in ended.err
    if finish == "moonlight":
        assert {record["finish_reason"] for record in records(tmp_path / "run")} == {finish}
        assert "larger --max-tokens" not in ended.err


def test_imported_reasons_count_as_those_of_servers_and_unknown_ones_are_named(oracle: Path, tmp_path: Path) -> None:
    ids = [record["item_id"] for record in records(oracle)][:5]
    replies = [
        {"id": id, "response": "Answer: B", "finish_reason": finish}
        for id, finish in zip(ids, ("length", "abort", "SAFETY", "moonlight", "end_turn"), strict=True)
    ]
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json_lines.lines(replies))
    ended = done("import", "predictions", folder, "--source-tool", "jsonl", "--data", oracle / "data", "--out", tmp_path / "run")
    assert [record["outcome"] for record in records(tmp_path / "run")][:4] == ["truncated", "request_error", "filtered", "truncated"]
    assert 'Unknown finish reason: "moonlight" (1 response)' in ended.err
    done("rescore", tmp_path / "run")
    assert [record["outcome"] for record in records(tmp_path / "run")][:4] == ["truncated", "request_error", "filtered", "truncated"]


# Fields that a model refuses --------------------------------------------------------------------------------------


def without_temperature(asked: Asked) -> Said:
    return fault(400, "`temperature` is deprecated for this model.") if "temperature" in asked.body else Said("Answer: B")


def test_a_refused_temperature_names_the_remedy_which_works(data: Path, tmp_path: Path) -> None:
    with serving(without_temperature) as server:
        first = ask(data, server.url, tmp_path / "first")
        assert first.code == 2
        assert "--temperature none" in first.err
        assert "context" not in first.err
        assert ask(data, server.url, tmp_path / "run", "--temperature", "none").code == 0
        again = isovist("run", tmp_path / "run" / "config.toml", "--base-url", server.url, "--out", tmp_path / "again")
        assert again.code == 0, again
        package.evaluate("m", data=data, base_url=server.url, out=tmp_path / "python", n=2, temperature=None, progress=False)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["options"]["temperature"] is None
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert "not sent" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.parametrize(("name", "model"), [("max_tokens", "m"), ("max_completion_tokens", "gpt-5-mini")])
def test_the_token_limit_has_the_name_that_the_model_takes(data: Path, tmp_path: Path, name: str, model: str) -> None:
    def answer(asked: Asked) -> Said:
        return fault(400, f"Unsupported parameter: '{name}' is not supported.") if name in asked.body else Said("Answer: B")

    with serving(answer) as server:
        ended = isovist("run", "cdr/relative-compass-letter", "--data", data, "--model", model, "--base-url", server.url, "--out", tmp_path / "run", "--n", 3)  # fmt: skip
        assert ended.code == 0, ended
    assert sum(name in asked.body for asked in server.asked) == 1, "the first request alone"


def test_a_limit_beyond_that_of_the_model_names_max_tokens(data: Path, tmp_path: Path) -> None:
    words = "max_tokens is too large: 32768. This model supports at most 16384 completion tokens"
    with serving(lambda asked: fault(400, words)) as server:
        ended = ask(data, server.url, tmp_path / "run")
    assert "Use a lower --max-tokens (now 32768)." in ended.err
    assert "context" not in ended.err


TOO_LONG = (
    "prompt is too long: 215000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "Range of input length should be [1, 30720]",
    "Your input exceeds the context window of this model.",
    "input token length 9000 exceeds session_len 8192",
    "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens",
)
NOT_TOO_LONG = {
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.": "max_tokens",
    "max_tokens: 32768 > 8192, which is the maximum allowed number of output tokens": "max_tokens",
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.": "temperature",
    "gpt-5 models don't support temperature=0.0. Only temperature=1 is supported.": "temperature",
    'Invalid JSON payload received. Unknown name "seed": Cannot find field.': "seed",
    "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted'}]": "top_k",
    "Too many tokens, please wait before trying again.": "",
    "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 31000.": "",
    "image exceeds 5 MB maximum: 6000000 bytes": "",
    "please stop: the service is unsupported here": "",
}


def test_messages_about_the_context_are_told_from_those_about_a_field() -> None:
    assert all(map(too_long, TOO_LONG))
    for words, field in NOT_TOO_LONG.items():
        assert not too_long(words), words
        assert refused_field(words, ("max_completion_tokens", "max_tokens", "temperature", "seed", "stop", "top_k")) == field
    assert not is_unsupported("max_tokens is too large: 32768", "max_tokens")


# Reasoning alone --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_reply_that_is_all_reasoning_names_the_parser_of_the_server(data: Path, tmp_path: Path, field: str) -> None:
    with serving(lambda asked: Said(None, more={field: "Left.\nAnswer: B"})) as server:
        ended = ask(data, server.url, tmp_path / "run")
        checked = isovist("doctor", "--model", "m", "--base-url", server.url)
    assert {record["outcome"] for record in records(tmp_path / "run")} == {"empty"}
    for words in (ended.err, checked.out):
        assert "reasoning parser" in words
        assert "--max-tokens" not in words


# Bodies, redirects, keys ------------------------------------------------------------------------------------------


def raw_server(respond: Callable[[BaseHTTPRequestHandler], None]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            respond(self)

        do_GET = respond  # noqa: N815

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def run_raw(data: Path, out: Path, respond: Callable[[BaseHTTPRequestHandler], None], *more: object) -> Ended:
    server = raw_server(respond)
    try:
        return ask(data, f"http://127.0.0.1:{server.server_port}/v1", out, *more)
    finally:
        server.shutdown()
        server.server_close()


def test_a_small_body_that_unpacks_to_a_large_one_is_refused(data: Path, tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(body()).encode() + b" " * (200 << 20))

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(packed)))
        handler.end_headers()
        handler.wfile.write(packed)

    ended = run_raw(data, tmp_path / "run", respond, "--timeout", 20)
    assert ended.code == 2
    assert "more than 32 MB in one response" in ended.err


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_refused(data: Path, tmp_path: Path, status: int) -> None:
    with serving(lambda asked: Said("Answer: B")) as other:

        def respond(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Location", f"{other.url}/chat/completions?key=hidden")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        ended = run_raw(data, tmp_path / "run", respond)
    assert ended.code == 2
    assert "redirects to http://127.0.0.1" in ended.err
    assert "hidden" not in ended.err
    assert not other.asked


def test_a_redirect_within_a_server_is_followed_as_the_same_request(data: Path, tmp_path: Path) -> None:
    def answer(asked: Asked) -> Said:
        return Said("Answer: B") if asked.path == "/chat" else Said(status=301, raw="", headers={"Location": "/chat"})

    with serving(answer) as server:
        assert ask(data, server.url, tmp_path / "run").code == 0


@pytest.mark.parametrize("key", ["word-of-mouth\n", "  word-of-mouth  ", "word-of-mouth\r\n"])
def test_a_key_is_sent_without_white_space_and_no_password_file_replaces_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    (tmp_path / ".netrc").write_text("default login somebody password else\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ISOVIST_API_KEY", key)
    with serving(lambda asked: Said("Answer: B")) as server:
        ended = ask(data, server.url, tmp_path / "run")
    assert ended.code == 0, ended
    assert {asked.key for asked in server.asked} == {"Bearer word-of-mouth"}


@pytest.mark.parametrize("query", ["?key=hidden", "?code=hidden", "?api-version=1&sig=hidden", "#hidden"])
def test_an_address_with_a_key_is_refused_and_stored_nowhere(data: Path, tmp_path: Path, query: str) -> None:
    with serving(lambda asked: Said("Answer: B")) as server:
        ended = ask(data, server.url + query, tmp_path / "run")
    assert ended.code == 2
    assert "Query in --base-url" in ended.err
    assert "hidden" not in ended.err
    assert not (tmp_path / "run").exists()


def test_the_version_of_an_interface_stays_in_the_address() -> None:
    check_address("https://host/openai/v1?api-version=2026-01-01")
    assert endpoint_path("https://host/v1/?api-version=1", "chat/completions") == "https://host/v1/chat/completions?api-version=1"
    with pytest.raises(UserError, match="Invalid --base-url"):
        check_address("host:8000/v1")


def test_certificates_are_those_of_the_environment_else_at_least_the_usual_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert certificates.__wrapped__().cert_store_stats()["x509_ca"] > 50
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert certificates.__wrapped__().cert_store_stats()["x509_ca"] == 0


@pytest.mark.parametrize("header", ["später".encode(), b"\xff\xfe", "²".encode(), b"inf", b"-3", b"1e400", b""])
def test_any_text_for_when_to_try_again_gets_through(data: Path, tmp_path: Path, header: bytes) -> None:
    seen: list[int] = []

    def respond(handler: BaseHTTPRequestHandler) -> None:
        seen.append(1)
        reply = json.dumps(body()).encode()
        handler.send_response(429 if len(seen) == 1 else 200)
        handler.flush_headers()
        handler.wfile.write(b"Retry-After: " + header + b"\r\nContent-Length: " + str(len(reply)).encode() + b"\r\n\r\n" + reply)

    ended = run_raw(data, tmp_path / "run", respond)
    assert ended.code == 0, ended


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_json_with_a_byte_order_mark_is_read(encoding: str) -> None:
    assert completion(json.dumps(body()).encode(encoding))["choices"][0]["message"]["content"] == "Answer: B"


def test_a_byte_order_mark_in_records_changes_nothing_and_a_blank_line_is_named(
    oracle: Path, tmp_path: Path, copied: Callable[[Path], Path]
) -> None:
    run = copied(oracle)
    path = run / "records.jsonl"
    content = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + content + b" \r\n")
    refused(isovist("report", run, "--out", tmp_path / "report"), "Invalid record (a blank line)", "records.jsonl, line 17")
    path.write_bytes(b"\xef\xbb\xbf" + content)
    done("report", run, "--out", tmp_path / "report", "--item-browser")
    done("rescore", run)
    assert path.read_bytes() == content


# Nobody there -----------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_not_there_is_named_at_once(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "word-of-mouth")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{free_port()}/v1")
    start = time.monotonic()
    ended = isovist("run", "--data", data, "--model", "openai/gpt-4o-mini", "--out", tmp_path / "run")
    assert ended.code == 2
    assert "No server at http://127.0.0.1" in ended.err
    assert time.monotonic() - start < 10  # of which the import takes most; the retries of requests took 45


def test_a_listener_that_never_responds_to_the_check_is_judged_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        start = time.monotonic()
        ended = isovist("doctor", "--model", "m", "--base-url", f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "--timeout", 3)
    assert time.monotonic() - start < 8
    assert ended.code == 1
    assert "failed   text: request error (" in ended.out


def test_a_missing_package_is_permanent() -> None:
    error = request_error(ModuleNotFoundError("No module named 'anthropic'"))
    assert (error.is_permanent, error.is_transient) == (True, False)


def test_a_provider_whose_server_sends_odd_headers_or_redirects_is_read_likewise(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def respond(handler: BaseHTTPRequestHandler) -> None:
        seen.append(1)
        reply = json.dumps(body()).encode()
        handler.send_response(429 if len(seen) == 1 else 200 if len(seen) < 4 else 307)
        handler.flush_headers()
        handler.wfile.write(
            "Retry-After: später\r\nLocation: http://elsewhere/v1\r\n".encode() + b"Content-Length: %d\r\n\r\n" % len(reply) + reply
        )

    server = raw_server(respond)
    monkeypatch.setenv("OPENAI_API_KEY", "word-of-mouth\n")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    try:
        ended = isovist("run", "cdr/relative-compass-letter", "--data", data, "--model", "openai/gpt-4o-mini", "--n", 3, "--out", tmp_path / "run", "--max-connections", 1)  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    assert [record["outcome"] == "request_error" for record in records(tmp_path / "run")] == [False, False, True], ended
    assert "redirects to http://elsewhere/v1" in ended.err
