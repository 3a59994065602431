"""Shading of pixels: textures, sun with soft shadows, ambient light, sky; averaged in linear light.

Each pixel has 2 x 2 samples (see `zbuffer`); samples of the same surface are shaded once, at their centre.
"""

from __future__ import annotations

from math import asin, atan2, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.render.asset_pool import FINE
from isovist.render.jit import kernel
from isovist.render.zbuffer import GROUND, SKY, Doubles, Floats, Ints

_OFF = ((0.75, 0.25), (1.75, 0.75), (0.25, 1.25), (1.25, 1.75))  # offsets of the four samples of a pixel, in row order
KNEE = 0.8  # linear light above which highlights are compressed
_FINE = FINE
_EPS = 1e-9
_BLACK = 0.02  # albedo of the darkest surface, so that its shading is visible


@kernel
def _texel(texels: NDArray[np.uint8], linear: Floats, first: int, width: int, height: int, u: float, v: float, out: Floats) -> None:
    """Interpolate one mipmap level bilinearly; u to the right and v down in texels, repeated at the edges."""
    x, y = u - 0.5, v - 0.5
    fx, fy = np.floor(x), np.floor(y)
    a, b = np.float32(x - fx), np.float32(y - fy)
    x0, y0 = np.int64(fx) & (width - 1), np.int64(fy) & (height - 1)
    x1, y1 = (x0 + 1) & (width - 1), (y0 + 1) & (height - 1)
    p, q, r, s = first + y0 * width + x0, first + y0 * width + x1, first + y1 * width + x0, first + y1 * width + x1
    one = np.float32(1.0)
    for i in range(3):
        upper = linear[texels[p, i]] * (one - a) + linear[texels[q, i]] * a
        lower = linear[texels[r, i]] * (one - a) + linear[texels[s, i]] * a
        out[i] = upper * (one - b) + lower * b


@kernel
def _textured(
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, texture: int, u: float, v: float, spread: float, out: Floats
) -> None:
    """Sample a texture at u, v (v up, 1 is its full side); a pixel is `spread` texels of the finest level wide."""
    first, width, height, levels = table[texture, 0], table[texture, 1], table[texture, 2], table[texture, 3]
    down = 1.0 - v
    fine = 0
    while spread >= 2.0 and fine < levels - 1:
        spread *= 0.5
        fine += 1
    for _ in range(fine):
        first += width * height
        width, height = max(1, width >> 1), max(1, height >> 1)
    _texel(texels, linear, first, width, height, u * width, down * height, out)
    part = np.float32(min(spread - 1.0, 1.0))
    if part > 0 and fine < levels - 1:
        r, g, b = out[0], out[1], out[2]
        first += width * height
        width, height = max(1, width >> 1), max(1, height >> 1)
        _texel(texels, linear, first, width, height, u * width, down * height, out)
        out[0], out[1], out[2] = r + (out[0] - r) * part, g + (out[1] - g) * part, b + (out[2] - b) * part


@kernel
def _sun_seen(x: float, y: float, z: float, sun: Doubles, shadow: Floats) -> float:
    """Return the visible proportion of the sun, 0 to 1, at a point. `sun` (4, 4): rows that map a point to column, row and value of the
    shadow map, and the tolerance in the last row.
    """
    u = sun[0, 0] * x + sun[0, 1] * y + sun[0, 2] * z + sun[0, 3] - 0.5
    v = sun[1, 0] * x + sun[1, 1] * y + sun[1, 2] * z + sun[1, 3] - 0.5
    value = np.float32(sun[2, 0] * x + sun[2, 1] * y + sun[2, 2] * z + sun[2, 3] + sun[3, 0])
    column, row = np.int64(np.floor(u)), np.int64(np.floor(v))
    rows, columns = shadow.shape
    if column < 1 or row < 1 or column >= columns - 2 or row >= rows - 2:
        return 1.0
    a, b = u - column, v - row
    lit = 0.0
    for i in range(4):
        wide = (1.0 - b) if i == 0 else (b if i == 3 else 1.0)
        line = 0.0
        for j in range(4):
            if value >= shadow[row - 1 + i, column - 1 + j]:
                line += (1.0 - a) if j == 0 else (a if j == 3 else 1.0)
        lit += wide * line
    return lit / 9.0


