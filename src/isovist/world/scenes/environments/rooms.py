"""Furnished rooms of homes and offices around a standing viewer."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, sine
from isovist.core.scene3d import Light, SceneObject, Sky, Texture
from isovist.core.task import RejectSample
from isovist.world.scenes.environments import fixtures, furniture_catalog, room_kinds
from isovist.world.scenes.environments.countable_objects import COUNTED, count
from isovist.world.scenes.environments.decoration import finish
from isovist.world.scenes.environments.doors_windows import doors, windows
from isovist.world.scenes.environments.environment import Environment, sightings
from isovist.world.scenes.environments.floor_plan import FloorPlan, Wall, plan
from isovist.world.scenes.environments.object_placement import ObjectPlacer
from isovist.world.scenes.environments.room_shell import Look, shell
from isovist.world.scenes.environments.style import FEATURES, Style, style

ROOM_COUNTABLE: tuple[tuple[str, int], ...] = tuple((kind, thing.most) for kind, thing in COUNTED.items())
"""Categories that `room` can repeat, with the greatest number of objects."""
LEAST_SEEN = 0.6
"""Least unoccluded share of each counted object."""
LEAST_APART = 20.0
"""Least difference in degrees between the bearings of two counted objects."""
LEAST_NAMED = 9
"""Least number of different object names in a room."""
_OFF_WALL = 1.35  # metres between the eye and the nearest wall, at least
_FLOOR_METRES = {"planks": 1.5, "planks-dark": 1.5, "carpet": 1.0, "carpet-warm": 1.0, "concrete": 3.0}
_SKIES = (
    ("forest", "#f4f6ec"),
    ("forest", "#fbf4ea"),
    ("sunrise", "#f2f6f8"),
    ("sunrise", "#fff6e8"),
)


def room(rng: Rng, repeats: tuple[str, int] | None = None) -> Environment:
    """Generate a room around a viewer.

    `repeats`: a category of `ROOM_COUNTABLE` and the exact number of its objects, from 0, all well separated and visible. Raises
    RejectSample for a sample without a valid room and ValueError for another category or number.
    """
    if repeats is not None and repeats not in [(kind, n) for kind, most in ROOM_COUNTABLE for n in range(most + 1)]:
        raise ValueError(f"a room cannot have {repeats[1]} of {repeats[0]!r}")
    only = repeats[0] if repeats else ""
    kind = rng.pick([kind for kind in room_kinds.KINDS if not only or kind.place in COUNTED[only].places])
    st = style(rng)
    more = 0.12 * repeats[1] if repeats else 0.0  # metres of additional floor for the counted objects
    floor = plan(rng, (kind.wide[0] + more, kind.wide[1] + more), (kind.deep[0] + more, kind.deep[1] + more))
    height = round(rng.uniform(2.45, 3.1), 2)
    site = ObjectPlacer(rng, floor, _eye(rng, floor, aside=kind.aside), height, only)
    if repeats and only == "door":
        count(site, st, repeats)
    doors(site, st, 0 if only == "door" else rng.pick((1, 1, 1, 2)))
    holes = count(site, st, repeats) if repeats and only != "door" else []
    openings = holes + windows(site, st, 0 if only == "window" else rng.pick(kind.windows))
    for step in kind.steps:
        step(site, st)
    finish(site, st, kind.extras, plain=kind.plain)
    look = _look(rng, st, kind, floor, [opening.wall for opening in openings], tall=any(opening.foot < 0.9 for opening in openings))
    gaps = [(spot.wall, spot.along - fixtures.DOOR[0] / 2, spot.along + fixtures.DOOR[0] / 2) for spot in site.doors if spot.wall]
    solids = (*site.solids, *shell(floor, height, look, openings, gaps))
    if repeats and not _all_visible(site, solids, repeats):
        raise RejectSample("one to count is hidden")
    if len({solid.name for solid in site.solids} - {""}) < LEAST_NAMED:
        raise RejectSample("too few things")
    if not all(site.names.intersection(group) for group in kind.must):
        raise RejectSample("what the room is for is missing")
    sky, tint = rng.pick(_SKIES)
    heading = round(rng.uniform(-180, 180), 1)
    return Environment(kind.place, solids, site.eye, None, _light(rng), Sky(tint, tint, sky, heading))


def _all_visible(site: ObjectPlacer, solids: tuple[SceneObject, ...], repeats: tuple[str, int]) -> bool:
    """Whether all counted objects exist, are sufficiently visible and are separated."""
    counted = sightings(Environment("", solids, site.eye, None, Light(), Sky()), repeats[0])
    bearings = sorted(visible.bearing % 360 for visible in counted)
    least_gap = min(((b - a) % 360 for a, b in zip(bearings, bearings[1:] + bearings[:1], strict=True)), default=360.0)
    are_visible = all(visible.visible_share >= LEAST_SEEN for visible in counted)
    return len(counted) == repeats[1] and are_visible and (least_gap >= LEAST_APART or len(counted) <= 1)


def _eye(rng: Rng, floor: FloorPlan, *, aside: bool) -> Vector:
    """Sample a camera position away from all walls. `aside`: nearer to a corner, to leave space for large furniture."""
    b = floor.bounds
    low, high = (b.x0 + _OFF_WALL, b.z0 + _OFF_WALL), (b.x1 - _OFF_WALL, b.z1 - _OFF_WALL)
    for _ in range(40):
        parts = [rng.uniform(0.0, 1.0) for _ in range(2)]
        if aside:
            parts = [0.25 * part if part < 0.5 else 1.0 - 0.25 * (1.0 - part) for part in parts]
        x, z = (a + part * (c - a) for a, c, part in zip(low, high, parts, strict=True))
        if all(notch.distance(x, z) >= _OFF_WALL for notch in floor.notches):
            return round(x, 3), round(rng.uniform(1.4, 1.6), 2), round(z, 3)
    raise RejectSample("no place to stand")


def _look(rng: Rng, st: Style, kind: room_kinds.RoomKind, floor: FloorPlan, broken: list[Wall], *, tall: bool) -> Look:
    """Sample the colours of walls, floor and ceiling. One wall without windows may be a feature wall."""
    texture = rng.pick(kind.floors)
    tint = "#ffffff" if rng.chance(0.6) else furniture_catalog.light(st.wood, 0.6)
    whole = [wall for wall in floor.walls if wall not in broken and wall.length > 2]
    feature = rng.pick(whole) if whole and rng.chance(0.45) else None
    paper = rng.pick(("plain", "plain", "wallpaper", "bricks"))
    walls = Texture("tiles", rng.pick((0.9, 1.2))) if kind.tiled and rng.chance(0.6) else Texture("plaster", 2.0)
    panelled = not kind.plain and not tall and rng.chance(0.25)
    return Look(
        wall=st.wall,
        wall_texture=walls,
        floor=tint,
        floor_texture=Texture(texture, _FLOOR_METRES.get(texture, 1.2)),
        ceiling=rng.pick(("#ffffff", "#fbf8f0")),
        skirting=rng.pick((st.wood, furniture_catalog.light(st.accent, 0.3), "#f4f1ea")) if panelled else rng.pick(("#f4f1ea", st.wood)),
        low=0.88 if panelled else 0.08,
        beams=st.wood if rng.chance(0.2) else None,
        feature=feature,
        feature_colour=rng.pick(FEATURES) if paper == "plain" else "#ffffff",
        feature_texture=Texture("plaster", 2.0) if paper == "plain" else Texture(paper, 1.6),
    )


def _light(rng: Rng) -> Light:
    """Sample a high light direction with soft shadows, so no side of the room is dark."""
    turn, up = rng.uniform(-180, 180), rng.uniform(58, 74)
    sun = round(cosine(up) * sine(turn), 3), round(sine(up), 3), round(cosine(up) * cosine(turn), 3)
    return Light(sun, round(rng.uniform(0.3, 0.45), 2), round(rng.uniform(2.15, 2.4), 2))
