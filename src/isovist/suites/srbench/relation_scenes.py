"""How the objects of a spatial relation are placed: by construction, so that the relation holds or fails by a margin.

Bearings are azimuths about +Y from +Z, as in `core.rotation`; the camera's is that from the targets to it. Seen from the camera, 90
degrees more is the right of the picture, and 90 degrees more than the yaw of an object is its own left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, sine
from isovist.core.solid import Box, Camera, Form, Group, Part, Pose, Solid, Texture, project
from isovist.core.task import Plan, Reject
from isovist.kits import objects
from isovist.kits.framing import Body, Viewpoint, aimed, extent, standing, viewpoint
from isovist.kits.objects import Thing
from isovist.kits.scenery import MOST_HIDDEN, SETTINGS, TINTS, Setting, crowd, turn
from isovist.kits.staging import ALONE_SHARE, CROWD_SHARE
from isovist.suites.srbench.relation_kinds import Kind

SPREAD = 22.0
"""Degrees from the middle of a class that spans 90 degrees: 23 from its edge at least."""
FRONT_SPREAD = 25.0
"""The same for a front seen by the camera."""
OFF_MIDDLE = 0.03
"""Heights of the picture that lie at least between an object and the middle line of the picture whose side it is on."""
BESIDE = 0.01
"""Heights of the picture that lie at least between two objects of which one is left of the other."""
_RATIO = 2.0
"""Of the diagonals of two objects, at most."""
_SMALL = 1.3
"""Metres: the largest diagonal of what stands on or in something."""
_TRIES = 40
_FURTHER = 1.2
_QUARTERS: Mapping[int, tuple[int, int]] = {0: (-1, -1), 1: (1, -1), 2: (-1, 1), 3: (1, 1)}
_COLOURS = ("#8b5a2b", "#a47148", "#6d4c33", "#b58a5a", "#7a7f86", "#9aa5ad", "#c9c4b4", "#5f7a8c")
_WOODS = ("planks", "planks-dark", None)

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


def _confused(a: str, b: str) -> bool:
    """Whether two names share a word, such as armchair and chair."""
    return any(x in y or y in x for x in a.split(" ") for y in b.split(" "))


def _at(bearing: float, far: float) -> tuple[float, float]:
    return far * sine(bearing), far * cosine(bearing)


def _crowded(rng: Rng, setting: Setting, camera: Camera, targets: Sequence[Body]) -> tuple[Body, ...]:
    """The targets and what stands around; nothing that could be taken for one of them."""
    around = crowd(rng, setting, camera, targets, rng.integer(1, 4))
    named = {target.thing.category for target in targets}
    return (*targets, *(body for body in around if not any(_confused(body.thing.category, name) for name in named)))


# One object --------------------------------------------------------------------------------------------------------


def _in_part_of_picture(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Wholly in a half, or in a quarter, of the picture; in the other direction anywhere."""
    rng, setting = plan.picture, _setting(plan)
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
            return setting, camera, _crowded(rng, setting, camera, [body]), 1
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
    looked, yaws = _above(rng), (turn(rng), turn(rng))
    middle = (
        looked.azimuth + _TOWARDS_CAMERA[kind.options[truth]] if kind.frame == "viewer" else yaws[1] + _TOWARDS_FRONT[kind.options[truth]]
    )
    made = _side_by_side(rng, setting, looked, things, middle + rng.uniform(-SPREAD, SPREAD), yaws)
    _, camera, (red, blue, *_), _ = made
    if kind.frame == "viewer" and not _apart(camera, red, blue, sideways="left" in kind.options[truth] or "right" in kind.options[truth]):
        raise Reject
    return made


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


def _built(rng: Rng, name: str, size: Vector, form: Form, at: tuple[float, float], yaw: float) -> Body:
    """A piece of our own, its front no one's: `size` is that of the box around it."""
    width, height, depth = (round(side, 3) for side in size)
    thing = Thing(name.replace(" ", "-"), name, "Furniture", (width, height, depth), "symmetric", 180, upright=True)
    wood = rng.pick(_WOODS)
    texture = Texture(wood, 1.0) if wood else None
    return Body(
        thing, Solid(form, Pose((round(at[0], 3), 0.0, round(at[1], 3)), round(yaw, 1)), colour=rng.pick(_COLOURS), texture=texture)
    )


def _block(rng: Rng, width: float, height: float, depth: float, at: tuple[float, float], yaw: float) -> Body:
    size = round(width, 3), round(height, 3), round(depth, 3)
    return _built(rng, "block", size, Box(size), at, yaw)


def _bench(rng: Rng, wide: float, under: float, yaw: float) -> Body:
    """A board on four legs, `under` metres above the ground, `wide` metres clear between the legs."""
    leg, board = round(0.06 * wide, 3), round(0.05 * wide + 0.02, 3)
    side, under = round(wide + 2 * leg, 3), round(under, 3)
    away = round((side - leg) / 2, 3)
    legs = tuple(Part(Box((leg, under, leg)), Pose((x, 0.0, z))) for x in (-away, away) for z in (-away, away))
    form = Group((*legs, Part(Box((side, board, side)), Pose((0.0, under, 0.0)))))
    return _built(rng, "table", (side, round(under + board, 3), side), form, (0.0, 0.0), yaw)


