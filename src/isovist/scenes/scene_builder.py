"""What stands and shines around the targets, drawn without a look at which way they face."""

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
"""The boxes of nearer objects cover at most this share of a target's box in the picture, all together."""
_MOST_LARGE = 0.55  # of an object beside the targets: square root of its box, in heights of the picture
_TRIES = 14
OPEN_SHARE = 0.4
"""Of the scenes outdoors: land without houses."""

TINTS = (None, None, None, "#f0e0d0", "#d8e4f0", "#e4f0d8", "#f0d8e0")
"""Colours that an object is tinted with; none for half of them, so that most keep their own."""
_PLAIN = ("#b9b2a6", "#9aa5ad", "#c9c4b4", "#8f9a86", "#b7a08c", "#a8a8b4", "#c4b8c0", "#8a8f99")
_WALLS = ("#e4ddcf", "#d5dcdd", "#dfe4d2", "#e8d7c6", "#cfd3dc", "#d9cfc9", "#c9d6c9")
_GROUNDS: dict[Setting, tuple[str, ...]] = {
    "alone": ("concrete", "carpet", "sand", "checkered", "planks", "tiles", "grass"),
    "indoors": ("planks", "planks-dark", "tiles", "tiles-dark", "carpet", "carpet-warm"),
    "outdoors": ("asphalt", "paving", "concrete", "grass", "grass", "sand"),
}
"""Textures that lie on the ground: on half of the plain grounds, and everywhere else."""
_WALL_TEXTURES = ("plaster", "wallpaper", "bricks", "planks")
_SKIES = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#a8adb8", "#d8d8d8"), ("#86b4d0", "#eef2e2"))


def turn(rng: Rng) -> float:
    """Any yaw, to a tenth of a degree."""
    return round(rng.uniform(-180, 180), 1)


def crowd(rng: Rng, setting: Setting, seen_by: Camera, targets: Sequence[Body], n: int, screened: bool = False) -> tuple[Body, ...]:
    """Up to `n` objects of a setting around the targets that hide little of them (`MOST_HIDDEN`); one of them a screen if `screened`."""
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
    """A place on the ground in view, from a little before the targets to far behind them."""
    (ex, _, ez), (tx, _, tz) = seen_by.eye, seen_by.target
    heading = azimuth((tx - ex, 0.0, tz - ez)) + rng.uniform(-0.5, 0.5) * seen_by.fov
    far = max(_distance(seen_by, target) for target in targets) * rng.uniform(0.75, 2.2)
    return ex + far * sine(heading), ez + far * cosine(heading)


def _distance(seen_by: Camera, body: Body) -> float:
    (ex, _, ez), (x, _, z) = seen_by.eye, body.solid.pose.position
    return sqrt((x - ex) ** 2 + (z - ez) ** 2)


def _before(seen_by: Camera, body: Body, target: Body) -> bool:
    """Whether any of a body may lie nearer to the camera than any of a target."""
    return _distance(seen_by, body) - body.thing.reach < _distance(seen_by, target) + target.thing.reach


def _apart(a: Body, b: Body) -> bool:
    (x, _, z), (u, _, w) = a.solid.pose.position, b.solid.pose.position
    return sqrt((x - u) ** 2 + (z - w) ** 2) > 1.05 * (a.thing.reach + b.thing.reach)


def _inside(seen_by: Camera, box: Extent) -> bool:
    """Whether at least half of a box lies in the picture."""
    whole = Extent(0.0, 0.0, seen_by.width / seen_by.height, 1.0)
    return box.common(whole) > 0.5 * box.area


def stage(rng: Rng, setting: Setting, seen_by: Camera, bodies: Sequence[Body]) -> Scene3D:
    """The objects in a setting, the camera, light and sky: the solids of the objects first, in their order."""
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
        around = land(rng, min(max(scale, 3.0), 7.0), facing, off, middle)  # houses have their own size beside small and large things
    haze = round(scale * rng.uniform(15, 40), 1)
    ground = Ground(rng.pick(_PLAIN), None, haze)
    if setting != "alone" or rng.chance(0.5):
        # a texture brings its own colour; on small things' ground it is finer
        metres = round(min(max(scale, 0.5), 2.5) * rng.uniform(0.7, 1.3), 2)
        ground = Ground("#ffffff", Texture(rng.pick(_GROUNDS[setting]), metres), haze)
    lit = light(rng, seen_by)
    return Scene3D((*solids, *around), seen_by, ground, lit, sky(rng, lit) if setting == "outdoors" else Sky(*rng.pick(_SKIES)))


def light(rng: Rng, seen_by: Camera) -> Light:
    """A sun on the camera's side, so that what is seen is lit."""
    sideways = _heading(seen_by) + 180 + rng.uniform(-75, 75)
    up = rng.uniform(35, 65)
    sun = (round(cosine(up) * sine(sideways), 3), round(sine(up), 3), round(cosine(up) * cosine(sideways), 3))
    return Light(sun, round(rng.uniform(0.8, 1.15), 2), round(rng.uniform(0.85, 1.2), 2))


def _heading(seen_by: Camera) -> float:
    """The azimuth in which the camera looks."""
    (ex, _, ez), (tx, _, tz) = seen_by.eye, seen_by.target
    return azimuth((tx - ex, 0.0, tz - ez))


def _behind(seen_by: Camera, bodies: Sequence[Body], facing: float, gap: float) -> float:
    """How far from the origin, against the azimuth `facing`, a wall must stand to have everything and the camera before it."""
    nx, nz = sine(facing), cosine(facing)
    places = [body.solid.pose.position for body in bodies]
    least = min(x * nx + z * nz - body.thing.reach for (x, _, z), body in zip(places, bodies, strict=True))
    return min(least, seen_by.eye[0] * nx + seen_by.eye[2] * nz) - gap


def _span(bodies: Sequence[Body]) -> float:
    return max(body.thing.span for body in bodies)


def _corner(rng: Rng, seen_by: Camera, bodies: Sequence[Body]) -> tuple[SceneObject, ...]:
    """Two walls of a room, at right angles."""
    span, high = _span(bodies), round(max(2.6, 1.2 * _span(bodies)), 2)
    turned, colour = _heading(seen_by) + 180 + rng.uniform(-35, 35), rng.pick(_WALLS)
    texture = Texture(rng.pick(_WALL_TEXTURES), 1.5) if rng.chance(0.6) else None
    walls: list[SceneObject] = []
    for facing in (turned + 45, turned - 45):
        off = _behind(seen_by, bodies, facing, span * rng.uniform(0.1, 0.6)) - 0.05
        wall = Box((round(max(40.0, 40 * span), 1), high, 0.1))
        at = (round(off * sine(facing), 3), 0.0, round(off * cosine(facing), 3))
        walls.append(SceneObject(wall, Pose(at, round(facing, 1)), colour=colour, texture=texture, casts_shadow=False))
    return tuple(walls)
