"""Straight roads and paths with an unambiguous description, for questions about the direction in which they run.

A way is a flat named object of an environment: its surface. Names are descriptions with an article, such as "the brick path", that fit
one way of the environment only.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Group, Pose, SceneObject, Texture
from isovist.core.task import RejectSample
from isovist.world.scenes.environments.bounding_boxes import bounds, meets, standing
from isovist.world.scenes.environments.environment import Environment
from isovist.world.scenes.environments.footprint import Footprint, Spot
from isovist.world.scenes.environments.primitives import block, group
from isovist.world.scenes.environments.street_plan import KERB, StreetPlan

_TINTS = ("#ffffff", "#e4ded4", "#c4c4cc", "#d8dce4")
NEAREST = "the road nearest to the camera"
PATHS = (
    ("the brick path", "bricks", ("#ffffff", "#f0d8c8", "#e8c8b8")),
    ("the asphalt path", "asphalt", _TINTS),
    ("the gravel path", "gravel", ("#f8ecd0", "#f0dcb8")),
)
"""Paths by name: texture and tints."""
THROUGH, SIDE = "the road that continues straight through the junction", "the road that ends at the junction"
CYCLES, NO_CYCLES = "the road with red cycle lanes", "the road without cycle lanes"

KINDS: dict[str, tuple[str, ...]] = {
    "nearest": ("street", "suburban street", "waterfront", "park edge"),
    "junction": ("crossroads", "T-junction"),
    "path": ("park edge", "square"),
}
"""Kinds of ways, and the layouts that have them: one road, two roads, or three paths."""
_FLAT = 0.2
"""Greatest height in metres of the surface of a way."""
_PROBES = (5.0, 8.0, 12.0, 17.0, 23.0, 30.0)
"""Distances in metres along a way from the point nearest to the eye, at which its surface must be visible."""
_LEAST_VISIBLE = 3
_PATH_WIDTH = (2.2, 3.2)
_BESIDE = (0.5, 2.5)
"""Distance in metres from the eye to the centre line of a path."""
_BENT = 5.0
"""Greatest difference in degrees between the direction of a path and that of three paths at equal angles."""
_INTO_THE_PARK = (13.0, 26.0)
"""Distance in metres from the edge of a park to the eye of a question about a path."""


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
            return _paths(plan, rng, place)


def _surface(area: Footprint, tint: str, height: float, name: str, texture: str = "asphalt") -> SceneObject:
    form = group(block((area.width, height, area.depth), (0.0, 0.0, 0.0)))
    at = (round(area.x, 3), 0.0, round(area.z, 3))
    return SceneObject(
        form, Pose(at, round(area.yaw, 1)), colour=tint, texture=Texture(texture, 3.0 if texture == "asphalt" else 1.2),
        casts_shadow=False, name=name,
    )  # fmt: skip


def _paths(plan: StreetPlan, rng: Rng, place: str) -> tuple[SceneObject, ...]:
    """Three paths past the eye at about 60 degrees to each other, at any angle to the road and the houses. No object is placed on them
    afterwards.

    For three such paths, the extent of all paths in each image does not depend on the direction of any of them.
    """
    if place == "square":
        # all ends are within the square: the pavement of the road is in front, the houses are behind
        (x0, _, z0), (x1, _, z1) = bounds(plan.ground[0].geometry)
        sides = ((x0 + 3.5, x1 - 3.5), (z0 + 3.5, z1 - 0.6))
    else:
        plan.ground = [slab for slab in plan.ground if not slab.texture or slab.texture.name != "sand"]  # other paths
        edge = plan.roads[0].width / 2 + 3.0  # of the park
        plan.eye = (plan.eye[0], round(edge + rng.uniform(*_INTO_THE_PARK), 2))
        sides = ((plan.eye[0] - 45.0, plan.eye[0] + 45.0), (edge + 0.2, edge + 40.0))
    turn = rng.uniform(-90, 90)
    turns = [turn + 60 * k + rng.uniform(-_BENT, _BENT) for k in range(len(PATHS))]
    areas = [_through(plan.eye, rng, sides, round(wrapped(turn), 1)) for turn in turns]
    if not all(map(plan.free, areas)):
        raise RejectSample
    plan.taken += areas
    return tuple(
        _surface(area, rng.pick(tints), round(KERB + 0.016 + 0.002 * k, 3), name, texture)
        for k, (area, (name, texture, tints)) in enumerate(zip(areas, rng.shuffled(PATHS), strict=True))
    )


def _through(eye: Spot, rng: Rng, sides: tuple[tuple[float, float], tuple[float, float]], turn: float) -> Footprint:
    """A path past the eye from one side of a rectangle to another. `sides`: its least and greatest x and z in metres."""
    width = round(rng.uniform(*_PATH_WIDTH), 1)
    near = Footprint(*eye, turn, 0.0, 0.0).at(rng.pick((-1, 1)) * rng.uniform(*_BESIDE), 0.0)
    ends = [
        sorted(((least + width - at) / slope, (most - width - at) / slope))
        for (least, most), at, slope in zip(sides, near, (sine(turn), cosine(turn)), strict=True)
        if slope
    ]
    start, end = max(low for low, _ in ends), min(high for _, high in ends)
    return Footprint(*near, turn, width, 0.0).part(0.0, (start + end) / 2, width, end - start)


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
