"""Vehicles, buildings and appliances built in code from boxes, tubes, lofts and plates.

Own work of this project, given away under CC0. Frame: metres, +Y up, the front towards +Z, the ground at y = 0.
"""

# trimesh carries few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import trimesh
from mesh_files import CREASE, Floats, Part

Rgb = tuple[float, float, float]
Place = tuple[float, float, float]

WHITE: Rgb = (0.93, 0.94, 0.95)
GREY: Rgb = (0.55, 0.57, 0.60)
DARK: Rgb = (0.13, 0.14, 0.16)
GLASS: Rgb = (0.20, 0.27, 0.34)
RED: Rgb = (0.74, 0.15, 0.13)
BLUE: Rgb = (0.12, 0.27, 0.55)
YELLOW: Rgb = (0.93, 0.74, 0.20)
WOOD: Rgb = (0.50, 0.33, 0.19)


def _part(vertices: Floats, faces: Sequence[Sequence[int]], colour: Rgb, crease: float = CREASE) -> Part:
    mesh = trimesh.Trimesh(np.asarray(vertices, float), np.asarray(faces, np.int64), process=True)
    mesh.update_faces(mesh.nondegenerate_faces())
    trimesh.repair.fix_normals(mesh)
    smooth = trimesh.graph.smooth_shade(mesh, angle=math.radians(crease), facet_minarea=None)
    return Part(np.asarray(smooth.vertices, float), np.asarray(smooth.faces, np.int64), np.array(smooth.vertex_normals), colour)


def box(low: Place, high: Place, colour: Rgb) -> Part:
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return _solid(corners, colour)


def _solid(corners: Floats, colour: Rgb) -> Part:
    """The convex solid with these corners."""
    hull = trimesh.convex.convex_hull(corners)
    return _part(np.asarray(hull.vertices), np.asarray(hull.faces).tolist(), colour)


def tube(a: Place, b: Place, radii: tuple[float, float], colour: Rgb, sides: int = 24) -> Part:
    """A closed frustum from `a` to `b`."""
    start, end = np.array(a, float), np.array(b, float)
    axis = (end - start) / np.linalg.norm(end - start)
    u = np.cross(axis, [1.0, 0, 0] if abs(axis[0]) < 0.9 else [0, 1.0, 0])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    angles = 2 * math.pi * np.arange(sides) / sides
    ring = np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v)
    points = np.concatenate([start + radii[0] * ring, end + radii[1] * ring, [start, end]])
    faces: list[list[int]] = []
    for k in range(sides):
        n = (k + 1) % sides
        faces += [[k, n, sides + k], [n, sides + n, sides + k], [k, 2 * sides, n], [sides + k, sides + n, 2 * sides + 1]]
    return _part(points, faces, colour)


def loft(sections: Sequence[tuple[float, float, float, float]], colour: Rgb, power: float = 2.0, sides: int = 32) -> Part:
    """A skin over sections (z, middle y, half width, half height); `power` 2 is an ellipse, more is boxier."""
    angles = 2 * math.pi * np.arange(sides) / sides
    cos, sin = np.cos(angles), np.sin(angles)
    outline = np.stack([np.sign(cos) * np.abs(cos) ** (2 / power), np.sign(sin) * np.abs(sin) ** (2 / power)], axis=1)
    rings = [np.column_stack([outline[:, 0] * w, y + outline[:, 1] * h, np.full(sides, z)]) for z, y, w, h in sections]
    points = np.concatenate([*rings, [[0, sections[0][1], sections[0][0]], [0, sections[-1][1], sections[-1][0]]]])
    faces: list[list[int]] = []
    last = len(sections) - 1
    for k in range(sides):
        n = (k + 1) % sides
        for r in range(last):
            a, b = r * sides, (r + 1) * sides
            faces += [[a + k, a + n, b + k], [a + n, b + n, b + k]]
        faces += [[k, len(points) - 2, n], [last * sides + k, last * sides + n, len(points) - 1]]
    return _part(points, faces, colour)


def plate(outline: Sequence[Place], thickness: Place, colour: Rgb) -> Part:
    """A convex flat outline made thick by half of `thickness` to either side."""
    half = np.array(thickness) / 2
    points = np.array(outline, float)
    return _solid(np.concatenate([points + half, points - half]), colour)


