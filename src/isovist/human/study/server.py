"""The server of a study: what a person with a code may ask for, and what the page of those who run the study shows.

A code travels in a header, and never in an address. A question is named by its place in its person's own order, from 0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from isovist.human.annotate import web_app
from isovist.human.annotate.web_app import IMAGES, STYLE
from isovist.human.study import item_presentation, tables
from isovist.human.study.participants import VISIONS, Participant, ParticipantStore
from isovist.human.study.plan import Study, StudyStep

AHEAD = 3
"""Questions after the first one that is left which a page may ask for, so that it goes on for a while without a connection."""

_MOST_PEOPLE = 10_000
_SECONDS = 86_400.0
_QUICK = 200  # samples for the intervals of agreement: those who take part must not wait for them
_PAGES: dict[str, web_app.Shell | Sequence[str]] = {
    "/": web_app.Shell("Questions about pictures", "/page.js"),
    "/admin": web_app.Shell("The study so far", "/admin.js"),
    "/page.css": [*STYLE, "isovist.human.study:page.css"],
    "/images.js": [IMAGES],
    "/page.js": ["isovist.human.study:upload_queue.js", "isovist.human.study:vision.js", "isovist.human.study:page.js"],
    "/admin.js": ["isovist.human.study:admin.js"],
}


class _Desk:
    """What the routes answer from."""

    def __init__(self, study: Study, people: ParticipantStore, *, invited: bool) -> None:
        self._study = study
        self._people = people
        self._invited = invited
        self._orders: dict[tuple[str, int], tuple[StudyStep, ...]] = {}

    def overview(self) -> dict[str, Any]:
        blocks = self._study.blocks
        return {"text": self._study.plan.text, "questions": self._study.questions, "parts": len(blocks), "invited": self._invited}

    def begin(self, data: dict[str, Any]) -> dict[str, Any]:
        """Lets a person in, with a code or a new one; only those who agree."""
        code = data.get("code", "")
        if not isinstance(code, str) or data.get("agreed") is not True:
            raise HTTPException(400, "Only those who agree can take part.")
        if not code.strip():
            if self._invited:
                raise HTTPException(403, "This study needs a code; ask those who invited you for one.")
            if len(self._people.all()) >= _MOST_PEOPLE:
                raise HTTPException(403, "No more people can take part.")
            code = self._people.add()
            made = code
        else:
            made = None
        person = self.person(code)
        self._people.agree(person)
        return {"made": made, **self.progress(person)}

    def person(self, code: str) -> Participant:
        """Raises HTTPException for a code that is nobody's."""
        person = self._people.by_code(code)
        if person is None:
            raise HTTPException(
                403, "This code is not known here. Look for a mistake in it, or ask those who run the study for another one."
            )
        return person

    def _order(self, person: Participant) -> tuple[StudyStep, ...]:
        key = person.handle, self._people.place(person) if person.place is None else person.place
        if key not in self._orders:
            self._orders[key] = self._study.order(*key)
        return self._orders[key]

    def _next(self, person: Participant) -> tuple[int, int]:
        """How many questions a person has answered, and the first that is left; the number of questions if none is."""
        answered = {answer.item for answer in self._people.answers(person, practice=True)}
        if not answered:
            return 0, 0
        order = self._order(person)
        left = [number for number, step in enumerate(order) if step.item.card.id not in answered]
        return len(order) - len(left), left[0] if left else len(order)

    def progress(self, person: Participant) -> dict[str, Any]:
        done, following = self._next(person)
        return {
            "handle": person.handle,
            "agreed": person.agreed is not None,
            "total": self._study.questions,
            "done": done,
            "next": following,
            "vision": self._study.asks_vision and person.vision is None,  # is still to be asked
        }

    def see(self, person: Participant, data: dict[str, Any]) -> dict[str, Any]:
        """Stores what a person says of their colour vision."""
        if person.agreed is None:
            raise HTTPException(403, "Only those who agree can take part.")
        for vision in VISIONS:
            if vision == data.get("vision"):
                self._people.see(person, vision)
                return self.progress(replace(person, vision=vision))
        raise HTTPException(400, f"Colour vision is one of {', '.join(VISIONS)}.")

    def question(self, person: Participant, number: int) -> dict[str, Any]:
        """What a person is asked. Raises HTTPException before their colour vision is told where that matters."""
        if self._study.asks_vision and person.vision is None:
            raise HTTPException(403, "Please answer the question about your colour vision first: load this page again.")
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
        """Stores an answer, unless one is there. To practice it says what would have been right."""
        step = self._step(person, number)
        card = step.item.card
        seconds, pauses = data.get("seconds", 0), data.get("pauses", 0)
        if not _measured(seconds) or not _measured(pauses):
            raise HTTPException(400, "An answer has a value, seconds and pauses.")
        answer = item_presentation.answer_of(card)
        reply = item_presentation.reply(answer, data.get("value"))
        if reply is None:
            raise HTTPException(422, "This cannot be read as an answer to the question. Write it as the line above the field says.")
        self._people.put(person, card.id, reply, min(float(seconds), _SECONDS), min(int(pauses), 1000), practice=step.practice)
        response = self.progress(person)
        if step.practice:
            response["feedback"] = {
                "right": answer.score(reply).outcome == "correct",
                "key": item_presentation.key(card),
                "value": answer.canonical(),
            }
        return response

    def _step(self, person: Participant, number: int) -> StudyStep:
        """Raises HTTPException for a question that is none, or far from being due."""
        if person.agreed is None:
            raise HTTPException(403, "Only those who agree can take part.")
        order = self._order(person)
        if number >= len(order) or number > self._next(person)[1] + AHEAD:
            raise HTTPException(404, "There is no such question.")
        return order[number]

    def summary(self) -> dict[str, Any]:
        return tables.summary(self._study, self._people, _QUICK)

    def looked_at(self, place: int) -> dict[str, Any]:
        """An item as people see it, with its key, for those who run the study."""
        items = self._study.items
        if place >= len(items):
            raise HTTPException(404, "There is no such item.")
        card = items[place].card
        return {"id": card.id, "key": item_presentation.key(card), **item_presentation.shown(card)}


