"""Image mode caption-first: the model describes each image in a separate request, then answers from its descriptions alone.

Each description is recorded in `captions.jsonl` at once, so that an interrupted run resumes inside an item. A request error in one
description is the error of the whole trial.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from isovist.common import json_lines
from isovist.core.answers.extraction.normalize import strip_thinking
from isovist.data.prompts import caption, from_captions
from isovist.evaluation.models.base import ModelRequest, ModelResponse
from isovist.evaluation.run.records import Name, RecordWriter, hashed, hashed_image, placed
from isovist.evaluation.run.variants import Trial

CAPTIONS = "captions.jsonl"


@dataclass(frozen=True, slots=True)
class Caption:
    """A model's description of one image of a trial."""

    item_id: str
    variant: str
    picture: int
    """Number of the image in the trial, from 1."""
    prompt_hash: str
    image_hash: str
    response: str
    reasoning: str = ""
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    finish_reason: str = "stop"
    served_by: str = ""


_NAMES = tuple(field.name for field in fields(Caption))


def read(path: Path) -> Iterator[Caption]:
    """All complete captions of a file, in order; none without a file. Raises UserError for a damaged line."""
    return (caption for _, caption in placed(path, Caption))


def descriptions(path: Path) -> dict[Name, list[str]]:
    """The descriptions of the images of each trial, in order; the last description of an image counts. Raises as `read` does."""
    texts: dict[Name, list[str]] = {}
    for record in read(path):
        of_trial = texts.setdefault((record.item_id, record.variant), [])
        del of_trial[record.picture - 1 :]
        of_trial.append(record.response)
    return texts


@dataclass(frozen=True, slots=True)
class CaptionedTrial:
    """A trial with its descriptions."""

    trial: Trial
    """With descriptions instead of images; after an error, the failed request."""
    fault: ModelResponse | None
    """The request error, if any."""
    usages: tuple[dict[str, int], ...]
    """Token usage of the requests of this session."""


class Captions:
    """The recorded captions of a run, and the log of new ones."""

    def __init__(self, path: Path, answered: Container[Name]) -> None:
        self._known: dict[tuple[str, str, int], Caption] = {
            (caption.item_id, caption.variant, caption.picture): caption
            for caption in read(path)
            if (caption.item_id, caption.variant) not in answered
        }
        self._log = RecordWriter(path)

    def close(self) -> None:
        self._log.close()

    async def described(self, trial: Trial, send: Callable[[ModelRequest], Awaitable[ModelResponse]]) -> CaptionedTrial:
        """Request the missing captions one after the other; each prompt contains the earlier ones."""
        captions: list[str] = []
        usages: list[dict[str, int]] = []
        for place, image in enumerate(trial.images, 1):
            prompt = caption(trial.question, place, len(trial.images), captions)
            recorded = self._known.pop((*trial.trial_id, place), None)
            if recorded is None or (recorded.prompt_hash, recorded.image_hash) != (hashed(prompt.encode()), hashed_image(image)):
                reply = await send(ModelRequest(trial.row.id, prompt, (image,), trial.variant))
                if reply.error:
                    fault = replace(reply, error=f"caption of image {place}: {reply.error}")
                    return CaptionedTrial(replace(trial, prompt=prompt, images=(image,)), fault, tuple(usages))
                recorded = _caption(trial, place, prompt, image, reply)
                self._log.write(json_lines.line({name: getattr(recorded, name) for name in _NAMES}).encode())
                usages.append(reply.usage)
            captions.append(strip_thinking(recorded.response).strip())
        if captions:
            trial = replace(trial, prompt=from_captions(trial.prompt, captions), images=())
        return CaptionedTrial(trial, None, tuple(usages))


def _caption(trial: Trial, place: int, prompt: str, image: bytes, reply: ModelResponse) -> Caption:
    return Caption(
        item_id=trial.row.id,
        variant=trial.variant,
        picture=place,
        prompt_hash=hashed(prompt.encode()),
        image_hash=hashed_image(image),
        response=reply.text,
        reasoning=reply.reasoning,
        usage=reply.usage,
        latency_s=round(reply.latency_s, 4),
        finish_reason=reply.finish_reason,
        served_by=reply.served_by,
    )
