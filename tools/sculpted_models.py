"""Animals sculpted in code: rounded limbs melted into one skin by a smooth union, then coloured by what is nearest.

Own work of this project, given away under CC0. Frame: metres, +Y up, the nose towards +Z, the ground at y = 0.
"""

# scikit-image and fast-simplification carry no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import fast_simplification
import numpy as np
import trimesh
from mesh_files import Floats, Part
from PIL import Image
from scipy.spatial import cKDTree
from skimage.measure import marching_cubes

CELLS = 132  # of the grid along the longest side of an animal
TRIANGLES = 6500  # of an animal, about

Rgb = tuple[float, float, float]
Place = tuple[float, float, float]


@dataclass(frozen=True)
class Pattern:
    """Two colours, told apart by a number for each place (n, 3): whole numbers and a bit below a half `ground`, the rest
    `spot`. It stands as a texture coordinate, so that edges run straight through triangles.
    """

    ground: Rgb
    spot: Rgb
    number: Callable[[Floats], Floats]


Paint = Rgb | Pattern
"""One colour (sRGB, 0-1), or two."""


@dataclass(frozen=True)
class Limb:
    """A rounded rod from `a` to `b` with a radius at each end, squashed by `squash` about its middle."""

    a: Place
    b: Place
    radii: tuple[float, float]
    paint: Paint
    melt: float = 0.06  # metres over which it flows into what was there before; 0: it keeps its edge
    squash: Place = (1, 1, 1)

    def distance(self, at: Floats) -> Floats:
        """To the skin, below 0 inside: exact at the skin of a rod that is not squashed."""
        a, b, squash = np.array(self.a), np.array(self.b), np.array(self.squash)
        middle = (a + b) / 2
        x = (at - middle) / squash + middle
        along = b - a
        t = np.clip((x - a) @ along / max(float(along @ along), 1e-12), 0, 1)
        return (np.linalg.norm(x - a - t[:, None] * along, axis=1) - (1 - t) * self.radii[0] - t * self.radii[1]) * squash.min()


def ball(at: Place, radius: float, paint: Paint, melt: float = 0.06, squash: Place = (1, 1, 1)) -> Limb:
    return Limb(at, at, (radius, radius), paint, melt, squash)


def pair(limb: Limb) -> list[Limb]:
    """The limb and its mirror image on the other side (x to -x)."""
    (ax, ay, az), (bx, by, bz) = limb.a, limb.b
    return [limb, Limb((-ax, ay, az), (-bx, by, bz), limb.radii, limb.paint, limb.melt, limb.squash)]


def chain(places: Sequence[Place], radii: Sequence[float], paint: Paint, melt: float = 0.06) -> list[Limb]:
    """Rods from place to place."""
    return [Limb(places[k], places[k + 1], (radii[k], radii[k + 1]), paint, melt) for k in range(len(places) - 1)]


def _skin(limbs: Sequence[Limb], at: Floats) -> Floats:
    whole = limbs[0].distance(at)
    for limb in limbs[1:]:
        new = limb.distance(at)
        if limb.melt:
            share = np.clip(0.5 + 0.5 * (whole - new) / limb.melt, 0, 1)
            whole = whole * (1 - share) + new * share - limb.melt * share * (1 - share)
        else:
            whole = np.minimum(whole, new)
    return whole


