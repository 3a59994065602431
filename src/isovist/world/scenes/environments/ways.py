"""Straight roads and paths with an unambiguous description, for questions about the direction in which they run.

A way is a flat named object of an environment: its surface. Names are descriptions with an article, such as "the brick path", that fit
one way of the environment only.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine, tangent, wrapped
from isovist.core.scene3d import Group, Pose, SceneObject, Texture
from isovist.core.task import RejectSample
from isovist.world.scenes.environments.bounding_boxes import bounds, meets, standing
from isovist.world.scenes.environments.environment import Environment
from isovist.world.scenes.environments.footprint import Footprint, Spot
from isovist.world.scenes.environments.primitives import block, group
from isovist.world.scenes.environments.street_plan import KERB, StreetPlan

NEAREST, PATH = "the road nearest to the camera", "the brick path"
THROUGH, SIDE = "the road that continues straight through the junction", "the road that ends at the junction"
CYCLES, NO_CYCLES = "the road with red cycle lanes", "the road without cycle lanes"

KINDS: dict[str, tuple[str, ...]] = {
    "nearest": ("street", "suburban street", "waterfront", "park edge"),
    "junction": ("crossroads", "T-junction"),
    "path": ("park edge", "square"),
}
"""Kinds of ways, and the layouts that have them."""
_FLAT = 0.2
"""Greatest height in metres of the surface of a way."""
_TINTS = ("#ffffff", "#e4ded4", "#c4c4cc", "#d8dce4")
_PROBES = (5.0, 8.0, 12.0, 17.0, 23.0, 30.0)
"""Distances in metres along a way from the point nearest to the eye, at which its surface must be visible."""
_LEAST_VISIBLE = 3
_PATH_WIDTH = (2.2, 3.2)
_STEEPEST = 65.0
"""Greatest angle in degrees between a path and the perpendicular of the road or the square."""


def add(plan: StreetPlan, rng: Rng, kind: str, place: str) -> tuple[SceneObject, ...]:
    """The ways of a plan, in plan coordinates. A path and cycle lanes are added to the plan. Raises RejectSample."""
    match kind:
        case "nearest":
            return (_surface(plan.roads[0], rng.pick(_TINTS), 0.005, NEAREST),)
        case "junction":
            main, side = plan.roads
            tint = rng.pick(_TINTS)
            if place == "T-junction":
                names = THROUGH, SIDE
            else:
                number = rng.integer(0, 1)
                road = plan.roads[number]
                for sign in (-1, 1):  # red cycle lanes along both sides, below the markings of the road
                    plan.strip(road.part(sign * (road.width / 2 - 0.9), 0.0, 1.4, road.depth), "#b0483a", 0.009)
                names = (CYCLES, NO_CYCLES) if number == 0 else (NO_CYCLES, CYCLES)
            return _surface(main, tint, 0.005, names[0]), _surface(side, tint, 0.007, names[1])
        case _:
            return (_path(plan, rng, place),)


def _surface(area: Footprint, tint: str, height: float, name: str, texture: str = "asphalt") -> SceneObject:
    form = group(block((area.width, height, area.depth), (0.0, 0.0, 0.0)))
    at = (round(area.x, 3), 0.0, round(area.z, 3))
    return SceneObject(
        form, Pose(at, round(area.yaw, 1)), colour=tint, texture=Texture(texture, 3.0 if texture == "asphalt" else 1.2),
        casts_shadow=False, name=name,
    )  # fmt: skip


def _path(plan: StreetPlan, rng: Rng, place: str) -> SceneObject:
    """A straight path past the eye at any angle to the road and the houses. No object is placed on it afterwards."""
    width, turn = round(rng.uniform(*_PATH_WIDTH), 1), round(rng.uniform(-_STEEPEST, _STEEPEST), 1)
    x, z = plan.eye[0] + rng.pick((-1, 1)) * rng.uniform(1.2, 4.0), plan.eye[1]
    if place == "square":
        # both ends are within the square: the pavement of the road is in front, the houses are behind
        square = plan.ground[0]
        (x0, _, z0), (x1, _, z1) = bounds(square.geometry)
        low, high = z0 + 3.5, z1 - 0.6
        left, right = x0 + 3.5, x1 - 3.5
    else:
        edge = plan.roads[0].width / 2 + 3.0  # of the park
        low, high, left, right = edge + 0.2, edge + 40.0, plan.eye[0] - 45.0, plan.eye[0] + 45.0
    slope = tangent(turn)
    # the ends of the centre line within the rectangle, `width` metres from its sides
    ends = [low, high]
    if slope:
        ends += [z + (side - x) / slope for side in (left + width, right - width)]
    below, above = [end for end in ends if end < z], [end for end in ends if end > z]
    start = max(below, default=z)
    end = min(above, default=z)
    if end - start < 4.0:
        raise RejectSample
    middle, length = (start + end) / 2, (end - start) / cosine(turn)
    area = Footprint(x + slope * (middle - z), middle, turn, width, length)
    if not plan.free(area):
        raise RejectSample
    plan.taken.append(area)
    return _surface(area, rng.pick(("#ffffff", "#f0d8c8", "#e8c8b8")), KERB + 0.016, PATH, "bricks")


# Visibility ---------------------------------------------------------------------------------------------------------


def ways(world: Environment) -> tuple[tuple[SceneObject, float], ...]:
    """The ways of an environment that are visible far enough toward one of their two ends, each with the bearing of this end in degrees."""
    named = [solid for solid in world.objects if is_way(solid)]
    ends = [(way, _visible_end(world, way)) for way in named]
    return tuple((way, end) for way, end in ends if end is not None)


def is_way(solid: SceneObject) -> bool:
    """Whether an object is the surface of a way."""
    return bool(solid.name) and isinstance(solid.geometry, Group) and bounds(solid.geometry)[1][1] < _FLAT


def _visible_end(world: Environment, way: SceneObject) -> float | None:
    """The bearing of the end toward which most probes on the centre line are visible from the eye; None if too few are."""
    ex, ey, ez = world.eye
    (x0, _, z0), (x1, top, z1) = bounds(way.geometry)
    x, y, z = way.pose.position
    area = Footprint(x, z, way.pose.yaw, x1 - x0, z1 - z0)
    near = max(-area.depth / 2, min(area.depth / 2, area.local((ex, ez))[1]))
    obstacles = [standing(solid, world.eye).slabs for solid in world.objects if bounds(solid.geometry)[1][1] >= _FLAT]

    def is_visible(spot: Spot) -> bool:
        dx, dy, dz = spot[0] - ex, y + top - ey, spot[1] - ez
        far = (dx * dx + dy * dy + dz * dz) ** 0.5
        hits = (meets(box, (dx / far, dy / far, dz / far)) for box in obstacles)
        return not any(hit is not None and hit < far for hit in hits)

    counts = {
        sign: sum(is_visible(area.at(0.0, near + sign * step)) for step in _PROBES if abs(near + sign * step) <= area.depth / 2)
        for sign in (1, -1)
    }
    sign = max(counts, key=lambda sign: counts[sign])
    if counts[sign] < _LEAST_VISIBLE:
        return None
    return wrapped(180.0 - azimuth((sign * sine(way.pose.yaw), 0.0, sign * cosine(way.pose.yaw))))
