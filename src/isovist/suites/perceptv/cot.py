"""What the chains of thought of all domains share: how places are told, and how a chain is made and replayed.

A place is (x, y) in hundredths of the picture: x of its width from the left edge, y of its height from the top edge. Chains are
written from scenes; their verifiers see nothing but the drawn pictures.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isovist.core.answers import Answer
from isovist.core.drawing2d import Drawing, Point, Shape
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, answer, parse_chain, phrasing
from isovist.scenes.shapes2d import middle

Spot = tuple[int, int]
"""A place in hundredths of the picture, from its left and from its top edge."""
NONE = "none"
_LONGEST = 4000  # characters: so no number is too long to be read
_HALF = 0.503  # no coordinate of a sheet comes to between 0.494 and 0.5 of a hundredth

_SPOT = rf"\({NUMBER}, {NUMBER}\)"
_COUNTED = rf"{NUMBER} {_SPOT}"
COUNTED = rf"{NONE}|{_COUNTED}(?:, {_COUNTED})*"
"""The pattern of a list of counted places: 1 (12, 34), 2 (50, 8)."""
NUMBERS = rf"{NONE}|{NUMBER}(?:, {NUMBER})*"
"""The pattern of a list of numbers."""

PLACES = StepTemplate(
    "places",
    (
        "I write a place as (x, y), in hundredths of the picture from its left and from its top edge, and go from left to right.",
        "from left to right, each with its number and its place (x, y): hundredths of the width from the left, of the height from the top.",
        "places are (x, y): x hundredths of the width from the left edge, y hundredths of the height from the top edge. I go from left to right.",
        "counting from left to right, I note where each one is: (hundredths from the left edge, hundredths from the top edge).",
    ),
)

TOTAL = StepTemplate(
    "total",
    ("that makes {n} in all.", "the count ends at {n}.", "so I count {n}.", "nothing is left to look at, and I have counted {n}."),
    {"n": NUMBER},
)
THIRDS = {"left": (0, 33), "middle": (34, 66), "right": (67, 100)}
"""The thirds of a picture and the x at which their places begin and end, in hundredths of the width."""


@dataclass(frozen=True)
class Reasoning:
    """How a domain's chains are written, and what a verifier finds wrong with the steps of one."""

    statements: tuple[StepTemplate, ...]
    write: Callable[[Any, int], list[str]]
    """The lines before the answer, from a scene and a number that chooses their words."""
    check: Callable[[tuple[Drawing, ...], Sequence[Step]], list[str]]
    """Faults of the steps, tested against the drawn pictures."""

    def explain(self, scene: Any, key: Answer) -> str:
        return "\n".join([*self.write(scene, phrasing(scene)), answer(key)])

    def replay(self, pictures: tuple[Drawing, ...], key: Answer, text: str) -> list[str]:
        if len(text) > _LONGEST:
            return ["it is far longer than any chain that could be right"]
        steps, faults = parse_chain(text, self.statements, key)
        return faults or self.check(pictures, steps)


def spot(at: Point, width: float, height: float, parts: int = 100) -> Spot:
    """A point of a sheet of so many units (x right, y up) in `parts` of its sides, from the left and from the top."""
    return rounded(parts * at[0] / width), rounded(parts * (height - at[1]) / height)


def rounded(value: float) -> int:
    """To the nearest whole number, halves up.

    Coordinates have four digits, so that halves are met; what is a little less counts as a half too, as the middle of a shape whose
    corners were rounded may be off by a hundred-thousandth of a unit.
    """
    return math.floor(value + _HALF)


def listed(words: Iterable[object]) -> str:
    return ", ".join(map(str, words)) or NONE


def counted(spots: Iterable[Spot], first: int = 1) -> str:
    """Places from left to right, numbered from `first`."""
    return listed(f"{i} {place}" for i, place in enumerate(sorted(spots), first))


def order(steps: Sequence[Step], due: Sequence[str]) -> list[str]:
    """A fault if the steps are not those that are due, in their order."""
    statements = [step.statement for step in steps]
    return [] if statements == list(due) else [f"its steps are {statements}, not {list(due)}"]


def spots_of(shapes: Iterable[Shape], picture: Drawing) -> list[Spot]:
    """Where drawn shapes are."""
    return [spot(middle(shape), picture.width, picture.height) for shape in shapes]


_EACH = re.compile(rf"({NUMBER}) \(({NUMBER}), ({NUMBER})\)")


def pointed(text: str, shapes: Iterable[Shape], picture: Drawing, first: int = 1) -> list[str]:
    """Faults of a list of counted places: each of the drawn shapes has to be there once, from left to right, numbered from `first`."""
    numbered = [(int(number), (int(x), int(y))) for number, x, y in _EACH.findall(text)]
    spots = [at for _, at in numbered]
    faults = [f"{at} is counted as {number}, not as {i}" for i, (number, at) in enumerate(numbered, first) if number != i]
    faults += [] if spots == sorted(spots) else [f"{text!r} does not go from left to right"]
    drawn = Counter(spots_of(shapes, picture))
    faults += [f"nothing of the kind is at {at}" for at in (Counter(spots) - drawn)]
    return faults + [f"it passes over {at}" for at in (drawn - Counter(spots))]


def holds(step: Step, right: bool) -> list[str]:
    """A fault if a step does not hold."""
    return [] if right else [f"{step.line!r} does not hold"]
