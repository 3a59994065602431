"""Request errors: transient or permanent, and the delay before the next attempt."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from isovist.common.json_lines import whole
from isovist.evaluation.models.wire import NoReply

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green|italic)\]")
_SECRET = re.compile(r"\b(?:sk|key|bearer)[-_ ](?=[a-z_.-]*\d)[\w.-]{6,}", re.IGNORECASE)  # "API_KEY defined" is not a key
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # terminal control characters in a server message
_OURS = (TypeError, AttributeError, LookupError, RecursionError)  # raised by clients on unexpected responses
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)|max(?:imum)?[ _](?:model|context)[ _]len|longer than the maximum|(?:prompt|input)\b.{0,40}\btoo long"
    r"|too many (?:input |prompt )?tokens|input length|max_(?:new|completion|output)?_?tokens|completion tokens|reads at most",
    re.IGNORECASE,
)
_LASTING = frozenset({401, 402, 403, 404})  # invalid key, empty account, unknown model: every request fails
_BUSY = 429
_DOWN = frozenset({429, 502, 503})
_UNSENT = frozenset({"ClientConnectorError", "ClientConnectorDNSError", "ConnectionTimeoutError"})  # of aiohttp
_SPENT = re.compile(r"insufficient_quota|exceeded your current quota", re.IGNORECASE)
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds


@dataclass(frozen=True, slots=True)
class RequestError:
    """A request error, in one line without API keys."""

    words: str
    is_transient: bool
    """Whether the same request may succeed later."""
    is_permanent: bool = False
    """Whether the next request will fail too."""
    wait_s: float | None = None
    """Delay that the server requests."""
    busy: bool = False
    """Whether the server is rate limited; most limits last for a minute."""
    status: int | None = None
    """HTTP status of the refusal."""
    is_down: bool = False
    """Whether the server is down or takes no requests now; the request is not the cause."""


def fault(error: object, decide: Callable[[Exception], object] = lambda error: False) -> RequestError:
    """The request error of an exception or an error message. `decide` is Inspect AI's `should_retry` of the provider.

    An error without an HTTP status (lost connection, response that is not JSON) is transient.
    """
    attempt = getattr(error, "last_attempt", None)  # the exception of the last retry
    if attempt is not None and attempt.failed:
        error = attempt.exception()
    cause = _no_reply(error)
    if cause is not None:
        return RequestError(
            _message(cause, None), cause.passing, cause.status_code in _LASTING, busy=cause.status_code == _BUSY, status=cause.status_code
        )
    status = getattr(error, "status_code", None)
    if type(error).__name__ == "PrerequisiteError":  # Inspect AI: a key or a package is missing
        return RequestError(_message(error, status), is_transient=False, is_permanent=True)
    decision = decide(error) if isinstance(error, Exception) else False
    wait = getattr(decision, "retry_after", None)
    words = _message(error, status)
    if status == _BUSY and _SPENT.search(words):  # the same status, but permanent
        return RequestError(words, is_transient=False, is_permanent=True)
    is_down = type(error).__name__ in _UNSENT or status in _DOWN
    return RequestError(
        words, bool(decision) or status is None, status in _LASTING, wait, busy=status == _BUSY, status=status, is_down=is_down
    )


def _no_reply(error: object) -> NoReply | None:
    """The invalid response behind an exception; clients report it as a lost connection."""
    while isinstance(error, BaseException):
        if isinstance(error, NoReply):
            return error
        error = error.__cause__
    return None


def backoff(failures: int, fault: RequestError) -> float:
    """Seconds to wait after a number of failures: the delay that the server requests, else exponential, with jitter."""
    if fault.wait_s is not None:
        return fault.wait_s + random.uniform(0, 0.5)  # noqa: S311 - not a secret
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (failures - 1)) * random.uniform(0.5, 1.5)  # noqa: S311


def too_long(words: str) -> bool:
    """Whether an error states that prompt and response exceed the context or the token limit."""
    return bool(_TOO_LONG.search(words))


def without_keys(words: str) -> str:
    """The text with API keys of the environment redacted."""
    for secret in _secrets():
        words = words.replace(secret, "[key]")
    return words


def may_hold_key(words: str) -> bool:
    """Whether a text contains a key of the environment, or a text in the form of a key."""
    return without_keys(words) != words or bool(_SECRET.search(words))


def _message(error: object, status: int | None) -> str:
    if provider := getattr(error, "provider_message", None):  # the full message contains the request
        error = ValueError(f"{status or 'fault'}: {provider}")
    if isinstance(error, TimeoutError) and not str(error):
        return "timeout (increase --timeout or decrease --max-tokens)"
    plain = not isinstance(error, Exception) or isinstance(error, ValueError | NoReply) or type(error).__name__ == "PrerequisiteError"
    name = "" if plain else f"{type(error).__name__}: "
    if isinstance(error, _OURS):
        name = f"the client library cannot parse the response ({name.rstrip(': ')}): "
    words = _MARKUP.sub("", " ".join(_CONTROL.sub(" ", without_keys(whole(str(error)))).split())).removeprefix("ERROR: ")
    return _SECRET.sub("[key]", name + words)[:500].rstrip(".")


def _secrets() -> list[str]:
    """The keys in the environment; some have no recognizable form."""
    return [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) >= 8]
