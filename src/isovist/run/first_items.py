"""Checks of the request options on the first item of each part, before anything is generated or sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from isovist.core.answers import Answer
from isovist.dataset.load import load
from isovist.dataset.manifest import DataPart
from isovist.errors import UserError
from isovist.prompt_template import PromptTemplate, styled_prompt
from isovist.prompts import STYLES

FirstItem = tuple[str, str, Answer, int]
"""Task, question text, key and number of images."""


def check_requests(parts: Sequence[DataPart], data: Path | None, style: str | PromptTemplate, stop_seqs: Iterable[str]) -> None:
    """Raises UserError for a prompt template that does not suit an item, and for a text of `--stop` inside a correct response.

    Args:
        parts: The parts of the run.
        data: Their dataset folder; None for new items.
        style: The prompt style or the prompt template.
        stop_seqs: The texts that end a response.
    """
    stop_seqs = tuple(stop_seqs)
    if isinstance(style, str) and not stop_seqs:
        return
    reply = STYLES[style].reply if isinstance(style, str) else "Answer: {key}"
    for task, text, key, images in _first_items(parts, data):
        if not isinstance(style, str):
            styled_prompt(text, key, images, style, task)
        answer = reply.format(key=key.canonical())
        if cut := next((stop for stop in stop_seqs if stop in answer), None):
            raise UserError(f"Text of --stop inside the response {answer!r} to {task}: {cut!r}. Give another text, or none.")


def _first_items(parts: Sequence[DataPart], data: Path | None) -> Iterator[FirstItem]:
    for part in parts:
        if data is not None:
            for row in load(data, [part], 1):
                yield row.task, row.metadata.question, row.key, len(row.images)
        elif part.n:
            item = part.items()[0]
            yield part.task, item.question.text, item.answer, len(item.pictures)
