"""What the chains of thought of all domains share: how places are written, and how a chain is made and verified.

A place is (x, y) in hundredths of the picture: x of its width from the left edge, y of its height from the top edge. The steps of a
chain follow from facts. The writer takes the facts from the scene; the verifier takes them from nothing but the drawn pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from isovist.core.answers import Answer
from isovist.core.drawing2d import Circle, Drawing, Point, Polygon, Shape
from isovist.reasoning.templates import NONE, Step, StepTemplate, phrasing, write_chain
from isovist.reasoning.verifier import step_errors
from isovist.scenes.shapes2d import middle

Spot = tuple[int, int]
"""A place in hundredths of the picture, from its left and from its top edge."""
_HALF = 0.503  # no coordinate of a sheet comes to between 0.494 and 0.5 of a hundredth

PLACES = StepTemplate(
    "I write positions as (x, y), in hundredths of the image from its left edge and its top edge, and go from left to right.",
    "from left to right, each with its number and its position (x, y): hundredths of the width from the left, of the height from the top.",
    "positions are (x, y): x in hundredths of the width from the left edge, y in hundredths of the height from the top edge. I go from left to right.",
    "I count from left to right and note each position: (hundredths from the left edge, hundredths from the top edge).",
)
TOTAL = StepTemplate("the total is {n}.", "the final count is {n}.", "so I count {n}.", "there are no others, so the total is {n}.")
THIRDS = {"left": (0, 33), "middle": (34, 66), "right": (67, 100)}
"""The thirds of a picture and the x at which their places begin and end, in hundredths of the width."""

Facts = TypeVar("Facts")


@dataclass(frozen=True)
class Reasoning(Generic[Facts]):
    """The chains of a domain: the steps that follow from facts, and where the writer and the verifier take the facts from."""

    steps: Callable[[Facts], list[Step]]
    of_scene: Callable[[Any], Facts]
    of_pictures: Callable[[tuple[Drawing, ...]], Facts]
    conclusion: Callable[[Sequence[Step]], str]
    """The answer that steps lead to."""
    slots: Sequence[Sequence[StepTemplate]] = ()
    """As in `write_chain`, where some templates do not occur in each chain."""

    def explain(self, scene: Any, key: Answer) -> str:
        return write_chain(self.steps(self.of_scene(scene)), key, phrasing(scene), self.slots, bits=3)

    def replay(self, pictures: tuple[Drawing, ...], key: Answer, text: str) -> list[str]:
        due = self.steps(self.of_pictures(pictures))
        return step_errors(text, due, self.conclusion(due), key)


def stated(*fields: tuple[StepTemplate, str]) -> Callable[[Sequence[Step]], str]:
    """The conclusion that lists what the steps of a chain say in some fields of their templates."""

    def conclusion(steps: Sequence[Step]) -> str:
        values = (step[field] for step in steps for template, field in fields if step.template is template)
        return ", ".join(value for value in values if value != NONE)

    return conclusion


def spot(at: Point, width: float, height: float, parts: int = 100) -> Spot:
    """A point of a sheet of so many units (x right, y up) in `parts` of its sides, from the left and from the top."""
    return rounded(parts * at[0] / width), rounded(parts * (height - at[1]) / height)


def rounded(value: float) -> int:
    """To the nearest whole number, halves up.

    Coordinates have four digits, so that halves are met; what is a little less counts as a half too, as the middle of a shape whose
    corners were rounded may be off by a hundred-thousandth of a unit.
    """
    return math.floor(value + _HALF)


def placed(picture: Drawing) -> list[tuple[Spot, Circle | Polygon]]:
    """The drawn discs and polygons, and where they are, from left to right."""
    shapes = [shape for shape in picture.shapes if isinstance(shape, (Circle, Polygon))]
    return sorted(((spot_of(shape, picture), shape) for shape in shapes), key=lambda entry: entry[0])


def spot_of(shape: Shape, picture: Drawing) -> Spot:
    """Where a drawn shape is."""
    return spot(middle(shape), picture.width, picture.height)
