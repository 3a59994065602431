"""Machine faults: which pass, which stay, and how long to wait for the next attempt."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from isovist.json_lines import whole
from isovist.models.wire import NoReply

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green|italic)\]")
_SECRET = re.compile(r"\b(?:sk|key|bearer)[-_ ](?=[a-z_.-]*\d)[\w.-]{6,}", re.IGNORECASE)  # "API_KEY defined" is none
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # what a server sends is shown on a terminal
_OURS = (TypeError, AttributeError, LookupError, RecursionError)  # of a client that was sent what it does not expect
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)|max(?:imum)?[ _](?:model|context)[ _]len|longer than the maximum|(?:prompt|input)\b.{0,40}\btoo long"
    r"|too many (?:input |prompt )?tokens|input length|max_(?:new|completion|output)?_?tokens|completion tokens|reads at most",
    re.IGNORECASE,
)
_LASTING = frozenset({401, 402, 403, 404})  # a wrong key, an empty account, an unknown model: the next item meets it too
_BUSY = 429
_SPENT = re.compile(r"insufficient_quota|exceeded your current quota", re.IGNORECASE)
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds


@dataclass(frozen=True, slots=True)
class RequestError:
    """What went wrong, in one line without anything that looks like a key."""

    words: str
    is_transient: bool
    """Whether the same request may well succeed later."""
    is_permanent: bool = False
    """Whether the next request will meet it too."""
    wait_s: float | None = None
    """How long the server asks to wait."""
    busy: bool = False
    """Whether the server has too many requests now: worth the minute after which most servers count anew."""


def fault(error: object, decide: Callable[[Exception], object] = lambda error: False) -> RequestError:
    """What an exception, or a provider's own words, comes to. `decide` is the provider's own judgement of exceptions,
    Inspect AI's `should_retry`.

    A fault without an HTTP status (a connection lost, a reply that is no JSON) may pass.
    """
    attempt = getattr(error, "last_attempt", None)  # retries wrap what they gave up on
    if attempt is not None and attempt.failed:
        error = attempt.exception()
    cause = _no_reply(error)
    if cause is not None:
        return RequestError(_told(cause, None), cause.passing, cause.status_code in _LASTING, busy=cause.status_code == _BUSY)
    status = getattr(error, "status_code", None)
    if type(error).__name__ == "PrerequisiteError":  # of Inspect AI: a key or a package is missing
        return RequestError(_told(error, status), is_transient=False, is_permanent=True)
    decision = decide(error) if isinstance(error, Exception) else False
    wait = getattr(decision, "retry_after", None)
    words = _told(error, status)
    if status == _BUSY and _SPENT.search(words):  # said with the same status, and no waiting helps
        return RequestError(words, is_transient=False, is_permanent=True)
    return RequestError(words, bool(decision) or status is None, status in _LASTING, wait, busy=status == _BUSY)


def _no_reply(error: object) -> NoReply | None:
    """What the server sent instead of a reply, which clients take for a lost connection."""
    while isinstance(error, BaseException):
        if isinstance(error, NoReply):
            return error
        error = error.__cause__
    return None


def backoff(failures: int, fault: RequestError) -> float:
    """Seconds to wait after so many failures: what the server asks for, else doubling, with a random share so that
    many requests do not come back at once.
    """
    if fault.wait_s is not None:
        return fault.wait_s + random.uniform(0, 0.5)  # noqa: S311 - no secret
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (failures - 1)) * random.uniform(0.5, 1.5)  # noqa: S311


def too_long(words: str) -> bool:
    """Whether a fault says that prompt and reply do not fit into the model's context, or the reply not into its limit."""
    return bool(_TOO_LONG.search(words))


def without_keys(words: str) -> str:
    """Words without the keys that stand in the environment of this process."""
    for secret in _secrets():
        words = words.replace(secret, "[key]")
    return words


def _told(error: object, status: int | None) -> str:
    if provider := getattr(error, "provider_message", None):  # without the request, which fills the message
        error = ValueError(f"{status or 'fault'}: {provider}")
    if isinstance(error, TimeoutError) and not str(error):
        return "no answer in time; give more with --timeout, or a lower --max-tokens"
    plain = not isinstance(error, Exception) or isinstance(error, ValueError | NoReply) or type(error).__name__ == "PrerequisiteError"
    name = "" if plain else f"{type(error).__name__}: "
    if isinstance(error, _OURS):
        name = f"the client library cannot read what the server sent ({name.rstrip(': ')}): "
    words = _MARKUP.sub("", " ".join(_CONTROL.sub(" ", without_keys(whole(str(error)))).split())).removeprefix("ERROR: ")
    return _SECRET.sub("[key]", name + words)[:500].rstrip(".")


def _secrets() -> list[str]:
    """The keys in the environment, some of which look like nothing."""
    return [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) >= 8]
