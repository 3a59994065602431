"""Chains of thought about other viewpoints: directions on a map with the camera at the bottom, shifts of near and far things, places on a map.

The writer measures the poses of the scene; the verifier measures the drawn 3-D scenes with the same rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import floor

from isovist.core.reasoning.templates import WORDS, Step, StepTemplate, one_of
from isovist.core.scene3d import Camera, view
from isovist.world.scenes import open_ground
from isovist.world.scenes.distractor_types import SIDES
from isovist.world.scenes.open_ground import Spot

_METRES, _DEGREES = r"\d+\.\d", r"\d+\.\d"
_template = partial(
    StepTemplate,
    **dict.fromkeys(("a", "b", "c", "near", "far"), WORDS),
    **dict.fromkeys(("side", "turn", "near_side", "far_side", "more_side"), "left|right"),
    **dict.fromkeys(("across", "along"), _METRES),
    **dict.fromkeys(("near_angle", "far_angle", "difference"), _DEGREES),
    depth="toward|away from",
    sense="clockwise|counterclockwise",
    answer=one_of(SIDES),
    move="moved to its left|moved to its right|stayed in place and only turned",
    letter="[A-Z]",
)

# ---- on which side: headings on a map ----------------------------------------------------------------------------------

_HEADING = _template(
    "Seen from above with the camera at the bottom, the direction from the {a} to the {b} is about {angle} degrees clockwise from the top.",
    "On a map with the camera at the bottom edge, the line from the {a} to the {b} points about {angle} degrees clockwise from up.",
)
_TARGET = _template(
    "The direction from the {a} to the {c} is about {angle} degrees.",
    "On this map, the {c} lies at about {angle} degrees from the {a}.",
)
_TURNED = _template(
    "After the quarter turn to the {turn}, the heading is about {angle} degrees.",
    "The quarter turn to the {turn} changes the heading to about {angle} degrees.",
)
_SIDE = _template(
    "From the heading, the {c} is about {angle} degrees clockwise. The nearest side is {answer}.",
    "A rotation by about {angle} degrees clockwise leads from the heading to the {c}, which is the side {answer}.",
)


def _tens(angle: float) -> int:
    """An angle in degrees, rounded to tens, from 0 to 350."""
    return 10 * floor(angle % 360 / 10 + 0.5 + 1e-6) % 360


def side_steps(names: Sequence[str], spots: Sequence[Spot], camera: Camera, turned: int) -> list[Step]:
    """The steps to the side of C for one at A who faces B and then turns by `turned` quarters to the right."""
    (a, b, c), (at, faced, asked) = names, spots
    x, _, z = view(camera)[2]
    away = open_ground.direction((x, z), (0.0, 0.0))
    heading, target = (_tens(away - open_ground.direction(at, spot)) for spot in (faced, asked))
    steps = [_HEADING(a=a, b=b, angle=heading), _TARGET(a=a, c=c, angle=target)]
    if turned:
        heading = (heading + 90 * turned) % 360
        steps.append(_TURNED(turn="right" if turned > 0 else "left", angle=heading))
    off = (target - heading) % 360
    return [*steps, _SIDE(c=c, angle=off, answer=SIDES[round(off / 45) % 8])]


# ---- movement of the camera: shifts of two things ---------------------------------------------------------------------------

_SHIFTS = _template(
    "From the first image to the second, the near {near} shifts by about {near_angle} degrees to the {near_side}, and the far {far} by about {far_angle} degrees to the {far_side}.",
    "As angles seen from the camera, the {near}, which is near, shifts by about {near_angle} degrees to the {near_side}; the {far}, which is far away, by about {far_angle} degrees to the {far_side}.",
)
_EQUAL = _template(
    "Both shift alike, so the camera {move}.",
    "Near and far things shift by the same angle: the camera {move}.",
)
_MORE = _template(
    "Compared with the far one, the near one shifts by about {difference} degrees to the {more_side}. Near things shift against the movement of the camera, so the camera {move}.",
    "The near one shifts by about {difference} degrees to the {more_side} of the far one, opposite to the movement of the camera: it {move}.",
)


def move_steps(near: tuple[str, float], far: tuple[str, float], least: float) -> list[Step]:
    """The steps from the names of two things and their shifts in degrees, positive to the right; below `least` degrees shifts are equal."""
    near_shift, far_shift = round(near[1], 1), round(far[1], 1)
    difference = round(near_shift - far_shift, 1)
    shifts = _SHIFTS(
        near=near[0],
        far=far[0],
        near_angle=f"{abs(near_shift):.1f}",
        far_angle=f"{abs(far_shift):.1f}",
        near_side=_side(near_shift),
        far_side=_side(far_shift),
    )
    if abs(difference) < least:
        return [shifts, _EQUAL(move="stayed in place and only turned")]
    move = "moved to its left" if difference > 0 else "moved to its right"
    return [shifts, _MORE(difference=f"{abs(difference):.1f}", more_side=_side(difference), move=move)]


def _side(across: float) -> str:
    return "right" if across >= 0 else "left"


# ---- the same object: a place on two maps ---------------------------------------------------------------------------------

_ROUND = _template(
    "From the first image to the second, the camera goes about {angle} degrees {sense} around the place, seen from above.",
    "Seen from above, the second camera is about {angle} degrees {sense} of the first one, around the same place.",
)
_FIRST = _template(
    "Seen from the first camera, the framed object is about {across} m to the {side} of the middle and {along} m {depth} the camera.",
    "In the first image, the framed object stands about {across} m {side} of the middle of the place, {along} m {depth} the camera.",
)
_SECOND = _template(
    "Seen from the second camera, this is about {across} m to the {side} of the middle and {along} m {depth} the camera.",
    "For the second camera, the same spot is about {across} m {side} of the middle and {along} m {depth} the camera.",
)
_LETTER = _template(
    "The object at this spot of the second image has the letter {letter}.",
    "In the second image, the object there is the one with the letter {letter}.",
)


def object_steps(cameras: Sequence[Camera], spot: Spot, letter: str) -> list[Step]:
    """The steps from the spot of the framed object, in metres from the middle of the place, to its letter."""
    sides = [open_ground.direction((0.0, 0.0), (camera.eye[0], camera.eye[2])) for camera in cameras]
    around = (sides[1] - sides[0] + 180) % 360 - 180
    sense = "counterclockwise" if around > 0 else "clockwise"
    return [
        _ROUND(angle=10 * floor(abs(around) / 10 + 0.5 + 1e-6), sense=sense),
        _FIRST(**_on_map(sides[0], spot)),
        _SECOND(**_on_map(sides[1], spot)),
        _LETTER(letter=letter),
    ]


def _on_map(side: float, spot: Spot) -> dict[str, str]:
    """A spot on a map with a camera at the azimuth `side` at the bottom."""
    away, bearing = open_ground.distance((0.0, 0.0), spot), open_ground.direction((0.0, 0.0), spot)
    toward, to_right = (away * component for component in open_ground.at((0.0, 0.0), bearing - side, 1.0)[::-1])
    return {
        "across": f"{abs(to_right):.1f}",
        "side": "right" if to_right >= 0 else "left",
        "along": f"{abs(toward):.1f}",
        "depth": "toward" if toward >= 0 else "away from",
    }
