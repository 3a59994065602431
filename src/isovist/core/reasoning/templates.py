"""Step templates of chains of thought: alternative phrasings and the types of their fields.

A task derives the required steps from an item. A chain of thought states them, one per line, and ends with the answer (`write_chain`).
Its verifier derives the steps again from the pictures and compares them with the lines of a text (`verifier.py`).
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
_LONGEST = 2000  # maximum number of characters of a step
_SLOTS = 7  # templates of a chain with independent phrasings; further templates share a phrasing choice

NUMBER = r"\d{1,9}"
"""The type of a field with a whole number. Types are regular expressions; this one is the default."""
WORDS = r"[\w'-]{1,40}(?: [\w'-]{1,40}){0,19}"
"""The type of a name, or of up to 20 words separated by spaces. The bounds limit the parsing time of adversarial text."""
SPOT = rf"\({NUMBER}, {NUMBER}\)"
"""The type of a pair of numbers, such as a position."""
NONE = "none"
"""The value of a field for an empty list."""


def one_of(names: Iterable[str]) -> str:
    """Return the type of a field that holds one of these names."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def list_of(item: str) -> str:
    """Return the type of a field that holds a list of items of a type, as written by `listed`."""
    return rf"{NONE}|(?:{item})(?:, (?:{item}))*"


def listed(items: Iterable[object]) -> str:
    """Return the items separated by commas, or `NONE` if there are none."""
    return ", ".join(map(str, items)) or NONE


def phrasing(scene: Any, salt: str = "") -> int:
    """Return a number, from 0, that depends on the scene only; `write_chain` uses it to choose phrasings."""
    return int.from_bytes(blake2b(f"{salt}|{canonical_json(scene)}".encode(), digest_size=4).digest())


class StepTemplate:
    """A step template: alternative phrasings (`ways`) with the same fields in braces. `types`: types of fields; default: whole number."""

    def __init__(self, *ways: str, **types: str) -> None:
        self.ways = ways
        self.fields: set[str] = set(_FIELD.findall(ways[0]))
        self.types = types
        for way in ways:
            if set(_FIELD.findall(way)) != self.fields:
                raise ValueError(f"{way!r} does not have the fields {sorted(self.fields)}")

    def __call__(self, **values: object) -> Step:
        """Return a step of this template. Raises ValueError unless there is a value for each field."""
        if values.keys() != self.fields:
            raise ValueError(f"{self.ways[0]!r} takes the fields {sorted(self.fields)}, not {sorted(values)}")
        return Step(self, {name: str(value) for name, value in values.items()})

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        """Return each phrasing as a regular expression for a complete line."""
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
        """Yield the steps that match a line; none if it does not match or is too long. The case of its first letter is ignored."""
        for pattern in self._patterns if len(line) <= _LONGEST else ():
            for start in dict.fromkeys((line[:1].lower() + line[1:], line)):
                if match := pattern.fullmatch(start):
                    yield Step(self, match.groupdict())


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a chain: a template, and the values of its fields as text."""

    template: StepTemplate
    values: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        return self.values[field]

    def number(self, field: str) -> int:
        return int(self.values[field])

    def render(self, phrasing: int) -> str:
        """Return the text of the step in the chosen phrasing, capitalized."""
        ways = self.template.ways
        sentence = ways[phrasing % len(ways)].format(**self.values)
        return sentence[:1].upper() + sentence[1:]


def write_chain(steps: Sequence[Step], key: Answer, phrasing: int, slots: Iterable[Sequence[StepTemplate]] = (), *, bits: int = 4) -> str:
    """Return the chain of these steps and the key. All steps of one template in a chain have the same phrasing.

    Each template uses `bits` bits of the number `phrasing`: the next ones at its first occurrence, or those of its position in `slots`.
    Several templates may share a position.
    """
    places = {template: place for place, templates in enumerate(slots) for template in templates}
    for step in steps:
        places.setdefault(step.template, len(places))
    lines = [step.render(phrasing >> bits * (places[step.template] % _SLOTS)) for step in steps]
    return "\n".join([*lines, answer(key)])


def answer(key: Answer) -> str:
    """Return the last line of a chain: the key in the response format, with its text if it is an option."""
    canonical_key = key.canonical()
    return f"Answer: {canonical_key}. {key.options[key.truth]}" if isinstance(key, Choice) else f"Answer: {canonical_key}"
