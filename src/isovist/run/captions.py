"""Asking a model that sees one picture at a time: it describes each, then answers from its descriptions alone.

Every description is a request of its own and on record in `captions.jsonl` as soon as it is there, so that a run that was broken
off goes on in the middle of an item. A machine fault in any of the requests is a fault of the whole asking.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from isovist import json_lines
from isovist.core.answers.extraction.normalize import strip_thinking
from isovist.models.base import ModelRequest, ModelResponse
from isovist.prompts import caption, from_captions
from isovist.run.records import Name, RecordWriter, hashed, placed
from isovist.run.variants import Trial

CAPTIONS = "captions.jsonl"


@dataclass(frozen=True, slots=True)
class Caption:
    """What a model wrote down about one picture of an asking."""

    item_id: str
    variant: str
    picture: int
    """From 1, in the order in which the asking shows them."""
    prompt_hash: str
    image_hash: str
    reply: str
    reasoning: str = ""
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    finish_reason: str = "stop"
    served_by: str = ""


_NAMES = tuple(field.name for field in fields(Caption))


def read(path: Path) -> Iterator[Caption]:
    """All whole lines of a file of captions, in order; none if there is no file. Raises UserError for a damaged one."""
    return (caption for _, caption in placed(path, Caption))


@dataclass(frozen=True, slots=True)
class CaptionedTrial:
    """What came of the pictures of an asking."""

    asking: Trial
    """With descriptions in the place of its pictures; at a fault, the request that failed."""
    fault: ModelResponse | None
    """The machine fault at which it ended, if there was one."""
    usages: tuple[dict[str, int], ...]
    """Of the requests that were sent now."""


class Captions:
    """The captions of a run: those on record, and the log of new ones."""

    def __init__(self, path: Path, answered: Collection[Name]) -> None:
        self._known: dict[tuple[str, str, int], Caption] = {
            (caption.item_id, caption.variant, caption.picture): caption
            for caption in read(path)
            if (caption.item_id, caption.variant) not in answered
        }
        self._log = RecordWriter(path)

    def close(self) -> None:
        self._log.close()

    async def described(self, asking: Trial, send: Callable[[ModelRequest], Awaitable[ModelResponse]]) -> CaptionedTrial:
        """Asks for the captions that are not on record, one after the other; each prompt holds those before it."""
        captions: list[str] = []
        usages: list[dict[str, int]] = []
        for place, image in enumerate(asking.images, 1):
            prompt = caption(asking.question, place, len(asking.images), captions)
            recorded = self._known.pop((*asking.trial_id, place), None)
            if recorded is None or (recorded.prompt_hash, recorded.image_hash) != (hashed(prompt.encode()), hashed(image)):
                reply = await send(ModelRequest(asking.row.id, prompt, (image,), asking.variant))
                if reply.error:
                    fault = replace(reply, error=f"caption of picture {place}: {reply.error}")
                    return CaptionedTrial(replace(asking, prompt=prompt, images=(image,)), fault, tuple(usages))
                recorded = _noted(asking, place, prompt, image, reply)
                self._log.write(json_lines.line({name: getattr(recorded, name) for name in _NAMES}).encode())
                usages.append(reply.usage)
            captions.append(strip_thinking(recorded.reply).strip())
        if captions:
            asking = replace(asking, prompt=from_captions(asking.prompt, captions), images=())
        return CaptionedTrial(asking, None, tuple(usages))


def _noted(asking: Trial, place: int, prompt: str, image: bytes, reply: ModelResponse) -> Caption:
    return Caption(
        item_id=asking.row.id,
        variant=asking.variant,
        picture=place,
        prompt_hash=hashed(prompt.encode()),
        image_hash=hashed(image),
        reply=reply.text,
        reasoning=reply.reasoning,
        usage=reply.usage,
        latency_s=round(reply.latency_s, 4),
        finish_reason=reply.finish_reason,
        served_by=reply.served_by,
    )