def both(outline: Sequence[Place], thickness: Place, colour: Rgb) -> list[Part]:
    """A plate and its mirror image (x to -x)."""
    return [plate(outline, thickness, colour), plate([(-x, y, z) for x, y, z in outline], thickness, colour)]


def wheel(x: float, y: float, z: float, radius: float, width: float) -> list[Part]:
    return [
        tube((x - width / 2, y, z), (x + width / 2, y, z), (radius, radius), DARK, 28),
        tube((x - width * 0.52, y, z), (x + width * 0.52, y, z), (radius * 0.55, radius * 0.55), GREY, 20),
    ]


def row(at: Sequence[float], x: float, y: tuple[float, float], length: float, colour: Rgb = GLASS) -> list[Part]:
    """Windows on both sides at x and -x, one at each z."""
    return [box((side * x - 0.03, y[0], z - length / 2), (side * x + 0.03, y[1], z + length / 2), colour) for z in at for side in (1, -1)]


def airliner() -> list[Part]:
    body = [(-18, 3.9, 0.15, 0.2), (-16, 3.8, 0.8, 0.8), (-11, 3.4, 1.7, 1.75), (-7, 3.2, 1.95, 1.95), (11, 3.2, 1.95, 1.95)]
    body += [(14, 3.15, 1.8, 1.8), (16.2, 2.95, 1.35, 1.35), (17.5, 2.75, 0.75, 0.75), (18, 2.7, 0.1, 0.1)]
    parts = [loft(body, WHITE, sides=40)]
    wing: list[Place] = [(1.2, 2.3, 4.2), (1.2, 2.3, -2.6), (16, 3.6, -5.2), (16, 3.6, -4.0)]
    parts += both(wing, (0, 0.28, 0), GREY)
    parts += both([(16, 3.6, -4.0), (16, 3.6, -5.2), (16.2, 5.4, -6.0), (16.2, 5.4, -5.4)], (0.15, 0, 0), BLUE)
    parts += both([(0.5, 4.2, -13.2), (0.5, 4.2, -16.2), (6, 4.7, -17.3), (6, 4.7, -16.2)], (0, 0.2, 0), GREY)
    parts.append(plate([(0, 4.6, -11.5), (0, 4.4, -16.5), (0, 10.0, -18.6), (0, 10.0, -16.4)], (0.3, 0, 0), BLUE))
    for x in (5.3, -5.3):
        parts += [tube((x, 1.5, 1.2), (x, 1.5, 4.2), (0.75, 1.0), BLUE), tube((x, 1.5, 4.15), (x, 1.5, 4.25), (0.85, 0.85), DARK)]
        parts += [tube((x, 1.5, 0.4), (x, 1.5, 1.2), (0.4, 0.7), DARK), box((x - 0.12, 1.9, 0.4), (x + 0.12, 2.8, 3.2), GREY)]
        parts += wheel(x * 0.5, 0.5, -1.2, 0.5, 0.7)
        parts.append(box((x * 0.5 - 0.12, 0.5, -1.35), (x * 0.5 + 0.12, 2.3, -1.05), GREY))
    parts += wheel(0, 0.4, 13.2, 0.4, 0.5)
    parts.append(box((-0.1, 0.4, 13.1), (0.1, 1.8, 13.3), GREY))
    parts += row([z * 1.05 for z in range(-9, 12)], 1.93, (3.4, 3.85), 0.45, DARK)
    parts += both([(0.35, 3.9, 16.1), (1.15, 3.7, 15.2), (1.2, 3.3, 15.75), (0.4, 3.35, 16.75)], (0.08, 0.2, 0.2), DARK)
    return parts


