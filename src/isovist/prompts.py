"""From a question to the words a model is given. A style is data, and never depends on the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isovist.core.answers import Answer

IMAGE = "<image>"
"""Marks where a picture stands in the words of a prompt."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a model is asked to reply; `{form}` is what the answer looks like, in the answer type's own words."""

    name: str
    summary: str
    closing: str


STYLES: Mapping[str, Style] = {
    style.name: style
    for style in (
        Style(
            "final-line",
            "free to reason, one final answer line (the default)",
            'You may reason first. Then end your reply with one line that says "Answer:" and after it {form}.',
        ),
        Style("direct", "the bare answer", "Reply with {form} and nothing else."),
        Style(
            "step-by-step",
            "asked to reason before the final answer line",
            'Think step by step and write your reasoning down. Then end with one line that says "Answer:" and after it {form}.',
        ),
    )
}
DEFAULT_STYLE = "final-line"


def prompt(text: str, answer: Answer, images: int, style: str = DEFAULT_STYLE) -> str:
    """The words of a prompt, with one mark for each of the pictures.

    The pictures stand first unless the question itself places them. Raises ValueError for an unknown style and for a
    question that places another number of pictures than it has.
    """
    if style not in STYLES:
        raise ValueError(f"unknown prompt style {style!r}; there are {', '.join(STYLES)}")
    placed = text.count(IMAGE)
    if placed not in (0, images):
        raise ValueError(f"the question places {placed} pictures and has {images}")
    marks = [] if placed else [IMAGE] * images
    closing = STYLES[style].closing.format(form=answer.form())
    return "\n".join(part for part in (*marks, text, answer.listing(), closing) if part)
