"""Structured replies: a JSON schema for the response to each answer type, and the score of a response in this form.

A structured reply is `{"reasoning": "...", "answer": ...}`. The value of `answer` is converted to text, which the strict parser of the
answer type scores, as for free text. A schema contains what the format instruction states and no more: number ranges and list lengths
depend on the item and would give information about the key.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from isovist.core.answers.choice import Choice
from isovist.core.answers.count_tuple import CountTuple
from isovist.core.answers.extraction.normalize import SPECIAL, load, strip_thinking
from isovist.core.answers.extraction.phrases import answer_cue_pattern
from isovist.core.answers.extraction.vocabulary import key
from isovist.core.answers.grids import Cell, CellPath, CellSet
from isovist.core.answers.joint import JointAnswer
from isovist.core.answers.letters import LETTERS
from isovist.core.answers.numbers import written
from isovist.core.answers.numeric import Count, Number
from isovist.core.answers.score import Score
from isovist.core.answers.word_lists import SingleWord, WordSequence, WordSubset
from isovist.core.answers.yesno import YesNo

if TYPE_CHECKING:
    from isovist.core.answers import Answer

REASONING, ANSWER = "reasoning", "answer"

_FENCE = re.compile(r"\A```[\w+-]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)
_CELL_TEXT = re.compile(r"\((\d+), (\d+)\)")
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]', re.DOTALL)


def response_schema(answer: Answer) -> dict[str, Any]:
    """The JSON schema of a structured reply. All members are required and no others allowed, as strict modes of servers demand."""
    return _object({REASONING: {"type": "string"}, ANSWER: _schema(answer)})


def _schema(answer: Answer) -> dict[str, Any]:
    match answer:
        case Choice():
            return {"type": "string", "enum": list(LETTERS[: len(answer.options)])}
        case YesNo():
            return {"type": "string", "enum": ["yes", "no"]}
        case Count():
            return {"type": "integer"}
        case Number():
            return {"type": "number"}
        case CountTuple():
            return _object({label: {"type": "integer"} for label in answer.labels})
        case SingleWord():
            return {"type": "string", "enum": list(answer.vocabulary)}
        case WordSequence() | WordSubset():
            return {"type": "array", "items": {"type": "string", "enum": list(answer.vocabulary)}}
        case Cell():
            return _cell()
        case CellPath():
            return {"type": "array", "items": _cell()}
        case JointAnswer():
            return _object({name: _schema(part) for name, part in answer.parts})


def _object(properties: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _cell() -> dict[str, Any]:
    return _object({"row": {"type": "integer"}, "column": {"type": "integer"}})


def json_format(answer: Answer) -> str:
    """The format of the answer in a structured reply, for the prompt."""
    match answer:
        case YesNo():
            return '"yes" or "no"'
        case Count():
            return "one whole number"
        case CountTuple():
            return f"an object with one whole number for each of {', '.join(map(json.dumps, answer.labels))}"
        case SingleWord():
            return answer.format_instruction()
        case WordSequence():
            return f"an array, in order, of entries from: {', '.join(answer.vocabulary)}"
        case WordSubset():
            return f"an array, in any order, of entries from: {', '.join(answer.vocabulary)} (it may be empty)"
        case Cell():
            return f'an object with the "row" and the "column" of one cell, counted from {answer.first} at the top left'
        case CellSet():
            return 'an array of the cells in any order, each an object with its "row" and "column", counted from 1 at the top left'
        case CellPath():
            return 'an array of the cells in order, each an object with its "row" and "column", counted from 1 at the top left'
        case JointAnswer():
            return "an object with " + "; ".join(f'"{name}": {json_format(part)}' for name, part in answer.parts)
        case Choice() | Number():
            return answer.format_instruction()


def structured_response(answer: Answer, text: str, reasoning: str = "") -> str:
    """The structured reply with an answer in canonical form; any other text becomes a string."""
    try:
        value = _value(answer, text)
    except (ValueError, KeyError, TypeError, RecursionError):
        value = text
    return json.dumps({REASONING: reasoning, ANSWER: value}, ensure_ascii=False)


def _value(answer: Answer, text: str) -> Any:
    match answer:
        case Choice() | YesNo() | SingleWord():
            return text
        case Count():
            return int(text)
        case Number():
            return float(text)
        case CountTuple():
            return dict(zip(answer.labels, map(int, text.split(",")), strict=True))
        case WordSequence() | WordSubset():
            return [] if text == "none" else text.split(", ")
        case Cell() | CellPath():
            cells = [{"row": int(row), "column": int(column)} for row, column in _CELL_TEXT.findall(text)]
            if not cells:
                raise ValueError(text)
            return cells if isinstance(answer, CellPath) else cells[0]
        case JointAnswer():
            named: Any = load(text)
            return {name: _value(part, named[name]) for name, part in answer.parts}


def score_structured(answer: Answer, reply: str) -> Score:
    """The score of a structured reply.

    The reply is one JSON object, in a code fence or not; members besides `answer` do not count. An object that is cut off is "truncated";
    any other text is "unparsed".
    """
    data = _decoded(SPECIAL.sub("", reply))
    if data is None:  # thinking is removed only here: the reasoning of an object may contain its tags
        text = _unfenced(SPECIAL.sub("", strip_thinking(reply)))
        data = _decoded(text)
        if data is None:
            return Score("empty" if not text else "truncated" if _is_cut_off(text) else "unparsed")
    score = answer.score(value_text(answer, _answer_member(data)))
    return Score("unparsed") if score.outcome == "empty" else score


def _unfenced(text: str) -> str:
    fenced = _FENCE.match(text.strip())
    return (fenced[1] if fenced else text).strip()


def _decoded(text: str) -> dict[str, object] | None:
    """The JSON object that is the whole text; None for any other text."""
    try:
        data = load(text.strip())
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", data) if isinstance(data, dict) else None


def _answer_member(data: dict[str, object]) -> object:
    """The value of the member `answer`; "" without one, and if another member with a name such as "final answer" has another value."""
    answers = [value for name, value in data.items() if key(name) == ANSWER]
    others = [value for name, value in data.items() if key(name) != ANSWER and "answer" in key(name) and answer_cue_pattern(name, "")]
    return answers[0] if answers and all(value == answers[0] for value in (*answers, *others)) else ""


def value_text(answer: Answer, value: object) -> str:
    """The text of a JSON value, for the parser of the answer type; values of other JSON types are kept as JSON."""
    match answer, value:
        case _, str():
            return value
        case JointAnswer(), dict():
            members = {key(name): member for name, member in cast("dict[str, object]", value).items()}
            named = {name: value_text(part, members[key(name)]) for name, part in answer.parts if key(name) in members}
            return json.dumps(named, ensure_ascii=False)
        case ((WordSequence() | WordSubset()), list()):
            entries = cast("list[object]", value)
            if not entries and isinstance(answer, WordSubset):
                return "none"
            return ", ".join(entry if isinstance(entry, str) else _dumped(entry) for entry in entries)
        case Cell(), (dict() | list()):
            return _cell_text(cast("object", value))
        case CellPath(), list():
            cells = [_cell_text(cell) for cell in cast("list[object]", value)]
            return ", ".join(cells) if all(cells) else ""
        case ((Count() | Number()), float()) if isfinite(value):
            return written(value)
        case _:
            return _dumped(value)


def _cell_text(value: object) -> str:
    """A cell as "(row, column)"; "" for any other value."""
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        value = [members.get("row"), members.get("column")]
    if not isinstance(value, list) or len(cast("list[object]", value)) != 2:
        return ""
    numbers = [str(number) for number in cast("list[object]", value) if type(number) in (int, str) and str(number).strip().isdecimal()]
    return f"({', '.join(numbers)})" if len(numbers) == 2 else ""


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # the decoder accepts deeper nesting than the encoder
        return ""


def _is_cut_off(text: str) -> bool:
    """Whether the text starts an object that it does not close."""
    depth = 0
    for mark in _STRING_OR_BRACE.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(mark.group(), 0)
        if depth == 0:
            return False
    return text.startswith("{")
