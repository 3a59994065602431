"""The server of the annotation page: for this machine only; each answer is stored before it is confirmed.

Paths contain the annotator's name, percent-encoded, and the place of a card in that annotator's order, from 0. Keys and ids never leave
the server, because an id is enough to regenerate the key. The page shows the number of a card in the job, from 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from isovist.people.annotate import web_app
from isovist.people.annotate.answer_store import Annotation, Store
from isovist.people.annotate.cards import LONGEST, Card, Job
from isovist.people.annotate.web_app import IMAGES, STYLE

_LONGEST_NAME = 60
_PAGES: dict[str, web_app.Shell | Sequence[str]] = {
    "/": web_app.Shell("Isovist annotation", "/page.js"),
    "/page.css": STYLE,
    "/images.js": [IMAGES],
    "/page.js": ["isovist.people.annotate:page.js"],
}


class _Desk:
    """The application state, and the operations of the routes."""

    def __init__(self, job: Job, store: Store, *, shuffled: bool) -> None:
        self._job = job
        self._store = store
        self._shuffled = shuffled
        self._digests = {card.id: card.digest for card in job.cards}

    def _standing(self, person: str | None = None) -> list[Annotation]:
        """The answers to the current versions of the cards."""
        return [given for given in self._store.given(person) if self._digests.get(given.card) == given.digest]

    def overview(self) -> dict[str, Any]:
        done = Counter(given.annotator for given in self._standing())
        people = [{"name": name, "done": count} for name, count in sorted(done.items())]
        return {"title": self._job.title, "total": len(self._job.cards), "people": people}

    def person(self, name: str) -> dict[str, Any]:
        """An annotator's progress, and the first unanswered card; the number of cards if there is none."""
        answered = {given.card for given in self._standing(name)}
        order = self._job.order(name, shuffled=self._shuffled)
        first = next((place for place, card in enumerate(order) if card.id not in answered), len(order))
        return {"name": name, "total": len(order), "done": len(answered), "next": first}

    def card(self, name: str, place: int) -> dict[str, Any]:
        card = self._at(name, place)
        standing = self._standing(name)
        annotation = next((given for given in standing if given.card == card.id), None)
        captions = card.captions or [""] * len(card.pictures)
        number = self._job.cards.index(card)
        pictures = [{"src": f"/pictures/{number}/{i}", "caption": caption} for i, caption in enumerate(captions)]
        return {
            "place": place,
            "total": len(self._job.cards),
            "done": len(standing),
            "number": number + 1,
            "part": card.part,
            "text": card.text,
            "pictures": pictures,
            "options": [{"value": o.value, "text": o.text, "key": o.key} for o in card.options],
            "field": card.field,
            "hint": "" if card.options else card.hint,
            "details": [list(pair) for pair in card.details],
            "answer": annotation.value if annotation else "",
            "note": annotation.note if annotation else "",
        }

    def answer(self, name: str, place: int, data: dict[str, Any]) -> dict[str, Any]:
        card = self._at(name, place)
        value, note, seconds = data.get("value"), data.get("note", ""), data.get("seconds", 0)
        if not isinstance(value, str) or not isinstance(note, str) or len(note) > LONGEST or not isinstance(seconds, int | float):
            raise HTTPException(400, "Invalid request: value, note or seconds is missing.")
        read = card.read(value)
        if read is None:
            form = card.hint or ("a number" if card.field == "number" else "an answer to the question")
            raise HTTPException(422, f"Invalid answer format. Expected {form}.")
        self._store.put(name, card.id, card.digest, read, note.strip(), float(max(0, min(seconds, 86_400))))
        return {"value": read, **self.person(name)}

    def withdraw(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Withdraw the annotator's last answer."""
        del data
        last = next(reversed(self._standing(name)), None)
        if last is None:
            raise HTTPException(409, "No answer to withdraw.")
        self._store.put(name, last.card, last.digest, None)
        order = [card.id for card in self._job.order(name, shuffled=self._shuffled)]
        return {"place": order.index(last.card), **self.person(name)}

    def picture(self, number: int, i: int) -> Response:
        if number >= len(self._job.cards) or i >= len(self._job.cards[number].pictures):
            raise HTTPException(404, "Image does not exist.")
        return FileResponse(self._job.cards[number].pictures[i], headers={"Cache-Control": "private, max-age=3600"})

    def _at(self, name: str, place: int) -> Card:
        order = self._job.order(name, shuffled=self._shuffled)
        if place >= len(order):
            raise HTTPException(404, "Item does not exist.")
        return order[place]


def app(job: Job, store: Store, *, shuffled: bool = False) -> Starlette:
    """The application of one job; `shuffled` gives each annotator a different order."""
    desk = _Desk(job, store, shuffled=shuffled)

    async def picture(request: Request) -> Response:
        return await run_in_threadpool(desk.picture, **request.path_params)

    routes = [
        _route("/api/job", desk.overview),
        _route("/api/people/{name}", desk.person),
        _route("/api/people/{name}/cards/{place:int}", desk.card),
        _route("/api/people/{name}/cards/{place:int}", desk.answer, post=True),
        _route("/api/people/{name}/back", desk.withdraw, post=True),
        Route("/pictures/{number:int}/{i:int}", picture),
    ]
    return web_app.application(routes, _PAGES)


def _route(path: str, work: Callable[..., dict[str, Any]], *, post: bool = False) -> Route:
    """A route that calls `work` with the parameters of the path and, for POST, the request body."""

    async def respond(request: Request) -> Response:
        arguments = dict(request.path_params)
        if post:
            arguments["data"] = await web_app.json_body(request)
        if "name" in arguments:
            arguments["name"] = _name(arguments["name"])
        return JSONResponse(await run_in_threadpool(work, **arguments))

    return Route(path, respond, methods=["POST" if post else "GET"])


def _name(text: str) -> str:
    """The annotator's name, with single spaces. Raises HTTPException for an invalid name."""
    name = " ".join(text.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise HTTPException(400, f"Invalid name. Use 1 to {_LONGEST_NAME} printable characters.")
    return name


def serve(job: Job, store: Store, port: int, *, shuffled: bool, ready: Callable[[str], object]) -> None:
    """Serve until interrupted; `ready` receives the URL of the page. Port 0 takes any free port. Raises UserError."""
    with web_app.bound(port) as listening:
        web_app.serve(app(job, store, shuffled=shuffled), listening, lambda: ready(web_app.address(listening)))
