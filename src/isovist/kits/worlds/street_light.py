"""Skies over streets, each with a sun that fits it."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.solid import Light, Sky

_PLAIN = (
    # zenith, horizon, sun, light from all around
    ("#4f86c8", "#dce8f2", (0.95, 1.15), (0.9, 1.05)),
    ("#6fa4dc", "#f0ece0", (0.95, 1.1), (0.9, 1.05)),
    ("#8fb4d4", "#e8eef0", (0.75, 0.95), (1.0, 1.15)),
    ("#a8b0ba", "#d6d8da", (0.3, 0.5), (1.2, 1.35)),
    ("#7a94c0", "#f4d8b8", (0.85, 1.05), (0.9, 1.05)),
)
_IMAGES: dict[str, tuple[float, float]] = {"city": (144.0, 47.8), "sunrise": (144.1, 24.0), "sunset": (144.1, 24.0)}
"""Panoramas of the pack, and the yaw and elevation of the sun in them in degrees; a sun near the horizon is lifted to 24, for else
its shadows would cover everything.
"""
_HORIZONS = {"city": ("#9a9ca4", "#b8b8be"), "sunrise": ("#5a80ac", "#c8ccc8"), "sunset": ("#6a84a8", "#c0b8b8")}


def weather(rng: Rng) -> tuple[Light, Sky, float]:
    """Light, sky, and the haze of the ground in metres."""
    haze = round(rng.uniform(90, 220), 1)
    if rng.chance(0.35):
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
