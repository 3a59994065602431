"""Other objects, ground, walls, light and sky around the targets, sampled independently of their facing directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine
from isovist.core.scene3d import Camera, Ground, Light, Scene3D, SceneObject, Sky, Texture
from isovist.world.scenes import habitats, legibility, object_catalog
from isovist.world.scenes.camera_framing import Body, Extent, extent, standing
from isovist.world.scenes.habitats import Habitat, Surface
from isovist.world.scenes.mesh_catalog import Front
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.occlusion import beside
from isovist.world.scenes.outdoor_backgrounds import Backdrop, land, shore, sky, street
from isovist.world.scenes.room_corner import behind, corner, table

Setting = Literal["alone", "indoors", "outdoors"]
SETTINGS: tuple[Setting, ...] = ("alone", "indoors", "outdoors")

MOST_HIDDEN = 0.2
"""Maximum share of a target's image box that the boxes of all nearer objects cover together."""
_ANY: tuple[Front, ...] = ("clear", "symmetric", "none")
_COMPANION_RATIO, _FEW = 3.5, 4
"""Maximum ratio of the diagonals of a target and another object of its habitat, unless fewer categories than `_FEW` fit."""
_ON_GROUND, _ON_TABLE = (0.75, 2.2), (0.85, 1.6)
"""Ranges of the distance of another object from the camera, relative to the farthest target."""
_MOST_LARGE = 0.55  # maximum square root of the image box of another object, in image heights
_TRIES = 14
STUDIO_SHARE = 0.4
"""Share of the single objects of rooms that are on a plain ground without a background."""
_MOST_OF_A_STREET = 2.0  # `Backdrop.scale` up to which houses are behind the objects

TINTS = (None, None, None, "#f0e0d0", "#d8e4f0", "#e4f0d8", "#f0d8e0")
"""Tints of objects; None keeps the object's own colours."""
_PLAIN = tuple(
    Surface("", 1.0, colour)
    for colour in ("#b9b2a6", "#9aa5ad", "#c9c4b4", "#8f9a86", "#b7a08c", "#a8a8b4", "#c8c6c2", "#8a8f99", "#d8d6d0", "#6c7078")
)
"""Grounds of a studio."""
_SKIES = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#a8adb8", "#d8d8d8"), ("#86b4d0", "#eef2e2"))


def turn(rng: Rng) -> float:
    """A uniform yaw in degrees, rounded to 0.1."""
    return round(rng.uniform(-180, 180), 1)


def crowd(
    rng: Rng, setting: Setting, seen_by: Camera, targets: Sequence[Body], n: int, screened: bool = False, habitat: Habitat | None = None
) -> tuple[Body, ...]:
    """Up to `n` objects of a habitat, or of a setting, that occlude little of the targets (`MOST_HIDDEN`).

    The first one is a screen if `screened`.
    """
    if setting == "alone":
        return ()
    around: list[Body] = []
    near = max(target.thing.span for target in targets)
    groups = companions(habitat, near) if habitat else object_catalog.chosen(_ANY, setting, near, sure=False)
    boxes = [extent(seen_by, target) for target in targets]
    hidden = [0.0] * len(targets)
    for _ in range(_TRIES * n):
        if len(around) >= n:
            break
        at = _somewhere(rng, seen_by, targets, _ON_TABLE if habitat and habitat.table_m else _ON_GROUND)
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
        # the frame of a target never contains a part of another object of its category
        if any(body.thing.category == t.thing.category and box.common(target_box) for target_box, t in zip(boxes, targets, strict=True)):
            continue
        if all(a + b <= MOST_HIDDEN for a, b in zip(hidden, more, strict=True)):
            hidden = [a + b for a, b in zip(hidden, more, strict=True)]
            around.append(body)
    return tuple(around)


