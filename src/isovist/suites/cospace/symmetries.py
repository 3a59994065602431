"""Changes of a place that leave its questions answerable: the world turned, mirrored, without one of its things.

Each comes twice: what it does to the solids, and what it does to how things are seen.
"""

from __future__ import annotations

from dataclasses import replace

from isovist.core.rotation import apply, turn
from isovist.core.scene3d import Pose, SceneObject, turned
from isovist.scenes.environments.bounding_boxes import bounds
from isovist.scenes.environments.environment import Environment, VisibleObject

SPIN = 120.0


def world_turned(world: Environment, angle: float) -> Environment:
    """The whole world about +Y, counterclockwise seen from above, sun and sky with it."""
    spin = turn("y", angle)
    solids = tuple(replace(solid, pose=replace(turned(solid.pose, "y", angle), at=apply(spin, solid.pose.at))) for solid in world.solids)
    light = replace(world.light, sun=apply(spin, world.light.sun))
    sky = replace(world.sky, heading=world.sky.heading - angle)
    return replace(world, solids=solids, eye=apply(spin, world.eye), light=light, sky=sky)


def seen_turned(things: tuple[VisibleObject, ...], angle: float) -> tuple[VisibleObject, ...]:
    """The same things after the world was turned counterclockwise."""
    return tuple(replace(t, bearing=t.bearing - angle, left=t.left - angle, right=t.right - angle) for t in things)


def can_be_mirrored(world: Environment) -> bool:
    """Whether every named thing is as wide to its left as to its right, so that its box fits its mirror image."""
    named = [solid for solid in world.solids if solid.name]
    return all(abs(bounds(s.form)[0][0] + bounds(s.form)[1][0]) < 1e-6 and not s.pivot[0] for s in named)


def world_mirrored(world: Environment) -> Environment:
    """Everything at the other side of the plane x = 0, facing where its mirror image does; shapes are not mirrored themselves."""
    ex, ey, ez = world.eye
    return replace(world, solids=tuple(_flipped(solid) for solid in world.solids), eye=(-ex, ey, ez))


def _flipped(solid: SceneObject) -> SceneObject:
    (x, y, z), pose = solid.pose.at, solid.pose
    return replace(solid, pose=Pose((-x, y, z), -pose.yaw, pose.pitch, -pose.roll))


def seen_mirrored(things: tuple[VisibleObject, ...]) -> tuple[VisibleObject, ...]:
    """The same things after the world was mirrored: what was at the right of -Z is at its left."""
    return tuple(replace(t, bearing=-t.bearing, left=-t.right, right=-t.left) for t in things)


def without_one(world: Environment, name: str) -> Environment:
    """The world without the first of the things of a name."""
    gone = next(i for i, solid in enumerate(world.solids) if solid.name == name)
    return replace(world, solids=world.solids[:gone] + world.solids[gone + 1 :])
