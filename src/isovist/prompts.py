"""Prompts: a question with image placeholders and a format instruction. A style does not depend on the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isovist.core.answers import Answer

IMAGE = "<image>"
"""Placeholder of an image in a prompt."""


@dataclass(frozen=True, slots=True)
class Style:
    """A format instruction; `{form}` is the format of the answer type."""

    name: str
    summary: str
    closing: str


STYLES: Mapping[str, Style] = {
    style.name: style
    for style in (
        Style(
            "final-line",
            "optional reasoning, then one answer line",
            'You may reason first. End your response with one line: "Answer:" followed by {form}.',
        ),
        Style("direct", "answer only", "Respond with {form} and nothing else."),
        Style(
            "step-by-step",
            "reasoning, then one answer line",
            'Reason step by step and write down your reasoning. End your response with one line: "Answer:" followed by {form}.',
        ),
    )
}
DEFAULT_STYLE = "final-line"


def prompt(text: str, answer: Answer, images: int, style: str = DEFAULT_STYLE) -> str:
    """The text of a prompt, with one placeholder for each image.

    Images come first unless the question contains placeholders. Raises ValueError for an unknown style, and for a question with another
    number of placeholders than images.
    """
    if style not in STYLES:
        raise ValueError(f"Unknown prompt style: {style}. Choose one of {', '.join(STYLES)}")
    placed = text.count(IMAGE)
    if placed not in (0, images):
        raise ValueError(f"Question with {placed} placeholders for {images} images")
    marks = [] if placed else [IMAGE] * images
    closing = STYLES[style].closing.format(form=answer.format_instruction())
    return "\n".join(part for part in (*marks, text, answer.options_text(), closing) if part)


def caption(question: str, place: int, count: int, before: Sequence[str]) -> str:
    """The prompt for a description of image number `place` of `count`, given the earlier descriptions.

    `question` is the final question with its options.
    """
    notes = f"These are your notes so far.\n\n{_notes(before)}\n" if before else ""
    return (
        f"You will answer a question about {count} images. You see the images one at a time. When you answer, you will not see any image. "
        "You will only have the notes that you write about each image now.\n\n"
        f"The question will be:\n{unplaced(question)}\n\n{notes}"
        f"This is image {place} of {count}:\n{IMAGE}\n"
        "Do not answer yet. Write notes on this image: what it shows, where each object is in it, and which objects also appear in "
        "the previous images. Include every detail that the question needs."
    )


def from_captions(prompt: str, captions: Sequence[str]) -> str:
    """A prompt with descriptions instead of images."""
    return (
        f"You have seen {len(captions)} images one at a time and written notes on each. The images are not shown again. Answer "
        f"from these notes.\n\n{_notes(captions)}\n{unplaced(prompt)}"
    )


def _notes(captions: Sequence[str]) -> str:
    """Numbered descriptions; placeholders in them are escaped."""
    texts = (text.replace(IMAGE, "(image)") or "(nothing)" for text in captions)
    return "".join(f"Image {place}: {text}\n\n" for place, text in enumerate(texts, 1))


def unplaced(text: str) -> str:
    """`text` with numbers instead of inline placeholders, and without placeholder lines."""
    text = "\n".join(line for line in text.split("\n") if line.strip() != IMAGE)
    parts = text.split(IMAGE)
    return parts[0] + "".join(f"(image {place}){part}" for place, part in enumerate(parts[1:], 1))
