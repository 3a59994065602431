"""Words, sentences and braces of a cleaned reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

WORD = re.compile(r"[^\W_]+")
BULLET = re.compile(r"[-*•+·]\s|\d{1,2}[.)]\s")
CLAUSE_END = re.compile(r"[.!?;,](?=\s|$)")
CUT_OFF = re.compile(r"(?:[,;/&+|<→⇒]|->|=>|\b(?:and|then))\s*$", re.IGNORECASE)
"""More of a list was to come."""
SENTENCE_END = re.compile(r"[.!?;](?=\s|$)")

_FAR = 400  # characters to each side in which a sentence is looked for
_END = re.compile(r"\n|[.!?](?=[\s\"')\]]|$)")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of `text` stand. The full stop of a label ("B. West", "1. Look") or of "i.e." ends none."""
    start = 0
    for mark in _END.finditer(text):
        if mark.group() == ".":
            before = text[start : mark.start()].strip(" (\"'")
            if (len(before) == 1 and before.isalnum()) or before.endswith(("i.e", "e.g")):
                continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of `text`, without the spaces around them."""
    for a, b in spans(text):
        if sentence := text[a:b].strip():
            yield sentence


def sentence_around(text: str, at: int) -> tuple[str, str]:
    """The sentence of `text` in which position `at` stands, and what of it stands before `at`."""
    start = max(0, at - _FAR)
    window = text[start : at + _FAR]
    for a, b in spans(window):
        if a <= at - start < b:
            return window[a:b].strip(), window[a : at - start]
    return "", ""


def _named(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a name that it holds twice with two values has none."""
    members: dict[str, object] = {}
    for name, value in pairs:
        members[name] = value if members.get(name, value) == value else None
    return members


DECODER = json.JSONDecoder(object_pairs_hook=_named)


def load(text: str) -> object:
    """What a JSON text holds. Raises ValueError, and RecursionError where it is nested without end."""
    return DECODER.decode(text)


def braced(text: str, at: int) -> tuple[str, int]:
    """What stands before the brace that closes the one opened just before `at`, and where it closes."""
    depth = 1
    for i in range(at, min(len(text), at + 200)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at:i], i + 1
    return text[at : at + 200], min(len(text), at + 200)


def bare(text: str) -> str:
    """`text` without whatever stands around its first and last word; nothing if it asks, crosses out or bounds a number."""
    if text.rstrip().endswith("?") or _CROSSED.search(text):
        return ""
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    if text[max(0, start - 1) : start] in ("~", "≠", "¬") or (text[:1] == "!" and start == 1):
        return ""
    before = text[max(0, start - 2) : start].strip()[-1:] if text[start:end][:1].isdigit() else ""
    after = text[end : end + 1] if text[start:end][-1:].isdigit() else ""
    return "" if (before and before in f"{_BOUNDS}.") or (after and after in _BOUNDS) else text[start:end]


_CROSSED = re.compile("[✗✘❌✖❎🚫×☒]|~~")
_BOUNDS = "-+−–<>≥≤±%^"
