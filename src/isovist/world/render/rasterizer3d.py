"""Render 3-D scenes: colour, and the visible object and triangle at every pixel.

Supports perspective, orthographic and equirectangular cameras, textures, one sun with shadows, ambient light and a sky. Pixels are equal
in every process. The loops are in `zbuffer` and `shading`; measurements from the pixels are in `visibility`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, Vector, cross, tangent, unit
from isovist.core.scene3d import NEAR, Camera, Panorama, Scene3D, view
from isovist.world.render import ambient_light, ambient_occlusion, image_assembly, meshes, shading, tone_curve, zbuffer
from isovist.world.render.assembly import Cast, assemble
from isovist.world.render.asset_pool import colour, linear, make_room, mean_colours, pool
from isovist.world.render.zbuffer import SKY, Doubles, Floats, Ints

Pixels = NDArray[np.uint8]

_SHADOW = 1024  # side of the shadow map in samples
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
    """Render a scene; the shorter side has `size` pixels, by default that of the camera. `textured`: else each texture has its mean
    colour, that of a mesh over the surfaces that show it, and nothing is darker where surfaces meet.

    Raises UserError for an unknown mesh or texture, MissingDependencyError without the extra "scene", ValueError for a camera that looks
    straight up or down.
    """
    make_room()
    cast = assemble(stage.objects)
    sun = _sun(stage, cast)
    camera = stage.camera
    if isinstance(camera, Camera):
        eye = camera_eye(camera, size)
        seen = look(stage, cast, eye)
        light = _shaded(stage, cast, eye, seen, sun, textured=textured)
        solid, triangle = settled(seen.triangle, cast)
        return RenderBuffers(tone_curve.developed(light, stage.capture), solid, triangle)
    width = camera.width if size is None else 2 * size
    side = 2 * ceil(width / 6)
    half = side / 2 - 2.0
    faces = np.empty((6, side, side, 3), np.float32)
    solids, triangles = np.empty((6, side, side), np.int32), np.empty((6, side, side), np.int32)
    for i, matrix in enumerate(_CUBE):
        eye = Eye(camera.eye, matrix, 2 * half, perspective=True, columns=2 * side, rows=2 * side)
        seen = look(stage, cast, eye)
        faces[i] = _shaded(stage, cast, eye, seen, sun, textured=textured)
        solids[i], triangles[i] = settled(seen.triangle, cast)
    light = np.empty((width // 2, width, 3), np.float32)
    solid, triangle = np.empty(light.shape[:2], np.int32), np.empty(light.shape[:2], np.int32)
    image_assembly.around(faces, solids, triangles, half, camera.heading, light, solid, triangle)
    return RenderBuffers(tone_curve.developed(light, stage.capture), solid, triangle)


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


class Samples(NamedTuple):
    """Triangle and depth value (see `zbuffer`) of each sample, (rows, columns), and all corners in the camera frame, (n, 3, 3)."""

    triangle: Ints
    depth: Floats
    corners: Doubles


def look(stage: Scene3D, cast: Cast, eye: Eye, only: tuple[int, int] | None = None) -> Samples:
    """Return what is visible at each sample. `only`: render this range of triangles without occluders and ground."""
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
    return Samples(seen, depths, corners)


def settled(seen: Ints, cast: Cast) -> tuple[Ints, Ints]:
    """Return object and triangle of each pixel from its samples."""
    shape = seen.shape[0] // 2, seen.shape[1] // 2
    solid, triangle = np.empty(shape, np.int32), np.empty(shape, np.int32)
    image_assembly.settle_shared_edges(seen, cast.owner, solid, triangle)
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


_last: tuple[Cast, Vector, bool, tuple[Doubles, Floats, Floats]] | None = None


def _sun(stage: Scene3D, cast: Cast) -> tuple[Doubles, Floats, Floats]:
    """Return the result of `_shadows`, cached as long as the scene of `assemble` is: lights often differ in strength only."""
    global _last  # noqa: PLW0603 - the last shadow map in this process
    direction, shadows = stage.light.sun_direction, stage.light.shadows
    if _last is None or _last[0] is not cast or _last[1:3] != (direction, shadows):
        _last = cast, direction, shadows, _shadows(stage, cast)
    return _last[3]


def _shadows(stage: Scene3D, cast: Cast) -> tuple[Doubles, Floats, Floats]:
    """Return the rows for `shading._sun_seen`, the shadow map, an almost square view of all shadow casters from the sun, and
    the result of `shading.highest_around`.
    """
    none = np.zeros((4, 4)), np.empty((0, 0), np.float32), np.empty((0, 0), np.float32)
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
    rows[3, :3] = 1.5 * texel, 1.5 * texel, texel
    return rows, depths, shading.highest_around(depths)


def ground_albedo(stage: Scene3D) -> Doubles:
    """Return the mean colour of the ground, (3,) in linear light; black without a ground."""
    ground = stage.ground
    if ground is None:
        return np.zeros(3)
    shade = np.array(colour(ground.colour))
    if ground.texture is None:
        return shade
    first, width, height, levels = pool().table.rows[meshes.texture(ground.texture.name)]
    for _ in range(levels - 1):
        first, width, height = first + width * height, max(1, width // 2), max(1, height // 2)
    return shade * linear()[pool().texels.rows[first]].astype(np.float64)


def _shaded(stage: Scene3D, cast: Cast, eye: Eye, seen: Samples, sun: tuple[Doubles, Floats, Floats], *, textured: bool = True) -> Floats:
    store, ground = pool(), stage.ground
    plain = np.full(6, -1.0)
    if ground is not None:
        texture = ground.texture
        plain[:3] = colour(ground.colour)
        plain[3:] = (-1, 1, ground.haze) if texture is None else (meshes.texture(texture.name), texture.size_m, ground.haze)
    sky, image = ambient_light.backdrop(stage)
    ambient = ambient_light.irradiance(stage, ground_albedo(stage))
    out = np.empty((eye.rows // 2, eye.columns // 2, 3), np.float32)
    up = np.array([eye.view[0][1], eye.view[1][1], -eye.view[2][1]])
    near = (
        ambient_occlusion.openness(seen.triangle, seen.depth, seen.corners, up, eye.scale, perspective=eye.perspective)
        if textured
        else np.ones(out.shape[:2], np.float32)
    )
    shading.shade(
        seen.triangle, seen.corners, cast.world, cast.piece_of, cast.pieces, cast.spins, cast.looks,
        store.normals.rows, store.uvs.rows, store.material.rows,
        store.colours.rows if textured else mean_colours(store), store.textures.rows if textured else np.full_like(store.textures.rows, -1),
        store.table.rows if textured else _coarsest(store.table.rows), store.texels.rows, linear(),
        np.array(eye.at), np.array(eye.view), eye.scale, eye.perspective,
        np.array([unit(stage.light.sun_direction), np.array(ambient_light.SUN) * stage.light.strength]), ambient, near,
        shading.spots() if textured else np.zeros_like(shading.spots()), *sun, sky, image, plain, out,
    )  # fmt: skip
    return out


def _coarsest(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table of the textures with the coarsest level of each, which has its mean colour: of grounds, walls and skies."""
    coarsest = table.copy()
    for texture in coarsest:
        while texture[3] > 1:
            texture[0] += texture[1] * texture[2]
            texture[1:3] = np.maximum(1, texture[1:3] // 2)
            texture[3] -= 1
    return coarsest
