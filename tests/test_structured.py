"""Structured replies: the schema of each answer type, and the score of each reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from answer_kinds import KINDS
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from isovist.core.answers import (
    Answer,
    Cell,
    CellPath,
    Choice,
    Count,
    CountTuple,
    JointAnswer,
    Number,
    WordSequence,
    WordSubset,
    YesNo,
)
from isovist.core.answers.structured import json_format, response_schema, score_structured, structured_response
from isovist.core.task import Task
from isovist.data.items import Items
from isovist.suites import registry

# Schemas ----------------------------------------------------------------------------------------------------------


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if schema.get("type") == "object":
        yield schema
    for inside in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
        yield from objects(inside)


def check(answer: Answer) -> None:
    """The schema is valid and strict, and its replies have the score of their text."""
    from inspect_ai.util import JSONSchema
    from inspect_ai.util._json import json_schema_dump

    schema = response_schema(answer)
    Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == ["reasoning", "answer"]  # servers generate the members in this order
    for each in objects(schema):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    assert json_schema_dump(JSONSchema.model_validate(schema)) == schema  # Inspect AI sends all of it
    for text in (answer.canonical(), *answer.wrong_answers()):
        reply = structured_response(answer, text, 'The {"answer": "Z"} of "this"\nline')
        Draft202012Validator(schema).validate(json.loads(reply))
        assert score_structured(answer, reply) == answer.score(text), (answer, reply)
    assert score_structured(answer, structured_response(answer, answer.canonical())).outcome == "correct"


@pytest.mark.parametrize("task", registry.tasks().values(), ids=lambda task: task.id)
def test_the_schema_of_every_task(task: Task[Any]) -> None:
    level = task.levels[-1]
    schemas: dict[tuple[str, int], str] = {}
    for item in Items(task, 2, 1, "test", level):
        check(item.answer)
        options = len(item.answer.options) if isinstance(item.answer, Choice) else 0
        form = json_format(item.answer), options
        assert schemas.setdefault(form, json.dumps(response_schema(item.answer))) == json.dumps(response_schema(item.answer))
        assert score_structured(item.answer, structured_response(item.answer, item.answer.wrong_answers()[0])).outcome == "incorrect"


@given(st.one_of(*KINDS.values()))
def test_the_schema_of_any_answer(answer: Answer) -> None:
    check(answer)


# Replies ----------------------------------------------------------------------------------------------------------

CHOICE = Choice(("North", "East", "South", "West"), 1)
COUNT, NUMBER, YES = Count(3), Number(90.0, 5.0, 0.0, 360.0, 360.0), YesNo(truth=True)
COUNTS = CountTuple((3, 4), ("red", "blue"))
SEQUENCE = WordSequence(("red", "blue"), ("red", "blue", "green"))
SUBSET, NOTHING = WordSubset(("red",), ("red", "blue")), WordSubset((), ("red", "blue"))
CELL, PATH = Cell(((2, 3),), 4, 4), CellPath(((1, 1), (1, 2)), 4, 4)
JOINT = JointAnswer((("position", CHOICE), ("circles", COUNT)))


def reply(answer: str) -> str:
    return f'{{"reasoning": "I look.", "answer": {answer}}}'


EAST, SOUTH = reply('"B"'), reply('"C"')

REPLIES: list[tuple[Answer, str, str]] = [
    (CHOICE, reply('"B"'), "correct"),
    (CHOICE, reply('"b"'), "correct"),
    (CHOICE, reply('"East"'), "correct"),
    (CHOICE, reply('"B. West"'), "unparsed"),
    (CHOICE, reply('"C"'), "incorrect"),
    (CHOICE, reply('"Z"'), "unparsed"),
    (CHOICE, reply("null"), "unparsed"),
    (CHOICE, reply('""'), "unparsed"),
    (CHOICE, reply('["B", "C"]'), "unparsed"),
    (CHOICE, reply("1"), "unparsed"),  # a position is no label
    (CHOICE, f"```json\n{EAST}\n```", "correct"),
    (CHOICE, f"```\n{EAST}```", "correct"),
    (CHOICE, f"Here it is:\n{EAST}", "unparsed"),
    (CHOICE, f"{EAST} Or C.", "unparsed"),
    (CHOICE, reply('"B"') + reply('"C"'), "unparsed"),
    (CHOICE, '{"reasoning": "", "answer": "B", "confidence": 0.3, "option": "C"}', "correct"),
    (CHOICE, '{"reasoning": "", "answer": "B", "final_answer": "C"}', "unparsed"),
    (CHOICE, '{"answer": "B", "answer": "C"}', "unparsed"),
    (CHOICE, '{"reasoning": "{\\"answer\\": \\"C\\"}", "answer": "B"}', "correct"),
    (CHOICE, '{"reasoning": {"answer": "C"}, "answer": "B"}', "correct"),
    (CHOICE, '{"reasoning": "<think>C</think> <think>", "answer": "B"}', "correct"),
    (CHOICE, f"<think>{SOUTH}</think>\n{EAST}", "correct"),
    (CHOICE, '{"Answer": "B"}', "correct"),
    (CHOICE, '{"reasoning": "The answer is B"}', "unparsed"),
    (CHOICE, "{}", "unparsed"),
    (CHOICE, "[]", "unparsed"),
    (CHOICE, '"B"', "unparsed"),
    (CHOICE, "Answer: B", "unparsed"),
    (CHOICE, "", "empty"),
    (CHOICE, " \n", "empty"),
    (CHOICE, "<think>" + reply('"B"'), "empty"),
    (CHOICE, '{"reasoning": "I look.", "answer": "B', "truncated"),
    (CHOICE, '{"reasoning": "I see } and', "truncated"),
    (CHOICE, '{"reasoning": "I look.", "answer": "B"', "truncated"),
    (CHOICE, "{'answer': 'B'}", "unparsed"),
    (CHOICE, '{"a":' * 100_000, "truncated"),
    (CHOICE, reply("[" * 900 + "]" * 900), "unparsed"),
    (YES, reply('"Yes"'), "correct"),
    (YES, reply("true"), "correct"),
    (YES, reply("false"), "incorrect"),
    (YES, reply('"none"'), "unparsed"),
    (COUNT, reply('"3"'), "correct"),
    (COUNT, reply("3.0"), "correct"),
    (COUNT, reply("3.5"), "incorrect"),
    (COUNT, reply("-3"), "incorrect"),
    (COUNT, reply("true"), "unparsed"),
    (COUNT, reply("NaN"), "unparsed"),
    (COUNT, reply("1e999"), "unparsed"),
    (COUNT, reply("9" * 5000), "unparsed"),
    (COUNT, reply("[3]"), "correct"),
    (COUNT, reply("[3, 4]"), "unparsed"),
    (NUMBER, reply("9.2e1"), "correct"),
    (NUMBER, reply("1e-5"), "incorrect"),
    (NUMBER, reply('"90 degrees"'), "correct"),
    (COUNTS, reply('{"blue": 4, "red": 3}'), "correct"),
    (COUNTS, reply('{"red": "3", "blue": 4}'), "correct"),
    (COUNTS, reply('{"red": 4, "blue": 3}'), "incorrect"),
    (COUNTS, reply('{"red": 3}'), "unparsed"),
    (COUNTS, reply('{"red": 3, "blue": null}'), "unparsed"),
    (COUNTS, reply('{"red": 3, "blue": 4, "green": 1}'), "unparsed"),
    (COUNTS, reply("[3, 4]"), "correct"),
    (COUNTS, reply("[3, 4, 5]"), "unparsed"),
    (SEQUENCE, reply('["Red", "blue"]'), "correct"),
    (SEQUENCE, reply('["red", "blue", "green"]'), "incorrect"),
    (SEQUENCE, reply('["red"]'), "incorrect"),
    (SEQUENCE, reply("[]"), "unparsed"),
    (SEQUENCE, reply('["red", "pink"]'), "unparsed"),
    (SEQUENCE, reply('["red", 3]'), "unparsed"),
    (SEQUENCE, reply('"red, blue"'), "correct"),
    (SUBSET, reply('["red"]'), "correct"),
    (SUBSET, reply("[]"), "incorrect"),
    (SUBSET, reply('[""]'), "unparsed"),
    (NOTHING, reply("[]"), "correct"),
    (NOTHING, reply('"none"'), "correct"),
    (NOTHING, reply('["none"]'), "correct"),
    (CELL, reply('{"column": 3, "row": 2}'), "correct"),
    (CELL, reply('{"row": "2", "column": "3"}'), "correct"),
    (CELL, reply("[2, 3]"), "correct"),
    (CELL, reply('{"row": 3, "column": 2}'), "incorrect"),
    (CELL, reply('{"row": 2}'), "unparsed"),
    (CELL, reply('{"row": 2, "column": true}'), "unparsed"),
    (CELL, reply('{"row": -2, "column": 3}'), "unparsed"),
    (CELL, reply('{"x": 2, "y": 3}'), "unparsed"),
    (CELL, reply('[{"row": 2, "column": 3}]'), "unparsed"),
    (PATH, reply('[{"row": 1, "column": 1}, {"row": 1, "column": 2}]'), "correct"),
    (PATH, reply("[[1, 1], [1, 2]]"), "correct"),
    (PATH, reply('[{"row": 1, "column": 1}]'), "incorrect"),
    (PATH, reply('[{"row": 1, "column": 1}, {"row": 1}]'), "unparsed"),
    (PATH, reply("[]"), "unparsed"),
    (JOINT, reply('{"position": "B", "circles": 3}'), "correct"),
    (JOINT, reply('{"circles": "3", "Position": "b"}'), "correct"),
    (JOINT, reply('{"position": "C", "circles": 3}'), "incorrect"),
    (JOINT, reply('{"position": "B"}'), "unparsed"),
    (JOINT, reply('{"position": "B", "position": "C", "circles": 3}'), "unparsed"),
    (JOINT, reply('["B", 3]'), "unparsed"),
]


@pytest.mark.parametrize(("answer", "text", "outcome"), REPLIES, ids=lambda value: value[:70] if isinstance(value, str) else value.kind)
def test_what_a_reply_comes_to(answer: Answer, text: str, outcome: str) -> None:
    assert score_structured(answer, text).outcome == outcome
