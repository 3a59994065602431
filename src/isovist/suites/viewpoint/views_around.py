"""Views of one place from several sides: objects that are visible from all sides, and the orders that tell the sides apart.

Sides are numbered clockwise seen from above; side 0 is that of the camera of the main view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from isovist.core.rng import Rng
from isovist.core.rotation import tangent
from isovist.core.scene3d import Camera, Scene3D, SceneObject, project, projections, view
from isovist.core.summation import sum_in_order
from isovist.core.task import RejectSample, identity
from isovist.world.scenes import object_catalog, open_ground, scene_transforms
from isovist.world.scenes.camera_framing import Body, extent, standing
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.open_ground import THINGS, Spot
from isovist.world.scenes.scene_builder import turn
from isovist.world.scenes.scene_transforms import flat_camera

MIDDLE: Spot = (0.0, 0.0)
FOV = 64.0
"""Field of view of a view from a side, in degrees."""
MAIN = 11.4, 6.0, 37.0, 0.3
"""Distance and height in metres, field of view in degrees, and height of the aim of the camera of a main view."""
LIGHTS = FIXED, TURNING = "fixed", "turning"
"""The sun is the same in all images, or turns with the camera."""
REACH = 2.4
"""Largest distance of an object from the middle, in metres."""
_LEAST_APART, _MOST_HIDDEN = 0.2, 0.3
_LEAST_AREA = 0.0037
"""Least area of the visible part of an object's image box, in squared image heights: 400 visible pixels of 512 x 512 at half filling."""
CLEAR = 0.035
"""Least distance between two objects in the image at which their order is visible, in image heights."""
CONTRADICTIONS = 2
"""Least number of visible orders in which the views from any two sides differ."""
_TRIES = 200
_NEARER = 0.1
"""How much nearer the objects of the look that is nearest from all sides are at least, in metres."""
_GRID, _OFF = 1.65, 0.2
"""Side of the grid of rows and columns relative to `REACH`, and how far spots are off the middle of their row and column, in rows."""
_INNER, _SPREAD = 0.62, 0.3
"""Least distance of the outer spots from the middle relative to `REACH`, and how far they are off even angles, as a share of the step."""
_MOST_NEAREST = 4
"""Largest number of objects of the look that is nearest from all sides."""
_COMPACT = tuple(thing for thing in THINGS if thing.id != "punching-ball")
"""Objects that fill their image box."""
_FEW = tuple(thing for thing in _COMPACT if thing.reach <= 0.42 and thing.size[1] <= 1.0)
"""Objects of which many fit in a place."""
MIDDLE_NAME = "middle"
Feet = Sequence[tuple[float, float]]
"""Where objects stand in an image: x to the right and y down, in image heights."""
Shown = Sequence[tuple[str, float, float]]
"""Objects in an image: the look, x to the right and y down, in image heights."""


def main_camera(side: float) -> Camera:
    """The camera of a main view at the azimuth `side`, high and far enough to show what stands around the place."""
    return replace(open_ground.camera(side, *MAIN), width=768)


def side_camera(side: float, away: float, height: float) -> Camera:
    """A camera `away` metres from the middle, at which it looks."""
    return open_ground.camera(side, away, height, FOV)


def spot_at(side: float, away: float) -> Spot:
    return open_ground.at(MIDDLE, side, away)


# Sampling ---------------------------------------------------------------------------------------------------------------


def arranged(
    rng: Rng, n: int, sides: Sequence[Camera], fits: Callable[[Sequence[Body]], bool], *, alike: bool, middle: bool = False
) -> list[Body]:
    """`n` objects that fit, of different looks or of three, for which the images from any two sides differ in enough visible orders.

    `alike`: the object nearest to the camera has the same look from all sides, so that the nearest look tells no side. `middle`: the middle of
    the place counts as an object, and orders of nearer and farther count, too. Raises RejectSample.
    """
    for _ in range(_TRIES):
        things = rng.sample(_FEW if alike else _COMPACT, 3 if alike else n)
        reaches = [max(thing.reach for thing in things)] * n if alike else [thing.reach for thing in things]
        spots = _crossed(rng, reaches, sides[0]) if len(sides) == 4 else _scattered(rng, reaches, rng.integer(3, 4) if alike else 0)
        if spots is None:
            continue
        near = nearest_of_all(sides, spots) if alike else set[int]()
        if len(near) > _MOST_NEAREST:
            continue
        views = [_feet(camera, [*spots, MIDDLE] if middle else spots) for camera in sides]
        looks = _looks(rng, near, n, views, middle) if alike else [*range(n)] if _differ(views, range(n), middle=middle) else None
        if looks is None:
            continue
        bodies = [standing(things[look], spot, turn(rng)) for look, spot in zip(looks, spots, strict=True)]
        if fits(bodies):
            return bodies
    raise RejectSample


