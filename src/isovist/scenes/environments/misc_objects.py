"""Single things that make one room unlike another: an aquarium, a globe, a guitar, a coat stand.

Each stands on y = 0 with its front towards +Z. Lengths in metres.
"""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Cone, Cylinder, Group, Part, Pose, Sphere
from isovist.scenes.environments.fixtures import box, mixed, tube
from isovist.scenes.environments.furniture import DARK, STEEL


def aquarium(rng: Rng, wood: str) -> Group:
    """On a stand, with fish and weeds drawn at its front."""
    parts = [box(1.0, 0.7, 0.42, 0, 0, 0, wood), box(0.98, 0.46, 0.4, 0, 0.7, 0, "#4fb0d0"), box(1.0, 0.05, 0.42, 0, 1.16, 0, DARK)]
    parts += [
        box(0.98, 0.06, 0.404, 0, 0.7, 0, "#d8c48f"),
        box(0.46, 0.6, 0.01, -0.24, 0.05, 0.21, mixed(wood, "#000000", 0.1)),
        box(0.46, 0.6, 0.01, 0.24, 0.05, 0.21, mixed(wood, "#000000", 0.1)),
    ]
    parts += [box(0.03, rng.uniform(0.14, 0.3), 0.01, x, 0.76, 0.2, "#3f8a3f") for x in (-0.36, -0.28, 0.3, 0.4)]
    for x, y in ((-0.12, 0.98), (0.1, 0.88), (0.22, 1.04)):
        colour = rng.pick(("#f08a2a", "#f0d030", "#e84a4a"))
        parts += [
            Part(Sphere(0.05), Pose((x, y, 0.2)), (1.0, 0.55, 0.2), colour),
            Part(Cone(0.035, 0.05, 0.0, 3), Pose((round(x + 0.075, 4), round(y + 0.0275, 4), 0.2), roll=90.0), (1.0, 1.0, 0.2), colour),
        ]
    return Group(tuple(parts))


def globe(wood: str) -> Group:
    """On a floor stand."""
    parts = [
        tube(0.2, 0.04, 0, 0, 0, wood, 24),
        tube(0.03, 0.6, 0, 0.04, 0, wood, 12),
        Part(Sphere(0.24), Pose((0.0, 0.62, 0.0)), colour="#4a86c0"),
    ]
    for turn, rise, wide, high in (
        (10, 20, 0.3, 0.22),
        (75, -15, 0.22, 0.3),
        (150, 30, 0.4, 0.2),
        (215, 10, 0.28, 0.26),
        (290, -5, 0.3, 0.3),
    ):
        out = 0.2 * cosine(rise)
        at = round(out * sine(turn), 4), round(0.86 + 0.2 * sine(rise) - high / 4, 4), round(out * cosine(turn), 4)
        parts.append(Part(Sphere(0.12), Pose(at), (wide * 2, high * 2, wide * 2), "#7a9a4f"))
    parts.append(Part(Cylinder(0.012, 0.62), Pose((0.07, 0.56, 0.0), roll=13.0), colour=STEEL))
    return Group(tuple(parts))


def guitar(wood: str) -> Group:
    """Upright on a small stand."""
    rim = mixed(wood, "#000000", 0.35)
    parts = [
        box(0.34, 0.05, 0.3, 0, 0, 0, DARK),
        Part(Cylinder(0.2, 0.1, 28), Pose((0.0, 0.27, -0.05), pitch=90.0), colour=wood),
        Part(Cylinder(0.155, 0.1, 28), Pose((0.0, 0.53, -0.05), pitch=90.0), colour=wood),
        Part(Cylinder(0.06, 0.004, 20), Pose((0.0, 0.47, 0.05), pitch=90.0), colour="#1f1a16"),
        box(0.15, 0.03, 0.02, 0, 0.24, 0.055, rim),
        box(0.055, 0.56, 0.025, 0, 0.6, 0.05, rim),
        box(0.08, 0.16, 0.025, 0, 1.14, 0.045, wood),
    ]
    return Group(tuple(parts))


