"""The lines of a response that can hold a claim of full strength, found without parsing the others.

A claim of full strength ("Answer: B" at the start of a sentence, a box, a tag, a value alone on a line) overrides all weaker ones before
it. If a response ends with such a claim, the lines before it matter only if they hold another one, or if they are an announcement that
extends over the line of one. Substring tests exclude nearly all lines of a long response; a line in doubt is included, so that the
candidates that remain after the weaker ones are dropped are the same as if every line was parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isovist.core.answers.extraction import phrases
from isovist.core.answers.extraction.normalize import BULLET, WORD, folded
from isovist.core.answers.extraction.value_parser import V, ValueParser

_LINE_START = re.compile(r"\n(?!\n)((?:[^\w\n°]|_)*)([^\W_]*)")
_NOT_IN_LABELS = re.compile(r"[!#$%&()*+,./:;<?@\[\\\]^`{|}~]")
"""Characters that no label has between its noun and its first colon, and the colon."""
_REACH = 800  # characters below an announcement that may belong to it
_ENDING = 60  # characters at the end of a line in which its last word is searched
_SEPARATORS = frozenset(":=>→⇒-–—")


def deciding_lines(text: str, grammar: ValueParser[V]) -> list[int] | None:
    """The starts of the lines that can hold a claim of full strength, in order; None if all lines must be parsed."""
    if "\n" not in text:
        return None
    starts = {*_values(text, grammar), *_labels(folded(text)), _last_line(text)}
    if text[:1] != "\n" and grammar.opening(text) is not None:
        starts.add(0)
    return sorted(starts | _extended(text, starts, block=grammar.block))


def _last_line(text: str) -> int:
    """The start of the last line with a word."""
    at = len(text)
    while at and not text[at - 1].isalnum():
        at -= 1
    return text.rfind("\n", 0, at) + 1


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at:] if end < 0 else text[at:end]


def _values(text: str, grammar: ValueParser[V]) -> Iterator[int]:
    """The lines that are one value and nothing else."""
    for begin in _LINE_START.finditer(f"\n{text}"):
        word = begin[2]
        if word and word.isascii() and "[" not in begin[1] and not grammar.may_begin(word.lower()):
            continue
        line = _line(text, begin.start())
        if line and not line.endswith((":", "?")) and not BULLET.match(line) and (grammar.line(line) is not None or grammar.clash(line)):
            yield begin.start()


def _labels(folded: str) -> Iterator[int]:
    """The lines with a box, a tag, or a label with a colon. `folded`: the text in lower case."""
    for mark in phrases.ENCLOSING:
        at = folded.find(mark)
        while at >= 0:
            yield folded.rfind("\n", 0, at) + 1
            at = folded.find(mark, at + 1)
    runs: list[tuple[int, int]] = []
    colon = folded.find(":")
    while colon >= 0:
        start, end = folded.rfind("\n", 0, colon) + 1, folded.find("\n", colon)
        end = len(folded) if end < 0 else end
        for stop in _NOT_IN_LABELS.finditer(folded, start, end):
            if stop.group() == ":":
                runs.append((start, stop.start()))
            start = stop.end()
        colon = folded.find(":", end)
    together = "\n".join([folded[start:colon] for start, colon in runs])
    nouns = [noun for noun in phrases.LABEL_NOUNS if noun in together]
    for start, colon in runs if nouns else ():
        run = folded[start:colon]
        if any(noun in run for noun in nouns) and any(":" in label[1] for label in phrases.LABELS.finditer(folded, start, colon + 1)):
            yield folded.rfind("\n", 0, start) + 1


def _extended(text: str, starts: set[int], *, block: bool) -> set[int]:
    """The lines before `starts` whose announcement may extend over one of them, as in "I choose" above "B"."""
    extended: set[int] = set()
    todo = list(starts)
    while todo:
        for before in _reaching(text, todo.pop(), block=block):
            if before not in extended and before not in starts and _is_open(_line(text, before)):
                extended.add(before)
                todo.append(before)
    return extended


def _reaching(text: str, at: int, *, block: bool) -> Iterator[int]:
    """The lines before position `at` whose next line, or with `block` next paragraph, reaches it."""
    below = at  # the start of the next line, or of the next paragraph
    while below:
        end = below
        while end and text[end - 1] == "\n":
            end -= 1
        if not end or at - below >= _REACH:
            return
        start = text.rfind("\n", 0, end) + 1
        yield start
        if not block or below - end > 1:
            return
        below = start


def _is_open(line: str) -> bool:
    """Whether the line may end with an announcement whose value follows on the next line."""
    words = list(WORD.finditer(line, max(0, len(line) - _ENDING)))
    if not words:
        return len(line) > _ENDING
    word = words[-1].group()
    return not word.isascii() or word.lower() in phrases.OPEN_ENDS or not _SEPARATORS.isdisjoint(line[words[-1].end() :])
