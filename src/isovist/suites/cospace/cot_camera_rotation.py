"""Chains of thought about camera rotations: what two images share, its position in each image, and the resulting rotation.

A chain uses an object that is visible in both images. Without such an object it uses the overlap of the images. The verifier takes the
rotations from the cameras. It measures each object, and whether other objects occlude it, by the boxes of the 3-D scene.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import degrees

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import NUMBER, Step, write_chain
from isovist.core.reasoning.verifier import step_errors, steps_in
from isovist.core.rotation import unit, wrapped
from isovist.core.scene3d import Scene3D
from isovist.suites.cospace import environments, rederivation
from isovist.suites.cospace.cot_landmarks import NOISE, Sighting, measured, percent, sighted, sighting, template, whole
from isovist.suites.cospace.target_objects import countable
from isovist.suites.cospace.view_sets import Views, stages
from isovist.world.scenes.environments.bounding_boxes import meets, standing, standing_corners
from isovist.world.scenes.environments.environment import VisibleObject, once

_MARGIN = 0.25
"""Least share of an object's width between its centre and the image edge, if a chain uses the object."""
_LEAST_OVERLAP = 5.0
"""Degrees: a smaller overlap is stated as almost no overlap."""
_LEAST_VISIBLE = 0.4
"""Least unoccluded share of an object that a chain uses."""

_SHARED = template(
    "The {object} is at about {percent} percent of the width of image {first}, {angle}, and at about {second_percent} percent of the width of image {second}, {second_angle}. The camera was therefore rotated by about {rotation} degrees {sense}.",
    "From image {first} to image {second}, the {object} moves from about {percent} percent of the image width ({angle}) to about {second_percent} percent ({second_angle}), so the camera was rotated by about {rotation} degrees {sense}.",
    "Images {first} and {second} both show the {object}: {angle} in the former, at about {percent} percent of the width, and {second_angle} in the latter, at about {second_percent} percent. The camera was rotated by about {rotation} degrees {sense}.",
)
_OVERLAP = template(
    "The part of image {first} to the {side} of about {percent} percent of its width reappears at the {other} edge of image {second}. The overlap is about {overlap} of {fov} degrees, so the camera was rotated by about {rotation} degrees {sense}.",
    "Images {first} and {second} overlap by about {overlap} of {fov} degrees: the part to the {side} of about {percent} percent of the width in the former, at the {other} edge in the latter. The camera was rotated by about {rotation} degrees {sense}.",
)
_NO_OVERLAP = template(
    "Images {first} and {second} have almost no overlap, so the rotation between them is about {fov} degrees or more.",
    "There is almost no overlap between images {first} and {second}. Their headings differ by about {fov} degrees or more.",
)
_ANGLE = template(
    "Of the angles in the options, {angle} degrees matches these rotations.",
    "The angle in the options that is nearest to all of these rotations is {angle} degrees.",
    angle=NUMBER,
)
_EVEN = template(
    "Without image {odd}, every rotation is about {rotation} degrees clockwise. With image {odd}, the rotations are unequal.",
    "If image {odd} is removed, each rotation is about {rotation} degrees clockwise. No other removal leaves equal rotations.",
    rotation=NUMBER,
)
_POSITIONS = template(
    "Without image {odd}, the heading increases by about {rotation} degrees clockwise per image number. This holds for no other image.",
    "All images except image {odd} have the headings of a uniform rotation by about {rotation} degrees clockwise per image number.",
    rotation=NUMBER,
)

_Pair = tuple[int, int]
"""The indices of two images, from 0."""


def _sense(rotation: float) -> str:
    return "clockwise" if rotation > 0 else "counterclockwise"


def _shared(pair: _Pair, name: str, first: Sighting, second: Sighting) -> Step:
    """The step about an object that is visible in both images, and the resulting rotation."""
    rotation = first.angle - second.angle
    return _SHARED(
        first=pair[0] + 1,
        second=pair[1] + 1,
        object=name,
        percent=first.percent,
        angle=first.angle_text,
        second_percent=second.percent,
        second_angle=second.angle_text,
        rotation=abs(rotation),
        sense=_sense(rotation),
    )


