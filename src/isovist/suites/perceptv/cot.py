"""Shared parts of the chains of thought: how positions are written, and how a chain is written and verified.

A position is (x, y) in hundredths of the image: x of the width from the left edge, y of the height from the top edge. The steps of a chain
follow from facts. The writer derives the facts from the scene; the verifier derives them from the drawings alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from isovist.core.answers import Answer
from isovist.core.drawing2d import Circle, Drawing, Point, Polygon, Shape
from isovist.core.reasoning.templates import NONE, Step, StepTemplate, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.task import Reasoning
from isovist.world.scenes.shapes2d import middle

Spot = tuple[int, int]
"""A position in hundredths of the image, from its left and its top edge."""
_HALF = 0.503  # no coordinate of a sheet is between 0.494 and 0.5 of a hundredth

PLACES = StepTemplate(
    "I write positions as (x, y), in hundredths of the image from its left edge and its top edge, and go from left to right.",
    "from left to right, each with its number and its position (x, y): hundredths of the width from the left, of the height from the top.",
    "positions are (x, y): x in hundredths of the width from the left edge, y in hundredths of the height from the top edge. I go from left to right.",
    "I count from left to right and note each position: (hundredths from the left edge, hundredths from the top edge).",
)
TOTAL = StepTemplate("the total is {n}.", "the final count is {n}.", "so I count {n}.", "there are no others, so the total is {n}.")
THIRDS = {"left": (0, 33), "middle": (34, 66), "right": (67, 100)}
"""The thirds of an image and their first and last x, in hundredths of the width."""

Facts = TypeVar("Facts")
S = TypeVar("S")


@dataclass(frozen=True)
class FactChains(Generic[Facts]):
    """The chains of a domain: the steps that follow from facts, and the sources of the facts for the writer and the verifier."""

    steps: Callable[[Facts], list[Step]]
    of_scene: Callable[[Any], Facts]
    of_pictures: Callable[[tuple[Drawing, ...]], Facts]
    conclusion: Callable[[Sequence[Step]], str]
    """The answer that the steps imply."""
    slots: Sequence[Sequence[StepTemplate]] = ()
    """As in `write_chain`, for templates that do not occur in every chain."""

    def of(self, draw: Callable[[S], tuple[Drawing, ...]], key: Callable[[S], Answer]) -> Reasoning[S]:
        """The reasoning of a task with these drawings of a scene and this answer."""

        def write(scene: S) -> str:
            return write_chain(self.steps(self.of_scene(scene)), key(scene), phrasing(scene), self.slots, bits=3)

        @lru_cache(maxsize=1)  # many chains may be verified for one scene
        def drawn(scene: S) -> tuple[tuple[Drawing, ...], Answer]:
            return draw(scene), key(scene)

        def verify(scene: S, text: str) -> list[str]:
            pictures, answer = drawn(scene)
            expected = self.steps(self.of_pictures(pictures))
            return step_errors(text, expected, self.conclusion(expected), answer)

        return Reasoning(write, verify)


def stated(*fields: tuple[StepTemplate, str]) -> Callable[[Sequence[Step]], str]:
    """A conclusion that lists the values of some fields in the steps of a chain."""

    def conclusion(steps: Sequence[Step]) -> str:
        values = (step[field] for step in steps for template, field in fields if step.template is template)
        return ", ".join(value for value in values if value != NONE)

    return conclusion


def spot(at: Point, width: float, height: float, parts: int = 100) -> Spot:
    """Convert a point of a sheet (x right, y up, in units) to `parts` of the width and height, from the left and from the top."""
    return rounded(parts * at[0] / width), rounded(parts * (height - at[1]) / height)


def rounded(value: float) -> int:
    """Round to the nearest integer, halves up.

    Coordinates have four digits, so exact halves occur. A value slightly below a half counts as a half, because the centre of a shape with
    rounded corners may be off by a hundred-thousandth of a unit.
    """
    return math.floor(value + _HALF)


def placed(picture: Drawing) -> list[tuple[Spot, Circle | Polygon]]:
    """The drawn circles and polygons with their positions, from left to right."""
    shapes = [shape for shape in picture.shapes if isinstance(shape, (Circle, Polygon))]
    return sorted(((spot_of(shape, picture), shape) for shape in shapes), key=lambda entry: entry[0])


def spot_of(shape: Shape, picture: Drawing) -> Spot:
    """The position of a drawn shape."""
    return spot(middle(shape), picture.width, picture.height)
