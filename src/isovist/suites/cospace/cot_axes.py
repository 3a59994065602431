"""Chains of thought about axes and fronts: how a road runs, and where an object faces.

Angles are whole degrees clockwise; bearings are clockwise from north, the heading of the first image. The verifier measures the sides and
fronts of the drawn shapes and the headings of the cameras.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from math import degrees

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import Step, write_chain
from isovist.core.reasoning.verifier import step_errors, steps_in
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D, place
from isovist.core.task import Question
from isovist.suites.cospace import rederivation
from isovist.suites.cospace.cot_directions import NEAREST
from isovist.suites.cospace.cot_landmarks import NOISE, Sighting, as_claimed, in_degrees, sighting, template, whole
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import AROUND, COMPASS_HEADINGS, Views
from isovist.world.scenes.compass import COMPASS_DIRECTIONS

_VANISHES = template(
    "In image {image}, {object} runs toward a point at about {percent} percent of the image width from the left edge: {angle}.",
    "The sides of {object} converge in image {image} at about {percent} percent of the image width from the left edge, which is {angle}.",
)
_END = template(
    "The camera points {heading} in image {image}, at {base} degrees clockwise from north, so this end points to about {bearing}.",
    "The heading of image {image} is {heading} ({base} degrees clockwise from north). This end therefore points to about {bearing}.",
)
_AXIS = template("Of the four axes, {heading} is the nearest.", "The nearest of the four axes is {heading}.")
_TURNED = template(
    "In image {image}, the front of the {object} points {turn} clockwise from the heading of the camera, seen from above.",
    "Seen from above, the {object} in image {image} faces {turn} clockwise from the heading of the camera.",
)
_FACES = template(
    "The camera points {heading} in image {image}, at {base} degrees clockwise from north, so the {object} faces about {bearing}.",
    "The heading of image {image} is {heading} ({base} degrees clockwise from north). The {object} therefore faces about {bearing}.",
)


def _nearest_image(bearing: float) -> int:
    """The index of the image whose heading is nearest to a bearing relative to the first image."""
    return min(range(4), key=lambda i: abs(wrapped(bearing - AROUND[i])))


# Roads --------------------------------------------------------------------------------------------------------------


def _way_steps(name: str, image: int, n_quarters: int, seen: Sighting, axis: str) -> list[Step]:
    base = 90 * n_quarters
    return [
        _VANISHES(object=name, image=image + 1, percent=seen.percent, angle=seen.angle_text),
        _END(image=image + 1, heading=COMPASS_HEADINGS[n_quarters], base=base, bearing=in_degrees((base + seen.angle) % 360)),
        _AXIS(heading=axis.lower()),
    ]


def of_way(views: Views, name: str, end_deg: float, axis: str, key: Answer, phrasing: int) -> str:
    """The chain of the question about the axis of a way, from its visible end."""
    image = _nearest_image(end_deg)
    return write_chain(_way_steps(name, image, image, sighting(wrapped(end_deg - AROUND[image]), views.fov), axis), key, phrasing)


def replay_way(pictures: Sequence[Scene3D], question: Question, name: str, side: rederivation.Flat, axis: str, text: str) -> list[str]:
    """The errors of a chain about the axis of a way. `side`: its longer side, along and to the right of north."""
    claim = next((step for step in steps_in(text, _VANISHES) if step["object"] == name), None)
    image = claim.number("image") - 1 if claim else 0
    n_quarters = rederivation.quarters(pictures, question.text, image)
    # either end of the way may be the one in the image
    bearing = degrees(phase(complex(*side)))
    angle = min((wrapped(bearing + turn - 90 * n_quarters) for turn in (0.0, 180.0)), key=abs)
    if abs(angle) > 45 + NOISE:
        return [f"{name} does not run toward a point in image {image + 1}"]
    seen = as_claimed(angle, rederivation.camera(pictures[image]).fov, claim)
    return step_errors(text, _way_steps(name, image, n_quarters, seen, axis), axis, question.answer)


# Fronts -------------------------------------------------------------------------------------------------------------


def _front_steps(name: str, image: int, n_quarters: int, rotation: int, direction: int) -> list[Step]:
    base = 90 * n_quarters
    return [
        _TURNED(object=name, image=image + 1, turn=in_degrees(rotation % 360)),
        _FACES(object=name, image=image + 1, heading=COMPASS_HEADINGS[n_quarters], base=base, bearing=in_degrees((base + rotation) % 360)),
        NEAREST(heading=COMPASS_DIRECTIONS[direction].lower(), degrees=round(STEP * direction)),
    ]


def of_front(views: Views, name: str, front_deg: float, key: Answer, phrasing: int) -> str:
    """The chain of the question about the direction that an object faces, from the image in which it is nearest to the centre."""
    image = _nearest_image(views.visible_object(name).bearing - views.heading)
    rotation = whole((front_deg - AROUND[image]) % 360)
    return write_chain(_front_steps(name, image, image, rotation, round(front_deg / STEP) % 8), key, phrasing)


def replay_front(pictures: Sequence[Scene3D], question: Question, name: str, text: str) -> list[str]:
    """The errors of a chain about the direction that an object faces."""
    target = rederivation.only(pictures, name)
    showing = [image for image, picture in enumerate(pictures) if rederivation.shows(picture, target)]
    claim = next((step for step in steps_in(text, _TURNED) if step["object"] == name and step.number("image") - 1 in showing), None)
    image = claim.number("image") - 1 if claim else showing[0]
    (x0, _, z0), (x1, _, z1) = place(target, (0.0, 0.0, 0.0)), place(target, (0.0, 0.0, 1.0))
    angle = degrees(phase(complex(*rederivation.parts(rederivation.ahead(pictures[image]), x1 - x0, z1 - z0)))) % 360
    rotation = whole(angle, int(claim["turn"].split()[0]) if claim else None)
    direction = rederivation.facing(pictures, question.text, target)
    steps = _front_steps(name, image, rederivation.quarters(pictures, question.text, image), rotation, direction)
    return step_errors(text, steps, COMPASS_DIRECTIONS[direction], question.answer)
