"""Chains of thought made of statements, each said in one of several ways and read back from its words alone.

A task writes its chain with `Statement.say`, one statement a line, and ends with `answer`. Its verifier takes the chain apart with
`told`, which takes nothing but whole statements, and tests what each says against the scene by a way of its own: a maze is walked,
a sheet is folded again, things are counted from what is drawn. What `told` cannot read, the verifier has to refuse: a line that says
nothing is no step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from isovist.core.answers import Answer, Choice
from isovist.core.canonical_json import canonical_json

_MARK = re.compile(r"\{(\w+)\}")
NUMBER = r"\d+"
"""The pattern of a whole number in a statement."""


def one_of(names: Iterable[str]) -> str:
    """The pattern of one of these names, the longest that fits."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def phrasing(scene: Any, salt: str = "") -> int:
    """A number that is the same for the same scene, from 0; `Statement.say` takes it to choose its words."""
    return int.from_bytes(blake2b(f"{salt}|{canonical_json(scene)}".encode(), digest_size=4).digest())


@dataclass(frozen=True)
class StepTemplate:
    """One kind of step. Each of its `ways` to say it has the same marks in braces; `marks` gives the pattern of each one's values."""

    name: str
    ways: tuple[str, ...]
    marks: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        for way in self.ways:
            if sorted(_MARK.findall(way)) != sorted(self.marks):
                raise ValueError(f"statement {self.name!r}: {way!r} does not have each of the marks {sorted(self.marks)} once")

    def render(self, phrasing: int, **values: object) -> str:
        """The statement in the way that a phrasing chooses, with a capital first. Raises ValueError for a value that does not fit."""
        for name, fits in self._fits:
            if not fits(str(values[name])):
                raise ValueError(f"statement {self.name!r}: {name} is {values[name]!r}, which is not of the pattern {self.marks[name]!r}")
        sentence = self.ways[phrasing % len(self.ways)].format(**values)
        return sentence[:1].upper() + sentence[1:]

    @cached_property
    def _fits(self) -> tuple[tuple[str, Callable[[str], object]], ...]:
        """What each mark's values are tested by."""
        return tuple((name, re.compile(pattern).fullmatch) for name, pattern in self.marks.items())

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        """Each way as a pattern of a whole line; the first letter may be of either case."""
        return tuple(re.compile(_pattern(way, self.marks)) for way in self.ways)

    def parse(self, line: str) -> dict[str, str] | None:
        """The values in a line that says this and nothing else; None for any other line."""
        for pattern in self._patterns:
            for start in (line, line[:1].lower() + line[1:]):
                if match := pattern.fullmatch(start):
                    return match.groupdict()
        return None


def _pattern(way: str, marks: Mapping[str, str]) -> str:
    parts = _MARK.split(way)  # text, mark, text, mark ... text
    return "".join(f"(?P<{part}>{marks[part]})" if k % 2 else re.escape(part) for k, part in enumerate(parts))


@dataclass(frozen=True, slots=True)
class Step:
    """What one line of a chain says."""

    statement: str
    values: Mapping[str, str]
    line: str

    def __getitem__(self, mark: str) -> str:
        return self.values[mark]

    def number(self, mark: str) -> int:
        return int(self.values[mark])


def parse_chain(text: str, statements: Sequence[StepTemplate], key: Answer) -> tuple[list[Step], list[str]]:
    """The steps of a chain before its answer line, and its faults so far: lines that are none of the statements, an end that is not
    the key, an answer named before.
    """
    steps: list[Step] = []
    faults: list[str] = []
    for line in text.split("\n")[:-1]:
        read = ((statement.name, statement.parse(line)) for statement in statements)
        name, values = next(((name, values) for name, values in read if values is not None), ("", None))
        if values is None:
            faults.append(f"{line!r} is no statement that can be tested")
        else:
            steps.append(Step(name, values, line))
    return steps, faults + _ends(text, key)


def answer(key: Answer) -> str:
    """The line that ends a chain: the key as a reply gives it, with its text where it is an option."""
    canonical_key = key.canonical()
    return f"Answer: {canonical_key}. {key.options[key.truth]}" if isinstance(key, Choice) else f"Answer: {canonical_key}"


def _ends(text: str, key: Answer) -> list[str]:
    """A fault if the last line is not the key, or if an answer is named before."""
    *before, last = text.split("\n")
    if any(re.search(r"\banswer\b", line, re.IGNORECASE) for line in before):
        return ["it names an answer more than once"]
    return [] if last == answer(key) else [f"it ends with {last!r}, not with {answer(key)!r}"]
