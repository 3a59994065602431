"""Shorter forms of option texts: "left half" for "in the left half", "60" for "60 degrees", "left" for "to its own left"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_FRAME = re.compile(r"\s+(?:of|in)\s+(?:it|the (?:picture|image|photo))$|(?<=behind)\s+it$", re.IGNORECASE)
_CAMERA = re.compile(r"(?:\s+from)?\s+the camera$", re.IGNORECASE)  # "away"
_DANGLING = re.compile(r"\s+of$", re.IGNORECASE)
_PLACE = re.compile(r"^(?:in|at|to|on|towards?)\s+(?=\w)", re.IGNORECASE)
_OWNER = re.compile(r"^(?:the|an?|its|your) +(?=\w)", re.IGNORECASE)
_OWN = re.compile(r"^own\s+(?=\w)", re.IGNORECASE)
_PART = re.compile(r"(?<=\w)\s+(?:half|side|quarter|quadrant|direction)$", re.IGNORECASE)
_SUBJECT = re.compile(r"^it\s+(?:was|is)\s+(?=\w+\s+\w|turned)", re.IGNORECASE)
_DEGREES = re.compile(r"^(\d+(?:\.\d+)?)\s+degrees(?:\s+(?:counter)?clockwise)?$", re.IGNORECASE)
FRAMED = re.compile(
    r"^(?:in|at|to|on|towards?|the|an?|its|your|own|it)\s|\)$|\s(?:it|of|picture|image|photo|half|side|quarter|quadrant|direction)$",
    re.IGNORECASE,
)
"""A necessary condition: text that some rule can shorten."""
_WORD = re.compile(r"[^\W_]+")
_NOT_ALONE = frozenset({"", "a", "an", "the", "it", "in", "at", "to", "on", "of"})


def shorter(text: str) -> Iterator[str]:
    """`text` and its successively shorter forms, without prepositions, articles and nouns such as "half" or "side"."""
    yield text
    for cut in (_REMARK, _SUBJECT, _FRAME, _DANGLING, _PLACE, _OWNER, _OWN, _PART):
        short = cut.sub("", text)
        if short != text and short.casefold() not in _NOT_ALONE:
            text = short
            yield text


def short_forms(options: Sequence[str]) -> dict[str, int]:
    """All shorter forms that only one option has, with the index of the option. Full texts are excluded."""
    owners_by_form: dict[str, set[int]] = {}
    for i, option in enumerate(options):
        forms = {*shorter(option), _CAMERA.sub("", option)}
        if degrees := _DEGREES.match(option):
            forms |= {degrees[1], f"{degrees[1]} degrees"}
        for form in forms:
            owners_by_form.setdefault(form.casefold(), set()).add(i)
    words = [f" {' '.join(_WORD.findall(option.casefold()))} " for option in options]
    return {
        form: owner for form, owners in owners_by_form.items() if len(owners) == 1 and not _is_excluded(form, owner := min(owners), words)
    }


def _is_excluded(form: str, owner: int, options: Sequence[str]) -> bool:
    """Whether `form` equals the text of its option or is contained in that of another."""
    run = f" {' '.join(_WORD.findall(form))} "
    return run == options[owner] or any(run in option for i, option in enumerate(options) if i != owner)
