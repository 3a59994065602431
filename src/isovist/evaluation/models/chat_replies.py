"""Responses of an OpenAI-compatible server to one request: a chat completion, or a refusal.

A test compares the words, reasoning and errors with those of Inspect AI, which reads the responses of providers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.models.finish_reasons import finish_reason
from isovist.evaluation.models.request_errors import fault
from isovist.evaluation.models.wire import refusal

_LIMITED = frozenset({400, 403, 413, 422})  # refusals of one prompt, such as for its length
_NAMES = {401: "AuthenticationError", 404: "NotFoundError", 409: "ConflictError", 429: "RateLimitError"}  # as the client of OpenAI has them
_FILTERED = frozenset({"invalid_prompt", "content_policy_violation", "content_filter", "bio_policy", "cyber_policy"})
_THINK = re.compile(r"<think[^>]*>|</think>")
_CLOSED = re.compile(r"<think[^>]*>(.*?)</think>", re.DOTALL)
_SUMMARY = re.compile(r"<summary>.*?</summary>\s*", re.DOTALL)
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESETS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens")


class RefusedRequest(ValueError):
    """An HTTP error of a server."""

    def __init__(self, words: str, status: int, retry_after: float | None) -> None:
        super().__init__(words)
        self.status_code = status
        self.retry_after = retry_after
        """The delay that the server requests, in seconds."""

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status_code in (408, 429) or 500 <= self.status_code < 600


def read(answer: dict[str, Any]) -> ModelResponse:
    """The response in a chat completion of `isovist.evaluation.models.wire`."""
    (choice,) = answer["choices"]
    message, usage, finish = choice["message"], answer["usage"], finish_reason(choice["finish_reason"])
    refused = message.get("refusal")
    text, reasoning = refused or message["content"] or "", message.get("reasoning_content") or message.get("reasoning") or ""
    if not reasoning and "<think" in text:
        text, reasoning = _without_thoughts(text)
    if finish == "model_length" and not usage:  # nothing was generated: the text is an error message
        return _too_long(text)
    counts = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]} if usage else {}
    return ModelResponse(text, reasoning, "refusal" if refused else finish, counts, served_by=answer["model"])


def _too_long(words: str) -> ModelResponse:
    return ModelResponse(error=f"the prompt is too long for the model ({fault(words).words})", finish_reason="error")


def _without_thoughts(text: str) -> tuple[str, str]:
    """The text without its first `<think>` element, and the content of the element. An element may hold others."""
    start, inside, outside, end = _element(text)
    if not end:
        return text, ""
    reasoning = _SUMMARY.sub("", text[inside:outside].strip(), count=1).strip()
    return (text[:start] + text[end:]).strip() or text, reasoning


def _element(text: str) -> tuple[int, int, int, int]:
    """Where the first element starts, its content starts and ends, and it ends; zeros without one."""
    depth, start, inside = 0, 0, 0
    for tag in _THINK.finditer(text):
        if tag[0] != "</think>":
            if not depth:
                start, inside = tag.span()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                return start, inside, tag.start(), tag.end()
    first = _CLOSED.search(text)  # tags that are not balanced
    return (first.start(), first.start(1), first.end(1), first.end()) if first else (0, 0, 0, 0)


def refused(status: int, headers: Mapping[str, str], content: bytes, name: str) -> ModelResponse:
    """The response to a refusal that concerns one prompt. Raises RefusedRequest for any other."""
    payload = refusal(content)
    error: dict[str, Any] = payload["error"] if payload else {}
    message = error.get("message", "")
    words = f"Error code: {status}{f' - {message}' if message else ''}"
    if status not in _LIMITED:
        kind = "InternalServerError" if status >= 500 else _NAMES.get(status, "APIStatusError")
        raise RefusedRequest(f"{kind}: {words}", status, retry_after(headers))
    code = error.get("code")
    if code == "context_length_exceeded":
        return _too_long(message)
    if status == 400 and "input length" in words:
        return _too_long(words)
    if code in _FILTERED or (error.get("type") == "invalid_request_error" and "blocked" in words):
        return ModelResponse(message, finish_reason="content_filter", served_by=name)
    raise RefusedRequest(f"{status}: {words}", status, None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The delay that a server requests, in seconds; None without one. Of several resets of a limit, the last counts."""
    named = {name.lower(): value for name, value in headers.items()}
    return _wait(named.get("retry-after", "")) or max(_wait(named.get(name, "")) for name in _RESETS) or None


def _wait(value: str) -> float:
    """The seconds of a header: a number, a duration such as 1m30s, or a date; 0 for none and for any other text."""
    value = value.strip()
    try:
        seconds = float(value)
    except ValueError:
        parts = _PART.findall(value)
        if parts and "".join(map("".join, parts)) == value:
            seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        else:
            seconds = _until(value)
    return seconds if seconds > 0 and math.isfinite(seconds) else 0.0


def _until(value: str) -> float:
    for parsed in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = parsed(value)
        except (TypeError, ValueError, OverflowError):
            continue
        return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    return 0.0
