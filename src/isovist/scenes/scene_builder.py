"""Other objects, ground, walls, light and sky around the targets, sampled independently of their facing directions."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine
from isovist.core.scene3d import Box, Camera, Ground, Light, Pose, Scene3D, SceneObject, Sky, Texture
from isovist.scenes import object_catalog
from isovist.scenes.camera_framing import Body, Extent, extent, standing
from isovist.scenes.occlusion import beside
from isovist.scenes.outdoor_backgrounds import open_land, sky, street

Setting = Literal["alone", "indoors", "outdoors"]
SETTINGS: tuple[Setting, ...] = ("alone", "indoors", "outdoors")

MOST_HIDDEN = 0.2
"""Maximum share of a target's image box that the boxes of all nearer objects cover together."""
_MOST_LARGE = 0.55  # maximum square root of the image box of another object, in image heights
_TRIES = 14
OPEN_SHARE = 0.4
"""Share of outdoor scenes without houses."""

TINTS = (None, None, None, "#f0e0d0", "#d8e4f0", "#e4f0d8", "#f0d8e0")
"""Tints of objects; None keeps the object's own colours."""
_PLAIN = ("#b9b2a6", "#9aa5ad", "#c9c4b4", "#8f9a86", "#b7a08c", "#a8a8b4", "#c4b8c0", "#8a8f99")
_WALLS = ("#e4ddcf", "#d5dcdd", "#dfe4d2", "#e8d7c6", "#cfd3dc", "#d9cfc9", "#c9d6c9")
_GROUNDS: dict[Setting, tuple[str, ...]] = {
    "alone": ("concrete", "carpet", "sand", "checkered", "planks", "tiles", "grass"),
    "indoors": ("planks", "planks-dark", "tiles", "tiles-dark", "carpet", "carpet-warm"),
    "outdoors": ("asphalt", "paving", "concrete", "grass", "grass", "sand"),
}
"""Ground textures: for half of the single objects, and for all other scenes."""
_WALL_TEXTURES = ("plaster", "wallpaper", "bricks", "planks")
_SKIES = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#a8adb8", "#d8d8d8"), ("#86b4d0", "#eef2e2"))


def turn(rng: Rng) -> float:
    """A uniform yaw in degrees, rounded to 0.1."""
    return round(rng.uniform(-180, 180), 1)


def crowd(rng: Rng, setting: Setting, seen_by: Camera, targets: Sequence[Body], n: int, screened: bool = False) -> tuple[Body, ...]:
    """Up to `n` objects of a setting that occlude little of the targets (`MOST_HIDDEN`); the first one is a screen if `screened`."""
    if setting == "alone":
        return ()
    around: list[Body] = []
    groups = object_catalog.chosen(("clear", "symmetric", "none"), setting, max(target.thing.span for target in targets), sure=False)
    boxes = [extent(seen_by, target) for target in targets]
    hidden = [0.0] * len(targets)
    for _ in range(_TRIES * n):
        if len(around) >= n:
            break
        at = _somewhere(rng, seen_by, targets)
        if screened and not around:
            body = beside(rng, setting, seen_by, targets[0], at)
        else:
            body = standing(object_catalog.pick(rng, groups), at, turn(rng), rng.pick(TINTS))
        if any(not _apart(body, other) for other in (*targets, *around)):
            continue
        try:
            box = extent(seen_by, body)
        except ValueError:
            continue
        more = [
            box.common(target_box) / target_box.area if _before(seen_by, body, t) else 0.0
            for target_box, t in zip(boxes, targets, strict=True)
        ]
        if sqrt(box.area) > _MOST_LARGE or not _inside(seen_by, box):
            continue
        if all(a + b <= MOST_HIDDEN for a, b in zip(hidden, more, strict=True)):
            hidden = [a + b for a, b in zip(hidden, more, strict=True)]
            around.append(body)
    return tuple(around)


def _somewhere(rng: Rng, seen_by: Camera, targets: Sequence[Body]) -> tuple[float, float]:
    """A visible position on the ground, from slightly in front of the targets to far behind them."""
    (ex, _, ez), (tx, _, tz) = seen_by.eye, seen_by.target
    heading = azimuth((tx - ex, 0.0, tz - ez)) + rng.uniform(-0.5, 0.5) * seen_by.fov
    distance = max(_distance(seen_by, target) for target in targets) * rng.uniform(0.75, 2.2)
    return ex + distance * sine(heading), ez + distance * cosine(heading)


def _distance(seen_by: Camera, body: Body) -> float:
    (ex, _, ez), (x, _, z) = seen_by.eye, body.solid.pose.position
    return sqrt((x - ex) ** 2 + (z - ez) ** 2)


