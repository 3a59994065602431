"""Shading of pixels: textures, sun with soft shadows, ambient light, sky; averaged in linear light.

Each pixel has 2 x 2 samples (see `zbuffer`); samples of the same surface are shaded once, at their centre.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.world.render.ambient_light import light_on
from isovist.world.render.jit import inner, kernel
from isovist.world.render.texture_sampling import sky_light, textured
from isovist.world.render.zbuffer import GROUND, SKY, Doubles, Floats, Ints

_OFF = ((0.75, 0.25), (1.75, 0.75), (0.25, 1.25), (1.25, 1.75))  # offsets of the four samples of a pixel, in row order
_EPS = 1e-9
_BLACK = 0.02  # albedo of the darkest surface, so that its shading is visible
_SPOTS = 64  # side of the table of `spots`
_SPOT = 0.31  # metres between its entries; they repeat after 20 m
_COARSE = 0.187  # a second time, scaled up by this factor
_UNEVEN = 0.11
_PENUMBRA = 0.007  # growth of the distance of the positions in `_hidden` with that of the occluder: a sun of 1.6 degrees, as in haze
_SEARCH = 4.0  # the largest such distance, in samples of the shadow map
BLOCK = 8
"""Side of the blocks of `highest_around`, in samples: about as far as `_hidden` looks aside."""


@cache
def spots() -> Floats:
    """Return random numbers from -1 to 1 by which textured surfaces are darker or lighter in places, so that repeats show less."""
    n = np.arange(_SPOTS * _SPOTS, dtype=np.uint32)
    for factor in (0x7FEB352D, 0x846CA68B):
        n = (n ^ (n >> np.uint32(15))) * np.uint32(factor) + np.uint32(0x9E3779B9)
    return ((n >> np.uint32(8)).astype(np.float32) / np.float32(1 << 23) - np.float32(1.0)).reshape(_SPOTS, _SPOTS)


@inner
def _spot(spots: Floats, u: float, v: float) -> float:
    """Interpolate `spots` smoothly."""
    fu, fv = np.floor(u), np.floor(v)
    a, b = u - fu, v - fv
    a, b = a * a * (3.0 - 2.0 * a), b * b * (3.0 - 2.0 * b)
    i, j = np.int64(fv) & (_SPOTS - 1), np.int64(fu) & (_SPOTS - 1)
    k, m = (i + 1) & (_SPOTS - 1), (j + 1) & (_SPOTS - 1)
    return (spots[i, j] * (1.0 - a) + spots[i, m] * a) * (1.0 - b) + (spots[k, j] * (1.0 - a) + spots[k, m] * a) * b


@inner
def _sun_seen(x: float, y: float, z: float, sun: Doubles, shadow: Floats, highest: Floats) -> float:
    """Return the visible proportion of the sun, 0 to 1, at a point. `sun` (4, 4): rows that map a point to column, row and value of the
    shadow map; in the last row the tolerance, the offset along the normal and the side of a sample, in metres.
    `highest`: see `highest_around`.
    """
    u = sun[0, 0] * x + sun[0, 1] * y + sun[0, 2] * z + sun[0, 3]
    v = sun[1, 0] * x + sun[1, 1] * y + sun[1, 2] * z + sun[1, 3]
    value = np.float32(sun[2, 0] * x + sun[2, 1] * y + sun[2, 2] * z + sun[2, 3])
    tolerance, texel = np.float32(sun[3, 0]), sun[3, 2]
    i, j = int(v) // BLOCK, int(u) // BLOCK
    hidden = 0
    if i >= 0 and j >= 0 and i < highest.shape[0] and j < highest.shape[1] and value + tolerance < highest[i, j]:
        hidden, distance = _hidden(u, v, _SEARCH, value + tolerance, shadow)
        if 0 < hidden < 16:
            stride = min(max(_PENUMBRA * distance / (hidden * texel), 1.0), _SEARCH)
            hidden, distance = _hidden(u, v, stride, value + tolerance * np.float32(stride), shadow)
    return 1.0 - hidden / 16.0


def highest_around(shadow: Floats) -> Floats:
    """Return the highest value of the shadow map in and around each block of `BLOCK` x `BLOCK` samples: what lies above it is in the sun."""
    rows, columns = shadow.shape[0] // BLOCK, shadow.shape[1] // BLOCK
    blocks = shadow.reshape(rows, BLOCK, -1).max(axis=1).reshape(rows, columns, BLOCK).max(axis=2)
    wide = np.pad(blocks, 1, mode="edge")
    wide = np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])
    return np.maximum(np.maximum(wide[:, :-2], wide[:, 1:-1]), wide[:, 2:])


@inner
def _hidden(u: float, v: float, stride: float, value: np.float32, shadow: Floats) -> tuple[int, float]:
    """Return how many of 4 x 4 positions around column u and row v of the shadow map hide the sun, and the sum of their distances in
    metres. The positions are a square grid turned by 27 degrees, so that a shadow edge along an axis passes them one by one.
    """
    rows, columns = shadow.shape
    hidden, distance = 0, 0.0
    for k in range(16):
        p, q = (k & 3) - 1.5, (k >> 2) - 1.5
        column, row = np.int64(u + stride * (0.894 * p - 0.447 * q)), np.int64(v + stride * (0.447 * p + 0.894 * q))
        if column >= 0 and row >= 0 and column < columns and row < rows:
            above = shadow[row, column] - value
            hidden += 1 if above > 0 else 0  # without jumps, which shadow edges make unpredictable
            distance += max(above, np.float32(0.0))
    return hidden, distance


@kernel
def shade(
    seen: Ints, camera: Doubles, world: Doubles, piece_of: Ints, pieces: NDArray[np.int64], spins: Doubles, looks: Doubles,
    normals: Floats, uvs: Floats, material: Ints, colours: Floats, textures: Ints,
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats,
    eye: Doubles, view: Doubles, scale: float, perspective: bool,
    light: Doubles, ambient: Doubles, openness: Floats, spots: Floats,
    sun: Doubles, shadow: Floats, highest: Floats, sky: Doubles, image: NDArray[np.int64], ground: Doubles, out: Floats,
) -> None:  # fmt: skip
    """Write the linear light of each pixel to `out` (height, width, 3).

    `seen` (2 height, 2 width): triangle of each sample; `camera` and `world` (n, 3, 3): corners; `piece_of` (n,): part of each triangle.
    For p parts: `pieces` (p, 4) as in `to_world`; `spins` (p, 6, 3): matrix of the normals, stacked on world to part in metres; `looks`
    (p, 8): tint, texture or -1, texture size in metres, origin of the part in the world. The next arguments are the arrays of the pool.
    `light` (2, 3): direction of the sun, its light. `ambient`: see `ambient_light`; `openness` (height, width): part of it that reaches
    a pixel. `ground` (6,): colour, texture or -1, texture size in metres, haze. `sun`, `shadow` and `sky`: see `_sun_seen` and
    `sky_light`; a shadow map without rows casts no shadows.

    Values of the last triangle stay in variables, because a triangle usually covers several pixels in a row.
    """
    height, width = out.shape[:2]
    middle_x, middle_y = float(width), float(height)  # image centre in samples
    ids, counts = np.zeros(4, np.int64), np.zeros(4)
    xs, ys = np.zeros(4), np.zeros(4)
    last = np.int64(GROUND - 1)
    piece = source = picture = override = np.int64(0)
    red_0 = green_0 = blue_0 = 0.0  # colour without texture
    px = py = p0 = qx = qy = q0 = rx = ry = r0 = 0.0  # factors of the barycentric weights
    plane_x = plane_y = plane_z = 0.0  # normal of the plane, either side
    for row in range(height):
        for column in range(width):
            t = np.int64(seen[2 * row, 2 * column])
            if t == seen[2 * row, 2 * column + 1] and t == seen[2 * row + 1, 2 * column] and t == seen[2 * row + 1, 2 * column + 1]:
                kinds = 1
                ids[0], counts[0], xs[0], ys[0] = t, 1.0, 1.0, 1.0
            else:
                kinds = 0
                for i in range(4):
                    t = np.int64(seen[2 * row + (i >> 1), 2 * column + (i & 1)])
                    ox, oy = _OFF[i]
                    j = 0
                    while j < kinds and ids[j] != t:
                        j += 1
                    if j == kinds:
                        ids[j], counts[j], xs[j], ys[j] = t, 0.0, 0.0, 0.0
                        kinds += 1
                    counts[j] += 1.0
                    xs[j] += ox
                    ys[j] += oy
                for j in range(kinds):
                    xs[j], ys[j], counts[j] = xs[j] / counts[j], ys[j] / counts[j], counts[j] / 4.0
            red, green, blue = 0.0, 0.0, 0.0
            for kind in range(kinds):
                t = ids[kind]
                share = counts[kind]
                x = (2 * column + xs[kind] - middle_x) / scale
                y = (middle_y - 2 * row - ys[kind]) / scale
                ray_x = (view[0, 0] * x + view[1, 0] * y if perspective else 0.0) - view[2, 0]
                ray_y = (view[0, 1] * x + view[1, 1] * y if perspective else 0.0) - view[2, 1]
                ray_z = (view[0, 2] * x + view[1, 2] * y if perspective else 0.0) - view[2, 2]
                if t == SKY:
                    sky_r, sky_g, sky_b = sky_light(ray_x, ray_y, ray_z, sky, image, table, texels, linear, 1.0)
                    red, green, blue = red + share * sky_r, green + share * sky_g, blue + share * sky_b
                    continue
                fade = spread = u = v = 0.0
                metres = -1.0
                if t == GROUND:
                    last = t
                    reach = -(eye[1] + (0.0 if perspective else view[0, 1] * x + view[1, 1] * y)) / min(ray_y, -_EPS)
                    at_x = eye[0] + (0.0 if perspective else view[0, 0] * x + view[1, 0] * y) + reach * ray_x
                    at_z = eye[2] + (0.0 if perspective else view[0, 2] * x + view[1, 2] * y) + reach * ray_z
                    at_y = 0.0
                    red_0, green_0, blue_0 = ground[0], ground[1], ground[2]
                    normal_x, normal_y, normal_z = 0.0, 1.0, 0.0
                    picture = np.int64(ground[3])
                    if ground[5] > 0:
                        far = sqrt((at_x - eye[0]) ** 2 + (at_z - eye[2]) ** 2 + eye[1] ** 2)
                        fade = far * far / (far * far + ground[5] * ground[5])
                    if picture >= 0:
                        metres = ground[4]
                        u, v = at_x / metres, -at_z / metres
                        step = 2.0 / scale * (reach if perspective else 1.0)
                        slope = max(abs(ray_y) / sqrt(ray_x**2 + ray_y**2 + ray_z**2), 0.02)
                        side = table[picture, 1] / ground[4]
                        spread = step * side * sqrt(1.0 / slope)
                else:
                    if t != last:
                        last = t
                        piece = np.int64(piece_of[t])
                        source = pieces[piece, 0] + t - pieces[piece, 2]
                        stuff = material[source]
                        override = np.int64(looks[piece, 3])
                        picture = override if override >= 0 else np.int64(textures[stuff])
                        red_0 = colours[stuff, 0] * looks[piece, 0]
                        green_0 = colours[stuff, 1] * looks[piece, 1]
                        blue_0 = colours[stuff, 2] * looks[piece, 2]
                        ux, uy, uz = world[t, 1, 0] - world[t, 0, 0], world[t, 1, 1] - world[t, 0, 1], world[t, 1, 2] - world[t, 0, 2]
                        vx, vy, vz = world[t, 2, 0] - world[t, 0, 0], world[t, 2, 1] - world[t, 0, 1], world[t, 2, 2] - world[t, 0, 2]
                        plane_x, plane_y, plane_z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
                        ax, ay, az = camera[t, 0, 0], camera[t, 0, 1], camera[t, 0, 2]
                        bx, by, bz = camera[t, 1, 0], camera[t, 1, 1], camera[t, 1, 2]
                        cx, cy, cz = camera[t, 2, 0], camera[t, 2, 1], camera[t, 2, 2]
                        px, py, p0 = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
                        qx, qy, q0 = cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax
                        rx, ry, r0 = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
                    if perspective:
                        a, b, c = _weights(x * px + y * py + p0, x * qx + y * qy + q0, x * rx + y * ry + r0)
                    else:
                        a, b, c = _flat_weights(camera, t, x, y)
                    a, b, c = min(max(a, 0.0), 1.0), min(max(b, 0.0), 1.0), min(max(c, 0.0), 1.0)
                    total = a + b + c
                    a, b, c = a / total, b / total, c / total
                    at_x = a * world[t, 0, 0] + b * world[t, 1, 0] + c * world[t, 2, 0]
                    at_y = a * world[t, 0, 1] + b * world[t, 1, 1] + c * world[t, 2, 1]
                    at_z = a * world[t, 0, 2] + b * world[t, 1, 2] + c * world[t, 2, 2]
                    # normal of the plane, toward the eye
                    gx, gy, gz = plane_x, plane_y, plane_z
                    if gx * ray_x + gy * ray_y + gz * ray_z > 0:
                        gx, gy, gz = -gx, -gy, -gz
                    mx = a * normals[source, 0, 0] + b * normals[source, 1, 0] + c * normals[source, 2, 0]
                    my = a * normals[source, 0, 1] + b * normals[source, 1, 1] + c * normals[source, 2, 1]
                    mz = a * normals[source, 0, 2] + b * normals[source, 1, 2] + c * normals[source, 2, 2]
                    normal_x = spins[piece, 0, 0] * mx + spins[piece, 0, 1] * my + spins[piece, 0, 2] * mz
                    normal_y = spins[piece, 1, 0] * mx + spins[piece, 1, 1] * my + spins[piece, 1, 2] * mz
                    normal_z = spins[piece, 2, 0] * mx + spins[piece, 2, 1] * my + spins[piece, 2, 2] * mz
                    length = sqrt(normal_x**2 + normal_y**2 + normal_z**2)
                    if length < _EPS:
                        normal_x, normal_y, normal_z = gx, gy, gz
                        length = sqrt(gx * gx + gy * gy + gz * gz)
                    if normal_x * gx + normal_y * gy + normal_z * gz < 0:
                        length = -length
                    normal_x, normal_y, normal_z = normal_x / length, normal_y / length, normal_z / length
                    if picture >= 0:
                        # texture positions of this pixel and of the next ones to the right and below
                        x1, y1 = x + 2.0 / scale, y + 2.0 / scale
                        if perspective:
                            a1, b1, c1 = _weights(x1 * px + y * py + p0, x1 * qx + y * qy + q0, x1 * rx + y * ry + r0)
                            a2, b2, c2 = _weights(x * px + y1 * py + p0, x * qx + y1 * qy + q0, x * rx + y1 * ry + r0)
                        else:
                            a1, b1, c1 = _flat_weights(camera, t, x1, y)
                            a2, b2, c2 = _flat_weights(camera, t, x, y1)
                        if override >= 0:
                            metres = looks[piece, 4]
                            u, v = _on_box(t, world, a, b, c, spins, looks, int(piece), mx, my, mz)
                            u1, v1 = _on_box(t, world, a1, b1, c1, spins, looks, int(piece), mx, my, mz)
                            u2, v2 = _on_box(t, world, a2, b2, c2, spins, looks, int(piece), mx, my, mz)
                        else:
                            f, g, h = uvs[source, 0, 0], uvs[source, 1, 0], uvs[source, 2, 0]
                            u, u1, u2 = a * f + b * g + c * h, a1 * f + b1 * g + c1 * h, a2 * f + b2 * g + c2 * h
                            f, g, h = uvs[source, 0, 1], uvs[source, 1, 1], uvs[source, 2, 1]
                            v, v1, v2 = a * f + b * g + c * h, a1 * f + b1 * g + c1 * h, a2 * f + b2 * g + c2 * h
                        across, along = table[picture, 1], table[picture, 2]
                        ux, uy, vx, vy = (u1 - u) * across, (v1 - v) * along, (u2 - u) * across, (v2 - v) * along
                        # between the longer side of the pixel footprint and the side of a square of equal area
                        longer, size = sqrt(max(ux * ux + uy * uy, vx * vx + vy * vy)), sqrt(abs(ux * vy - uy * vx))
                        spread = 0.5 * (longer + size)
                albedo_r, albedo_g, albedo_b = red_0, green_0, blue_0
                if picture >= 0:
                    tint_r, tint_g, tint_b = textured(table, texels, linear, int(picture), u, v, spread)
                    albedo_r, albedo_g, albedo_b = red_0 * tint_r, green_0 * tint_g, blue_0 * tint_b
                    if metres > 0.0:
                        p, q = u * metres / _SPOT, v * metres / _SPOT
                        uneven = 1.0 + _UNEVEN * (_spot(spots, p, q) + _spot(spots, p * _COARSE, q * _COARSE))
                        albedo_r, albedo_g, albedo_b = albedo_r * uneven, albedo_g * uneven, albedo_b * uneven
                facing = normal_x * light[0, 0] + normal_y * light[0, 1] + normal_z * light[0, 2]
                lit = max(0.0, facing)
                if facing > 0.0 and shadow.shape[0] > 0:
                    step = sun[3, 1]  # offset along the normal, against self-shadowing
                    lit *= _sun_seen(at_x + step * normal_x, at_y + step * normal_y, at_z + step * normal_z, sun, shadow, highest)
                near = openness[row, column]
                around_r, around_g, around_b = light_on(ambient, normal_x, normal_y, normal_z)
                red += share * _lit(albedo_r, light[1, 0] * lit + around_r * near, sky[1, 0], fade)
                green += share * _lit(albedo_g, light[1, 1] * lit + around_g * near, sky[1, 1], fade)
                blue += share * _lit(albedo_b, light[1, 2] * lit + around_b * near, sky[1, 2], fade)
            out[row, column, 0], out[row, column, 1], out[row, column, 2] = red, green, blue


@inner
def _lit(albedo: float, light: float, horizon: float, fade: float) -> float:
    """Return the light of one colour channel from a surface; `fade`: share of the light of the horizon."""
    value = (_BLACK + (1.0 - _BLACK) * albedo) * light
    return value + (horizon - value) * fade


@inner
def _weights(p: float, q: float, r: float) -> tuple[float, float, float]:
    """Return barycentric weights with the sum 1; those of the first corner for a triangle that is seen edge-on."""
    total = p + q + r
    if total == 0.0:
        return 1.0, 0.0, 0.0
    share = 1.0 / total
    return p * share, q * share, r * share


@inner
def _flat_weights(camera: Doubles, t: int, x: float, y: float) -> tuple[float, float, float]:
    """Return the barycentric weights at x, y in an orthographic view."""
    ax, ay, bx, by, cx, cy = camera[t, 0, 0], camera[t, 0, 1], camera[t, 1, 0], camera[t, 1, 1], camera[t, 2, 0], camera[t, 2, 1]
    return _weights(
        (bx - x) * (cy - y) - (cx - x) * (by - y),
        (cx - x) * (ay - y) - (ax - x) * (cy - y),
        (ax - x) * (by - y) - (bx - x) * (ay - y),
    )


@inner
def _on_box(
    t: int, world: Doubles, a: float, b: float, c: float, spins: Doubles, looks: Doubles, piece: int, mx: float, my: float, mz: float
) -> tuple[float, float]:
    """Return the texture position in metres by box projection: the box side to which the normal is closest."""
    x = a * world[t, 0, 0] + b * world[t, 1, 0] + c * world[t, 2, 0] - looks[piece, 5]
    y = a * world[t, 0, 1] + b * world[t, 1, 1] + c * world[t, 2, 1] - looks[piece, 6]
    z = a * world[t, 0, 2] + b * world[t, 1, 2] + c * world[t, 2, 2] - looks[piece, 7]
    p = spins[piece, 3, 0] * x + spins[piece, 3, 1] * y + spins[piece, 3, 2] * z
    q = spins[piece, 4, 0] * x + spins[piece, 4, 1] * y + spins[piece, 4, 2] * z
    r = spins[piece, 5, 0] * x + spins[piece, 5, 1] * y + spins[piece, 5, 2] * z
    if abs(my) >= max(abs(mx), abs(mz)):
        u, v = p, -r
    elif abs(mx) >= abs(mz):
        u, v = -r if mx > 0 else r, q
    else:
        u, v = p if mz > 0 else -p, q
    return u / looks[piece, 4], v / looks[piece, 4]
