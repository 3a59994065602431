"""The prompt format of Percept-V: input, rules, and the output format of the domain, on the last line of the response.

Paper, section on experiments (COUNT:x); for each domain, the file `prompts/output_prompt.txt` of the authors' repository
`dair-iitd/Percept-V`. The labels and separators are those of the authors. Lists that Isovist requests in another type (rows of
same/different instead of their number) keep the label of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping

from isovist.core.answers import Answer, CountTuple, WordSequence, WordSubset, YesNo
from isovist.core.published_prompt import PublishedPrompt, listed

_LABELS: Mapping[str, str] = {
    "change-colour": "COUNT",
    "circle-boxes": "COUNT",
    "circle-location": "QUADRANT",
    "colours-present": "ANSWER",
    "comparing-size": "ANSWER",
    "counting-circles": "COUNT",
    "grid-path": "SHAPES",
    "identifying-shapes": "ANSWER",
    "inside-circles": "COUNT",
    "layered-colours": "COLOURS",
    "layered-shapes": "SHAPES",
    "match-outline": "ANSWER",
    "match-shadow": "ANSWER",
    "mirror-image": "COUNT",
    "numbered-shapes": "CIRCLES",
    "vanishing-objects": "COUNT",
    "water-image": "COUNT",
}
"""The label before the answer; other domains have none, or one for each number."""
_SPACED = frozenset(
    ("comparing-size", "identifying-shapes", "locate-circles-colour", "locate-circles-shape", "match-outline", "match-shadow", "sort-circles", "sort-lines")
)  # fmt: skip
"""The domains whose lists have spaces between the entries; the others have commas."""
_DIFFERENCES: Mapping[str, str] = {
    "circle-location": "The paper also requests the number of circles, and quadrants by number.",
    "colours-present": "The paper requests yes or no for each of 20 colours.",
    "count-coloured-circles": "The authors' file requests the number of red circles only.",
    "inside-circles": "The authors' file requests yes or no.",
    "locate-circles-colour": "The paper names cells as (row,column).",
    "locate-circles-shape": "The paper names cells as (row,column).",
    "match-outline": "The paper requests the number of matching rows.",
    "match-shadow": "The paper requests the number of matching rows.",
    "maze-solving": "The paper names cells by the numbers printed in them.",
    "cross-and-knots": "The paper asks for a safe cell, counted from 0.",
}


def published_prompt(name: str) -> PublishedPrompt:
    """The format of a domain."""

    def text(question: str, answer: Answer) -> str:
        shown, _, rules = question.partition("\n")
        return f"{shown}\nRules:\n{listed(rules, answer)}\nOutput:\nEnd your response with one line{_form(name, answer)}."

    return PublishedPrompt(
        text,
        "Percept-V, section on experiments; authors' repository, output_prompt.txt",
        " ".join(filter(None, ("Input and rules are worded by Isovist, and lists state their vocabulary.", _DIFFERENCES.get(name, "")))),
        lambda answer, canonical: _response(name, answer, canonical),
    )


def _form(name: str, answer: Answer) -> str:
    """The end of the sentence that requests the last line of the response."""
    label = f"{_LABELS[name]}:" if name in _LABELS else ""
    match answer:
        case YesNo():
            return ": YES or NO"
        case CountTuple(labels=names):
            *others, last = "xyzw"[: len(names)]
            return f" in the form {_pairs(names, 'xyzw')}, where {', '.join(others)} and {last} are whole numbers in digits"
        case WordSequence() | WordSubset():
            content = answer.format_instruction()
            content = content.replace("comma-separated", "space-separated") if name in _SPACED else content
            return f': "{label}" followed by {content}' if label else f" that has only {content}"
        case _:
            content = answer.format_instruction()
            return f" in the form {label}x, where x is {content}" if label else f" that has only {content}"


def _response(name: str, answer: Answer, canonical: str) -> str:
    label = f"{_LABELS[name]}:" if name in _LABELS else ""
    match answer:
        case YesNo():
            return canonical.upper()
        case CountTuple(labels=names):
            return _pairs(names, canonical.split(", "))
        case WordSequence() | WordSubset():
            separator = " " if name in _SPACED else ", "
            return f"{label} {canonical.replace(', ', separator)}".strip()
        case _:
            return f"{label}{canonical}"


def _pairs(names: tuple[str, ...], values: str | list[str]) -> str:
    """Such as "NODES:x EDGES:y"."""
    return " ".join(f"{name.upper()}:{value}" for name, value in zip(names, values, strict=False))