def _before(seen_by: Camera, body: Body, target: Body) -> bool:
    """Whether a part of a body may be nearer to the camera than a part of a target."""
    return _distance(seen_by, body) - body.thing.reach < _distance(seen_by, target) + target.thing.reach


def _apart(a: Body, b: Body) -> bool:
    (x, _, z), (u, _, w) = a.solid.pose.position, b.solid.pose.position
    return sqrt((x - u) ** 2 + (z - w) ** 2) > 1.05 * (a.thing.reach + b.thing.reach)


def _inside(seen_by: Camera, box: Extent) -> bool:
    """Whether more than half of a box is inside the image."""
    whole = Extent(0.0, 0.0, seen_by.width / seen_by.height, 1.0)
    return box.common(whole) > 0.5 * box.area


def stage(rng: Rng, setting: Setting, seen_by: Camera, bodies: Sequence[Body]) -> Scene3D:
    """The 3-D scene of these objects in a setting. The given objects come first, in their order."""
    scale = _span(bodies)
    solids = tuple(body.solid for body in bodies)
    if setting == "alone":
        around: tuple[SceneObject, ...] = ()
    elif setting == "indoors":
        around = _corner(rng, seen_by, bodies)
    else:
        facing = _heading(seen_by) + 180 + rng.uniform(-30, 30)
        off = _behind(seen_by, bodies, facing, scale * rng.uniform(0.3, 1.0))
        middle = seen_by.eye[0] * cosine(facing) - seen_by.eye[2] * sine(facing)
        land = open_land if rng.chance(OPEN_SHARE) else street
        around = land(rng, min(max(scale, 3.0), 7.0), facing, off, middle)  # houses do not scale with the targets beyond these limits
    haze = round(scale * rng.uniform(15, 40), 1)
    ground = Ground(rng.pick(_PLAIN), None, haze)
    if setting != "alone" or rng.chance(0.5):
        # a texture has its own colour, and its scale follows the size of the targets
        metres = round(min(max(scale, 0.5), 2.5) * rng.uniform(0.7, 1.3), 2)
        ground = Ground("#ffffff", Texture(rng.pick(_GROUNDS[setting]), metres), haze)
    lit = light(rng, seen_by)
    return Scene3D((*solids, *around), seen_by, ground, lit, sky(rng, lit) if setting == "outdoors" else Sky(*rng.pick(_SKIES)))


def light(rng: Rng, seen_by: Camera) -> Light:
    """A sun on the camera's side, so that visible surfaces are lit."""
    sideways = _heading(seen_by) + 180 + rng.uniform(-75, 75)
    up = rng.uniform(35, 65)
    sun = (round(cosine(up) * sine(sideways), 3), round(sine(up), 3), round(cosine(up) * cosine(sideways), 3))
    return Light(sun, round(rng.uniform(0.8, 1.15), 2), round(rng.uniform(0.85, 1.2), 2))


def _heading(seen_by: Camera) -> float:
    """The azimuth of the viewing direction in degrees."""
    (ex, _, ez), (tx, _, tz) = seen_by.eye, seen_by.target
    return azimuth((tx - ex, 0.0, tz - ez))


def _behind(seen_by: Camera, bodies: Sequence[Body], facing: float, gap: float) -> float:
    """The offset of a wall that faces the azimuth `facing` and has all objects and the camera in front of it, in metres."""
    nx, nz = sine(facing), cosine(facing)
    places = [body.solid.pose.position for body in bodies]
    least = min(x * nx + z * nz - body.thing.reach for (x, _, z), body in zip(places, bodies, strict=True))
    return min(least, seen_by.eye[0] * nx + seen_by.eye[2] * nz) - gap


def _span(bodies: Sequence[Body]) -> float:
    return max(body.thing.span for body in bodies)


def _corner(rng: Rng, seen_by: Camera, bodies: Sequence[Body]) -> tuple[SceneObject, ...]:
    """Two perpendicular walls of a room."""
    span, high = _span(bodies), round(max(2.6, 1.2 * _span(bodies)), 2)
    middle, colour = _heading(seen_by) + 180 + rng.uniform(-35, 35), rng.pick(_WALLS)
    texture = Texture(rng.pick(_WALL_TEXTURES), 1.5) if rng.chance(0.6) else None
    walls: list[SceneObject] = []
    for facing in (middle + 45, middle - 45):
        off = _behind(seen_by, bodies, facing, span * rng.uniform(0.1, 0.6)) - 0.05
        wall = Box((round(max(40.0, 40 * span), 1), high, 0.1))
        at = (round(off * sine(facing), 3), 0.0, round(off * cosine(facing), 3))
        walls.append(SceneObject(wall, Pose(at, round(facing, 1)), colour=colour, texture=texture, casts_shadow=False))
    return tuple(walls)
