"""Render 3-D scenes: colour, and the visible object and triangle at every pixel.

Supports perspective, orthographic and equirectangular cameras, textures, one sun with shadows, ambient light and a sky. Pixels are equal
in every process. The loops are in `zbuffer` and `shading`; measurements from the pixels are in `visibility`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, Vector, cross, tangent, unit
from isovist.core.scene3d import NEAR, Camera, Light, Panorama, Scene3D, Sky, view
from isovist.render import meshes, shading, zbuffer
from isovist.render.assembly import Cast, assemble
from isovist.render.asset_pool import colour, encoding, linear, make_room, pool
from isovist.render.zbuffer import SKY, Doubles, Floats, Ints

Pixels = NDArray[np.uint8]

_SHADOW = 1024  # side of the shadow map in samples
_SUN = (0.74, 0.70, 0.62)  # warm colour of the sun
_ABOVE, _BELOW = 0.56, (0.25, 0.24, 0.22)
_ASIDE = 0.5
_DARK = 0.05  # the tint of a darker sky is not compensated
_CUBE: tuple[Matrix, ...] = (
    ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)),
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
)  # right, up and back of views toward +X, -X, +Y, -Y, +Z, -Z


@dataclass(frozen=True)
class RenderBuffers:
    """A rendered scene before markers, mirroring and rotation. Arrays (height, width); colour has a third axis of 8-bit sRGB.

    `solid`: index of the visible object, -1 for sky, -2 for ground. `triangle`: index of the visible triangle in the scene, or the same
    negative values.
    """

    colour: Pixels
    solid: Ints
    triangle: Ints


@dataclass(frozen=True)
class Eye:
    """One planar view: eye position and view matrix (right, up, back) in the world, samples per metre (at depth 1 m if perspective), and
    rows and columns of samples (both even).
    """

    at: Vector
    view: Matrix
    scale: float
    perspective: bool
    columns: int
    rows: int


def render(stage: Scene3D, size: int | None = None, *, textured: bool = True) -> RenderBuffers:
    """Render a scene; the shorter side has `size` pixels, by default that of the camera. `textured`: else each texture has its mean colour.

    Raises UserError for an unknown mesh or texture, MissingDependencyError without the extra "scene", ValueError for a camera that looks
    straight up or down.
    """
    make_room()
    cast = assemble(stage.objects)
    sun = _sun(stage, cast)
    camera = stage.camera
    if isinstance(camera, Camera):
        eye = camera_eye(camera, size)
        seen, corners = look(stage, cast, eye)
        light = _shaded(stage, cast, eye, seen, corners, sun, textured=textured)
        solid, triangle = settled(seen, cast)
        return RenderBuffers(encoded(light), solid, triangle)
    width = camera.width if size is None else 2 * size
    side = 2 * ceil(width / 6)
    half = side / 2 - 2.0
    faces = np.empty((6, side, side, 3), np.float32)
    solids, triangles = np.empty((6, side, side), np.int32), np.empty((6, side, side), np.int32)
    for i, matrix in enumerate(_CUBE):
        eye = Eye(camera.eye, matrix, 2 * half, perspective=True, columns=2 * side, rows=2 * side)
        seen, corners = look(stage, cast, eye)
        faces[i] = _shaded(stage, cast, eye, seen, corners, sun, textured=textured)
        solids[i], triangles[i] = settled(seen, cast)
    light = np.empty((width // 2, width, 3), np.float32)
    solid, triangle = np.empty(light.shape[:2], np.int32), np.empty(light.shape[:2], np.int32)
    shading.around(faces, solids, triangles, half, camera.heading, light, solid, triangle)
    return RenderBuffers(encoded(light), solid, triangle)


def pixels_of(camera: Camera | Panorama, size: int | None) -> tuple[int, int]:
    """Return width and height of an image whose shorter side has `size` pixels."""
    width, height = (camera.width, camera.height) if isinstance(camera, Camera) else (camera.width, camera.width // 2)
    if size is None:
        return width, height
    return round(width * size / min(width, height)), round(height * size / min(width, height))


def camera_eye(camera: Camera, size: int | None) -> Eye:
    width, height = pixels_of(camera, size)
    perspective = camera.span is None
    scale = height / tangent(camera.fov / 2) if camera.span is None else 2 * height / camera.span
    return Eye(camera.eye, view(camera), scale, perspective, 2 * width, 2 * height)


def look(stage: Scene3D, cast: Cast, eye: Eye, only: tuple[int, int] | None = None) -> tuple[Ints, Doubles]:
    """Return the triangle at each sample (rows, columns), and all corners in the camera frame. `only`: render this range of triangles
    without occluders and ground.
    """
    corners = np.empty_like(cast.world)
    zbuffer.to_camera(cast.world, np.array(eye.at), np.array(eye.view), corners)
    depths = np.full((eye.rows, eye.columns), 0.0 if eye.perspective else -np.inf, np.float32)
    seen = np.full((eye.rows, eye.columns), SKY, np.int32)
    first, last = only or (0, len(corners))
    zbuffer.draw(corners, first, last, eye.scale, eye.perspective, True, depths, seen)
    if stage.ground is not None and only is None:
        plane = _ground(eye)
        if plane is not None:
            zbuffer.draw_ground(plane, True, depths, seen)
    return seen, corners


def settled(seen: Ints, cast: Cast) -> tuple[Ints, Ints]:
    """Return object and triangle of each pixel from its samples."""
    shape = seen.shape[0] // 2, seen.shape[1] // 2
    solid, triangle = np.empty(shape, np.int32), np.empty(shape, np.int32)
    shading.settle_shared_edges(seen, cast.owner, solid, triangle)
    return solid, triangle


def _ground(eye: Eye) -> Doubles | None:
    """Return the ground plane for `zbuffer.draw_ground`; None if it is not visible from above."""
    high = eye.at[1]
    right, upward, back = (row[1] for row in eye.view)
    x, y = right / eye.scale, -upward / eye.scale  # growth of the ray's vertical component per sample
    start = -x * eye.columns / 2 - y * eye.rows / 2
    if eye.perspective:
        return None if high <= 0 else np.array([(back - start) / high, -x / high, -y / high, 1 / NEAR])
    return None if back <= 0 else np.array([-(high + start) / back, -x / back, -y / back, -NEAR])


# Light -------------------------------------------------------------------------------------------------------------


_last: tuple[Cast, Vector, bool, tuple[Doubles, Floats]] | None = None


def _sun(stage: Scene3D, cast: Cast) -> tuple[Doubles, Floats]:
    """Return the result of `_shadows`, cached as long as the scene of `assemble` is: lights often differ in strength only."""
    global _last  # noqa: PLW0603 - the last shadow map in this process
    direction, shadows = stage.light.sun_direction, stage.light.shadows
    if _last is None or _last[0] is not cast or _last[1:3] != (direction, shadows):
        _last = cast, direction, shadows, _shadows(stage, cast)
    return _last[3]


def _shadows(stage: Scene3D, cast: Cast) -> tuple[Doubles, Floats]:
    """Return the rows for `shading._sun_seen`, and the shadow map: an almost square view of all shadow casters from the sun."""
    none = np.zeros((4, 4)), np.empty((0, 0), np.float32)
    ranges = [r for r, solid in zip(cast.ranges, stage.objects, strict=True) if solid.casts_shadow and r[0] < r[1]]
    if not stage.light.shadows or not ranges:
        return none
    back = unit(stage.light.sun_direction)
    right = unit(cross((0.0, 1.0, 0.0) if abs(back[1]) < 0.99 else (0.0, 0.0, -1.0), back))
    axes: Matrix = (right, cross(back, right), back)
    corners = np.empty_like(cast.world)
    zbuffer.to_camera(cast.world, np.zeros(3), np.array(axes), corners)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for first, last in ranges:
        zbuffer.bounds(corners, first, last, low, high)
    middle, half = (low + high) / 2, float(max(high[0] - low[0], high[1] - low[1])) / 2 * 1.02 + 1e-3
    corners -= np.array([middle[0], middle[1], low[2] - 1.0])
    depths = np.full((_SHADOW, _SHADOW), -np.inf, np.float32)
    seen = np.empty((_SHADOW, _SHADOW), np.int32)
    scale = _SHADOW / (2 * half)
    for first, last in ranges:
        zbuffer.draw(corners, first, last, scale, False, False, depths, seen)
    texel = 2 * half / _SHADOW
    rows = np.zeros((4, 4))
    rows[0, :3], rows[0, 3] = np.array(right) * scale, _SHADOW / 2 - middle[0] * scale
    rows[1, :3], rows[1, 3] = -np.array(axes[1]) * scale, _SHADOW / 2 + middle[1] * scale
    rows[2, :3], rows[2, 3] = back, low[2] - 1.0  # a depth is ahead, and its value is minus the depth
    rows[3, 0], rows[3, 1] = 1.5 * texel, 1.5 * texel
    return rows, depths


def lights(light: Light, sky: Sky) -> Doubles:
    """Return direction and light of the sun, and ambient light from above and below. A white surface in the sun is nearly white."""
    top, bottom = np.array(colour(sky.top)), np.array(colour(sky.bottom))
    above = _ABOVE * (0.3 * top / max(float(top.max()), _DARK) + 0.7 * bottom / max(float(bottom.max()), _DARK))
    sun = unit(light.sun_direction)
    # offset from the sun: two sides in the shade differ in brightness
    axis = unit((_ASIDE * sun[2], 1.0, -_ASIDE * sun[0]))
    return np.array([sun, np.array(_SUN) * light.strength, above * light.ambient, np.array(_BELOW) * light.ambient, axis])


def _shaded(
    stage: Scene3D, cast: Cast, eye: Eye, seen: Ints, corners: Doubles, sun: tuple[Doubles, Floats], *, textured: bool = True
) -> Floats:
    store, ground, sky = pool(), stage.ground, stage.sky
    plain = np.full(6, -1.0)
    if ground is not None:
        texture = ground.texture
        plain[:3] = colour(ground.colour)
        plain[3:] = (-1, 1, ground.haze) if texture is None else (meshes.texture(texture.name), texture.size_m, ground.haze)
    image = np.array([-1 if sky.image is None else meshes.sky(sky.image)], np.int64)
    backdrop = np.array([colour(sky.top), colour(sky.bottom), (sky.heading, 0.0, 0.0)])
    out = np.empty((eye.rows // 2, eye.columns // 2, 3), np.float32)
    shading.shade(
        seen, corners, cast.world, cast.piece_of, cast.pieces, cast.spins, cast.looks,
        store.normals.rows, store.uvs.rows, store.material.rows, store.colours.rows, store.textures.rows,
        store.table.rows if textured else _coarsest(store.table.rows), store.texels.rows, linear(),
        np.array(eye.at), np.array(eye.view), eye.scale, eye.perspective,
        lights(stage.light, sky), sun[0], sun[1], backdrop, image, plain, out,
    )  # fmt: skip
    return out


def _coarsest(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table of the textures with the coarsest level of each, which has its mean colour."""
    coarsest = table.copy()
    for texture in coarsest:
        while texture[3] > 1:
            texture[0] += texture[1] * texture[2]
            texture[1:3] = np.maximum(1, texture[1:3] // 2)
            texture[3] -= 1
    return coarsest


def encoded(light: Floats) -> Pixels:
    """Convert linear light, 0 to 1, to 8-bit sRGB."""
    out = np.empty(light.shape, np.uint8)
    shading.encoded(light, encoding(), out)
    return out
