"""Where a thing stands in a picture: how a chain of thought says it, and how the verifier measures it again.

A chain tells how far across a picture the middle of a thing is seen, in percent of the width from the left, and how many degrees that is
from the middle of the picture, both to the nearest five. The writer goes by bearings; the verifier by the corners of the thing's box
in the frame of the camera.
"""

from __future__ import annotations

from cmath import phase
from dataclasses import dataclass
from functools import partial
from math import degrees, floor

from isovist.core.rotation import tangent, wrapped
from isovist.core.scene3d import Scene3D, SceneObject
from isovist.reasoning.templates import WORDS, Step, StepTemplate
from isovist.scenes.environments.bounding_boxes import standing_corners
from isovist.suites.cospace import rederivation

_FIVES = r"\d{0,3}[05]"
_WHERE = rf"in the middle|{_FIVES} degrees (?:left|right) of the middle"
NOISE = 0.1
"""Degrees, or percent, by which a claim may be beyond the nearest five: bearings in scenes are rounded."""

template = partial(
    StepTemplate,
    **dict.fromkeys(("thing", "wind", "sense", "side", "other"), WORDS),
    **dict.fromkeys(("percent", "again", "turn", "strip", "at", "off"), _FIVES),
    **dict.fromkeys(("where", "there"), _WHERE),
    **dict.fromkeys(("one", "two", "odd"), "[1-5]"),
    picture="[1-4]",
)
"""A kind of step about what is seen in pictures."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """How far across a picture a thing is seen, in percent, and its angle in degrees right of the middle, both to the nearest five."""

    percent: int
    angle: int

    @property
    def where(self) -> str:
        """The angle in words."""
        return f"{abs(self.angle)} degrees {'right' if self.angle > 0 else 'left'} of the middle" if self.angle else "in the middle"


def fives(value: float, claim: int | None = None) -> int:
    """To the nearest five, or what a text claims if that is as near but for noise."""
    return 5 * floor(value / 5 + 0.5) if claim is None or abs(claim - value) > 2.5 + NOISE else claim


def percent(angle: float, fov: float) -> float:
    """How far across a picture something is seen that stands so many degrees clockwise of its middle."""
    return 50 + 50 * tangent(angle) / tangent(fov / 2)


def sighting(angle: float, fov: float) -> Sighting:
    return Sighting(fives(percent(angle, fov)), fives(abs(angle)) * (1 if angle > 0 else -1))


# ---- the verifier ------------------------------------------------------------------------------------------------------


def measured(picture: Scene3D, solid: SceneObject) -> float:
    """By how many degrees the middle of a thing's sides stands clockwise of where a camera looks."""
    eye, towards = rederivation.camera(picture).eye, rederivation.ahead(picture)
    seen = [complex(*rederivation.parts(towards, x - eye[0], z - eye[2])) for x, _, z in standing_corners(solid)]
    middle = sum(seen)
    sides = [degrees(phase(corner / middle)) for corner in seen]
    return wrapped(degrees(phase(middle)) + (min(sides) + max(sides)) / 2)


def sighted(picture: Scene3D, solid: SceneObject, claim: Step | None, across: str = "percent", place: str = "where") -> Sighting:
    """Where a thing is seen in a picture, rounded as two fields of a claim have it where that holds but for noise."""
    angle, fov = measured(picture, solid), rederivation.camera(picture).fov
    if claim is None:
        return sighting(angle, fov)
    number, _, side = claim[place].split(" ")[:3]
    claimed_angle = 0 if number == "in" else int(number) * (1 if side == "right" else -1)
    return Sighting(fives(percent(angle, fov), claim.number(across)), fives(angle, claimed_angle))
