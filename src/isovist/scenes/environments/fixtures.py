"""What belongs to the walls, floor and ceiling of a room, built from plain forms: windows, doors, curtains, pictures and lamps.

Everything that hangs on a wall has its back at -Z of its box and stands on y = 0, but for a sill and what carries a board. Lengths in metres.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Cone, Cylinder, Group, Part, Pose, Sphere

DOOR = (0.98, 2.1)
"""Width and height of a door with its frame."""
FRAME = 0.05
"""Width of what surrounds a window's panes."""


def box(width: float, height: float, depth: float, x: float, y: float, z: float, colour: str | None = None) -> Part:
    """A box whose lowest middle is at a point."""
    return Part(Box((round(width, 4), round(height, 4), round(depth, 4))), Pose((round(x, 4), round(y, 4), round(z, 4))), colour=colour)


def tube(radius: float, height: float, x: float, y: float, z: float, colour: str | None = None, sides: int = 12) -> Part:
    """An upright cylinder whose lowest middle is at a point."""
    return Part(Cylinder(round(radius, 4), round(height, 4), sides), Pose((round(x, 4), round(y, 4), round(z, 4))), colour=colour)


def shade(below: float, above: float, height: float, y: float, colour: str, sides: int = 20) -> Part:
    """A lampshade over the origin."""
    return Part(Cone(round(below, 4), round(height, 4), round(above, 4), sides), Pose((0.0, round(y, 4), 0.0)), colour=colour)


def window(width: float, height: float, colour: str, across: int = 2, bars: int = 0) -> Group:
    """A frame with `across` casements side by side and `bars` across each, and a sill before it; one looks through."""
    w, f, deep = width, FRAME, 0.07
    parts = [box(w, f, deep, 0, 0, 0), box(w, f, deep, 0, height - f, 0)]
    parts += [box(f, height - 2 * f, deep, side * (w - f) / 2, f, 0) for side in (-1, 1)]
    parts += [box(f, height - 2 * f, deep * 0.8, w * (k / across - 0.5), f, 0) for k in range(1, across)]
    parts += [box(w - 2 * f, f * 0.6, deep * 0.6, 0, height * (k / (bars + 1)), 0) for k in range(1, bars + 1)]
    handle = 0.0 if across > 1 else 0.5 * (w - f)
    parts.append(box(0.02, 0.1, 0.03, w * (1 / across - 0.5) if across > 1 else handle, height * 0.42, 0.05, "#8d9095"))
    parts.append(box(w + 0.1, 0.03, 0.16, 0, -0.03, 0.05, "#eeeae2"))
    return Group(tuple(Part(p.form, p.pose, colour=p.colour or colour) for p in parts))


def door(leaf: str, frame: str, style: int) -> Group:
    """A closed door in its frame. `style`: 0 plain, 1 two panels, 2 six panels, 3 a pane of frosted glass."""
    w, h = DOOR
    f = 0.08
    parts = [box(f, h, 0.06, side * (w - f) / 2, 0, 0.03, frame) for side in (-1, 1)]
    parts.append(box(w - 2 * f, f, 0.06, 0, h - f, 0.03, frame))
    parts.append(box(w - 2 * f, h - f, 0.03, 0, 0, 0.015, leaf))
    dark = mixed(leaf, "#000000", 0.16)
    if style == 1:
        parts += [box(0.56, 0.72, 0.01, 0, y, 0.034, dark) for y in (0.18, 1.12)]
    elif style == 2:
        parts += [box(0.25, tall, 0.01, x, y, 0.034, dark) for x in (-0.17, 0.17) for y, tall in ((0.15, 0.6), (0.87, 0.66), (1.63, 0.26))]
    elif style == 3:
        parts.append(box(0.5, 1.35, 0.01, 0, 0.5, 0.034, "#d9e4e6"))
        parts += [box(0.5, 0.03, 0.016, 0, y, 0.036, leaf) for y in (0.94, 1.38)]
    parts.append(box(0.04, 0.16, 0.012, 0.35, 0.97, 0.036, "#7c7f83"))
    parts.append(box(0.12, 0.02, 0.02, 0.31, 1.05, 0.075, "#9a9da1"))
    parts.append(box(0.02, 0.02, 0.04, 0.36, 1.05, 0.055, "#9a9da1"))
    return Group(tuple(parts))


def curtain(width: float, height: float, colour: str) -> Group:
    """Cloth in folds."""
    folds = max(3, round(width / 0.07))
    step = width / folds
    dark = mixed(colour, "#000000", 0.12)
    return Group(
        tuple(
            box(step * 1.02, height, 0.05, (k + 0.5) * step - width / 2, 0, 0.012 * (k % 2), dark if k % 2 else colour)
            for k in range(folds)
        )
    )


