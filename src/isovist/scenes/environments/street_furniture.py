"""What stands in streets and is not in the asset pack, built of plain forms. Metres, on the ground, fronts at +Z."""

from __future__ import annotations

from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Cylinder, Group, Part, Pose, Texture
from isovist.scenes.environments.primitives import ball, block, group, lump, post, ramp, rod, taper

STEEL, DARK, STONE, GLASS, WOOD, GREEN = "#8d9297", "#30343a", "#b9b4a8", "#8fb0bd", "#8a5f38", "#2f5d3c"

LAMP_POST = group(post(0.11, 0.5, colour=DARK), post(0.06, 5.2, colour=DARK))
LAMP_ARM = group(
    rod(0.04, 1.25, (0.0, 5.15, 0.0), 0.0, DARK),
    block((0.26, 0.12, 0.62), (0.0, 5.08, 1.3), DARK),
    block((0.2, 0.03, 0.5), (0.0, 5.05, 1.3), "#fff6d8"),
)
STREET_LAMP = Group((*LAMP_POST.parts, *LAMP_ARM.parts))
OLD_LAMP = group(
    taper(0.2, 0.1, 0.5, colour="#1d2b24", sides=8),
    post(0.055, 3.1, colour="#1d2b24"),
    taper(0.13, 0.24, 0.5, (0.0, 3.1, 0.0), "#fbf1cf", 6),
    taper(0.3, 0.03, 0.28, (0.0, 3.6, 0.0), "#1d2b24", 6),
    rod(0.025, 0.6, (-0.3, 2.85, 0.0), 90.0, "#1d2b24"),
)

BENCH = group(
    *(block((1.7, 0.05, 0.11), (0.0, 0.43, z), WOOD) for z in (-0.17, -0.03, 0.11, 0.25)),
    *(block((1.7, 0.11, 0.05), (0.0, y, -0.27), WOOD) for y in (0.56, 0.72, 0.88)),
    *(block((0.07, 0.43, 0.5), (x, 0.0, 0.03), DARK) for x in (-0.68, 0.68)),
    *(block((0.07, 1.0, 0.06), (x, 0.0, -0.32), DARK) for x in (-0.68, 0.68)),
    *(block((0.07, 0.05, 0.5), (x, 0.64, 0.0), DARK) for x in (-0.82, 0.82)),
)

BOLLARD = group(post(0.09, 0.85, colour=DARK), *lump(0.1, (0.0, 0.78, 0.0), DARK), post(0.095, 0.09, (0.0, 0.62, 0.0), "#e8e8e0"))

LITTER_BIN = group(
    post(0.27, 0.85, (0.0, 0.08, 0.0), GREEN, 20),
    post(0.29, 0.07, (0.0, 0.86, 0.0), "#1d2b24", 20),
    *(post(0.03, 0.28, (0.22 * sine(a), 0.9, 0.22 * cosine(a)), "#1d2b24", 8) for a in (45, 135, 225, 315)),
    taper(0.34, 0.1, 0.16, (0.0, 1.16, 0.0), "#1d2b24", 20),
    post(0.2, 0.1, colour=DARK),
)

POST_BOX = group(
    post(0.27, 0.14, colour="#1c1c1e", sides=24),
    post(0.24, 1.22, (0.0, 0.14, 0.0), "#c01820", 24),
    post(0.285, 0.09, (0.0, 1.34, 0.0), "#c01820", 24),
    taper(0.28, 0.05, 0.12, (0.0, 1.43, 0.0), "#c01820", 24),
    block((0.3, 0.06, 0.1), (0.0, 1.2, 0.21), "#101012"),
    block((0.26, 0.22, 0.06), (0.0, 0.82, 0.225), "#f2f0e6"),
)