def helicopter() -> list[Part]:
    cabin = [(-2.4, 2.15, 0.25, 0.3), (-1.6, 1.95, 0.75, 0.75), (-0.4, 1.75, 1.05, 1.05), (1.2, 1.7, 1.1, 1.05), (2.3, 1.55, 0.9, 0.85)]
    cabin += [(3.0, 1.35, 0.5, 0.5), (3.2, 1.28, 0.1, 0.1)]
    parts = [loft(cabin, RED), loft([(-7.2, 2.6, 0.12, 0.14), (-4, 2.35, 0.24, 0.26), (-1.6, 2.15, 0.5, 0.5)], RED)]
    parts.append(loft([(0.9, 1.95, 1.0, 0.86), (1.8, 1.9, 0.98, 0.74), (2.5, 1.72, 0.76, 0.6), (2.95, 1.5, 0.46, 0.38)], GLASS))
    parts += row([0.35], 1.06, (1.6, 2.3), 0.9)
    parts += [loft([(-1.7, 2.75, 0.2, 0.2), (-0.8, 2.8, 0.45, 0.32), (0.6, 2.8, 0.4, 0.28), (1.0, 2.75, 0.2, 0.15)], WHITE)]
    parts += [tube((0, 2.9, -0.1), (0, 3.55, -0.1), (0.12, 0.1), GREY)]
    for turn in (20, 110, 200, 290):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        blade = [(x * c - z * s, 3.52, x * s + z * c - 0.1) for x, z in ((0.1, -0.1), (0.1, 0.1), (5.2, 0.18), (5.2, -0.12))]
        parts.append(plate(blade, (0, 0.05, 0), DARK))
    parts.append(plate([(0, 2.5, -6.6), (0, 2.6, -7.2), (0, 3.9, -7.8), (0, 3.9, -7.3)], (0.1, 0, 0), WHITE))
    parts += both([(0.1, 2.5, -5.4), (0.1, 2.5, -6.0), (1.0, 2.55, -6.1), (1.0, 2.55, -5.7)], (0, 0.06, 0), WHITE)
    for turn in (35, 125):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        blade = [
            (0.22, 3.0 + y * c - z * s, -7.35 + y * s + z * c) for y, z in ((-0.85, -0.08), (-0.85, 0.08), (0.85, 0.08), (0.85, -0.08))
        ]
        parts.append(plate(blade, (0.04, 0, 0), DARK))
    parts.append(tube((0, 3.0, -7.35), (0.26, 3.0, -7.35), (0.08, 0.08), GREY, 16))
    for x in (1.15, -1.15):
        parts += [
            tube((x, 0.12, -1.9), (x, 0.12, 2.1), (0.08, 0.08), DARK, 12),
            tube((x, 0.12, 2.1), (x, 0.4, 2.6), (0.08, 0.06), DARK, 12),
        ]
        parts += [tube((x, 0.12, z), (x * 0.5, 0.95, z), (0.06, 0.06), DARK, 12) for z in (-1.0, 1.3)]
    return parts


def _hull(length: float, width: float, depth: float, colour: Rgb, power: float = 2.6) -> Part:
    """A ship's hull from z = -length / 2 to length / 2, its keel at y = 0, sharp at the bow."""
    shape = [
        (-0.5, 0.85, 0.0),
        (-0.42, 0.95, 0.0),
        (-0.1, 1.0, 0.0),
        (0.2, 0.98, 0.0),
        (0.36, 0.72, 0.03),
        (0.45, 0.36, 0.08),
        (0.5, 0.03, 0.14),
    ]
    points: list[Place] = []
    for z, w, rise in shape:
        top = depth * (1 + rise)
        for share in (-1.0, -0.92, -0.62, 0.0, 0.62, 0.92, 1.0):
            x = share * w * width / 2 * (0.98 if abs(share) < 1 else 1.0)
            y = top * abs(share) ** power + rise * depth * (1 - abs(share) ** power) * 2
            points.append((x, y, z * length + (0.0 if z < 0.4 else (y / depth - 1) * 0.03 * length)))
    columns, faces = 7, []
    for r in range(len(shape) - 1):
        for k in range(columns - 1):
            a, b = r * columns + k, (r + 1) * columns + k
            faces += [[a, a + 1, b], [a + 1, b + 1, b]]
        a, b = r * columns, (r + 1) * columns
        faces += [[a, b, a + columns - 1], [b, b + columns - 1, a + columns - 1]]
    faces += [[0, k, k + 1] for k in range(1, columns - 1)]
    end = (len(shape) - 1) * columns
    faces += [[end, end + k + 1, end + k] for k in range(1, columns - 1)]
    return _part(np.array(points), faces, colour)


