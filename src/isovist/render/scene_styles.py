"""3-D scenes in other styles with the same geometry: without textures and shadows, or as a line drawing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Scene3D
from isovist.render import rasterizer3d, scene_image
from isovist.render.assembly import Cast, assemble
from isovist.render.asset_pool import Floats, pool
from isovist.render.rasterizer3d import Pixels
from isovist.render.zbuffer import Ints

_CREASE = 0.82
"""Cosine: an edge of one object is drawn if its sides differ by 35 degrees or more."""
_STEP = 0.4
"""A part of an object that hides another is outlined if the line between the two triangles leaves the nearer plane by this sine."""
_PAINT = 0.08
"""Two parts of an object are separated by a line if their colours differ by this much of linear light: letters, panes, lamps."""
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
    """Render a scene as outlines and creases on white, shape (height, width, 3). Markers keep their colour. Size and errors as `flat`."""
    fine = rasterizer3d.render(stage, 2 * size)
    edges = _edges(stage, fine.solid, fine.triangle)
    rows, columns = (side // 2 for side in edges.shape)
    covered = edges[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).mean((1, 3))
    grey = (_PAPER - (_PAPER - _INK) * np.minimum(1, covered * 2)).round().astype(np.uint8)
    solid = np.ascontiguousarray(fine.solid[: 2 * rows : 2, : 2 * columns : 2])
    return scene_image.finished(stage, np.repeat(grey[..., None], 3, axis=2), solid, size)


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
