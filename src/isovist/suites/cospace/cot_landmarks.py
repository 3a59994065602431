"""The position of an object in an image, as stated in a chain of thought and as measured by the verifier.

A chain states the angle of the object's centre from the image centre in whole degrees, and the position of this angle in percent of the image
width from the left edge, so both agree. The writer uses bearings. The verifier uses the box corners of the object in camera coordinates.
"""

from __future__ import annotations

from cmath import phase
from dataclasses import dataclass
from functools import partial
from math import degrees, floor

from isovist.core.reasoning.templates import NUMBER, WORDS, Step, StepTemplate
from isovist.core.rotation import tangent, wrapped
from isovist.core.scene3d import Scene3D, SceneObject
from isovist.core.summation import sum_in_order
from isovist.suites.cospace import rederivation
from isovist.world.scenes.environments.bounding_boxes import standing_corners

_DEGREES = rf"{NUMBER} degrees?"
_WHERE = rf"at the centre|{_DEGREES} (?:left|right) of the centre"
NOISE = 0.1
"""Tolerance in degrees beyond the rounding to whole degrees, because bearings in scenes are rounded: a stated angle is at most 0.6 degrees
from the measured one.
"""

template = partial(
    StepTemplate,
    **dict.fromkeys(("object", "heading", "sense", "side", "other"), WORDS),
    **dict.fromkeys(("angle", "second_angle"), _WHERE),
    **dict.fromkeys(("bearing", "difference", "turn"), _DEGREES),
    **dict.fromkeys(("first", "second", "odd"), "[1-5]"),
    image="[1-4]",
)
"""A step template about objects in images."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The horizontal position of an object in percent of the image width from the left edge, and its angle in degrees to the right of the
    image centre.
    """

    percent: int
    angle: int

    @property
    def angle_text(self) -> str:
        """The angle as text."""
        side = "right" if self.angle > 0 else "left"
        return f"{in_degrees(abs(self.angle))} {side} of the centre" if self.angle else "at the centre"


def in_degrees(angle: int) -> str:
    """An angle as text."""
    return f"{angle} degree{'' if angle == 1 else 's'}"


def whole(value: float, claim: int | None = None) -> int:
    """The nearest whole number, or the claimed number if it is equally near within `NOISE`."""
    return floor(value + 0.5) if claim is None or abs(claim - value) > 0.5 + NOISE else claim


def percent(angle: float, fov: float) -> float:
    """The horizontal position, in percent of the image width, of a point `angle` degrees clockwise of the image centre."""
    return 50 + 50 * tangent(angle) / tangent(fov / 2)


def sighting(angle: float, fov: float, claim: int | None = None) -> Sighting:
    """The position of an object `angle` degrees clockwise of the image centre, rounded as in a claim if it holds within `NOISE`."""
    whole_angle = whole(abs(angle)) * (1 if angle > 0 else -1) if claim is None else whole(angle, claim)
    return Sighting(whole(percent(whole_angle, fov)), whole_angle)


# ---- the verifier ------------------------------------------------------------------------------------------------------


def measured(picture: Scene3D, target: SceneObject) -> float:
    """The clockwise angle in degrees from the camera heading to the horizontal centre of an object."""
    eye, heading = rederivation.camera(picture).eye, rederivation.ahead(picture)
    corners = [complex(*rederivation.parts(heading, x - eye[0], z - eye[2])) for x, _, z in standing_corners(target)]
    centre = complex(sum_in_order(corner.real for corner in corners), sum_in_order(corner.imag for corner in corners))
    sides = [degrees(phase(corner / centre)) for corner in corners]
    return wrapped(degrees(phase(centre)) + (min(sides) + max(sides)) / 2)


def sighted(picture: Scene3D, target: SceneObject, claim: Step | None, angle_field: str = "angle") -> Sighting:
    """The measured position of an object, rounded as in the field of a claim if it holds within `NOISE`."""
    return as_claimed(measured(picture, target), rederivation.camera(picture).fov, claim, angle_field)


def as_claimed(angle: float, fov: float, claim: Step | None, angle_field: str = "angle") -> Sighting:
    """`sighting`, rounded as in the field of a claim if it holds within `NOISE`."""
    if claim is None:
        return sighting(angle, fov)
    number, _, side = claim[angle_field].split(" ")[:3]
    return sighting(angle, fov, 0 if number == "at" else int(number) * (1 if side == "right" else -1))
