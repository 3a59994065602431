"""Streets, squares and parks around a camera position, with named objects.

The camera is 1.6 m above the ground. Names are unique, except for the repeated category. Confusable names never occur together. Houses, trees,
lamps and similar objects have no name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, azimuth, wrapped
from isovist.core.scene3d import Ground, Pose, SceneObject, Texture
from isovist.core.task import RejectSample
from isovist.world.scenes.environments import street_furniture as built
from isovist.world.scenes.environments import street_trees
from isovist.world.scenes.environments import ways as named_ways
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.environment import Environment, VisibleObject, outline, sightings
from isovist.world.scenes.environments.footprint import Footprint, Spot, covers
from isovist.world.scenes.environments.object_names import STREET_COUNTABLE, is_confusable
from isovist.world.scenes.environments.street_layouts import LAYOUTS
from isovist.world.scenes.environments.street_lighting import backdrop, weather
from isovist.world.scenes.environments.street_object_types import COUNTED, KINDS, StreetObjectType
from isovist.world.scenes.environments.street_plan import StreetPlan, Zone

__all__ = ["STREET_COUNTABLE", "street"]

EYE = 1.6
"""Height of the camera above the ground in metres."""
LEAST = 5.0
"""Least width or height of a named object in degrees."""
AREA = 18.0
"""Least product of width and height in square degrees."""
NARROWEST_COUNTED, AREA_COUNTED, STEEPEST = 2.8, 32.0, 39.0
"""The same limits for counted objects: least width and height, least product of both, and greatest elevation of at least half of it."""
SEEN, SEEN_COUNTED = 0.5, 0.6
"""Least unoccluded share of a named object, and of a counted object."""
FEWEST = 7
"""Least number of named objects besides the counted ones."""
WATERS = ("#4a7288", "#3f6a7c", "#5a7f86", "#48708f")
_WANTED = (10, 15)
_GAP = 3.0  # degrees between the sides of two counted objects
_TRIES = 24
_ATTEMPTS = 8


@dataclass(slots=True)
class _Scene:
    """Named objects on a plan. `outlines`: bearing of the centre and half width of each object in degrees. The first `counted` objects are the
    counted ones; no other object may occlude them. `ways`: named surfaces of roads and paths.
    """

    plan: StreetPlan
    things: list[SceneObject] = field(default_factory=list[SceneObject])
    outlines: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    counted: int = 0
    ways: tuple[SceneObject, ...] = ()


def street(rng: Rng, repeats: tuple[str, int] | None = None, *, ways: str = "") -> Environment:
    """Generate an outdoor environment.

    `repeats`: a category of `STREET_COUNTABLE` and the number of its objects, all visible and separated; with 0, the environment has no
    object of the category. `ways`: kind of roads or paths that are named surfaces, one of `named_ways.KINDS`.

    Raises RejectSample for a sample without a valid environment and ValueError for an invalid category or number.
    """
    if repeats is not None and not 0 <= repeats[1] <= dict(STREET_COUNTABLE).get(repeats[0], -1):
        raise ValueError(f"no street holds {repeats[1]} of {repeats[0]!r}")
    place = rng.at("place").pick(named_ways.KINDS[ways] if ways else tuple(LAYOUTS))
    scene = _Scene(LAYOUTS[place](rng.at("plan")))
    if ways:
        scene.ways = named_ways.add(scene.plan, rng.at("ways"), ways, place)
    if repeats is not None:
        _several(rng.at("repeats"), scene, COUNTED[repeats[0]], repeats[1])
    _others(rng.at("things"), scene, place, repeats)
    _greenery(rng.at("greenery"), scene.plan, repeats[0] if repeats else "")
    world = _turned(rng.at("turn"), scene, place, woods=repeats is None or repeats[0] != "tree")
    n_ways = len(scene.ways)
    surfaces, others = world.objects[:n_ways], world.objects[n_ways:]
    settled = _settled(replace(world, objects=others), repeats)
    return replace(settled, objects=(*settled.objects, *surfaces)) if ways else settled


def _several(rng: Rng, scene: _Scene, kind: StreetObjectType, count: int) -> None:
    """Place `count` objects of one type. Raises RejectSample if all attempts fail."""
    lists = (scene.plan.taken, scene.plan.tall, scene.plan.walls)
    before = [len(footprints) for footprints in lists]
    for attempt in range(_ATTEMPTS):
        if all(_put(rng.at(attempt, i), scene, kind, _TRIES * 3, 0.0, _GAP) for i in range(count)):
            scene.counted = count
            return
        for footprints, length in zip(lists, before, strict=True):
            del footprints[length:]
        del scene.things[:], scene.outlines[:]
    raise RejectSample


def _others(rng: Rng, scene: _Scene, place: str, repeats: tuple[str, int] | None) -> None:
    """Place objects with unique names at positions with little mutual occlusion."""
    uses = {zone.use for zone in scene.plan.zones}
    fitting = [kind for kind in KINDS if uses & set(kind.uses) and (not kind.places or place in kind.places)]
    order = rng.at("order").shuffled([kind for kind in fitting for _ in range(kind.weight)])
    counted = repeats[0] if repeats else ""
    used_names = {counted} if counted else set[str]()
    cars, most = 0, 7 if place == "car park" else 4
    wanted = rng.at("wanted").integer(*_WANTED)
    for number, kind in enumerate(order):
        if len(scene.things) >= wanted + (repeats[1] if repeats else 0):
            return
        car = kind.name.endswith(" car")
        if (
            kind.name in used_names
            or is_confusable(kind.name, used_names, "streets")
            or _of_kind(kind.name, counted)
            or (car and cars >= most)
        ):
            continue
        if _put(rng.at("put", number), scene, kind, _TRIES, 0.25, 0.0):
            used_names.add(kind.name)
            cars += car


def _of_kind(name: str, counted: str) -> bool:
    """Whether an object of this name belongs to the counted category."""
    members = {"car": ("car",), "person": ("man", "woman")}.get(counted, (counted,))
    return any(name == member or name.endswith(" " + member) for member in members)


def _put(rng: Rng, scene: _Scene, kind: StreetObjectType, tries: int, hidden: float, gap: float) -> bool:
    """Place one object of a type; False if no attempt finds a free position."""
    zones = [zone for zone in scene.plan.zones if zone.use in kind.uses]
    if not zones:
        return False
    form = kind.draw(rng.at("form"))
    eye = (scene.plan.eye[0], scene.plan.eye_y + EYE, scene.plan.eye[1])
    for _ in range(tries):
        zone = rng.pick(zones)
        far = kind.near + (kind.far - kind.near) * (rng.uniform(0.3, 1.0) if hidden else 1.0)  # near positions are more frequent
        at = _spot(rng, zone, scene.plan.eye, far)
        yaw = _yaw(rng, kind, zone, azimuth((eye[0] - at[0], 0.0, eye[2] - at[1])))
        away = ((at[0] - eye[0]) ** 2 + (at[1] - eye[2]) ** 2) ** 0.5
        if not kind.near <= away <= far:
            continue
        solid = SceneObject(form, Pose((round(at[0], 3), zone.y, round(at[1], 3)), round(yaw, 1)), name=kind.name)
        middle, left, right, low, high = outline(eye, solid)
        half = (right - left) / 2
        if not _large(right - left, high - low) or not _clear(scene, middle, half, hidden, gap):
            continue
        if not hidden and not _countable(right - left, low, high):
            continue
        if zone.use != "landmark" and not scene.plan.in_sight(Footprint(*at, 0.0, 0.1, 0.1)):
            continue
        if scene.plan.stand(form, at, yaw, zone.y, gap=0.25):
            scene.plan.built.pop()  # named objects are stored separately from the scenery
            scene.things.append(solid)
            scene.outlines.append((middle, half))
            return True
    return False


def _large(width: float, height: float) -> bool:
    return max(width, height) >= LEAST and width * height >= AREA


def _countable(width: float, low: float, high: float) -> bool:
    """Whether a counted object is large enough, and enough of it within the height of every image. Angles are in degrees."""
    height, within = high - low, min(high, STEEPEST) - max(low, -STEEPEST)
    return min(width, height) >= NARROWEST_COUNTED and width * height >= AREA_COUNTED and within >= height / 2


def _clear(scene: _Scene, middle: float, half: float, hidden: float, gap: float) -> bool:
    """Whether an object keeps the angle `gap` to the others, or overlaps none by more than the share `hidden`. Counted objects must not be
    overlapped. Angles are in degrees.
    """
    for i, (other, wide) in enumerate(scene.outlines):
        between = abs(wrapped(middle - other)) - half - wide
        alone = hidden == 0.0 or i < scene.counted
        if between < (max(gap, 0.0) if alone else -hidden * 2 * min(half, wide)):
            return False
    return True


def _spot(rng: Rng, zone: Zone, eye: Spot, far: float) -> Spot:
    """Sample a position in the part of a zone within `far` metres of the eye."""
    across, ahead = zone.area.local(eye)
    w, d = zone.area.width / 2, zone.area.depth / 2
    x0, x1 = max(-w, min(w, across - far)), min(w, max(-w, across + far))
    z0, z1 = max(-d, min(d, ahead - far)), min(d, max(-d, ahead + far))
    return zone.area.at(rng.uniform(x0, x1), rng.uniform(z0, z1))


def _yaw(rng: Rng, kind: StreetObjectType, zone: Zone, to_eye: float) -> float:
    match kind.turn:
        case "side":
            return to_eye + rng.pick((-90, 90)) + rng.uniform(-40, 40)
        case "any":
            return rng.uniform(-180, 180)
        case "across":
            return zone.area.yaw + rng.pick((-90, 90)) + rng.uniform(-12, 12)
        case "eye":
            return to_eye + rng.uniform(-40, 40)
        case _:
            return zone.area.yaw + (rng.uniform(-1.5, 1.5) if zone.use in ("lane", "parking", "bay") else rng.uniform(-4, 4))


def _greenery(rng: Rng, plan: StreetPlan, counted: str) -> None:
    """Place trees, lamps and small objects without a name, except objects of the counted category."""
    autumn = rng.chance(0.2)
    if counted != "tree":
        zones = [zone for zone in plan.zones if zone.use == "tree"]
        for i in range(rng.integer(3, 14) if zones else 0):
            draw = rng.at("tree", i)
            zone = draw.pick(zones)
            at = _spot(draw, zone, plan.eye, 45.0)
            if (at[0] - plan.eye[0]) ** 2 + (at[1] - plan.eye[1]) ** 2 < 16:
                continue
            trunk, crown = street_trees.tree(draw, autumn)
            # only the trunk occupies ground: low objects may be under the crown
            pose = Pose((round(at[0], 3), zone.y, round(at[1], 3)), round(draw.uniform(-180, 180), 1))
            over = covers(bounds(crown), pose.position, pose.yaw)
            if plan.clear(over) and plan.stand(trunk, at, 0.0, zone.y, gap=0.6):
                plan.tall.append(over)
                plan.built.append(SceneObject(crown, pose))
    beds = [zone for zone in plan.zones if zone.use in ("garden", "grass")]
    for i in range(rng.integer(4, 10) if beds else 0):
        draw = rng.at("bush", i)
        zone = draw.pick(beds)
        plan.stand(street_trees.bush(draw), _spot(draw, zone, plan.eye, 25.0), 0.0, zone.y, gap=0.3)
    if counted != "street lamp":
        # post and arm are two objects: a common box would occlude objects beside the post
        form, arm = rng.pick(((built.LAMP_POST, built.LAMP_ARM), (built.OLD_LAMP, None)))
        step = rng.uniform(15, 24)
        for zone in (zone for zone in plan.zones if zone.use == "lamp"):
            count = int(zone.area.width / step)
            for k in range(count):
                at = zone.area.at((k + 0.5) * zone.area.width / count - zone.area.width / 2, 0.0)
                if (at[0] - plan.eye[0]) ** 2 + (at[1] - plan.eye[1]) ** 2 < 50**2:
                    stands = plan.stand(form, at, zone.area.yaw, zone.y)
                    if stands and arm:
                        plan.built.append(replace(plan.built[-1], geometry=arm))


def _turned(rng: Rng, scene: _Scene, place: str, woods: bool) -> Environment:
    """The environment with the eye at the origin, a random rotation, and sampled weather."""
    plan = scene.plan
    turn = round(rng.uniform(-180, 180), 1)
    whole = Footprint(0.0, 0.0, turn, 1.0, 1.0)

    def moved(solid: SceneObject) -> SceneObject:
        x, y, z = solid.pose.position
        u, w = whole.at(x - plan.eye[0], z - plan.eye[1])
        at = (round(u, 3), round(y + plan.lift, 3), round(w, 3))
        return replace(solid, pose=Pose(at, round(wrapped(solid.pose.yaw + turn), 1), solid.pose.pitch, solid.pose.roll))

    light, sky, haze = weather(rng.at("weather"))
    far = backdrop(rng.at("backdrop"), sky, woods)
    solids = (*(moved(solid) for solid in (*scene.ways, *scene.things, *plan.built, *plan.ground)), *far)
    ground = Ground(rng.pick(WATERS), None, 60.0) if plan.lift else Ground("#ffffff", Texture("asphalt", 3.0), haze)
    eye: Vector = (0.0, round(plan.eye_y + plan.lift + EYE, 3), 0.0)
    return Environment(place, solids, eye, ground, light, sky)


def _settled(world: Environment, repeats: tuple[str, int] | None) -> Environment:
    """Remove named objects that are too small or too occluded. Raises RejectSample if too few remain."""

    def is_valid(visible: VisibleObject) -> bool:
        least = SEEN_COUNTED if repeats and visible.name == repeats[0] else SEEN
        return visible.visible_share >= least and _large(visible.width, visible.height)

    if repeats is not None and sum(map(is_valid, sightings(world, repeats[0]))) != repeats[1]:
        raise RejectSample
    visible_objects = sightings(world)
    removed = {visible.object_index for visible in visible_objects if not is_valid(visible)}
    remaining = [visible for visible in visible_objects if visible.object_index not in removed]
    if len(remaining) - (repeats[1] if repeats else 0) < FEWEST - (3 if repeats else 0):
        raise RejectSample
    return replace(world, objects=tuple(solid for index, solid in enumerate(world.objects) if index not in removed))
