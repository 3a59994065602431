"""A corner of a room behind objects: two walls with skirting, doors, windows and pictures, a ceiling, and a table if they stand on one.

The surface on which the objects stand is at y = 0, so with a table the floor is below it. Lengths are metres.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Camera, Geometry, Pose, SceneObject, Texture
from isovist.world.scenes.camera_framing import Body
from isovist.world.scenes.environments import fixtures
from isovist.world.scenes.environments.primitives import block, group
from isovist.world.scenes.environments.style import WOODS
from isovist.world.scenes.furniture_meshes import built
from isovist.world.scenes.habitats import Habitat, Surface

_LONG = 40.0  # length of a wall
_THICK = 0.04  # of a table top
_FLOORS = (Surface("planks", 1.2), Surface("planks-dark", 1.2), Surface("tiles", 1.2), Surface("carpet", 1.0, "#d8d4cc"))
"""Floors under a table."""
_SKIRTING = ("#f2efe8", "#e8e4da", "#d9c8b0", "#8a6a4a")
_CEILING = "#f4f2ec"
_SKY = ("#c8dcf0", "#dce8f0", "#a8c4e0", "#e8ecec")
"""Colours behind the panes of a window."""
_AT_MOST = 3  # fixtures of a wall


def corner(rng: Rng, heading: float, seen_by: Camera, bodies: Sequence[Body], habitat: Habitat, wall: Surface) -> tuple[SceneObject, ...]:
    """The room behind these objects; `heading`: azimuth of the viewing direction in degrees."""
    floor = -habitat.table_m
    top = max(body.solid.pose.position[1] + body.thing.size[1] for body in bodies)
    high = round(max(2.5, seen_by.eye[1] - floor + 0.4, 1.1 * (top - floor) + 0.2), 2)
    middle = heading + 180 + rng.uniform(-42, 42)
    colour, skirting = wall.tint, rng.pick(_SKIRTING)
    facings = (middle + 45, middle - 45)
    span = max(body.thing.span for body in bodies)
    offs = [behind(seen_by, bodies, facing, max(span, 0.4) * rng.uniform(0.1, 0.7)) - 0.05 for facing in facings]
    solids: list[SceneObject] = []
    for nth, (facing, off) in enumerate(zip(facings, offs, strict=True)):
        pose = Pose((round(off * sine(facing), 3), floor, round(off * cosine(facing), 3)), round(facing, 1))
        texture = Texture(wall.texture, wall.metres)
        solids.append(SceneObject(Box((_LONG, high, 0.1)), pose, colour=colour, texture=texture, casts_shadow=False))
        solids.append(SceneObject(Box((_LONG, 0.09, 0.13)), pose, colour=skirting, casts_shadow=False))
        # the other wall crosses this one at the corner: to the right of the first wall, to the left of the second one
        end, side = (-offs[1], -1) if nth == 0 else (offs[0], 1)
        along = end
        for form, width, foot in _fixtures(rng):
            along += side * (width / 2 + rng.uniform(0.3, 1.6))
            x, z = (off + 0.05) * sine(facing) + along * cosine(facing), (off + 0.05) * cosine(facing) - along * sine(facing)
            at = Pose((round(x, 3), round(floor + foot, 3), round(z, 3)), round(facing, 1))
            solids.append(SceneObject(form, at, casts_shadow=False))
            along += side * width / 2
    eye = round(seen_by.eye[0], 1), round(seen_by.eye[2], 1)
    ceiling = Pose((eye[0], round(floor + high, 2), eye[1]), round(middle + 45, 1))
    solids.append(SceneObject(Box((2 * _LONG, 0.1, 2 * _LONG)), ceiling, colour=_CEILING, casts_shadow=False))
    return tuple(solids)


def table(rng: Rng, heading: float, bodies: Sequence[Body], habitat: Habitat, surface: Surface) -> tuple[SceneObject, ...]:
    """The floor, and a table that is large enough for all objects."""
    yaw = round(heading + rng.pick((0, 0, 180)) + rng.uniform(-25, 25), 1)
    places = [body.solid.pose.position for body in bodies]
    across = [(x * cosine(yaw) - z * sine(yaw), body.thing.reach) for (x, _, z), body in zip(places, bodies, strict=True)]
    along = [(x * sine(yaw) + z * cosine(yaw), body.thing.reach) for (x, _, z), body in zip(places, bodies, strict=True)]
    (left, right), (near, far) = (_ends(rng, spread) for spread in (across, along))
    x, z = (left + right) / 2, (near + far) / 2
    at = Pose((round(x * cosine(yaw) + z * sine(yaw), 3), -_THICK, round(z * cosine(yaw) - x * sine(yaw), 3)), yaw)
    top = Box((round(max(right - left, 0.7), 3), _THICK, round(max(far - near, 0.6), 3)))
    floor = rng.pick(_FLOORS)
    ground = Pose((round(x, 1), round(-habitat.table_m - 0.1, 3), round(z, 1)), yaw)
    return (
        SceneObject(top, at, colour=surface.tint, texture=Texture(surface.texture, surface.metres), casts_shadow=False),
        SceneObject(
            Box((2 * _LONG, 0.1, 2 * _LONG)), ground, colour=floor.tint, texture=Texture(floor.texture, floor.metres), casts_shadow=False
        ),
    )


def _ends(rng: Rng, spread: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The ends of a table along one axis, from the centres and radii of the objects on it."""
    low, high = min(at - reach for at, reach in spread), max(at + reach for at, reach in spread)
    rim = 0.06 + 0.25 * sqrt(high - low)
    return low - rim * rng.uniform(0.5, 2.0), high + rim * rng.uniform(0.5, 2.0)


def _fixtures(rng: Rng) -> list[tuple[Geometry, float, float]]:
    """Doors, windows and pictures of a wall: geometry, width and lower edge."""
    made: list[tuple[Geometry, float, float]] = []
    for _ in range(rng.integer(0, _AT_MOST)):
        match rng.pick(("window", "window", "door", "picture", "picture")):
            case "window":
                width, height = round(rng.uniform(0.9, 1.7), 2), round(rng.uniform(1.0, 1.4), 2)
                frame = fixtures.window(
                    width, height, rng.pick(("#f7f5f0", "#f7f5f0", "#4a4c50")), 1 if width < 1.1 else 2, rng.pick((0, 1))
                )
                pane = block((width - 0.04, height - 0.04, 0.01), (0, 0.02, 0), rng.pick(_SKY))
                made.append((group(*frame.parts, pane), width, 0.9))
            case "door":
                colour = rng.pick(("#f2efe8", "#f2efe8", *WOODS[:3]))
                door = built(f"door-{rng.pick(('plain', 'two-panels', 'six-panels'))}", leaf=colour, frame=colour)
                made.append((door, fixtures.DOOR[0], 0.0))
            case _:
                width, height = rng.pick(((0.6, 0.8), (0.9, 0.65), (0.7, 0.7)))
                made.append((fixtures.picture(rng, width, height, rng.pick((*WOODS[:4], "#f4f2ec", "#3f3833"))), width, 1.2))
    return made


def behind(seen_by: Camera, bodies: Sequence[Body], facing: float, gap: float) -> float:
    """The offset of a wall that faces the azimuth `facing` and has all objects and the camera in front of it, in metres."""
    nx, nz = sine(facing), cosine(facing)
    places = [body.solid.pose.position for body in bodies]
    least = min(x * nx + z * nz - body.thing.reach for (x, _, z), body in zip(places, bodies, strict=True))
    return min(least, seen_by.eye[0] * nx + seen_by.eye[2] * nz) - gap
