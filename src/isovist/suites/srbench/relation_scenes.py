"""How the objects of a spatial relation are placed: by construction, so that the relation holds or fails by a margin.

Bearings are azimuths about +Y from +Z, as in `core.rotation`; the camera's is that from the targets to it. Seen from the camera, 90
degrees more is the right of the picture, and 90 degrees more than the yaw of an object is its own left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine, tangent
from isovist.core.solid import Camera, project
from isovist.core.task import Plan, Reject
from isovist.kits import objects
from isovist.kits.framing import Body, Viewpoint, aimed, extent, standing, viewpoint
from isovist.kits.objects import Thing
from isovist.kits.scenery import MOST_HIDDEN, SETTINGS, TINTS, Setting, crowd, turn
from isovist.kits.staging import ALONE_SHARE, CROWD_SHARE
from isovist.suites.srbench.relation_kinds import Kind
from isovist.suites.srbench.relation_pieces import bench, block, raised, wall

SPREAD = 22.0
"""Degrees from the middle of a class that spans 90 degrees: 23 from its edge at least."""
FRONT_SPREAD = 25.0
"""The same for a front seen by the camera."""
OFF_MIDDLE = 0.03
"""Heights of the picture that lie at least between an object and the middle line of the picture whose side it is on."""
LEAST_HIGHER = 0.04
"""Heights of the picture by which the middle of the one object is above that of the other, where depth is asked for, at least."""
BESIDE = 0.01
"""Heights of the picture that lie at least between two objects of which one is left of the other."""
_RATIO = 2.0
"""Of the diagonals of two objects, at most."""
_SMALL = 1.3
"""Metres: the largest diagonal of what stands on or in something."""
_BOXES = frozenset({
    "bedside table", "bookcase", "cardboard box", "crate", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove",
    "suitcase", "wardrobe", "washing machine",
})  # fmt: skip
"""Categories with flat sides, which touch what they stand against along a whole side."""
_STEEP_SHARE = 0.75
"""How often one of two objects beside each other is as high above the other as it is far, where all four directions are offered."""
_TRIES = 40
_FURTHER = 1.2
_SIDES = "to the left of it", "to the right of it"
_QUARTERS: Mapping[int, tuple[int, int]] = {0: (-1, -1), 1: (1, -1), 2: (-1, 1), 3: (1, 1)}

Placed = tuple[Setting, Camera, tuple[Body, ...], int]
"""The setting, the camera, the objects with the targets first, and how many of them are targets."""


def _setting(plan: Plan) -> Setting:
    return SETTINGS[plan.picture_cell("setting", len(SETTINGS))]


def _any(setting: Setting, near: float | None = None, *, front: bool = False, most: float | None = None) -> tuple[tuple[Thing, ...], ...]:
    """Objects of a setting that no one takes for something else: such as tell their front at a glance, if it matters."""
    fronts = ("clear",) if front else ("clear", "symmetric", "none")
    groups = objects.chosen(fronts, None if setting == "alone" else setting, near, ratio=_RATIO)
    groups = objects.plain(groups) if front else groups
    small = (tuple(thing for thing in things if most is None or thing.span <= most) for things in groups)
    return tuple(things for things in small if things)


def _pair(rng: Rng, setting: Setting, *, fronts: tuple[bool, bool]) -> tuple[Thing, Thing]:
    """Two objects of different kinds and of like size; the second one is drawn first."""
    blue = objects.pick(rng, _any(setting, front=fronts[1]))
    groups = tuple(things for things in _any(setting, blue.span, front=fronts[0]) if not _confused(things[0].category, blue.category))
    if not groups:
        raise Reject
    return objects.pick(rng, groups), blue


_ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split(", "))
    for names in (
        "car, van, truck, bus, tram, locomotive, forklift",
        "moped, motorcycle, bicycle, tricycle, kick scooter, exercise bike, lawn mower",
        "horse, cow, deer, sheep, zebra, giraffe, bear, rocking horse",
        "dog, cat, rabbit, chicken, teddy bear",
        "man, woman, boy, wooden figure",
        "bottle, wine bottle, medicine bottle, spray bottle, milk carton, vase, jug, mug, fire extinguisher",
        "wardrobe, bookcase, dresser, filing cabinet, bedside table, safe, stove, washing machine, refrigerator, fireplace, water cooler",
        "crate, cardboard box, suitcase, block, safe, microwave oven, printer, projector, stereo, toaster, loudspeaker",
        "TV, computer, laptop",
        "house, shed, dog house, tent, dollhouse",
        "sofa, armchair, chair, office chair, high chair, wheelchair, sun lounger, bed, hospital bed",
        "stool, bar stool, table, round table, desk, TV stand, dressing table, table tennis table, trampoline, bedside table",
        "toilet, bidet, washbasin",
        "waste bin, wheelie bin, barrel, basket, bowl, bowl of apples",
        "piano, grand piano, electric piano",
        "helicopter, airliner",
        "ship, rowboat, sailing boat",
        "birthday cake, loaf of bread, hot dog, roast chicken",
        "pair of shoes, pair of boots",
    )
)
"""Categories of which one may be taken for another from afar: objects have no frames, so their names must do."""


def _confused(a: str, b: str) -> bool:
    """Whether two names share a word, such as armchair and chair, or what they name looks alike."""
    return any(x in y or y in x for x in a.split(" ") for y in b.split(" ")) or any(a in names and b in names for names in _ALIKE)


def _at(bearing: float, far: float) -> tuple[float, float]:
    return far * sine(bearing), far * cosine(bearing)


def _crowded(rng: Rng, setting: Setting, camera: Camera, targets: Sequence[Body], least: int = 1) -> tuple[Body, ...]:
    """The targets and what stands around; nothing that could be taken for one of them."""
    around = crowd(rng, setting, camera, targets, rng.integer(least, least + 3))
    named = {target.thing.category for target in targets}
    return (*targets, *(body for body in around if not any(_confused(body.thing.category, name) for name in named)))


# One object --------------------------------------------------------------------------------------------------------


def _in_part_of_picture(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Wholly in a half, or in a quarter, of the picture; in the other direction anywhere."""
    rng = plan.picture
    setting: Setting = rng.pick(SETTINGS[1:])  # among other objects: a lone one is found by its ink
    if len(kind.options) == 4:
        sides: tuple[int | None, int | None] = _QUARTERS[truth]
    else:
        sides = (None, (-1, 1)[truth]) if "upper" in kind.name else ((-1, 1)[truth], None)
    thing = objects.pick(rng, _any(setting))
    for _ in range(_TRIES):
        looked = viewpoint(rng, (0.2, 0.3), (12, 35))
        across, down = (
            rng.uniform(-0.2, 0.2) if side is None else side * rng.uniform(0.18, 0.27) for side in sides
        )  # parts of the field of view
        looked = replace(looked, across=round(looked.fov * across, 1), down=round(looked.fov * down, 1))
        body = standing(thing, (0.0, 0.0), turn(rng), rng.pick(TINTS))
        try:
            camera = aimed(looked, [body])
        except Reject:
            continue
        box = extent(camera, body)
        ends = ((box.left, box.right), (box.top, box.bottom))
        if all(side is None or _clear(low, high, side) for side, (low, high) in zip(sides, ends, strict=True)):
            return setting, camera, _crowded(rng, setting, camera, [body], 4), 1
    raise Reject