def rod(width: float, colour: str) -> Group:
    """For curtains, with a knob at each end."""
    knobs = [Part(Sphere(0.03), Pose((round(side * width / 2, 4), -0.02, 0.0)), colour=colour) for side in (-1, 1)]
    return Group((box(width, 0.02, 0.02, 0, 0, 0, colour), *knobs))


def blind(width: float, height: float, colour: str) -> Group:
    """Rolled down over the upper part of a window."""
    return Group(
        (box(width, height, 0.015, 0, 0, 0, colour), box(width + 0.04, 0.07, 0.07, 0, height, 0.01, mixed(colour, "#ffffff", 0.5)))
    )


def radiator(width: float) -> Group:
    ribs = max(6, round(width / 0.1))
    step = width / ribs
    parts = [box(step * 0.7, 0.52, 0.08, (k + 0.5) * step - width / 2, 0.12, 0, "#f0eee9") for k in range(ribs)]
    return Group((box(width, 0.04, 0.05, 0, 0.16, 0, "#e2dfd8"), box(width, 0.04, 0.05, 0, 0.56, 0, "#e2dfd8"), *parts))


def picture(rng: Rng, width: float, height: float, frame: str) -> Group:
    """A framed picture: a landscape, plain shapes or a sea."""
    parts = [box(width, height, 0.025, 0, 0, 0, frame), box(width - 0.07, height - 0.07, 0.008, 0, 0.035, 0.014, "#f4f0e6")]
    w, h, z = width - 0.16, height - 0.16, 0.019
    sky, low, far = rng.pick(("#8fb8d8", "#e8c49a", "#c8d8e0", "#30486a")), rng.pick(("#5f7d4a", "#8a6a44", "#2f5c78", "#b0553a")), 0.004
    parts.append(box(w, h, far, 0, 0.08, z, sky))
    motif = rng.pick(("hills", "sun", "stripes", "blocks"))
    if motif == "hills":
        parts += [
            box(w, h * 0.3, far, 0, 0.08, z + 0.002, low),
            box(w * 0.5, h * 0.16, far, -w * 0.25, 0.08 + h * 0.3, z + 0.002, mixed(low, "#ffffff", 0.25)),
        ]
    elif motif == "sun":
        parts.append(box(w, h * 0.35, far, 0, 0.08, z + 0.002, low))
        disc = Cylinder(round(0.16 * min(w, h), 4), 0.006, 20)
        parts.append(Part(disc, Pose((round(0.18 * w, 4), round(0.08 + 0.66 * h, 4), z + 0.001), pitch=90.0), colour="#f4e06a"))
    elif motif == "stripes":
        k = rng.integer(3, 5)
        parts += [box(w / (2 * k), h, far, w * ((i + 0.5) / k - 0.5), 0.08, z + 0.002, low) for i in range(k)]
    else:
        for colour in ("#d8b040", "#b8402f", "#28424f", low):
            a, b = rng.uniform(0.2, 0.4) * w, rng.uniform(0.2, 0.4) * h
            x, y = rng.uniform(-0.5, 0.5) * (w - a), 0.08 + rng.uniform(0, 1) * (h - b)
            z += 0.0015
            parts.append(box(a, b, far, x, y, z, colour))
    return Group(tuple(parts))


def mirror(width: float, height: float, frame: str) -> Group:
    pane = Part(Box((round(width - 0.06, 4), round(height - 0.06, 4), 0.01)), Pose((0.0, 0.03, 0.012)), colour="#c3d6de")
    gleam = Part(
        Box((round(0.12 * width, 4), round(0.6 * height, 4), 0.002)),
        Pose((round(-0.1 * width, 4), round(0.2 * height, 4), 0.018), roll=-18.0),
        colour="#e6f0f4",
    )
    return Group((box(width, height, 0.02, 0, 0, 0, frame), pane, gleam))


def clock(radius: float, frame: str) -> Group:
    """Round, with twelve marks and two hands."""
    face = [
        Part(Cylinder(radius, 0.03, 28), Pose((0.0, radius, -0.015), pitch=90.0), colour=frame),
        Part(Cylinder(round(radius * 0.88, 4), 0.01, 28), Pose((0.0, radius, 0.012), pitch=90.0), colour="#fbf9f2"),
    ]
    for hour in range(12):
        x, y = 0.74 * radius * sine(30 * hour), 0.74 * radius * cosine(30 * hour)
        face.append(box(0.018, 0.018, 0.003, x, radius + y - 0.009, 0.023, "#333333"))
    face.append(Part(Box((0.016, round(0.6 * radius, 4), 0.003)), Pose((0.0, radius, 0.025), roll=-60.0), colour="#222222"))
    face.append(Part(Box((0.02, round(0.42 * radius, 4), 0.003)), Pose((0.0, radius, 0.027), roll=40.0), colour="#222222"))
    return Group(tuple(face))


BOOKS = ("#8c2f2b", "#2f4f7a", "#3f6b4a", "#c8a24a", "#5a3f5f", "#d8d0c0", "#3a3a3f", "#b8663a")


