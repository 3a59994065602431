"""Camera move: from two images, whether the camera moved to its left, to its right, or only turned.

Things near the camera shift against things far away only if the camera moved (motion parallax). The mean shift of the image is drawn first
and independent of the key, so that the direction in which things move does not tell it. A scene is used only if both groups would be in
the second image after each of the three movements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import atan2, degrees, hypot
from typing import Any

from isovist.core.answers import LETTERS, Choice
from isovist.core.reasoning.templates import Step, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, tangent
from isovist.core.scene3d import Camera, Scene3D, projections, view
from isovist.core.summation import sum_in_order
from isovist.core.task import (
    Answers,
    Checks,
    Images,
    Question,
    Reasoning,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Shortcut,
    Task,
    identity,
)
from isovist.suites.viewpoint import cot
from isovist.world.scenes import object_catalog, open_ground, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import Body, standing
from isovist.world.scenes.distractor_types import SCENE_MOTION
from isovist.world.scenes.environments.bounding_boxes import standing_corners
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.open_ground import THINGS
from isovist.world.scenes.scene_builder import turn
from isovist.world.scenes.scene_transforms import flat_camera

LEFT, RIGHT, STAYED = "moved to its left", "moved to its right", "stayed in place and only turned"
MOVES = (LEFT, RIGHT, STAYED)
_SIGNS = (-1, 1, 0)
LEVELS = {"far": 0.08, "medium": 0.05, "short": 0.03}
"""The shift of near things against far ones in image heights; a shorter movement is harder to see."""
_VARIATION = 0.15
_SHIFT = 0.6
"""Largest mean shift of the image in image heights."""
_FOV, _WIDTH, _HEIGHT = 50.0, 768, 512
_EYE = (1.3, 1.9)
_NEAR, _FAR = (3.2, 4.0), (8.0, 10.5)
"""Ranges of the distance of both groups from the camera in metres."""
_START = 20.0
_EACH, _GAP, _MOST_HIDDEN = 4, 0.1, 0.4
_LEAST_SEEN = 2
"""Number of things of each group that both images show completely."""
_TRIES = 30
TURN_AS_MOVE, MOVE_AS_TURN = "turn as movement", "movement as turn"
_FRAME = "Nothing in the place moved between the two images. Left and right are those of the camera."
_WORDINGS = (
    "What did the camera do from the first image to the second?",
    "From the first image to the second, did the camera move to its left, move to its right, or stay in place and only turn?",
    "Which movement of the camera leads from the first image to the second?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`options`: the movements in the order shown, as indices in `MOVES`. In both 3-D scenes, the first `_EACH` objects are the near ones."""

    wording: int
    options: tuple[int, ...]
    scenes3d: tuple[Scene3D, Scene3D]


def _sample(plan: SamplingContext) -> Scene:
    rng = plan.image_rng
    key = plan.image_stratum("move", len(MOVES))
    parallax = LEVELS[plan.level] * rng.uniform(1 - _VARIATION, 1 + _VARIATION)
    shift = rng.uniform(-_SHIFT, _SHIFT)
    height, look = rng.uniform(*_EYE), turn(rng)
    near, far = rng.uniform(*_NEAR), rng.uniform(*_FAR)
    # a movement to the left by d shifts a thing at depth z to the right by f d / z
    focal = 0.5 / tangent(_FOV / 2)
    way = parallax / (focal * (1 / near - 1 / far))
    start = open_ground.at((0.0, 0.0), turn(rng), rng.uniform(0, _START))  # in the data, no place is that of a camera that stayed
    first = _camera(start, look, height)
    seconds = [_second(first, look, sign * way, shift + sign * way * focal * (1 / near + 1 / far) / 2, height) for sign in _SIGNS]
    things = rng.sample(THINGS, 2 * _EACH)
    groups = [_group(rng, [first, *seconds], start, look, away, things[at : at + _EACH]) for away, at in ((near, 0), (far, _EACH))]
    bodies = [body for group in groups for body in group]
    if any(_hides(camera, bodies) for camera in (first, *seconds)):
        raise RejectSample
    land, sky = open_ground.ground(rng, bodies)
    light = open_ground.sun(rng, look + 180)
    solids = tuple(body.solid for body in bodies)
    scenes3d = (Scene3D(solids, first, land, light, sky), Scene3D(solids, seconds[key], land, light, sky))
    options = with_key_at(plan.stratum, key, [other for other in range(len(MOVES)) if other != key], plan.item_rng)
    return Scene(plan.item_stratum("wording", len(_WORDINGS)), options, scenes3d)