def companions(habitat: Habitat, near: float) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects of a habitat with a diagonal of about `near` metres, by category; also larger and smaller ones if few categories fit."""
    groups = habitats.residents(habitat, _ANY, near, _COMPANION_RATIO, sure=False)
    if len(groups) >= _FEW:
        return groups
    return habitats.residents(habitat, _ANY, near, 4 * _COMPANION_RATIO, sure=False) or habitats.residents(habitat, _ANY, sure=False)


def _somewhere(rng: Rng, seen_by: Camera, targets: Sequence[Body], far: tuple[float, float]) -> tuple[float, float]:
    """A visible position on the ground, from slightly in front of the targets to far behind them."""
    (ex, _, ez), (tx, _, tz) = seen_by.eye, seen_by.target
    heading = azimuth((tx - ex, 0.0, tz - ez)) + rng.uniform(-0.5, 0.5) * seen_by.fov
    distance = max(_distance(seen_by, target) for target in targets) * rng.uniform(*far)
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


def stage(
    rng: Rng,
    setting: Setting,
    seen_by: Camera,
    bodies: Sequence[Body],
    habitat: Habitat | None = None,
    *,
    targets: int = 1,
    bare: bool = False,
) -> Scene3D:
    """The 3-D scene of these objects in a setting. The given objects come first, in their order; the first `targets` are asked about, so
    ground and walls have another colour.

    Without a `habitat`, it is one that all objects share. A single object may be in a studio. `bare`: no walls, houses or land.
    """
    things = [body.thing for body in bodies if body.thing.id in object_catalog.known() or body.thing.made]
    span = _span(bodies)
    if habitat is None:
        habitat = habitats.shared(things, None if setting == "alone" else setting)
    afloat = habitat.background == "shore"
    solids = tuple(_floating(body) if afloat else body.solid for body in bodies)
    lit, shown = light(rng, seen_by), [(body.thing.mesh, body.solid.colour) for body in bodies[:targets]]
    if setting == "alone" and habitat.place == "indoors" and not bare and rng.chance(STUDIO_SHARE):
        plain = legibility.pick_surface(rng, _PLAIN, shown).tint
        return Scene3D(solids, seen_by, Ground(plain, None, round(span * rng.uniform(15, 40), 1)), lit, Sky(*rng.pick(_SKIES)))
    surface = legibility.pick_surface(rng, habitat.grounds, shown)
    # textures of large open grounds are coarser: a photograph from far away shows their coarse structure
    metres = round(surface.metres * rng.uniform(0.85, 1.2) * max(1.0, span / 12), 2)
    ground = Ground(surface.tint, Texture(surface.texture, metres), round(max(60.0, 12 * span) * rng.uniform(1.5, 4.0), 1))
    if habitat.background == "room":
        around = (
            () if bare else corner(rng, _heading(seen_by), seen_by, bodies, habitat, legibility.pick_surface(rng, habitat.walls, shown))
        )
        if habitat.table_m:
            top = replace(surface, metres=round(surface.metres * rng.uniform(0.7, 1.2), 2))
            return Scene3D(
                (*solids, *table(rng, _heading(seen_by), bodies, habitat, top), *around), seen_by, None, lit, Sky(*rng.pick(_SKIES))
            )
        return Scene3D((*solids, *around), seen_by, ground, lit, Sky(*rng.pick(_SKIES)))
    above = sky(rng, lit, habitat.background == "street")
    return Scene3D((*solids, *(() if bare else _land(rng, habitat, seen_by, bodies, above))), seen_by, ground, lit, above)


def _land(rng: Rng, habitat: Habitat, seen_by: Camera, bodies: Sequence[Body], above: Sky) -> tuple[SceneObject, ...]:
    """What is behind the objects outdoors."""
    span = _span(bodies)
    facing = _heading(seen_by) + 180 + rng.uniform(-30, 30)
    off = behind(seen_by, bodies, facing, max(span, 1.5) * rng.uniform(0.3, 1.2))
    view = Backdrop(facing, off, seen_by, max(1.0, span / 12))
    match habitat.background:
        case "street" if view.scale <= _MOST_OF_A_STREET:
            return street(rng, view, above.bottom)
        case "shore":
            return shore(rng, view, above.bottom)
        case _:
            return land(rng, view, above.bottom, dry=habitat.name == "savanna")


def _floating(body: Body) -> SceneObject:
    """The object with its hull partly below the surface of the water."""
    (x, y, z), pose = body.solid.pose.position, body.solid.pose
    return replace(body.solid, pose=replace(pose, position=(x, round(y - habitats.draught(body.thing), 3), z)))


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


def _span(bodies: Sequence[Body]) -> float:
    return max(body.thing.span for body in bodies)
