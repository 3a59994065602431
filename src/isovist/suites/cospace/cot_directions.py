"""Chains of thought about the direction of things: in which picture each is seen, how far across, and what that adds up to.

Directions are degrees clockwise from north, which is where the first picture looks. The verifier finds each thing by name among the
solids, measures it in the frame of a camera, and measures where that camera looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import Answer
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.reasoning.templates import Step, write_chain
from isovist.reasoning.verifier import step_errors, steps_in
from isovist.scenes.answer_options import listed_options
from isovist.scenes.compass import COMPASS_DIRECTIONS
from isovist.suites.cospace import rederivation
from isovist.suites.cospace.cot_landmarks import NOISE, Sighting, fives, measured, sighted, sighting, template
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import AROUND, WIND_NAMES, Views

_SEEN = template(
    "The {thing} is seen in picture {picture}, about {percent} percent of the way across from its left side: {where}.",
    "In picture {picture} the {thing} stands at about {percent} percent of the width, counted from the left, which is {where}.",
    "I find the {thing} in picture {picture}, some {percent} percent across from the left, so {where}.",
)
_SUM = template(
    "Picture {picture} looks {wind}, at {base} degrees clockwise from north, so the {thing} lies at about {at} degrees.",
    "That picture, number {picture}, looks {wind} ({base} degrees clockwise from north). The {thing} is at about {at} degrees, then.",
    "The middle of picture {picture} is {wind}, {base} degrees clockwise from north. That puts the {thing} at about {at} degrees.",
)
_NEAREST = template(
    "Of the eight directions {wind}, at {degrees} degrees, is the nearest.",
    "The nearest of the eight directions is {wind} ({degrees} degrees).",
)
_ASKED = template(
    "Asked is what lies to the {wind}, which is at {degrees} degrees clockwise from north; each of eight directions reaches 22.5 degrees to either side.",
    "{degrees} degrees clockwise from north is {wind}, the direction asked about, and it reaches 22.5 degrees to either side.",
)
_OFF = template(
    "That is about {off} degrees off the direction asked about.", "From the direction asked about it is about {off} degrees away."
)
_ONLY = template(
    "Only the {thing} lies in that direction.", "So it is the {thing} that lies there.", "None but the {thing} is near enough."
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A thing in a picture, from 0, which looks so many quarter turns clockwise from north."""

    thing: str
    picture: int
    quarters: int
    sighting: Sighting

    @property
    def at(self) -> int:
        """Degrees clockwise from north."""
        return (90 * self.quarters + self.sighting.angle) % 360

    def steps(self) -> list[Step]:
        named = {"thing": self.thing, "picture": self.picture + 1}
        return [
            _SEEN(**named, percent=self.sighting.percent, where=self.sighting.where),
            _SUM(**named, wind=WIND_NAMES[self.quarters], base=90 * self.quarters, at=self.at),
        ]


def _thing_steps(seen: _Seen, wind: int) -> list[Step]:
    return [*seen.steps(), _NEAREST(wind=COMPASS_DIRECTIONS[wind], degrees=round(STEP * wind))]


def _direction_steps(asked: int, things: Sequence[_Seen], only: str) -> list[Step]:
    degrees = round(STEP * asked)
    steps = [_ASKED(wind=COMPASS_DIRECTIONS[asked].lower(), degrees=degrees)]
    for seen in things:
        steps += [*seen.steps(), _OFF(off=fives(abs(wrapped(seen.at - degrees))))]
    return [*steps, _ONLY(thing=only)]


def _sight(views: Views, name: str) -> _Seen:
    """A thing in the picture that looks nearest to it."""
    bearing = wrapped(views.thing(name).bearing - views.heading)
    picture = min(range(4), key=lambda i: abs(wrapped(bearing - AROUND[i])))
    return _Seen(name, picture, picture, sighting(wrapped(bearing - AROUND[picture]), views.fov))


def of_thing(views: Views, name: str, key: Answer, phrasing: int) -> str:
    """The chain of the question in which direction a thing lies."""
    return write_chain(_thing_steps(_sight(views, name), views.direction(name)), key, phrasing)


def of_direction(views: Views, asked: int, names: Sequence[str], truth: int, key: Answer, phrasing: int) -> str:
    """The chain of the question which of some things lies in a direction."""
    return write_chain(_direction_steps(asked, [_sight(views, name) for name in names], names[truth]), key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


def _sight_again(pictures: Sequence[Scene3D], words: str, name: str, text: str) -> _Seen:
    """A thing in the picture in which a text finds it, or in the one that looks nearest to it if that is another."""
    solid = rederivation.only(pictures, name)
    angles = [abs(measured(picture, solid)) for picture in pictures]
    claims = [step for step in steps_in(text, _SEEN) if step["thing"] == name and angles[step.number("picture") - 1] <= 45 + NOISE]
    place = claims[0].number("picture") - 1 if claims else angles.index(min(angles))
    picture = pictures[place]
    # by how many quarters the camera is turned clockwise from north
    along, right = rederivation.parts(rederivation.front(pictures, words), *rederivation.ahead(picture))
    quarters = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}[round(along), round(right)]
    return _Seen(name, place, quarters, sighted(picture, solid, claims[0] if claims else None))


def replay_thing(pictures: Sequence[Scene3D], words: str, name: str, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about one thing."""
    lies = rederivation.direction(pictures, words, rederivation.only(pictures, name))
    if lies is None:
        return [f"the {name} lies in several directions"]
    return step_errors(text, _thing_steps(_sight_again(pictures, words, name, text), lies), COMPASS_DIRECTIONS[lies], key)


def replay_direction(pictures: Sequence[Scene3D], words: str, asked: int, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about several things, which the words list."""
    names = [option.removeprefix("the ") for option in listed_options(words)]
    there = [name for name in names if rederivation.direction(pictures, words, rederivation.only(pictures, name)) == asked]
    if len(there) != 1:
        return [f"{there} lie in the direction asked about, not one thing"]
    seen = [_sight_again(pictures, words, name, text) for name in names]
    return step_errors(text, _direction_steps(asked, seen, there[0]), f"the {there[0]}", key)