def _camera(at: open_ground.Spot, look: float, height: float) -> Camera:
    """A camera that looks along an azimuth, slightly down."""
    x, z = open_ground.at(at, look, 6.0)
    eye = (round(at[0], 4), round(height, 3), round(at[1], 4))
    return Camera(eye, (round(x, 4), round(height - 1.1, 3), round(z, 4)), _FOV, width=_WIDTH, height=_HEIGHT)


def _second(first: Camera, look: float, right: float, shift: float, height: float) -> Camera:
    """The camera after a movement to its right in metres, and a rotation that shifts the image to the right by `shift` image heights."""
    at = open_ground.at((first.eye[0], first.eye[2]), look - 90, right)  # the right of one who looks along +Z is at -X
    rotation = azimuth((2 * shift * tangent(_FOV / 2), 0.0, 1.0))
    return _camera(at, round(look + rotation, 4), height)


def _group(
    rng: Rng, cameras: Sequence[Camera], start: open_ground.Spot, look: float, away: float, things: Sequence[CatalogObject]
) -> list[Body]:
    """Things at about one distance, of which at least `_LEAST_SEEN` are completely in all images. Raises RejectSample."""
    half = _WIDTH / _HEIGHT * tangent(_FOV / 2)
    for _ in range(_TRIES):
        bodies: list[Body] = []
        for thing in things:
            across, along = rng.uniform(-1.5, 1.5) * half * away, away * rng.uniform(0.93, 1.07)
            x, z = open_ground.at(open_ground.at(start, look, along), look - 90, across)
            body = standing(thing, (x, z), turn(rng))
            if all(
                open_ground.distance(open_ground.spot(body), open_ground.spot(other)) > thing.reach + other.thing.reach + _GAP
                for other in bodies
            ):
                bodies.append(body)
        if len(bodies) == len(things) and sum(all(open_ground.seen(camera, body) for camera in cameras) for body in bodies) >= _LEAST_SEEN:
            return bodies
    raise RejectSample


def _hides(camera: Camera, bodies: Sequence[Body]) -> bool:
    seen = [each for body in bodies if (each := open_ground.seen(camera, body, margin=0.0))]
    return any(not open_ground.are_clear(one, other, 0.0, _MOST_HIDDEN) for i, one in enumerate(seen) for other in seen[:i])


def _key(scene: Scene) -> int:
    """The movement of the eye along the right of the first camera."""
    first, second = map(flat_camera, scene.scenes3d)
    right, _, _ = view(first)
    moved = sum_in_order((b - a) * r for a, b, r in zip(first.eye, second.eye, right, strict=True))
    return 2 if abs(moved) < 1e-6 else int(moved > 0)


def _ask(scene: Scene) -> Question:
    options = tuple(MOVES[i] for i in scene.options)
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", Choice(options, scene.options.index(_key(scene))))


# The second key ------------------------------------------------------------------------------------------------------------


def _read(pictures: tuple[Any, ...], _text: str) -> str:
    """From the directions of projected points that both images show. A rotation shifts all bearings by one angle, a movement shifts each in
    proportion to the inverse distance: the key is the sign of the slope.
    """
    first, second = (flat_camera(picture) for picture in pictures)
    shifts: list[tuple[float, float]] = []
    for solid in pictures[0].objects:
        for point in standing_corners(solid):
            try:
                (x, y, _), (u, v, _) = (projections(camera, [point])[0] for camera in (first, second))
            except ValueError:
                continue
            if 0 <= x <= _WIDTH and 0 <= u <= _WIDTH:
                bearing, distance = _bearing(first, x, y), hypot(point[0] - first.eye[0], point[2] - first.eye[2])
                shifts.append((cosine(bearing) / distance, _bearing(second, u, v) - bearing))
    assert len(shifts) >= _LEAST_POINTS
    near, mean = (sum_in_order(values) / len(shifts) for values in zip(*shifts, strict=True))
    slope = sum_in_order((i - near) * (s - mean) for i, s in shifts) / sum_in_order((i - near) ** 2 for i, _ in shifts)
    return STAYED if abs(slope) < _STILL else LEFT if slope > 0 else RIGHT


_LEAST_POINTS, _STILL = 8, 2.0
"""The second one in degrees times metres: a movement by 3.5 cm."""


def _bearing(camera: Camera, x: float, y: float) -> float:
    """The angle of an image point to the right of the middle on the ground plane, in degrees."""
    _, (ux, _, uz), (bx, _, bz) = view(camera)
    one = camera.height / 2 / tangent(camera.fov / 2)  # pixels per metre at a depth of 1 m
    across, rise = (x - camera.width / 2) / one, (camera.height / 2 - y) / one
    level = hypot(bx, bz)  # of the viewing direction, whose upward axis leans along the ground as the camera looks down
    return degrees(atan2(across, level - rise * (ux * bx + uz * bz) / level))


