"""Kinds of steps of a chain of thought, each declared once: the ways to say it, and the types of its fields.

A task derives the steps that are due from what it knows of an item. A chain of thought says them, one a line, and ends with the answer
(`write_chain`). Its verifier derives the steps again from what is drawn and compares them with the lines of a text (`verifier.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from isovist.core.answers import Answer, Choice
from isovist.core.canonical_json import canonical_json

_FIELD = re.compile(r"\{(\w+)\}")
_LONGEST = 2000  # characters of a step
_SLOTS = 7  # templates of a chain whose ways are chosen apart from each other; more of them share a choice

NUMBER = r"\d{1,9}"
"""The type of a field that holds a whole number. Types are patterns, and this one is the type of all fields without another."""
WORDS = r"[\w'-]{1,40}(?: [\w'-]{1,40}){0,19}"
"""The type of a name, or of up to 20 words with spaces between them: bounds keep the time short in which hostile text is read."""
SPOT = rf"\({NUMBER}, {NUMBER}\)"
"""The type of a pair of numbers, such as a place."""
NONE = "none"
"""What a field says instead of an empty list."""


def one_of(names: Iterable[str]) -> str:
    """The type of a field that holds one of these names."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def list_of(item: str) -> str:
    """The type of a field that holds a list of items of a type, as `listed` writes it."""
    return rf"{NONE}|(?:{item})(?:, (?:{item}))*"


def listed(items: Iterable[object]) -> str:
    """Items with commas between them, or a word that says that there are none."""
    return ", ".join(map(str, items)) or NONE


def phrasing(scene: Any, salt: str = "") -> int:
    """A number that is the same for the same scene, from 0; `write_chain` takes it to choose its words."""
    return int.from_bytes(blake2b(f"{salt}|{canonical_json(scene)}".encode(), digest_size=4).digest())


class StepTemplate:
    """A kind of step: the `ways` to say it, with the same fields in braces. `types` names types of fields; the others are whole numbers."""

    def __init__(self, *ways: str, **types: str) -> None:
        self.ways = ways
        self.fields: set[str] = set(_FIELD.findall(ways[0]))
        self.types = types
        for way in ways:
            if set(_FIELD.findall(way)) != self.fields:
                raise ValueError(f"{way!r} does not have the fields {sorted(self.fields)}")

    def __call__(self, **values: object) -> Step:
        """A step of this kind. Raises ValueError unless there is a value for each field."""
        if values.keys() != self.fields:
            raise ValueError(f"{self.ways[0]!r} takes the fields {sorted(self.fields)}, not {sorted(values)}")
        return Step(self, {name: str(value) for name, value in values.items()})

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        """Each way as a pattern of a whole line."""
        return tuple(re.compile(self._pattern(way)) for way in self.ways)

    def _pattern(self, way: str) -> str:
        known: set[str] = set()
        pattern = ""
        for place, part in enumerate(_FIELD.split(way)):  # text, field, text, field ... text
            if place % 2 == 0:
                pattern += re.escape(part)
            else:
                pattern += f"(?P={part})" if part in known else f"(?P<{part}>{self.types.get(part, NUMBER)})"
                known.add(part)
        return pattern

    def parse(self, line: str) -> Iterator[Step]:
        """The steps that a line can be read as; none if it is no step of this kind, or too long. Its first letter may be of either case."""
        for pattern in self._patterns if len(line) <= _LONGEST else ():
            for start in dict.fromkeys((line[:1].lower() + line[1:], line)):
                if match := pattern.fullmatch(start):
                    yield Step(self, match.groupdict())


@dataclass(frozen=True, slots=True)
class Step:
    """What one line of a chain says: a template, and the values of its fields as they are written."""

    template: StepTemplate
    values: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        return self.values[field]

    def number(self, field: str) -> int:
        return int(self.values[field])

    def render(self, phrasing: int) -> str:
        """The step in the way that a phrasing chooses, with a capital first."""
        ways = self.template.ways
        sentence = ways[phrasing % len(ways)].format(**self.values)
        return sentence[:1].upper() + sentence[1:]


def write_chain(steps: Sequence[Step], key: Answer, phrasing: int, slots: Iterable[Sequence[StepTemplate]] = (), *, bits: int = 4) -> str:
    """The chain of these steps and the key. Steps of one template are said in the same way wherever they occur in a chain.

    Each template takes its way from `bits` bits of the phrasing of its own: those that are next when it first occurs, or those of its
    place in `slots`, where several templates may share a place.
    """
    places = {template: place for place, templates in enumerate(slots) for template in templates}
    for step in steps:
        places.setdefault(step.template, len(places))
    lines = [step.render(phrasing >> bits * (places[step.template] % _SLOTS)) for step in steps]
    return "\n".join([*lines, answer(key)])


def answer(key: Answer) -> str:
    """The line that ends a chain: the key as a reply gives it, with its text where it is an option."""
    canonical_key = key.canonical()
    return f"Answer: {canonical_key}. {key.options[key.truth]}" if isinstance(key, Choice) else f"Answer: {canonical_key}"