def _overlap(pair: _Pair, rotation: float, fov: int, claim: Step | None = None) -> Step:
    """The step about the overlap of two images. Numbers are rounded as in a claim if it holds within the tolerance."""
    side, other = ("right", "left") if rotation > 0 else ("left", "right")
    degrees = whole(abs(rotation), claim and claim.number("rotation"))
    position = whole(percent(degrees - fov / 2 if rotation > 0 else fov / 2 - degrees, fov))
    fields = {"side": side, "other": other, "percent": position, "overlap": fov - degrees, "fov": fov}
    return _OVERLAP(first=pair[0] + 1, second=pair[1] + 1, **fields, rotation=degrees, sense=_sense(rotation))


def _no_overlap(pair: _Pair, fov: int) -> Step:
    return _NO_OVERLAP(first=pair[0] + 1, second=pair[1] + 1, fov=fov)


def _odd(odd: int, rotation: int, *, inserted: bool) -> Step:
    return (_EVEN if inserted else _POSITIONS)(odd=odd + 1, rotation=rotation)


def _pairs(count: int, odd: int) -> list[_Pair]:
    """The pairs of images in a chain: all neighbours, and the two neighbours of the odd image."""
    return [*pairwise(range(count)), *([(odd - 1, odd + 1)] if 0 < odd < count - 1 else [])]


@lru_cache(maxsize=16)
def _landmarks(place: environments.Somewhere) -> tuple[VisibleObject, ...]:
    """The unique and sufficiently visible objects of a place."""
    return tuple(landmark for landmark in once(environments.visible_objects(place)) if countable(landmark))


def _rotation_step(views: Views, pair: _Pair) -> Step:
    """The step that determines the rotation between two images."""
    rotation = wrapped(views.rotations_deg[pair[1]] - views.rotations_deg[pair[0]])
    shared: list[tuple[float, str, float, float]] = []
    for landmark in _landmarks(views.place):
        first, second = (wrapped(landmark.bearing - views.heading - views.rotations_deg[i]) for i in pair)
        farthest = max(abs(first), abs(second))
        if farthest + _MARGIN * landmark.width <= views.fov / 2:
            shared.append((farthest, landmark.name, first, second))
    if shared:
        _, name, first, second = min(shared)
        return _shared(pair, name, sighting(first, views.fov), sighting(second, views.fov))
    return _no_overlap(pair, views.fov) if abs(rotation) > views.fov - _LEAST_OVERLAP else _overlap(pair, rotation, views.fov)


def of_angle(views: Views, key: Answer, phrasing: int) -> str:
    """The chain of the question about the rotation angle."""
    steps = [_rotation_step(views, pair) for pair in pairwise(range(len(views.rotations_deg)))]
    return write_chain([*steps, _ANGLE(angle=round(views.rotations_deg[1] - views.rotations_deg[0]))], key, phrasing)


