"""Requests to services of places and views: one at a time, repeated while the service is overloaded, with the API key of the user.

The key is part of the request only; no file and no message contains it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import quote

from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.importers.benchmark_format import Unusable

if TYPE_CHECKING:
    import httpx

_RETRIES = 4
_LONGEST_PAUSE = 60.0
_AGENT = "isovist (https://github.com/isovist/isovist)"
_RESUME = "What was downloaded is kept; run the same command again to resume."

Availability = Literal["nothing here", "later", "never"]
Interpreter = Callable[[int, dict[str, Any]], Availability]
"""Interprets a response without content from its HTTP status and its JSON."""
_Content = TypeVar("_Content")


def by_status(status: int, body: dict[str, Any]) -> Availability:
    del body
    if status in (401, 402, 403):
        return "never"
    return "later" if status in (408, 425, 429) or status >= 500 else "nothing here"


def baidu(status: int, body: dict[str, Any]) -> Availability:
    """Interpret a response of Baidu: HTTP 200 with its own status; 1 and 4xx for load, 3 to 5 and 100 to 399 for key, permissions and
    quota.
    """
    code = body.get("status")
    if not isinstance(code, int) or isinstance(code, bool):
        return by_status(status, body)
    if code == 1 or 400 <= code < 500:
        return "later"
    return "never" if code in (3, 4, 5) or 100 <= code < 400 else "nothing here"


def check_address(name: str, services: str, fields: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Raises UserError if a name is neither of `services` nor a URL with the `needed` and no other names in braces than `fields`."""
    if not name.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise UserError(f"{name}: give {services}, or an https address with {', '.join(f'{{{field}}}' for field in fields)}.")
    try:
        name.format(**dict.fromkeys(fields, ""))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise UserError(f"{name}: the names in braces are {', '.join(fields)}.") from None
    for field in needed:
        if f"{{{field}}}" not in name:
            raise UserError(f"{name}: has no {{{field}}}.")


def http_client(purpose: str) -> httpx.Client:
    """Return a client. Raises MissingDependencyError without the extra."""
    try:
        import httpx
    except ImportError:
        raise MissingDependencyError(purpose, "views") from None
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log URLs with the key
    return httpx.Client(timeout=30, follow_redirects=False, headers={"User-Agent": _AGENT})


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests to one service. `name` is its name in messages."""

    client: httpx.Client
    name: str
    key: str
    verdict: Interpreter
    sleep: Callable[[float], object] = time.sleep

    def content(self, address: str, read: Callable[[bytes], _Content]) -> _Content | str:
        """Return the content of a reply, or why there is none. `read` raises Unusable for a reply without content, such as an error.

        Raises UserError if the error applies to every request.
        """
        import httpx

        why = ""
        for attempt in range(_RETRIES + 1):
            pause = 2.0**attempt
            try:
                reply = self.client.get(address)
            except httpx.HTTPError as error:
                why = type(error).__name__
            else:
                if reply.status_code == 200:
                    try:
                        return read(reply.content)
                    except Unusable:
                        pass  # it may be the text of an error response
                body = _json_body(reply)
                why = self._error_message(reply, body)
                verdict = self.verdict(reply.status_code, body)
                if verdict == "nothing here":
                    return why
                if verdict == "never":
                    raise UserError(f"{self.name} rejected the key or request: {why}. {_RESUME}")
                asked = reply.headers.get("Retry-After", "")
                pause = max(pause, min(float(asked), _LONGEST_PAUSE)) if asked.isdigit() else pause
            if attempt < _RETRIES:
                self.sleep(pause)
        raise UserError(f"{self.name} is unavailable: {why}. {_RESUME}")

    def _error_message(self, reply: httpx.Response, body: dict[str, Any]) -> str:
        """Return the message of an error response in one line, without the key."""
        names = ("status", "message", "error", "error_message")
        words = " ".join(str(body.get(name, "")) for name in names if body.get(name)) or (
            "without content" if reply.status_code == 200 else ""
        )
        line = " ".join(f"HTTP {reply.status_code} {words}".split())[:160]
        for secret in (self.key, quote(self.key, safe="")):
            line = line.replace(secret, "***") if secret else line
        return "".join(c if c.isprintable() else "?" for c in line)


def _json_body(reply: httpx.Response) -> dict[str, Any]:
    try:
        body = json.loads(reply.content[:10_000])
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}
