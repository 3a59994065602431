"""Checks of the request options on the first item of each part, before anything is generated or sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.data.dataset.generation_request import require_published_prompts
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import DataPart
from isovist.data.prompt_template import PromptTemplate, styled_prompt
from isovist.data.prompts import DEFAULT_STYLE, PUBLISHED, response
from isovist.evaluation.run.variants import VariantSettings, trials

FirstItem = tuple[str, str, Answer, int]
"""Task, question text, key and number of images."""


def check_requests(
    parts: Sequence[DataPart], data: Path | None, style: str | PromptTemplate, stop_seqs: Iterable[str], variants: VariantSettings
) -> None:  # fmt: skip
    """Raises UserError for a prompt template that does not suit an item, for the style `published` without a published prompt, and for a
    text of `--stop` inside a correct response.

    Args:
        parts: The parts of the run.
        data: Their dataset folder; None for new items.
        style: The prompt style or the prompt template.
        stop_seqs: The texts that end a response.
        variants: The variants of each item.
    """
    if PUBLISHED in (style, *variants.prompt_styles):
        _check_published(parts, data, style, variants)
    stop_seqs = tuple(stop_seqs)
    if isinstance(style, str) and not stop_seqs:
        return
    for task, text, key, images in _first_items(parts, data):
        if not isinstance(style, str):
            styled_prompt(text, key, images, style, task)
        answer = response(key, style if isinstance(style, str) else DEFAULT_STYLE, task)
        if cut := next((stop for stop in stop_seqs if stop in answer), None):
            raise UserError(f"Text of --stop inside the response {answer!r} to {task}: {cut!r}. Give another text, or none.")


def _check_published(parts: Sequence[DataPart], data: Path | None, style: str | PromptTemplate, variants: VariantSettings) -> None:
    if data is None:
        require_published_prompts(part.task for part in parts)
        return
    prompted = VariantSettings(circular_eval=variants.circular_eval, prompt_styles=variants.prompt_styles)
    for part in parts:
        for _ in trials(load(data, [part], 1), prompted, style):
            pass  # the prompts of the first item are made, which raises an error


def _first_items(parts: Sequence[DataPart], data: Path | None) -> Iterator[FirstItem]:
    for part in parts:
        if data is not None:
            for row in load(data, [part], 1):
                yield row.task, row.metadata.question, row.key, len(row.images)
        elif part.n:
            item = part.items()[0]
            yield part.task, item.question.text, item.answer, len(item.pictures)