def _clear(low: float, high: float, side: int) -> bool:
    """Whether a stretch lies on one side of the middle, -1 for left or up."""
    return high <= 0.5 - OFF_MIDDLE if side < 0 else low >= 0.5 + OFF_MIDDLE


_FACED = {"to the left": -90.0, "to the right": 90.0, "towards the viewer": 0.0, "away from the viewer": 180.0}
_SHOWN = {"its own left side": -90.0, "its own right side": 90.0, "its front": 0.0, "its back": 180.0}
"""Of the front, in degrees as `core.solid.facing` tells them: who faces the right of the picture shows the viewer the own right side."""


def _faced(plan: Plan, kind: Kind, truth: int) -> Placed:
    """One object whose front is turned to one of four sides."""
    rng, setting = plan.picture, _setting(plan)
    middle = (_FACED | _SHOWN)[kind.options[truth]]
    looked = viewpoint(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE, off=6.0)
    thing = objects.pick(rng, _any(setting, front=True))
    body = standing(thing, (0.0, 0.0), looked.azimuth + middle + rng.uniform(-FRONT_SPREAD, FRONT_SPREAD), rng.pick(TINTS))
    camera = aimed(looked, [body])
    return setting, camera, _crowded(rng, setting, camera, [body]), 1


# Two objects on the ground -----------------------------------------------------------------------------------------