def container_ship() -> list[Part]:
    parts = [_hull(120, 20, 11, (0.16, 0.22, 0.33)), box((-7, 11, -50), (7, 18, -40), WHITE), box((-9.5, 18, -49), (9.5, 21, -41), WHITE)]
    parts += [box((-9.2, 19.2, -41.1), (9.2, 20.3, -40.9), DARK), box((-6, 21, -48), (6, 23, -43), WHITE)]
    parts += [loft([(-56, 19, 2.2, 4.5), (-52, 19, 2.2, 4.5)], RED, 4), tube((0, 23, -45), (0, 29, -45), (0.4, 0.2), GREY, 12)]
    paints = (RED, BLUE, YELLOW, (0.24, 0.46, 0.30), (0.80, 0.42, 0.16), GREY)
    for i, z in enumerate((-34, -21, -8, 5, 18, 31)):
        tall = (3, 4, 4, 4, 3, 2)[i]
        wide = 4 if z < 30 else 3
        for level in range(tall):
            for k in range(wide):
                x = (k - (wide - 1) / 2) * 4.4
                low = (x - 2.1, 11.2 + level * 4, z - 5.9)
                parts.append(box(low, (x + 2.1, low[1] + 3.9, z + 5.9), paints[(i * 5 + level * 3 + k * 2) % len(paints)]))
    parts += [tube((0, 12, 52), (0, 20, 52), (0.5, 0.25), GREY, 12)]
    return parts


def sailing_boat() -> list[Part]:
    parts = [_hull(9, 2.8, 1.3, WHITE, 2.0), box((-0.75, 1.3, -1.6), (0.75, 1.75, 1.5), WOOD)]
    parts += row([-0.9, 0.0, 0.9], 0.75, (1.45, 1.65), 0.5)
    parts += [tube((0, 1.3, 0.8), (0, 12.2, 0.8), (0.09, 0.05), GREY, 12), tube((0, 2.2, 0.8), (0, 2.2, -3.9), (0.07, 0.05), GREY, 12)]
    parts += [plate([(0, 2.35, 0.65), (0, 2.35, -3.7), (0, 11.9, 0.65)], (0.03, 0, 0), (0.92, 0.90, 0.84))]
    parts += [plate([(0, 1.75, 4.4), (0, 2.0, 1.1), (0, 9.6, 0.95)], (0.03, 0, 0), (0.80, 0.25, 0.20))]
    parts += [plate([(0, 0.9, -4.45), (0, 0.1, -4.35), (0, 0.1, -4.7), (0, 0.9, -4.75)], (0.08, 0, 0), WOOD)]
    return parts


def locomotive() -> list[Part]:
    green: Rgb = (0.13, 0.36, 0.24)
    parts = [box((-1.3, 0.9, -4.4), (1.3, 1.25, 4.6), DARK), tube((0, 2.35, -1.4), (0, 2.35, 3.6), (1.05, 1.05), green, 32)]
    parts += [tube((0, 2.35, 3.6), (0, 2.35, 4.3), (1.1, 1.1), DARK, 32), tube((0, 2.35, 4.3), (0, 2.35, 4.4), (0.85, 0.8), GREY, 32)]
    parts += [tube((0, 2.35, z - 0.06), (0, 2.35, z + 0.06), (1.08, 1.08), YELLOW, 32) for z in (-0.6, 0.9, 2.4)]
    parts += [tube((0, 3.2, 3.8), (0, 4.6, 3.8), (0.32, 0.4), DARK, 20), tube((0, 4.6, 3.8), (0, 4.8, 3.8), (0.52, 0.52), DARK, 20)]
    parts += [loft([(0.6, 3.45, 0.1, 0.1), (0.7, 3.45, 0.38, 0.5), (1.3, 3.45, 0.38, 0.5), (1.4, 3.45, 0.1, 0.1)], YELLOW)]
    parts += [box((-1.3, 1.25, -4.2), (1.3, 3.0, -1.4), green), box((-1.45, 4.1, -4.5), (1.45, 4.3, -1.2), DARK)]
    parts += [box((x - 0.08, 3.0, z - 0.08), (x + 0.08, 4.1, z + 0.08), green) for x in (1.2, -1.2) for z in (-4.1, -1.5)]
    parts += [box((-1.3, 3.0, -1.55), (1.3, 4.1, -1.45), green), box((-1.0, 3.25, -1.47), (-0.35, 3.85, -1.4), GLASS)]
    parts += [box((0.35, 3.25, -1.47), (1.0, 3.85, -1.4), GLASS)]
    for x in (1.15, -1.15):
        for z in (-3.3, -1.5, 0.3):
            parts += wheel(x, 0.8, z, 0.8, 0.25)
        parts += [box((x * 1.18 - 0.05, 0.75, -3.4), (x * 1.18 + 0.05, 0.92, 0.4), RED)]
        parts += [w for z in (2.4, 3.6) for w in wheel(x, 0.5, z, 0.5, 0.2)]
        parts += [tube((x, 1.5, 3.0), (x, 1.5, 4.4), (0.35, 0.35), DARK, 16)]
    parts.append(plate([(-1.25, 0.85, 4.6), (1.25, 0.85, 4.6), (1.0, 0.15, 5.3), (-1.0, 0.15, 5.3)], (0, 0.05, 0.05), RED))
    parts += [tube((0, 3.75, 4.3), (0, 3.75, 4.65), (0.26, 0.3), YELLOW, 20)]
    return parts


