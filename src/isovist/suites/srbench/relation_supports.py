"""Placement of objects that stand on, under, beside or in furniture: see `relation_scenes`."""

from __future__ import annotations

from math import dist

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine, tangent
from isovist.core.task import RejectSample, SamplingContext
from isovist.scenes import object_catalog
from isovist.scenes.camera_framing import Body, Viewpoint, aimed, extent, standing, viewpoint
from isovist.scenes.object_catalog import CatalogObject
from isovist.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, turn
from isovist.suites.srbench.relation_objects import LEAST_HIGHER, SMALL, Placed, any_of, at_bearing, confused, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_pieces import bench, block, raised, wall
from isovist.suites.srbench.relation_types import RelationType

_BOXES = frozenset({
    "bedside table", "bookcase", "cardboard box", "crate", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove",
    "suitcase", "wardrobe", "washing machine",
})  # fmt: skip
"""Categories with flat sides, which touch an adjacent object along a whole side."""


def _sideways(rng: Rng, view: Viewpoint, side: int | None = None) -> float:
    """Return a bearing toward the left (-1) or the right (1) of the image."""
    return view.azimuth + 90 * (side or rng.pick((-1, 1))) + rng.uniform(-15, 15)


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
    return setting, camera, crowded(rng, setting, camera, (first, second, beneath)), 2


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
        at = at_bearing(_sideways(rng, view, 1 if "right" in where else -1), (thing.reach + table.thing.reach) * rng.uniform(1.05, 1.3))
    body = standing(thing, at, turn(rng), rng.pick(TINTS))
    if where.startswith("on"):
        body = raised(body, table.thing.size[1])
    return _finished(rng, setting, view, (body, table), 2)


def touching(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object on a block under a table, or flush against a block; or, with a gap, on the table above the block, or beside the
    block. A gap beside the block is at least 0.3 of the mean width.
    """
    rng = plan.image_rng
    setting, above = setting_of(plan), plan.image_stratum(f"above {kind.name}", 2) == 1
    groups = tuple(things for things in any_of(setting, most=SMALL) if things[0].category in _BOXES) if not above else ()
    _, thing = _small(plan)
    thing = object_catalog.pick(rng, groups) if groups else thing
    above = above or not groups
    view = viewpoint(rng, (0.26, 0.36), (11, 24) if above else (24, 35), off=3.0)
    if above:
        wide, high = 2 * thing.reach * rng.uniform(1.0, 1.2), thing.size[1] * rng.uniform(0.5, 0.9)
        base = block(rng, wide, high, wide, (0.0, 0.0), turn(rng))
        # a table is above the block in all cases; the object is on the table or on the block
        over = high + (1.15 if truth == 0 else rng.uniform(0.12, 0.3)) * thing.size[1] + 0.1 * thing.reach
        table = bench(rng, 1.3 * wide, over, turn(rng))
        body = raised(standing(thing, (0.0, 0.0), turn(rng), rng.pick(TINTS)), base.thing.size[1] if truth == 0 else table.thing.size[1])
        return _finished(rng, setting, view, (body, base, table), 2)
    width, height, depth = thing.size
    sizes = width * rng.uniform(0.7, 1.1), height * rng.uniform(0.5, 0.9), max(depth, 0.7 * width) * rng.uniform(0.85, 1.7)
    # diagonal to the block: the bounding rectangles overlap in the image with and without a gap
    yaw = round(view.azimuth + rng.pick((-1, 1)) * rng.uniform(30, 50), 1)
    gap = 0.0 if truth == 0 else (width + sizes[0]) / 2 * rng.uniform(0.3, 0.42)
    away = round(((width + round(sizes[0], 3)) / 2 + gap) * rng.pick((-1, 1)), 3)
    body = standing(thing, (away * cosine(yaw), -away * sine(yaw)), yaw, rng.pick(TINTS))
    return _finished(rng, setting, view, (body, block(rng, *sizes, (0.0, 0.0), yaw)), 2)


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
