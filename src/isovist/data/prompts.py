"""Prompts: a question with image placeholders and a format instruction. A style does not depend on the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isovist.common import plug_ins
from isovist.common.plug_ins import PlugIn, PlugInError

if TYPE_CHECKING:
    from isovist.core.answers import Answer
    from isovist.core.published_prompt import PublishedPrompt  # the names of the styles are needed at once by the command line

IMAGE = "<image>"
"""Placeholder of an image in a prompt."""
_RULE = "=" * 20


@dataclass(frozen=True, slots=True)
class Style:
    """A format instruction; `{form}` is the format of the answer type."""

    name: str
    summary: str
    closing: str
    reply: str = "Answer: {key}"
    """The shortest response in this format; `{key}` is the answer in its canonical form."""


BUILT_IN: Mapping[str, Style] = {
    style.name: style
    for style in (
        Style(
            "final-line",
            "optional reasoning, then one answer line",
            'You may reason first. End your response with one line: "Answer:" followed by {form}.',
        ),
        Style("direct", "answer only", "Respond with {form} and nothing else.", "{key}"),
        Style(
            "step-by-step",
            "reasoning, then one answer line",
            'Reason step by step and write down your reasoning. End your response with one line: "Answer:" followed by {form}.',
        ),
        Style("published", "the prompt format of the paper", "", "{key}"),
    )
}
DEFAULT_STYLE = "final-line"
PUBLISHED = "published"
"""The style whose prompt is that of the paper of the task."""
_STRUCTURED = (
    'Respond with one JSON object and nothing else. Its first member is "reasoning": your reasoning, as text. Its second member is "answer": '
    "{form}."
)


class NoPublishedPrompt(ValueError):
    """A task without a published prompt in the style `published`."""


def style_of(plug_in: PlugIn) -> Style:
    """The style of a plug-in. Raises PlugInError if it cannot be used."""
    if plug_in.name in BUILT_IN:
        raise plug_in.error("a prompt style of Isovist has this name")
    style = plug_in.load()
    if not isinstance(style, Style) or style.name != plug_in.name:
        raise plug_in.error(f"not an isovist.data.prompts.Style with the name {plug_in.name}")
    for part, text, field in (("closing", style.closing, "form"), ("reply", style.reply, "key")):
        try:
            complete = "the answer" in text.format(**{field: "the answer"})
        except (LookupError, ValueError):
            complete = False
        if not complete:
            raise plug_in.error(f"the {part} needs {{{field}}}, and no other braces")
    return style


class _Styles(Mapping[str, Style]):
    """The built-in styles and those of plug-ins. The names are known without an import."""

    def __getitem__(self, name: str) -> Style:
        """The style. Raises KeyError for an unknown name, PlugInError for a plug-in that cannot be used."""
        if name in BUILT_IN:
            return BUILT_IN[name]
        plug_in = plug_ins.named(plug_ins.STYLES, name)
        if plug_in is None:
            raise KeyError(name)
        return style_of(plug_in)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*BUILT_IN, *(plug_in.name for plug_in in plug_ins.installed(plug_ins.STYLES)))))

    def __len__(self) -> int:
        return sum(1 for _ in self)


STYLES: Mapping[str, Style] = _Styles()


def style_of_text(text: str, answer: Answer) -> str:
    """The style whose format instruction ends a prompt; "" if there is none. Plug-ins that cannot be used are skipped."""
    for name in STYLES:
        with suppress(PlugInError):
            closing = STYLES[name].closing.format(form=answer.format_instruction())
            if closing and text.endswith(closing):
                return name
    return ""


def prompt(text: str, answer: Answer, images: int, style: str = DEFAULT_STYLE, task: str = "") -> str:
    """The text of a prompt, with one placeholder for each image.

    Images come first unless the question contains placeholders. Only the style `published` depends on the task. Raises ValueError for an
    unknown style and for a question with another number of placeholders than images, NoPublishedPrompt in the style `published`.
    """
    if style not in STYLES:
        raise ValueError(f"Unknown prompt style: {style}. Choose one of {', '.join(STYLES)}, or install the package that adds it")
    if style == PUBLISHED:
        return with_placeholders(published_prompt(task).text(text, answer), images)
    closing = STYLES[style].closing.format(form=answer.format_instruction())
    return "\n".join(part for part in (question_block(text, answer, images), closing) if part)


def published_prompt(task: str) -> PublishedPrompt:
    """The prompt format of the paper of a task. Raises NoPublishedPrompt if there is none."""
    from isovist.suites import registry

    declared = registry.published_prompt(task)
    if isinstance(declared, str):
        raise NoPublishedPrompt(f"No published prompt for {task} ({declared}). Choose another --prompt-style, or leave the task out")
    return declared


def response(answer: Answer, style: str, task: str) -> str:
    """The shortest correct response in the format of a style; the key alone for an imported item in the style `published`."""
    from isovist.suites import registry

    published = registry.published_prompt(task) if style == PUBLISHED else None
    if published is None:
        return STYLES[style].reply.format(key=answer.canonical())
    return answer.canonical() if isinstance(published, str) else published.response(answer, answer.canonical())


def structured_prompt(text: str, answer: Answer, images: int) -> str:
    """The text of a prompt for a structured reply. Raises ValueError as `prompt` does."""
    from isovist.core.answers.structured import json_format

    return "\n".join((question_block(text, answer, images), _STRUCTURED.format(form=json_format(answer))))


def question_block(text: str, answer: Answer, images: int) -> str:
    """A question with one placeholder for each image, and its options. Raises ValueError as `with_placeholders` does."""
    return "\n".join(part for part in (with_placeholders(text, images), answer.options_text()) if part)


def with_placeholders(text: str, images: int) -> str:
    """A question text with one placeholder for each image: first, unless it has them already.

    Raises ValueError for another number of placeholders than images.
    """
    placed = text.count(IMAGE)
    if placed not in (0, images):
        raise ValueError(f"Question with {placed} placeholders for {images} images")
    return "\n".join(part for part in (*([] if placed else [IMAGE] * images), text) if part)


def after_examples(prompt: str, examples: Sequence[tuple[str, Answer, int]], style: str = DEFAULT_STYLE, task: str = "") -> str:
    """A prompt after worked examples, each with its question text, key and number of images; their replies are in the format of `style`."""
    replies = (response(answer, style, task) for _, answer, _ in examples)
    blocks = (question_block(*example) for example in examples)
    listed = "".join(f"Example {place}:\n{block}\n{reply}\n\n" for place, (block, reply) in enumerate(zip(blocks, replies, strict=True), 1))
    n = len(examples)
    opening = "Here is 1 worked example" if n == 1 else f"Here are {n} worked examples"
    numbers = " Image numbers start at 1 in each example and in the question." if any(images > 1 for *_, images in examples) else ""
    return f"{opening} with the correct answer{'s' * (n > 1)}.{numbers}\n\n{listed}{_QUESTION}{prompt}"


def last_question(prompt: str) -> str:
    """The prompt without worked examples before it."""
    return prompt.rpartition(_QUESTION)[2]


_QUESTION = "Now answer this question:\n"


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


def second_reading(answer: Answer, response: str) -> str:
    """The prompt for a model that extracts the answer of a response. It contains the answer format and not the question."""
    options = answer.options_text()
    listed = f"The options of the question:\n{options}\n\n" if options else ""
    text = (
        "A model has answered a question about images. Its response follows between two lines of equals signs. State the final answer that "
        f"this response gives. Do not answer the question yourself and do not correct the response.\n\n{listed}"
        f"Format of the answer: {answer.format_instruction()}.\n\n{_RULE}\n{response}\n{_RULE}\n\n"
        'End your response with one line: "Answer:" followed by the answer in this format. If the response gives no final answer, or several '
        'different ones, end with the line "Answer: unclear".'
    )
    return text.replace(IMAGE, "(image)")


def _notes(captions: Sequence[str]) -> str:
    """Numbered descriptions; placeholders in them are escaped."""
    texts = (text.replace(IMAGE, "(image)") or "(nothing)" for text in captions)
    return "".join(f"Image {place}: {text}\n\n" for place, text in enumerate(texts, 1))


def unplaced(text: str) -> str:
    """`text` with numbers instead of inline placeholders, and without placeholder lines."""
    text = "\n".join(line for line in text.split("\n") if line.strip() != IMAGE)
    parts = text.split(IMAGE)
    return parts[0] + "".join(f"(image {place}){part}" for place, part in enumerate(parts[1:], 1))