# The chain of thought ---------------------------------------------------------------------------------------------------

_EQUAL = 0.5
"""Degrees: differences of two shifts below it are those of things of unequal distance, without a movement."""


def _steps(pictures: Sequence[Scene3D]) -> list[Step]:
    """From the near and the far thing that both images show completely, and that are nearest to the middle."""
    first, second = (flat_camera(picture) for picture in pictures)
    things: list[tuple[str, float]] = []
    for group in (_NEAR_ONES, _FAR_ONES):
        seen: list[tuple[float, str, float]] = []
        for solid in pictures[0].objects[group]:
            thing = object_catalog.of(solid.geometry)
            assert thing
            if all(open_ground.seen(camera, Body(thing, solid)) for camera in (first, second)):
                here, there = (_bearing(camera, *projections(camera, [solid.pose.position])[0][:2]) for camera in (first, second))
                seen.append((abs(here) + abs(there), thing.category, there - here))
        _, name, shift = min(seen)
        things.append((name, shift))
    return cot.move_steps(things[0], things[1], _EQUAL)


def _explain(scene: Scene) -> str:
    return write_chain(_steps(scene.scenes3d), _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    return step_errors(text, _steps(scene.scenes3d), _read(scene.scenes3d, ""), _ask(scene).answer)


# Errors, attributes, symmetries, rules ------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    key = _key(scene)

    def error(move: int) -> str:
        if move == key:
            return ""
        return TURN_AS_MOVE if key == 2 else MOVE_AS_TURN if move == 2 else SCENE_MOTION

    return [error(move) for move in scene.options]


def _mean_shift(scene: Scene, objects: slice) -> float:
    """The mean shift of the middles of some objects to the right, in image heights, of those in front of both cameras."""
    shifts: list[float] = []
    for solid in scene.scenes3d[0].objects[objects]:
        try:
            (x, _, _), (u, _, _) = (projections(flat_camera(picture), [solid.pose.position])[0] for picture in scene.scenes3d)
        except ValueError:
            continue
        if 0 <= x <= _WIDTH and 0 <= u <= _WIDTH:
            shifts.append((u - x) / _HEIGHT)
    return sum_in_order(shifts) / len(shifts)


def _by_shift(objects: slice, *, opposite: bool = False) -> Shortcut[Scene]:
    """Moved to the left if these things shift to the right."""

    def rule(scene: Scene, _question: Question) -> str:
        return LETTERS[scene.options.index(int((_mean_shift(scene, objects) > 0) == opposite))]

    return Shortcut(rule, "the shift of near things against far ones")


_NEAR_ONES, _FAR_ONES, _ALL_ONES = slice(_EACH), slice(_EACH, None), slice(None)
_SHORTCUTS = {
    "against the shift of the near things": _by_shift(_NEAR_ONES),
    "against the shift of the far things": _by_shift(_FAR_ONES),
    "against the mean shift": _by_shift(_ALL_ONES),
    "with the mean shift": _by_shift(_ALL_ONES, opposite=True),
}
_FEATURES: dict[str, Callable[[Scene], list[float]]] = {
    "the shift of the near things": lambda scene: [_mean_shift(scene, _NEAR_ONES)],
    "the shift of the far things": lambda scene: [_mean_shift(scene, _FAR_ONES)],
}


def _attributes(scene: Scene) -> dict[str, str]:
    shift = abs(_mean_shift(scene, _FAR_ONES))
    return {
        "movement": MOVES[_key(scene)],
        "shift of the image": f"{int(shift / 0.2) / 5:.1f}-{int(shift / 0.2) / 5 + 0.2:.1f}",
        "wording": str(scene.wording + 1),
    }


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    first, second = map(scene_transforms.from_another_side, scene.scenes3d)
    return replace(scene, scenes3d=(first, second)), identity


_MIRRORED = {LEFT: RIGHT, RIGHT: LEFT, STAYED: STAYED}


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    first, second = map(scene_transforms.in_a_mirror, scene.scenes3d)
    return replace(scene, scenes3d=(first, second)), _MIRRORED.__getitem__


TASK = Task(
    id="viewpoint/camera-move",
    version=1,
    summary="Tell from two images whether the camera moved to its left, to its right, or only turned.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=len(MOVES), balance=lambda answer: answer.canonical()),
    skills=("motion parallax",),
    levels=tuple(LEVELS),
    images=Images(size_px=512, least_px=320),
    sampling=Sampling(layout=lambda scene: scene.scenes3d),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_from_another_side, _in_a_mirror), shortcuts=_SHORTCUTS, features=_FEATURES),
    reasoning=Reasoning(_explain, _replay),
)
