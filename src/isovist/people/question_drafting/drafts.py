"""A model's reply as drafts of questions, and what is wrong with those that cannot be used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from isovist.core.answers import Choice
from isovist.evaluation.models.json_drafting import Malformed, elements
from isovist.people.question_drafting.prompt import Kind
from isovist.suites.cospace.action_sequences import AHEAD, BACK, LEFT, RIGHT, parsed
from isovist.suites.cospace.directions import SIDES
from isovist.suites.cospace.road_directions import AXES
from isovist.world.scenes.compass import COMPASS_DIRECTIONS

_LONGEST = 300  # characters of a question
_MOST = 50  # of a count
_ACTIONS = {AHEAD, LEFT, RIGHT, BACK}
_AXIS_WORDS = re.compile(r"\b(?:from|to|and)\b|[-–]")


@dataclass(frozen=True, slots=True)
class Draft:
    """One question. `part` is what it asks for: direction, counting, position or actions. `answer` is the model's own, which nobody is
    shown: models often have it wrong. Without choices it asks for a number. `pair` is shared by two questions about one object.
    """

    part: str
    question: str
    choices: tuple[str, ...]
    answer: str
    pair: int


def drafts(reply: str, kind: Kind) -> tuple[list[Draft], list[str]]:
    """The drafts in a reply, and what is wrong with the others."""
    groups, faults = elements(reply, lambda data, number: _element(data, kind, number))
    return [draft for several in groups for draft in several], faults


def _element(data: Mapping[str, Any], kind: Kind, number: int) -> list[Draft]:
    if kind == "counting":
        answer = data.get("answer")
        if not isinstance(answer, int) or isinstance(answer, bool) or not 0 <= answer <= _MOST:
            raise Malformed(f"the answer is no whole number up to {_MOST}")
        return [Draft("counting", _question(data), (), str(answer), number)]
    if kind == "direction":
        return [_choice(data, "direction", number)]
    thing = data.get("object")
    if not isinstance(thing, str) or not thing.strip():
        raise Malformed("no object is named")
    pair: list[Draft] = []
    for part in ("position", "actions"):
        subquestion = data.get(part)
        if not isinstance(subquestion, dict):
            raise Malformed(f"no {part}")
        draft = _choice(cast("dict[str, Any]", subquestion), part, number)
        if part == "position" and thing.strip().casefold() not in draft.question.casefold():
            raise Malformed(f"the question of {part} does not name the object")
        pair.append(draft)
    return pair


def _question(data: Mapping[str, Any]) -> str:
    question = data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise Malformed("no question")
    if len(question) > _LONGEST or "<image>" in question or not question.replace("\n", " ").isprintable():
        raise Malformed("the question is too long, or holds what is no text")
    return " ".join(question.split())


def _choice(data: Mapping[str, Any], part: str, number: int) -> Draft:
    question, listed, answer = _question(data), data.get("choices"), data.get("answer")
    if (
        not isinstance(listed, list)
        or not all(isinstance(choice, str) for choice in cast("list[object]", listed))
        or not isinstance(answer, str)
    ):
        raise Malformed("choices and answer are no texts")
    choices = [" ".join(choice.split()) for choice in cast("list[str]", listed)]
    if len(choices) != 4:
        raise Malformed(f"{len(choices)} choices, not four")
    choices = _named(choices, part)
    answer = _named([" ".join(answer.split())], part)[0]
    places = [i for i, choice in enumerate(choices) if choice.casefold() == answer.casefold()]
    if len(places) != 1:
        raise Malformed("the answer is not one of the choices")
    try:
        Choice(tuple(choices), places[0])
    except ValueError as error:
        raise Malformed(str(error)) from None
    return Draft(part, question, tuple(choices), choices[places[0]], number)


def _named(choices: Sequence[str], part: str) -> list[str]:
    """The choices as we write them; where a part has words of its own, those alone."""
    if part == "direction":  # directions, axes, or things
        directions = {name.casefold(): name for name in COMPASS_DIRECTIONS}
        axes: dict[frozenset[str], str] = {frozenset(axis.casefold().split()[1::2]): axis for axis in AXES}
        ends = [frozenset(_AXIS_WORDS.sub(" ", choice.casefold()).split()) for choice in choices]
        return [directions.get(choice.casefold()) or axes.get(both, choice) for choice, both in zip(choices, ends, strict=True)]
    if part == "position":
        sides = {re.sub(r"[^a-z]", "", name.casefold()): name for name in SIDES}
        matched = [sides.get(re.sub(r"[^a-z]", "", choice.casefold())) for choice in choices]
        if None in matched:
            raise Malformed("a position is not one of the eight sides")
        return [side for side in matched if side is not None]
    routes = [
        parsed(re.sub(r"\s*,?\s*\b(?:and then|then|and)\b\s*|\s*,\s*", ", then ", choice.strip().rstrip(".").casefold()))
        for choice in choices
    ]
    if not all(action in _ACTIONS for route in routes for action in route):
        raise Malformed("an action is not one of go ahead, turn left, turn right, turn back")
    return [", then ".join(route).capitalize() for route in routes]
