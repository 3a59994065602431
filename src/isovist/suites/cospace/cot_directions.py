"""Chains of thought about compass directions: the image that shows an object, its position there, and the resulting bearing.

Bearings are degrees clockwise from north, the heading of the first image. The verifier finds each object by name, measures its position in
camera coordinates, and measures the heading of the camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import Step, write_chain
from isovist.core.reasoning.verifier import step_errors, steps_in
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.suites.cospace import rederivation
from isovist.suites.cospace.cot_landmarks import NOISE, Sighting, in_degrees, measured, sighted, sighting, template
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import AROUND, COMPASS_HEADINGS, Views
from isovist.world.scenes.answer_options import listed_options
from isovist.world.scenes.compass import COMPASS_DIRECTIONS

_POSITION = template(
    "The {object} is visible in image {image}, at about {percent} percent of the image width from the left edge: {angle}.",
    "In image {image}, the {object} is at about {percent} percent of the image width from the left edge, which is {angle}.",
    "Image {image} shows the {object} at about {percent} percent of the image width from the left edge, so it is {angle}.",
)
_BEARING = template(
    "The camera points {heading} in image {image}, at {base} degrees clockwise from north, so the {object} is at about {bearing}.",
    "The heading of image {image} is {heading} ({base} degrees clockwise from north). The {object} is therefore at about {bearing}.",
    "The centre of image {image} is {heading}, {base} degrees clockwise from north. This places the {object} at about {bearing}.",
)
NEAREST = template(
    "Of the eight compass directions, {heading} at {degrees} degrees is the nearest.",
    "The nearest of the eight compass directions is {heading} ({degrees} degrees).",
)
_WANTED = template(
    "The question asks for the direction {heading}, at {degrees} degrees clockwise from north. Each of the eight directions covers 22.5 degrees to either side.",
    "The direction in the question is {heading}, {degrees} degrees clockwise from north. It covers 22.5 degrees to either side.",
)
_DIFFERENCE = template(
    "This differs from the direction in the question by about {difference}.",
    "The difference from the direction in the question is about {difference}.",
)
_ONLY = template(
    "Only the {object} is in this direction.",
    "The {object} is the only object in this direction.",
    "So the object in this direction is the {object}.",
)


@dataclass(frozen=True, slots=True)
class _Located:
    """An object in an image (index from 0) whose heading is `n_quarters` times 90 degrees clockwise from north."""

    name: str
    image: int
    n_quarters: int
    sighting: Sighting

    @property
    def bearing(self) -> int:
        """Degrees clockwise from north."""
        return (90 * self.n_quarters + self.sighting.angle) % 360

    def steps(self) -> list[Step]:
        fields = {"object": self.name, "image": self.image + 1}
        return [
            _POSITION(**fields, percent=self.sighting.percent, angle=self.sighting.angle_text),
            _BEARING(**fields, heading=COMPASS_HEADINGS[self.n_quarters], base=90 * self.n_quarters, bearing=in_degrees(self.bearing)),
        ]


def _object_steps(located: _Located, direction: int) -> list[Step]:
    return [*located.steps(), NEAREST(heading=COMPASS_DIRECTIONS[direction].lower(), degrees=round(STEP * direction))]


def _direction_steps(direction: int, located_objects: Sequence[_Located], match: str) -> list[Step]:
    degrees = round(STEP * direction)
    steps = [_WANTED(heading=COMPASS_DIRECTIONS[direction].lower(), degrees=degrees)]
    for located in located_objects:
        steps += [*located.steps(), _DIFFERENCE(difference=in_degrees(round(abs(wrapped(located.bearing - degrees)))))]
    return [*steps, _ONLY(object=match)]


def _locate(views: Views, name: str) -> _Located:
    """An object in the image with the nearest heading."""
    bearing = wrapped(views.visible_object(name).bearing - views.heading)
    image = min(range(4), key=lambda i: abs(wrapped(bearing - AROUND[i])))
    return _Located(name, image, image, sighting(wrapped(bearing - AROUND[image]), views.fov))


def of_object(views: Views, name: str, key: Answer, phrasing: int) -> str:
    """The chain of the question about the direction of an object."""
    return write_chain(_object_steps(_locate(views, name), views.direction(name)), key, phrasing)


def of_direction(views: Views, direction: int, names: Sequence[str], truth: int, key: Answer, phrasing: int) -> str:
    """The chain of the question about the object in a direction."""
    return write_chain(_direction_steps(direction, [_locate(views, name) for name in names], names[truth]), key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


def _locate_again(pictures: Sequence[Scene3D], question: str, name: str, text: str) -> _Located:
    """An object in the image that a text names, or in the image with the nearest heading if the claim does not hold."""
    target = rederivation.only(pictures, name)
    angles = [abs(measured(picture, target)) for picture in pictures]
    claims = [step for step in steps_in(text, _POSITION) if step["object"] == name and angles[step.number("image") - 1] <= 45 + NOISE]
    image = claims[0].number("image") - 1 if claims else angles.index(min(angles))
    picture = pictures[image]
    return _Located(name, image, rederivation.quarters(pictures, question, image), sighted(picture, target, claims[0] if claims else None))


def replay_object(pictures: Sequence[Scene3D], question: str, name: str, key: Answer, text: str) -> list[str]:
    """The errors of a chain about the direction of an object."""
    direction = rederivation.direction(pictures, question, rederivation.only(pictures, name))
    if direction is None:
        return [f"the {name} is in several directions"]
    return step_errors(text, _object_steps(_locate_again(pictures, question, name, text), direction), COMPASS_DIRECTIONS[direction], key)


def replay_direction(pictures: Sequence[Scene3D], question: str, direction: int, key: Answer, text: str) -> list[str]:
    """The errors of a chain about the object in a direction. The question lists the objects."""
    names = [option.removeprefix("the ") for option in listed_options(question)]
    matching = [name for name in names if rederivation.direction(pictures, question, rederivation.only(pictures, name)) == direction]
    if len(matching) != 1:
        return [f"{matching} are in the direction of the question, not one object"]
    located = [_locate_again(pictures, question, name, text) for name in names]
    return step_errors(text, _direction_steps(direction, located, matching[0]), f"the {matching[0]}", key)