def _wall(rng: Rng, inside: float, height: float, yaw: float) -> Body:
    """A low wall around a square, `inside` metres wide within."""
    thick, height, inside = round(0.06 * inside, 3), round(height, 3), round(inside, 3)
    side, away = round(inside + 2 * thick, 3), round((inside + thick) / 2, 3)
    parts = [Part(Box((side, height, thick)), Pose((0.0, 0.0, z))) for z in (-away, away)]
    parts += [Part(Box((thick, height, inside)), Pose((x, 0.0, 0.0))) for x in (-away, away)]
    return _built(rng, "low wall", (side, height, side), Group(tuple(parts)), (0.0, 0.0), yaw)


def raised(body: Body, height: float) -> Body:
    """The same at a height above the ground."""
    x, _, z = body.solid.pose.at
    return replace(body, solid=replace(body.solid, pose=replace(body.solid.pose, at=(x, round(height, 3), z))))


def _sideways(rng: Rng, looked: Viewpoint, side: int | None = None) -> float:
    """A bearing to the left (-1) or the right (1) of the picture."""
    return looked.azimuth + 90 * (side or rng.pick((-1, 1))) + rng.uniform(-15, 15)


def _finished(rng: Rng, setting: Setting, looked: Viewpoint, targets: tuple[Body, ...], n: int) -> Placed:
    camera = aimed(looked, targets)
    bodies = _crowded(rng, setting, camera, targets)
    return setting, camera, bodies, n


def _heights(plan: Plan, kind: Kind, truth: int) -> Placed:
    """Two objects beside each other, one of them on a block that is higher than the other."""
    del kind
    rng, setting = plan.picture, _setting(plan)
    red, blue = _pair(rng, setting, fronts=(False, False))
    if max(red.span, blue.span) > 2 * _SMALL:
        raise Reject
    up, low = (red, blue) if truth == 0 else (blue, red)
    looked = viewpoint(rng, (0.2, 0.3), (8, 20), off=3.0)
    wide = 2.2 * up.reach
    high = round(max(1.25 * low.size[1], 0.4 * up.size[1]), 3)
    place = _at(_sideways(rng, looked), (low.reach + 0.71 * wide) * rng.uniform(1.05, 1.2))
    top = raised(standing(up, place, turn(rng), rng.pick(TINTS)), high)
    beneath = _block(rng, wide, high, wide, place, turn(rng))
    ground = standing(low, (0.0, 0.0), turn(rng), rng.pick(TINTS))
    first, second = (top, ground) if truth == 0 else (ground, top)
    return _finished(rng, setting, looked, (first, second, beneath), 2)


def _small(plan: Plan) -> tuple[Setting, Thing]:
    setting = _setting(plan)
    groups = tuple(things for things in _any(setting, most=_SMALL) if not _confused(things[0].category, "table wall block"))
    return setting, objects.pick(plan.picture, groups)


def _table(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object on a table, under it, or beside it."""
    rng = plan.picture
    setting, thing = _small(plan)
    looked = viewpoint(rng, (0.24, 0.36), (6, 14), off=3.0)
    table = _bench(rng, 2.2 * thing.reach, 1.2 * thing.size[1] + 0.1 * thing.reach, turn(rng))
    where = kind.options[truth]
    at = (0.0, 0.0)
    if where.startswith("to the"):
        at = _at(_sideways(rng, looked, 1 if "right" in where else -1), (thing.reach + table.thing.reach) * rng.uniform(1.05, 1.3))
    body = standing(thing, at, turn(rng), rng.pick(TINTS))
    if where.startswith("on"):
        body = raised(body, table.thing.size[1])
    return _finished(rng, setting, looked, (body, table), 2)


def _touching(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object on a block, or beside it with a gap that is wide as the picture shows it."""
    del kind
    rng = plan.picture
    setting, thing = _small(plan)
    looked = viewpoint(rng, (0.26, 0.38), (8, 22), off=3.0)
    wide, high = 2 * thing.reach * rng.uniform(1.1, 1.5), thing.size[1] * rng.uniform(0.4, 0.8)
    block = _block(rng, wide, high, wide, (0.0, 0.0), turn(rng))
    at = (0.0, 0.0) if truth == 0 else _at(_sideways(rng, looked), (thing.reach + block.thing.reach) * rng.uniform(1.2, 1.5))
    body = standing(thing, at, turn(rng), rng.pick(TINTS))
    return _finished(rng, setting, looked, (raised(body, block.thing.size[1]) if truth == 0 else body, block), 2)


def _pen(plan: Plan, kind: Kind, truth: int) -> Placed:
    """An object within a low wall, or outside it."""
    del kind
    rng = plan.picture
    setting, thing = _small(plan)
    looked = viewpoint(rng, (0.28, 0.4), (25, 42), off=3.0)
    wall = _wall(rng, 2 * thing.reach * rng.uniform(1.3, 1.7), thing.size[1] * rng.uniform(0.15, 0.3), turn(rng))
    at = (0.0, 0.0) if truth == 0 else _at(_sideways(rng, looked), (thing.reach + wall.thing.reach) * rng.uniform(1.1, 1.4))
    return _finished(rng, setting, looked, (standing(thing, at, turn(rng), rng.pick(TINTS)), wall), 2)


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
