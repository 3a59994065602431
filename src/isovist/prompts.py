"""From a question to the words a model is given. A style is data, and never depends on the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    closing = STYLES[style].closing.format(form=answer.format_instruction())
    return "\n".join(part for part in (*marks, text, answer.options_text(), closing) if part)


def caption(question: str, place: int, count: int, before: Sequence[str]) -> str:
    """The words that ask for a description of the picture at a place (from 1) of `count`, given those of the pictures before it.

    `question` is what will be asked in the end, with its options.
    """
    notes = f"These are your notes so far.\n\n{_notes(before)}\n" if before else ""
    return (
        f"You will answer a question about {count} pictures, but you see them one at a time. When you answer, no picture will be there "
        "any more: you will have only the notes that you write about each of them now.\n\n"
        f"The question will be:\n{unplaced(question)}\n\n{notes}"
        f"This is picture {place} of {count}:\n{IMAGE}\n"
        "Do not answer yet. Write your notes on this picture: what it shows, where in it each thing stands, and what it shares with "
        "the pictures before, as exactly as the question needs it."
    )


def from_captions(prompt: str, captions: Sequence[str]) -> str:
    """A prompt with descriptions in the place of its pictures."""
    return (
        f"You have seen {len(captions)} pictures one at a time and written notes on each. The pictures are not shown again; answer "
        f"from these notes.\n\n{_notes(captions)}\n{unplaced(prompt)}"
    )


def _notes(captions: Sequence[str]) -> str:
    """Descriptions under their numbers; what looks like the mark of a picture in them is none."""
    texts = (text.replace(IMAGE, "(image)") or "(nothing)" for text in captions)
    return "".join(f"Picture {place}: {text}\n\n" for place, text in enumerate(texts, 1))


def unplaced(text: str) -> str:
    """`text` with numbers for the marks of pictures inside of it, and without those on lines of their own."""
    text = "\n".join(line for line in text.split("\n") if line.strip() != IMAGE)
    parts = text.split(IMAGE)
    return parts[0] + "".join(f"(picture {place}){part}" for place, part in enumerate(parts[1:], 1))
