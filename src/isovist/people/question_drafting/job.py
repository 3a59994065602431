"""Question drafting with a model, and the annotation job of the drafts. One folder holds both, and each step resumes."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.importers.street_views import view_folder
from isovist.data.importers.street_views.view_folder import View, headings
from isovist.evaluation.models import Model, ModelRequest
from isovist.evaluation.models.json_drafting import Progress, begin, closing, forget, kept
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.annotate.cards import Card, Option
from isovist.people.question_drafting.drafts import Draft, drafts
from isovist.people.question_drafting.prompt import VIEWS, Example, Kind, words
from isovist.suites.cospace.view_sets import BODY_POSITION, clockwise_preamble

SETTINGS = "writing.json"
DRAFTS = "drafts.jsonl"
MALFORMED = "malformed.jsonl"
NOT_GOOD = "not a good question"


@dataclass(frozen=True, slots=True)
class Written:
    """A stored draft with its place; `id` is that of its card."""

    id: str
    place: str
    fov: float
    pictures: tuple[str, ...]
    draft: Draft


@dataclass(slots=True)
class DraftingSummary:
    places: int = 0
    drafts: Counter[str] = field(default_factory=Counter[str])
    """By part."""
    malformed: int = 0
    failed: int = 0
    """Places without a response; the same command retries them."""
    passed_over: list[str] = field(default_factory=list[str])
    """Places without four views 90° apart, or with views that annotators rejected."""


def write(
    views: Path, out: Path, model: Model, kind: Kind, example: Example, *, most: int, concurrency: int, progress: Progress = lambda: None
) -> DraftingSummary:  # fmt: skip
    """Draft questions about every place of a folder of views and write them as the annotation job `out`. Raises UserError."""
    outcome = DraftingSummary()
    places = _places(views, outcome)
    if not places:
        raise UserError(
            f"No place with {VIEWS} accepted views 90° apart: {views}. Download more views or accept some with `isovist annotate`."
        )
    fresh = not out.exists()
    begin(out / SETTINGS, {"kind": kind, "most": most, "model": model.name}, "model or kind")
    replies = kept(out, "place", str)
    prompt = words(kind, example, most)

    def request(name: str) -> ModelRequest:
        pictures = tuple((views / view.file).read_bytes() for view in places[name])
        return ModelRequest(name, prompt, (*example.pictures, *pictures))

    left = {name: partial(request, name) for name in places if name not in replies.texts}
    closing(model, replies.add(model, left, concurrency, progress))
    outcome.failed = len(replies.faults)
    if not replies.texts:
        forget(out / SETTINGS, fresh)
        raise UserError(
            f"No response to any request (last: {replies.faults[-1]}): --model {model.name}. Check the model and run the command again."
        )
    _cards(views, out, places, replies.texts, kind, outcome)
    return outcome


def _places(views: Path, outcome: DraftingSummary) -> dict[str, list[View]]:
    """The places with four views 90° apart that no annotator rejected."""
    by_place: dict[str, list[View]] = {}
    for view in view_folder.read(views):
        by_place.setdefault(view.place, []).append(view)
    labels: dict[str, set[str]] = {}
    if (views / ANSWERS).exists():
        for given in Store(views / ANSWERS).given():
            labels.setdefault(given.card, set()).add(given.value)
    places: dict[str, list[View]] = {}
    for name, listed in sorted(by_place.items()):
        listed.sort(key=lambda view: view.heading)
        around = [view.heading for view in listed] == headings(VIEWS)
        if around and (not labels or labels.get(name) == {annotation_jobs.LABELS[0]}):
            places[name] = listed
        else:
            outcome.passed_over.append(name)
    outcome.places = len(places)
    return places


def _cards(
    views: Path, out: Path, places: dict[str, list[View]], replies: dict[str, str], kind: Kind, outcome: DraftingSummary
) -> None:  # fmt: skip
    """Write the drafts and cards of all responses so far."""
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
    outcome.drafts.update(entry.draft.part for entry in written)
    write_atomically(out / DRAFTS, json_lines.lines(map(asdict, written)))
    write_atomically(out / MALFORMED, json_lines.lines(malformed))
    annotation_jobs.write(out, [card(entry, out) for entry in written])


def question(entry: Written) -> str:
    """The text of a question after the description of the views, which is that of the generated tasks."""
    body = entry.draft.part in ("position", "actions")
    preamble = clockwise_preamble(round(entry.fov), range(VIEWS), body=body)
    return f"{BODY_POSITION + chr(10) if body else ''}{preamble}\n{entry.draft.question}"


def card(entry: Written, folder: Path) -> Card:
    """The card of a draft, without the answer of the model."""
    options = tuple(Option(choice, choice, str(i)) for i, choice in enumerate(entry.draft.choices, 1))
    if options:
        options += (Option(NOT_GOOD, NOT_GOOD.capitalize(), "x"),)
    hint = "" if options else "a number, or -1 if it is not a good question"
    field = "choice" if options else "number"
    pictures = tuple(folder / name for name in entry.pictures)
    return Card(entry.id, question(entry), pictures, options=options, field=field, hint=hint, part=entry.draft.part, group=entry.place)


def read(folder: Path) -> list[Written]:
    """The drafts of a job. Raises UserError for another folder."""
    try:
        lines = json_lines.rows((folder / DRAFTS).read_text(encoding="utf-8"))
    except OSError:
        raise UserError(
            f"Not a job of drafted questions ({DRAFTS} is missing): {folder}. Run `isovist draft-questions` without --collect first."
        ) from None
    written: list[Written] = []
    for line in lines:
        data = json.loads(line)
        fields = data["draft"]
        draft = Draft(fields["part"], fields["question"], tuple(fields["choices"]), fields["answer"], fields["pair"])
        written.append(Written(data["id"], data["place"], data["fov"], tuple(data["pictures"]), draft))
    return written
