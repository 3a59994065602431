"""The prompt format of DORI: task, concept, numbered steps, options, example, and a response with a choice and its reasons (section 3.2)."""

from __future__ import annotations

from isovist.core.answers import Answer
from isovist.core.published_prompt import PublishedPrompt, listed

_OPTIONS, _EXAMPLE = "\nOptions:", "\nExample: "


def _text(question: str, answer: Answer) -> str:
    parts, _, example = question.removesuffix(_OPTIONS).rpartition(_EXAMPLE)
    return (
        f"{listed(parts + _OPTIONS, answer)}{_EXAMPLE}{example}\n"
        'Respond with two lines: "Answer:" followed by the letter of one option, then "Reasoning:" followed by your reasons.'
    )


PUBLISHED_PROMPT = PublishedPrompt(
    _text,
    "DORI, section 3.2 and Figure 2",
    "The five parts are worded by Isovist. The paper requests the choice and the reasons, and does not print the sentence that requests them.",
    lambda answer, canonical: f"Answer: {canonical}",
)