def of_odd_one(views: Views, odd: int, key: Answer, phrasing: int, *, inserted: bool) -> str:
    """The chain of the question about the image that breaks a uniform rotation. `odd`: index from 0; `inserted`: see `rotation_difference`."""
    pairs = _pairs(len(views.rotations_deg), odd)
    first, second = next((a, b) for a, b in pairs if odd not in (a, b) and (inserted or b - a == 1))
    last = _odd(odd, round(views.rotations_deg[second] - views.rotations_deg[first]), inserted=inserted)
    return write_chain([*(_rotation_step(views, pair) for pair in pairs), last], key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _is_visible(views: Views, name: str) -> bool:
    """Whether the name is unique and most of the object is unoccluded, by rays to points within its box."""
    pictures = stages(views)
    named = rederivation.named(pictures, name)
    if len(named) != 1:
        return False
    eye, (target,) = rederivation.camera(pictures[0]).eye, named
    target_box = standing(target, eye)
    others = [box.slabs for other in pictures[0].objects if other is not target and (box := standing(other, eye)).near < target_box.far]
    points = standing_corners(target)
    sides = [(min(axis), max(axis)) for axis in zip(*points, strict=True)]
    n_rays = n_hits = 0
    for shares in product((0.1, 0.5, 0.9), repeat=3):
        ray = unit(tuple(low + share * (high - low) - e for share, (low, high), e in zip(shares, sides, eye, strict=True)))  # pyright: ignore[reportArgumentType] - three
        distance = meets(target_box.slabs, ray)
        if distance is not None:
            n_rays += 1
            n_hits += all((hit := meets(box, ray)) is None or hit >= distance for box in others)
    return n_rays > 0 and n_hits >= _LEAST_VISIBLE * n_rays


def _rotation_between(pictures: Sequence[Scene3D], first: int, second: int) -> float:
    """The clockwise rotation between two cameras, above -180 and up to 180 degrees."""
    (step,) = rederivation.rotation_steps((pictures[first], pictures[second]))
    return degrees(phase(step))


def _expected_steps(views: Views, pairs: Sequence[_Pair], text: str) -> list[Step]:
    """The expected steps about pairs of images, each of the template that the text uses if this template can determine the rotation."""
    claims = steps_in(text, _SHARED, _OVERLAP, _NO_OVERLAP)
    return [_expected_step(views, pair, claims[k] if k < len(claims) else None) for k, pair in enumerate(pairs)]


def _expected_step(views: Views, pair: _Pair, claim: Step | None) -> Step:
    pictures = stages(views)
    first, second = (pictures[index] for index in pair)
    rotation, fov = _rotation_between(pictures, *pair), round(rederivation.camera(first).fov)
    if claim and claim.template is _SHARED and _is_visible(views, claim["object"]):
        target = rederivation.only(pictures, claim["object"])
        if max(abs(measured(picture, target)) for picture in (first, second)) <= fov / 2 + NOISE:
            positions = sighted(first, target, claim), sighted(second, target, claim, "second_angle")
            return _shared(pair, claim["object"], *positions)
    if claim and claim.template is _NO_OVERLAP and abs(rotation) >= fov - _LEAST_OVERLAP - NOISE:
        return _no_overlap(pair, fov)
    return _overlap(pair, rotation, fov, claim if claim and claim.template is _OVERLAP else None)


def replay_angle(views: Views, offered: Sequence[int], key: Answer, text: str) -> list[str]:
    """The errors of a chain about the rotation angle."""
    pairs = list(pairwise(range(len(views.rotations_deg))))
    steps = _expected_steps(views, pairs, text)
    # an angle follows if it is the nearest to each stated rotation
    rotations = [step.number("rotation") for step in steps if step.template is not _NO_OVERLAP]
    nearest = {min(offered, key=lambda angle: abs(angle - rotation)) for rotation in rotations}
    angle = round(_rotation_between(stages(views), 0, 1))
    conclusion = f"{angle} degrees" if len(rotations) == len(steps) and nearest == {angle} else "no single angle"
    return step_errors(text, [*steps, _ANGLE(angle=angle)], conclusion, key)


def replay_odd_one(views: Views, key: Answer, text: str, *, inserted: bool) -> list[str]:
    """The errors of a chain about the image that breaks a uniform rotation."""
    odd, pictures = int(key.balance_bin()) - 1, stages(views)
    remaining = [index for index in range(len(pictures)) if index != odd]
    rotations = [_rotation_between(pictures, a, b) / (1 if inserted else b - a) for a, b in pairwise(remaining)]
    rotation = round(rotations[0])
    conclusion = str(odd + 1) if all(abs(other - rotation) <= NOISE for other in rotations) else "no single image"
    steps = [*_expected_steps(views, _pairs(len(pictures), odd), text), _odd(odd, rotation, inserted=inserted)]
    return step_errors(text, steps, conclusion, key)
