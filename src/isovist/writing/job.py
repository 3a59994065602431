"""Asking a model for drafts, and the cards that people answer. All of it is in one folder, and goes on where it stopped."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from isovist.annotate import jobs
from isovist.annotate.cards import Card, Option
from isovist.annotate.store import ANSWERS, Store
from isovist.core.answers import YesNo
from isovist.dataset.manifest import write_atomically
from isovist.errors import BadInput
from isovist.interop.views import sets
from isovist.interop.views.sets import View, headings
from isovist.models import Fake, Model, Request, ask
from isovist.suites.cospace.views import round_told
from isovist.writing.drafts import Draft, drafts
from isovist.writing.prompt import VIEWS, Example, Kind, words

REPLIES = "replies.jsonl"
DRAFTS = "drafts.jsonl"
MALFORMED = "malformed.jsonl"
NOT_GOOD = "not a good question"

Progress = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Written:
    """A draft with its place, as it is stored; `id` is that of its card."""

    id: str
    place: str
    fov: float
    pictures: tuple[str, ...]
    draft: Draft


@dataclass(slots=True)
class Outcome:
    places: int = 0
    drafts: Counter[str] = field(default_factory=Counter[str])
    """By part."""
    malformed: int = 0
    failed: int = 0
    """Places for which the model gave no reply; the same command asks again."""
    passed_over: list[str] = field(default_factory=list[str])
    """Places that do not have four views a quarter turn apart, or that people have not accepted."""


def write(
    views: Path, out: Path, model: Model, kind: Kind, example: Example, *, most: int, concurrency: int, progress: Progress = lambda: None
) -> Outcome:  # fmt: skip
    """Drafts questions for every place in a folder of views into the job `out`. Raises BadInput."""
    outcome = Outcome()
    places = _places(views, outcome)
    if not places:
        raise BadInput(f"{views}: no place has {VIEWS} views a quarter turn apart that people accept.")
    out.mkdir(parents=True, exist_ok=True)
    settings = {"kind": kind, "most": most, "model": model.name}
    _same(out / "writing.json", settings)
    replies = _replies(out / REPLIES)
    prompt = words(kind, example, most)
    left = {name: listed for name, listed in places.items() if name not in replies}

    faults: list[str] = []

    async def every() -> None:
        room = asyncio.Semaphore(concurrency)

        async def one(name: str, listed: Sequence[View]) -> None:
            async with room:
                pictures = tuple((views / view.file).read_bytes() for view in listed)
                reply = await ask(model, Request(name, prompt, (*example.pictures, *pictures)), YesNo(truth=True))
                if reply.error or not reply.text.strip():
                    outcome.failed += 1
                    faults.append(reply.error or "it said nothing")
                else:
                    replies[name] = reply.text
                    with (out / REPLIES).open("a", encoding="utf-8") as file:
                        file.write(json.dumps({"place": name, "reply": reply.text}, ensure_ascii=False) + "\n")
                progress()

        try:
            await asyncio.gather(*(one(name, listed) for name, listed in left.items()))
        finally:
            if not isinstance(model, Fake):
                await model.close()

    asyncio.run(every())
    if not replies:
        raise BadInput(f"--model {model.name}: gave no reply to any place ({faults[0]}).")
    _cards(views, out, places, replies, kind, outcome)
    return outcome


def _same(path: Path, settings: dict[str, Any]) -> None:
    """Notes what is asked for. Raises BadInput if the folder was begun otherwise."""
    if path.exists() and json.loads(path.read_text(encoding="utf-8")) != settings:
        raise BadInput(f"{path.parent}: was begun with another model or kind; give a new folder for --out.")
    write_atomically(path, json.dumps(settings) + "\n")


def _replies(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            told = cast("dict[str, str]", json.loads(line))
            found[told["place"]] = told["reply"]
        except (ValueError, KeyError, TypeError):
            continue  # cut short; asked again
    return found


def _places(views: Path, outcome: Outcome) -> dict[str, list[View]]:
    """The places with four views a quarter turn apart; where people have sorted them, those that nobody rejects."""
    by_place: dict[str, list[View]] = {}
    for view in sets.read(views):
        by_place.setdefault(view.place, []).append(view)
    said: dict[str, set[str]] = {}
    if (views / ANSWERS).exists():
        for given in Store(views / ANSWERS).given():
            said.setdefault(given.card, set()).add(given.value)
    found: dict[str, list[View]] = {}
    for name, listed in sorted(by_place.items()):
        listed.sort(key=lambda view: view.heading)
        around = [view.heading for view in listed] == headings(VIEWS)
        if around and (not said or said.get(name) == {jobs.LABELS[0]}):
            found[name] = listed
        else:
            outcome.passed_over.append(name)
    outcome.places = len(found)
    return found


def _cards(
    views: Path, out: Path, places: dict[str, list[View]], replies: dict[str, str], kind: Kind, outcome: Outcome
) -> None:  # fmt: skip
    """Writes drafts and cards from the replies there are."""
    written: list[Written] = []
    malformed: list[dict[str, str]] = []
    for name, listed in places.items():
        if name not in replies:
            continue
        good, faults = drafts(replies[name], kind)
        malformed += [{"place": name, "fault": fault} for fault in faults]
        if good:
            (out / "pictures" / name).mkdir(parents=True, exist_ok=True)
        pictures = tuple(f"pictures/{view.file}" for view in listed) if good else ()
        for view, picture in zip(listed, pictures, strict=False):
            shutil.copyfile(views / view.file, out / picture)
        written += [Written(f"{name}:{draft.pair}:{draft.part}", name, listed[0].fov, pictures, draft) for draft in good]
    outcome.malformed = len(malformed)
    outcome.drafts.update(one.draft.part for one in written)
    write_atomically(out / DRAFTS, "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in written))
    write_atomically(out / MALFORMED, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in malformed))
    jobs.write(out, [card(one, out) for one in written])


def question(one: Written) -> str:
    """The words of a question with where the pictures look; those of the fresh tasks."""
    body = one.draft.part in ("position", "actions")
    opening = round_told(round(one.fov), range(VIEWS), body=body)
    return f"{'You stand where the pictures were taken and look to the front.' + chr(10) if body else ''}{opening}\n{one.draft.question}"


def card(one: Written, folder: Path) -> Card:
    """The card of a draft. The model's answer is not on it."""
    options = tuple(Option(choice, choice, str(i)) for i, choice in enumerate(one.draft.choices, 1))
    if options:
        options += (Option(NOT_GOOD, NOT_GOOD.capitalize(), "x"),)
    hint = "" if options else "a number, or -1 if it is not a good question"
    field = "choice" if options else "number"
    pictures = tuple(folder / name for name in one.pictures)
    return Card(one.id, question(one), pictures, options=options, field=field, hint=hint, part=one.draft.part, group=one.place)


def read(folder: Path) -> list[Written]:
    """The drafts of a job. Raises BadInput for a folder that is none."""
    try:
        lines = (folder / DRAFTS).read_text(encoding="utf-8").splitlines()
    except OSError:
        raise BadInput(f"{folder}: no drafted questions ({DRAFTS} is missing).") from None
    found: list[Written] = []
    for line in lines:
        told = json.loads(line)
        draft = told["draft"]
        made = Draft(draft["part"], draft["question"], tuple(draft["choices"]), draft["answer"], draft["pair"])
        found.append(Written(told["id"], told["place"], told["fov"], tuple(told["pictures"]), made))
    return found
