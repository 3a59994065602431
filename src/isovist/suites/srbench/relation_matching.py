"""Placement of two objects so that each answer of a question has the same image rectangles.

The rectangles of the two objects are sampled first. Then the objects are placed for every answer so that they appear at these
rectangles: toward or away from the camera, on a block, with a scale. A scene is accepted only if this is possible for every answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import dist, exp, hypot, log, radians, sqrt, tan

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, sine, tangent
from isovist.core.scene3d import Camera, project
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_objects import LEAST_HIGHER, Placed, at_bearing, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_pieces import block, raised
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes.camera_framing import Body, Extent, Viewpoint, aimed, extent, standing, viewpoint
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, turn

BESIDE = 0.01
"""Minimum horizontal gap in image heights between two objects of which one is left of the other."""
NEXT_TO, FAR = (1.0, 1.3), (5.0, 6.5)
"""Distances of the centres of two objects in sums of their reaches (half diagonals of the footprints)."""
_CLOSE = 0.006
"""Maximum difference in image heights between the wanted and the actual offset of the rectangles; relative for sizes."""
_STEPS = 8
_MOST_SCALED = 1.45
_SIDES = "to the left of it", "to the right of it"
_NEAR = "in front of it", "nearer"


@dataclass(frozen=True, slots=True)
class Offset:
    """The offset of the centre of the red rectangle from that of the blue one, in image heights, and the logarithm of the ratio of their sizes."""

    across: float
    down: float
    larger: float


def offset(camera: Camera, red: Body, blue: Body) -> Offset:
    a, b = extent(camera, red), extent(camera, blue)
    return Offset((a.left + a.right - b.left - b.right) / 2, (a.top + a.bottom - b.top - b.bottom) / 2, log(a.area / b.area) / 2)


Place = Callable[[float, float, float], tuple[Body, ...]]
"""The bodies, red and blue first, for an offset of red from blue to the right of the image and up in metres, and a scale of red."""


def solved(view: Viewpoint, place: Place, wanted: Offset) -> tuple[Camera, tuple[Body, ...]]:
    """Return the camera and the bodies at which the image rectangles have an offset. Raises RejectSample if there are none."""
    right, up, scale = 0.0, 0.0, 1.0
    for _ in range(_STEPS):
        bodies = place(right, up, scale)
        camera = aimed(view, bodies[:2])
        now = offset(camera, *bodies[:2])
        across, down, larger = wanted.across - now.across, wanted.down - now.down, wanted.larger - now.larger
        if max(map(abs, (across, down, larger))) < _CLOSE:
            return camera, bodies
        metres = 2 * tangent(view.fov / 2) * dist(camera.eye, camera.target)
        right, up = round(right + across * metres, 3), round(up - down * metres, 3)
        scale = round(scale * exp(larger), 3)
        if not 1 / _MOST_SCALED < scale < _MOST_SCALED:
            raise RejectSample
    raise RejectSample


def beside(camera: Camera, red: Body, blue: Body) -> bool:
    """Return whether the ranges of the two objects in x are disjoint."""
    a, b = extent(camera, red), extent(camera, blue)
    return a.right + BESIDE <= b.left or b.right + BESIDE <= a.left


def _one_nearer(camera: Camera, red: Body, blue: Body) -> bool:
    """Return whether the ranges of the two objects in distance from the camera are disjoint."""
    (a, b), (c, d) = ((min(depths), max(depths)) for depths in ([project(camera, at)[2] for at in body.corners] for body in (red, blue)))
    return b < c or d < a


def scaled(body: Body, scale: float) -> Body:
    return replace(body, solid=replace(body.solid, scale=scale))


def shared_block(
    view: Viewpoint,
    things: tuple[CatalogObject, CatalogObject],
    yaws: tuple[float, float],
    tints: tuple[str | None, str | None],
    back: float,
    look: Rng,
) -> Place:
    """Return a placement of red `back` metres farther from the camera than blue. The higher of the two is on a block."""

    def place(right: float, up: float, scale: float) -> tuple[Body, ...]:
        (x, z), (u, w) = at_bearing(view.azimuth + 90, right), at_bearing(view.azimuth + 180, back)
        red = scaled(standing(things[0], (x + u, z + w), yaws[0], tints[0]), scale)
        blue = standing(things[1], (0.0, 0.0), yaws[1], tints[1])
        upper = red if up > 0 else blue
        if not up:
            return red, blue
        wide = 2 * upper.thing.reach * upper.solid.scale * 1.02
        x, _, z = upper.solid.pose.position
        base = block(look.at(), wide, abs(up), wide, (x, z), upper.solid.pose.yaw)
        top = raised(upper, base.thing.size[1])
        return (top, blue, base) if up > 0 else (red, top, base)

    return place


def visible(camera: Camera, bodies: Sequence[Body]) -> bool:
    """Return whether the two objects and the block hide little of each other, and the block is in the image."""
    red, blue, *blocks = (extent(camera, body) for body in bodies)
    if red.common(blue) > MOST_HIDDEN * min(red.area, blue.area) or not blocks:
        return False
    (base,) = blocks
    low = bodies[1] if bodies[0].solid.pose.position[1] else bodies[0]
    box = extent(camera, low)
    inside = base.bottom < 0.99 and base.left > 0.01 and base.right < camera.width / camera.height - 0.01
    return inside and base.common(box) <= MOST_HIDDEN * box.area


def in_depth(
    plan: SamplingContext,
    kind: RelationType,
    truth: int,
    setting: Setting,
    things: tuple[CatalogObject, CatalogObject],
    yaws: tuple[float, float],
) -> Placed:
    """Place one of two objects on a block. It is higher in the image, and about as often the nearer as the farther object.

    Both depths, and of four options the side on which red is in the image, have the same rectangles.
    """
    rng, four = plan.image_rng, len(kind.options) == 4
    view = replace(viewpoint(rng, (0.16, 0.26), (5.0, 9.0), off=3.0), fov=round(rng.uniform(14, 22), 1))
    option = kind.options[truth]
    side = _SIDES.index(option) if option in _SIDES else rng.integer(0, 1)
    sign = (-1, 1)[side]
    red, blue = (extent_at(view, thing.size, yaw) for thing, yaw in zip(things, yaws, strict=True))
    ratio = log(red.area / blue.area) / 2
    # mean size of the targets is `share`
    unit = view.share / ((red.area**0.5 + blue.area**0.5) / 2)
    wide = (red.width + blue.width) / 2 * unit
    across = sign * (wide * rng.uniform(1.05, 1.25) if four else wide * rng.uniform(0.2, 1.2))
    down = rng.pick((-1, 1)) * rng.uniform(LEAST_HIGHER + 0.04, 0.26)
    wanted, tints = Offset(across, down, ratio), (rng.pick(TINTS), rng.pick(TINTS))
    aside = abs(across) / unit  # metres
    least = (things[0].reach + things[1].reach) * rng.uniform(1.1, 1.4)
    back = max(least, aside / tan(radians(rng.uniform(18, 24)))) if four else max(least, aside / tan(radians(rng.uniform(35, 50))))
    offs = {_SIDES[side]: aside * rng.uniform(-0.36, 0.36)} if four else {}
    offs |= {name: (-back if name in _NEAR else back) for name in kind.options if name not in _SIDES}
    looks = rng.at("block")
    made: dict[str, tuple[Camera, tuple[Body, ...]]] = {}
    for name, away in offs.items():
        camera, bodies = solved(view, shared_block(view, things, yaws, tints, away, looks), wanted)
        # the upper object is on the block for every answer
        if (bodies[0].solid.pose.position[1] > 0) == (down > 0) or not visible(camera, bodies):
            raise RejectSample
        if not (beside if name in _SIDES else _one_nearer)(camera, *bodies[:2]):
            raise RejectSample
        made[name] = camera, bodies
    camera, bodies = made[option]
    return setting, camera, crowded(rng, setting, camera, bodies), 2


def nearness(plan: SamplingContext, _kind: RelationType, truth: int) -> Placed:
    """Place two objects next to each other or far from each other, one of them on a block. A large distance lies mostly in depth, so the
    image rectangles are the same.
    """
    rng, setting = plan.image_rng, setting_of(plan)
    things = pair_of(rng, setting, fronts=(False, False))
    view = replace(viewpoint(rng, (0.15, 0.21), (3.0, 5.0), off=2.0), fov=round(rng.uniform(10, 14), 1))
    yaws, tints, looks = (turn(rng), turn(rng)), (rng.pick(TINTS), rng.pick(TINTS)), rng.at("block")
    red, blue = (extent_at(view, thing.size, yaw) for thing, yaw in zip(things, yaws, strict=True))
    unit = view.share / ((red.area**0.5 + blue.area**0.5) / 2)
    reaches = things[0].reach + things[1].reach
    aside = reaches * rng.uniform(0.1, 1.2)
    down = rng.pick((-1, 1)) * rng.uniform(0.1, 0.38)
    wanted = Offset(rng.pick((-1, 1)) * aside * unit, down, log(red.area / blue.area) / 2)
    made: list[tuple[Camera, tuple[Body, ...]]] = []
    for apart in (NEXT_TO, FAR):
        distance = reaches * rng.uniform(*apart)
        if distance <= aside:
            raise RejectSample
        back = rng.pick((-1, 1)) * sqrt(distance**2 - aside**2)
        camera, bodies = solved(view, shared_block(view, things, yaws, tints, back, looks), wanted)
        (x, _, z), (u, _, w) = (body.solid.pose.position for body in bodies[:2])
        sizes = bodies[0].thing.reach * bodies[0].solid.scale + bodies[1].thing.reach
        if (bodies[0].solid.pose.position[1] > 0) == (down > 0) or not visible(camera, bodies):
            raise RejectSample
        if not apart[0] <= hypot(x - u, z - w) / sizes <= apart[1]:
            raise RejectSample
        made.append((camera, bodies))
    camera, bodies = made[truth]
    return setting, camera, crowded(rng, setting, camera, bodies), 2


def heights_matched(
    plan: SamplingContext, kind: RelationType, truth: int, setting: Setting, things: tuple[CatalogObject, CatalogObject]
) -> Placed:
    """Place two objects, one of them on a block that is higher than the other object. The image rectangles are the same for both answers:
    the raised object is so much nearer or farther.
    """
    rng = plan.image_rng
    view = replace(viewpoint(rng, (0.15, 0.22), (26.0, 38.0), off=3.0), fov=round(rng.uniform(16, 24), 1))
    yaws, tints = (turn(rng), turn(rng)), (rng.pick(TINTS), rng.pick(TINTS))
    red, blue = (extent_at(view, thing.size, yaw) for thing, yaw in zip(things, yaws, strict=True))
    unit = view.share / ((red.area**0.5 + blue.area**0.5) / 2)
    wanted = Offset(
        rng.pick((-1, 1)) * (red.width + blue.width) / 2 * unit * rng.uniform(1.0, 1.3),
        rng.pick((-1, 1)) * rng.uniform(LEAST_HIGHER + 0.01, 0.16),
        log(red.area / blue.area) / 2,
    )
    looks, turned = rng.at("block"), turn(rng)
    made: list[tuple[Camera, tuple[Body, ...]]] = []
    for nth in range(2):
        up, low = things[nth], things[1 - nth]

        def place(
            right: float, above: float, scale: float, nth: int = nth, up: CatalogObject = up, low: CatalogObject = low
        ) -> tuple[Body, ...]:
            sizes = (scale, 1.0)
            high = round(max(1.22 * low.size[1] * sizes[1 - nth], 0.3 * up.size[1] * sizes[nth]), 3)
            # metres up in the image, as a distance from the camera along the ground
            farther = (above + (-high if nth == 0 else high) * cosine(view.elevation)) / sine(view.elevation)
            (x, z), (u, w) = at_bearing(view.azimuth + 90, right), at_bearing(view.azimuth + 180, farther)
            targets = [
                scaled(standing(things[0], (x + u, z + w), yaws[0], tints[0]), scale),
                standing(things[1], (0.0, 0.0), yaws[1], tints[1]),
            ]
            top = targets[nth]
            wide = 2.05 * up.reach * sizes[nth]
            x, _, z = top.solid.pose.position
            base = block(looks.at(), wide, high, wide, (x, z), turned)
            targets[nth] = raised(top, high)
            return *targets, base

        made.append(solved(view, place, wanted))
        if not visible(*made[-1]):
            raise RejectSample
    camera, bodies = made[truth]
    return setting, camera, crowded(rng, setting, camera, bodies), 1 + kind.two


def extent_at(view: Viewpoint, size: Vector, yaw: float) -> Extent:
    """Return the image rectangle of a box at a yaw, in metres, from far away."""
    w, h, d = size
    turned = yaw - view.azimuth
    wide = w * abs(cosine(turned)) + d * abs(sine(turned))
    deep = w * abs(sine(turned)) + d * abs(cosine(turned))
    return Extent(0.0, 0.0, wide, h * cosine(view.elevation) + deep * sine(view.elevation))
