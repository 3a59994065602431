"""The paper's scorer: the answer line must have exactly the requested format, otherwise the reply is wrong.

Percept-V, sections on prompts and evaluation: a regular expression extracts the part of a reply that matches the output format. A reply
that does not match is wrong. Pairs, lists and sets give no partial credit. Order matters in lists and not in sets. As in the authors'
release, the answer is the last line that is not empty.
"""

from __future__ import annotations

import re

from isovist.core.answers import (
    Answer,
    Cell,
    CellPath,
    CellSet,
    Choice,
    Count,
    CountTuple,
    JointAnswer,
    Number,
    WordSequence,
    WordSubset,
    YesNo,
)

_LABEL = re.compile(r"(?:answer|count|shapes|colours|circles|quadrant)\s*:\s*", re.IGNORECASE)
_NUMBERS = re.compile(r"-?\d+(?:\s*,\s*-?\d+)*")
_CELL = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_CELLS = re.compile(rf"{_CELL.pattern}(?:\s*,?\s*{_CELL.pattern})*")
_WORDS = re.compile(r"[\w ]+(?:,[\w ]+)*")


def published(reply: str, answer: Answer) -> float:
    """1 for the key in the requested format on the last line, else 0. "Answer:" or the label of the domain, such as "COUNT:", may precede
    it, and the name of each number of a pair: "NODES:3 EDGES:2".
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    label = _LABEL.match(last)
    return float(_right(last, answer) or (label is not None and _right(last[label.end() :].strip(), answer)))


def _right(reply: str, answer: Answer) -> bool:
    match answer:
        case Count(truth=truth):
            return _integers(reply) == [truth]
        case CountTuple(truth=truth, labels=labels):
            named = r"\s*,?\s*".join(rf"{re.escape(label)}\s*:\s*(\d+)" for label in labels)
            match = re.fullmatch(named, reply, re.IGNORECASE)
            return (list(map(int, match.groups())) if match else _integers(reply)) == list(truth)
        case Cell(truth=truth):
            cells = _cells(reply)
            return len(cells) == 1 and cells[0] in truth
        case CellSet(truth=truth):
            return set(_cells(reply)) == set(truth)
        case CellPath(truth=truth):
            return _cells(reply) == list(truth)
        case WordSequence(truth=truth):
            return _words(reply) == [word.lower() for word in truth] or _spaced(reply) == [word.lower() for word in truth]
        case WordSubset(truth=truth):
            key = {word.lower() for word in truth} or {"none"}
            return set(_words(reply)) == key or set(_spaced(reply)) == key
        case Choice() | YesNo() | Number() | JointAnswer():
            return reply.lower() == answer.canonical().lower()


def _integers(reply: str) -> list[int]:
    return [int(number) for number in reply.split(",")] if _NUMBERS.fullmatch(reply) else []


def _cells(reply: str) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in _CELL.findall(reply)] if _CELLS.fullmatch(reply) else []


def _spaced(reply: str) -> list[str]:
    """The words of a list with spaces between its entries."""
    return reply.lower().split() if "," not in reply else []


def _words(reply: str) -> list[str]:
    return [word.strip().lower() for word in reply.split(",")] if _WORDS.fullmatch(reply) else []
