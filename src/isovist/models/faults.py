"""Machine faults: which pass, which stay, and how long to wait for the next attempt."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green|italic)\]")
_SECRET = re.compile(r"\b(?:sk|key|bearer)[-_ ](?=[a-z_.-]*\d)[\w.-]{6,}", re.IGNORECASE)  # "API_KEY defined" is none
_LASTING = frozenset({401, 402, 403, 404})  # a wrong key, an empty account, an unknown model: the next item meets it too
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, in one line without anything that looks like a key."""

    words: str
    passing: bool
    """Whether the same request may well succeed later."""
    lasting: bool = False
    """Whether the next request will meet it too."""
    wait_s: float | None = None
    """How long the server asks to wait."""


def fault(error: object, decide: Callable[[Exception], object] = lambda error: False) -> Fault:
    """What an exception, or a provider's own words, comes to. `decide` is the provider's own judgement of exceptions,
    Inspect AI's `should_retry`.

    A fault without an HTTP status (a connection lost, a reply that is no JSON) may pass.
    """
    attempt = getattr(error, "last_attempt", None)  # retries wrap what they gave up on
    if attempt is not None and attempt.failed:
        error = attempt.exception()
    status = getattr(error, "status_code", None)
    if type(error).__name__ == "PrerequisiteError":  # of Inspect AI: a key or a package is missing
        return Fault(_told(error, status), passing=False, lasting=True)
    decision = decide(error) if isinstance(error, Exception) else False
    wait = getattr(decision, "retry_after", None)
    return Fault(_told(error, status), bool(decision) or status is None, status in _LASTING, wait)


def backoff(failures: int, fault: Fault) -> float:
    """Seconds to wait after so many failures: what the server asks for, else doubling, with a random share so that
    many requests do not come back at once.
    """
    if fault.wait_s is not None:
        return fault.wait_s + random.uniform(0, 0.5)  # noqa: S311 - no secret
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (failures - 1)) * random.uniform(0.5, 1.5)  # noqa: S311


def _told(error: object, status: int | None) -> str:
    if provider := getattr(error, "provider_message", None):  # without the request, which fills the message
        error = ValueError(f"{status or 'fault'}: {provider}")
    if isinstance(error, TimeoutError) and not str(error):
        return "no answer in time"
    plain = not isinstance(error, Exception) or isinstance(error, ValueError) or type(error).__name__ == "PrerequisiteError"
    name = "" if plain else f"{type(error).__name__}: "
    words = _MARKUP.sub("", " ".join(str(error).split())).removeprefix("ERROR: ")
    for secret in _secrets():
        words = words.replace(secret, "[key]")
    return _SECRET.sub("[key]", name + words)[:500].rstrip(".")


def _secrets() -> list[str]:
    """The keys in the environment, some of which look like nothing."""
    return [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) >= 8]
