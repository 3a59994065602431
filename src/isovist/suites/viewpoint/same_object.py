"""Same object: which of several like objects, lettered in a second image, is the one that is framed in the first.

The place has like objects and three different landmarks. The camera goes around it by 40 to 140 degrees. The left-right rank of the object
in the first image is crossed with that in the second, so that neither a kept nor a reversed order is right more often than chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.reasoning.templates import Step, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cross, dot, tangent, unit, wrapped
from isovist.core.scene3d import Camera, ObjectMarker, Scene3D, place, project, view
from isovist.core.scene_labels import ObjectLabel
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
from isovist.world.scenes.camera_framing import standing
from isovist.world.scenes.distractor_types import OTHER, SAME_ORDER, join_types
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.open_ground import THINGS, Seen
from isovist.world.scenes.scene_builder import turn
from isovist.world.scenes.scene_transforms import RED, flat_camera

LEVELS = {"four": 4, "six": 6}
"""Number of like objects."""
_LANDMARKS = 3
_TURN = (40.0, 140.0)
"""Range of the angle between the two sides of the camera: symmetric about 90 degrees, so that no order is kept or reversed on the whole."""
_ALIKE = tuple(thing for thing in THINGS if thing.turns in (1, 90, 180) and thing.reach < 0.6)
_RADIUS, _GAP, _MOST_HIDDEN = 2.7, 0.15, 0.12
_LEAST_OFF = 0.055
"""Least distance of two like objects in an image, from centre to centre, in image heights: their letters do not overlap."""
_TRIES, _TRIES_OF_ONE = 60, 20
SAME_PLACE, MIRRORED_ORDER, SAME_LANDMARK = "same place in the image", "mirrored order from the left", "same landmark"
_WORDINGS = (
    "Both images show the same place. Which letter in the second image marks the object that is framed in the first image?",
    "The place is photographed twice, from different sides. Find the framed object of the first image in the second image: which letter is it?",
    "Nothing was moved between the two images, only the camera. Which letter in the second image marks the framed object?",
)

Spot2 = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scene:
    """The like objects come first in both 3-D scenes, then the landmarks. `framed`: the index of the framed object; `letters`: the index of the
    letter of each like object.
    """

    wording: int
    turning_light: bool
    framed: int
    letters: tuple[int, ...]
    scenes3d: tuple[Scene3D, Scene3D]


def _sample(plan: SamplingContext) -> Scene:
    rng, k = plan.image_rng, LEVELS[plan.level]
    rank1, rank2 = divmod(plan.image_stratum("ranks", k * k), k)
    turning_light = bool(plan.image_stratum("light", 2))
    side = turn(rng)
    sides = (side, round(side + rng.pick((-1, 1)) * rng.uniform(*_TURN), 1))
    cameras = tuple(open_ground.camera(azimuth, rng.uniform(7.4, 8.6), rng.uniform(3.6, 5.2), 45.0) for azimuth in sides)
    alike = rng.pick(_ALIKE)
    landmarks = rng.sample([thing for thing in THINGS if thing is not alike], _LANDMARKS)
    yaw = turn(rng)
    for _ in range(_TRIES):
        seen = _placed(rng, cameras, [*[(alike, yaw)] * k, *((thing, turn(rng)) for thing in landmarks)])
        if seen is None:
            continue
        ranks = [_ranks([each.box.left + each.box.right for each in image[:k]]) for image in seen]
        framed = next((i for i in range(k) if (ranks[0][i], ranks[1][i]) == (rank1, rank2)), None)
        if framed is not None:
            break
    else:
        raise RejectSample
    bodies = [each.body for each in seen[0]]
    land, sky = open_ground.ground(rng, bodies)
    lights = open_ground.suns(rng, sides, turning=turning_light)
    others = rng.shuffled([place for place in range(k) if place != plan.stratum])
    letters = (*others[:framed], plan.stratum, *others[framed:])
    marks = ((ObjectMarker(framed, RED),), tuple(ObjectLabel(i, LETTERS[letter]) for i, letter in enumerate(letters)))
    solids = tuple(body.solid for body in bodies)
    scenes3d = tuple(
        Scene3D(solids, camera, land, light, sky, marked) for camera, light, marked in zip(cameras, lights, marks, strict=True)
    )
    return Scene(plan.item_stratum("wording", len(_WORDINGS)), turning_light, framed, letters, scenes3d)  # pyright: ignore[reportArgumentType] - two scenes


def _placed(rng: Rng, cameras: Sequence[Camera], things: Sequence[tuple[CatalogObject, float]]) -> list[list[Seen]] | None:
    """Objects at random spots, as each camera sees them: none hides another, and the tops of like ones have room for letters. None if one
    finds no spot.
    """
    images: list[list[Seen]] = [[] for _ in cameras]
    for thing, yaw in things:
        for _ in range(_TRIES_OF_ONE):
            body = standing(thing, open_ground.at((0.0, 0.0), rng.uniform(-180, 180), _RADIUS * rng.random() ** 0.5), yaw)
            now = [open_ground.seen(camera, body, margin=0.07) for camera in cameras]
            visible = [each for each in now if each]
            if len(visible) == len(now) and all(
                _is_clear(each, other) for each, image in zip(visible, images, strict=True) for other in image
            ):
                break
        else:
            return None
        for each, image in zip(visible, images, strict=True):
            image.append(each)
    return images


def _is_clear(one: Seen, other: Seen) -> bool:
    alike = one.body.thing is other.body.thing
    across, down = one.box.left + one.box.right - other.box.left - other.box.right, one.box.top - other.box.top
    if alike and (max(abs(across) / 2, abs(down)) < _LEAST_OFF or one.box.common(other.box)):
        return False  # a letter or a frame could be taken for that of the other one
    return open_ground.are_clear(one, other, _GAP, _MOST_HIDDEN)


def _ranks(values: Sequence[float]) -> list[int]:
    return [sum(other < value for other in values) for value in values]


def _ask(scene: Scene) -> Question:
    return Question(_WORDINGS[scene.wording], ImageOptionChoice.of("object", len(scene.letters), scene.letters[scene.framed]))


# The second key ------------------------------------------------------------------------------------------------------------


def _read(pictures: tuple[Any, ...], _text: str) -> str:
    """The letter whose ray of sight from the second camera passes nearest to that of the frame from the first camera."""
    first, second = pictures
    (frame,) = first.markers
    ray = _ray(first, frame.object_index)
    gaps = {label.letter: _gap(ray, _ray(second, label.object_index)) for label in second.markers}
    return f"object {min(gaps, key=gaps.__getitem__)}"


def _ray(picture: Scene3D, index: int) -> tuple[Vector, Vector]:
    """The eye, and the direction of the image point of the middle of an object, as a unit vector."""
    camera = flat_camera(picture)
    solid = picture.objects[index]
    low, high = bounds(solid.geometry)
    x, y, _ = project(camera, place(solid, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2)))
    right, up, back = view(camera)
    one = camera.height / 2 / tangent(camera.fov / 2)  # pixels per metre at a depth of 1 m
    across, rise = (x - camera.width / 2) / one, (camera.height / 2 - y) / one
    return camera.eye, unit(tuple(across * r + rise * u - b for r, u, b in zip(right, up, back, strict=True)))  # pyright: ignore[reportArgumentType] - three


def _gap(one: tuple[Vector, Vector], other: tuple[Vector, Vector]) -> float:
    """The distance of two lines in metres."""
    (p, a), (q, b) = one, other
    between = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
    return abs(dot(between, unit(cross(a, b))))


# The chain of thought ---------------------------------------------------------------------------------------------------


def _steps(scene: Scene, letter: str) -> list[Step]:
    first = scene.scenes3d[0].objects[scene.framed].pose.position
    return cot.object_steps([flat_camera(picture) for picture in scene.scenes3d], (first[0], first[2]), letter)


def _explain(scene: Scene) -> str:
    return write_chain(_steps(scene, LETTERS[scene.letters[scene.framed]]), _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    read = _read(scene.scenes3d, "")
    return step_errors(text, _steps(scene, read[-1]), read, _ask(scene).answer)


# Errors, attributes, symmetries, rules ------------------------------------------------------------------------------------


def _centres(scene: Scene, image: int) -> list[Spot2]:
    """The image points of the middles of all objects in image heights."""
    picture = scene.scenes3d[image]
    camera = flat_camera(picture)
    known = [solid for solid in picture.objects if object_catalog.of(solid.geometry)]
    points = [project(camera, place(solid, (0.0, bounds(solid.geometry)[1][1] / 2, 0.0))) for solid in known]
    return [(x / camera.height, y / camera.height) for x, y, _ in points]


def _depths(scene: Scene, image: int) -> list[float]:
    picture = scene.scenes3d[image]
    return [project(flat_camera(picture), solid.pose.position)[2] for solid in picture.objects[: len(scene.letters)]]


def _nearest(points: Sequence[Spot2], to: Spot2) -> int:
    return min(range(len(points)), key=lambda i: (points[i][0] - to[0]) ** 2 + (points[i][1] - to[1]) ** 2)


def _same_place(scene: Scene) -> int:
    return _nearest(_centres(scene, 1)[: len(scene.letters)], _centres(scene, 0)[scene.framed])


def _of_rank(values1: Sequence[float], values2: Sequence[float], framed: int, *, mirrored: bool) -> int:
    rank = _ranks(values1)[framed]
    return _ranks(values2).index(len(values1) - 1 - rank if mirrored else rank)


def _rank(scene: Scene, *, mirrored: bool) -> int:
    first, second = ([x for x, _ in _centres(scene, image)[: len(scene.letters)]] for image in (0, 1))
    return _of_rank(first, second, scene.framed, mirrored=mirrored)


def _depth_rank(scene: Scene, *, mirrored: bool) -> int:
    return _of_rank(_depths(scene, 0), _depths(scene, 1), scene.framed, mirrored=mirrored)


def _same_landmark(scene: Scene) -> int:
    """The like object nearest in the second image to the landmark that is nearest to the framed object in the first."""
    k, first, second = len(scene.letters), _centres(scene, 0), _centres(scene, 1)
    landmark = _nearest(first[k:], first[scene.framed])
    return _nearest(second[:k], second[k + landmark])


def _rule(object_of: Callable[[Scene], int]) -> Callable[[Scene, Question], str]:
    return lambda scene, _question: LETTERS[scene.letters[object_of(scene)]]


_TURN_OF_CAMERA = "the movement of the camera"
_SHORTCUTS = {
    "the same place in the image": Shortcut(_rule(_same_place), _TURN_OF_CAMERA),
    "the same rank from the left": Shortcut(_rule(lambda scene: _rank(scene, mirrored=False)), _TURN_OF_CAMERA),
    "the mirrored rank": Shortcut(_rule(lambda scene: _rank(scene, mirrored=True)), _TURN_OF_CAMERA),
    "the same rank in depth": Shortcut(_rule(lambda scene: _depth_rank(scene, mirrored=False)), _TURN_OF_CAMERA),
    "the mirrored rank in depth": Shortcut(_rule(lambda scene: _depth_rank(scene, mirrored=True)), _TURN_OF_CAMERA),
    "nearest to the same landmark in the image": Shortcut(_rule(_same_landmark), "depth", partial=True, bound=0.42),
}


def _errors(scene: Scene) -> Sequence[str]:
    by_object = {
        SAME_PLACE: _same_place(scene),
        SAME_ORDER: _rank(scene, mirrored=False),
        MIRRORED_ORDER: _rank(scene, mirrored=True),
        SAME_LANDMARK: _same_landmark(scene),
    }
    names = {letter: [name for name, index in by_object.items() if index == i] for i, letter in enumerate(scene.letters)}
    key = scene.letters[scene.framed]
    return ["" if place == key else join_types((*names[place], OTHER)) for place in range(len(scene.letters))]


def _disparity(scene: Scene) -> float:
    """The angle between the sides of the two cameras in degrees, unsigned."""
    first, second = (flat_camera(picture).eye for picture in scene.scenes3d)
    middle = (0.0, 0.0)
    return abs(wrapped(open_ground.direction(middle, (first[0], first[2])) - open_ground.direction(middle, (second[0], second[2]))))


def _attributes(scene: Scene) -> dict[str, str]:
    return {
        "angular disparity": str(20 * round(_disparity(scene) / 20)),
        "light": "turning" if scene.turning_light else "fixed",
        "wording": str(scene.wording + 1),
    }


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    first, second = map(scene_transforms.from_another_side, scene.scenes3d)
    return replace(scene, scenes3d=(first, second)), identity


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    first, second = map(scene_transforms.in_a_mirror, scene.scenes3d)
    return replace(scene, scenes3d=(first, second)), identity


TASK = Task(
    id="viewpoint/same-object",
    version=1,
    summary="Find an object that is framed in one image among like objects in an image from another side.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=tuple(LEVELS.values())),
    skills=("correspondence between views",),
    levels=tuple(LEVELS),
    images=Images(size_px=512, least_px=320),
    sampling=Sampling(layout=lambda scene: scene.scenes3d),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_from_another_side, _in_a_mirror), shortcuts=_SHORTCUTS),
    reasoning=Reasoning(_explain, _replay),
)