PHONE_BOX = group(
    block((0.92, 0.12, 0.92), (0.0, 0.0, 0.0), "#7c1418"),
    *(block((0.1, 2.15, 0.1), (x, 0.12, z), "#c01820") for x in (-0.4, 0.4) for z in (-0.4, 0.4)),
    *(block((0.06, 1.7, 0.7), (x, 0.45, 0.0), GLASS) for x in (-0.4, 0.4)),
    *(block((0.7, 1.7, 0.06), (0.0, 0.45, z), GLASS) for z in (-0.4, 0.4)),
    *(block((0.84, 0.05, 0.84), (0.0, y, 0.0), "#c01820") for y in (0.75, 1.05, 1.35, 1.65, 1.95)),
    *(block((0.04, 1.75, 0.84), (x, 0.4, 0.0), "#c01820") for x in (-0.12, 0.12)),
    block((0.84, 0.33, 0.84), (0.0, 0.12, 0.0), "#c01820"),
    block((0.92, 0.26, 0.92), (0.0, 2.15, 0.0), "#c01820"),
    block((0.74, 0.14, 0.94), (0.0, 2.21, 0.0), "#f4f2e6"),
    taper(0.6, 0.2, 0.16, (0.0, 2.41, 0.0), "#c01820", 4),
)

TRAFFIC_LIGHT = group(
    post(0.07, 3.4, colour=STEEL),
    block((0.34, 0.98, 0.24), (0.0, 2.42, 0.06), "#17191b"),
    block((0.46, 1.1, 0.03), (0.0, 2.36, -0.06), "#17191b"),
    *(
        Part(Cylinder(0.115, 0.05, 20), Pose((0.0, y, 0.16), pitch=90.0), colour=colour)
        for y, colour in ((3.23, "#f03020"), (2.91, "#5a4a10"), (2.59, "#10401c"))
    ),
    block((0.2, 0.3, 0.16), (0.0, 1.0, 0.1), "#e8c020"),
)

BUS_SHELTER = group(
    *(post(0.045, 2.35, (x, 0.0, z), STEEL, 8) for x in (-1.75, 0.0, 1.75) for z in (-0.6,)),
    *(post(0.045, 2.35, (x, 0.0, 0.55), STEEL, 8) for x in (-1.75, 1.75)),
    block((3.9, 0.12, 1.7), (0.0, 2.35, 0.0), "#2f6fae"),
    *(block((1.65, 1.85, 0.03), (x, 0.3, -0.6), GLASS) for x in (-0.875, 0.875)),
    block((0.03, 1.85, 1.05), (-1.75, 0.3, -0.05), GLASS),
    block((0.14, 1.9, 1.1), (1.75, 0.25, -0.03), "#e8e2d0"),
    block((0.18, 1.6, 0.9), (1.75, 0.4, -0.03), "#d0603a"),
    block((2.6, 0.06, 0.36), (-0.3, 0.46, -0.36), WOOD),
    *(post(0.03, 0.46, (x, 0.0, -0.36), STEEL, 8) for x in (-1.3, 0.7)),
    # the stop's flag on its own pole
    post(0.045, 3.1, (2.3, 0.0, 0.55), STEEL, 8),
    block((0.5, 0.5, 0.04), (2.3, 2.55, 0.55), "#f0c818"),
    block((0.3, 0.2, 0.06), (2.3, 2.72, 0.55), "#207040"),
)

KIOSK = group(
    block((2.6, 1.0, 2.0), (0.0, 0.0, 0.0), "#2f7a55"),
    block((2.6, 0.5, 2.0), (0.0, 2.0, 0.0), "#2f7a55"),
    *(block((0.14, 1.0, 0.14), (x, 1.0, z), "#2f7a55") for x in (-1.23, 1.23) for z in (-0.93, 0.93)),
    block((2.4, 1.0, 1.5), (0.0, 1.0, -0.2), "#3a3430"),
    *(block((0.34, 0.46, 0.03), (x, 1.15, 0.56), c) for x, c in zip((-0.9, -0.45, 0.0, 0.45, 0.9), ("#d8c040", "#c84838", "#4878b8", "#e8e4d8", "#70a850"), strict=True)),
    block((2.8, 0.08, 0.5), (0.0, 0.98, 1.1), "#d8d0b8"),
    ramp((2.9, 0.4, 0.8), (0.0, 2.1, 1.35), "#e8e0c8"),
    block((1.7, 0.36, 0.08), (0.0, 2.1, 1.0), "#f0e6c0"),
    taper(1.95, 0.5, 0.5, (0.0, 2.5, 0.0), "#5a3a2a", 4),
)  # fmt: skip