def books(rng: Rng, width: float, low: float, high: float, deep: float, x: float, y: float, z: float) -> list[Part]:
    """A row of books from a left end, over part of a board."""
    parts: list[Part] = []
    at = 0.0
    while True:
        thick, tall = rng.uniform(0.03, 0.07), rng.uniform(low, high)
        if at + thick > width:
            return parts
        parts.append(box(thick - 0.003, tall, deep, x + at + thick / 2, y, z, rng.pick(BOOKS)))
        at += thick


def shelf(rng: Rng, width: float, wood: str) -> Group:
    """A board on a wall with books and a small pot."""
    parts = [
        box(width, 0.03, 0.22, 0, 0, 0, wood),
        box(0.03, 0.1, 0.16, -0.4 * width, -0.1, -0.03, wood),
        box(0.03, 0.1, 0.16, 0.4 * width, -0.1, -0.03, wood),
    ]
    parts += books(rng, 0.6 * width, 0.16, 0.26, 0.15, -0.45 * width, 0.03, -0.02)
    parts.append(tube(0.05, 0.09, 0.34 * width, 0.03, 0, "#c86f4a"))
    parts.append(Part(Sphere(0.075), Pose((round(0.34 * width, 4), 0.1, 0.0)), colour="#4f8a45"))
    return Group(tuple(parts))


def board(width: float, height: float, *, cork: bool) -> Group:
    """A whiteboard, or a notice board with notes on it."""
    parts = [
        box(width, height, 0.025, 0, 0, 0, "#a8814f" if cork else "#a9adb0"),
        box(width - 0.06, height - 0.06, 0.01, 0, 0.03, 0.012, "#c69c6a" if cork else "#fbfcfc"),
    ]
    if cork:
        notes = (("#f5e96a", -0.3, 0.6), ("#ffffff", 0.0, 0.5), ("#f0a0b0", 0.3, 0.62), ("#a8d8f0", -0.12, 0.18), ("#ffffff", 0.26, 0.16))
        parts += [box(0.14 * width, 0.2 * height, 0.004, x * width, y * height, 0.019, colour) for colour, x, y in notes]
    else:
        parts.append(box(0.6 * width, 0.02, 0.06, 0, -0.01, 0.04, "#a9adb0"))
        lines = (("#2a58b8", -0.2, 0.7, 0.4), ("#2a58b8", -0.25, 0.58, 0.3), ("#c03030", 0.22, 0.4, 0.24), ("#2a58b8", -0.22, 0.3, 0.36))
        parts += [box(long * width, 0.018, 0.002, x * width, y * height, 0.018, colour) for colour, x, y, long in lines]
    return Group(tuple(parts))


def ceiling_lamp(rng: Rng, colour: str, cord: float) -> Group:
    """Hangs from y = 0 downwards, on so many metres of cord; at most 35 cm high itself."""
    kind = rng.pick(("drum", "globe", "flat", "cone"))
    if kind == "flat":
        return Group((tube(0.22, 0.09, 0, -0.09, 0, "#fdf8ea", 28),))
    line = box(0.012, cord, 0.012, 0, -cord, 0, "#4a4a4a")
    if kind == "drum":
        return Group((line, tube(0.26, 0.24, 0, -cord - 0.2, 0, colour, 28)))
    if kind == "globe":
        return Group((line, Part(Sphere(0.17), Pose((0.0, round(-cord - 0.32, 4), 0.0)), colour="#fdf8ea")))
    return Group((line, Part(Cone(0.26, 0.26, 0.05, 28), Pose((0.0, round(-cord - 0.21, 4), 0.0)), colour=colour)))


def rug(rng: Rng, width: float, depth: float, colour: str, other: str) -> Group:
    """Round, plain with a border, or striped."""
    kind = rng.pick(("round", "border", "border", "stripes"))
    if kind == "round":
        r = min(width, depth) / 2
        return Group((tube(r, 0.008, 0, 0, 0, other, 40), tube(r - 0.12, 0.011, 0, 0, 0, colour, 40)))
    if kind == "border":
        return Group((box(width, 0.008, depth, 0, 0, 0, other), box(width - 0.24, 0.011, depth - 0.24, 0, 0, 0, colour)))
    k = 4
    stripes = [box(width / (2 * k), 0.011, depth, width * ((i + 0.5) / k - 0.5), 0, 0, other) for i in range(k)]
    return Group((box(width, 0.008, depth, 0, 0, 0, colour), *stripes))


def mixed(a: str, b: str, part: float) -> str:
    """The colour `part` of the way from one to another."""
    pairs = zip((int(a[i : i + 2], 16) for i in (1, 3, 5)), (int(b[i : i + 2], 16) for i in (1, 3, 5)), strict=True)
    return "#" + "".join(f"{round(p + (q - p) * part):02x}" for p, q in pairs)
