"""Furniture built from plain forms, in any colour: beds, sofas, cupboards, desks, tables, lamps and plants.

Each stands on y = 0 with its front towards +Z. Lengths in metres.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Cone, Group, Part, Pose, Sphere
from isovist.scenes.environments.fixtures import books, box, mixed, shade, tube

STEEL, DARK = "#a9adb0", "#2e2e31"


def bed(width: float, wood: str, blanket: str, *, tall: bool = True) -> Group:
    """With its head at the back; two pillows if it is wide."""
    deep = 2.05
    parts = [
        box(width, 0.22, deep, 0, 0.1, 0, wood),
        box(width, 1.0 if tall else 0.7, 0.06, 0, 0, -deep / 2 + 0.03, wood),
        box(width - 0.06, 0.2, deep - 0.1, 0, 0.32, 0.03, "#f4f1ea"),
        box(width + 0.02, 0.16, deep * 0.66, 0, 0.39, deep * 0.18, blanket),
        box(width + 0.02, 0.015, 0.3, 0, 0.55, -deep * 0.07, mixed(blanket, "#ffffff", 0.55)),
    ]
    parts += [box(0.08, 0.1, 0.08, x * (width / 2 - 0.06), 0, z * (deep / 2 - 0.06), wood) for x in (-1, 1) for z in (-1, 1)]
    for x in (-0.24 * width, 0.24 * width) if width > 1.3 else (0.0,):
        parts.append(box(0.58 if width > 1.3 else 0.62, 0.13, 0.38, x, 0.51, -deep / 2 + 0.3, "#fbfaf6"))
    return Group(tuple(parts))


def bunk_bed(wood: str, blanket: str) -> Group:
    w, deep, parts = 0.98, 2.05, list[Part]()
    for y, cloth in ((0.3, blanket), (1.15, mixed(blanket, "#ffffff", 0.4))):
        parts += [box(w, 0.1, deep, 0, y, 0, wood), box(w - 0.08, 0.15, deep - 0.08, 0, y + 0.1, 0, "#f4f1ea")]
        parts += [
            box(w - 0.06, 0.1, deep * 0.6, 0, y + 0.18, deep * 0.17, cloth),
            box(0.55, 0.11, 0.34, 0, y + 0.24, -deep / 2 + 0.28, "#fbfaf6"),
        ]
    parts += [box(0.07, 1.7, 0.07, x * (w / 2 - 0.035), 0, z * (deep / 2 - 0.035), wood) for x in (-1, 1) for z in (-1, 1)]
    parts += [box(0.03, 0.06, deep, x * (w / 2 - 0.02), 1.56, 0, wood) for x in (-1, 1)]
    parts += [box(0.36, 0.04, 0.04, 0.25, 0.3 + 0.28 * k, deep / 2 + 0.02, wood) for k in range(4)]
    parts += [box(0.04, 1.4, 0.04, x, 0, deep / 2 + 0.02, wood) for x in (0.07, 0.43)]
    return Group(tuple(parts))


def sofa(width: float, colour: str, cushion: str, legs: str) -> Group:
    """An armchair if it is narrow."""
    w, dark = width, mixed(colour, "#000000", 0.1)
    seats = max(1, round((w - 0.4) / 0.62))
    step = (w - 0.4) / seats
    parts = [box(w - 0.04, 0.22, 0.82, 0, 0.12, 0, dark), box(w, 0.72, 0.22, 0, 0.1, -0.34, colour)]
    parts += [box(0.2, 0.5, 0.86, side * (w / 2 - 0.1), 0.1, 0.01, colour) for side in (-1, 1)]
    parts += [
        box(step - 0.015, 0.14, 0.62, (k + 0.5) * step - (w - 0.4) / 2, 0.34, 0.11, mixed(colour, "#ffffff", 0.08)) for k in range(seats)
    ]
    parts += [
        box(step - 0.02, 0.38, 0.14, (k + 0.5) * step - (w - 0.4) / 2, 0.47, -0.18, mixed(colour, "#ffffff", 0.05)) for k in range(seats)
    ]
    parts += [box(0.05, 0.12, 0.05, x * (w / 2 - 0.1), 0, z * 0.34, legs) for x in (-1, 1) for z in (-1, 1)]
    for x in (-1, 1) if seats > 1 else (0,):
        parts.append(Part(Box((0.38, 0.36, 0.1)), Pose((round(x * (w / 2 - 0.42), 4), 0.48, -0.05), pitch=-14.0), colour=cushion))
    return Group(tuple(parts))


def chair(colour: str, seat: str) -> Group:
    parts = [box(0.42, 0.04, 0.42, 0, 0.43, 0.01, seat)]
    parts += [box(0.04, 0.43, 0.04, x * 0.18, 0, 0.19, colour) for x in (-1, 1)]
    parts += [box(0.04, 0.92, 0.04, x * 0.18, 0, -0.19, colour) for x in (-1, 1)]
    parts += [box(0.32, tall, 0.025, 0, y, -0.19, colour) for y, tall in ((0.84, 0.08), (0.7, 0.05), (0.57, 0.05))]
    return Group(tuple(parts))


def stool(colour: str, legs: str) -> Group:
    parts = [tube(0.18, 0.05, 0, 0.42, 0, colour, 24)]
    parts += [tube(0.018, 0.42, 0.12 * sine(a), 0, 0.12 * cosine(a), legs, 8) for a in (45, 135, 225, 315)]
    return Group(tuple(parts))


def table(width: float, depth: float, height: float, wood: str, legs: str) -> Group:
    parts = [box(width, 0.04, depth, 0, height - 0.04, 0, wood), box(width - 0.16, 0.07, depth - 0.16, 0, height - 0.11, 0, legs)]
    thick = 0.07 if height > 0.6 else 0.05
    inset = 0.05
    parts += [
        box(thick, height - 0.04, thick, x * (width / 2 - inset - thick / 2), 0, z * (depth / 2 - inset - thick / 2), legs)
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    return Group(tuple(parts))


def round_table(radius: float, height: float, wood: str) -> Group:
    foot = mixed(wood, "#000000", 0.25)
    return Group(
        (
            tube(radius, 0.04, 0, height - 0.04, 0, wood, 36),
            tube(0.05, height - 0.06, 0, 0.02, 0, foot),
            tube(radius * 0.5, 0.03, 0, 0, 0, foot, 28),
        )
    )


def desk(width: float, wood: str, front: str) -> Group:
    """Drawers at one side; who sits at it sits at +Z."""
    parts = [box(width, 0.035, 0.66, 0, 0.705, 0, wood), box(0.035, 0.7, 0.6, -width / 2 + 0.03, 0, 0, wood)]
    parts += [box(0.42, 0.68, 0.6, width / 2 - 0.22, 0.02, 0, wood), box(width - 0.5, 0.35, 0.02, -0.2, 0.34, -0.28, wood)]
    for y in (0.06, 0.28, 0.5):
        parts += [box(0.38, 0.19, 0.02, width / 2 - 0.22, y, 0.305, front), box(0.12, 0.015, 0.02, width / 2 - 0.22, y + 0.1, 0.322, STEEL)]
    return Group(tuple(parts))


def drawers(width: float, height: float, body: str, front: str, rows: int, columns: int) -> Group:
    parts = [
        box(width, height - 0.08, 0.44, 0, 0.05, 0, body),
        box(width + 0.03, 0.03, 0.47, 0, height - 0.03, 0, body),
        box(width - 0.06, 0.05, 0.38, 0, 0, 0, DARK),
    ]
    a, b = width / columns, (height - 0.1) / rows
    for i in range(columns):
        for j in range(rows):
            x, y = (i + 0.5) * a - width / 2, 0.06 + j * b
            parts += [box(a - 0.03, b - 0.025, 0.02, x, y, 0.225, front), box(0.13, 0.018, 0.022, x, y + b * 0.5, 0.242, STEEL)]
    return Group(tuple(parts))


def wardrobe(width: float, height: float, body: str, front: str) -> Group:
    doors = max(2, round(width / 0.5))
    step = width / doors
    parts = [box(width, height, 0.56, 0, 0, 0, body)]
    for k in range(doors):
        x = (k + 0.5) * step - width / 2
        parts += [box(step - 0.02, height - 0.16, 0.02, x, 0.1, 0.285, front)]
        parts.append(box(0.02, 0.22, 0.025, x + (0.5 * step - 0.06) * (1 if k % 2 == 0 else -1), height * 0.45, 0.305, STEEL))
    return Group(tuple(parts))


def bookcase(rng: Rng, width: float, height: float, wood: str, back: str) -> Group:
    """Boards of books, here and there half empty."""
    deep, rows = 0.3, max(3, round(height / 0.36))
    step = (height - 0.08) / rows
    parts = [box(0.03, height, deep, side * (width / 2 - 0.015), 0, 0, wood) for side in (-1, 1)]
    parts += [box(width - 0.06, 0.025, deep, 0, 0.05 + k * step, 0, wood) for k in range(rows + 1)]
    parts.append(box(width - 0.04, height - 0.05, 0.01, 0, 0.05, -deep / 2 + 0.005, back))
    for k in range(rows):
        full = rng.pick((0.9, 0.9, 0.7, 0.5))
        start = -width / 2 + 0.04 + (rng.uniform(0, 0.9 - full) * width if full < 0.9 else 0.0)
        parts += books(rng, full * (width - 0.1), 0.55 * step, 0.85 * step, 0.18, start, 0.075 + k * step, 0.02)
    return Group(tuple(parts))


def open_shelf(rng: Rng, width: float, height: float, wood: str) -> Group:
    """An open unit of squares with boxes, balls and books in some: for a playroom or a store."""
    columns, rows = max(2, round(width / 0.4)), max(2, round(height / 0.4))
    a, b, deep = width / columns, height / rows, 0.36
    parts = [box(0.03, height, deep, k * a - width / 2, 0, 0, wood) for k in range(columns + 1)]
    parts += [box(width + 0.03, 0.03, deep, 0, min(k * b, height - 0.03), 0, wood) for k in range(rows + 1)]
    for i in range(columns):
        for j in range(rows):
            x, y = (i + 0.5) * a - width / 2, j * b + 0.03
            content = rng.pick(("box", "box", "books", "none", "ball"))
            if content == "box":
                parts.append(
                    box(a - 0.06, b * 0.68, deep - 0.04, x, y, 0.01, rng.pick(("#d8664a", "#4a8fc0", "#e8c048", "#6aa868", "#c8b79a")))
                )
            elif content == "ball":
                parts.append(Part(Sphere(0.1), Pose((round(x, 4), round(y, 4), 0.03)), colour=rng.pick(("#d84a4a", "#e8c048", "#4a8fc0"))))
            elif content == "books":
                parts += books(rng, a - 0.1, 0.5 * b, 0.8 * b, 0.2, x - a / 2 + 0.04, y, 0)
    return Group(tuple(parts))


def tv_stand(width: float, wood: str, front: str) -> Group:
    parts = [box(width, 0.4, 0.4, 0, 0.06, 0, wood), box(width - 0.1, 0.06, 0.32, 0, 0, 0, DARK)]
    parts += [box(width / 3 - 0.03, 0.32, 0.02, (k - 1) * width / 3, 0.1, 0.205, front) for k in (0, 2)]
    parts += [box(width / 3 - 0.03, 0.14, 0.01, 0, y, 0.2, DARK) for y in (0.1, 0.28)]
    return Group(tuple(parts))


def tv(width: float) -> Group:
    h = width * 0.58
    return Group(
        (
            box(0.36, 0.02, 0.2, 0, 0, 0, DARK),
            box(0.05, 0.1, 0.04, 0, 0.02, 0, DARK),
            box(width, h, 0.05, 0, 0.08, 0, "#1c1c1f"),
            box(width - 0.05, h - 0.05, 0.006, 0, 0.105, 0.026, "#3a4450"),
        )
    )


def floor_lamp(shade_colour: str, metal: str) -> Group:
    return Group((tube(0.15, 0.03, 0, 0, 0, metal, 24), tube(0.015, 1.4, 0, 0.03, 0, metal, 8), shade(0.23, 0.15, 0.3, 1.36, shade_colour)))


def table_lamp(shade_colour: str, foot: str) -> Group:
    return Group(
        (
            tube(0.08, 0.02, 0, 0, 0, foot, 20),
            Part(Sphere(0.07), Pose((0.0, 0.015, 0.0)), colour=foot),
            tube(0.012, 0.12, 0, 0.14, 0, foot, 8),
            shade(0.14, 0.09, 0.18, 0.22, shade_colour),
        )
    )


def plant(rng: Rng, pot: str) -> Group:
    """In a pot on the floor: a bush, a palm or large leaves on stems."""
    green = rng.pick(("#3f7d3a", "#4f8f4a", "#2f6b3f", "#6a9a44"))
    parts = [Part(Cone(0.12, 0.3, 0.17, 20), Pose(), colour=pot), tube(0.15, 0.012, 0, 0.295, 0, "#4a3626", 16)]
    kind = rng.pick(("bush", "palm", "leaves"))
    if kind == "bush":
        parts.append(tube(0.03, 0.4, 0, 0.3, 0, "#6b4a2f", 8))
        for k, (r, y) in enumerate(((0.26, 0.5), (0.22, 0.72), (0.18, 0.92))):
            a = 120.0 * k + rng.uniform(0, 60)
            parts.append(
                Part(Sphere(r), Pose((round(0.08 * sine(a), 4), y, round(0.08 * cosine(a), 4))), colour=mixed(green, "#ffffff", 0.06 * k))
            )
        return Group(tuple(parts))
    n, high = (9, 0.85) if kind == "palm" else (7, 0.45)
    if kind == "palm":
        parts.append(tube(0.035, high - 0.25, 0, 0.3, 0, "#7a5a38", 8))
    for k in range(n):
        a, tilt = 360.0 * k / n + rng.uniform(-8, 8), rng.uniform(28, 68)
        long = rng.uniform(0.36, 0.5)
        leaf = Part(
            Cone(0.055, round(long, 4), 0.02, 6),
            Pose((0.0, round(high if kind == "palm" else 0.3, 4), 0.0), round(a, 2), round(tilt, 2)),
            (1.0, 1.0, 0.35),
            colour=mixed(green, "#000000", 0.12 * (k % 2)),
        )
        parts.append(leaf)
        if kind == "leaves":
            up = 0.3 + long * cosine(tilt)
            x, z = long * sine(tilt) * sine(a), long * sine(tilt) * cosine(a)
            parts.append(
                Part(
                    Sphere(0.1),
                    Pose((round(x, 4), round(up - 0.1, 4), round(z, 4)), round(a, 2), round(tilt, 2)),
                    (1.0, 1.6, 0.3),
                    colour=green,
                )
            )
    return Group(tuple(parts))


def cactus(pot: str) -> Group:
    green = "#4f8a55"
    parts = [
        Part(Cone(0.11, 0.22, 0.15, 20), Pose(), colour=pot),
        tube(0.08, 0.62, 0, 0.2, 0, green),
        Part(Sphere(0.08), Pose((0.0, 0.74, 0.0)), colour=green),
    ]
    for side, y in ((-1, 0.42), (1, 0.52)):
        parts += [
            box(0.12, 0.09, 0.09, side * 0.12, y, 0, green),
            tube(0.05, 0.2, side * 0.18, y, 0, green),
            Part(Sphere(0.05), Pose((side * 0.18, round(y + 0.15, 4), 0.0)), colour=green),
        ]
    return Group(tuple(parts))


def vase(colour: str, flowers: str) -> Group:
    """With flowers in it."""
    parts = [Part(Cone(0.05, 0.2, 0.07, 20), Pose(), colour=colour)]
    for k in range(5):
        a, up = 72.0 * k, 0.36 + 0.03 * (k % 3)
        x, z = 0.07 * sine(a), 0.07 * cosine(a)
        parts += [
            box(0.008, up - 0.15, 0.008, x * 0.6, 0.17, z * 0.6, "#4f7d3f"),
            Part(Sphere(0.04), Pose((round(x, 4), round(up, 4), round(z, 4))), colour=flowers),
        ]
    return Group(tuple(parts))


def easel(rng: Rng) -> Group:
    legs = [
        Part(Box((0.04, 1.65, 0.03)), Pose((x, 0.0, z), roll=r, pitch=p), colour="#a8814f")
        for x, z, r, p in ((-0.3, 0.12, -7.0, -6.0), (0.3, 0.12, 7.0, -6.0), (0.0, -0.38, 0.0, 12.0))
    ]
    canvas = [Part(Box((0.62, 0.5, 0.03)), Pose((0.0, 0.78, 0.07), pitch=-6.0), colour="#f6f2e8")]
    colours = rng.shuffled(("#d84a4a", "#e8c048", "#4a8fc0", "#6aa868"))
    canvas += [
        Part(Box((0.16, 0.14, 0.006)), Pose((x, y, 0.085 - (y - 0.85) * 0.1), pitch=-6.0), colour=c)
        for c, (x, y) in zip(colours, ((-0.16, 0.9), (0.05, 1.02), (0.17, 0.86), (-0.04, 0.84)), strict=True)
    ]
    return Group((*legs, *canvas, Part(Box((0.6, 0.03, 0.08)), Pose((0.0, 0.74, 0.09)), colour="#a8814f")))


def book_pile(rng: Rng) -> Group:
    parts: list[Part] = []
    y = 0.0
    for _ in range(rng.integer(2, 4)):
        thick = round(rng.uniform(0.025, 0.045), 3)
        parts += books_flat(thick, y, rng)
        y += thick
    return Group(tuple(parts))


def books_flat(thick: float, y: float, rng: Rng) -> list[Part]:
    """One book that lies."""
    cover = rng.pick(("#8c2f2b", "#2f4f7a", "#3f6b4a", "#c8a24a", "#d8d0c0"))
    w, d = rng.uniform(0.2, 0.26), rng.uniform(0.15, 0.19)
    return [box(w, thick - 0.002, d, 0, y, 0, cover), box(w - 0.01, thick - 0.012, 0.006, 0, y + 0.005, d / 2, "#f2eee2")]