def _looks(rng: Rng, near: set[int], n: int, views: Sequence[Feet], middle: bool) -> list[int] | None:
    """A look for each spot, 0 for the nearest ones, with which the views differ; None if there is none."""
    first, *others = (i for i in range(n) if i not in near)
    seconds = [{first, *more} for k in range(len(others)) for more in combinations(others, k)]
    for second in rng.shuffled(seconds):
        looks = [0 if i in near else 1 if i in second else 2 for i in range(n)]
        if _differ(views, looks, middle=middle):
            return looks
    return None


def _scattered(rng: Rng, reaches: Sequence[float], outer: int) -> list[Spot] | None:
    """Spots of which the first `outer` are spread around near the edge of the place and the others away from it; with 0, anywhere."""
    spots, first = list[Spot](), rng.uniform(-180, 180)
    for _ in range(8 * len(reaches)):
        i = len(spots)
        angle = first + (i + rng.uniform(-_SPREAD, _SPREAD)) * 360 / outer if i < outer else rng.uniform(-180, 180)
        low, high = ((_INNER, 1.0) if i < outer else (0.0, _INNER)) if outer else (0.0, 1.0)
        spot = open_ground.at(MIDDLE, angle, REACH * rng.uniform(low**2, high**2) ** 0.5)
        if all(_are_apart(spot, other, reaches[len(spots)] + reaches[i]) for i, other in enumerate(spots)):
            spots.append(spot)
        if len(spots) == len(reaches):
            return spots
    return None


def _are_apart(a: Spot, b: Spot, reach: float) -> bool:
    return open_ground.distance(a, b) > reach + _LEAST_APART


def _crossed(rng: Rng, reaches: Sequence[float], side: Camera) -> list[Spot] | None:
    """Spots of which no two are in line with one of the four sides: each has its own row and column of a grid along the sides."""
    n = len(reaches)
    step = _GRID * REACH / n
    columns, rows = ([step * (k - (n - 1) / 2 + rng.uniform(-_OFF, _OFF)) for k in rng.shuffled(range(n))] for _ in range(2))
    ahead = open_ground.direction(MIDDLE, (side.eye[0], side.eye[2]))
    spots = [open_ground.at(open_ground.at(MIDDLE, ahead, u), ahead + 90, v) for u, v in zip(columns, rows, strict=True)]
    if max(open_ground.distance(MIDDLE, spot) for spot in spots) > REACH:
        return None
    pairs = combinations(zip(spots, reaches, strict=True), 2)
    return spots if all(_are_apart(a, b, one + other) for (a, one), (b, other) in pairs) else None


def nearest_of_all(sides: Sequence[Camera], spots: Sequence[Spot]) -> set[int]:
    """The objects that are nearest to a camera, by the distance and by the depth in its image, or almost."""
    near: set[int] = set()
    for camera in sides:
        distances = [open_ground.distance((camera.eye[0], camera.eye[2]), spot) for spot in spots]
        depths = [depth for _, _, depth in projections(camera, [(x, 0.0, z) for x, z in spots])]
        near |= {i for values in (distances, depths) for i, value in enumerate(values) if value < min(values) + _NEARER}
    return near


def _feet(camera: Camera, spots: Sequence[Spot]) -> Feet:
    return [(x / camera.height, y / camera.height) for x, y, _ in projections(camera, [(x, 0.0, z) for x, z in spots])]


