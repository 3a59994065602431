"""Changes of an environment with a known effect on the answer: rotation, mirroring, removal of one object.

Each change exists for the objects of the environment and for the visible objects.
"""

from __future__ import annotations

from dataclasses import replace

from isovist.core.rotation import apply, turn
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.environment import Environment, VisibleObject
from isovist.world.scenes.scene_transforms import across, mirrored_solids, turned_solids

SPIN = 120.0


def rotated_environment(world: Environment, angle: float) -> Environment:
    """Rotate the environment with its sun and sky about +Y by `angle` degrees, counterclockwise seen from above."""
    rotation = turn("y", angle)
    light = replace(world.light, sun_direction=apply(rotation, world.light.sun_direction))
    sky = replace(world.sky, heading=world.sky.heading - angle)
    return replace(world, objects=turned_solids(world.objects, angle), eye=apply(rotation, world.eye), light=light, sky=sky)


def rotated_objects(objects: tuple[VisibleObject, ...], angle: float) -> tuple[VisibleObject, ...]:
    """The visible objects after a counterclockwise rotation of the environment by `angle` degrees."""
    return tuple(replace(t, bearing=t.bearing - angle, left=t.left - angle, right=t.right - angle) for t in objects)


def can_be_mirrored(world: Environment) -> bool:
    """Whether every named object is symmetric about its local plane x = 0, so that its box also fits its mirror image."""
    named = [placed for placed in world.objects if placed.name]
    return all(abs(bounds(s.geometry)[0][0] + bounds(s.geometry)[1][0]) < 1e-6 and not s.pivot[0] for s in named)


def mirrored_environment(world: Environment) -> Environment:
    """Mirror the poses of all objects at the plane x = 0. The shapes themselves are not mirrored."""
    return replace(world, objects=mirrored_solids(world.objects), eye=across(world.eye))


def mirrored_objects(objects: tuple[VisibleObject, ...]) -> tuple[VisibleObject, ...]:
    """The visible objects after mirroring: right and left of -Z are exchanged."""
    return tuple(replace(t, bearing=-t.bearing, left=-t.right, right=-t.left) for t in objects)


def without_one(world: Environment, name: str) -> Environment:
    """Remove the first object of a name."""
    first = next(i for i, placed in enumerate(world.objects) if placed.name == name)
    return replace(world, objects=world.objects[:first] + world.objects[first + 1 :])
