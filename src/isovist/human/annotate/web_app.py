"""What every page has on which people answer: its own files, headers that keep it to them, guarded bodies, a socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
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

from isovist.errors import UserError
from isovist.json_lines import whole

HOST = "127.0.0.1"
STYLE = ("isovist.reports:style.css", "isovist.human.annotate:page.css")
"""The report's colours, type and rules, and what cards need beyond them."""
IMAGES = "isovist.human.annotate:images.js"
"""What the scripts of all pages share: how the pictures and words of a question are laid out, faults, keys."""

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
    """An HTML page, the same for all but its title and its script: a bar, a place for faults, one for what the script shows, keys."""

    title: str
    script: str

    def text(self) -> str:
        return Template(_file("isovist.human.annotate:page.html")).substitute(title=escape(self.title), script=escape(self.script))


def application(routes: Sequence[Route], pages: Mapping[str, Shell | Sequence[str]], *, anywhere: bool = False) -> Starlette:
    """An application of some routes and of pages by their paths: shells, or files ("package:file", one after the other).

    It answers under this machine's own names alone, so that a page of another site cannot reach it under a name of its own;
    `anywhere`, under every name.
    """
    # all that an older Starlette sees of [::1]:8422 is "[", which is nobody's name and so cannot be another site's
    hosts = ["*"] if anywhere else [HOST, "localhost", "::1", "[::1]", "["]
    return Starlette(
        routes=[*(_page(path, page) for path, page in pages.items()), *routes],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False), Middleware(_Guarded)],
        exception_handlers={HTTPException: _refused},
    )


def _page(path: str, page: Shell | Sequence[str]) -> Route:
    kind = "text/html" if isinstance(page, Shell) else _KINDS[page[-1].rpartition(".")[2]]

    async def told(request: Request) -> Response:
        del request
        return Response(page.text() if isinstance(page, Shell) else "".join(map(_file, page)), media_type=kind)

    return Route(path, told)


def _file(name: str) -> str:
    package, _, file = name.partition(":")
    return files(package).joinpath(file).read_text(encoding="utf-8")


async def _refused(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these alone
    return JSONResponse({"fault": error.detail}, error.status_code)


async def told(request: Request) -> dict[str, Any]:
    """The object in a request. Raises HTTPException for anything else, and for what another site's page might send."""
    # a form of another site cannot have this type, and a script of one would have to ask first and be refused
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send JSON.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_BODY:
            raise HTTPException(413, "This is too long.")
    try:
        data = _whole(json.loads(body))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise HTTPException(400, "Send an object.")
    return cast("dict[str, Any]", data)


def _whole(value: Any) -> Any:
    """A value of JSON with all its texts such as a file can hold. Raises RecursionError for one that is nested too deep."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_whole(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {whole(name): _whole(one) for name, one in cast("dict[str, Any]", value).items()}
    return value


class _Guarded:
    """Adds the headers that keep the page to its own files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, guarded)


def bound(port: int, host: str = HOST) -> socket.socket:
    """A socket at an address, port 0 for any free one; nobody is answered yet. Raises UserError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        wrong = f"--port {port}" if host == HOST else f"--host {host} --port {port}"
        raise UserError(f"{wrong}: cannot be used ({error}); give another one, or port 0 for any that is free.") from None
    # those who connect inherit it; without it the body of each reply waits 40 ms until the browser has acknowledged the headers
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(listening: socket.socket) -> str:
    """Where a page is found."""
    host, port, *_ = listening.getsockname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serves until it is interrupted."""
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listening])
