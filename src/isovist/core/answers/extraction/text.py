"""Words, sentences and braces of a normalized response."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

WORD = re.compile(r"[^\W_]+")
BULLET = re.compile(r"[-*•+·]\s|\d{1,2}[.)]\s")
CLAUSE_END = re.compile(r"[.!?;,](?=\s|$)")
_CUT_OFF = re.compile(r"(?:[,;/&+|<→⇒]|->|=>|\b(?:and|then))$", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?;](?=\s|$)")

_END_OF_TEXT = 2_000
_WINDOW = 400  # characters on each side of a position in which its sentence is searched
_NUMERO = re.compile(r"\W?(?:no|nr)\.\s?\d", re.IGNORECASE)
_END = re.compile(r"\n|[.!?](?=[\s\"')\]]|$)")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence in `text`. The full stop of a label ("B. West", "1. Look") or of "i.e." ends no sentence."""
    start = 0
    for mark in _END.finditer(text):
        if mark.group() == ".":
            before = text[start : mark.start()].strip(" (\"'")
            if (
                (len(before) == 1 and before.isalnum())
                or before.endswith(("i.e", "e.g"))
                or _NUMERO.match(text, max(start, mark.start() - 3))
            ):
                continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of `text`, without leading and trailing spaces."""
    for a, b in spans(text):
        if sentence := text[a:b].strip():
            yield sentence


def last_sentences(text: str) -> list[str]:
    """The sentences in the last 2,000 characters of `text`."""
    return list(sentences(text[-_END_OF_TEXT:]))


def last_sentence(text: str) -> str:
    """The last of the sentences of `text`; "" if there is none."""
    *_, last = ["", *sentences(text.rstrip().rpartition("\n")[2])]
    return last


def sentence_around(text: str, at: int) -> tuple[str, str]:
    """The sentence of `text` at position `at`, and its part before `at`."""
    start = max(0, at - _WINDOW)
    window = text[start : at + _WINDOW]
    for a, b in spans(window):
        if a <= at - start < b:
            return window[a:b].strip(), window[a : at - start]
    return "", ""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a name that occurs with two different values gets None."""
    members: dict[str, object] = {}
    for name, value in pairs:
        members[name] = value if members.get(name, value) == value else None
    return members


DECODER = json.JSONDecoder(object_pairs_hook=_members, strict=False)  # line breaks in strings


def load(text: str) -> object:
    """Parse a JSON text. Raises ValueError, or RecursionError if it is nested too deeply."""
    return DECODER.decode(text)


def braced(text: str, at: int) -> tuple[str, int]:
    """The text up to the brace that closes the one opened just before `at`, and the position after that brace."""
    depth = 1
    for i in range(at, min(len(text), at + 200)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at:i], i + 1
    return text[at : at + 200], min(len(text), at + 200)


def is_cut_off(text: str) -> bool:
    """Whether the text ends within a list."""
    return _CUT_OFF.search(text.rstrip()[-len("then ") :]) is not None


def bare(text: str) -> str:
    """`text` without punctuation before its first and after its last word; "" if it is a question, crossed out or a numeric bound."""
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


def without_last_label(text: str, label: re.Pattern[str]) -> str:
    """`text` without a label at the start of its last line, and of the lines directly above that have it too."""
    if not label.match(text, text.rfind("\n") + 1):
        return text
    lines = text.split("\n")
    for place in reversed(range(len(lines))):
        match = label.match(lines[place])
        if lines[place].strip() and match is None:
            break
        lines[place] = lines[place][match.end() if match else 0 :]
    return "\n".join(lines)
