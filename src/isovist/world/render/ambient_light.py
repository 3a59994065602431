"""Diffuse light from the sky and from the ground, by direction of the surface.

The irradiance is a polynomial of order 2 in the normal: spherical harmonics with nine coefficients a colour (Ramamoorthi and Hanrahan
2001, An Efficient Representation for Irradiance Environment Maps). The upper half of the surroundings is the sky, the lower half reflects
the light on the ground.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import cosine, sine, unit
from isovist.core.scene3d import Scene3D
from isovist.world.render import meshes
from isovist.world.render.asset_pool import colour, linear, pool
from isovist.world.render.jit import inner, kernel
from isovist.world.render.texture_sampling import sky_light
from isovist.world.render.tone_curve import light_of
from isovist.world.render.zbuffer import Doubles, Floats

SUN = (0.96, 0.90, 0.80)
"""Light of the sun on a surface that faces it."""
ABOVE = 0.42
"""Luminance of the light of the sky on a horizontal surface."""
_BELOW = (0.23, 0.215, 0.195)  # without a ground: light from below, as from a floor in a room
_TINT = 0.6  # part of the colour of the sky that remains: cameras and eyes adapt
_SUNWARD = 0.5  # a sky without an image is brighter toward the sun, so that two sides in the shade differ
_REFLECTED = 0.7  # part of the light on the ground that reaches a surface
ROWS, COLUMNS = 16, 64
"""Directions of the upper half, from the horizon up, and counterclockwise (seen from above) from +Z."""
_LUMINANCE = (0.2126, 0.7152, 0.0722)


@cache
def _directions() -> Doubles:
    """Return direction and solid angle of each of the `ROWS` x `COLUMNS` parts of the upper half, shape (n, 4)."""
    rows: list[tuple[float, float, float, float]] = []
    for i in range(ROWS):
        high, low, top = ((i + part) * 90 / ROWS for part in (0.5, 0.0, 1.0))
        solid_angle = (sine(top) - sine(low)) * 6.283185307179586 / COLUMNS
        for j in range(COLUMNS):
            turn = (j + 0.5) * 360 / COLUMNS
            rows.append((cosine(high) * sine(turn), sine(high), cosine(high) * cosine(turn), solid_angle))
    return np.array(rows)


def backdrop(stage: Scene3D) -> tuple[Doubles, NDArray[np.int64]]:
    """Return `sky` and `image` of `texture_sampling.sky_light`."""
    sky = stage.sky
    image = np.array([-1 if sky.image is None else meshes.sky(sky.image)], np.int64)
    top, bottom = ([light_of(v) for v in colour(text)] for text in (sky.top, sky.bottom))
    return np.array([top, bottom, (sky.heading, 0.0, 0.0)]), image


def radiance(stage: Scene3D) -> Doubles:
    """Return the light of each of the directions of the upper half, shape (n, 3), in units in which a surface under a sky of light 1
    has light 1.

    A sky image lights a scene with a ground. Without one, as in a room with the image behind its windows, the colours of the sky do.
    """
    sky, image = backdrop(stage)
    if stage.ground is None:
        image = np.array([-1], np.int64)
    store, sun = pool(), unit(stage.light.sun_direction)
    sunward = np.array([sun[0], sun[2]]) * (_SUNWARD if image[0] < 0 else 0.0)
    light = np.empty((ROWS * COLUMNS, 3))
    _look_around(_directions(), sky, image, sunward, store.table.rows, store.texels.rows, linear(), light)
    grey = light[:, 0] * _LUMINANCE[0] + light[:, 1] * _LUMINANCE[1] + light[:, 2] * _LUMINANCE[2]
    upward = _on_top(_projected(np.repeat(grey[:, None], 3, axis=1), 1.0))[0]
    return (grey[:, None] + (light - grey[:, None]) * _TINT) * (ABOVE * stage.light.ambient / max(float(upward), 1e-6))


def from_below(stage: Scene3D, above: Doubles, ground: Doubles) -> Doubles:
    """Return the light from the lower half, (3,): that of the ground with the albedo `ground` (3,) under the sky `above`, the result of
    `radiance`, or that of a floor.
    """
    if stage.ground is None:
        return np.array(_BELOW) * stage.light.ambient
    sun = np.array(SUN) * (stage.light.strength * max(0.0, unit(stage.light.sun_direction)[1]))
    return (_on_top(_projected(above, 1.0)) + sun) * ground * _REFLECTED


def irradiance(stage: Scene3D, ground: Doubles) -> Doubles:
    """Return the coefficients (9, 3) of the light on a surface, for `light_on`. `ground` (3,): its mean albedo."""
    above = radiance(stage)
    below = np.broadcast_to(from_below(stage, above, ground), above.shape)
    return _projected(above, 1.0) + _projected(below, -1.0)


def _on_top(coefficients: Doubles) -> Doubles:
    """Return the light on a horizontal surface, (3,)."""
    return coefficients[0] + coefficients[2] + 2 * coefficients[7]


@cache
def _weights(side: float) -> Doubles:
    """Return the weight of each direction of one half in each coefficient of `light_on`, (n, 9, 1): a basis function times its factor for
    the irradiance of a surface divided by pi, times the solid angle.
    """
    x, y, z, solid_angle = _directions().T
    y = y * side
    linear_part, mixed = (0.1591549 * v for v in (x, y, z)), (0.2984155 * v for v in (x * y, y * z, z * x))
    basis = [np.full(len(x), 0.0795775), *linear_part, *mixed, 0.0248680 * (3.0 * y * y - 1.0), 0.0746039 * (x * x - z * z)]
    return (np.stack(basis, axis=1) * solid_angle[:, None])[:, :, None]


def _projected(light: Doubles, side: float) -> Doubles:
    """Return the coefficients (9, 3) of the light of one half, (n, 3); `side` 1: upper, -1: lower."""
    return np.cumsum(_weights(side) * light[:, None, :], axis=0)[-1]  # a sum in this order on every machine


@kernel
def _look_around(
    directions: Doubles, sky: Doubles, image: NDArray[np.int64], sunward: Doubles,
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, out: Doubles,
) -> None:  # fmt: skip
    spread = table[image[0], 1] / COLUMNS if image[0] >= 0 else 1.0
    for k in range(len(directions)):
        x, y, z = directions[k, 0], directions[k, 1], directions[k, 2]
        r, g, b = sky_light(x, y, z, sky, image, table, texels, linear, spread)
        gain = 1.0 + sunward[0] * x + sunward[1] * z
        out[k, 0], out[k, 1], out[k, 2] = r * gain, g * gain, b * gain


@inner
def light_on(coefficients: Doubles, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the light on a surface with the normal (x, y, z), red, green and blue."""
    return _channel(coefficients, 0, x, y, z), _channel(coefficients, 1, x, y, z), _channel(coefficients, 2, x, y, z)


@inner
def _channel(coefficients: Doubles, i: int, x: float, y: float, z: float) -> float:
    c = coefficients
    value = c[0, i] + c[1, i] * x + c[2, i] * y + c[3, i] * z + c[4, i] * x * y + c[5, i] * y * z + c[6, i] * z * x
    return max(value + c[7, i] * (3.0 * y * y - 1.0) + c[8, i] * (x * x - z * z), 0.02)
