"""3-D scenes in other styles with the same geometry: without textures and shadows, or as a line drawing."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Scene3D
from isovist.world.render import rasterizer3d, scene_image
from isovist.world.render.assembly import Cast, assemble
from isovist.world.render.asset_pool import Floats, pool
from isovist.world.render.rasterizer3d import Pixels, RenderBuffers
from isovist.world.render.zbuffer import Ints

_CREASE = 0.82
"""Cosine: an edge of one object is drawn if its sides differ by 35 degrees or more."""
_STEP = 0.4
"""A part of an object that hides another is outlined if the line between the two triangles leaves the nearer plane by this sine."""
_PAINT = 0.08
"""Two parts of an object are separated by a line if their colours differ by this much of linear light: letters, panes, lamps."""
_TONE = 30
"""Grey levels by which two places of a texture differ, four samples apart, if a line separates them."""
_INK, _PAPER = 40, 255
_BOTH = ((slice(None), slice(None, -1)), (slice(None), slice(1, None))), ((slice(None, -1), slice(None)), (slice(1, None), slice(None)))
"""Each pixel and its right neighbour, each pixel and the one below."""


def flat(stage: Scene3D, size: int) -> Pixels:
    """Render a scene without textures and shadows, shape (height, width, 3): a texture has its mean colour.

    `size`: pixels on the shorter side. Raises the errors of `scene_image.pixels`.
    """
    lit = replace(stage, light=replace(stage.light, shadows=False))
    seen = rasterizer3d.render(lit, size, textured=False)
    return scene_image.finished(stage, seen.colour, seen.solid, size)


def sketch(stage: Scene3D, size: int) -> Pixels:
    """Render a scene as lines on white, shape (height, width, 3): outlines, creases, and edges of colours.

    Markers keep their colour. `size` and errors as those of `flat`.
    """
    even = replace(stage, light=replace(stage.light, shadows=False, strength=0.0))
    fine = rasterizer3d.render(even, 2 * size)
    edges = _edges(stage, fine.solid, fine.triangle) | _texture_edges(stage, fine)
    rows, columns = (side // 2 for side in edges.shape)
    covered = edges[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).mean((1, 3))
    grey = (_PAPER - (_PAPER - _INK) * np.minimum(1, covered * 2)).round().astype(np.uint8)
    solid = np.ascontiguousarray(fine.solid[: 2 * rows : 2, : 2 * columns : 2])
    return scene_image.finished(stage, np.repeat(grey[..., None], 3, axis=2), solid, size)


def _texture_edges(stage: Scene3D, fine: RenderBuffers) -> NDArray[np.bool_]:
    """Whether a pixel is on a strong edge inside the texture of a mesh, such as an eye or a stripe, shape (height, width)."""
    tone = fine.colour.astype(np.int64).sum(2)
    padded = np.pad(tone, 3, mode="edge")
    rows, columns = tone.shape
    # means of 3 by 3 pixels, without the division, with a border of two pixels
    means = np.zeros((rows + 4, columns + 4), np.int64)
    for i, k in product(range(3), repeat=2):
        means += padded[i : i + rows + 4, k : k + columns + 4]
    down, across = means[4:, 2:-2] - means[:-4, 2:-2], means[2:-2, 4:] - means[2:-2, :-4]
    steep = down**2 + across**2
    around = np.pad(steep, 1)
    vertical = (steep >= around[:-2, 1:-1]) & (steep > around[2:, 1:-1])
    horizontal = (steep >= around[1:-1, :-2]) & (steep > around[1:-1, 2:])
    is_peak = np.where(abs(down) > abs(across), vertical, horizontal)  # so that a line is one pixel wide
    inside = np.pad(fine.solid, 2, mode="edge")
    same = (fine.solid >= 0) & (fine.triangle >= 0)
    for rolled in (inside[4:, 2:-2], inside[:-4, 2:-2], inside[2:-2, 4:], inside[2:-2, :-4]):
        same &= rolled == fine.solid
    cast = assemble(stage.objects)
    of_mesh = cast.looks[cast.piece_of, 3] < 0  # a repeated texture of a wall or a floor is no detail
    return (steep > (_TONE * 3 * 9) ** 2) & is_peak & same & of_mesh[np.maximum(fine.triangle, 0)]


def _edges(stage: Scene3D, solid: Ints, triangle: Ints) -> NDArray[np.bool_]:
    """Whether a line runs through a pixel, shape (height, width)."""
    cast = assemble(stage.objects)
    world, paint = cast.world, _paint(cast)
    normals = np.cross(world[:, 1] - world[:, 0], world[:, 2] - world[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    centres = world.mean(1)
    edges = np.zeros(solid.shape, bool)
    for here, there in _BOTH:
        edges[here] |= solid[here] != solid[there]
        pairs = (solid[here] == solid[there]) & (triangle[here] != triangle[there]) & (solid[here] >= 0)
        first, second = triangle[here][pairs], triangle[there][pairs]
        apart = centres[second] - centres[first]
        distance = np.maximum(np.linalg.norm(apart, axis=1), 1e-9)
        lifted = np.minimum(*(np.abs((apart * normals[each]).sum(1)) / distance for each in (first, second)))
        creased = (normals[first] * normals[second]).sum(1) < _CREASE
        repainted = np.abs(paint[first] - paint[second]).max(1) > _PAINT
        edges[here][pairs] |= creased | (lifted > _STEP) | repainted
    return edges


def _paint(cast: Cast) -> Floats:
    """The colour of each triangle without its texture, linear light, shape (n, 3)."""
    pieces, store = cast.pieces[cast.piece_of], pool()
    source = pieces[:, 0] + np.arange(len(pieces)) - pieces[:, 2]
    return store.colours.rows[store.material.rows[source]] * cast.looks[cast.piece_of, :3].astype(np.float32)
