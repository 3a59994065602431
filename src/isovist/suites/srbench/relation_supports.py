"""Placement of objects that stand on, under, beside or in furniture: see `relation_scenes`."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, cross, dot, sine, tangent, unit
from isovist.core.scene3d import Camera, Group, Pose, SceneObject, place
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_objects import LEAST_HIGHER, SMALL, Placed, any_of, at_bearing, confused, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_pieces import bench, block, raised, wall
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Body, Viewpoint, aimed, extent, standing, viewpoint
from isovist.world.scenes.environments.bounding_boxes import Slabs, meets
from isovist.world.scenes.environments.bounding_boxes import standing as box_at
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, turn

_BOXES = frozenset({
    "bedside table", "bookcase", "cardboard box", "crate", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove",
    "suitcase", "wardrobe", "washing machine",
})  # fmt: skip
"""Categories with flat sides, which touch an adjacent object along a whole side."""
LEAST_SHOWN = 0.68
"""Minimum share of the bounding box of a target that no other box occludes, for "touching or apart"; more than the share of the object
that should be visible, because a thin or hollow object does not fill its box.
"""
_RAYS = 12  # per side of the image box


def _finished(rng: Rng, setting: Setting, view: Viewpoint, targets: tuple[Body, ...], n: int) -> Placed:
    camera = aimed(view, targets)
    bodies = crowded(rng, setting, camera, targets)
    return setting, camera, bodies, n


def heights(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place two objects, one of them on a block that is higher than the other object. In half of the scenes, the raised object is so much
    nearer that it is lower in the image, by the same distance by which it is higher in the others.
    """
    rng, setting = plan.image_rng, setting_of(plan)
    red, blue = pair_of(rng, setting, fronts=(False, False))
    if max(red.span, blue.span) > 2 * SMALL:
        raise RejectSample
    up, low = (red, blue) if truth == 0 else (blue, red)
    against = plan.image_stratum(f"against {kind.name}", 2) == 1
    view = viewpoint(rng, (0.16, 0.28), (26, 40), off=3.0)
    wide = 2.05 * up.reach
    high = round(max(1.2 * low.size[1], 0.3 * up.size[1]), 3)
    beside = view.azimuth + rng.pick((-90, 90))
    yaws, tints = (turn(rng), turn(rng), turn(rng)), (rng.pick(TINTS), rng.pick(TINTS))
    ground = standing(low, (0.0, 0.0), yaws[2], tints[1])
    aside, nearer = (low.reach + up.reach) * rng.uniform(1.1, 1.4), 0.0
    wanted = rng.uniform(LEAST_HIGHER + 0.01, 0.16) * (1 if against else -1)
    for _ in range(5):
        (x, z), (u, w) = at_bearing(beside, aside), at_bearing(view.azimuth, nearer)
        place = x + u, z + w
        top = raised(standing(up, place, yaws[0], tints[0]), high)
        camera = aimed(view, (top, ground))
        a, b = extent(camera, top), extent(camera, ground)
        below = (a.top + a.bottom - b.top - b.bottom) / 2
        if abs(below - wanted) < 0.01:
            break
        nearer += (wanted - below) * 2 * tangent(view.fov / 2) * dist(camera.eye, camera.target) / sine(view.elevation)
    else:
        raise RejectSample
    beneath = block(rng, wide, high, wide, place, yaws[1])
    base = extent(camera, beneath)
    if max(a.common(b) / min(a.area, b.area), base.common(b) / b.area) > MOST_HIDDEN or base.bottom > 0.99:
        raise RejectSample
    first, second = (top, ground) if truth == 0 else (ground, top)
    return setting, camera, crowded(rng, setting, camera, (first, second, beneath)), 1 + kind.two


def _small(plan: SamplingContext) -> tuple[Setting, CatalogObject]:
    setting = setting_of(plan)
    groups = tuple(things for things in any_of(setting, most=SMALL) if not confused(things[0].category, "table wall block"))
    return setting, object_catalog.pick(plan.image_rng, groups)