@kernel
def _sky(
    dx: float, dy: float, dz: float, sky: Doubles, image: NDArray[np.int64],
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats, out: Floats,
) -> None:  # fmt: skip
    """Compute the light from a direction. `sky` (3, 3): zenith, horizon, and the heading of the sky image."""
    length = sqrt(dx * dx + dy * dy + dz * dz)
    rise = dy / length
    if image[0] >= 0:
        across = 0.5 + atan2(dx, -dz) / (2.0 * pi) - sky[2, 0] / 360.0
        height = 0.5 + asin(max(-1.0, min(1.0, rise))) / pi
        _textured(table, texels, linear, int(image[0]), across, height, 1.0, out)
        return
    part = max(0.0, rise)
    part = 1.0 - (1.0 - part) * (1.0 - part)
    for i in range(3):
        out[i] = np.float32(sky[1, i] + (sky[0, i] - sky[1, i]) * part)


@kernel
def shade(
    seen: Ints, camera: Doubles, world: Doubles, piece_of: Ints, pieces: NDArray[np.int64], spins: Doubles, looks: Doubles,
    normals: Floats, uvs: Floats, material: Ints, colours: Floats, textures: Ints,
    table: NDArray[np.int64], texels: NDArray[np.uint8], linear: Floats,
    eye: Doubles, view: Doubles, scale: float, perspective: bool,
    light: Doubles, sun: Doubles, shadow: Floats, sky: Doubles, image: NDArray[np.int64], ground: Doubles, out: Floats,
) -> None:  # fmt: skip
    """Write the linear light of each pixel to `out` (height, width, 3).

    `seen` (2 height, 2 width): triangle of each sample; `camera` and `world` (n, 3, 3): corners; `piece_of` (n,): part of each triangle.
    For p parts: `pieces` (p, 4) as in `to_world`; `spins` (p, 6, 3): matrix of the normals, stacked on world to part in metres; `looks`
    (p, 8): tint, texture or -1, texture size in metres, origin of the part in the world. The next arguments are the arrays of the pool.
    `light` (5, 3): direction of the sun, its light, ambient light from above and below, direction of "above". `ground` (6,): colour,
    texture or -1, texture size in metres, haze. `sun`, `shadow` and `sky`: see `_sun_seen` and `_sky`; a shadow map without rows casts
    no shadows.
    """
    height, width = out.shape[:2]
    middle_x, middle_y = float(width), float(height)  # image centre in samples
    texture = np.zeros(3, np.float32)
    beyond = np.zeros(3, np.float32)
    ray, albedo, normal, at = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    bary, uv = np.zeros((3, 3)), np.zeros((3, 2))
    ids, counts = np.zeros(4, np.int64), np.zeros(4, np.int64)
    xs, ys = np.zeros(4), np.zeros(4)
    for row in range(height):
        for column in range(width):
            kinds = 0
            for i in range(4):
                t = seen[2 * row + (i >> 1), 2 * column + (i & 1)]
                ox, oy = _OFF[i]
                j = 0
                while j < kinds and ids[j] != t:
                    j += 1
                if j == kinds:
                    ids[j], counts[j], xs[j], ys[j] = t, 0, 0.0, 0.0
                    kinds += 1
                counts[j] += 1
                xs[j] += ox
                ys[j] += oy
            red, green, blue = 0.0, 0.0, 0.0
            for kind in range(kinds):
                t = ids[kind]
                share = counts[kind] / 4.0
                x = (2 * column + xs[kind] / counts[kind] - middle_x) / scale
                y = (middle_y - 2 * row - ys[kind] / counts[kind]) / scale
                for i in range(3):
                    ray[i] = (view[0, i] * x + view[1, i] * y if perspective else 0.0) - view[2, i]
                if t == SKY:
                    _sky(ray[0], ray[1], ray[2], sky, image, table, texels, linear, beyond)
                    red += share * beyond[0]
                    green += share * beyond[1]
                    blue += share * beyond[2]
                    continue
                textured, far = -1, 0.0
                spread = 0.0
                if t == GROUND:
                    for i in range(3):
                        at[i] = eye[i] + (0.0 if perspective else view[0, i] * x + view[1, i] * y)
                        albedo[i] = ground[i]
                        normal[i] = 0.0
                    normal[1] = 1.0
                    reach = -at[1] / min(ray[1], -_EPS)
                    at[0] += reach * ray[0]
                    at[2] += reach * ray[2]
                    at[1] = 0.0
                    far = sqrt((at[0] - eye[0]) ** 2 + (at[2] - eye[2]) ** 2 + eye[1] ** 2)
                    if ground[3] >= 0:
                        textured = np.int64(ground[3])
                        uv[0, 0], uv[0, 1] = at[0] / ground[4], -at[2] / ground[4]
                        step = 2.0 / scale * (reach if perspective else 1.0)
                        slope = max(abs(ray[1]) / sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2), 0.02)
                        side = table[textured, 1] / ground[4]
                        spread = step * side * sqrt(1.0 / slope)
                else:
                    piece = int(piece_of[t])
                    source = pieces[piece, 0] + t - pieces[piece, 2]
                    stuff = material[source]
                    override = np.int64(looks[piece, 3])
                    textured = override if override >= 0 else np.int64(textures[stuff])
                    # barycentric weights where the ray meets the plane of the triangle, and those of the next pixels
                    for k in range(3 if textured >= 0 else 1):
                        px, py = x + (2.0 / scale if k == 1 else 0.0), y + (2.0 / scale if k == 2 else 0.0)
                        _weights(camera, t, px, py, perspective, bary, k)
                        if k == 0:
                            for i in range(3):
                                bary[0, i] = min(max(bary[0, i], 0.0), 1.0)
                            total = bary[0, 0] + bary[0, 1] + bary[0, 2]
                            for i in range(3):
                                bary[0, i] /= total
                    for i in range(3):
                        at[i] = bary[0, 0] * world[t, 0, i] + bary[0, 1] * world[t, 1, i] + bary[0, 2] * world[t, 2, i]
                        albedo[i] = colours[stuff, i] * looks[piece, i]
                    # normal of the plane, toward the eye
                    ux, uy, uz = world[t, 1, 0] - world[t, 0, 0], world[t, 1, 1] - world[t, 0, 1], world[t, 1, 2] - world[t, 0, 2]
                    vx, vy, vz = world[t, 2, 0] - world[t, 0, 0], world[t, 2, 1] - world[t, 0, 1], world[t, 2, 2] - world[t, 0, 2]
                    gx, gy, gz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
                    if gx * ray[0] + gy * ray[1] + gz * ray[2] > 0:
                        gx, gy, gz = -gx, -gy, -gz
                    mx = bary[0, 0] * normals[source, 0, 0] + bary[0, 1] * normals[source, 1, 0] + bary[0, 2] * normals[source, 2, 0]
                    my = bary[0, 0] * normals[source, 0, 1] + bary[0, 1] * normals[source, 1, 1] + bary[0, 2] * normals[source, 2, 1]
                    mz = bary[0, 0] * normals[source, 0, 2] + bary[0, 1] * normals[source, 1, 2] + bary[0, 2] * normals[source, 2, 2]
                    for i in range(3):
                        normal[i] = spins[piece, i, 0] * mx + spins[piece, i, 1] * my + spins[piece, i, 2] * mz
                    length = sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
                    if length < _EPS:
                        normal[0], normal[1], normal[2] = gx, gy, gz
                        length = sqrt(gx * gx + gy * gy + gz * gz)
                    if normal[0] * gx + normal[1] * gy + normal[2] * gz < 0:
                        length = -length
                    for i in range(3):
                        normal[i] /= length
                    if textured >= 0:
                        across, along = table[textured, 1], table[textured, 2]
                        for k in range(3):
                            if override >= 0:
                                _on_box(t, world, bary, k, spins, looks, piece, mx, my, mz, uv)
                            else:
                                for i in range(2):
                                    uv[k, i] = (
                                        bary[k, 0] * uvs[source, 0, i] + bary[k, 1] * uvs[source, 1, i] + bary[k, 2] * uvs[source, 2, i]
                                    )
                        ux, uy = (uv[1, 0] - uv[0, 0]) * across, (uv[1, 1] - uv[0, 1]) * along
                        vx, vy = (uv[2, 0] - uv[0, 0]) * across, (uv[2, 1] - uv[0, 1]) * along
                        # between the longer side of the pixel footprint and the side of a square of equal area
                        longer, size = sqrt(max(ux * ux + uy * uy, vx * vx + vy * vy)), sqrt(abs(ux * vy - uy * vx))
                        spread = 0.5 * (longer + size)
                if textured >= 0:
                    _textured(table, texels, linear, int(textured), uv[0, 0], uv[0, 1], spread, texture)
                    for i in range(3):
                        albedo[i] *= texture[i]
                facing = normal[0] * light[0, 0] + normal[1] * light[0, 1] + normal[2] * light[0, 2]
                lit = 0.0
                if facing > 0.0:
                    lit = facing
                    if shadow.shape[0] > 0:
                        step = sun[3, 1]  # offset along the normal, against self-shadowing
                        lit *= _sun_seen(at[0] + step * normal[0], at[1] + step * normal[1], at[2] + step * normal[2], sun, shadow)
                high = 0.5 + 0.5 * (normal[0] * light[4, 0] + normal[1] * light[4, 1] + normal[2] * light[4, 2])
                fade = 0.0
                if t == GROUND and ground[5] > 0:
                    fade = far * far / (far * far + ground[5] * ground[5])
                for i in range(3):
                    value = (_BLACK + (1.0 - _BLACK) * albedo[i]) * (light[1, i] * lit + light[3, i] + (light[2, i] - light[3, i]) * high)
                    if value > KNEE:
                        over = (value - KNEE) / (1.0 - KNEE)
                        value = KNEE + (1.0 - KNEE) * over / (1.0 + over)
                    value += (sky[1, i] - value) * fade
                    if i == 0:
                        red += share * value
                    elif i == 1:
                        green += share * value
                    else:
                        blue += share * value
            out[row, column, 0], out[row, column, 1], out[row, column, 2] = red, green, blue


