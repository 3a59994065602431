"""Request errors: transient or permanent, and the delay before the next attempt."""

from __future__ import annotations

import errno
import os
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from isovist.common.json_lines import whole
from isovist.evaluation.models.wire import NoReply

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green|italic)\]")
_SECRET = re.compile(r"\b(?:sk|key|bearer)[-_ ](?=[a-z_.-]*\d)[\w.-]{6,}", re.IGNORECASE)  # "API_KEY defined" is not a key
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # terminal control characters in a server message
_OURS = (TypeError, AttributeError, LookupError, RecursionError)  # raised by clients on unexpected responses
_CONTEXT = re.compile(
    r"(?:maximum|max|model'?s?|available|current) context[ _-]?(?:length|size|window)|context_length_exceeded|context limit"
    r"|(?:exceed|longer|larger|greater|fit)[^.]{0,80}(?:context[ _-]?(?:length|size|window)|max(?:imum)?[ _](?:model|context)[ _]len)"
    r"|(?:prompt|inputs?)\b[^.]{0,40}\btoo long|default_max_tokens|reads at most|too many (?:input|prompt) tokens",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"\b(?:prompts?|inputs?|context|messages?|requests?|requested|sequence|model token limit)\b", re.IGNORECASE)
_SIZE = re.compile(r"\b(?:(?:token )?length|tokens?|max_seq_len|max_model_len|max_input_len|session_len)\b", re.IGNORECASE)
_OVER = re.compile(
    r"exceed|too (?:long|large|many)|(?:greater|longer|larger|more|less|fewer) than|(?:while|the) limit is|at most|should be \[|[<>] ?=? ?\d"
    r"|(?:must be|limit of|maximum .{0,20}is) \D{0,8}\d",
    re.IGNORECASE,
)
_OTHER_SIZE = re.compile(
    r"\b(?:rate|quota|tpm|tpd|per (?:second|minute|min|hour|day)|please wait|throttl\w*|bytes|[kmg]i?b|content-length|payload|characters"
    r"|(?:output|completion) tokens)\b",
    re.IGNORECASE,
)
_UNSUPPORTED = (
    r"unsupported|not (?:be )?support\w*|n't support|no longer support\w*|deprecated|not (?:permitted|allowed|recognized|accepted|implemented"
    r"|available|a valid (?:field|parameter|argument))|un(?:known|recogni[sz]ed|expected)|extraneous|extra[_ ](?:inputs|forbidden|fields?)"
    r"|no such (?:field|parameter)|cannot find field|removed|forbidden|instead"
)
_REFUSED = (
    rf"{_UNSUPPORTED}|(?:in|not )valid|cannot (?:both )?be|only|must|may not|too (?:large|small|high|low|big|many)|range|between|at (?:most|least)|maximum"
    r"|(?:less|greater|larger|more) than|exceed\w*"
)
_ENGLISH = frozenset({"stop", "seed", "n"})  # names that are words of a sentence, too
_LASTING = frozenset({401, 402, 403, 404})  # invalid key, empty account, unknown model: every request fails
_BUSY = 429
_OVERLOAD = frozenset({429, 503})
_NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
_DOWN = frozenset({429, 502, 503})
_UNSENT = frozenset({"ClientConnectorError", "ClientConnectorDNSError", "ConnectionTimeoutError"})  # of aiohttp
_SPENT = re.compile(r"insufficient_quota|exceeded your current quota", re.IGNORECASE)
_MISSING = {
    "PrerequisiteError": "",
    "NoRegionError": " (set AWS_DEFAULT_REGION)",
    "NoCredentialsError": " (set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    "PartialCredentialsError": " (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    "ProfileNotFound": " (correct AWS_PROFILE)",
}
"""Errors of clients without which no request is sent, by class, with the remedy where their text has none."""
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
    is_overload: bool = False
    """Whether fewer concurrent requests may help: a rate limit, status 503, a timeout, or no more files (connections) for this process."""


def fault(error: object, decide: Callable[[Exception], object] = lambda error: False) -> RequestError:
    """The request error of an exception or an error message. `decide` is Inspect AI's `should_retry` of the provider.

    An error without an HTTP status (lost connection, response that is not JSON) is transient.
    """
    attempt = getattr(error, "last_attempt", None)  # the exception of the last retry
    if attempt is not None and attempt.failed:
        error = attempt.exception()
    cause = _no_reply(error)
    if cause is not None:
        status = cause.status_code
        is_overload = status in _OVERLOAD
        return RequestError(
            _message(cause, None), cause.passing, status in _LASTING, busy=status == _BUSY, status=status, is_overload=is_overload
        )
    status = getattr(error, "status_code", None)
    if type(error).__name__ in _MISSING or isinstance(error, ImportError):  # a key, a package or a setting is missing
        remedy = _MISSING.get(type(error).__name__, "")
        return RequestError(f"{_message(error, status)}{remedy}", is_transient=False, is_permanent=True)
    decision = decide(error) if isinstance(error, Exception) else False
    wait = getattr(decision, "retry_after", None)
    words = _message(error, status)
    if status == _BUSY and _SPENT.search(words):  # the same status, but permanent
        return RequestError(words, is_transient=False, is_permanent=True)
    busy = status == _BUSY or getattr(decision, "kind", "") == "rate_limit"  # some providers have no status, or another one
    is_down = type(error).__name__ in _UNSENT or status in _DOWN
    is_overload = busy or status in _OVERLOAD or isinstance(error, TimeoutError) or getattr(error, "errno", None) in _NO_FILES
    return RequestError(
        words,
        bool(decision) or status is None,
        status in _LASTING,
        wait,
        busy=busy,
        status=status,
        is_down=is_down,
        is_overload=is_overload,
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
    """Whether an error states that the prompt, with the response, exceeds the context of the model."""
    if _CONTEXT.search(words):
        return True
    return not _OTHER_SIZE.search(words) and all(part.search(words) for part in (_PROMPT, _SIZE, _OVER))


def refused_field(words: str, names: Iterable[str]) -> str:
    """The first field of the request that an error refuses, or whose value it refuses; "" if it names none of these fields."""
    return min((name for name in names if _is_about(words, name, _REFUSED)), key=words.find, default="")


def is_unsupported(words: str, name: str) -> bool:
    """Whether an error refuses a field of the request, whatever its value."""
    return _is_about(words, name, _UNSUPPORTED)


def _is_about(words: str, name: str, refusal: str) -> bool:
    """Whether the name of a field is near words of refusal, in one sentence."""
    mark = (
        rf"(?:[`'\"\[(.]|parameters? |arguments? |fields? |names? |model: ){name}(?!\w)"
        if name in _ENGLISH
        else rf"(?<!\w){re.escape(name)}(?!\w)"
    )
    return bool(re.search(rf"{mark}.{{0,100}}?(?:{refusal})|(?:{refusal}).{{0,100}}?{mark}", words, re.IGNORECASE | re.DOTALL))


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


def strip_keys() -> None:
    """Remove white space around the keys in the environment, such as the end of a line of a file: no header can contain it."""
    for name, value in os.environ.items():
        if name.endswith(("_KEY", "_TOKEN")) and value != value.strip():
            os.environ[name] = value.strip()


def _secrets() -> list[str]:
    """The keys in the environment; some have no recognizable form."""
    named = (os.environ[name] for name in os.environ if name.endswith(("_KEY", "_TOKEN")))
    return [value for value in named if len(value) >= 8]
