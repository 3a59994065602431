"""Changes of a place that leave its questions answerable: the world turned, mirrored, without one of its things.

Each comes twice: what it does to the solids, and what it does to how things are seen.
"""

from __future__ import annotations

from dataclasses import replace

from isovist.core.rotation import apply, turn
from isovist.scenes.environments.bounding_boxes import bounds
from isovist.scenes.environments.environment import Environment, VisibleObject
from isovist.scenes.scene_transforms import across, mirrored_solids, turned_solids

SPIN = 120.0


def world_turned(world: Environment, angle: float) -> Environment:
    """The whole world about +Y, counterclockwise seen from above, sun and sky with it."""
    spin = turn("y", angle)
    light = replace(world.light, sun_direction=apply(spin, world.light.sun_direction))
    sky = replace(world.sky, heading=world.sky.heading - angle)
    return replace(world, objects=turned_solids(world.objects, angle), eye=apply(spin, world.eye), light=light, sky=sky)


def seen_turned(things: tuple[VisibleObject, ...], angle: float) -> tuple[VisibleObject, ...]:
    """The same things after the world was turned counterclockwise."""
    return tuple(replace(t, bearing=t.bearing - angle, left=t.left - angle, right=t.right - angle) for t in things)


def can_be_mirrored(world: Environment) -> bool:
    """Whether every named thing is as wide to its left as to its right, so that its box fits its mirror image."""
    named = [solid for solid in world.objects if solid.name]
    return all(abs(bounds(s.geometry)[0][0] + bounds(s.geometry)[1][0]) < 1e-6 and not s.pivot[0] for s in named)


def world_mirrored(world: Environment) -> Environment:
    """Everything at the other side of the plane x = 0, facing where its mirror image does; shapes are not mirrored themselves."""
    return replace(world, objects=mirrored_solids(world.objects), eye=across(world.eye))


def seen_mirrored(things: tuple[VisibleObject, ...]) -> tuple[VisibleObject, ...]:
    """The same things after the world was mirrored: what was at the right of -Z is at its left."""
    return tuple(replace(t, bearing=-t.bearing, left=-t.right, right=-t.left) for t in things)


def without_one(world: Environment, name: str) -> Environment:
    """The world without the first of the things of a name."""
    gone = next(i for i, solid in enumerate(world.objects) if solid.name == name)
    return replace(world, objects=world.objects[:gone] + world.objects[gone + 1 :])
