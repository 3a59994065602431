"""Outdoor backgrounds: a street with houses, or open land with trees and hills, below a sky."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine
from isovist.core.scene3d import Box, Cone, Cylinder, Group, Light, Part, Pose, SceneObject, Sky, Sphere, Texture

_HOUSES = ("#b0694f", "#c9b190", "#8f9aa5", "#a98f7a", "#d0c4ae", "#7f6a60", "#98a58f")
_HOUSE_TEXTURES = ("bricks", "plaster", "concrete")
_LEAVES = ("#4d7a3f", "#5d8f42", "#3f6f3a", "#7c9a3e", "#b58a2c")
_HILLS = ("#7d9379", "#8a9a86", "#74887c")
_PLAIN = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#a8adb8", "#d8d8d8"), ("#86b4d0", "#eef2e2"))
_IMAGES = {
    "city": (144.0, ("#8fa9c8", "#b9bcc2")),
    "courtyard": (-107.5, ("#9fb6d4", "#b4ab9c")),
    "forest": (145.2, ("#8aa06a", "#75805c")),
    "sunrise": (144.1, ("#7f92b4", "#c9c3bd")),
    "sunset": (144.1, ("#6f83a8", "#a8a4a6")),
}
"""Panoramas of the pack: yaw of their sun in degrees, and the colours of their zenith and horizon."""


def sky(rng: Rng, light: Light) -> Sky:
    """Return a plain sky, or a panorama rotated so that its sun is in the direction of the light."""
    if rng.chance(0.4):
        return Sky(*rng.pick(_PLAIN))
    name = rng.pick(tuple(_IMAGES))
    sun, (top, bottom) = _IMAGES[name]
    return Sky(top, bottom, name, round(sun - azimuth(light.sun_direction), 1))


def street(rng: Rng, scale: float, facing: float, off: float, middle: float) -> tuple[SceneObject, ...]:
    """Return a pavement with a row of houses and trees in front of them.

    `scale`: characteristic size of a house in metres; `facing`: azimuth of the fronts in degrees; `off`: distance of the kerb from the
    origin along it; `middle`: position of the camera along the row.
    """
    nx, nz = sine(facing), cosine(facing)

    def at(along: float, back: float) -> tuple[float, float, float]:
        return round((off - back) * nx + along * nz, 3), 0.0, round((off - back) * nz - along * nx, 3)

    pavement = Box((round(90 * scale, 1), round(0.03 * scale, 3), round(1.2 * scale, 2)))
    solids = [SceneObject(pavement, Pose(at(0.0, 0.6 * scale), round(facing, 1)), colour="#b5b1a8", casts_shadow=False)]
    along = -9.0
    while along < 9.0:
        wide = rng.uniform(1.6, 3.2)
        house = _house(rng, scale * wide, scale * rng.uniform(1.6, 4.0), scale)
        solids.append(
            SceneObject(
                house,
                Pose(at(middle + scale * (along + wide / 2), 1.9 * scale), round(facing, 1)),
                colour=rng.pick(_HOUSES),
                casts_shadow=False,
            )
        )
        along += wide + rng.pick((0.0, 0.0, 0.5))
    trees = [(scale * rng.uniform(0.9, 1.5), middle + scale * rng.uniform(-4, 4)) for _ in range(rng.integer(1, 4))]
    return (*solids, *(SceneObject(_tree(rng, high), Pose(at(along, 0.7 * scale)), casts_shadow=False) for high, along in trees))


def _house(rng: Rng, width: float, height: float, scale: float) -> Group:
    """Return a wall with rows of windows toward +Z."""
    deep, glass = 1.2 * scale, rng.pick(("#3d4a57", "#52606b", "#2f3a44"))
    columns, rows = max(2, round(width / (0.55 * scale))), max(2, round(height / (0.7 * scale)))
    texture = Texture(rng.pick(_HOUSE_TEXTURES), 2.0) if rng.chance(0.7) else None
    parts = [Part(Box((round(width, 3), round(height, 3), round(deep, 3))), texture=texture)]
    for i in range(columns):
        for j in range(rows):
            x, y = (i + 0.5) / columns * width - width / 2, (j + 0.25) / rows * height
            pane = Box((round(0.5 * width / columns, 3), round(0.5 * height / rows, 3), round(0.04 * scale, 3)))
            parts.append(Part(pane, Pose((round(x, 3), round(y, 3), round(deep / 2, 3))), colour=glass))
    return Group(tuple(parts))


def open_land(rng: Rng, scale: float, facing: float, off: float, middle: float) -> tuple[SceneObject, ...]:
    """Return scattered trees and bushes with hills behind them; parameters as in `street`."""
    nx, nz = sine(facing), cosine(facing)

    def at(along: float, back: float) -> Pose:
        return Pose((round((off - back) * nx + along * nz, 3), 0.0, round((off - back) * nz - along * nx, 3)))

    solids: list[SceneObject] = []
    for _ in range(rng.integer(6, 14)):
        place = at(middle + scale * rng.uniform(-9, 9), scale * rng.uniform(0.8, 6))
        high = scale * rng.uniform(0.9, 2.0)
        solids.append(SceneObject(_bush(rng, 0.3 * high) if rng.chance(0.4) else _tree(rng, high), place, casts_shadow=False))
    for nth in range(-4, 5):
        wide = scale * rng.uniform(7, 14)
        form = Cone(round(wide, 2), round(wide * rng.uniform(0.1, 0.2), 2), round(0.2 * wide, 2), 20)
        solids.append(
            SceneObject(
                form,
                at(middle + scale * (7 * nth + rng.uniform(-3, 3)), scale * rng.uniform(22, 30)),
                colour=rng.pick(_HILLS),
                casts_shadow=False,
            )
        )
    return tuple(solids)


def _tree(rng: Rng, height: float) -> Group:
    """Return a conifer, or a tree with a crown of a few spheres."""
    leaves = rng.pick(_LEAVES)
    if rng.chance(0.5):
        trunk, crown = Cylinder(round(0.05 * height, 3), round(0.4 * height, 3)), Cone(round(0.28 * height, 3), round(0.75 * height, 3))
        return Group((Part(trunk, colour="#6b4a2f"), Part(crown, Pose((0.0, round(0.3 * height, 3), 0.0)), colour=leaves)))
    trunk = Part(Cylinder(round(0.04 * height, 3), round(0.5 * height, 3), 12), colour="#5a4434")
    masses = [_mass(0.0, 0.35 * height, 0.0, 0.28 * height, leaves)]
    start = rng.uniform(0, 360)
    for turn in (0, 120, 240):
        away = 0.17 * height
        x, z = away * sine(start + turn), away * cosine(start + turn)
        masses.append(_mass(x, height * rng.uniform(0.3, 0.45), z, height * rng.uniform(0.16, 0.22), leaves))
    return Group((trunk, *masses))


def _bush(rng: Rng, height: float) -> Group:
    leaves = rng.pick(_LEAVES)
    return Group(tuple(_mass(0.4 * height * i, -0.2 * height, 0.0, height * rng.uniform(0.45, 0.6), leaves) for i in (-1, 0, 1)))


def _mass(x: float, y: float, z: float, radius: float, colour: str) -> Part:
    """Return a sphere of leaves with its lowest point at a position."""
    return Part(Sphere(round(radius, 3)), Pose((round(x, 3), round(y, 3), round(z, 3))), colour=colour)