def sculpted(limbs: Sequence[Limb]) -> list[Part]:
    """The animal as parts, one a colour; its lowest point need not be the ground yet."""
    ends = np.array([[limb.a, limb.b] for limb in limbs])
    reach = np.array([max(limb.radii) * max(limb.squash) for limb in limbs])[:, None, None]
    low, high = (ends - reach).min(axis=(0, 1)) - 0.05, (ends + reach).max(axis=(0, 1)) + 0.05
    step = float((high - low).max()) / CELLS
    axes = [np.arange(low[k], high[k] + step, step) for k in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    field = _skin(limbs, grid.reshape(-1, 3)).reshape(grid.shape[:3])
    vertices, faces, _, _ = marching_cubes(field, 0.0, spacing=(step, step, step))
    points, corners = fast_simplification.simplify(
        vertices.astype(np.float32), faces.astype(np.int32), target_count=min(TRIANGLES, len(faces))
    )
    mesh = trimesh.Trimesh(points.astype(float) + low, corners, process=True)
    trimesh.repair.fix_normals(mesh)
    return _painted(mesh, limbs)


def _painted(mesh: trimesh.Trimesh, limbs: Sequence[Limb]) -> list[Part]:
    """The skin cut into parts by the paint of the limb nearest to each triangle."""
    nearest = np.stack([limb.distance(np.asarray(mesh.triangles_center)) for limb in limbs]).argmin(axis=0)
    points, normals = np.asarray(mesh.vertices, float), np.array(mesh.vertex_normals)
    faces = np.asarray(mesh.faces, np.int64)
    parts: list[Part] = []
    for paint in dict.fromkeys(limb.paint for limb in limbs):
        mine = faces[np.array([limb.paint == paint for limb in limbs])[nearest]]
        if not len(mine):
            continue
        if isinstance(paint, Pattern):
            used, again = np.unique(mine, return_inverse=True)
            uv = np.stack([paint.number(points[used]), np.full(len(used), 0.5)], axis=1)
            parts.append(Part(points[used], again.reshape(-1, 3), normals[used], (1.0, 1.0, 1.0), uv, _halves(paint)))
        else:
            parts.append(Part(points, mine, normals, paint))
    return parts


def _halves(pattern: Pattern) -> Image.Image:
    """A texture whose left half is the ground and whose right half is the spot."""
    colours = np.repeat(np.array([pattern.ground, pattern.spot]), 64, axis=0)
    return Image.fromarray(np.tile((colours * 255).round().astype(np.uint8), (4, 1, 1)))


def _within(depth: Floats) -> Floats:
    """Metres inside a spot as the number of a pattern."""
    return np.clip(0.5 + depth / 0.5, 0.02, 0.98)


def patches(ground: Rgb, spot: Rgb, seeds: Floats, radius: float) -> Pattern:
    """`spot` within about `radius` metres of any of the seeds (k, 3), `ground` elsewhere."""

    def number(at: Floats) -> Floats:
        wave = 0.045 * np.sin(11 * at[:, 1] + 2) + 0.045 * np.sin(13 * at[:, 2])
        return _within(radius + wave - np.linalg.norm(at[:, None] - seeds[None], axis=2).min(axis=1))

    return Pattern(ground, spot, number)


def tiles(ground: Rgb, spot: Rgb, spacing: float, gap: float) -> Pattern:
    """Spots that fill the cells between jittered seeds, `gap` metres of ground between them."""
    rng = np.random.default_rng(7)
    cells = np.stack(np.meshgrid(*[np.arange(-1.5, 5.5, spacing)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    tree = cKDTree(cells + rng.uniform(-0.35, 0.35, cells.shape) * spacing)

    def number(at: Floats) -> Floats:
        near, _ = tree.query(at, k=2)
        return _within(near[:, 1] - near[:, 0] - gap)

    return Pattern(ground, spot, number)


def stripes(ground: Rgb, stripe: Rgb, width: float, direction: Place) -> Pattern:
    """Stripes across a direction, each `width` metres wide; the number grows along it and the texture repeats."""
    return Pattern(ground, stripe, lambda at: at @ np.array(direction) / (2 * width) + 40)


BLACK: Rgb = (0.06, 0.06, 0.07)
WHITE: Rgb = (0.93, 0.92, 0.89)


def cow() -> list[Part]:
    pink: Rgb = (0.87, 0.63, 0.58)
    horn: Rgb = (0.82, 0.76, 0.62)
    seeds = np.array(
        [
            [0.3, 1.25, 0.3],
            [0.4, 1.0, -0.65],
            [-0.35, 1.15, -0.2],
            [-0.35, 1.2, -0.95],
            [-0.35, 0.9, 0.65],
            [0, 1.45, -0.3],
            [0.2, 1.4, 0.95],
        ]
    )
    coat = patches(WHITE, BLACK, seeds, 0.3)
    return sculpted(
        [
            Limb((0, 1.02, -0.75), (0, 1.03, 0.6), (0.37, 0.38), coat),
            Limb((0, 0.9, -0.45), (0, 0.9, 0.35), (0.36, 0.36), coat, 0.1),
            Limb((0, 1.12, 0.65), (0, 1.36, 1.1), (0.28, 0.19), coat, 0.12),
            Limb((0, 1.38, 1.12), (0, 1.2, 1.42), (0.18, 0.13), coat, 0.06),
            Limb((0, 1.2, 1.42), (0, 1.15, 1.52), (0.125, 0.125), pink, 0.03, (1.1, 1, 1)),
            *pair(ball((0.25, 1.44, 1.06), 0.1, BLACK, 0.03, (1.15, 0.6, 0.5))),
            *pair(Limb((0.11, 1.52, 1.06), (0.22, 1.62, 1.08), (0.035, 0.03), horn, 0.02)),
            *pair(Limb((0.22, 1.62, 1.08), (0.22, 1.74, 1.12), (0.03, 0.012), horn, 0.01)),
            *pair(ball((0.145, 1.42, 1.24), 0.028, BLACK, 0)),
            *pair(Limb((0.22, 0.9, 0.58), (0.22, 0.5, 0.6), (0.16, 0.09), coat, 0.1)),
            *pair(Limb((0.22, 0.5, 0.6), (0.22, 0.12, 0.6), (0.085, 0.065), WHITE, 0.04)),
            *pair(Limb((0.22, 0.95, -0.78), (0.22, 0.5, -0.85), (0.21, 0.095), coat, 0.1)),
            *pair(Limb((0.22, 0.5, -0.85), (0.22, 0.12, -0.8), (0.085, 0.065), WHITE, 0.04)),
            *pair(Limb((0.22, 0.1, 0.62), (0.22, 0.06, 0.63), (0.075, 0.085), BLACK, 0.01)),
            *pair(Limb((0.22, 0.1, -0.79), (0.22, 0.06, -0.78), (0.075, 0.085), BLACK, 0.01)),
            ball((0, 0.6, -0.5), 0.17, pink, 0.05),
            *chain([(0, 1.3, -1.08), (0, 1.1, -1.2), (0, 0.65, -1.2)], [0.045, 0.03, 0.025], WHITE, 0.04),
            Limb((0, 0.65, -1.2), (0, 0.5, -1.2), (0.05, 0.03), BLACK, 0.02),
        ]
    )


def elephant() -> list[Part]:
    skin: Rgb = (0.50, 0.49, 0.50)
    ear: Rgb = (0.45, 0.43, 0.44)
    tusk: Rgb = (0.93, 0.90, 0.80)
    nail: Rgb = (0.70, 0.66, 0.60)
    return sculpted(
        [
            Limb((0, 1.85, -0.95), (0, 1.95, 0.75), (0.8, 0.78), skin),
            Limb((0, 1.7, -0.5), (0, 1.7, 0.4), (0.78, 0.74), skin, 0.2),
            Limb((0, 2.3, 1.25), (0, 2.35, 1.6), (0.55, 0.5), skin, 0.3),
            ball((0, 2.6, 1.6), 0.42, skin, 0.2),
            *chain(
                [(0, 2.2, 1.95), (0, 1.7, 2.3), (0, 1.1, 2.42), (0, 0.6, 2.45), (0, 0.35, 2.62)], [0.32, 0.24, 0.19, 0.15, 0.12], skin, 0.12
            ),
            *pair(ball((0.78, 2.3, 1.3), 0.62, ear, 0.06, (0.42, 1.05, 0.5))),
            *pair(Limb((0.28, 1.95, 1.95), (0.34, 1.6, 2.3), (0.085, 0.07), tusk, 0.02)),
            *pair(Limb((0.34, 1.6, 2.3), (0.33, 1.55, 2.75), (0.07, 0.025), tusk, 0.02)),
            *pair(ball((0.4, 2.42, 1.88), 0.055, BLACK, 0)),
            *pair(Limb((0.42, 1.5, 0.75), (0.42, 0.2, 0.75), (0.36, 0.27), skin, 0.15)),
            *pair(Limb((0.42, 1.5, -1.1), (0.42, 0.2, -1.15), (0.4, 0.27), skin, 0.15)),
            *pair(ball((0.42, 0.12, 0.95), 0.12, nail, 0.03)),
            *pair(ball((0.42, 0.12, -0.95), 0.12, nail, 0.03)),
            *chain([(0, 2.2, -1.65), (0, 1.7, -1.82), (0, 1.1, -1.8)], [0.08, 0.05, 0.035], skin, 0.08),
            Limb((0, 1.1, -1.8), (0, 0.85, -1.8), (0.07, 0.03), BLACK, 0.02),
        ]
    )


def giraffe() -> list[Part]:
    cream: Rgb = (0.91, 0.80, 0.58)
    brown: Rgb = (0.58, 0.33, 0.14)
    coat = tiles(cream, brown, 0.3, 0.045)
    return sculpted(
        [
            Limb((0, 2.35, -0.55), (0, 2.6, 0.5), (0.46, 0.52), coat),
            Limb((0, 2.75, 0.7), (0, 4.3, 1.4), (0.36, 0.17), coat, 0.25),
            Limb((0, 4.42, 1.4), (0, 4.22, 1.8), (0.19, 0.12), cream, 0.06),
            Limb((0, 4.22, 1.8), (0, 4.16, 1.92), (0.12, 0.11), (0.75, 0.62, 0.48), 0.03),
            *pair(Limb((0.09, 4.55, 1.36), (0.11, 4.82, 1.33), (0.04, 0.035), cream, 0.03)),
            *pair(ball((0.11, 4.86, 1.33), 0.055, BLACK, 0.01)),
            *pair(ball((0.27, 4.5, 1.3), 0.12, cream, 0.03, (1.1, 0.5, 0.5))),
            *pair(ball((0.155, 4.46, 1.52), 0.035, BLACK, 0)),
            *chain([(0, 3.1, 0.55), (0, 3.8, 0.95), (0, 4.5, 1.22)], [0.09, 0.09, 0.07], (0.45, 0.24, 0.1), 0.05),
            *pair(Limb((0.26, 2.35, 0.5), (0.26, 1.2, 0.55), (0.24, 0.12), coat, 0.15)),
            *pair(Limb((0.26, 1.2, 0.55), (0.26, 0.15, 0.55), (0.115, 0.075), cream, 0.05)),
            *pair(Limb((0.26, 2.2, -0.6), (0.26, 1.15, -0.7), (0.27, 0.12), coat, 0.15)),
            *pair(Limb((0.26, 1.15, -0.7), (0.26, 0.15, -0.65), (0.115, 0.075), cream, 0.05)),
            *pair(Limb((0.26, 0.12, 0.57), (0.26, 0.07, 0.59), (0.09, 0.1), BLACK, 0.01)),
            *pair(Limb((0.26, 0.12, -0.63), (0.26, 0.07, -0.61), (0.09, 0.1), BLACK, 0.01)),
            *chain([(0, 2.55, -0.98), (0, 2.2, -1.1), (0, 1.7, -1.1)], [0.06, 0.04, 0.03], cream, 0.06),
            Limb((0, 1.7, -1.1), (0, 1.4, -1.1), (0.06, 0.03), BLACK, 0.02),
        ]
    )


def sheep() -> list[Part]:
    wool: Rgb = (0.90, 0.88, 0.81)
    face: Rgb = (0.16, 0.14, 0.13)
    rng = np.random.default_rng(3)
    curls = [ball((0, 0.68, 0), 0.3, wool)]
    for _ in range(90):
        towards = rng.normal(size=3)
        x, y, z = towards / np.linalg.norm(towards) * (0.25, 0.24, 0.46)
        curls.append(ball((float(x), 0.68 + float(y), float(z)), 0.085, wool, 0.03))
    return sculpted(
        [
            Limb((0, 0.68, -0.25), (0, 0.68, 0.25), (0.29, 0.28), wool),
            *curls,
            Limb((0, 0.85, 0.42), (0, 0.95, 0.56), (0.16, 0.13), wool, 0.06),
            Limb((0, 0.97, 0.58), (0, 0.83, 0.8), (0.115, 0.07), face, 0.02),
            *pair(ball((0.15, 0.99, 0.54), 0.08, face, 0.02, (1.1, 0.5, 0.5))),
            ball((0, 1.07, 0.54), 0.1, wool, 0.03),
            *pair(Limb((0.14, 0.45, 0.27), (0.14, 0.05, 0.28), (0.06, 0.045), face, 0.02)),
            *pair(Limb((0.14, 0.45, -0.3), (0.14, 0.05, -0.3), (0.06, 0.045), face, 0.02)),
            ball((0, 0.72, -0.56), 0.09, wool, 0.03, (1, 1.3, 1)),
        ]
    )


def bear() -> list[Part]:
    fur: Rgb = (0.36, 0.23, 0.14)
    muzzle: Rgb = (0.62, 0.46, 0.32)
    return sculpted(
        [
            Limb((0, 0.78, -0.6), (0, 0.82, 0.45), (0.42, 0.4), fur),
            ball((0, 1.02, 0.35), 0.3, fur, 0.2),
            Limb((0, 0.95, 0.7), (0, 1.02, 0.95), (0.3, 0.25), fur, 0.15),
            Limb((0, 0.98, 1.1), (0, 0.92, 1.28), (0.14, 0.095), muzzle, 0.05),
            ball((0, 0.97, 1.37), 0.045, BLACK, 0.01),
            *pair(ball((0.18, 1.25, 0.88), 0.085, fur, 0.03, (1, 1, 0.7))),
            *pair(ball((0.105, 1.09, 1.14), 0.025, BLACK, 0)),
            *pair(Limb((0.27, 0.65, 0.45), (0.27, 0.15, 0.5), (0.2, 0.14), fur, 0.12)),
            *pair(Limb((0.27, 0.12, 0.5), (0.27, 0.1, 0.62), (0.13, 0.11), fur, 0.05)),
            *pair(Limb((0.28, 0.65, -0.6), (0.28, 0.15, -0.62), (0.25, 0.14), fur, 0.12)),
            *pair(Limb((0.28, 0.12, -0.62), (0.28, 0.1, -0.48), (0.13, 0.11), fur, 0.05)),
            ball((0, 0.9, -1.02), 0.08, fur, 0.05),
        ]
    )


def zebra() -> list[Part]:
    body = stripes(WHITE, BLACK, 0.075, (0, 0, 1))
    legs = stripes(WHITE, BLACK, 0.05, (0, 1, 0))
    neck = stripes(WHITE, BLACK, 0.06, (0, 0.62, 0.78))
    return sculpted(
        [
            Limb((0, 1.0, -0.55), (0, 1.0, 0.45), (0.31, 0.31), body),
            Limb((0, 1.1, 0.5), (0, 1.5, 0.92), (0.24, 0.15), neck, 0.12),
            Limb((0, 1.53, 0.95), (0, 1.3, 1.25), (0.15, 0.09), neck, 0.05),
            Limb((0, 1.29, 1.26), (0, 1.24, 1.33), (0.09, 0.08), BLACK, 0.02),
            *pair(Limb((0.08, 1.62, 0.88), (0.11, 1.76, 0.86), (0.05, 0.025), WHITE, 0.02)),
            *pair(ball((0.115, 1.52, 1.05), 0.024, BLACK, 0)),
            *chain([(0, 1.36, 0.42), (0, 1.62, 0.68), (0, 1.72, 0.9)], [0.05, 0.06, 0.05], BLACK, 0.02),
            *pair(Limb((0.17, 0.9, 0.42), (0.17, 0.5, 0.44), (0.14, 0.075), legs, 0.08)),
            *pair(Limb((0.17, 0.5, 0.44), (0.17, 0.1, 0.44), (0.07, 0.05), legs, 0.03)),
            *pair(Limb((0.17, 0.95, -0.55), (0.17, 0.5, -0.65), (0.19, 0.08), legs, 0.08)),
            *pair(Limb((0.17, 0.5, -0.65), (0.17, 0.1, -0.6), (0.07, 0.05), legs, 0.03)),
            *pair(Limb((0.17, 0.09, 0.45), (0.17, 0.06, 0.46), (0.06, 0.065), BLACK, 0.01)),
            *pair(Limb((0.17, 0.09, -0.59), (0.17, 0.06, -0.58), (0.06, 0.065), BLACK, 0.01)),
            *chain([(0, 1.2, -0.82), (0, 1.0, -0.95), (0, 0.7, -0.97)], [0.045, 0.03, 0.03], WHITE, 0.03),
            Limb((0, 0.7, -0.97), (0, 0.45, -0.97), (0.05, 0.03), BLACK, 0.02),
        ]
    )