def _above(rng: Rng) -> Viewpoint:
    """From higher up and further away than for one object: the floor tells directions, and less is hidden."""
    return replace(viewpoint(rng, (0.26, 0.38), (28.0, 50.0), off=3.0), fov=round(rng.uniform(22, 32), 1))


def _side_by_side(
    rng: Rng, setting: Setting, looked: Viewpoint, things: tuple[Thing, Thing], bearing: float, yaws: tuple[float, float]
) -> Placed:
    """Red at a bearing from blue, as near as both can be without hiding more than little of each other.

    Raises Reject if they would be too far apart.
    """
    red, blue = things
    far = (red.reach + blue.reach) * rng.uniform(1.1, 1.4)
    tints = rng.pick(TINTS), rng.pick(TINTS)
    for _ in range(6):
        targets = standing(red, _at(bearing, far), yaws[0], tints[0]), standing(blue, (0.0, 0.0), yaws[1], tints[1])
        camera = aimed(looked, targets)
        a, b = (extent(camera, target) for target in targets)
        if a.common(b) <= MOST_HIDDEN * min(a.area, b.area):
            return setting, camera, _crowded(rng, setting, camera, targets), 2
        far *= _FURTHER
    raise Reject


_TOWARDS_CAMERA = {
    "to the left of it": -90.0,
    "to the right of it": 90.0,
    "in front of it": 0.0,
    "behind it": 180.0,
    "nearer": 0.0,
    "farther away": 180.0,
}
_TOWARDS_FRONT = {"to its own left": 90.0, "to its own right": -90.0, "in front of it": 0.0, "behind it": 180.0}


