"""Scenes that several tests look at. `python tests/scenes3d_examples.py` draws the picture of the axes for the manual anew."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Label
from isovist.core.scene3d import Box, Camera, Cone, Cylinder, Ground, Group, Part, Pose, Scene3D, SceneObject, Sky, Sphere, Wedge
from isovist.world.render import pixels, rasterizer2d

AXES = Path(__file__).parent.parent / "docs" / "images" / "stage-axes.png"
SIDE = 240
RED, GREEN, BLUE = "#d01010", "#10a010", "#1030e0"
POSES = {
    "yaw 0": Pose(),
    "yaw 90": Pose(yaw=90.0),
    "yaw 30": Pose(yaw=30.0),
    "pitch 30": Pose(pitch=30.0),
    "roll 30": Pose(roll=30.0),
    "yaw 90 pitch 30": Pose(yaw=90.0, pitch=30.0),
}
ARROW = Group(
    (
        Part(Box((0.5, 0.4, 1.3)), Pose((0.0, -0.2, 0.0)), colour="#b8b8b0"),
        Part(Cone(0.2, 0.4), Pose((0.0, 0.0, 0.65), pitch=90.0), colour=RED),
        Part(Cylinder(0.05, 0.5), Pose((0.0, 0.2, 0.0)), colour="#b8b8b0"),
        Part(Sphere(0.14), Pose((0.0, 0.6, 0.0)), colour=GREEN),
        Part(Cylinder(0.05, 0.5), Pose((0.2, 0.0, 0.0), roll=-90.0), colour="#b8b8b0"),
        Part(Sphere(0.14), Pose((0.74, -0.14, 0.0)), colour=BLUE),
    )
)
"""A block with a red nose at +Z, a green knob at +Y and a blue one at +X, its origin in the middle of the block."""
NOSE, GREEN_KNOB, BLUE_KNOB = (0.0, 0.0, 0.85), (0.0, 0.74, 0.0), (0.74, 0.0, 0.0)


def axes(pose: Pose) -> Scene3D:
    """The block seen from the front and a little from above and from its left, over a white ground of nothing."""
    camera = Camera((1.2, 1.5, 5.0), fov=24.0, width=SIDE, height=SIDE)
    return Scene3D((SceneObject(ARROW, pose),), camera, ground=None, sky=Sky("#ffffff", "#ffffff"))


def sheet() -> NDArray[np.uint8]:
    """One picture of the block for each pose, with its name, three in a row."""
    shown: list[NDArray[np.uint8]] = []
    for name, pose in POSES.items():
        picture = pixels(axes(pose), SIDE)
        rasterizer2d.paint(picture, (Label(name, (0.5, 0.06), 0.075),), SIDE)
        shown.append(picture)
    return np.vstack([np.hstack(shown[:3]), np.hstack(shown[3:])])


def crowd(seed: int, n: int = 12) -> Scene3D:
    """A heap of random primitives over the ground, seen at random."""
    draw = random.Random(seed)
    solids: list[SceneObject] = []
    for _ in range(n):
        a, b, c = (draw.uniform(0.2, 0.9) for _ in range(3))
        form = draw.choice(
            [Box((a, b, c)), Wedge((a, b, c)), Cylinder(a / 2, b, draw.choice([3, 6, 24])), Cone(a / 2, b, c / 4), Sphere(a / 2)]
        )
        at = (draw.uniform(-1.5, 1.5), draw.uniform(0, 0.8), draw.uniform(-1.5, 1.5))
        pose = Pose(at, draw.uniform(-180, 180), draw.uniform(-80, 80), draw.uniform(-180, 180))
        solids.append(SceneObject(form, pose, draw.uniform(0.7, 1.3), f"#{draw.randrange(1 << 24):06x}"))
    eye = (draw.uniform(-3, 3), draw.uniform(0.5, 3), draw.uniform(3, 5))
    camera = Camera(eye, (0, 0.4, 0), fov=draw.uniform(35, 60), width=160, height=120)
    return Scene3D(tuple(solids), replace(camera, span=3.0) if draw.random() < 0.3 else camera, ground=draw.choice([None, Ground()]))


if __name__ == "__main__":
    from isovist.world.render.image_encoding import png

    AXES.write_bytes(png(sheet()))
