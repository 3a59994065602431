"""Inside Circles, Layered Colours, Layered Shapes."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture, blobs, mask
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.lists import hued
from isovist.suites.perceptv.inside_circles import DOT, RING_HUES
from isovist.suites.perceptv.nested_shapes import LAYER_HUES, LAYER_SHAPES
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.shape_outlines import OUTLINES

Numbers = NDArray[np.float64]
_DRAWS = 400  # random triples of points per round
_ROUNDS = 40
_AROUND = np.linspace(0, 2 * np.pi, 240, endpoint=False)
_RAYS = 120
_SHORTEST = 4  # minimum length of a layer along a ray in pixels; shorter runs are mixed edge pixels


def _circles_through(points: Numbers) -> Numbers:
    """The circles (x, y, radius) through triples of points, shape (n, 3, 2); shape (n, 3)."""
    (ax, ay), (bx, by), (cx, cy) = (points[:, i].T for i in range(3))
    d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
    d = np.where(np.abs(d) < 1, np.nan, d)
    a, b, c = ax**2 + ay**2, bx**2 + by**2, cx**2 + cy**2
    x = (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / d
    y = (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / d
    return np.stack([x, y, np.hypot(ax - x, ay - y)], axis=1)


def _covered(ink: NDArray[np.bool_], circles: Numbers) -> Numbers:
    """The fraction of each circle's line that is ink."""
    rows = np.rint(circles[:, 1:2] + circles[:, 2:] * np.sin(_AROUND)).astype(int).clip(0, ink.shape[0] - 1)
    columns = np.rint(circles[:, 0:1] + circles[:, 2:] * np.cos(_AROUND)).astype(int).clip(0, ink.shape[1] - 1)
    return ink[rows, columns].mean(axis=1)


def _refined(points: Numbers, circle: Numbers) -> Numbers:
    """The least-squares circle of the points near a circle."""
    for near in (2.5, 1.8):
        close = np.abs(np.hypot(points[:, 0] - circle[0], points[:, 1] - circle[1]) - circle[2]) < near
        nearby = points[close]
        system = np.column_stack([2 * nearby, np.ones(len(nearby))])
        solved = np.asarray(np.linalg.lstsq(system, (nearby**2).sum(axis=1), rcond=None)[0], np.float64)
        circle = np.append(solved[:2], np.sqrt(solved[2] + (solved[:2] ** 2).sum()))
    return circle


def _outlines(mask: NDArray[np.bool_], ink: NDArray[np.bool_], rng: np.random.Generator) -> list[Numbers]:
    """The circles of one colour (RANSAC). `ink`: the mask of all outlines, because other outlines may cover a circle."""
    circles: list[Numbers] = []
    rows, columns = np.nonzero(mask)
    points = np.stack([columns, rows], axis=1).astype(float)
    for _ in range(_ROUNDS):
        if len(points) < 60:
            break
        drawn = _circles_through(points[rng.integers(0, len(points), (_DRAWS, 3))])
        drawn = drawn[np.isfinite(drawn).all(axis=1)]
        drawn = drawn[(drawn[:, 2] > 35) & (drawn[:, 2] < 130)]
        if not len(drawn):
            continue
        best = drawn[_covered(mask, drawn).argmax()]
        best = _refined(points, best)
        if not np.isfinite(best).all():
            continue
        if _covered(ink, best[None])[0] > 0.97 and _covered(mask, best[None])[0] > 0.5:
            circles.append(best)
            points = points[np.abs(np.hypot(points[:, 0] - best[0], points[:, 1] - best[1]) - best[2]) > 3]
    return circles


def _inside(images: list[Picture], prompt: str) -> str:
    del prompt
    picture, rng = images[0], np.random.default_rng(0)
    (dot,) = [blob for blob in blobs(picture, [DOT]) if 0.7 < blob.filled < 0.9 and blob.area > 60]
    ink = (picture.min(axis=2) < 215) & ~mask(picture, "#c8ccd0")
    circles = [circle for hue in RING_HUES for circle in _outlines(mask(picture, HUES[hue]), ink, rng)]
    return str(sum(bool(np.hypot(dot.x - x, dot.y - y) < r) for x, y, r in circles))


def _rays(picture: Picture) -> list[list[tuple[int, int]]]:
    """The layers along each ray from the centre: pairs of hue (index in LAYER_HUES) and outer distance in pixels."""
    height, width = picture.shape[:2]
    named = np.full((height, width), -1)
    for hue, pixels in hued(picture, {hue: HUES[hue] for hue in LAYER_HUES}).items():
        named[pixels] = LAYER_HUES.index(hue)
    rays: list[list[tuple[int, int]]] = []
    steps = np.arange(int(min(height, width) / 2) - 4)
    for angle in np.linspace(0, 2 * np.pi, _RAYS, endpoint=False):
        rows = np.rint((height - 1) / 2 - steps * np.sin(angle)).astype(int)
        columns = np.rint((width - 1) / 2 + steps * np.cos(angle)).astype(int)
        at, layers = 0, list[tuple[int, int]]()
        for hue, run in groupby(named[rows, columns].tolist()):
            length = len(list(run))
            at += length
            if hue >= 0 and length >= _SHORTEST:
                layers = [*(layers[:-1] if layers and layers[-1][0] == hue else layers), (hue, at)]
        rays.append(layers)
    return rays


def _consistent_rays(rays: list[list[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """The rays with the most frequent number of layers; others are replaced by empty lists."""
    counts = [len(ray) for ray in rays]
    most = max(set(counts), key=counts.count)
    return [ray if len(ray) == most else [] for ray in rays]


def _colours(images: list[Picture], prompt: str) -> str:
    del prompt
    ray = next(ray for ray in _consistent_rays(_rays(images[0])) if ray)
    return ", ".join(LAYER_HUES[hue] for hue, _ in ray)


def _profile(kind: str) -> Numbers:
    """The distance from the centre to the outline of a figure along each ray."""
    points = OUTLINES[kind]
    out = np.ones(_RAYS)
    for i, angle in enumerate(np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)):
        dx, dy = np.cos(angle), np.sin(angle)
        for (ax, ay), (bx, by) in zip(points, (*points[1:], *points[:1]), strict=True):
            nx, ny = ay - by, bx - ax
            along = dx * nx + dy * ny
            if along > 1e-9:
                out[i] = min(out[i], (ax * nx + ay * ny) / along)
    return out


def _shapes(images: list[Picture], prompt: str) -> str:
    del prompt
    rays = _consistent_rays(_rays(images[0]))
    used = [i for i, ray in enumerate(rays) if ray]
    ends = np.array([[end for _, end in rays[i]] for i in used], float)
    profiles = {kind: _profile(kind)[used] for kind in LAYER_SHAPES}
    shapes: list[str] = []
    for layer in ends.T:
        ratios = {kind: layer / profile for kind, profile in profiles.items()}
        shapes.append(min(ratios, key=lambda kind: float(ratios[kind].std() / ratios[kind].mean())))
    return ", ".join(shapes)


SOLVERS = {
    "circles that have the red dot inside them": _inside,
    "colours of the circles from inside to outside": _colours,
    "shapes from inside to outside": _shapes,
}
