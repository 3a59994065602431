"""Runs with structured replies: what is sent, what a server refuses, simulated models, and a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import N
from scripted import Asked, Said, fault, serving
from workbench import done, isovist, records, refused, stored

import isovist as package
from isovist.common.errors import UserError
from isovist.core.answers.structured import response_schema
from isovist.suites import registry

LETTERS = "cdr/relative-compass-letter"
FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def reply(answer: str) -> str:
    return f'{{"reasoning": "I look.", "answer": {answer}}}'


EAST = reply('"B"')


def in_variant(run: Path, variant: str = "structured") -> list[dict[str, Any]]:
    return [record for record in records(run) if record.get("variant", "") == variant]


def sent(data: Path, url: str, out: Path, *more: object) -> Any:
    return isovist(
        "run",
        LETTERS,
        "--data",
        data,
        "--model",
        "some/model",
        "--base-url",
        url,
        "--structured",
        "--max-connections",
        2,
        "--out",
        out,
        *more,
    )


def test_the_schema_is_sent_with_the_variant_alone(data: Path, tmp_path: Path) -> None:
    def answer(asked: Asked) -> Said:
        return Said(reply('"B"') if "response_format" in asked.body else "I see four directions.")

    rows = stored(data, LETTERS)
    with serving(answer) as server:
        assert sent(data, server.url, tmp_path / "run").code == 0
        formats = [asked.body["response_format"] for asked in server.asked if "response_format" in asked.body]
        words = [asked.words for asked in server.asked if "response_format" in asked.body]
        assert len(server.asked) == 2 * N
        assert len(formats) == N
        raw = b"".join(asked.raw for asked in server.asked)
    for format_ in formats:
        assert format_["type"] == "json_schema"
        assert format_["json_schema"]["strict"] is True
        assert format_["json_schema"]["schema"] == response_schema(rows[0].key)
        assert list(format_["json_schema"]["schema"]["properties"]) == ["reasoning", "answer"]
    assert all("JSON object" in text and "Answer:" not in text for text in words)
    assert not any(row.id.encode() in raw for row in rows)
    assert {record["outcome"] for record in in_variant(tmp_path / "run", "")} == {"unparsed"}
    assert {record["outcome"] for record in in_variant(tmp_path / "run")} == {"correct", "incorrect"}
    assert {record["schema_refused"] for record in records(tmp_path / "run")} == {""}
    before = records(tmp_path / "run")
    done("rescore", tmp_path / "run")
    assert records(tmp_path / "run") == before
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    head, line = (tmp_path / "report" / "variants.csv").read_text().splitlines()
    row = dict(zip(head.split(","), line.split(","), strict=True))
    assert (row["variant"], row["unparsed_standard"], row["unparsed_variant"]) == ("structured", "1", "0")
    assert "structured replies" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "'response_format.type' json_schema is not supported by this model"),
        (422, "Extra inputs are not permitted: response_format"),
        (404, "No endpoints found that can handle the requested parameters."),
        (400, "output_format: This model does not support structured outputs."),
        (500, "failed to parse grammar"),
    ],
)
def test_a_refused_schema_falls_back_with_one_line(data: Path, tmp_path: Path, status: int, message: str) -> None:
    texts = iter(['{"reasoning": "", "answer": "B"}', "Answer: B", "Who knows?"] * N)

    def answer(asked: Asked) -> Said:
        if "response_format" in asked.body:
            return fault(status, message)
        return Said(next(texts) if "JSON object" in asked.words else "Answer: B")

    with serving(answer) as server:
        ended = sent(data, server.url, tmp_path / "run", "--max-connections", 1)
        assert ended.code == 0, ended
        assert sum("response_format" in asked.body for asked in server.asked) == 1  # asked once, then no more
    said = [line for line in ended.err.splitlines() if "schema" in line]
    assert len(said) == 1
    assert message.rstrip(".") in said[0]
    structured = in_variant(tmp_path / "run")
    assert len(structured) == N
    assert all(message.rstrip(".") in record["schema_refused"] for record in structured)
    for record in structured:
        assert (record["outcome"] == "unparsed") == (record["response"] == "Who knows?")
    assert {record["schema_refused"] for record in in_variant(tmp_path / "run", "")} == {""}
    before = records(tmp_path / "run")
    done("rescore", tmp_path / "run")
    assert records(tmp_path / "run") == before
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert f"refused the JSON schema of {N} of {N}" in (tmp_path / "report" / "report.md").read_text()


def test_a_server_that_takes_schemas_may_refuse_one(data: Path, tmp_path: Path) -> None:
    """One refused schema, after others were accepted, says nothing about the next."""
    asked_with: list[int] = []

    def answer(asked: Asked) -> Said:
        if "response_format" not in asked.body:
            return Said("Answer: B")
        asked_with.append(1)
        return fault(400, "schema too complex") if len(asked_with) == 3 else Said(reply('"B"'))

    with serving(answer) as server:
        assert sent(data, server.url, tmp_path / "run", "--max-connections", 1).code == 0
    assert len(asked_with) == N
    assert sum(record["schema_refused"] != "" for record in in_variant(tmp_path / "run")) == 1


def test_a_server_that_refuses_every_schema_is_not_sent_more(tmp_path: Path) -> None:
    """Lists over other words have other schemas; after three refusals no more are sent."""
    sent_schemas: list[str] = []

    def answer(asked: Asked) -> Said:
        if "response_format" in asked.body:
            sent_schemas.append(json.dumps(asked.body["response_format"]))
            return fault(400, "response_format is not supported")
        return Said("Answer: none")

    tasks = ("perceptv/sort-circles", "perceptv/list-colours", "perceptv/grid-path", "perceptv/counting-circles", LETTERS)
    with serving(answer) as server:
        done(
            "run", *tasks, "--n", 2, "--workers", 1, "--model", "m", "--base-url", server.url, "--structured", "--max-connections", 1, "--out", tmp_path,
        )  # fmt: skip
    assert len(sent_schemas) == len(set(sent_schemas)) == 3
    assert {record["schema_refused"] for record in in_variant(tmp_path)} != {""}


def test_an_error_that_repeats_the_request_is_no_refusal(data: Path, tmp_path: Path) -> None:
    """Some servers put the whole request, with its schema, into their errors."""
    failed: list[str] = []

    def answer(asked: Asked) -> Said:
        if "JSON object" in asked.words and asked.words not in failed and len(failed) < 2:
            failed.append(asked.words)
        if asked.words in failed:
            return fault(422, "invalid image in {'response_format': {'schema': 1}}")
        return Said(reply('"B"') if "response_format" in asked.body else "Answer: B")

    with serving(answer) as server:
        assert sent(data, server.url, tmp_path / "run", "--max-connections", 1).code == 1
    outcomes = [record["outcome"] for record in in_variant(tmp_path / "run")]
    assert outcomes.count("request_error") == len(failed)
    assert {record["schema_refused"] for record in records(tmp_path / "run")} == {""}


def test_another_error_is_no_refusal_of_the_schema(data: Path, tmp_path: Path) -> None:
    def answer(asked: Asked) -> Said:
        return fault(400, "no picture was understood") if "response_format" in asked.body else Said("Answer: B")

    with serving(answer) as server:
        assert sent(data, server.url, tmp_path / "run").code == 1
    assert {record["outcome"] for record in in_variant(tmp_path / "run")} == {"request_error"}


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [(EAST[:-1], {"truncated"}), (EAST[:20], {"truncated"}), ("Answer: B", {"truncated"}), (f"{EAST}\n \n", {"correct", "incorrect"})],
)
def test_at_the_token_limit_only_a_closed_object_is_final(data: Path, tmp_path: Path, text: str, outcomes: set[str]) -> None:
    with serving(lambda asked: Said(text if "response_format" in asked.body else "Answer: B", "length")) as server:
        assert sent(data, server.url, tmp_path / "run").code == 0
    assert {record["outcome"] for record in in_variant(tmp_path / "run")} == outcomes
    assert {record["outcome"] for record in in_variant(tmp_path / "run", "")} == {"truncated"}


@pytest.mark.parametrize("name", ["oracle", "random", "garbled", "silent", "pixel-solver", "deficit:left-right"])
def test_simulated_models_reply_in_json(data: Path, tmp_path: Path, name: str) -> None:
    done("run", "--data", data, "--n", 4, "--model", f"simulated/{name}", "--structured", "--out", tmp_path)
    standard, structured = in_variant(tmp_path, ""), in_variant(tmp_path)
    assert len(standard) == len(structured) == 12
    if name in ("oracle", "pixel-solver", "deficit:left-right"):
        assert [record["parsed_answer"] for record in standard] == [record["parsed_answer"] for record in structured]
        assert None not in {record["parsed_answer"] for record in structured}
        assert all(json.loads(record["response"])["answer"] for record in structured)


def test_pixel_solvers_find_their_question_in_a_prompt_for_json(tmp_path: Path) -> None:
    tasks = [task.id for task in registry.tasks().values() if task.suite == "perceptv"]
    done("run", *tasks, "--n", 1, "--model", "simulated/pixel-solver", "--structured", "--workers", 1, "--out", tmp_path)
    assert {record["outcome"] for record in in_variant(tmp_path)} == {"correct"}


def test_the_oracle_is_correct_for_every_answer_type(by_hand: Path, tmp_path: Path) -> None:
    done("run", "--data", by_hand, "--model", "simulated/oracle", "--structured", "--out", tmp_path)
    assert {record["outcome"] for record in in_variant(tmp_path)} == {"correct"}
    done("report", tmp_path, "--out", tmp_path / "report")


def test_models_without_schemas_are_refused(data: Path, tmp_path: Path) -> None:
    refused(
        isovist("run", "--data", data, "--model", "embedded/tiny", "--structured", "--out", tmp_path / "run"),
        "--structured",
        "embedded/tiny",
    )
    assert not (tmp_path / "run").exists()
    with pytest.raises(UserError, match="`structured`"):
        package.evaluate(lambda images, prompt: "A", data=data, structured=True, progress=False)


def test_evaluate_says_that_a_schema_was_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(asked: Asked) -> Said:
        return fault(400, "response_format is unknown") if "response_format" in asked.body else Said("Answer: B")

    with serving(answer) as server:
        package.evaluate("m", LETTERS, data=data, n=2, base_url=server.url, structured=True, out=tmp_path)
    assert capsys.readouterr().err.count("response_format is unknown") == 1


def test_structured_replies_of_a_real_server_can_be_parsed(tmp_path: Path) -> None:
    """A llama.cpp server with a tiny vision model that knows nothing: it never ends free text, but a grammar ends its JSON."""
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(FIXTURES / "tiny-qwen2vl.gguf")
    params.mmproj.path = str(FIXTURES / "tiny-qwen2vl-mmproj.gguf")
    params.n_ctx, params.n_parallel, params.warmup, params.port = 4096, 1, False, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several would wait for each other at full speed
    server = xllamacpp.Server(params)
    tasks = (LETTERS, "cdr/object-classification-number", "perceptv/counting-shapes", "perceptv/layered-colours")
    args = (
        "--n",
        2,
        "--workers",
        1,
        "--image-size",
        200,
        "--max-tokens",
        120,
        "--model",
        "tiny",
        "--base-url",
        f"{server.listening_address}/v1",
    )
    done("run", *tasks, *args, "--structured", "--out", tmp_path)
    assert {record["schema_refused"] for record in in_variant(tmp_path)} == {""}
    unparsed = {name: sum(record["parsed_answer"] is None for record in in_variant(tmp_path, name)) for name in ("", "structured")}
    assert unparsed["structured"] < unparsed[""] == 8
    objects = [json.loads(record["response"]) for record in in_variant(tmp_path) if record["parsed_answer"] is not None]
    assert all(list(each) == ["reasoning", "answer"] for each in objects)
    del server
