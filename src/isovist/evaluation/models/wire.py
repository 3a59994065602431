"""Normalization of responses of OpenAI-compatible servers, for the client library.

Gateways split characters, send errors and web pages with status 200, and report invalid token counts. Without normalization, the client
library fails with errors that do not show the server's response.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Awaitable, Callable
from typing import Any, cast

from isovist.common.json_lines import whole
from isovist.evaluation.models.finish_reasons import end_of, finish_reason

_PATH = "/chat/completions"
_NOTED = ("prompt_tokens", "completion_tokens")
_MARKS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^<>]{0,2000}>", re.IGNORECASE | re.DOTALL)
_NONE = object()
_SHOWN = 300  # characters of what a server sent
_LARGEST = 32 << 20  # bytes of a decompressed body; the longest responses have less than one megabyte
_IN_OPENAI = {"max_tokens": "length", "model_length": "model_length", "refusal": "content_filter"}
"""Reasons in the words that the client library reads, where they differ."""


class NoReply(Exception):
    """A server response without a completion. `status_code` is that in the response body, if any."""

    def __init__(self, words: str, status: int | None = None) -> None:
        super().__init__(words)
        self.status_code = status

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status_code in (None, 408, 409, 429) or (self.status_code or 0) >= 500


def watch(client: Any) -> None:
    """Patch an httpx client to return only valid completions and to raise `NoReply` otherwise."""
    client.send = _watched(client.send)


def _watched(send: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def watched(request: Any, **more: Any) -> Any:
        if more.get("stream") or not str(request.url.path).endswith(_PATH):
            return await send(request, **more)
        response = await send(request, **{**more, "stream": True, "follow_redirects": False})
        try:
            if response.has_redirect_location:  # the new address would receive the items
                raise NoReply(f"the server redirects to {response.headers['location'].partition('?')[0]}; give that address", 404)
            body = await bounded(response.aiter_bytes())
        finally:
            await response.aclose()
        payload = refusal(body) if response.status_code >= 400 else completion(body)
        # the body is decoded, so the encoding and length headers are invalid
        headers = [(name, value) for name, value in response.headers.raw if name.decode("latin-1").lower() not in OF_THE_BODY]
        return type(response)(
            response.status_code,
            headers=[*headers, (b"content-type", b"application/json")] if payload else headers,
            content=json.dumps(payload).encode() if payload else body,
            request=response.request,
            extensions=response.extensions,
            history=response.history,
        )

    return watched


OF_THE_BODY = frozenset({"content-encoding", "content-length", "content-type", "transfer-encoding"})
"""Headers that are invalid for a body that was decoded or changed."""


def completion(body: bytes) -> dict[str, Any]:
    """The chat completion of a body, with valid field types. Raises NoReply if there is none."""
    text = _decoded(body)
    if not text.strip():
        raise NoReply("the server sent an empty body")
    data = _json(text)
    if data is _NONE:
        raise NoReply(f"the server sent no JSON but: {_shown(text)}")
    if not isinstance(data, dict):
        raise NoReply(f"the server sent no chat completion but: {_shown(text)}")
    reply = cast("dict[str, Any]", data)
    choices: Any = reply.get("choices")
    first: Any = cast("list[Any]", choices)[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        raise _said(reply) or NoReply(f"the server sent no choice but: {_shown(text)}")
    choice = cast("dict[str, Any]", first)
    message: Any = choice.get("message")
    if fault := _said(choice):
        raise fault
    reason = finish_reason(choice.get("finish_reason"))
    if end_of(reason) == "failed":
        raise _said(reply) or NoReply(f"the server ended the response early (finish reason {_shown(str(choice['finish_reason']))})")
    if not isinstance(message, dict):
        raise _said(reply) or NoReply(f"the server sent a choice without a message: {_shown(text)}")
    return {
        "id": _text(reply.get("id")),
        "object": "chat.completion",
        "created": 0,
        "model": _text(reply.get("model")),
        "choices": [{"index": 0, "message": _message(cast("dict[str, Any]", message)), "finish_reason": _IN_OPENAI.get(reason, reason)}],
        "usage": _usage(reply.get("usage")),
    }


def _message(message: dict[str, Any]) -> dict[str, Any]:
    content, thoughts = message.get("content"), message.get("reasoning_details")
    if isinstance(content, list):  # a list of parts, as some servers send
        parts = cast("list[Any]", content)
        thoughts = [part for part in parts if _is_thought(part)] or thoughts
        content = "".join(_part_text(part) for part in parts if not _is_thought(part))
    fields: dict[str, Any] = {"role": "assistant", "content": None if content is None else _text(content) or _dumped(content)}
    fields |= {name: _text(message.get(name)) for name in ("refusal", "reasoning_content", "reasoning") if _text(message.get(name))}
    if isinstance(thoughts, list) and not {"reasoning_content", "reasoning"} & fields.keys():
        thought = "\n".join(filter(None, map(_part_text, cast("list[Any]", thoughts))))
        fields |= {"reasoning_content": thought} if thought else {}
    return fields


def _is_thought(part: Any) -> bool:
    """Whether a part of the content is marked as reasoning."""
    if not isinstance(part, dict):
        return False
    named = cast("dict[str, Any]", part)
    return named.get("thought") is True or "reasoning" in _text(named.get("type")) or "thinking" in _text(named.get("type"))


def _part_text(part: Any) -> str:
    """The text of a part: a string, or an object whose text may be in parts of its own."""
    if not isinstance(part, dict):
        return _text(part)
    for name in ("text", "thinking", "reasoning", "summary"):
        inner: Any = cast("dict[str, Any]", part).get(name)
        texts = cast("list[Any]", inner) if isinstance(inner, list) else [inner]
        if text := "".join(_text(cast("dict[str, Any]", each).get("text") if isinstance(each, dict) else each) for each in texts):
            return text
    return ""


def _usage(data: Any) -> dict[str, Any] | None:
    """The token counts; None if one is invalid."""
    if not isinstance(data, dict):
        return None
    usage = cast("dict[str, Any]", data)
    read, written = (usage.get(name) for name in _NOTED)
    if not (type(read) is int and type(written) is int and read >= 0 and written >= 0):
        return None
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _said(body: dict[str, Any]) -> NoReply | None:
    """The error in an object, if any."""
    error: Any = body.get("error")
    if not error and body.get("object") == "error":
        error = body
    if not error:
        error = body.get("detail") if "choices" not in body and "message" not in body else None
    if not error:
        return None
    named = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    code: Any = named.get("code", named.get("status"))
    code = int(code) if isinstance(code, str) and re.fullmatch(r"[45]\d\d", code) else code
    status = code if type(code) is int and 400 <= code < 600 else None
    return NoReply(f"the server sent an error: {_message_of(error)}", status)


def _message_of(error: Any) -> str:
    named = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    return _shown(_text(named.get("message")) or _text(error) or _dumped(error))


def refusal(body: bytes) -> dict[str, Any] | None:
    """The body of a refusal as the client reads it, if it is an object."""
    data = _json(_decoded(body))
    if not isinstance(data, dict):
        return None
    refusal = cast("dict[str, Any]", data)
    error: Any = refusal.get("error") or refusal
    named = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    words = _text(named.get("message")) or _text(refusal.get("detail")) or _text(error) or _dumped(error)
    kinds = {name: named[name] for name in ("type", "code", "param") if isinstance(named.get(name), str | int)}
    return {"error": {"message": whole(words), **{name: whole(kind) if isinstance(kind, str) else kind for name, kind in kinds.items()}}}


async def bounded(chunks: AsyncIterable[bytes]) -> bytes:
    """The body of a response. Raises NoReply if it is larger than any response, such as a compressed one of gigabytes."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > _LARGEST:
            raise NoReply(f"the server sent more than {_LARGEST >> 20} MB in one response")
    return bytes(body)


def _decoded(body: bytes) -> str:
    """The text of JSON in any of its encodings, without a byte order mark."""
    return body.decode(json.detect_encoding(body), errors="replace")


def _json(text: str) -> Any:
    """The JSON value of a text; `_NONE` for invalid JSON or deep nesting."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NONE


def _text(value: Any) -> str:
    return whole(value) if isinstance(value, str) else ""


def _dumped(value: Any) -> str:
    try:
        return "" if value == "" else whole(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "nested too deep"


def _shown(text: str) -> str:
    """The text of a server response in one line, without HTML tags, truncated."""
    words = _MARKS.sub(" ", text[:20_000]) if "<" in text else text[:20_000]
    return " ".join(whole(words).split())[:_SHOWN] or " ".join(text[:_SHOWN].split())
