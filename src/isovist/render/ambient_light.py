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
from isovist.render import meshes
from isovist.render.asset_pool import colour, linear, pool
from isovist.render.jit import kernel
from isovist.render.texture_sampling import sky_light
from isovist.render.tone_curve import light_of
from isovist.render.zbuffer import Doubles, Floats

SUN = (0.96, 0.90, 0.80)
"""Light of the sun on a surface that faces it."""
ABOVE = 0.42
"""Luminance of the light of the sky on a horizontal surface."""
_BELOW = (0.23, 0.215, 0.195)  # without a ground: light from below, as from a floor in a room
_TINT = 0.6  # part of the colour of the sky that remains: cameras and eyes adapt
_SUNWARD = 0.5  # a sky without an image is brighter toward the sun, so that two sides in the shade differ
_REFLECTED = 0.7  # part of the light on the ground that reaches a surface
_ROWS, _COLUMNS = 16, 64  # directions of the upper half
_LUMINANCE = (0.2126, 0.7152, 0.0722)


@cache
def _directions() -> Doubles:
    """Return direction and solid angle of each of the `_ROWS` x `_COLUMNS` parts of the upper half, shape (n, 4)."""
    rows: list[tuple[float, float, float, float]] = []
    for i in range(_ROWS):
        high, low, top = ((i + part) * 90 / _ROWS for part in (0.5, 0.0, 1.0))
        solid_angle = (sine(top) - sine(low)) * 6.283185307179586 / _COLUMNS
        for j in range(_COLUMNS):
            turn = (j + 0.5) * 360 / _COLUMNS
            rows.append((cosine(high) * sine(turn), sine(high), cosine(high) * cosine(turn), solid_angle))
    return np.array(rows)


def backdrop(stage: Scene3D) -> tuple[Doubles, NDArray[np.int64]]:
    """Return `sky` and `image` of `texture_sampling.sky_light`."""
    sky = stage.sky
    image = np.array([-1 if sky.image is None else meshes.sky(sky.image)], np.int64)
    top, bottom = ([light_of(v) for v in colour(text)] for text in (sky.top, sky.bottom))
    return np.array([top, bottom, (sky.heading, 0.0, 0.0)]), image


def irradiance(stage: Scene3D, ground: Doubles) -> Doubles:
    """Return the coefficients (9, 3) of the light on a surface, for `light_on`, in units of the light of a white surface.

    `ground` (3,): its mean albedo. A sky image lights a scene with a ground; without one, as in a room with the image behind its windows,
    the colours of the sky do.
    """
    sky, image = backdrop(stage)
    if stage.ground is None:
        image = np.array([-1], np.int64)
    store, light = pool(), stage.light
    sun = unit(light.sun_direction)
    above, below = np.zeros((9, 3)), np.zeros(9)
    sunward = np.array([sun[0], sun[2]]) * (_SUNWARD if image[0] < 0 else 0.0)
    _gather(_directions(), sky, image, sunward, store.table.rows, store.texels.rows, linear(), above, below)
    upward = above[0] + above[2] + 2 * above[7]
    grey = above[:, 0] * _LUMINANCE[0] + above[:, 1] * _LUMINANCE[1] + above[:, 2] * _LUMINANCE[2]
    bright = max(upward[0] * _LUMINANCE[0] + upward[1] * _LUMINANCE[1] + upward[2] * _LUMINANCE[2], 1e-6)
    above = (grey[:, None] + (above - grey[:, None]) * _TINT) * (ABOVE * light.ambient / bright)
    if stage.ground is None:
        return above + below[:, None] * (np.array(_BELOW) * light.ambient)
    on_ground = above[0] + above[2] + 2 * above[7] + np.array(SUN) * (light.strength * max(0.0, sun[1]))
    return above + below[:, None] * (on_ground * ground * _REFLECTED)


@kernel
def _gather(
    directions: Doubles, sky: Doubles, image: NDArray[np.int64], sunward: Doubles,
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, above: Doubles, below: Doubles,
) -> None:  # fmt: skip
    """Add the coefficients of the sky to `above` (9, 3), and to `below` (9,) those of a lower half of radiance 1."""
    spread = table[image[0], 1] / _COLUMNS if image[0] >= 0 else 1.0
    for k in range(len(directions)):
        x, y, z, part = directions[k, 0], directions[k, 1], directions[k, 2], directions[k, 3]
        r, g, b = sky_light(x, y, z, sky, image, table, texels, linear, spread)
        gain = part * (1.0 + sunward[0] * x + sunward[1] * z)
        for i in range(9):
            size = _basis(i, x, y, z)
            above[i, 0] += size * r * gain
            above[i, 1] += size * g * gain
            above[i, 2] += size * b * gain
            below[i] += _basis(i, x, -y, z) * part


@kernel
def _basis(i: int, x: float, y: float, z: float) -> float:
    """Return a basis function of `light_on` times its factor for the irradiance of a surface, divided by pi."""
    if i == 0:
        return 0.0795775
    if i < 4:
        return 0.1591549 * (x if i == 1 else (y if i == 2 else z))
    if i < 7:
        return 0.2984155 * (x * y if i == 4 else (y * z if i == 5 else z * x))
    return 0.0248680 * (3.0 * y * y - 1.0) if i == 7 else 0.0746039 * (x * x - z * z)


@kernel
def light_on(coefficients: Doubles, i: int, x: float, y: float, z: float) -> float:
    """Return the light of colour channel i on a surface with the normal (x, y, z)."""
    c = coefficients
    value = c[0, i] + c[1, i] * x + c[2, i] * y + c[3, i] * z + c[4, i] * x * y + c[5, i] * y * z + c[6, i] * z * x
    return max(value + c[7, i] * (3.0 * y * y - 1.0) + c[8, i] * (x * x - z * z), 0.02)
