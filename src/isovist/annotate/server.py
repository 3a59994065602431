"""The page's server: this machine only, every answer stored before it is confirmed.

Names stand in paths as people wrote them, percent-encoded; a card is named by its place in its person's order, from 0. Keys
never leave the server.
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isovist.annotate.cards import LONGEST, Card, Job
from isovist.annotate.store import Given, Store
from isovist.errors import BadInput

HOST = "127.0.0.1"

_LONGEST_NAME = 60
_LONGEST_BODY = 64_000  # bytes
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_PAGE = {"/": ("page.html", "text/html"), "/page.css": ("page.css", "text/css"), "/page.js": ("page.js", "text/javascript")}


class _Desk:
    """What the routes answer from."""

    def __init__(self, job: Job, store: Store, *, shuffled: bool) -> None:
        self._job = job
        self._store = store
        self._shuffled = shuffled
        self._digests = {card.id: card.digest for card in job.cards}

    def _standing(self, person: str | None = None) -> list[Given]:
        """The answers to cards as they are now."""
        return [given for given in self._store.given(person) if self._digests.get(given.card) == given.digest]

    def overview(self) -> dict[str, Any]:
        done = Counter(given.person for given in self._standing())
        people = [{"name": name, "done": count} for name, count in sorted(done.items())]
        return {"title": self._job.title, "total": len(self._job.cards), "people": people}

    def person(self, name: str) -> dict[str, Any]:
        """How far a person is, and the first card that is left; the number of cards if none is."""
        answered = {given.card for given in self._standing(name)}
        order = self._job.order(name, shuffled=self._shuffled)
        first = next((place for place, card in enumerate(order) if card.id not in answered), len(order))
        return {"name": name, "total": len(order), "done": len(answered), "next": first}

    def card(self, name: str, place: int) -> dict[str, Any]:
        card = self._at(name, place)
        standing = self._standing(name)
        own = next((given for given in standing if given.card == card.id), None)
        pictures = [{"src": f"/pictures/{self._job.cards.index(card)}/{i}", "caption": caption} for i, caption in _captions(card)]
        return {
            "place": place,
            "total": len(self._job.cards),
            "done": len(standing),
            "id": card.id,
            "part": card.part,
            "text": card.text,
            "pictures": pictures,
            "options": [{"value": o.value, "text": o.text, "key": o.key} for o in card.options],
            "field": card.field,
            "hint": "" if card.options else card.hint,
            "told": [list(pair) for pair in card.told],
            "answer": own.value if own else "",
            "note": own.note if own else "",
        }

    def answer(self, name: str, place: int, told: dict[str, Any]) -> dict[str, Any]:
        card = self._at(name, place)
        value, note, seconds = told.get("value"), told.get("note", ""), told.get("seconds", 0)
        if not isinstance(value, str) or not isinstance(note, str) or len(note) > LONGEST or not isinstance(seconds, int | float):
            raise HTTPException(400, "An answer has a value, a note and seconds.")
        read = card.read(value)
        if read is None:
            form = card.hint or ("a number" if card.field == "number" else "an answer to the question")
            raise HTTPException(422, f"This cannot be read as {form}.")
        self._store.put(name, card.id, card.digest, read, note.strip(), max(0.0, min(float(seconds), 86_400.0)))
        return {"value": read, **self.person(name)}

    def take_back(self, name: str) -> dict[str, Any]:
        """Takes back the person's last answer."""
        last = next(reversed(self._standing(name)), None)
        if last is None:
            raise HTTPException(409, "There is no answer to take back.")
        self._store.put(name, last.card, last.digest, None)
        order = [card.id for card in self._job.order(name, shuffled=self._shuffled)]
        return {"place": order.index(last.card), **self.person(name)}

    def picture(self, number: int, i: int) -> Response:
        if number >= len(self._job.cards) or i >= len(self._job.cards[number].pictures):
            raise HTTPException(404, "There is no such picture.")
        return FileResponse(self._job.cards[number].pictures[i], headers={"Cache-Control": "private, max-age=3600"})

    def _at(self, name: str, place: int) -> Card:
        order = self._job.order(name, shuffled=self._shuffled)
        if place >= len(order):
            raise HTTPException(404, "There is no such card.")
        return order[place]


def _captions(card: Card) -> list[tuple[int, str]]:
    return list(enumerate(card.captions or [""] * len(card.pictures)))


def app(job: Job, store: Store, *, shuffled: bool = False) -> Starlette:
    """The application for one job; `shuffled` gives every person an order of their own."""
    desk = _Desk(job, store, shuffled=shuffled)

    async def overview(request: Request) -> Response:
        del request
        return JSONResponse(await run_in_threadpool(desk.overview))

    async def person(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(desk.person, _name(request)))

    async def card(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(desk.card, _name(request), request.path_params["place"]))

    async def answer(request: Request) -> Response:
        told = await _told(request)
        return JSONResponse(await run_in_threadpool(desk.answer, _name(request), request.path_params["place"], told))

    async def take_back(request: Request) -> Response:
        await _told(request)
        return JSONResponse(await run_in_threadpool(desk.take_back, _name(request)))

    async def picture(request: Request) -> Response:
        return await run_in_threadpool(desk.picture, request.path_params["number"], request.path_params["i"])

    return Starlette(
        routes=[
            *(Route(path, _page) for path in _PAGE),
            Route("/api/job", overview),
            Route("/api/people/{name}", person),
            Route("/api/people/{name}/cards/{place:int}", card),
            Route("/api/people/{name}/cards/{place:int}", answer, methods=["POST"]),
            Route("/api/people/{name}/back", take_back, methods=["POST"]),
            Route("/pictures/{number:int}/{i:int}", picture),
        ],
        # a page of another site cannot reach us under a name of its own
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"], www_redirect=False), Middleware(_Guarded)],
        exception_handlers={HTTPException: _refused},
    )


async def _page(request: Request) -> Response:
    name, kind = _PAGE[request.url.path]
    text = files("isovist.annotate").joinpath(name).read_text(encoding="utf-8")
    if name == "page.css":  # the report's colours, type and rules come first
        text = files("isovist.report").joinpath("style.css").read_text(encoding="utf-8") + text
    return Response(text, media_type=kind)


async def _refused(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these alone
    return JSONResponse({"fault": error.detail}, error.status_code)


def _name(request: Request) -> str:
    """The person, with single spaces. Raises HTTPException for what is no name."""
    name = " ".join(str(request.path_params["name"]).split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise HTTPException(400, f"A name has 1 to {_LONGEST_NAME} printable characters.")
    return name


async def _told(request: Request) -> dict[str, Any]:
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
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise HTTPException(400, "Send an object.")
    return cast("dict[str, Any]", told)


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


def serve(job: Job, store: Store, port: int, *, shuffled: bool, ready: Callable[[str], object]) -> None:
    """Serves until it is interrupted; `ready` is told the page's address. Port 0 takes a free one. Raises BadInput."""
    try:
        listening = socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        raise BadInput(f"--port {port}: cannot be used ({error}); give another one, or 0 for any that is free.") from None
    with listening:
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        config = uvicorn.Config(app(job, store, shuffled=shuffled), log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listening])