ADVERTISING_COLUMN = group(
    post(0.72, 0.3, colour="#4a4a48", sides=24),
    post(0.64, 2.7, (0.0, 0.3, 0.0), "#d8d2bc", 24),
    *(
        block((0.86, 1.15, 0.06), (0.56 * sine(a), y, 0.56 * cosine(a)), c, yaw=a)
        for a, y, c in ((0, 0.5, "#c8443a"), (72, 0.6, "#3a6ea8"), (144, 0.5, "#e0b030"), (216, 0.6, "#4a8a4a"), (288, 0.5, "#7a4a8a"),
                        (30, 1.75, "#2f8a94"), (110, 1.75, "#e07030"), (190, 1.75, "#40404a"), (270, 1.75, "#c05a80"), (340, 1.75, "#e8e4d8"))
    ),
    post(0.74, 0.18, (0.0, 3.0, 0.0), "#2f4a3a", 24),
    taper(0.74, 0.06, 0.55, (0.0, 3.18, 0.0), "#2f4a3a", 24),
)  # fmt: skip

FOUNTAIN = group(
    post(2.1, 0.5, colour=STONE, sides=12),
    post(1.9, 0.52, colour="#5fa3c4", sides=12),
    post(0.28, 1.25, (0.0, 0.3, 0.0), STONE, 12),
    taper(0.3, 0.95, 0.3, (0.0, 1.3, 0.0), STONE, 20),
    post(0.87, 0.32, (0.0, 1.3, 0.0), "#6fb0d0", 20),
    post(0.14, 0.6, (0.0, 1.55, 0.0), STONE, 12),
    *(
        part
        for a in range(0, 360, 60)
        for part in (
            taper(0.09, 0.05, 0.95, (0.98 * sine(a), 0.5, 0.98 * cosine(a)), "#dff0f8", 8),
            taper(0.19, 0.08, 0.12, (0.98 * sine(a), 0.52, 0.98 * cosine(a)), "#eef8fc", 10),
        )
    ),
    taper(0.16, 0.06, 0.7, (0.0, 2.0, 0.0), "#e6f4fa", 8),
)

STATUE = group(
    block((1.7, 0.3, 1.7), (0.0, 0.0, 0.0), "#a8a49a"),
    block((1.2, 1.5, 1.2), (0.0, 0.3, 0.0), "#b8b4aa"),
    block((1.4, 0.16, 1.4), (0.0, 1.8, 0.0), "#a8a49a"),
    # a bronze figure with one arm raised
    *(post(0.12, 0.85, (x, 1.96, 0.0), "#4f6f5c", 10) for x in (-0.14, 0.14)),
    taper(0.24, 0.31, 0.72, (0.0, 2.78, 0.0), "#4f6f5c", 12),
    taper(0.34, 0.22, 0.5, (0.0, 2.4, 0.0), "#4a6957", 12),
    ball(0.17, (0.0, 3.52, 0.0), "#4f6f5c"),
    post(0.07, 0.14, (0.0, 3.45, 0.0), "#4f6f5c", 8),
    Part(Cylinder(0.075, 0.85, 10), Pose((0.3, 3.38, 0.0), 90.0, 35.0), colour="#4f6f5c"),
    Part(Cylinder(0.075, 0.75, 10), Pose((-0.3, 3.42, 0.0), -90.0, 160.0), colour="#4f6f5c"),
)  # fmt: skip