@kernel
def _weights(camera: Doubles, t: int, x: float, y: float, perspective: bool, out: Doubles, k: int) -> None:
    """Write to `out[k]` the barycentric weights where the ray through x, y meets the plane of a triangle."""
    ax, ay, az = camera[t, 0, 0], camera[t, 0, 1], camera[t, 0, 2]
    bx, by, bz = camera[t, 1, 0], camera[t, 1, 1], camera[t, 1, 2]
    cx, cy, cz = camera[t, 2, 0], camera[t, 2, 1], camera[t, 2, 2]
    if perspective:
        p = x * (by * cz - bz * cy) + y * (bz * cx - bx * cz) + (bx * cy - by * cx)
        q = x * (cy * az - cz * ay) + y * (cz * ax - cx * az) + (cx * ay - cy * ax)
        r = x * (ay * bz - az * by) + y * (az * bx - ax * bz) + (ax * by - ay * bx)
    else:
        p = (bx - x) * (cy - y) - (cx - x) * (by - y)
        q = (cx - x) * (ay - y) - (ax - x) * (cy - y)
        r = (ax - x) * (by - y) - (bx - x) * (ay - y)
    total = p + q + r
    if total == 0.0:
        p, q, r, total = 1.0, 0.0, 0.0, 1.0
    share = 1.0 / total
    out[k, 0], out[k, 1], out[k, 2] = p * share, q * share, r * share


