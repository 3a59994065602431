"""The answer types: a closed set of types with format instruction, parser, score, chance level and wrong answers.

Every type has these methods:

- `format_instruction()`: the response format, for the prompt
- `options_text()`: the options as presented, or ""
- `canonical()`: the key as an answer
- `score(response)`: the score of a response
- `format_response(text)`: whether a text is one value and nothing else
- `chance()`: the probability that `random_answer(rng)` is correct
- `random_answer(rng)`: a random answer
- `wrong_answers()`: some incorrect answers
- `balance_bin()`: the value that is balanced over items

`best_constant` has the credit of the best constant answer of some items.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from sys import intern
from typing import Any, cast

from isovist.core.answers.choice import Choice, ImageOptionChoice
from isovist.core.answers.count_tuple import CountTuple
from isovist.core.answers.grids import Cell, CellPath, CellSet, GridCell, ZeroBasedCell
from isovist.core.answers.joint import JointAnswer, Part
from isovist.core.answers.letters import LETTERS
from isovist.core.answers.numeric import Count, Number
from isovist.core.answers.score import OUTCOMES, Outcome, Score
from isovist.core.answers.word_lists import SingleWord, WordSequence, WordSubset
from isovist.core.answers.yesno import YesNo
from isovist.core.canonical_json import Json, plain

Answer = Part | JointAnswer

KINDS: dict[str, type[Answer]] = {
    cls.kind: cls
    for cls in (
        *(Choice, ImageOptionChoice, YesNo, Count, Number, CountTuple, WordSequence, SingleWord, WordSubset),
        *(Cell, ZeroBasedCell, CellPath, CellSet, JointAnswer),
    )
}


def to_json(answer: Answer) -> dict[str, Json]:
    """Convert an answer to a JSON object with its `kind`."""
    if isinstance(answer, JointAnswer):
        parts: Json = [[name, cast("Json", to_json(part))] for name, part in answer.parts]
        return {"kind": answer.kind, "parts": parts, "scoring_rule": answer.scoring_rule}
    return {"kind": answer.kind, **cast("dict[str, Json]", plain(answer))}


def from_json(data: Mapping[str, Any]) -> Answer:
    """Convert an object written by `to_json` to an answer. Raises ValueError for any other object."""
    cls = KINDS.get(str(data.get("kind")))
    if cls is None:
        raise ValueError(f"unknown kind of answer {data.get('kind')!r}; known are {', '.join(KINDS)}")
    names = {field.name for field in fields(cls)}
    values = {name: _lists_to_tuples(value) for name, value in data.items() if name != "kind"}
    if not set(values) <= names:
        raise ValueError(f"a {cls.kind} has no {sorted(set(values) - names)}")
    try:
        if cls is JointAnswer:
            values["parts"] = tuple((str(name), from_json(part)) for name, part in data["parts"])
        return cls(**values)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a {cls.kind}: {error}") from error


def key_json(answer: Answer) -> str:
    """A typed key as JSON text, the form in which exports store it and rewards parse it."""
    return json.dumps(to_json(answer), ensure_ascii=False)


def read_key(text: str) -> Answer:
    """Parse the text written by `key_json`. Raises ValueError for any other text."""
    try:
        data: object = json.loads(text)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error
    if not isinstance(data, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - callers handle ValueError only
    return from_json(cast("dict[str, Any]", data))


def _lists_to_tuples(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    values = tuple(map(_lists_to_tuples, cast("list[Any]", value)))
    return _same_texts(values) if values and all(isinstance(each, str) for each in values) else values


@lru_cache(maxsize=4096)  # one object for equal options and vocabularies: a report holds the keys of all items
def _same_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(intern, texts))


__all__ = [
    "KINDS",
    "LETTERS",
    "OUTCOMES",
    "Answer",
    "Cell",
    "CellPath",
    "CellSet",
    "Choice",
    "Count",
    "CountTuple",
    "GridCell",
    "ImageOptionChoice",
    "JointAnswer",
    "Number",
    "Outcome",
    "Part",
    "Score",
    "SingleWord",
    "WordSequence",
    "WordSubset",
    "YesNo",
    "ZeroBasedCell",
    "from_json",
    "key_json",
    "read_key",
    "to_json",
]
