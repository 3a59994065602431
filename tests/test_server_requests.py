"""The client for OpenAI-compatible servers sends and reads what Inspect AI would."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.http import parse_retry_after
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.model._openai import needs_max_completion_tokens
from scripted import Said, fault, serving
from workbench import stored

from isovist.evaluation.models import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.chat_replies import retry_after
from isovist.evaluation.models.inspect_ai import InspectModel
from isovist.evaluation.models.limits import Limits
from isovist.evaluation.models.openai_server import server_model
from isovist.evaluation.models.wire import watch

LETTERS = "cdr/relative-compass-letter"
SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string", "enum": ["A", "B"]}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "system prompt": {"system_prompt": "Sei präzise.\n✓"},
    "temperature": {"temperature": 0.7, "max_tokens": 12},
    "sampling": {"top_p": 0.25, "seed": 17, "stop_seqs": ("\n\nQuestion", "END")},
    "effort": {"reasoning_effort": "high"},
    "fields": {
        "model_args": {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}, "metadata": {"a": 1}, "stop_token_ids": [1]}
    },
    "detail": {"image_detail": "low"},
}
SAID = {
    "text": Said("Answer: A"),
    "text of many characters": Said("Antwort: Ä ✓ 😀\n"),
    "nothing": Said(None),
    "length": Said("Answer", finish="length"),
    "filter": Said("", finish="content_filter"),
    "another end": Said("A", finish="abort"),
    "tool calls": Said("A", finish="tool_calls"),
    "reasoning": Said("A", more={"reasoning_content": "because"}),
    "reasoning of another name": Said("A", more={"reasoning": "because"}),
    "tags": Said("<think>because</think>\nAnswer: A"),
    "nested tags": Said("<think>a <think>b</think> c</think> A"),
    "an open tag": Said("<think>because"),
    "a tag with an attribute and a summary": Said('<think signature="x">\n<summary>s</summary>\nbecause</think>A'),
    "tags alone": Said("<think>because</think>"),
    "tags around nothing": Said("<think></think>Answer: A"),
    "tags that are not balanced": Said("<think>a <think>b</think> A"),
    "two thoughts": Said("<think>a</think>B<think>c</think>D"),
    "a closing tag first": Said("because</think>A <think>b</think>"),
    "reasoning beside a refusal": Said(None, more={"refusal": "I cannot", "reasoning": "because"}),
    "reasoning beside tags": Said("<think>b</think>A", more={"reasoning": "because"}),
    "a context that is full": Said("A", finish="model_length"),
    "a refusal": Said(None, more={"refusal": "I cannot"}),
    "parts": Said(raw='{"model": "m", "choices": [{"message": {"content": [{"type": "text", "text": "A"}]}, "finish_reason": "stop"}]}'),
    "no counts": Said(raw='{"choices": [{"message": {"content": "A"}}]}'),
    "too long": Said(status=400, raw='{"error": {"message": "too long", "type": "x", "code": "context_length_exceeded"}}'),
    "an input that is too long": fault(400, "input length 9 exceeds 8"),
    "a prompt of another kind": Said(status=400, raw='{"error": {"message": "x", "code": "invalid_prompt"}}'),
    "blocked by words": Said(status=400, raw='{"error": {"message": "it is blocked", "type": "invalid_request_error"}}'),
    "unprocessable": fault(422, "no"),
    "forbidden": fault(403, "no"),
    "a conflict": fault(409, "no"),
    "a timeout": fault(408, "no"),
    "a teapot": fault(418, "no"),
    "blocked": Said(status=400, raw='{"error": {"message": "no", "type": "x", "code": "content_filter"}}'),
    "a bad request": fault(400, "no"),
    "too large": Said(status=413, raw="<html>too large</html>", kind="text/html"),
    "a wrong key": fault(401, "no such key"),
    "no such model": fault(404, "no such model"),
    "busy": fault(429, "slow down", retry_after="1"),
    "broken": Said(status=500, raw="oops", kind="text/plain"),
}


def requests(data: Path) -> list[ModelRequest]:
    row = stored(data, LETTERS)[0]
    plain = ModelRequest(row.id, row.prompt, row.images)
    return [plain, replace(plain, variant="epoch:2"), replace(plain, schema=SCHEMA), ModelRequest("a", "  Words alone \n", ())]


def replies(url: str, options: GenerationConfig, asked: list[ModelRequest]) -> tuple[list[ModelResponse], list[ModelResponse]]:
    """Those of the client, and those of Inspect AI."""
    config = GenerateConfig(max_retries=0)
    service = get_model("openai-api/isovist/some/m", base_url=url, api_key="none", config=config, memoize=False, max_retries=0)
    watch(service.api.http_client)  # pyright: ignore[reportAttributeAccessIssue]
    ours, other = server_model("some/m", options), InspectModel("some/m", service, replace(options, base_url=""), Limits())

    async def sent() -> tuple[list[ModelResponse], list[ModelResponse]]:
        both = [await ours.reply(request) for request in asked], [await other.reply(request) for request in asked]
        await ours.close()
        await other.close()
        return both

    first, second = asyncio.run(sent())
    return [replace(reply, latency_s=0) for reply in first], [replace(reply, latency_s=0) for reply in second]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_bodies_are_those_of_inspect(data: Path, name: str) -> None:
    asked = requests(data)
    with serving(lambda asked: Said("Answer: A")) as server:
        replies(server.url, GenerationConfig(server.url, **OPTIONS[name]), asked)
        bodies = [request.body for request in server.asked]
        assert {request.path for request in server.asked} == {"/v1/chat/completions"}
        assert {request.key for request in server.asked} == {"Bearer none"}
    assert len(bodies) == 2 * len(asked)
    assert bodies[: len(asked)] == bodies[len(asked) :]
    assert [body.get("seed") for body in bodies[:2]] == ([17, 18] if name == "sampling" else [None, None])
    assert ["response_format" in body for body in bodies[: len(asked)]] == [False, False, True, False]


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5-mini",
        "o3",
        "openai/o4-mini",
        "my-gpt-6-deployment",
        "gpt-4o",
        "gpt-35-turbo",
        "gpt-oss-120b",
        "llava-onevision",
        "qwen2.5-vl",
    ],
)
def test_the_token_limit_has_the_name_that_inspect_gives_it(name: str) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        model = server_model(name, GenerationConfig(server.url))

        async def sent() -> None:
            await model.reply(ModelRequest("a", "words", ()))
            await model.close()

        asyncio.run(sent())
        (asked,) = server.asked
    (field,) = {"max_completion_tokens", "max_tokens"} & asked.body.keys()
    assert field == ("max_completion_tokens" if needs_max_completion_tokens(name) else "max_tokens")


WAITS = {"2": 2, "0.5": 0.5, "1m30s": 90, "500ms": 0.5, "": None, "-3": None, "inf": None, "soon": None, "1 Jan 2020 00:00:00 GMT": None}


@pytest.mark.parametrize("value", WAITS)
def test_the_delay_that_a_server_requests_is_read_as_inspect_reads_it(value: str) -> None:
    assert retry_after({"Retry-After": value}) == parse_retry_after({"Retry-After": value}) == WAITS[value]
    resets = {"x-ratelimit-reset-requests": value, "X-RateLimit-Reset-Tokens": "1s"}
    assert retry_after(resets) == parse_retry_after(resets) == max(1, WAITS[value] or 0)
    assert retry_after({}) is None


def test_a_date_is_a_delay_from_now() -> None:
    for value in ("Wed, 21 Oct 2099 07:28:00 GMT", "2099-10-21T07:28:00Z"):
        ours, other = retry_after({"retry-after": value}), parse_retry_after({"retry-after": value})
        assert ours is not None
        assert ours == pytest.approx(other, abs=5)


@pytest.mark.parametrize("name", SAID)
def test_the_responses_are_those_of_inspect(data: Path, name: str) -> None:
    with serving(lambda asked: SAID[name]) as server:
        ours, other = replies(server.url, GenerationConfig(server.url, retries=0), requests(data)[:1])
    assert ours == other
