"""The web application of the annotation and study pages: static files, security headers, request bodies, a socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isovist.common.errors import UserError
from isovist.common.json_lines import whole

HOST = "127.0.0.1"
STYLE = ("isovist.reporting.reports:tokens.css", "isovist.reporting.reports:style.css", "isovist.people.annotate:page.css")
"""The colours and style sheet of the reports, and additions for cards."""
IMAGES = "isovist.people.annotate:images.js"
"""Shared script: layout of images and text, error messages, keyboard."""

_LONGEST_BODY = 64_000  # bytes
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_KINDS = {"css": "text/css", "js": "text/javascript"}


@dataclass(frozen=True, slots=True)
class Shell:
    """The HTML of a page; only title and script differ between pages."""

    title: str
    script: str

    def text(self) -> str:
        return Template(_file("isovist.people.annotate:page.html")).substitute(title=escape(self.title), script=escape(self.script))


def application(routes: Sequence[Route], pages: Mapping[str, Shell | Sequence[str]], *, anywhere: bool = False) -> Starlette:
    """An application of routes and pages by path: shells, or concatenated files ("package:file").

    It accepts requests for host names of this machine only (against DNS rebinding), or with `anywhere` for every name.
    """
    # older versions of Starlette parse [::1]:8422 as "[", which is not a valid host name of another site
    hosts = ["*"] if anywhere else [HOST, "localhost", "::1", "[::1]", "["]
    return Starlette(
        routes=[*(_page(path, page) for path, page in pages.items()), *routes],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False), Middleware(_Guarded)],
        exception_handlers={HTTPException: _refused},
    )


def _page(path: str, page: Shell | Sequence[str]) -> Route:
    kind = "text/html" if isinstance(page, Shell) else _KINDS[page[-1].rpartition(".")[2]]

    async def respond(request: Request) -> Response:
        del request
        return Response(page.text() if isinstance(page, Shell) else "".join(map(_file, page)), media_type=kind)

    return Route(path, respond)


def _file(name: str) -> str:
    package, _, file = name.partition(":")
    return files(package).joinpath(file).read_text(encoding="utf-8")


async def _refused(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for HTTPException only
    return JSONResponse({"fault": error.detail}, error.status_code)


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object in a request. Raises HTTPException for anything else, and for requests that another site could send."""
    # a form of another site cannot send this type, and a script would need a CORS preflight, which fails
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send JSON.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_BODY:
            raise HTTPException(413, "Request is too long.")
    try:
        data = _whole(json.loads(body))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise HTTPException(400, "Send a JSON object.")
    return cast("dict[str, Any]", data)


def _whole(value: Any) -> Any:
    """A JSON value whose texts can be encoded in UTF-8. Raises RecursionError for deep nesting."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_whole(element) for element in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {whole(name): _whole(element) for name, element in cast("dict[str, Any]", value).items()}
    return value


class _Guarded:
    """Middleware that adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, guarded)


def bound(port: int, host: str = HOST) -> socket.socket:
    """A listening socket; port 0 takes any free port. Raises UserError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        wrong = f"--port {port}" if host == HOST else f"--host {host} --port {port}"
        raise UserError(f"Cannot listen on {wrong} ({error}). Choose another port, or 0 for any free port.") from None
    # inherited by connections; without it, each response body waits 40 ms for the acknowledgement of its headers
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(listening: socket.socket) -> str:
    """The URL of the page."""
    host, port, *_ = listening.getsockname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class _Announced(uvicorn.Server):
    """A server that calls `ready` once it accepts requests and handles signals: before, an interrupt can be lost within an import."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def serve(app: ASGIApp, listening: socket.socket, ready: Callable[[], object]) -> None:
    """Serve until interrupted; `ready` is called when the server accepts requests."""
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    _Announced(config, ready).run(sockets=[listening])
