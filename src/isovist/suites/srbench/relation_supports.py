"""Placement of objects that stand on, under, beside or in furniture: see `relation_scenes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, cross, dot, sine, unit
from isovist.core.scene3d import Camera, Group, Pose, SceneObject, place
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_matching import heights_matched
from isovist.suites.srbench.relation_objects import SMALL, Placed, any_of, at_bearing, confused, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_pieces import bench, block, raised, wall
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Body, Viewpoint, aimed, standing, viewpoint
from isovist.world.scenes.environments.bounding_boxes import Slabs, meets
from isovist.world.scenes.environments.bounding_boxes import standing as box_at
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import TINTS, Setting, turn

_BOXES = frozenset({
    "bedside table", "bookcase", "cardboard box", "crate", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove",
    "wardrobe", "washing machine",
})  # fmt: skip
"""Categories with flat sides, which touch an adjacent object along a whole side."""
LEAST_SHOWN = 0.68
"""Minimum share of the bounding box of a target that no other box occludes, for "touching or apart"; more than the share of the object
that should be visible, because a thin or hollow object does not fill its box.
"""
_LEAST_OF_GAP, _THIN = 0.35, 0.005
"""Minimum visible share of the ground in a gap, and the height in metres of a body that stands for it."""
_RAYS = 12  # per side of the image box


def _finished(rng: Rng, setting: Setting, view: Viewpoint, targets: tuple[Body, ...], n: int) -> Placed:
    camera = aimed(view, targets)
    bodies = crowded(rng, setting, camera, targets)
    return setting, camera, bodies, n


def heights(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place two objects, one of them on a block: see `relation_matching.heights_matched`."""
    rng, setting = plan.image_rng, setting_of(plan)
    red, blue = pair_of(rng, setting, fronts=(False, False))
    if max(red.span, blue.span) > 2 * SMALL:
        raise RejectSample
    return heights_matched(plan, kind, truth, setting, (red, blue))


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


def touching(plan: SamplingContext, _kind: RelationType, truth: int) -> Placed:
    """Place an object flush against a block, or beside it with a gap of at least 0.3 of the mean width. The block without a gap is wider and
    less deep: at about 45 degrees to the camera its image rectangle is the same. Most of both targets, and a part of the gap, must be
    visible.
    """
    rng, setting = plan.image_rng, setting_of(plan)
    groups = tuple(things for things in any_of("alone", most=SMALL) if things[0].category in _BOXES)
    thing = object_catalog.pick(rng, groups)
    width, height, depth = thing.size
    # from far away, so that a deep block is not larger in the image than a wide one
    view = replace(viewpoint(rng, (0.26, 0.36), (30, 46), off=3.0), fov=round(rng.uniform(13, 18), 1))
    yaw = round(view.azimuth + rng.pick((-1, 1)) * rng.uniform(43, 47), 1)
    narrow, side, looks = width * rng.uniform(0.45, 0.8), rng.pick((-1, 1)), rng.at("block")
    gap = (width + narrow) / 2 * rng.uniform(0.31, 0.5)
    more = 2 * gap
    deep, high = max(depth, 0.7 * width) * rng.uniform(0.6, 1.4), height * rng.uniform(0.35, 0.7)
    sizes = (narrow + more, high, deep), (narrow, high, deep + more * abs(cosine(yaw - view.azimuth) / sine(yaw - view.azimuth)))
    away = round((width + round(sizes[0][0], 3)) / 2, 3) * side
    red = standing(thing, (away * cosine(yaw), -away * sine(yaw)), yaw, rng.pick(TINTS))
    scenes = [(red, block(looks.at(), *size, (0.0, 0.0), yaw)) for size in sizes]
    middle = side * (narrow + gap) / 2
    ground = block(looks.at(), gap, _THIN, min(depth, sizes[1][2]), (middle * cosine(yaw), -middle * sine(yaw)), yaw)
    seen = shown(aimed(view, scenes[1]), ground, scenes[1])
    if seen < _LEAST_OF_GAP or any(_least_shown(aimed(view, bodies), bodies) < LEAST_SHOWN for bodies in scenes):
        raise RejectSample
    setting, camera, bodies, n = _finished(rng, setting, view, scenes[truth], 2)
    if _least_shown(camera, bodies) < LEAST_SHOWN:  # the other objects may hide a part, too
        raise RejectSample
    return setting, camera, bodies, n


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


def pen(plan: SamplingContext, _kind: RelationType, truth: int) -> Placed:
    """Place an object in a quarter of the bounding rectangle of a low wall. The wall encloses the other three quarters with it, or without
    it: the position in the rectangle has the same distribution for both answers.
    """
    rng = plan.image_rng
    setting, thing = _small(plan)
    view = viewpoint(rng, (0.26, 0.34), (27, 42), off=3.0)
    inside = thing.reach * rng.uniform(6.0, 7.0)
    yaw = view.azimuth + rng.uniform(-8, 8) + rng.pick((0, 90, 180, 270))
    notch, quarter = (rng.pick((-1, 1)), rng.pick((-1, 1))), rng.integer(1, 3)
    fence = wall(rng, inside, min(thing.size[1] * rng.uniform(0.15, 0.3), 0.08 * inside), yaw, notch)
    # one of the other three quarters, or the one that the wall leaves out
    signs = notch if truth else tuple(-sign if quarter >> axis & 1 else sign for axis, sign in enumerate(notch))
    u, v = (sign * inside / 4 * rng.uniform(0.98, 1.1) for sign in signs)
    c, s = cosine(fence.solid.pose.yaw), sine(fence.solid.pose.yaw)
    return _finished(rng, setting, view, (standing(thing, (u * c + v * s, v * c - u * s), turn(rng), rng.pick(TINTS)), fence), 2)
