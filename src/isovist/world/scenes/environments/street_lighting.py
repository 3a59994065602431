"""Skies with matching sun directions, and backdrops at the horizon."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Cone, Light, Pose, SceneObject, Sky
from isovist.world.scenes.environments.primitives import mixed

_PLAIN = (
    # zenith, horizon, sun, ambient light
    ("#4f86c8", "#dce8f2", (0.95, 1.15), (0.9, 1.05)),
    ("#6fa4dc", "#f0ece0", (0.95, 1.1), (0.9, 1.05)),
    ("#8fb4d4", "#e8eef0", (0.75, 0.95), (1.0, 1.15)),
    ("#a8b0ba", "#d6d8da", (0.3, 0.5), (1.2, 1.35)),
    ("#7a94c0", "#f4d8b8", (0.85, 1.05), (0.9, 1.05)),
)
_IMAGES: dict[str, tuple[float, float]] = {"city": (144.0, 47.8), "sunrise": (144.1, 24.0)}
"""Panoramas of the pack with the yaw and elevation of their sun in degrees. A low sun has an elevation of at least 24 degrees, because its
shadows would otherwise cover the complete scene.
"""
_HORIZONS = {"city": ("#9a9ca4", "#b8b8be"), "sunrise": ("#5a80ac", "#c8ccc8")}


def weather(rng: Rng) -> tuple[Light, Sky, float]:
    """Sample light, sky, and the haze distance of the ground in metres."""
    haze = round(rng.uniform(90, 220), 1)
    if rng.chance(0.2):
        name = rng.pick(tuple(_IMAGES))
        yaw, high = _IMAGES[name]
        heading = round(rng.uniform(-180, 180), 1)
        top, bottom = _HORIZONS[name]
        light = Light(_towards(yaw - heading, high), round(rng.uniform(0.8, 1.0), 2), round(rng.uniform(1.0, 1.15), 2))
        return light, Sky(top, bottom, name, heading), haze
    top, bottom, sun, around = rng.pick(_PLAIN)
    light = Light(_towards(rng.uniform(-180, 180), rng.uniform(32, 62)), round(rng.uniform(*sun), 2), round(rng.uniform(*around), 2))
    return light, Sky(top, bottom), haze


def _towards(yaw: float, high: float) -> tuple[float, float, float]:
    flat = cosine(high)
    return round(flat * sine(yaw), 4), round(sine(high), 4), round(flat * cosine(yaw), 4)


def backdrop(rng: Rng, sky: Sky, woods: bool) -> tuple[SceneObject, ...]:
    """Distant hills, and woods if requested, around the origin. They are paler at larger distances and fill the gaps between houses."""
    solids: list[SceneObject] = []
    for i in range(rng.integer(5, 9)):
        away, yaw, radius = rng.uniform(300, 420), 50.0 * i + rng.uniform(-20, 20), round(rng.uniform(100, 190), 1)
        form = Cone(radius, round(radius * rng.uniform(0.1, 0.2), 1), round(0.2 * radius, 1), 20)
        solids.append(
            SceneObject(
                form, _at(away, yaw), colour=mixed(rng.pick(("#6f8a68", "#7a8c70", "#6a8078")), sky.bottom, 0.55), casts_shadow=False
            )
        )
    for i in range(44 if woods else 0):
        away, yaw = rng.uniform(118, 160), i * 8.2 + rng.uniform(-3, 3)
        form = Cone(round(rng.uniform(10, 16), 1), round(rng.uniform(5, 11), 1), round(rng.uniform(1.5, 4), 1), 12)
        solids.append(
            SceneObject(
                form, _at(away, yaw), colour=mixed(rng.pick(("#4a6a40", "#557848", "#42623c")), sky.bottom, 0.28), casts_shadow=False
            )
        )
    return tuple(solids)


def _at(away: float, yaw: float) -> Pose:
    return Pose((round(away * sine(yaw), 1), 0.0, round(away * cosine(yaw), 1)))