def tram() -> list[Part]:
    ends = [(0.0, 0.55), (0.35, 0.8), (0.9, 0.94), (1.6, 1.0)]
    sections = [(-7.5 + d, 1.95, 1.25 * w, 1.55) for d, w in ends] + [(7.5 - d, 1.95, 1.25 * w, 1.55) for d, w in reversed(ends)]
    low = [(z * 1.004, 0.85, w * 1.02, 0.5) for z, _, w, _ in sections]
    parts = [loft(sections, YELLOW, 6), loft(low, RED, 6), box((-0.9, 3.45, -4.5), (0.9, 3.8, 3.5), GREY)]
    parts += row([-5.0, -3.35, -1.7, -0.05, 1.6, 3.25, 4.9], 1.25, (1.75, 2.9), 1.35)
    parts += [loft([(6.5, 2.25, 1.18, 0.68), (7.1, 2.2, 1.1, 0.66), (7.53, 2.15, 0.72, 0.6)], GLASS, 6)]
    parts += [
        box((-0.7, 3.0, 7.3), (0.7, 3.3, 7.45), DARK),
        *[tube((x, 0.95, 7.2), (x, 0.95, 7.58), (0.14, 0.14), WHITE, 16) for x in (0.5, -0.5)],
    ]
    parts += [tube((x, 0.95, -7.58), (x, 0.95, -7.2), (0.12, 0.12), (0.5, 0.03, 0.03), 16) for x in (0.5, -0.5)]
    parts += [w for x in (0.75, -0.75) for z in (-4.8, -3.4, 3.4, 4.8) for w in wheel(x, 0.35, z, 0.35, 0.2)]
    parts += [tube((0, 3.8, -1.2), (0, 4.7, -2.1), (0.05, 0.05), DARK, 8), tube((0, 4.7, -2.1), (0, 5.3, -1.2), (0.05, 0.05), DARK, 8)]
    parts += [box((-0.8, 5.28, -1.3), (0.8, 5.34, -1.1), DARK)]
    return parts


def house() -> list[Part]:
    wall: Rgb = (0.90, 0.86, 0.76)
    roof: Rgb = (0.60, 0.26, 0.19)
    parts = [box((-4.5, 0, -3.5), (4.5, 4.6, 3.5), wall)]
    parts.append(_solid(np.array([[x, y, z] for x in (-4.5, 4.5) for y, z in ((4.6, -3.5), (4.6, 3.5), (7.4, 0))]), wall))
    parts += [plate([(-5, 4.25, z), (5, 4.25, z), (5, 7.6, 0), (-5, 7.6, 0)], (0, 0.22, 0), roof) for z in (4.1, -4.1)]
    parts += [
        box((-0.6, 0.2, 3.4), (0.6, 2.4, 3.6), WOOD),
        box((0.35, 1.2, 3.58), (0.45, 1.35, 3.66), YELLOW),
        box((-0.9, 0, 3.5), (0.9, 0.2, 4.4), GREY),
    ]
    parts.append(plate([(-1.2, 2.6, 4.5), (1.2, 2.6, 4.5), (1.2, 3.0, 3.5), (-1.2, 3.0, 3.5)], (0, 0.12, 0), roof))
    for x, y in ((-2.8, 1.0), (2.8, 1.0), (-2.8, 3.0), (2.8, 3.0)):
        parts += [
            box((x - 0.65, y, 3.45), (x + 0.65, y + 1.2, 3.54), WHITE),
            box((x - 0.55, y + 0.1, 3.5), (x + 0.55, y + 1.1, 3.57), GLASS),
        ]
    for side in (1, -1):
        parts += [box((side * 4.47 - 0.08, 3.0, -0.6), (side * 4.47 + 0.08, 4.1, 0.6), GLASS)]
    parts += [box((1.8, 6.0, -1.9), (2.6, 8.4, -1.1), (0.55, 0.32, 0.25))]
    return parts