def table(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object on a table, under it, or beside it."""
    rng = plan.image_rng
    setting, thing = _small(plan)
    view = viewpoint(rng, (0.24, 0.36), (6, 14), off=3.0)
    table = bench(rng, 2.2 * thing.reach, 1.2 * thing.size[1] + 0.1 * thing.reach, turn(rng))
    where = kind.options[truth]
    at = (0.0, 0.0)
    if where.startswith("to the"):
        bearing = view.azimuth + (90 if "right" in where else -90) + rng.uniform(-15, 15)
        at = at_bearing(bearing, (thing.reach + table.thing.reach) * rng.uniform(1.05, 1.3))
    body = standing(thing, at, turn(rng), rng.pick(TINTS))
    if where.startswith("on"):
        body = raised(body, table.thing.size[1])
    return _finished(rng, setting, view, (body, table), 2)


def touching(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object on a block under a table, or flush against a block; or, with a gap, on the table above the block, or beside the
    block. A gap beside the block is at least 0.3 of the mean width.

    Most of both targets must be visible, in this scene and in the scene with the other answer: so the objects, the viewing direction and
    which of the two is nearer have the same distribution for both answers.
    """
    rng = plan.image_rng
    setting, above = setting_of(plan), plan.image_stratum(f"above {kind.name}", 2) == 1
    groups = tuple(things for things in any_of(setting, most=SMALL) if things[0].category in _BOXES) if not above else ()
    _, thing = _small(plan)
    thing = object_catalog.pick(rng, groups) if groups else thing
    above = above or not groups
    view = viewpoint(rng, (0.26, 0.36), (11, 24) if above else (24, 35), off=3.0)
    scenes = _under_and_on_table(rng, thing) if above else _with_and_without_gap(rng, view, thing)
    if any(_least_shown(aimed(view, bodies), bodies) < LEAST_SHOWN for bodies in scenes):
        raise RejectSample
    setting, camera, bodies, n = _finished(rng, setting, view, scenes[truth], 2)
    if _least_shown(camera, bodies) < LEAST_SHOWN:  # the other objects may hide a part, too
        raise RejectSample
    return setting, camera, bodies, n


def _under_and_on_table(rng: Rng, thing: CatalogObject) -> tuple[tuple[Body, ...], tuple[Body, ...]]:
    """Return an object on a block under a table, and the object on a lower table above the block: the object, the block, the table."""
    wide, high = 2 * thing.reach * rng.uniform(1.0, 1.2), thing.size[1] * rng.uniform(0.5, 0.9)
    base = block(rng, wide, high, wide, (0.0, 0.0), turn(rng))
    yaw, spare = turn(rng), 0.1 * thing.reach
    high_table = bench(rng, 1.3 * wide, high + 1.15 * thing.size[1] + spare, yaw)
    low_table = bench(rng, 1.3 * wide, high + rng.uniform(0.12, 0.3) * thing.size[1] + spare, yaw)
    body = standing(thing, (0.0, 0.0), turn(rng), rng.pick(TINTS))
    return (raised(body, base.thing.size[1]), base, high_table), (raised(body, low_table.thing.size[1]), base, low_table)


def _with_and_without_gap(rng: Rng, view: Viewpoint, thing: CatalogObject) -> tuple[tuple[Body, ...], tuple[Body, ...]]:
    """Return an object flush against a block, and beside the block with a gap: the object, the block."""
    width, height, depth = thing.size
    sizes = width * rng.uniform(0.7, 1.1), height * rng.uniform(0.5, 0.9), max(depth, 0.7 * width) * rng.uniform(0.85, 1.7)
    # diagonal to the block: the bounding rectangles overlap in the image with and without a gap
    yaw = round(view.azimuth + rng.pick((-1, 1)) * rng.uniform(30, 50), 1)
    gap, side, tint = (width + sizes[0]) / 2 * rng.uniform(0.3, 0.42), rng.pick((-1, 1)), rng.pick(TINTS)
    base = block(rng, *sizes, (0.0, 0.0), yaw)

    def beside(gap: float) -> tuple[Body, ...]:
        away = round(((width + round(sizes[0], 3)) / 2 + gap) * side, 3)
        return standing(thing, (away * cosine(yaw), -away * sine(yaw)), yaw, tint), base

    return beside(0.0), beside(gap)


def _least_shown(camera: Camera, bodies: Sequence[Body]) -> float:
    """Return the visible share of the more hidden of the two targets."""
    return min(shown(camera, body, [other for other in bodies if other is not body]) for body in bodies[:2])


def shown(camera: Camera, body: Body, others: Sequence[Body]) -> float:
    """Return the visible share of the bounding box of an object, by rays from the eye; a table occludes with its board and its legs."""
    eye = camera.eye
    ahead = unit(_from(eye, camera.target))
    right = unit(cross(ahead, (0.0, 1.0, 0.0)))
    up = cross(right, ahead)
    lines = [_from(eye, corner) for corner in body.corners]
    xs, ys = ([dot(line, axis) / dot(line, ahead) for line in lines] for axis in (right, up))
    box = box_at(body.solid, eye).slabs
    nearer = [slabs for other in others for slabs in _boxes(other.solid, eye)]
    hits = visible = 0
    for i in range(_RAYS):
        x = min(xs) + (max(xs) - min(xs)) * (2 * i + 1) / (2 * _RAYS)
        for j in range(_RAYS):
            y = min(ys) + (max(ys) - min(ys)) * (2 * j + 1) / (2 * _RAYS)
            ray = ahead[0] + x * right[0] + y * up[0], ahead[1] + x * right[1] + y * up[1], ahead[2] + x * right[2] + y * up[2]
            far = meets(box, ray)
            if far is not None:
                hits += 1
                distances = (meets(slabs, ray) for slabs in nearer)
                visible += all(distance is None or distance >= far for distance in distances)
    return visible / hits


def _from(eye: Vector, point: Vector) -> Vector:
    return point[0] - eye[0], point[1] - eye[1], point[2] - eye[2]


def _boxes(solid: SceneObject, eye: Vector) -> list[Slabs]:
    """Return the bounding boxes of the parts of an object if it is a group of upright parts, otherwise its own."""
    if not isinstance(solid.geometry, Group):
        return [box_at(solid, eye).slabs]
    at = [
        SceneObject(part.geometry, Pose(place(solid, part.pose.position), solid.pose.yaw + part.pose.yaw)) for part in solid.geometry.parts
    ]
    return [box_at(part, eye).slabs for part in at]


def pen(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object inside or outside a low wall. In five of six scenes, it is in a corner of a square with one side toward the camera,
    or outside a side of a square with one corner toward the camera: at about the same position in the bounding rectangle of the wall.
    """
    rng = plan.image_rng
    setting, thing = _small(plan)
    view = viewpoint(rng, (0.26, 0.34), (27, 42), off=3.0)
    inside, reach = thing.reach * rng.uniform(6.3, 7.3), thing.reach
    usual = plan.image_stratum(f"usual {kind.name}", 6) > 0
    yaw = view.azimuth + rng.uniform(-8, 8) + (0 if truth == 0 and usual else 45)
    fence = wall(rng, inside, min(thing.size[1] * rng.uniform(0.15, 0.3), 0.08 * inside), yaw)
    room = inside / 2 - 1.12 * reach
    if truth == 0:
        u, v = (room * rng.pick((-1, 1)) * rng.uniform(0.97, 1.0) if usual else rng.uniform(-room, room) for _ in range(2))
        c, s = cosine(fence.solid.pose.yaw), sine(fence.solid.pose.yaw)
        at = u * c + v * s, v * c - u * s
    elif usual:
        far = 0.56 * inside + reach * rng.uniform(1.06, 1.12)
        at = at_bearing(fence.solid.pose.yaw + rng.pick((0, 90, 180, 270)) + rng.uniform(-4, 4), far * 1.003)
    else:
        at = at_bearing(
            view.azimuth + rng.pick((0, 90, 180, 270)) + rng.uniform(-12, 12), (fence.thing.reach + reach) * rng.uniform(1.1, 1.3)
        )
    return _finished(rng, setting, view, (standing(thing, at, turn(rng), rng.pick(TINTS)), fence), 2)