def coat_stand(wood: str, coat: str, hat: str) -> Group:
    parts = [
        tube(0.22, 0.03, 0, 0, 0, wood, 24),
        tube(0.022, 1.7, 0, 0.03, 0, wood, 10),
        Part(Sphere(0.04), Pose((0.0, 1.7, 0.0)), colour=wood),
    ]
    parts += [Part(Cylinder(0.012, 0.2, 8), Pose((0.0, 1.52, 0.0), a, 55.0), colour=wood) for a in (0.0, 90.0, 180.0, 270.0)]
    parts += [
        Part(Cone(0.2, 0.75, 0.09, 16), Pose((0.1, 0.86, 0.06)), (1.0, 1.0, 0.6), coat),
        box(0.1, 0.55, 0.1, 0.24, 1.0, 0.06, mixed(coat, "#000000", 0.15)),
    ]
    parts += [tube(0.15, 0.015, -0.14, 1.62, 0, hat, 24), tube(0.09, 0.1, -0.14, 1.63, 0, hat, 20)]
    return Group(tuple(parts))


def floor_clock(wood: str) -> Group:
    """As tall as a person, with a pendulum behind glass."""
    dark = mixed(wood, "#000000", 0.3)
    parts = [
        box(0.5, 0.35, 0.3, 0, 0, 0, wood),
        box(0.38, 1.0, 0.24, 0, 0.35, 0, wood),
        box(0.48, 0.5, 0.3, 0, 1.35, 0, wood),
        box(0.54, 0.06, 0.34, 0, 1.85, 0, dark),
    ]
    parts += [box(0.24, 0.8, 0.006, 0, 0.45, 0.122, "#2c2622"), box(0.012, 0.5, 0.006, 0, 0.68, 0.126, "#d8b24a")]
    parts += [
        Part(Cylinder(0.07, 0.008, 20), Pose((0.0, 0.66, 0.122), pitch=90.0), colour="#d8b24a"),
        Part(Cylinder(0.18, 0.01, 28), Pose((0.0, 1.6, 0.146), pitch=90.0), colour="#f8f4e6"),
    ]
    for hour in range(12):
        parts.append(
            box(0.016, 0.016, 0.003, round(0.15 * sine(30 * hour), 4), round(1.592 + 0.15 * cosine(30 * hour), 4), 0.157, "#333333")
        )
    parts += [
        Part(Box((0.012, 0.12, 0.003)), Pose((0.0, 1.6, 0.159), roll=-50.0), colour="#222222"),
        Part(Box((0.014, 0.085, 0.003)), Pose((0.0, 1.6, 0.161), roll=60.0), colour="#222222"),
    ]
    return Group(tuple(parts))


def step_ladder(metal: str) -> Group:
    parts = [
        Part(Box((0.05, 1.5, 0.03)), Pose((x, 0.0, z), pitch=p), colour=metal)
        for x in (-0.22, 0.22)
        for z, p in ((0.38, -14.0), (-0.38, 14.0))
    ]
    parts += [box(0.44, 0.025, 0.09, 0, 0.29 * k, 0.38 - 0.0725 * k, "#3a3a3d") for k in range(1, 5)]
    return Group((*parts, box(0.44, 0.03, 0.26, 0, 1.43, 0, "#d84a3a")))


def drum(colour: str) -> Group:
    """A drum kit in little: a big drum that stands on its edge, two small ones and a cymbal."""
    parts = [
        Part(Cylinder(0.3, 0.4, 32), Pose((0.0, 0.3, -0.2), pitch=90.0), colour=colour),
        Part(Cylinder(0.27, 0.01, 32), Pose((0.0, 0.3, 0.2), pitch=90.0), colour="#f6f2e8"),
    ]
    parts += [tube(0.16, 0.2, x, 0.62, -0.05, colour, 24) for x in (-0.2, 0.2)]
    parts += [tube(0.15, 0.006, x, 0.82, -0.05, "#f6f2e8", 24) for x in (-0.2, 0.2)]
    return Group(
        (
            *parts,
            tube(0.01, 1.05, 0.48, 0, -0.1, STEEL, 8),
            Part(Cone(0.2, 0.04, 0.02, 28), Pose((0.48, 1.05, -0.1)), colour="#d8b24a"),
            tube(0.16, 0.02, 0.48, 0, -0.1, STEEL, 16),
        )
    )