def _measured(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def app(study: Study, people: ParticipantStore, token: str, *, invited: bool = False, anywhere: bool = False) -> Starlette:
    """The application for one study. `token` opens the page of those who run it; `invited` takes those alone who have a code;
    `anywhere` answers under every name of the machine.
    """
    desk = _Desk(study, people, invited=invited)

    async def private(work: Callable[..., dict[str, Any]], *args: Any) -> Response:
        return JSONResponse(await run_in_threadpool(work, *args), headers={"Cache-Control": "no-store"})

    async def known(request: Request) -> Participant:
        return await _patiently(desk.person, request.headers.get("x-code", ""))

    async def overview(request: Request) -> Response:
        del request
        return await private(desk.overview)

    async def begin(request: Request) -> Response:
        data = await web_app.told(request)
        return JSONResponse(await _patiently(desk.begin, data), headers={"Cache-Control": "no-store"})

    async def me(request: Request) -> Response:
        return await private(desk.progress, await known(request))

    async def vision(request: Request) -> Response:
        person = await known(request)
        return await private(desk.see, person, await web_app.told(request))

    async def question(request: Request) -> Response:
        return await private(desk.question, await known(request), request.path_params["number"])

    async def answer(request: Request) -> Response:
        person = await known(request)
        return await private(desk.answer, person, request.path_params["number"], await web_app.told(request))

    async def summary(request: Request) -> Response:
        _allowed(request, token)
        return await private(desk.summary)

    async def looked_at(request: Request) -> Response:
        _allowed(request, token)
        return await private(desk.looked_at, request.path_params["place"])

    routes = [
        Route("/api/study", overview),
        Route("/api/begin", begin, methods=["POST"]),
        Route("/api/me", me),
        Route("/api/vision", vision, methods=["POST"]),
        Route("/api/questions/{number:int}", question),
        Route("/api/questions/{number:int}", answer, methods=["POST"]),
        Route("/api/admin", summary),
        Route("/api/admin/items/{place:int}", looked_at),
    ]
    return web_app.application(routes, _PAGES, anywhere=anywhere)


async def _patiently(work: Callable[..., Any], *args: Any) -> Any:
    """What `work` returns; a refusal comes late, so that codes cannot be tried by the thousand."""
    try:
        return await run_in_threadpool(work, *args)
    except HTTPException:
        await asyncio.sleep(0.3)
        raise


def _allowed(request: Request, token: str) -> None:
    if not compare_digest(request.headers.get("x-admin", "").encode(), token.encode()):
        raise HTTPException(403, "This page opens with the address that the command printed.")