def _differ(views: Sequence[Feet], looks: Sequence[int], *, middle: bool) -> bool:
    """Whether any two views differ in enough visible orders. Neighbouring sides, which differ least, come first."""
    names = [*map(str, looks), *([MIDDLE_NAME] if middle else [])]
    n, shown = len(views), [[(name, *at) for name, at in zip(names, feet, strict=True)] for feet in views]
    return all(
        contradictions(shown[i], shown[(i + off) % n], depth=middle) >= CONTRADICTIONS for off in range(1, n // 2 + 1) for i in range(n)
    )


def are_visible(camera: Camera, bodies: Sequence[Body]) -> bool:
    """Whether each body is in the image, large enough, and little of it hidden."""
    boxes = [extent(camera, body) for body in bodies]
    if not all(open_ground.is_inside(camera, box) for box in boxes):
        return False
    depths = [depth for _, _, depth in projections(camera, [body.middle for body in bodies])]
    for box, depth in zip(boxes, depths, strict=True):
        hidden = sum_in_order(box.common(other) for other, near in zip(boxes, depths, strict=True) if near < depth)
        if hidden > _MOST_HIDDEN * box.area or box.area - hidden < _LEAST_AREA:
            return False
    return True


# Orders in images ---------------------------------------------------------------------------------------------------------


def contradictions(one: Shown, other: Shown, *, depth: bool = False) -> int:
    """The number of pairs that are visibly in another order, left to right, in another view; `depth`: also far to near.

    Objects of one look are matched in their order, with which the number is smallest.
    """
    across = _contradictions([(look, x) for look, x, _ in one], [(look, x) for look, x, _ in other])
    return across + (_contradictions([(look, y) for look, _, y in one], [(look, y) for look, _, y in other]) if depth else 0)


def _contradictions(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> int:
    matched = [(look, x, y) for (look, x), (_, y) in zip(sorted(one), sorted(other), strict=True)]
    return sum(
        (x < u) != (y < v) and abs(x - u) >= CLEAR and abs(y - v) >= CLEAR
        for (look, x, y), (other_look, u, v) in combinations(matched, 2)
        if look != other_look
    )


def things_in(picture: Scene3D) -> list[tuple[SceneObject, CatalogObject]]:
    """The objects of the catalogue in a picture except for people."""
    known = [(solid, object_catalog.of(solid.geometry)) for solid in picture.objects]
    return [(solid, thing) for solid, thing in known if thing and thing.broad != "Person"]


def shown_in(picture: Scene3D) -> Shown:
    """The objects in a drawn picture, by the middle of their footprint, in image heights."""
    camera, things = flat_camera(picture), things_in(picture)
    feet = projections(camera, [solid.pose.position for solid, _ in things])
    return [(thing.id, x / camera.height, y / camera.height) for (_, thing), (x, y, _) in zip(things, feet, strict=True)]


# Reading a main view ----------------------------------------------------------------------------------------------------


def on_ground(camera: Camera, x: float, y: float) -> Spot:
    """The point of the ground at a pixel."""
    right, upward, back = view(camera)
    size = camera.height / 2 / tangent(camera.fov / 2)
    across, down = (x - camera.width / 2) / size, (y - camera.height / 2) / size
    ray = tuple(a * across - b * down - c for a, b, c in zip(right, upward, back, strict=True))
    far = -camera.eye[1] / ray[1]
    return camera.eye[0] + far * ray[0], camera.eye[2] + far * ray[2]


def foot(camera: Camera, solid: SceneObject) -> Spot:
    """Where an object stands, read off its place in the image."""
    x, y, _ = project(camera, solid.pose.position)
    return on_ground(camera, x, y)


def seen_from(eye: Spot, target: Spot, height: float, things: Sequence[tuple[str, Spot]]) -> Shown:
    """The objects of a plan of the place in the image of a camera above `eye`, as `side_camera` makes it, that looks at `target`."""
    camera = Camera((eye[0], height, eye[1]), (target[0], open_ground.AIM, target[1]), FOV)
    return [(look, x, y) for (look, _), (x, y) in zip(things, _feet(camera, [spot for _, spot in things]), strict=True)]


# Changes of a scene -----------------------------------------------------------------------------------------------------


def changed(scene: Any, change: Callable[[Scene3D], Scene3D]) -> Any:
    """A scene with a change of each of its `images`."""
    return replace(scene, images=tuple(change(image) for image in scene.images))


def from_another_side(scene: Any) -> tuple[Any, Callable[[str], str]]:
    """The metamorphic relation of `scene_transforms.from_another_side`: the answer is the same."""
    return changed(scene, scene_transforms.from_another_side), identity