BILLBOARD = group(
    *(block((0.16, 2.4, 0.16), (x, 0.0, -0.1), STEEL) for x in (-1.5, 1.5)),
    block((4.2, 2.5, 0.16), (0.0, 2.0, 0.0), DARK),
    block((4.0, 2.3, 0.05), (0.0, 2.1, 0.08), "#f2c23c"),
    Part(Cylinder(0.7, 0.04, 28), Pose((-0.95, 3.25, 0.11), pitch=90.0), colour="#d8402f"),
    block((1.7, 0.34, 0.04), (0.95, 3.55, 0.12), "#28408a"),
    block((1.3, 0.22, 0.04), (0.75, 3.05, 0.12), "#28408a"),
    block((1.5, 0.22, 0.04), (0.85, 2.65, 0.12), "#28408a"),
)

MARKET_STALL = group(
    *(post(0.04, 2.1, (x, 0.0, z), "#e8e4d8", 8) for x in (-1.3, 1.3) for z in (-0.85, 0.85)),
    block((2.7, 0.1, 1.3), (0.0, 0.8, 0.15), WOOD),
    block((2.7, 0.75, 0.05), (0.0, 0.1, 0.78), "#d8d0b8"),
    *(
        ramp((0.4, 0.6, deep), (-1.2 + 0.4 * k, 2.1, z), ("#c83a30", "#f0ece0")[k % 2], yaw=yaw)
        for k in range(7)
        for deep, z, yaw in ((1.3, 0.55, 0.0), (1.0, -0.6, 180.0))
    ),
    *(
        part
        for i in range(11)
        for j in (0, 1)
        for part in lump(0.11, (-1.1 + 0.22 * i + 0.05 * j, 0.88, 0.28 * j), ("#e07820", "#c02828", "#70a838", "#e8c830")[i // 3], 0.8)
    ),
)

FLAGPOLE = group(
    post(0.14, 0.3, colour=STONE),
    post(0.045, 6.2, colour="#e4e6e8"),
    *lump(0.08, (0.0, 6.15, 0.0), "#d8b040"),
    *(block((1.5, 0.34, 0.03), (0.8, y, 0.0), c) for y, c in ((5.75, "#2858b0"), (5.41, "#f4f2ec"), (5.07, "#d03030"))),
)

_PETALS = ("#d84868", "#4a8a44", "#e8c038", "#4a8a44", "#d84868", "#5a9a4c")
FLOWER_TUB = group(
    taper(0.38, 0.52, 0.5, colour="#9a5a40", sides=16),
    *(part for k, colour in enumerate(_PETALS) for part in lump(0.2, (0.27 * sine(60.0 * k), 0.42, 0.27 * cosine(60.0 * k)), colour)),
    *lump(0.25, (0.0, 0.46, 0.0), "#e06a88"),
)

STREET_CLOCK = group(
    taper(0.2, 0.09, 0.6, colour="#203028", sides=10),
    post(0.07, 3.0, colour="#203028"),
    Part(Cylinder(0.48, 0.26, 28), Pose((0.0, 3.4, -0.13), pitch=90.0), colour="#203028"),
    Part(Cylinder(0.41, 0.3, 28), Pose((0.0, 3.4, -0.15), pitch=90.0), colour="#f6f4ea"),
    *(block((0.04, 0.3, 0.02), (0.0, 3.4, z), "#18181a") for z in (0.16, -0.16)),
    *(block((0.24, 0.045, 0.02), (s * 0.1, 3.38, s * 0.16), "#18181a") for s in (1, -1)),
    taper(0.16, 0.02, 0.22, (0.0, 3.88, 0.0), "#203028", 10),
)

HYDRANT = group(
    post(0.17, 0.07, colour="#c82020"),
    post(0.12, 0.52, (0.0, 0.07, 0.0), "#c82020", 16),
    *lump(0.13, (0.0, 0.48, 0.0), "#c82020"),
    post(0.05, 0.1, (0.0, 0.72, 0.0), "#e8e0d0"),
    rod(0.065, 0.4, (-0.2, 0.42, 0.0), 90.0, "#e8e0d0", 14),
    rod(0.08, 0.2, (0.0, 0.38, 0.0), 0.0, "#e8e0d0", 14),
)

PICNIC_TABLE = group(
    *(block((1.8, 0.05, 0.16), (0.0, 0.73, z), WOOD) for z in (-0.32, -0.16, 0.0, 0.16, 0.32)),
    *(block((1.8, 0.05, 0.26), (0.0, 0.43, z), WOOD) for z in (-0.75, 0.75)),
    *(block((0.09, 0.09, 1.6), (x, 0.36, 0.0), "#6e4a2b") for x in (-0.6, 0.6)),
    *(block((0.09, 0.8, 0.09), (x, 0.0, z), "#6e4a2b", pitch=-25.0 if z > 0 else 25.0) for x in (-0.6, 0.6) for z in (-0.55, 0.55)),
)

SLIDE = group(
    *(post(0.04, 2.0, (x, 0.0, z), "#d8342c", 8) for x in (-0.35, 0.35) for z in (-1.5, -0.8)),
    block((0.8, 0.06, 0.8), (0.0, 1.25, -1.15), "#f0c020"),
    *(block((0.6, 0.05, 0.07), (0.0, 0.25 * k, -1.5), "#d8342c") for k in range(1, 5)),
    block((0.56, 0.06, 2.6), (0.0, 0.62, 0.32), "#2f7ad0", pitch=26.0),
    *(block((0.05, 0.2, 2.6), (x, 0.62, 0.32), "#f0c020", pitch=26.0) for x in (-0.3, 0.3)),
    *(block((0.05, 0.5, 0.8), (x, 1.3, -1.15), "#d8342c") for x in (-0.4, 0.4)),
)  # fmt: skip


def hedge(length: float, height: float = 1.0, depth: float = 0.7) -> Group:
    """A clipped hedge along its own left and right."""
    leaves = Texture("grass", 1.1)
    return group(
        block((length, height, depth), (0.0, 0.0, 0.0), "#7fae6a", leaves),
        block((length - 0.1, 0.08, depth - 0.14), (0.0, height, 0.0), "#8fbe78", leaves),
    )


def fence(length: float, height: float = 1.0, colour: str = "#ece8dc") -> Group:
    """A paling fence along its own left and right."""
    count = max(2, round(length / 0.28))
    step = length / count
    return group(
        *(block((length, 0.08, 0.03), (0.0, y, -0.03), colour) for y in (0.25 * height, 0.7 * height)),
        *(block((0.11, height, 0.025), (-length / 2 + (k + 0.5) * step, 0.06, 0.0), colour) for k in range(count)),
    )


def railing(length: float, colour: str = "#3a4046") -> Group:
    """A metal guard rail along its own left and right."""
    count = max(1, round(length / 1.4))
    step = length / count
    return group(
        *(block((length, 0.05, 0.05), (0.0, y, 0.0), colour) for y in (0.5, 0.98)),
        *(block((0.06, 1.0, 0.06), (-length / 2 + k * step, 0.0, 0.0), colour) for k in range(count + 1)),
    )


def sign(face: str, shape: str = "round", ring: str = "#c81e1e") -> Group:
    """A traffic sign: a face with a rim, "round", "square" or "triangle"."""
    sides, roll = {"round": (28, 0.0), "square": (4, 0.0), "triangle": (3, 0.0)}[shape]
    return group(
        post(0.035, 2.5, colour=STEEL),
        Part(Cylinder(0.36, 0.03, sides), Pose((0.0, 2.35, 0.03), 0.0, 90.0, roll), colour=ring),
        Part(Cylinder(0.27, 0.03, sides), Pose((0.0, 2.35, 0.045), 0.0, 90.0, roll), colour=face),
    )
