"""Where a thing stands in a picture: how a chain of thought says it, and how the verifier measures it again.

A chain tells how far across a picture the middle of a thing is seen, in percent of the width from the left, and how many degrees that is
from the middle of the picture, both to the nearest five. The writer goes by bearings; the verifier by the corners of the thing's box
in the frame of the camera.
"""

from __future__ import annotations

from cmath import phase
from math import degrees, floor

from isovist.core.rotation import tangent, wrapped
from isovist.core.scene3d import Scene3D, SceneObject
from isovist.reasoning.templates import Step
from isovist.scenes.environments.bounding_boxes import standing_corners
from isovist.suites.cospace import rederivation

THING = r"[\w'-]+(?: [\w'-]+)*"
FIVES = r"\d*[05]"
WHERE = rf"in the middle|{FIVES} degrees (?:left|right) of the middle"
NOISE = 0.1
"""Degrees, or percent, by which what is told may be beyond the nearest five: bearings in scenes are rounded."""


def fives(value: float) -> int:
    """To the nearest five."""
    return 5 * floor(value / 5 + 0.5)


def percent(angle: float, fov: float) -> int:
    """How far across a picture something is seen that stands so many degrees clockwise of its middle."""
    return fives(50 + 50 * tangent(angle) / tangent(fov / 2))


def where(angle: float) -> str:
    """An angle from the middle of a picture, positive to the right, in words."""
    degrees = fives(abs(angle))
    return f"{degrees} degrees {'right' if angle > 0 else 'left'} of the middle" if degrees else "in the middle"


def signed(words: str) -> int:
    """The angle that `where` put into words."""
    if words == "in the middle":
        return 0
    degrees, _, side = words.split(" ")[:3]
    return int(degrees) if side == "right" else -int(degrees)


# ---- the verifier ------------------------------------------------------------------------------------------------------


def measured(picture: Scene3D, solid: SceneObject) -> float:
    """By how many degrees the middle of a thing's sides stands clockwise of where a camera looks."""
    eye, towards = rederivation.camera(picture).eye, rederivation.ahead(picture)
    seen = [complex(*rederivation.parts(towards, x - eye[0], z - eye[2])) for x, _, z in standing_corners(solid)]
    middle = sum(seen)
    sides = [degrees(phase(corner / middle)) for corner in seen]
    return wrapped(degrees(phase(middle)) + (min(sides) + max(sides)) / 2)


def amiss(step: Step, picture: Scene3D, solid: SceneObject, across: str, place: str) -> str:
    """What is wrong with the percent and the angle that two marks of a step tell of a thing in a picture; "" if nothing."""
    angle = measured(picture, solid)
    half = rederivation.camera(picture).fov / 2
    if abs(angle) > half + NOISE:
        return f"{step.line!r}: it is not in that picture"
    if abs(signed(step[place]) - angle) > 2.5 + NOISE:
        return f"{step.line!r}: it is {angle:.0f} degrees right of the middle"
    if abs(step.number(across) - (50 + 50 * tangent(angle) / tangent(half))) > 2.5 + NOISE:
        return f"{step.line!r}: it is seen at another place across the picture"
    return ""
