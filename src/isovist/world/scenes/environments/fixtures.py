"""Fixtures of walls, floors and ceilings with variable sizes or patterns, built from primitives.

Objects for walls have their back at -Z of their box and their lower edge at y = 0, except for sills and shelf brackets. Lengths are metres.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.scene3d import Cylinder, Group, Part, Pose, Sphere
from isovist.world.scenes.environments.primitives import block, group, mixed, rounded, taper
from isovist.world.scenes.furniture_meshes import built

DOOR = (0.98, 2.1)
"""Width and height of a door with its frame."""
FRAME = 0.05
"""Width of a window frame in metres."""


def window(width: float, height: float, colour: str, across: int = 2, bars: int = 0) -> Group:
    """A transparent window: a frame with `across` casements, `bars` horizontal bars in each, and a sill."""
    f, deep = FRAME, 0.07
    edge = (width - f) / 2
    handle = width * (1 / across - 0.5) if across > 1 else edge
    return group(
        *(block((width, f, deep), (0, y, 0), colour) for y in (0, height - f)),
        *(block((f, height - 2 * f, deep), (x, f, 0), colour) for x in (-edge, edge)),
        *(block((f, height - 2 * f, deep * 0.8), (width * (k / across - 0.5), f, 0), colour) for k in range(1, across)),
        *(block((width - 2 * f, f * 0.6, deep * 0.6), (0, height * k / (bars + 1), 0), colour) for k in range(1, bars + 1)),
        block((0.02, 0.1, 0.03), (handle, height * 0.42, 0.05), "#8d9095"),
        block((width + 0.1, 0.03, 0.16), (0, -0.03, 0.05), "#eeeae2"),
    )


def curtain_rod(width: float, colour: str) -> Group:
    """A curtain rod with a knob at each end."""
    knobs = (Part(Sphere(0.03), Pose(rounded((x, -0.02, 0.0))), colour=colour) for x in (-width / 2, width / 2))
    return group(block((width, 0.02, 0.02), (0, 0, 0), colour), *knobs)


def blind(width: float, height: float, colour: str) -> Group:
    """A blind over the upper part of a window."""
    rolled = block((width + 0.04, 0.07, 0.07), (0, height, 0.01), mixed(colour, "#ffffff", 0.5))
    return group(block((width, height, 0.015), (0, 0, 0), colour), rolled)


def picture(rng: Rng, width: float, height: float, frame: str) -> Group:
    """A framed picture: a landscape, plain shapes or a sea."""
    w, h, foot = width - 0.16, height - 0.16, 0.08
    sky, low = rng.pick(("#8fb8d8", "#e8c49a", "#c8d8e0", "#30486a")), rng.pick(("#5f7d4a", "#8a6a44", "#2f5c78", "#b0553a"))
    shapes = [(w, h, 0.0, foot, sky)]  # width, height, x, y, colour: later shapes are in front
    motif = rng.pick(("hills", "sun", "stripes", "blocks"))
    if motif == "hills":
        shapes += [(w, h * 0.3, 0.0, foot, low), (w * 0.5, h * 0.16, -w * 0.25, foot + h * 0.3, mixed(low, "#ffffff", 0.25))]
    elif motif == "sun":
        shapes += [(w, h * 0.35, 0.0, foot, low)]
    elif motif == "stripes":
        k = rng.integer(3, 5)
        shapes += [(w / (2 * k), h, w * ((i + 0.5) / k - 0.5), foot, low) for i in range(k)]
    else:
        for colour in ("#d8b040", "#b8402f", "#28424f", low):
            a, b = rng.uniform(0.2, 0.4) * w, rng.uniform(0.2, 0.4) * h
            shapes.append((a, b, rng.uniform(-0.5, 0.5) * (w - a), foot + rng.uniform(0, 1) * (h - b), colour))
    disc = Cylinder(round(0.16 * min(w, h), 3), 0.006, 20)
    sun = Part(disc, Pose(rounded((0.18 * w, foot + 0.66 * h, 0.02)), pitch=90.0), colour="#f4e06a")
    return group(
        block((width, height, 0.025), (0, 0, 0), frame),
        block((width - 0.07, height - 0.07, 0.008), (0, 0.035, 0.014), "#f4f0e6"),
        *(block((a, b, 0.004), (x, y, 0.019 + 0.001 * k), colour) for k, (a, b, x, y, colour) in enumerate(shapes)),
        *([sun] if motif == "sun" else []),
    )


def ceiling_lamp(rng: Rng, colour: str, cord: float) -> Group:
    """A lamp that hangs from y = 0 on `cord` metres of cord. Its own height is at most 35 cm."""
    line = block((0.012, cord, 0.012), (0, -cord, 0), "#4a4a4a")
    match rng.pick(("drum", "globe", "flat", "cone")):
        case "flat":
            return group(taper(0.22, 0.22, 0.09, (0, -0.09, 0), "#fdf8ea", 28))
        case "drum":
            return group(line, taper(0.26, 0.26, 0.24, (0, -cord - 0.2, 0), colour, 28))
        case "globe":
            return group(line, Part(Sphere(0.17), Pose(rounded((0, -cord - 0.32, 0))), colour="#fdf8ea"))
        case _:
            return group(line, taper(0.26, 0.05, 0.26, (0, -cord - 0.21, 0), colour, 28))


def books(rng: Rng, width: float, height: float, depth: float, left: float, y: float, z: float) -> Part:
    """A row of books that starts at `left`."""
    rows = ("books-long-1", "books-long-2", "books-long-3") if width > 0.5 else ("books-short-1", "books-short-2")
    (row,) = built(rng.pick(rows), width=width, height=height, depth=depth).parts
    return Part(row.geometry, Pose(rounded((left + width / 2, y, z))), row.scale)


def wall_shelf(rng: Rng, width: float, wood: str) -> Group:
    """A wall shelf with books and a small pot."""
    pot = 0.34 * width
    return group(
        block((width, 0.03, 0.22), (0, 0, 0), wood),
        *(block((0.03, 0.1, 0.16), (x, -0.1, -0.03), wood) for x in (-0.4 * width, 0.4 * width)),
        books(rng, 0.6 * width, 0.26, 0.15, -0.45 * width, 0.03, -0.02),
        taper(0.05, 0.05, 0.09, (pot, 0.03, 0), "#c86f4a", 12),
        Part(Sphere(0.075), Pose(rounded((pot, 0.1, 0.0))), colour="#4f8a45"),
    )


def bookcase(rng: Rng, width: float, height: float, wood: str) -> Group:
    """A bookcase with partly filled boards."""
    deep, rows = 0.3, max(3, round(height / 0.36))
    step = (height - 0.08) / rows
    parts = [
        *(block((0.03, height, deep), (x, 0, 0), wood) for x in (0.015 - width / 2, width / 2 - 0.015)),
        *(block((width - 0.06, 0.025, deep), (0, 0.05 + k * step, 0), wood) for k in range(rows + 1)),
        block((width - 0.04, height - 0.05, 0.01), (0, 0.05, 0.005 - deep / 2), mixed(wood, "#000000", 0.2)),
    ]
    for k in range(rows):
        full = rng.pick((0.9, 0.9, 0.7, 0.5))
        left = rng.uniform(0, 0.9 - full) * width
        parts.append(books(rng, full * (width - 0.1), 0.85 * step, 0.18, left + 0.04 - width / 2, 0.075 + k * step, 0.02))
    return Group(tuple(parts))


def open_shelf(rng: Rng, width: float, height: float, wood: str) -> Group:
    """An open shelf unit with boxes, balls and books in some compartments."""
    columns, rows, deep = max(2, round(width / 0.4)), max(2, round(height / 0.4)), 0.36
    a, b = width / columns, height / rows
    parts = [block((0.03, height, deep), (k * a - width / 2, 0, 0), wood) for k in range(columns + 1)]
    parts += [block((width + 0.03, 0.03, deep), (0, min(k * b, height - 0.03), 0), wood) for k in range(rows + 1)]
    for x, y in ((i * a - width / 2, j * b + 0.03) for i in range(columns) for j in range(rows)):
        match rng.pick(("box", "box", "books", "none", "ball")):
            case "box":
                colour = rng.pick(("#d8664a", "#4a8fc0", "#e8c048", "#6aa868", "#c8b79a"))
                parts.append(block((a - 0.06, b * 0.68, deep - 0.04), (x + a / 2, y, 0.01), colour))
            case "ball":
                colour = rng.pick(("#d84a4a", "#e8c048", "#4a8fc0"))
                parts.append(Part(Sphere(0.1), Pose(rounded((x + a / 2, y, 0.03))), colour=colour))
            case "books":
                parts.append(books(rng, a - 0.1, 0.8 * b, 0.2, x + 0.04, y, 0))
            case _:
                pass
    return Group(tuple(parts))
