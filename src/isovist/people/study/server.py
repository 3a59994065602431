"""The server of a study: the requests of participants, and the administrator page.

A participant code is sent in a header, never in a URL. A question is identified by its place in the participant's order, from 0.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from isovist.people.annotate import web_app
from isovist.people.annotate.web_app import IMAGES, STYLE
from isovist.people.study import item_presentation, tables
from isovist.people.study.participants import VISIONS, Participant, ParticipantStore
from isovist.people.study.plan import Study, StudyStep

AHEAD = 3
"""Questions beyond the first unanswered one that a page may prefetch, to continue without a connection."""

_MOST_PEOPLE = 10_000
_SECONDS = 86_400.0
_QUICK = 200  # bootstrap samples of the agreement CIs: few, because participants wait for the server
_PAGES: dict[str, web_app.Shell | Sequence[str]] = {
    "/": web_app.Shell("Questions about pictures", "/page.js"),
    "/admin": web_app.Shell("Study administration", "/admin.js"),
    "/page.css": [*STYLE, "isovist.people.study:page.css"],
    "/images.js": [IMAGES],
    "/page.js": ["isovist.people.study:upload_queue.js", "isovist.people.study:vision.js", "isovist.people.study:page.js"],
    "/admin.js": ["isovist.people.study:admin.js"],
}


class _Desk:
    """The application state, and the operations of the routes."""

    def __init__(self, study: Study, people: ParticipantStore, *, invited: bool) -> None:
        self._study = study
        self._people = people
        self._invited = invited
        self._orders: dict[tuple[str, int], tuple[StudyStep, ...]] = {}

    def overview(self) -> dict[str, Any]:
        blocks = self._study.blocks
        return {"text": self._study.plan.text, "questions": self._study.questions, "parts": len(blocks), "invited": self._invited}

    def begin(self, data: dict[str, Any]) -> dict[str, Any]:
        """Start or resume a session after consent; without a code, a new participant is created.

        `id` is the participant id of a recruiting service; it is recorded for new participants.
        """
        code, service_id = data.get("code", ""), data.get("id", "")
        if not isinstance(code, str) or data.get("agreed") is not True:
            raise HTTPException(400, "Consent is required to participate.")
        if not isinstance(service_id, str) or not re.fullmatch(r"[A-Za-z0-9_-]{0,64}", service_id):
            raise HTTPException(400, "Invalid participant id in the address. Open the study again from the recruiting service.")
        if not code.strip():
            if self._invited:
                raise HTTPException(403, "A participant code is required. Ask the study administrator for one.")
            if len(self._people.all()) >= _MOST_PEOPLE:
                raise HTTPException(403, "The study is full.")
            code = self._people.add(service_id)
            if not code:
                raise HTTPException(
                    409,
                    "This participant id has begun the study. Continue in the browser in which you began, or enter your participant code.",
                )
            new_code = code
        else:
            new_code = None
        person = self.person(code)
        self._people.agree(person)
        return {"made": new_code, **self.progress(person)}

    def person(self, code: str) -> Participant:
        """Raises HTTPException for an unknown code."""
        person = self._people.by_code(code)
        if person is None:
            raise HTTPException(403, "Unknown participant code. Check it for typing errors, or ask the study administrator for a new one.")
        return person

    def _order(self, person: Participant) -> tuple[StudyStep, ...]:
        key = person.handle, self._people.place(person) if person.place is None else person.place
        if key not in self._orders:
            self._orders[key] = self._study.order(*key)
        return self._orders[key]

    def _next(self, person: Participant) -> tuple[int, int]:
        """The number of answered questions, and the first unanswered one; the number of questions if there is none."""
        answered = {answer.item for answer in self._people.answers(person, practice=True)}
        if not answered:
            return 0, 0
        order = self._order(person)
        left = [number for number, step in enumerate(order) if step.item.card.id not in answered]
        return len(order) - len(left), left[0] if left else len(order)

    def progress(self, person: Participant) -> dict[str, Any]:
        """What the page needs to continue. The completion is part of it only after the last answer."""
        done, following = self._next(person)
        methods = self._study.plan.methods
        ended = following == self._study.questions and (methods.completion_code or methods.completion_url)
        return {
            "handle": person.handle,
            "agreed": person.agreed is not None,
            "total": self._study.questions,
            "done": done,
            "next": following,
            "vision": self._study.asks_vision and person.vision is None,
            **({"completion": methods.completion(person.service_id)} if ended else {}),
        }

    def see(self, person: Participant, data: dict[str, Any]) -> dict[str, Any]:
        """Store the self-reported colour vision."""
        if person.agreed is None:
            raise HTTPException(403, "Consent is required to participate.")
        for vision in VISIONS:
            if vision == data.get("vision"):
                self._people.see(person, vision)
                return self.progress(replace(person, vision=vision))
        raise HTTPException(400, f"Invalid colour vision. Choose one of {', '.join(VISIONS)}.")

    def question(self, person: Participant, number: int) -> dict[str, Any]:
        """The question at a place. Raises HTTPException if the colour vision is required and not yet stated."""
        if self._study.asks_vision and person.vision is None:
            raise HTTPException(403, "Answer the question about your colour vision first. Reload this page.")
        step = self._step(person, number)
        return {
            "number": number,
            "practice": step.practice,
            "first": step.first,
            "part": step.part + 1,
            "parts": len(self._study.blocks),
            **item_presentation.shown(step.item.card),
        }

    def answer(self, person: Participant, number: int, data: dict[str, Any]) -> dict[str, Any]:
        """Store an answer unless there is one. Practice answers get feedback with the key."""
        step = self._step(person, number)
        card = step.item.card
        seconds, pauses = data.get("seconds", 0), data.get("pauses", 0)
        if not _measured(seconds) or not _measured(pauses):
            raise HTTPException(400, "Invalid request: seconds or pauses is missing.")
        answer = item_presentation.answer_of(card)
        reply = item_presentation.reply(answer, data.get("value"))
        if reply is None:
            raise HTTPException(422, "Invalid answer format. Use the format shown above the field.")
        self._people.put(
            person, card.id, reply, min(float(seconds), _SECONDS), min(int(pauses), 1000), practice=step.practice or step.check
        )
        response = self.progress(person)
        if step.practice:
            response["feedback"] = {
                "right": answer.score(reply).outcome == "correct",
                "key": item_presentation.key(card),
                "value": answer.canonical(),
            }
        return response

    def _step(self, person: Participant, number: int) -> StudyStep:
        """Raises HTTPException for a question that does not exist or is too far ahead."""
        if person.agreed is None:
            raise HTTPException(403, "Consent is required to participate.")
        order = self._order(person)
        if number >= len(order) or number > self._next(person)[1] + AHEAD:
            raise HTTPException(404, "Question does not exist.")
        return order[number]

    def summary(self) -> dict[str, Any]:
        return tables.summary(self._study, self._people, _QUICK)

    def looked_at(self, place: int) -> dict[str, Any]:
        """An item as participants see it, with its key, for the administrator."""
        items = self._study.items
        if place >= len(items):
            raise HTTPException(404, "Item does not exist.")
        card = items[place].card
        return {"id": card.id, "key": item_presentation.key(card), **item_presentation.shown(card)}


def _measured(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def app(study: Study, people: ParticipantStore, token: str, *, invited: bool = False, anywhere: bool = False) -> Starlette:
    """The application of one study.

    `token` opens the administrator page. With `invited`, a participant needs an existing code. With `anywhere`, the server accepts every
    host name.
    """
    desk = _Desk(study, people, invited=invited)

    async def participant(request: Request) -> list[Participant]:
        return [await _patiently(desk.person, request.headers.get("x-code", ""))]

    async def administrator(request: Request) -> list[Participant]:
        if not compare_digest(request.headers.get("x-admin", "").encode(), token.encode()):
            raise HTTPException(403, "Open this page with the address that `isovist study serve` printed.")
        return []

    async def anyone(request: Request) -> list[Participant]:
        del request
        return []

    routes = [
        _route("/api/study", desk.overview, anyone),
        _route("/api/begin", desk.begin, anyone, post=True),
        _route("/api/me", desk.progress, participant),
        _route("/api/vision", desk.see, participant, post=True),
        _route("/api/questions/{number:int}", desk.question, participant),
        _route("/api/questions/{number:int}", desk.answer, participant, post=True),
        _route("/api/admin", desk.summary, administrator),
        _route("/api/admin/items/{place:int}", desk.looked_at, administrator),
    ]
    return web_app.application(routes, _PAGES, anywhere=anywhere)


def _route(
    path: str, work: Callable[..., dict[str, Any]], visitor: Callable[[Request], Awaitable[list[Participant]]], *, post: bool = False
) -> Route:  # fmt: skip
    """A route that calls `work` with the visitor, the number in the path and the request body, where there are such."""

    async def respond(request: Request) -> Response:
        arguments = [*await visitor(request), *request.path_params.values()]
        if post:
            arguments.append(await web_app.json_body(request))
        run = _patiently if path == "/api/begin" else run_in_threadpool
        return JSONResponse(await run(work, *arguments), headers={"Cache-Control": "no-store"})

    return Route(path, respond, methods=["POST" if post else "GET"])


async def _patiently(work: Callable[..., Any], *args: Any) -> Any:
    """The result of `work`; a refusal is delayed against guessing of codes."""
    try:
        return await run_in_threadpool(work, *args)
    except HTTPException:
        await asyncio.sleep(0.3)
        raise