def tree() -> list[Part]:
    leaf: Rgb = (0.25, 0.45, 0.20)
    parts = [tube((0, 0, 0), (0, 2.4, 0), (0.26, 0.18), WOOD, 16)]
    for x, y, z, r in (
        (0, 3.6, 0, 1.5),
        (0.9, 3.1, 0.3, 1.0),
        (-0.8, 3.2, 0.5, 1.0),
        (0.1, 3.0, -0.9, 1.0),
        (0.3, 4.6, -0.2, 1.0),
        (-0.5, 4.2, 0.3, 0.95),
    ):
        blob = trimesh.creation.icosphere(subdivisions=3, radius=r)
        parts.append(_part(np.asarray(blob.vertices) + np.array([x, y, z]), np.asarray(blob.faces).tolist(), leaf))
    return parts


def arrow() -> list[Part]:
    """A thick arrow to lie on a floor, its tip at the front."""
    shaft = box((-0.18, 0, -0.9), (0.18, 0.12, 0.15), BLUE)
    head = plate([(-0.5, 0.06, 0.15), (0.5, 0.06, 0.15), (0, 0.06, 0.9)], (0, 0.12, 0), BLUE)
    return [shaft, head]


LETTERS = {"S": "111100111001111", "T": "111010010010010", "O": "111101101101111", "P": "111101111100100"}  # 3 x 5 each


def stop_sign() -> list[Part]:
    def octagon(radius: float, z: float, colour: Rgb) -> Part:
        corners = [math.radians(22.5 + 45 * k) for k in range(8)]
        return plate([(radius * math.cos(a), 2.3 + radius * math.sin(a), z) for a in corners], (0, 0, 0.02), colour)

    parts = [tube((0, 0, -0.05), (0, 2.5, -0.05), (0.04, 0.04), GREY, 16), octagon(0.42, -0.01, GREY)]
    parts += [octagon(0.42, 0.005, WHITE), octagon(0.385, 0.01, RED)]
    for k, letter in enumerate("STOP"):
        for i, bit in enumerate(LETTERS[letter]):
            if bit == "1":
                x, y = -0.29 + k * 0.155 + (i % 3) * 0.0383, 2.40 - (i // 3) * 0.0483
                parts.append(box((x, y, 0.015), (x + 0.0384, y + 0.0484, 0.026), WHITE))
    return parts


def microwave() -> list[Part]:
    """0.50 m wide; the door on the left of the front, the panel on its right, as seen by the user."""
    body: Rgb = (0.80, 0.80, 0.79)
    parts = [box((-0.25, 0.015, -0.18), (0.25, 0.29, 0.165), body), box((-0.25, 0.015, 0.165), (0.115, 0.29, 0.19), body)]
    parts += [box((-0.215, 0.055, 0.188), (0.055, 0.25, 0.193), DARK), box((0.12, 0.015, 0.165), (0.25, 0.29, 0.188), GREY)]
    parts += [tube((0.09, y, 0.185), (0.09, y, 0.215), (0.007, 0.007), GREY, 12) for y in (0.07, 0.235)]
    parts += [tube((0.09, 0.05, 0.215), (0.09, 0.255, 0.215), (0.009, 0.009), GREY, 16)]
    parts += [
        box((0.14, 0.235, 0.186), (0.23, 0.268, 0.191), GLASS),
        tube((0.185, 0.08, 0.187), (0.185, 0.08, 0.21), (0.03, 0.027), WHITE, 32),
    ]
    parts += [box((x, y, 0.186), (x + 0.026, y + 0.018, 0.193), WHITE) for x in (0.14, 0.172, 0.204) for y in (0.14, 0.168, 0.196)]
    parts += [box((-0.19 + 0.03 * k, 0.19, -0.182), (-0.175 + 0.03 * k, 0.25, -0.178), DARK) for k in range(6)]
    parts += [tube((x, 0.0, z), (x, 0.02, z), (0.015, 0.015), DARK, 12) for x in (-0.21, 0.21) for z in (-0.14, 0.13)]
    return parts