@kernel
def _on_box(
    t: int, world: Doubles, bary: Doubles, k: int, spins: Doubles, looks: Doubles, piece: int, mx: float, my: float, mz: float, out: Doubles
) -> None:
    """Write to `out[k]` the texture position in metres by box projection: the box side to which the normal is closest."""
    p, q, r = 0.0, 0.0, 0.0
    for i in range(3):
        at = bary[k, 0] * world[t, 0, i] + bary[k, 1] * world[t, 1, i] + bary[k, 2] * world[t, 2, i] - looks[piece, 5 + i]
        p += spins[piece, 3, i] * at
        q += spins[piece, 4, i] * at
        r += spins[piece, 5, i] * at
    if abs(my) >= max(abs(mx), abs(mz)):
        u, v = p, -r
    elif abs(mx) >= abs(mz):
        u, v = -r if mx > 0 else r, q
    else:
        u, v = p if mz > 0 else -p, q
    out[k, 0], out[k, 1] = u / looks[piece, 4], v / looks[piece, 4]


@kernel
def encoded(light: Floats, table: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """Convert linear light to sRGB; both (height, width, 3)."""
    for row in range(light.shape[0]):
        for column in range(light.shape[1]):
            for i in range(3):
                value = min(max(light[row, column, i], np.float32(0.0)), np.float32(1.0))
                out[row, column, i] = table[np.int64(value * _FINE + 0.5)]


@kernel
def settle_shared_edges(seen: Ints, owner: Ints, solid: Ints, triangle: Ints) -> None:
    """Choose for each pixel the object of most of its samples (for equal counts the first) and one of its triangles.

    `seen` (2 height, 2 width); `owner` (n,): object of each triangle; `solid` and `triangle` (height, width) are written.
    """
    height, width = solid.shape
    four = np.zeros(4, np.int64)
    for row in range(height):
        for column in range(width):
            for i in range(4):
                t = seen[2 * row + (i >> 1), 2 * column + (i & 1)]
                four[i] = owner[t] if t >= 0 else t
            best, most = 0, 0
            for i in range(4):
                same = 0
                for j in range(4):
                    same += four[i] == four[j]
                if same > most:
                    best, most = i, same
            solid[row, column] = four[best]
            triangle[row, column] = seen[2 * row + (best >> 1), 2 * column + (best & 1)]


@kernel
def around(faces: Floats, solids: Ints, triangles: Ints, half: float, heading: float, out: Floats, solid: Ints, triangle: Ints) -> None:
    """Combine six cube faces into one equirectangular image.

    `faces` (6, n, n, 3) look toward +X, -X, +Y, -Y, +Z, -Z; `half`: pixels from the centre of a face to 45 degrees. Colours are
    interpolated bilinearly, objects and triangles (both (6, n, n)) by the nearest neighbour.
    """
    height, width = solid.shape
    n = faces.shape[1]
    for row in range(height):
        high = (0.5 - (row + 0.5) / height) * pi
        for column in range(width):
            turn = ((column + 0.5) / width - 0.5 + heading / 360.0) * 2.0 * pi
            x, y, z = np.cos(high) * np.sin(turn), np.sin(high), -np.cos(high) * np.cos(turn)
            if abs(x) >= max(abs(y), abs(z)):
                face, across, down, ahead = (0, z, -y, x) if x > 0 else (1, -z, -y, -x)
            elif abs(y) >= abs(z):
                face, across, down, ahead = (2, x, -z, y) if y > 0 else (3, x, z, -y)
            else:
                face, across, down, ahead = (4, -x, -y, z) if z > 0 else (5, x, -y, -z)
            u, v = n / 2.0 + half * across / ahead, n / 2.0 + half * down / ahead
            i, j = min(max(np.int64(v), 0), n - 1), min(max(np.int64(u), 0), n - 1)
            solid[row, column] = solids[face, i, j]
            triangle[row, column] = triangles[face, i, j]
            p, q = min(max(np.int64(u - 0.5), 0), n - 2), min(max(np.int64(v - 0.5), 0), n - 2)
            a, b = u - 0.5 - p, v - 0.5 - q
            for k in range(3):
                upper = faces[face, q, p, k] * (1 - a) + faces[face, q, p + 1, k] * a
                lower = faces[face, q + 1, p, k] * (1 - a) + faces[face, q + 1, p + 1, k] * a
                out[row, column, k] = upper * (1 - b) + lower * b