def _around(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Red left of blue, right of it, before or behind it; blue has a front, so that a frame other than the one asked for says something, too."""
    rng, setting = plan.picture, _setting(plan)
    things = _pair(rng, setting, fronts=(False, True))
    yaws = turn(rng), turn(rng)
    if kind.frame == "viewer" and kind.options != _SIDES:
        return _deep(plan, kind, truth, setting, things, yaws)
    looked = _above(rng)
    middle = (
        looked.azimuth + _TOWARDS_CAMERA[kind.options[truth]] if kind.frame == "viewer" else yaws[1] + _TOWARDS_FRONT[kind.options[truth]]
    )
    made = _side_by_side(rng, setting, looked, things, middle + rng.uniform(-SPREAD, SPREAD), yaws)
    _, camera, (red, blue, *_), _ = made
    if kind.frame == "viewer" and not _apart(camera, red, blue, sideways=True):
        raise Reject
    return made


def _deep(plan: Plan, kind: Kind, truth: int, setting: Setting, things: tuple[Thing, Thing], yaws: tuple[float, float]) -> Placed:
    """One of two objects on a block. In half of the scenes it is the nearer one, and so high that it is also the higher one in the
    picture; else the farther one: so neither where both are in the picture nor who is on a block tells who is nearer.
    """
    rng, option = plan.picture, kind.options[truth]
    sideways, against = option in _SIDES, plan.picture_cell(f"against {kind.name}", 2) == 1
    steep = rng.chance(_STEEP_SHARE)
    looked = replace(viewpoint(rng, (0.2, 0.32), (9.0, 17.0), off=3.0), fov=round(rng.uniform(24, 34), 1))
    # two options leave room to stand far aside, so that the nearer one hides little
    off = rng.uniform(0, SPREAD) if sideways else rng.uniform(15, SPREAD + 3) if len(kind.options) == 4 else rng.uniform(28, 52)
    bearing = looked.azimuth + _TOWARDS_CAMERA[option] + off * rng.pick((-1, 1))
    red_up = rng.chance(0.5) if sideways else (option in ("in front of it", "nearer")) == against
    far = (things[0].reach + things[1].reach) * rng.uniform(1.15, 1.5)
    tints = rng.pick(TINTS), rng.pick(TINTS)
    for _ in range(9):
        targets = [standing(things[0], _at(bearing, far), yaws[0], tints[0]), standing(things[1], (0.0, 0.0), yaws[1], tints[1])]
        up = targets[0 if red_up else 1]
        # as high as what stands farther away is in the picture, and more
        least = far * tangent(looked.elevation + 4.0) + 0.25 * max(things[0].size[1], things[1].size[1])
        level = 1.05 * far if sideways and steep else least if against and not sideways else 0.5 * far
        high = round(level * rng.uniform(1.0, 1.2), 3)
        x, _, z = up.solid.pose.at
        wide = 2 * up.thing.reach * 1.02
        base = block(rng, wide, high, wide, (x, z), up.solid.pose.yaw)
        targets[0 if red_up else 1] = raised(up, high)
        camera = aimed(looked, targets)
        red, blue = targets
        seen = {id(body): extent(camera, body) for body in (*targets, base)}
        low = blue if red_up else red
        clear = seen[id(red)].common(seen[id(blue)]) <= MOST_HIDDEN * min(seen[id(red)].area, seen[id(blue)].area)
        hidden = seen[id(base)].common(seen[id(low)]) <= MOST_HIDDEN * seen[id(low)].area
        if clear and hidden and _apart(camera, red, blue, sideways=sideways) and (sideways or _agree(camera, red, blue, option) != against):
            edge = seen[id(base)]
            if edge.bottom > 0.99 or edge.left < 0.01 or edge.right > camera.width / camera.height - 0.01:
                raise Reject
            bodies = _crowded(rng, setting, camera, (*targets, base))
            return setting, camera, bodies, 2
        far *= _FURTHER
    raise Reject


def _agree(camera: Camera, red: Body, blue: Body, option: str) -> bool:
    """Whether the nearer object is the lower one in the picture, by the middles of both. Raises Reject where they are about as high."""
    a, b = extent(camera, red), extent(camera, blue)
    more = (a.top + a.bottom) / 2 - (b.top + b.bottom) / 2
    if abs(more) < LEAST_HIGHER:
        raise Reject
    return (more > 0) == (option in ("in front of it", "nearer"))


def _apart(camera: Camera, red: Body, blue: Body, *, sideways: bool) -> bool:
    """Whether nothing of the one lies as far right, or as far from the camera, as anything of the other."""
    if sideways:
        a, b = extent(camera, red), extent(camera, blue)
        return a.right + BESIDE <= b.left or b.right + BESIDE <= a.left
    (a, b), (c, d) = (
        (min(depths), max(depths)) for depths in ([project(camera, at)[2] for at in body.corners[::2]] for body in (red, blue))
    )
    return b < c or d < a


def _stances(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Two objects with fronts, turned towards or away from each other, or in directions that are the same, opposite or at right angles."""
    rng, setting = plan.picture, _setting(plan)
    things = _pair(rng, setting, fronts=(True, True))
    looked = _above(rng)
    bearing = looked.azimuth + rng.pick((90, -90)) + rng.uniform(-35, 35)  # beside each other, as the camera sees them

    def near(angle: float) -> float:
        return angle + rng.uniform(-SPREAD / 2, SPREAD / 2)

    blue = turn(rng)
    match kind.options[truth]:
        case "towards it":
            yaws = near(bearing + 180), blue
        case "away from it":
            yaws = near(bearing), blue
        case "towards each other":
            yaws = near(bearing + 180), near(bearing)
        case "away from each other":
            yaws = near(bearing), near(bearing + 180)
        case "in opposite directions":
            yaws = near(blue + 180), blue
        case "parallel":
            yaws = near(blue + rng.pick((0, 180))), blue
        case "at right angles" | "at right angles to each other":
            yaws = near(blue + rng.pick((90, -90))), blue
        case _:  # in the same direction
            yaws = near(blue), blue
    return _side_by_side(rng, setting, looked, things, bearing, yaws)


# Things to stand on, under and in ----------------------------------------------------------------------------------


def _sideways(rng: Rng, looked: Viewpoint, side: int | None = None) -> float:
    """A bearing to the left (-1) or the right (1) of the picture."""
    return looked.azimuth + 90 * (side or rng.pick((-1, 1))) + rng.uniform(-15, 15)


def _finished(rng: Rng, setting: Setting, looked: Viewpoint, targets: tuple[Body, ...], n: int) -> Placed:
    camera = aimed(looked, targets)
    bodies = _crowded(rng, setting, camera, targets)
    return setting, camera, bodies, n


def _heights(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Two objects, one of them on a block that is higher than the other. In half of the scenes it is so much nearer that the other one is
    above it in the picture; else it is as much farther away.
    """
    rng, setting = plan.picture, _setting(plan)
    red, blue = _pair(rng, setting, fronts=(False, False))
    if max(red.span, blue.span) > 2 * _SMALL:
        raise Reject
    up, low = (red, blue) if truth == 0 else (blue, red)
    against = plan.picture_cell(f"against {kind.name}", 2) == 1
    looked = viewpoint(rng, (0.16, 0.28), (30, 42) if against else (14, 30), off=3.0)
    wide = 2.05 * up.reach
    high = round(max(1.2 * low.size[1], 0.3 * up.size[1]), 3)
    bearing = looked.azimuth + (0.0 if against else 180.0) + rng.pick((-1, 1)) * rng.uniform(12, 45)
    far, yaws, tints = (low.reach + up.reach) * rng.uniform(1.2, 1.5), (turn(rng), turn(rng), turn(rng)), (rng.pick(TINTS), rng.pick(TINTS))
    for _ in range(8):
        place = _at(bearing, far)
        top = raised(standing(up, place, yaws[0], tints[0]), high)
        beneath = block(rng, wide, high, wide, place, yaws[1])
        ground = standing(low, (0.0, 0.0), yaws[2], tints[1])
        camera = aimed(looked, (top, ground))
        a, b, base = (extent(camera, body) for body in (top, ground, beneath))
        shown = max(a.common(b) / min(a.area, b.area), base.common(b) / b.area, b.common(base) / base.area) <= MOST_HIDDEN
        over = (b.top + b.bottom) / 2 < (a.top + a.bottom) / 2 - LEAST_HIGHER
        if shown and over == against and base.bottom < 0.99:
            first, second = (top, ground) if truth == 0 else (ground, top)
            return setting, camera, _crowded(rng, setting, camera, (first, second, beneath)), 2
        far *= _FURTHER
    raise Reject


def _small(plan: Plan) -> tuple[Setting, Thing]:
    setting = _setting(plan)
    groups = tuple(things for things in _any(setting, most=_SMALL) if not _confused(things[0].category, "table wall block"))
    return setting, objects.pick(plan.picture, groups)


def _table(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object on a table, under it, or beside it."""
    rng = plan.picture
    setting, thing = _small(plan)
    looked = viewpoint(rng, (0.24, 0.36), (6, 14), off=3.0)
    table = bench(rng, 2.2 * thing.reach, 1.2 * thing.size[1] + 0.1 * thing.reach, turn(rng))
    where = kind.options[truth]
    at = (0.0, 0.0)
    if where.startswith("to the"):
        at = _at(_sideways(rng, looked, 1 if "right" in where else -1), (thing.reach + table.thing.reach) * rng.uniform(1.05, 1.3))
    body = standing(thing, at, turn(rng), rng.pick(TINTS))
    if where.startswith("on"):
        body = raised(body, table.thing.size[1])
    return _finished(rng, setting, looked, (body, table), 2)


def _touching(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object on a block under a table, or flush against a block; or on the table over the block, or beside the block with a gap. Such a
    gap is three tenths of the mean width or more.
    """
    rng = plan.picture
    setting, above = _setting(plan), plan.picture_cell(f"above {kind.name}", 2) == 1
    groups = tuple(things for things in _any(setting, most=_SMALL) if things[0].category in _BOXES) if not above else ()
    _, thing = _small(plan)
    thing = objects.pick(rng, groups) if groups else thing
    above = above or not groups
    looked = viewpoint(rng, (0.26, 0.36), (15, 22) if above else (24, 35), off=3.0)
    if above:
        wide, high = 2 * thing.reach * rng.uniform(1.0, 1.2), thing.size[1] * rng.uniform(0.5, 0.9)
        base = block(rng, wide, high, wide, (0.0, 0.0), turn(rng))
        # a table stands over the block in any case, and the object on the one or on the other
        over = high + (1.15 if truth == 0 else 0.15) * thing.size[1] + 0.1 * thing.reach
        table = bench(rng, 1.3 * wide, over, turn(rng))
        body = raised(standing(thing, (0.0, 0.0), turn(rng), rng.pick(TINTS)), base.thing.size[1] if truth == 0 else table.thing.size[1])
        return _finished(rng, setting, looked, (body, base, table), 2)
    width, height, depth = thing.size
    sizes = width * rng.uniform(0.7, 1.1), height * rng.uniform(0.5, 0.9), max(depth, 0.6 * width) * rng.uniform(0.8, 1.2)
    # before or behind the block and to one side: the rectangles around both overlap in the picture, gap or no gap
    yaw = round(looked.azimuth + rng.pick((-1, 1)) * rng.uniform(30, 50), 1)
    gap = 0.0 if truth == 0 else (width + sizes[0]) / 2 * rng.uniform(0.3, 0.42)
    away = round(((width + round(sizes[0], 3)) / 2 + gap) * rng.pick((-1, 1)), 3)
    body = standing(thing, (away * cosine(yaw), -away * sine(yaw)), yaw, rng.pick(TINTS))
    return _finished(rng, setting, looked, (body, block(rng, *sizes, (0.0, 0.0), yaw)), 2)


def _pen(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object anywhere within a low wall, or outside it: mostly before or behind one of its sides, where the square, seen corner first,
    leaves room within the rectangle around it.
    """
    rng = plan.picture
    setting, thing = _small(plan)
    looked = viewpoint(rng, (0.28, 0.36), (27, 42), off=3.0)
    inside = thing.reach * rng.uniform(5.0, 6.0)
    fence = wall(rng, inside, min(thing.size[1] * rng.uniform(0.15, 0.3), 0.12 * inside), looked.azimuth + 45 + rng.uniform(-8, 8))
    if truth == 0:
        room = inside / 2 - 1.15 * thing.reach
        u, v = rng.uniform(-room, room), rng.uniform(-room, room)
        c, s = cosine(fence.solid.pose.yaw), sine(fence.solid.pose.yaw)
        at = u * c + v * s, v * c - u * s
    elif plan.picture_cell(f"straight {kind.name}", 6) == 0:
        at = _at(
            looked.azimuth + rng.pick((0, 90, 180, 270)) + rng.uniform(-12, 12), (fence.thing.reach + thing.reach) * rng.uniform(1.1, 1.3)
        )
    else:
        at = _at(fence.solid.pose.yaw + rng.pick((0, 90, 180, 270)) + rng.uniform(-5, 5), inside * rng.uniform(0.78, 0.84))
    return _finished(rng, setting, looked, (standing(thing, at, turn(rng), rng.pick(TINTS)), fence), 2)


_PLACING: Mapping[str, Callable[[Plan, Kind, int], Placed]] = {
    "quarters": _in_part_of_picture,
    "alone": _faced,
    "around": _around,
    "stances": _stances,
    "heights": _heights,
    "table": _table,
    "block": _touching,
    "pen": _pen,
}


def placed(plan: Plan, kind: Kind, truth: int) -> Placed:
    """A scene in which the relation is that of an option, by its place among the options. Raises Reject where one does not fit."""
    return _PLACING[kind.scenery](plan, kind, truth)
