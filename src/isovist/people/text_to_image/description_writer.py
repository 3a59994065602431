"""Image descriptions from a language model, with resume."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.evaluation.models import Model, ModelRequest
from isovist.evaluation.models.json_drafting import Progress, Replies, begin, closing, forget, kept
from isovist.people.text_to_image import prompt
from isovist.people.text_to_image.descriptions import Description, descriptions, same
from isovist.people.text_to_image.facing_directions import NAMES
from isovist.people.text_to_image.prompt import Example

SETTINGS = "painting.json"
DESCRIPTIONS = "descriptions.jsonl"
SKIPPED = "skipped.jsonl"

_ROUNDS = 3
"""Limit of requests, as a multiple of the number needed if all descriptions were usable."""


@dataclass(slots=True)
class DescriptionSummary:
    descriptions: list[Description] = field(default_factory=list[Description])
    malformed: int = 0
    duplicates: int = 0
    """Duplicates of other descriptions."""
    asked: int = 0
    """Requests of this call."""
    failed: int = 0
    """Requests without a response; the same command retries them."""


def write(
    out: Path, model: Model, n: int, *, examples: Sequence[Example] = prompt.EXAMPLES, objects: Sequence[str] = prompt.OBJECTS,
    size: int = prompt.MOST, concurrency: int = 1, progress: Progress = lambda: None,
) -> DescriptionSummary:  # fmt: skip
    """Write up to `n` descriptions into the folder `out`, with requests of `size` descriptions each.

    Responses are stored at once, and a later call resumes, also with another `n`. Raises UserError if the folder has other settings, or if
    no request succeeds.
    """
    settings = {"writer": model.name, "size": size, "objects": list(objects), "examples": [asdict(one) for one in examples]}
    fresh = not out.exists()
    begin(out / SETTINGS, settings, "model, list, batch or examples")
    replies = kept(out, "request", int)
    outcome = DescriptionSummary()
    options = (examples, objects, size, concurrency)
    closing(model, _ask(model, n, replies, options, outcome, progress))
    outcome.failed = len(replies.faults)
    if not replies.texts:
        forget(out / SETTINGS, fresh)
        raise UserError(
            f"No response to any request (last: {replies.faults[-1]}): --model {model.name}. Check the model and run the command again."
        )
    descriptions, skipped = _sorted(replies.texts, n, examples, objects, size)
    outcome.descriptions = descriptions
    outcome.malformed = sum(one["reason"] == "malformed" for one in skipped)
    outcome.duplicates = len(skipped) - outcome.malformed
    rows = [{"id": one.id, **asdict(one), "facing": NAMES[one.facing]} for one in descriptions]
    write_atomically(out / SKIPPED, json_lines.lines(skipped))
    write_atomically(out / DESCRIPTIONS, json_lines.lines(rows))
    return outcome


async def _ask(
    model: Model, n: int, replies: Replies[int], options: tuple[Sequence[Example], Sequence[str], int, int], outcome: DescriptionSummary, progress: Progress
) -> None:  # fmt: skip
    """Send requests for the missing descriptions, in rounds, up to the limit of requests."""
    examples, objects, size, concurrency = options
    most = _ROUNDS * -(-n // size)

    def request(number: int) -> ModelRequest:
        return ModelRequest(f"paint:{number}", prompt.words(prompt.batch(number, objects, size), examples), ())

    while not replies.faults:  # after a request error, no further requests
        missing = n - len(_sorted(replies.texts, n, examples, objects, size)[0])
        open_ = [number for number in range(most) if number not in replies.texts]
        if missing <= 0 or not open_:
            return
        asked = {number: partial(request, number) for number in open_[: -(-missing // size)]}
        await replies.add(model, asked, concurrency, progress)
        outcome.asked += len(asked)


def _sorted(
    replies: dict[int, str], n: int, examples: Sequence[Example], objects: Sequence[str], size: int
) -> tuple[list[Description], list[dict[str, Any]]]:  # fmt: skip
    """The first `n` usable descriptions, and the skipped ones, in the order of requests."""
    accepted: list[Description] = []
    skipped: list[dict[str, Any]] = []
    for number in sorted(replies):
        good, faults = descriptions(replies[number], prompt.batch(number, objects, size), examples)
        skipped += [{"request": number, "reason": "malformed", "detail": fault} for fault in faults]
        for made in good:
            if (twin := next((one for one in accepted if same(one, made)), None)) is not None:
                skipped.append({"request": number, "reason": "duplicate", "detail": f"duplicate of {twin.id}", "description": made.text})
            else:
                accepted.append(made)
    return accepted[:n], skipped


def read(folder: Path) -> list[Description]:
    """The descriptions in a folder. Raises UserError if there are none."""
    path = folder / DESCRIPTIONS
    try:
        lines = json_lines.rows(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UserError(
            f"No descriptions ({DESCRIPTIONS} is missing): {folder}. Run `isovist text-to-image describe --out {folder}`."
        ) from None
    descriptions: list[Description] = []
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            facing = NAMES.index(data["facing"])
            texts = [data[name] for name in ("object", "name", "setting", "text")]
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"Invalid description ({type(error).__name__}: {error}): {path}, line {number}. Correct the line.") from None
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise UserError(f"Invalid description (empty text): {path}, line {number}. Correct the line.")
        descriptions.append(Description(texts[0], texts[1], texts[2], facing, texts[3]))
    if not descriptions:
        raise UserError(f"No descriptions: {path}. Run `isovist text-to-image describe` again.")
    return descriptions
